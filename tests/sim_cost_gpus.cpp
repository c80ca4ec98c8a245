// GPU descriptions: those that ship, and files of users, which are untrusted.
#include <doctest/doctest.h>

#include <fstream>

#include "sim/cost/gpu_description.h"

using namespace tilescope;
using namespace tilescope::cost;

namespace {

std::string h200_text() {
  std::ifstream in(std::string(TILESCOPE_SOURCE_DIR) + "/sim/cost/gpus/h200.json");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The message that the H200's text gives when `from` is replaced by `to`.
std::string message_with(const std::string& from, const std::string& to) {
  std::string text = h200_text();
  size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  text.replace(at, from.size(), to);
  Expected<GpuDescription> g = parse_gpu_description(text, "mine.json");
  return g ? std::string("accepted") : render(g.errors());
}

}  // namespace

TEST_CASE("six GPUs ship, the H200 first, and each is found by its id") {
  REQUIRE(gpu_descriptions().size() == 6);
  CHECK(gpu_descriptions().front().id == "h200");
  for (const char* id : {"h200", "h100", "a100", "rtx_4090", "rtx_4070_super", "rtx_4050_laptop"}) {
    Expected<GpuDescription> g = find_gpu(id);
    REQUIRE_MESSAGE(g.ok(), id);
    CHECK(g->id == id);
    // What the units do in a second is what an SM does in a clock: within a tenth of the fp32 lanes at the boost clock.
    double fp32_lanes = g->peak[static_cast<int>(WorkUnit::Fp32)] / 2 / g->clock_hz / g->sms;
    CHECK(fp32_lanes > (g->id == "a100" ? 57 : 115));
    CHECK(fp32_lanes < (g->id == "a100" ? 71 : 141));
    CHECK(g->l2_latency_ns < g->dram_latency_ns);
    CHECK(g->l2_bytes_per_s > g->dram_bytes_per_s);
  }
}

TEST_CASE("an unknown GPU is refused with the ids that exist") {
  Expected<GpuDescription> g = find_gpu("h20");
  REQUIRE(!g.ok());
  std::string text = render(g.errors());
  CHECK(text.find("unknown GPU \"h20\"") != std::string::npos);
  CHECK(text.find("rtx_4070_super") != std::string::npos);
  CHECK(!find_gpu("").ok());
  CHECK(!find_gpu("no/such/file.json").ok());
  CHECK(!find_gpu("/").ok());
}

TEST_CASE("a description of one's own is read from a file, comments and all") {
  Expected<GpuDescription> g = find_gpu(std::string(TILESCOPE_SOURCE_DIR) + "/sim/cost/gpus/a100.json");
  REQUIRE(g.ok());
  CHECK(g->sms == 108);
  CHECK(g->peak[static_cast<int>(WorkUnit::TensorFp8)] == 0);
}

TEST_CASE("errors in a description name the place") {
  auto has = [](const std::string& text, const std::string& part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text << "\nlacks: " << part);
  };
  has(message_with("62914560", "-5"), "l2.bytes: expected a number from");
  has(message_with("62914560", "\"much\""), "l2.bytes: expected a number");
  has(message_with("\"count\": 132", "\"count\": 132.5"), "sm.count: expected a whole number");
  has(message_with("\"count\": 132", "\"count\": 1e300"), "sm.count: expected a number from 1 to 4096");
  has(message_with("\"count\": 132", "\"cuont\": 132"), "did you mean \"count\"?");
  has(message_with("\"line_bytes\": 128", "\"line_bytes\": 96"), "l2.line_bytes: expected a power of two");
  has(message_with("\"fp32\": 66.9e12", "\"fp32\": 0"), "peak_flops.fp32");
  has(message_with("\"clock_hz\"", "\"name\""), "appears twice");
  has(message_with("\"name\": \"NVIDIA H200\",", ""), "\"name\" is missing");
  has(message_with("232448", "332448"), "sm.shared_bytes_per_program: more than the SM has");
  has(message_with("\"launch_us\": 1.5", "\"launch_us\": nan"), "not valid JSON");
}

TEST_CASE("a lone slash outside a string is an error of the JSON, not a comment without an end") {
  for (const char* text : {"/", "/x", "{/x}", "{\"id\": 1/2}", "/ /", "/*", "//"}) {
    const Expected<GpuDescription> g = parse_gpu_description(text, "mine.json");
    REQUIRE_FALSE(g.ok());
    CHECK_FALSE(render(g.errors()).empty());
  }
}

TEST_CASE("no text crashes the reader of descriptions") {
  for (const char* text : {"", "{", "[]", "null", "/*", "//", "{} /", "{\"sm\": []}", "\"\\", "{\"id\": 3}", "{\"id\": \"\"}"})
    CHECK_MESSAGE(!parse_gpu_description(text, "t").ok(), text);
  std::string whole = h200_text();
  for (size_t n = 0; n < whole.size(); n += 7) {
    size_t last = whole.rfind('}');
    if (n <= last) CHECK(!parse_gpu_description(whole.substr(0, n), "t").ok());
  }
}
