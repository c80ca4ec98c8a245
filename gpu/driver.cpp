#include "gpu/driver.h"

#include <fmt/format.h>

#include "gpu/library.h"

namespace tilescope::gpu {
namespace {

// The few declarations of cuda.h that are needed. Functions that the header renames by macro carry the suffix here.
using Handle = void*;
struct Driver {
  Library library;
  int (*init)(unsigned) = nullptr;
  int (*version)(int*) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_memory)(size_t*, int) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*retain)(Handle*, int) = nullptr;
  int (*set_current)(Handle) = nullptr;
  int (*allocate)(uint64_t*, size_t) = nullptr;
  int (*release)(uint64_t) = nullptr;
  int (*to_device)(uint64_t, const void*, size_t) = nullptr;
  int (*to_host)(void*, uint64_t, size_t) = nullptr;
  int (*copy)(uint64_t, uint64_t, size_t) = nullptr;
  int (*fill)(uint64_t, unsigned char, size_t) = nullptr;
  int (*module_load)(Handle*, const void*) = nullptr;
  int (*module_unload)(Handle) = nullptr;
  int (*module_function)(Handle*, Handle, const char*) = nullptr;
  int (*set_attribute)(Handle, int, int) = nullptr;
  int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
                void**) = nullptr;
  int (*synchronize)() = nullptr;
  int (*event_create)(Handle*, unsigned) = nullptr;
  int (*event_record)(Handle, Handle) = nullptr;
  int (*event_synchronize)(Handle) = nullptr;
  int (*event_elapsed)(float*, Handle, Handle) = nullptr;
  int (*event_destroy)(Handle) = nullptr;
  int (*error_text)(int, const char**) = nullptr;
  bool complete = false;

  Driver()
      : library(
            {"libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}) {
    Library& l = library;
    complete = l.is_open() && l.find("cuInit", init) && l.find("cuDriverGetVersion", version) &&
               l.find("cuDeviceGetCount", device_count) && l.find("cuDeviceGet", device_get) &&
               l.find("cuDeviceGetName", device_name) && l.find("cuDeviceTotalMem_v2", device_memory) &&
               l.find("cuDeviceGetAttribute", device_attribute) && l.find("cuDevicePrimaryCtxRetain", retain) &&
               l.find("cuCtxSetCurrent", set_current) && l.find("cuMemAlloc_v2", allocate) &&
               l.find("cuMemFree_v2", release) && l.find("cuMemcpyHtoD_v2", to_device) &&
               l.find("cuMemcpyDtoH_v2", to_host) && l.find("cuMemcpyDtoD_v2", copy) && l.find("cuMemsetD8_v2", fill) &&
               l.find("cuModuleLoadData", module_load) && l.find("cuModuleUnload", module_unload) &&
               l.find("cuModuleGetFunction", module_function) && l.find("cuFuncSetAttribute", set_attribute) &&
               l.find("cuLaunchKernel", launch) && l.find("cuCtxSynchronize", synchronize) &&
               l.find("cuEventCreate", event_create) && l.find("cuEventRecord", event_record) &&
               l.find("cuEventSynchronize", event_synchronize) && l.find("cuEventElapsedTime", event_elapsed) &&
               l.find("cuEventDestroy_v2", event_destroy) && l.find("cuGetErrorString", error_text);
  }
};

Driver& driver() {
  static Driver d;
  return d;
}

constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76, kSharedOptIn = 97;  // CU_DEVICE_ATTRIBUTE_*
constexpr int kMaxDynamicShared = 8;                                               // CU_FUNC_ATTRIBUTE_*
constexpr int kOldestMajor = 8;                                                    // mma.sync and cp.async as emitted
constexpr int kOldestDriver = 12000;

std::string words(int error) {
  const char* text = nullptr;
  if (driver().error_text == nullptr || driver().error_text(error, &text) != 0 || text == nullptr)
    return fmt::format("error {}", error);
  return text;
}

std::optional<Diagnostic> failed(int error, const std::string& what) {
  if (error == 0) return std::nullopt;
  return plain_error(fmt::format("the GPU could not {}: {}", what, words(error)));
}

/// Opens the driver once.
std::optional<Diagnostic> start() {
  Driver& d = driver();
  if (!d.library.is_open())
    return plain_error("there is no GPU to run on: the NVIDIA driver (libcuda.so.1) is not installed",
                       "the simulator needs none: leave out --backend gpu");
  if (!d.complete)
    return plain_error("the NVIDIA driver cannot be used: " + d.library.problem(), "install a newer driver");
  static const int error = d.init(0);
  if (error != 0)
    return plain_error("there is no GPU to run on: the NVIDIA driver does not start: " + words(error),
                       "the simulator needs none: leave out --backend gpu");
  return std::nullopt;
}

DeviceInfo describe(int device) {
  Driver& d = driver();
  DeviceInfo info;
  char name[256] = {};
  d.device_name(name, sizeof name - 1, device);
  info.name = name;
  size_t bytes = 0;
  d.device_memory(&bytes, device);
  info.memory = static_cast<int64_t>(bytes);
  int shared = 0;
  d.device_attribute(&info.major, kMajor, device);
  d.device_attribute(&info.minor, kMinor, device);
  d.device_attribute(&info.multiprocessors, kMultiprocessors, device);
  d.device_attribute(&shared, kSharedOptIn, device);
  info.shared_limit = shared;
  d.version(&info.driver);
  return info;
}

}  // namespace

std::string DeviceInfo::architecture() const { return fmt::format("sm_{}{}{}", major, minor, major >= 9 ? "a" : ""); }

Expected<std::vector<DeviceInfo>> list_devices() {
  if (auto problem = start()) return *problem;
  int count = 0;
  if (const int error = driver().device_count(&count); error != 0)
    return plain_error("there is no GPU to run on: the NVIDIA driver says: " + words(error));
  std::vector<DeviceInfo> out;
  for (int i = 0; i < count; ++i) {
    int device = 0;
    if (driver().device_get(&device, i) == 0) out.push_back(describe(device));
  }
  if (out.empty())
    return plain_error("there is no GPU to run on: the NVIDIA driver finds none",
                       "the simulator needs none: leave out --backend gpu");
  return out;
}

DeviceMemory::~DeviceMemory() {
  if (address_ != 0) driver().release(address_);
}

Expected<Device> Device::open(int index) {
  auto devices = list_devices();
  if (!devices) return devices.errors();
  if (index < 0 || index >= static_cast<int>(devices->size()))
    return plain_error(fmt::format("there is no GPU {}: this machine has {}", index, devices->size()));
  Device out;
  out.info_ = (*devices)[static_cast<size_t>(index)];
  if (out.info_.major < kOldestMajor)
    return plain_error(fmt::format("{} (compute capability {}.{}) is too old: 8.0 or newer is needed", out.info_.name,
                                   out.info_.major, out.info_.minor));
  if (out.info_.driver < kOldestDriver)
    return plain_error(fmt::format("the NVIDIA driver knows CUDA {}.{} only: 12.0 or newer is needed",
                                   out.info_.driver / 1000, out.info_.driver % 1000 / 10));
  int device = 0;
  Handle context = nullptr;
  if (auto problem = failed(driver().device_get(&device, index), "be opened")) return *problem;
  if (auto problem = failed(driver().retain(&context, device), "be opened")) return *problem;
  if (auto problem = failed(driver().set_current(context), "be opened")) return *problem;
  return out;
}

Expected<DeviceMemory> Device::allocate(size_t bytes) {
  uint64_t address = 0;
  if (auto problem =
          failed(driver().allocate(&address, bytes == 0 ? 1 : bytes), fmt::format("give {} bytes of memory", bytes)))
    return *problem;
  return DeviceMemory(address);
}
std::optional<Diagnostic> Device::to_device(const DeviceMemory& to, const void* from, size_t bytes) {
  return to_device_at(to, 0, from, bytes);
}
std::optional<Diagnostic> Device::to_device_at(const DeviceMemory& to, uint64_t offset, const void* from,
                                               size_t bytes) {
  return bytes == 0 ? std::nullopt : failed(driver().to_device(to.address() + offset, from, bytes), "take a tensor");
}
std::optional<Diagnostic> Device::to_host(void* to, const DeviceMemory& from, size_t bytes) {
  return bytes == 0 ? std::nullopt : failed(driver().to_host(to, from.address(), bytes), "give a tensor back");
}
std::optional<Diagnostic> Device::copy(const DeviceMemory& to, const DeviceMemory& from, size_t bytes) {
  return bytes == 0 ? std::nullopt : failed(driver().copy(to.address(), from.address(), bytes), "copy a tensor");
}
std::optional<Diagnostic> Device::fill(const DeviceMemory& to, uint8_t byte, size_t bytes) {
  return bytes == 0 ? std::nullopt : failed(driver().fill(to.address(), byte, bytes), "fill a tensor");
}

Expected<DeviceKernel> Device::load(const std::string& cubin, const std::string& symbol, int threads,
                                    int64_t shared_bytes) {
  if (shared_bytes > info_.shared_limit)
    return plain_error(fmt::format("kernel {} needs {} bytes of shared memory for one program, {} has {}", symbol,
                                   shared_bytes, info_.name, info_.shared_limit),
                       "smaller tiles need less");
  DeviceKernel k;
  k.name = symbol;
  k.threads = threads;
  k.shared_bytes = shared_bytes;
  if (auto problem = failed(driver().module_load(&k.module, cubin.data()), "load kernel " + symbol)) return *problem;
  if (auto problem = failed(driver().module_function(&k.function, k.module, symbol.c_str()), "find kernel " + symbol))
    return *problem;
  constexpr int64_t kWithoutOptIn = 48 * 1024;
  if (shared_bytes > kWithoutOptIn)
    if (auto problem = failed(driver().set_attribute(k.function, kMaxDynamicShared, static_cast<int>(shared_bytes)),
                              "give kernel " + symbol + " its shared memory"))
      return *problem;
  return k;
}

void Device::unload(DeviceKernel& kernel) {
  if (kernel.module != nullptr) driver().module_unload(kernel.module);
  kernel.module = nullptr;
}

std::optional<Diagnostic> Device::launch(const DeviceKernel& k, std::array<int64_t, 3> grid,
                                         std::vector<void*>& arguments) {
  return failed(driver().launch(k.function, static_cast<unsigned>(grid[0]), static_cast<unsigned>(grid[1]),
                                static_cast<unsigned>(grid[2]), static_cast<unsigned>(k.threads), 1, 1,
                                static_cast<unsigned>(k.shared_bytes), nullptr, arguments.data(), nullptr),
                "launch kernel " + k.name);
}

std::optional<Diagnostic> Device::wait(const std::string& kernel) {
  return failed(driver().synchronize(), "finish kernel " + kernel);
}

Expected<double> Device::time(const DeviceKernel& kernel, std::array<int64_t, 3> grid, std::vector<void*>& arguments,
                              int times) {
  Handle begin = nullptr, end = nullptr;
  Driver& d = driver();
  if (auto problem = failed(d.event_create(&begin, 0), "measure time")) return *problem;
  if (auto problem = failed(d.event_create(&end, 0), "measure time")) return *problem;
  d.event_record(begin, nullptr);
  for (int i = 0; i < times; ++i)
    if (auto problem = launch(kernel, grid, arguments)) return *problem;
  d.event_record(end, nullptr);
  if (auto problem = failed(d.event_synchronize(end), "finish kernel " + kernel.name)) return *problem;
  float ms = 0;
  d.event_elapsed(&ms, begin, end);
  d.event_destroy(begin);
  d.event_destroy(end);
  return ms / times;
}

}  // namespace tilescope::gpu
