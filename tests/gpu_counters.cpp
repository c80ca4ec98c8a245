// What ncu prints becomes counters; what goes wrong becomes one line.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "gpu/counters.h"

namespace tilescope::gpu {
namespace {

namespace fs = std::filesystem;

const std::string kPrinted =
    "==PROF== Connected to process 7\n"
    "\"ID\",\"Kernel Name\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\","
    "\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\",\"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum\","
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum\","
    "\"launch__registers_per_thread\",\"lts__t_sector_hit_rate.pct\"\n"
    "\"\",\"\",\"byte\",\"byte\",\"\",\"\",\"sector\",\"sector\",\"register/thread\",\"%\"\n"
    "\"0\",\"add_kernel\",\"11,264\",\"0\",\"64\",\"32\",\"1,500\",\"250\",\"22\",\"153.04\"\n";

/// A program that stands for ncu: it prints what it is told to, and its arguments to a file.
class FakeNcu {
 public:
  explicit FakeNcu(const std::string& printed) : folder_(fs::temp_directory_path() / "tilescope_fake_ncu") {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "printed") << printed;
    std::ofstream(path()) << "#!/bin/sh\n[ \"$1\" = --version ] && echo 'Version 2025.3.1.0 (build 1)' && exit\n"
                          << "for a in \"$@\"; do echo \"$a\"; done > '" << (folder_ / "arguments").string() << "'\n"
                          << "cat '" << (folder_ / "printed").string() << "'\n";
    fs::permissions(path(), fs::perms::owner_all);
  }
  ~FakeNcu() { fs::remove_all(folder_); }
  std::string path() const { return (folder_ / "ncu").string(); }
  std::string arguments() const {
    std::ifstream in(folder_ / "arguments");
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path folder_;
};

TEST_CASE("counters are read by their names, with thousands separated or not") {
  const auto c = read_counters(kPrinted);
  REQUIRE_MESSAGE(c.ok(), (c.ok() ? "" : render(c.errors())));
  CHECK(c->load_requests == 64);
  CHECK(c->load_sectors == 1500);
  CHECK(c->store_requests == 32);
  CHECK(c->store_sectors == 250);
  CHECK(c->dram_bytes_read == 11264);
  CHECK(c->dram_bytes_written == 0);
  CHECK(c->l2_hit_rate == 153.04);
  CHECK(c->registers == 22);
}

TEST_CASE("without a launch, or with a counter missing, there is a message and no counters") {
  CHECK(!read_counters("").ok());
  CHECK(!read_counters("==WARNING== No kernels were profiled.\n").ok());
  const auto c = read_counters("\"ID\",\"Kernel Name\"\n\"\",\"\"\n\"0\",\"k\"\n");
  REQUIRE(!c.ok());
  CHECK(c.errors().front().message.find("did not count") != std::string::npos);
}

TEST_CASE("the command's words reach ncu unchanged") {
  const FakeNcu ncu(kPrinted);
  const auto c = count_on_hardware(ncu.path(), {"tilescope", "run", "it's a file.json"}, "add_kernel");
  REQUIRE_MESSAGE(c.ok(), (c.ok() ? "" : render(c.errors())));
  CHECK(c->ncu == "2025.3.1.0");
  CHECK(ncu.arguments().find("--kernel-name\nadd_kernel\n") != std::string::npos);
  CHECK(ncu.arguments().ends_with("tilescope\nrun\nit's a file.json\n"));
}

TEST_CASE("ncu that may not read the counters is quoted") {
  const FakeNcu ncu("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\nmore\n");
  const auto c = count_on_hardware(ncu.path(), {"x"}, "k");
  REQUIRE(!c.ok());
  CHECK(c.errors().front().message == "ncu: ERR_NVGPUCTRPERM - The user does not have permission");
}

}  // namespace
}  // namespace tilescope::gpu
