// NVIDIA's driver, opened at run time: which GPUs there are, memory, launches. Without libcuda or a GPU every entry
// says so.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope::gpu {

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  int64_t shared_limit = 0;  ///< bytes one block may use
  int64_t memory = 0;        ///< bytes
  int driver = 0;            ///< version of CUDA that the driver knows: 13000
  /// "sm_90a", as compile_cubin() takes it.
  std::string architecture() const;
};

/// The GPUs of this machine. Errors: no driver, an old one, no GPU: one line each.
Expected<std::vector<DeviceInfo>> list_devices();

/// Plain device memory (never managed), freed with the object.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept : address_(other.address_) { other.address_ = 0; }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(address_, other.address_);
    return *this;
  }
  ~DeviceMemory();
  uint64_t address() const { return address_; }

 private:
  friend class Device;
  explicit DeviceMemory(uint64_t address) : address_(address) {}
  uint64_t address_ = 0;
};

/// A loaded kernel.
struct DeviceKernel {
  void* module = nullptr;
  void* function = nullptr;
  std::string name;
  int threads = 128;
  int64_t shared_bytes = 0;
};

/// One GPU with its primary context, current on the thread that opened it. An error after a fault of a kernel stays:
/// the context is lost, and so is this object.
class Device {
 public:
  static Expected<Device> open(int index = 0);

  const DeviceInfo& info() const { return info_; }
  Expected<DeviceMemory> allocate(size_t bytes);
  std::optional<Diagnostic> to_device(const DeviceMemory& to, const void* from, size_t bytes);
  /// The same, beginning at a byte of the memory.
  std::optional<Diagnostic> to_device_at(const DeviceMemory& to, uint64_t offset, const void* from, size_t bytes);
  std::optional<Diagnostic> to_host(void* to, const DeviceMemory& from, size_t bytes);
  std::optional<Diagnostic> copy(const DeviceMemory& to, const DeviceMemory& from, size_t bytes);
  std::optional<Diagnostic> fill(const DeviceMemory& to, uint8_t byte, size_t bytes);
  /// Errors: shared memory beyond the GPU's, code for another GPU.
  Expected<DeviceKernel> load(const std::string& cubin, const std::string& symbol, int threads, int64_t shared_bytes);
  void unload(DeviceKernel& kernel);
  /// Starts the kernel. `arguments`: where each parameter lies.
  std::optional<Diagnostic> launch(const DeviceKernel& kernel, std::array<int64_t, 3> grid,
                                   std::vector<void*>& arguments);
  /// Waits; the error names the kernel that faulted.
  std::optional<Diagnostic> wait(const std::string& kernel);
  /// Milliseconds of `times` launches, one after the other.
  Expected<double> time(const DeviceKernel& kernel, std::array<int64_t, 3> grid, std::vector<void*>& arguments,
                        int times);

 private:
  DeviceInfo info_;
};

}  // namespace tilescope::gpu
