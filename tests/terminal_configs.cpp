// Kernels with @triton.autotune and @triton.heuristics in the commands.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/terminal_calls.h"

using namespace tilescope::terminal_calls;
using nlohmann::json;

namespace {

const std::string kFolder = std::string(TILESCOPE_SOURCE_DIR) + "/tests/data/autotuned/";

TEST_CASE("run and check take the first config and say which of how many") {
  const Result r = tilescope_command({"check", kFolder + "launch.json"});
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "config 1 of 4: BLOCK_M = 16, BLOCK_N = 16, BLOCK_K = 16, 2 warps, 2 stages"));
  CHECK(mentions(r.out, "--config N chooses another"));
  CHECK(mentions(r.out, "grid 3 x 4"));
}

TEST_CASE("--config chooses one, the grid follows, and --arg wins over it") {
  Result r = tilescope_command({"check", kFolder + "launch.json", "--config", "4"});
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "config 4 of 4: BLOCK_M = 32, BLOCK_N = 32, BLOCK_K = 16, 4 warps, 2 stages"));
  CHECK(mentions(r.out, "grid 2 x 2"));
  r = tilescope_command({"check", kFolder + "launch.json", "--config", "4", "--arg", "BLOCK_N=16", "--arg", "EVEN_K=false"});
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "(the launch says BLOCK_N = 16)"));
  CHECK(mentions(r.out, "grid 2 x 4"));
  r = tilescope_command({"run", kFolder + "launch.json", "--config", "5"});
  CHECK(r.status == 2);
  CHECK(mentions(r.err, "there is no config 5: @autotune has 4"));
}

TEST_CASE("the heuristic depends on the launch: a K that the tile divides needs no mask") {
  const Result odd = tilescope_command({"ir", kFolder + "launch.json"});
  const Result even = tilescope_command({"ir", kFolder + "launch.json", "--arg", "K=48"});
  CHECK(odd.status == 0);
  CHECK(even.status == 0);
  CHECK(odd.out.size() > even.out.size());
}

TEST_CASE("--configs lists them without arguments, and as JSON") {
  Result r = tilescope_command({"run", kFolder + "kernel.py", "--configs"});
  CHECK(r.status == 0);
  CHECK(mentions(r.out, "config 2 of 4: BLOCK_M = 16, BLOCK_N = 32, BLOCK_K = 16, 2 warps, 2 stages"));
  r = tilescope_command({"run", kFolder + "kernel.py", "--configs", "--json"});
  const json all = json::parse(r.out);
  REQUIRE(all["configs"].size() == 4);
  CHECK(all["configs"][2]["values"]["BLOCK_M"] == 32);
  CHECK(all["configs"][2]["num_warps"] == 4);
}

TEST_CASE("cost --configs ranks them by the estimate, the fastest first") {
  const Result r = tilescope_command({"cost", kFolder + "launch.json", "--configs", "--gpu", "h200", "--json"});
  REQUIRE(r.status == 0);
  const json all = json::parse(r.out);
  REQUIRE(all["configs"].size() == 4);
  double before = 0;
  for (const json& c : all["configs"]) {
    CHECK(c["time_ms"].get<double>() >= before);
    before = c["time_ms"].get<double>();
    CHECK(c["dram_bytes"].get<double>() > 0);
  }
  const Result text = tilescope_command({"cost", kFolder + "launch.json", "--configs", "--gpu", "h200"});
  CHECK(mentions(text.out, "4 configs"));
  CHECK(mentions(text.out, "limited by"));
}

}  // namespace
