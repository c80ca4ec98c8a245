#include "gpu/nvrtc.h"

#include <cstdlib>
#include <vector>

#include "gpu/library.h"

namespace tilescope::gpu {
namespace {

// The few declarations of nvrtc.h that are needed; its ABI has not changed since CUDA 8.
using Program = struct ProgramTag*;
struct Nvrtc {
  Library library;
  int (*version)(int*, int*) = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*log_size)(Program, size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*cubin_size)(Program, size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  const char* (*error_string)(int) = nullptr;
  bool complete = false;

  Nvrtc() : library(names()) {
    complete = library.is_open() && library.find("nvrtcVersion", version) &&
               library.find("nvrtcCreateProgram", create) && library.find("nvrtcDestroyProgram", destroy) &&
               library.find("nvrtcCompileProgram", compile) && library.find("nvrtcGetProgramLogSize", log_size) &&
               library.find("nvrtcGetProgramLog", log) && library.find("nvrtcGetCUBINSize", cubin_size) &&
               library.find("nvrtcGetCUBIN", cubin) && library.find("nvrtcGetErrorString", error_string);
  }

  static std::vector<std::string> names() {
    std::vector<std::string> out = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* folder = std::getenv(variable)) {
        out.push_back(std::string(folder) + "/lib64/libnvrtc.so");
        out.push_back(std::string(folder) + "/lib/libnvrtc.so");
      }
    for (const char* folder : {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/", "/usr/lib/x86_64-linux-gnu/"})
      out.push_back(std::string(folder) + "libnvrtc.so");
    return out;
  }
};

Nvrtc& nvrtc() {
  static Nvrtc n;
  return n;
}

/// The number before `words` in the compiler's report, summed over its lines.
int64_t number_before(const std::string& log, const std::string& words) {
  int64_t sum = 0;
  for (size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) {
    size_t begin = at;
    while (begin > 0 && log[begin - 1] == ' ') --begin;
    size_t end = begin;
    while (begin > 0 && log[begin - 1] >= '0' && log[begin - 1] <= '9') --begin;
    if (begin < end) sum += std::atoll(log.substr(begin, end - begin).c_str());
  }
  return sum;
}

std::string log_of(Program p) {
  size_t size = 0;
  if (nvrtc().log_size(p, &size) != 0 || size <= 1) return {};
  std::string log(size, '\0');
  nvrtc().log(p, log.data());
  log.resize(size - 1);
  return log;
}

}  // namespace

std::optional<Diagnostic> find_nvrtc() {
  Nvrtc& n = nvrtc();
  if (n.complete) return std::nullopt;
  return plain_error("the CUDA compiler library libnvrtc cannot be used: " + n.library.problem(),
                     "install the CUDA toolkit (12 or 13), or set CUDA_HOME to its folder");
}

std::string nvrtc_version() {
  int major = 0, minor = 0;
  if (!nvrtc().complete || nvrtc().version(&major, &minor) != 0) return {};
  return std::to_string(major) + "." + std::to_string(minor);
}

Expected<Cubin> compile_cubin(const EmittedKernel& kernel, const std::string& architecture) {
  if (auto problem = find_nvrtc()) return *problem;
  Nvrtc& n = nvrtc();
  std::vector<const char*> names, texts;
  for (const auto& [name, text] : device_headers()) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  Program p = nullptr;
  if (const int error = n.create(&p, kernel.text.c_str(), (kernel.symbol + ".cu").c_str(),
                                 static_cast<int>(names.size()), texts.data(), names.data()))
    return plain_error(std::string("NVRTC: ") + n.error_string(error));
  const std::string arch = "--gpu-architecture=" + architecture;
  // The arithmetic of core/device_math.h, as it is written: no contraction, IEEE division and roots, subnormals kept.
  std::vector<const char*> options = {arch.c_str(),       "--std=c++20", "--fmad=false",       "--prec-div=true",
                                      "--prec-sqrt=true", "--ftz=false", "--ptxas-options=-v", "--disable-warnings"};
  int major = 0, minor = 0;
  n.version(&major, &minor);
  if (major > 12) options.push_back("--no-cache");  // what comes from NVRTC's cache has no report of registers
  const int error = n.compile(p, static_cast<int>(options.size()), options.data());
  Cubin out;
  out.log = log_of(p);
  size_t size = 0;
  if (error != 0) {
    n.destroy(&p);
    return plain_error("the CUDA compiler refused the emitted text for " + architecture + " (" + n.error_string(error) +
                       "):\n" + out.log);
  }
  if (n.cubin_size(p, &size) != 0 || size == 0) {
    n.destroy(&p);
    return plain_error("the CUDA compiler made no machine code for " + architecture);
  }
  out.code.resize(size);
  n.cubin(p, out.code.data());
  n.destroy(&p);
  out.registers = static_cast<int>(number_before(out.log, "registers"));
  out.spill_bytes = number_before(out.log, "bytes spill stores") + number_before(out.log, "bytes spill loads");
  out.stack_bytes = number_before(out.log, "bytes stack frame");
  return out;
}

}  // namespace tilescope::gpu
