#include "gpu/launch.h"

#include <fmt/format.h>

#include <map>

#include "core/tensor.h"

namespace tilescope::gpu {
namespace {

constexpr int64_t kMostInYAndZ = 65535;

bool needs_linear_grid(std::array<int64_t, 3> grid) { return grid[1] > kMostInYAndZ || grid[2] > kMostInYAndZ; }

/// The tensors of a launch in device memory; two parameters may share one.
class DeviceTensors {
 public:
  DeviceTensors(Device& device, const std::vector<Argument>& args) : device_(device) {
    for (const Argument& a : args)
      if (a.tensor != nullptr) memory_.emplace(a.tensor, DeviceMemory());
  }

  std::optional<Diagnostic> upload() {
    for (auto& [tensor, memory] : memory_) {
      if (memory.address() == 0) {
        auto allocated = device_.allocate(tensor->storage.size());
        if (!allocated) return allocated.errors().front();
        memory = std::move(*allocated);
      }
      if (auto problem = device_.to_device(memory, tensor->storage.data(), tensor->storage.size())) return problem;
    }
    return std::nullopt;
  }
  std::optional<Diagnostic> download() {
    for (auto& [tensor, memory] : memory_)
      if (auto problem = device_.to_host(tensor->storage.data(), memory, tensor->storage.size())) return problem;
    return std::nullopt;
  }
  /// Address of logical index 0.
  uint64_t origin(Tensor* t) const {
    return memory_.at(t).address() + static_cast<uint64_t>(t->origin) * static_cast<uint64_t>(dtype_bytes(t->dtype));
  }

 private:
  Device& device_;
  std::map<Tensor*, DeviceMemory> memory_;
};

}  // namespace

Expected<GpuKernel> compile_for_gpu(const Function& f, std::array<int64_t, 3> grid, const std::string& architecture,
                                    int64_t shared_limit) {
  EmitOptions options;
  options.linear_grid = needs_linear_grid(grid);
  options.shared_limit = shared_limit;
  options.wgmma = has_wgmma(architecture);
  auto emitted = emit_cuda(f, options);
  if (!emitted) return emitted.errors();
  auto cubin = compile_cubin(*emitted, architecture);
  if (!cubin) return cubin.errors();
  return GpuKernel{std::move(*emitted), std::move(*cubin)};
}

Expected<GpuRun> run_on_gpu(Device& device, const GpuKernel& kernel, const Function& f,
                            const std::vector<Argument>& args, std::array<int64_t, 3> grid, int times) {
  DeviceTensors tensors(device, args);
  if (auto problem = tensors.upload()) return *problem;
  std::vector<uint64_t> values;
  values.reserve(args.size() + 4);  // their addresses are taken
  std::vector<void*> pointers;
  const auto pass = [&](uint64_t bits) {
    values.push_back(bits);
    pointers.push_back(&values.back());
  };
  for (size_t i = 0; i < f.params.size(); ++i)
    pass(args[i].tensor != nullptr ? tensors.origin(args[i].tensor) : args[i].bits);
  std::array<int64_t, 3> blocks = grid;
  if (kernel.emitted.linear_grid) {
    for (int64_t g : grid) pass(static_cast<uint64_t>(g));
    blocks = {grid[0] * grid[1] * grid[2], 1, 1};
  }
  DeviceMemory record;
  if (kernel.emitted.has_asserts) {
    auto allocated = device.allocate(sizeof(AssertRecord));
    if (!allocated) return allocated.errors();
    record = std::move(*allocated);
    if (auto problem = device.fill(record, 0, sizeof(AssertRecord))) return *problem;
    pass(record.address());
  }
  auto loaded =
      device.load(kernel.cubin.code, kernel.emitted.symbol, kernel.emitted.threads, kernel.emitted.shared_bytes);
  if (!loaded) return loaded.errors();
  GpuRun out;
  std::optional<Diagnostic> problem;
  if (times > 0) {
    auto warm = device.time(*loaded, blocks, pointers, 1);
    auto ms = warm ? device.time(*loaded, blocks, pointers, times) : warm;
    if (!ms)
      out.fault = ms.errors().front().message;
    else
      out.time_ms = *ms;
    if (!out.fault.empty()) return out;
    if (!problem) problem = tensors.upload();
    if (!problem && kernel.emitted.has_asserts) problem = device.fill(record, 0, sizeof(AssertRecord));
  }
  if (!problem) problem = device.launch(*loaded, blocks, pointers);
  if (!problem)
    if (auto fault = device.wait(kernel.emitted.symbol)) {
      out.fault = fault->message;
      return out;
    }
  if (!problem) problem = tensors.download();
  AssertRecord failed;
  if (!problem && kernel.emitted.has_asserts) problem = device.to_host(&failed, record, sizeof failed);
  if (problem) return *problem;
  if (failed.number != 0)
    out.failed_assert = fmt::format("device_assert \"{}\" does not hold in program ({}, {}, {})",
                                    kernel.emitted.asserts.at(failed.number - 1), failed.program[0], failed.program[1],
                                    failed.program[2]);
  device.unload(*loaded);
  return out;
}

}  // namespace tilescope::gpu
