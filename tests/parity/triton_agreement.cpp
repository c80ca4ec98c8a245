// The kernel files under real Triton, where Python has it: outside the product, and optional.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/parity/suite.h"

namespace tilescope::parity {
namespace {

namespace fs = std::filesystem;

void write_bytes(const fs::path& path, const Tensor& t) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(t.storage.data()), static_cast<std::streamsize>(t.storage.size()));
}

}  // namespace

void dump_case(const Case& c, const std::vector<Tensor>& after, bool by_order, const std::string& folder) {
  const fs::path to = fs::path(folder) / fmt::format("{} {}", c.group, c.name);
  fs::create_directories(to);
  nlohmann::ordered_json json = {{"name", c.name},
                                 {"launch", c.launch_file},
                                 {"grid", c.grid},
                                 {"num_warps", c.function.num_warps},
                                 {"num_stages", c.function.num_stages},
                                 {"by_order", by_order},
                                 {"tensors", nlohmann::ordered_json::array()}};
  for (size_t i = 0; i < after.size(); ++i) {
    const Tensor& t = after[i];
    json["tensors"].push_back({{"name", t.name},
                               {"dtype", dtype_name(t.dtype)},
                               {"shape", t.layout.shape},
                               {"strides", t.layout.strides},
                               {"origin", t.origin},
                               {"before", fmt::format("{}.before", i)},
                               {"after", fmt::format("{}.after", i)}});
    write_bytes(to / fmt::format("{}.before", i), c.tensors[i]);
    write_bytes(to / fmt::format("{}.after", i), t);
  }
  std::ofstream(to / "case.json") << json.dump(1) << "\n";
}

void run_triton_agreement(const Options& o) {
  std::fflush(stdout);
  if (std::system("python3 -c 'import torch, triton' 2>/dev/null") != 0) {
    std::printf("real Triton: not compared, python3 has no torch and triton here\n");
    return;
  }
  const std::string script = o.root + "/tests/parity/triton_agreement.py";
  if (std::system(fmt::format("python3 '{}' '{}'", script, o.dump).c_str()) != 0)
    std::printf("real Triton: %s did not come to its end\n", script.c_str());
}

}  // namespace tilescope::parity
