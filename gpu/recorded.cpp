#include "gpu/recorded.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/user_file.h"
#include "gpu/compare.h"

namespace tilescope::gpu {
namespace {

using Json = nlohmann::ordered_json;

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

HardwareCounters read_counters_json(const Json& json) {
  HardwareCounters c;
  c.ncu = json.at("ncu");
  c.load_requests = json.at("load_requests");
  c.load_sectors = json.at("load_sectors");
  c.store_requests = json.at("store_requests");
  c.store_sectors = json.at("store_sectors");
  c.dram_bytes_read = json.at("dram_bytes_read");
  c.dram_bytes_written = json.at("dram_bytes_written");
  c.l2_hit_rate = json.at("l2_hit_rate");
  c.registers = json.at("registers");
  return c;
}

uint64_t number_of(const std::string& text) { return std::stoull(text, nullptr, 16); }

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

std::optional<Diagnostic> save_recording(const std::string& path, const RecordedRun& run) {
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
  std::ofstream out(path, std::ios::binary);
  // One key a line, and one tensor a line.
  out << "{";
  for (const auto& [key, value] : json.items()) {
    out << (&value == &json.front() ? "\n" : ",\n") << " " << Json(key).dump() << ": ";
    if (!value.is_array()) {
      out << value.dump();
      continue;
    }
    for (size_t i = 0; i < value.size(); ++i) out << (i == 0 ? "[\n  " : ",\n  ") << value[i].dump();
    out << "]";
  }
  out << "\n}\n";
  out.flush();
  if (!out) return plain_error("cannot write the recording " + path);
  return std::nullopt;
}

Expected<RecordedRun> load_recording(const std::string& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec))
    return plain_error("there is no recorded GPU run " + path,
                       "`tilescope compare --record` on a machine with a GPU makes one");
  const Expected<std::string> text = read_user_file(path, kMostBytes);
  if (!text) return text.errors();
  try {
    const Json json = Json::parse(*text);
    if (json.at("version").get<int>() != kVersion)
      return plain_error(path + ": a recording of another version of Tilescope", "record it again");
    RecordedRun run;
    run.kernel = json.at("kernel");
    run.kernel_hash = number_of(json.at("kernel_hash"));
    run.device = json.at("device");
    run.driver = json.at("driver");
    run.nvrtc = json.at("nvrtc");
    run.date = json.at("date");
    run.num_warps = json.at("num_warps");
    run.registers = json.at("registers");
    run.shared_bytes = json.at("shared_bytes");
    run.time_ms = json.at("time_ms");
    if (json.contains("counters")) run.counters = read_counters_json(json.at("counters"));
    for (const Json& t : json.at("tensors")) {
      RecordedTensor r{t.at("name"), t.at("dtype"), t.at("shape"), number_of(t.at("hash")), {}};
      for (const Json& s : t.at("samples")) r.samples.emplace_back(s.at(0).get<int64_t>(), s.at(1).get<std::string>());
      run.tensors.push_back(std::move(r));
    }
    return run;
  } catch (const std::exception& e) {
    return plain_error(path + ": not a recorded GPU run: " + e.what());
  }
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
