// Memory as it is when one program of a launch starts.
#include "sim/record.h"

namespace tilescope {
namespace {

// A program may read what an earlier one wrote, so they run one after the other.
bool run_programs_before(const Launch& launch, std::vector<Tensor>& tensors, int64_t program,
                         const std::function<bool(int64_t, int64_t)>& progress) {
  std::vector<Argument> arguments = launch.arguments;
  for (Argument& a : arguments)
    if (a.tensor != nullptr) a.tensor = &tensors[static_cast<size_t>(a.tensor - launch.tensors.data())];
  RunOptions options;
  options.record = RecordLevel::None;
  options.threads = 1;
  options.first_programs = program;
  bool stopped = false;
  options.progress = [&](int64_t done, int64_t total) {
    stopped = stopped || (progress && !progress(done, total));
    return !stopped;
  };
  run(launch.kernel.function, arguments, launch.grid, options);
  return !stopped;
}

}  // namespace

std::shared_ptr<const std::vector<Tensor>> tensors_before(const Launch& launch, ProgramIndex program, const std::vector<Tensor>* final_tensors,
                                                          const RunTrace* totals, const std::function<bool(int64_t done, int64_t total)>& progress) {
  (void)final_tensors;
  (void)totals;
  const int64_t number = program[0] + launch.grid[0] * (program[1] + launch.grid[1] * program[2]);
  auto tensors = std::make_shared<std::vector<Tensor>>(launch.tensors);
  if (number > 0 && !run_programs_before(launch, *tensors, number, progress)) return nullptr;
  return tensors;
}

}  // namespace tilescope
