#include "sim/cost/gpu_description.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "core/checked_json.h"
#include "core/compile.h"
#include "core/launch_file.h"

namespace tilescope::cost {

/// The generated file: path and text of every description that ships.
const std::vector<std::pair<std::string, std::string>>& gpu_texts();

namespace {

constexpr size_t kMaxFileBytes = 1 << 20;

struct UnitName {
  const char* key;   ///< in JSON
  const char* text;  ///< in messages and tables
};
constexpr UnitName kUnits[kWorkUnits] = {
    {"tensor_fp16", "fp16 tensor cores"}, {"tensor_bf16", "bf16 tensor cores"}, {"tensor_tf32", "tf32 tensor cores"},
    {"tensor_fp8", "fp8 tensor cores"},   {"tensor_int8", "int8 tensor cores"}, {"fp32", "fp32 units"},
    {"fp64", "fp64 units"}};

/// Comments become spaces, so that places in the text stay what they are. Only // and /* */ outside strings.
std::string blank_comments(std::string text) {
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_string) {
      if (text[i] == '\\') ++i;
      else if (text[i] == '"') in_string = false;
      continue;
    }
    if (text[i] == '"') in_string = true;
    if (text[i] != '/' || i + 1 >= text.size()) continue;
    size_t end = i;
    if (text[i + 1] == '/') {
      end = std::min(text.find('\n', i), text.size());
    } else if (text[i + 1] == '*') {
      size_t close = text.find("*/", i + 2);
      if (close == std::string::npos) break;  // left for the parser to complain about
      end = close + 2;
    } else {
      continue;
    }
    for (; i < end; ++i)
      if (text[i] != '\n') text[i] = ' ';
    --i;  // the loop adds one
  }
  return text;
}

void read_sm(CheckedJson& r, const Json& root, const JsonPlace& top, GpuDescription& g) {
  const Json* sm = r.member(root, top, "sm", true);
  if (!sm) return;
  JsonPlace at = top / "sm";
  r.check_keys(*sm, at, {"count", "warps", "programs", "registers", "registers_per_thread", "shared_bytes",
                         "shared_bytes_per_program", "shared_bytes_reserved"});
  g.sms = static_cast<int>(r.whole(*sm, at, "count", 1, 4096));
  g.warps_per_sm = static_cast<int>(r.whole(*sm, at, "warps", 1, 1024));
  g.programs_per_sm = static_cast<int>(r.whole(*sm, at, "programs", 1, 1024));
  g.registers_per_sm = r.whole(*sm, at, "registers", 1024, 1 << 24);
  g.registers_per_thread = static_cast<int>(r.whole(*sm, at, "registers_per_thread", 16, 1024, false, 255));
  g.shared_bytes_per_sm = r.whole(*sm, at, "shared_bytes", 1024, 1 << 28);
  g.shared_bytes_per_program = r.whole(*sm, at, "shared_bytes_per_program", 1024, 1 << 28);
  g.shared_bytes_reserved = r.whole(*sm, at, "shared_bytes_reserved", 0, 1 << 20, false, 1024);
  if (g.shared_bytes_per_program > g.shared_bytes_per_sm)
    r.fail(at / "shared_bytes_per_program", "more than the SM has (shared_bytes)");
}

void read_l2(CheckedJson& r, const Json& root, const JsonPlace& top, GpuDescription& g) {
  const Json* l2 = r.member(root, top, "l2", true);
  if (!l2) return;
  JsonPlace at = top / "l2";
  r.check_keys(*l2, at, {"bytes", "partitions", "ways", "line_bytes", "bytes_per_s", "latency_ns"});
  g.l2_bytes = r.whole(*l2, at, "bytes", 1 << 14, double(int64_t{1} << 33));
  g.l2_partitions = static_cast<int>(r.whole(*l2, at, "partitions", 1, 8, false, 1));
  g.l2_ways = static_cast<int>(r.whole(*l2, at, "ways", 1, 32, false, 16));
  g.l2_line_bytes = r.whole(*l2, at, "line_bytes", 32, 512, false, 128);
  g.l2_bytes_per_s = r.number(*l2, at, "bytes_per_s", 1e9, 1e16);
  g.l2_latency_ns = r.number(*l2, at, "latency_ns", 1, 1e5);
  if (g.l2_line_bytes & (g.l2_line_bytes - 1)) r.fail(at / "line_bytes", "expected a power of two");
}

void read_rates(CheckedJson& r, const Json& root, const JsonPlace& top, GpuDescription& g) {
  if (const Json* dram = r.member(root, top, "dram", true)) {
    JsonPlace at = top / "dram";
    r.check_keys(*dram, at, {"bytes_per_s", "latency_ns"});
    g.dram_bytes_per_s = r.number(*dram, at, "bytes_per_s", 1e9, 1e15);
    g.dram_latency_ns = r.number(*dram, at, "latency_ns", 1, 1e5);
  }
  const Json* peak = r.member(root, top, "peak_flops", true);
  if (!peak) return;
  std::vector<std::string> units;
  for (const UnitName& u : kUnits) units.emplace_back(u.key);
  r.check_keys(*peak, top / "peak_flops", units);
  for (int u = 0; u < kWorkUnits; ++u)
    g.peak[u] = r.number(*peak, top / "peak_flops", kUnits[u].key, 0, 1e18, u == static_cast<int>(WorkUnit::Fp32));
  if (!r.error() && g.peak[static_cast<int>(WorkUnit::Fp32)] <= 0)
    r.fail(top / "peak_flops" / "fp32", "expected a number above 0");
}

std::string list_ids() {
  std::string list;
  for (const auto& g : gpu_descriptions()) list += (list.empty() ? "" : ", ") + g.id;
  return list;
}

}  // namespace

std::string_view work_unit_name(WorkUnit u) { return kUnits[static_cast<int>(u)].text; }

Expected<GpuDescription> parse_gpu_description(const std::string& json, const std::string& path) {
  if (json.size() > kMaxFileBytes) return plain_error(path + " is larger than 1 MiB", "a GPU description is a short JSON text");
  auto source = std::make_shared<SourceFile>(SourceFile{path, json});
  auto blank = std::make_shared<SourceFile>(SourceFile{path, blank_comments(json)});
  Expected<Json> parsed = parse_json(blank);
  if (!parsed) {
    std::vector<Diagnostic> errors = parsed.errors();
    for (Diagnostic& d : errors)
      if (d.range.file) d.range.file = source;  // shown with its comments
    return errors;
  }
  const Json& root = *parsed;
  CheckedJson r(blank, "the description");
  JsonPlace top;
  r.check_keys(root, top, {"id", "name", "compute_capability", "clock_hz", "launch_us", "sm", "l2", "dram", "peak_flops"});
  GpuDescription g;
  g.id = r.text(root, top, "id");
  g.name = r.text(root, top, "name");
  g.compute_capability = r.text(root, top, "compute_capability");
  g.clock_hz = r.number(root, top, "clock_hz", 1e6, 1e11);
  g.launch_us = r.number(root, top, "launch_us", 0, 1e6);
  read_sm(r, root, top, g);
  read_l2(r, root, top, g);
  read_rates(r, root, top, g);
  if (!r.error()) return g;
  Diagnostic d = *r.error();
  d.range.file = source;  // shown with its comments
  return d;
}

const std::vector<GpuDescription>& gpu_descriptions() {
  static const std::vector<GpuDescription> all = [] {
    std::vector<GpuDescription> out;
    for (const auto& [path, text] : gpu_texts()) {
      Expected<GpuDescription> g = parse_gpu_description(text, path);
      if (!g) internal_error("a GPU description that ships does not parse: " + render(g.errors()));
      out.push_back(*g);
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {  // by tensor cores and memory, then by name
      auto rank = [](const GpuDescription& g) { return std::pair(-g.peak[0], -g.dram_bytes_per_s); };
      return rank(a) < rank(b);
    });
    return out;
  }();
  return all;
}

Expected<GpuDescription> find_gpu(const std::string& text) {
  for (const auto& g : gpu_descriptions())
    if (g.id == text) return g;
  std::error_code ignored;
  bool looks_like_file = text.find('/') != std::string::npos || text.ends_with(".json") ||
                         std::filesystem::is_regular_file(text, ignored);
  if (looks_like_file) {
    Expected<SourcePtr> file = read_source(text);
    if (!file) {
      std::string message = file.errors().front().message;
      return plain_error(message, "a GPU is one of " + list_ids() + ", or the path of a JSON file like sim/cost/gpus/h200.json");
    }
    return parse_gpu_description((*file)->text, text);
  }
  std::vector<std::string> ids;
  for (const auto& g : gpu_descriptions()) ids.push_back(g.id);
  std::string near = nearest_name(text, ids);
  return plain_error("unknown GPU \"" + text + "\"" + (near.empty() ? "" : ": did you mean \"" + near + "\"?"),
                     "known: " + list_ids() + "; or give the path of a JSON file");
}

}  // namespace tilescope::cost
