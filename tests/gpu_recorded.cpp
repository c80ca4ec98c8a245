// Comparison of two runs, and GPU runs kept beside a launch file.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "gpu/compare.h"
#include "gpu/driver.h"
#include "gpu/recorded.h"

namespace tilescope::gpu {
namespace {

Tensor floats(std::vector<float> values, std::vector<int64_t> shape, std::vector<int64_t> strides = {}) {
  auto layout = make_layout("x", DType::Float32, std::move(shape), std::move(strides));
  REQUIRE(layout.ok());
  auto t = allocate_tensor("x", DType::Float32, *layout);
  REQUIRE(t.ok());
  REQUIRE(t->storage.size() == values.size() * sizeof(float));
  std::memcpy(t->storage.data(), values.data(), t->storage.size());
  return std::move(*t);
}

float with_bits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

TEST_CASE("NaNs of any payload are equal, -0 and +0 are not") {
  const Tensor a = floats({with_bits(0x7fc00001), 0.0f}, {2}), b = floats({with_bits(0xffffffff), -0.0f}, {2});
  const TensorComparison c = compare_tensors(a, b);
  CHECK(c.differing == 1);
  CHECK(c.first_index == std::vector<int64_t>{1});
  CHECK(c.ulps[0] == 1);
  CHECK(hash_tensor(floats({with_bits(0x7fc00001)}, {1})) == hash_tensor(floats({with_bits(0xffffffff)}, {1})));
  CHECK(hash_tensor(a) != hash_tensor(b));
}

TEST_CASE("distances are counted in units of the last place, and the first difference is named by its index") {
  const Tensor a = floats({1.0f, 1.0f, 1.0f, 1.0f, -1.0f, INFINITY}, {2, 3});
  const Tensor b = floats({1.0f, with_bits(0x3f800001), with_bits(0x3f800004), 2.0f, 1.0f, 0.0f}, {2, 3});
  const TensorComparison c = compare_tensors(a, b);
  CHECK(c.elements == 6);
  CHECK(c.differing == 5);
  CHECK(c.first_index == std::vector<int64_t>{0, 1});
  CHECK(c.ulps[0] == 1);
  CHECK(c.ulps[1] == 1);
  CHECK(c.ulps[3] == 1);
  CHECK(c.ulps[7] == 1);
  CHECK(c.ulps[8] == 2);
  CHECK(c.max_abs == 2.0);
}

TEST_CASE("only logical elements of a strided tensor are compared") {
  const Tensor a = floats({1, 99, 2, 98, 3}, {3}, {2}), b = floats({1, 7, 2, 8, 3}, {3}, {2});
  CHECK(compare_tensors(a, b).equal());
  CHECK(hash_tensor(a) == hash_tensor(b));
}

TEST_CASE("a recorded run reads back, and tells where a tensor differs from it") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "tilescope_recorded.gpu.json";
  const Tensor t = floats({1, 2, 3, 4}, {4});
  RecordedRun run;
  run.kernel = "k";
  run.device = "NVIDIA H200";
  run.date = "2026-01-01";
  run.kernel_hash = hash_text("text");
  run.time_ms = 0.5;
  run.tensors = {record_tensor(t)};
  run.counters = HardwareCounters{"2025.3", 64, 500, 32, 250, 11264, 0, 153.04, 22};
  REQUIRE(!save_recording(path.string(), run));
  auto read = load_recording(path.string());
  REQUIRE(read.ok());
  CHECK(read->device == "NVIDIA H200");
  CHECK(read->kernel_hash == hash_text("text"));
  REQUIRE(read->counters);
  CHECK(read->counters->ncu == "2025.3");
  CHECK(read->counters->load_sectors == 500);
  CHECK(read->counters->dram_bytes_read == 11264);
  CHECK(read->counters->l2_hit_rate == 153.04);
  run.counters.reset();
  REQUIRE(!save_recording(path.string(), run));
  CHECK(!load_recording(path.string())->counters);
  CHECK(recording_difference(read->tensors[0], t).empty());
  CHECK(recording_difference(read->tensors[0], floats({1, 2, 5, 4}, {4})) ==
        "element 2 is 5 here and 3 in the recording");
  CHECK(!recording_difference(read->tensors[0], floats({1, 2, 3, 4}, {2, 2})).empty());
  for (const char* text : {"", "{", "[]", "{\"version\": 9}", "{\"version\": 1, \"kernel\": 3}"}) {
    std::ofstream(path, std::ios::binary) << text;
    CHECK(!load_recording(path.string()).ok());
  }
  std::filesystem::remove(path);
  CHECK(!load_recording(path.string()).ok());
  CHECK(recording_path("a/launch.json") == "a/launch.gpu.json");
}

TEST_CASE("a recording with a value of the wrong kind or size is refused at its place") {
  const std::string text = recording_text([] {
    RecordedRun run;
    run.kernel = "k";
    run.tensors = {record_tensor(floats({1, 2}, {2}))};
    run.counters = HardwareCounters{"2025.3", 64, 500, 32, 250, 11264, 0, 85, 22};
    return run;
  }());
  const auto parse = [](const std::string& t) {
    return parse_recording(std::make_shared<SourceFile>(SourceFile{"k.gpu.json", t}));
  };
  REQUIRE(parse(text).ok());
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& message) {
    CAPTURE(to);
    std::string changed = text;
    const size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    const auto run = parse(changed.replace(at, from.size(), to));
    REQUIRE(!run.ok());
    CAPTURE(render(run.errors()));
    CHECK(render(run.errors()).find(message) != std::string::npos);
    CHECK(run.errors().front().range.valid());
  };
  refused("\"registers\": 0", "\"registers\": 1e300", "registers: expected a number from 0 to");
  refused("\"num_warps\": 4", "\"num_warps\": -4", "num_warps: expected a number from 1 to 64");
  refused("\"time_ms\": 0", "\"time_ms\": true, \"time\": 0", "time_ms: expected a number");
  refused("\"load_sectors\":500", "\"load_sectors\":0.5", "counters.load_sectors: expected a whole number");
  refused("[2]", "[2.5]", "tensors[0].shape[0]: expected a whole number");
  refused("[2]", "3", "tensors[0].shape: expected a list");
  refused("[0,\"1\"]", "[0]", "tensors[0].samples[0]: expected [number of an element, its value in quotes]");
  refused("\"hash\":\"", "\"hash\":\"-", "tensors[0].hash: expected 16 hexadecimal digits");
  refused("\"tensors\"", "\"tensor\"", "\"tensors\" is missing");
}

TEST_CASE("without a GPU the driver says so in one line") {
  auto devices = list_devices();
  if (devices.ok()) {
    CHECK(!devices->empty());
    return;
  }
  const std::string message = devices.errors().front().message;
  CHECK(!message.empty());
  CHECK(message.find('\n') == std::string::npos);
}

}  // namespace
}  // namespace tilescope::gpu
