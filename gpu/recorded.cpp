#include "gpu/recorded.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/checked_json.h"
#include "core/user_file.h"
#include "gpu/compare.h"

namespace tilescope::gpu {
namespace {

constexpr int64_t kSamples = 64;
constexpr int kVersion = 1;
constexpr uint64_t kMostBytes = uint64_t{64} << 20;

std::string hex(uint64_t x) { return fmt::format("{:016x}", x); }

/// A logical element by its row-major number, as messages print it.
std::string element_text(const Tensor& t, int64_t number) {
  std::vector<int64_t> index(t.layout.shape.size());
  for (size_t a = index.size(); a-- > 0;) {
    index[a] = number % t.layout.shape[a];
    number /= t.layout.shape[a];
  }
  return format_element(t.dtype, t.element(t.origin + t.layout.offset_of(index)));
}

Json counters_json(const HardwareCounters& c) {
  return {{"ncu", c.ncu},
          {"load_requests", c.load_requests},
          {"load_sectors", c.load_sectors},
          {"store_requests", c.store_requests},
          {"store_sectors", c.store_sectors},
          {"dram_bytes_read", c.dram_bytes_read},
          {"dram_bytes_written", c.dram_bytes_written},
          {"l2_hit_rate", c.l2_hit_rate},
          {"registers", c.registers}};
}

// What a file may claim: more than any machine has, few enough for every message and for exact doubles.
constexpr double kMostCounted = 0x1p53, kMostMs = 1e12, kMostRegisters = 1 << 20;
constexpr size_t kMostText = 1000, kMostTensors = 4096, kMostAxes = 16, kMostSamples = 4096;

HardwareCounters read_counters_json(CheckedJson& r, const Json& json, const JsonPlace& at) {
  const auto count = [&](const char* key) { return static_cast<uint64_t>(r.whole(json, at, key, 0, kMostCounted)); };
  HardwareCounters c;
  c.ncu = r.text(json, at, "ncu", 0, kMostText);
  c.load_requests = count("load_requests");
  c.load_sectors = count("load_sectors");
  c.store_requests = count("store_requests");
  c.store_sectors = count("store_sectors");
  c.dram_bytes_read = count("dram_bytes_read");
  c.dram_bytes_written = count("dram_bytes_written");
  c.l2_hit_rate = r.number(json, at, "l2_hit_rate", 0, 1e6);
  c.registers = static_cast<int>(r.whole(json, at, "registers", 0, kMostRegisters));
  return c;
}

/// Hashes are 16 hexadecimal digits: JSON's numbers do not hold 64 bits.
uint64_t read_hash(CheckedJson& r, const Json& json, const JsonPlace& at, const char* key) {
  const std::string text = r.text(json, at, key, 0, kMostText);
  if (r.error()) return 0;
  uint64_t hash = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (text.size() != 16 || end.ptr != text.data() + text.size()) r.fail(at / key, "expected 16 hexadecimal digits");
  return hash;
}

/// The array behind a key; nullptr is a problem that was noted.
const Json* read_array(CheckedJson& r, const Json& json, const JsonPlace& at, const char* key, size_t most) {
  const Json* list = r.member(json, at, key, true);
  if (list == nullptr) return nullptr;
  if (list->is_array() && list->size() <= most) return list;
  r.fail(at / key, fmt::format("expected a list [ ] of at most {}", most));
  return nullptr;
}

RecordedTensor read_tensor(CheckedJson& r, const Json& json, const JsonPlace& at) {
  RecordedTensor t;
  t.name = r.text(json, at, "name", 1, kMostText);
  t.dtype = r.text(json, at, "dtype", 1, kMostText);
  t.hash = read_hash(r, json, at, "hash");
  if (const Json* shape = read_array(r, json, at, "shape", kMostAxes))
    for (size_t i = 0; i < shape->size(); ++i)
      t.shape.push_back(r.whole_value((*shape)[i], at / "shape" / i, 0, kMostCounted));
  const Json* samples = read_array(r, json, at, "samples", kMostSamples);
  for (size_t i = 0; samples != nullptr && i < samples->size() && !r.error(); ++i) {
    const Json& sample = (*samples)[i];
    const JsonPlace place = at / "samples" / i;
    if (!sample.is_array() || sample.size() != 2 || !sample[1].is_string())
      r.fail(place, "expected [number of an element, its value in quotes]");
    else
      t.samples.emplace_back(r.whole_value(sample[0], place / 0, 0, kMostCounted), sample[1].get<std::string>());
  }
  return t;
}

RecordedRun read_run(CheckedJson& r, const Json& json) {
  const JsonPlace at;
  RecordedRun run;
  run.kernel = r.text(json, at, "kernel", 1, kMostText);
  run.kernel_hash = read_hash(r, json, at, "kernel_hash");
  run.device = r.text(json, at, "device", 0, kMostText);
  run.driver = r.text(json, at, "driver", 0, kMostText);
  run.nvrtc = r.text(json, at, "nvrtc", 0, kMostText);
  run.date = r.text(json, at, "date", 0, kMostText);
  run.num_warps = static_cast<int>(r.whole(json, at, "num_warps", 1, 64));
  run.registers = static_cast<int>(r.whole(json, at, "registers", 0, kMostRegisters));
  run.shared_bytes = r.whole(json, at, "shared_bytes", 0, kMostCounted);
  run.time_ms = r.number(json, at, "time_ms", 0, kMostMs);
  if (const Json* counters = r.member(json, at, "counters", false))
    run.counters = read_counters_json(r, *counters, at / "counters");
  const Json* tensors = read_array(r, json, at, "tensors", kMostTensors);
  for (size_t i = 0; tensors != nullptr && i < tensors->size() && !r.error(); ++i)
    run.tensors.push_back(read_tensor(r, (*tensors)[i], at / "tensors" / i));
  return run;
}

}  // namespace

std::string recording_path(const std::string& launch_path) {
  std::filesystem::path p(launch_path);
  return p.replace_extension(".gpu.json").string();
}

uint64_t hash_text(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

RecordedTensor record_tensor(const Tensor& t) {
  RecordedTensor out{t.name, std::string(dtype_name(t.dtype)), t.layout.shape, hash_tensor(t), {}};
  const int64_t n = t.elements(), count = std::min(n, kSamples);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t number = count < kSamples ? i : i * ((n - 1) / (kSamples - 1));
    out.samples.emplace_back(number, element_text(t, number));
  }
  return out;
}

std::string recording_text(const RecordedRun& run) {
  Json tensors = Json::array();
  for (const RecordedTensor& t : run.tensors) {
    Json samples = Json::array();
    for (const auto& [number, value] : t.samples) samples.push_back({number, value});
    tensors.push_back(
        {{"name", t.name}, {"dtype", t.dtype}, {"shape", t.shape}, {"hash", hex(t.hash)}, {"samples", samples}});
  }
  Json json = {{"version", kVersion},
               {"kernel", run.kernel},
               {"kernel_hash", hex(run.kernel_hash)},
               {"device", run.device},
               {"driver", run.driver},
               {"nvrtc", run.nvrtc},
               {"date", run.date},
               {"num_warps", run.num_warps},
               {"registers", run.registers},
               {"shared_bytes", run.shared_bytes},
               {"time_ms", run.time_ms}};
  if (run.counters) json["counters"] = counters_json(*run.counters);
  json["tensors"] = tensors;
  // One key a line, and one tensor a line.
  std::string out = "{";
  for (const auto& [key, value] : json.items()) {
    out += (&value == &json.front() ? "\n " : ",\n ") + Json(key).dump() + ": ";
    if (!value.is_array()) {
      out += value.dump();
      continue;
    }
    out += "[";
    for (size_t i = 0; i < value.size(); ++i) out += (i == 0 ? "\n  " : ",\n  ") + value[i].dump();
    out += "]";
  }
  return out + "\n}\n";
}

std::optional<Diagnostic> save_recording(const std::string& path, const RecordedRun& run) {
  std::ofstream out(path, std::ios::binary);
  out << recording_text(run);
  out.flush();
  if (!out) return plain_error("cannot write the recording " + path);
  return std::nullopt;
}

Expected<RecordedRun> load_recording(const std::string& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec))
    return plain_error("there is no recorded GPU run " + path,
                       "`tilescope compare --record` on a machine with a GPU makes one");
  Expected<std::string> text = read_user_file(path, kMostBytes);
  if (!text) return text.errors();
  return parse_recording(std::make_shared<SourceFile>(SourceFile{path, std::move(*text)}));
}

Expected<RecordedRun> parse_recording(const SourcePtr& source) {
  const Expected<Json> json = parse_json(source);
  if (!json) return json.errors();
  CheckedJson reader(source, "the recorded GPU run");
  if (reader.whole(*json, JsonPlace(), "version", 0, 1e6) != kVersion && !reader.error())
    return plain_error(source->path + ": a recording of another version of Tilescope", "record it again");
  RecordedRun run = read_run(reader, *json);
  if (reader.error()) return *reader.error();
  return run;
}

std::string recording_difference(const RecordedTensor& recorded, const Tensor& t) {
  if (recorded.dtype != dtype_name(t.dtype) || recorded.shape != t.layout.shape)
    return "it has another type or shape than when it was recorded";
  if (hash_tensor(t) == recorded.hash) return {};
  for (const auto& [number, value] : recorded.samples)
    if (number >= 0 && number < t.elements() && element_text(t, number) != value)
      return fmt::format("element {} is {} here and {} in the recording", number, element_text(t, number), value);
  return "some element that was not sampled";
}

}  // namespace tilescope::gpu
