// gpu_parity: the parity suite, one command. On a machine with a GPU it runs everything and prints the rung table;
// `--compile sm_90a` compiles every kernel instead and needs NVRTC only.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tests/parity/suite.h"

using namespace tilescope;
using namespace tilescope::parity;

namespace {

bool wanted(const Options& o, const char* group) {
  return o.only.empty() || std::strstr(o.only.c_str(), group) != nullptr;
}

void print(const Report& report) {
  std::printf("%-5s %-44s %7s %14s %10s %9s %8s\n", "rung", "what", "kernels", "results", "differing", "refused",
              "by order");
  for (const char* rung : {"L0", "L1", "L2", "L3", "L4", "L5"})
    for (const auto& [group, t] : report)
      if (t.rung == rung)
        std::printf("%-5s %-44s %7lld %14lld %10lld %9lld %8lld   sim %.1f s, GPU %.1f s\n", rung, group.c_str(),
                    static_cast<long long>(t.cases), static_cast<long long>(t.results),
                    static_cast<long long>(t.differing), static_cast<long long>(t.refused),
                    static_cast<long long>(t.order), t.sim_s, t.gpu_s);
  for (const auto& [group, t] : report)
    for (const std::string& e : t.examples) std::printf("  %s: %s\n", group.c_str(), e.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (a == "--root")
      o.root = value, ++i;
    else if (a == "--compile")
      o.architecture = value, ++i;
    else if (a == "--only")
      o.only = value, ++i;
    else if (a == "--random")
      o.random_kernels = std::atoll(value), ++i;
    else if (a == "--threads")
      o.threads = std::atoi(value), ++i;
    else
      return std::fprintf(
                 stderr,
                 "usage: gpu_parity [--root SOURCE] [--compile sm_90a] [--only GROUPS] [--random N] [--threads N]\n"),
             2;
  }
  std::optional<gpu::Device> device;
  if (o.architecture.empty()) {
    auto opened = gpu::Device::open();
    if (!opened) return std::fprintf(stderr, "%s", render(opened.errors()).c_str()), 4;
    device.emplace(std::move(*opened));
    std::printf("%s, compute capability %d.%d, CUDA driver %d.%d, NVRTC %s\n", device->info().name.c_str(),
                device->info().major, device->info().minor, device->info().driver / 1000,
                device->info().driver % 1000 / 10, gpu::nvrtc_version().c_str());
    if (device->info().major != 9)
      std::printf("parity unverified: the tensor-core model is measured on compute capability 9.0 only\n");
  }
  if (o.only == "speed") {
    if (device) run_speed(*device, o);
    return 0;
  }
  std::vector<Case> cases;
  if (wanted(o, "conformance")) add_conformance(cases, o);
  if (wanted(o, "descriptors")) add_descriptors(cases, o);
  if (wanted(o, "lessons")) add_lessons(cases, o);
  if (wanted(o, "random")) add_random(cases, o);
  if (wanted(o, "loops")) add_loops(cases, o);
  if (wanted(o, "collectives")) add_collectives(cases);
  if (wanted(o, "dots")) add_dots(cases);
  if (wanted(o, "conversions")) add_conversions(cases);
  Report report;
  const std::filesystem::path dump =
      std::filesystem::temp_directory_path() / fmt::format("tilescope_parity_{}", getpid());
  if (device && (wanted(o, "conformance") || wanted(o, "descriptors") || wanted(o, "lessons"))) o.dump = dump.string();
  run_cases(cases, device ? &*device : nullptr, o, report);
  if (device && wanted(o, "unary")) run_unary(*device, o, report);
  print(report);
  if (!o.dump.empty()) run_triton_agreement(o);
  std::filesystem::remove_all(dump);
  int64_t bad = 0;
  for (const auto& [group, t] : report) bad += t.differing + t.differing_cases;
  std::printf("%s\n", bad == 0 ? "no result differs" : "SOME RESULTS DIFFER");
  return bad == 0 ? 0 : 1;
}
