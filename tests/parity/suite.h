// The parity suite: the same kernels on the simulator and on a GPU, equal to the last bit. See gpu/README.md.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/ir.h"
#include "core/tensor.h"
#include "gpu/launch.h"
#include "sim/run.h"

namespace tilescope::parity {

/// One kernel with what it is launched on.
struct Case {
  std::string rung;  ///< "L0" .. "L5"
  std::string group, name;
  Function function;
  std::array<int64_t, 3> grid{1, 1, 1};
  std::vector<Tensor> tensors;
  struct Arg {
    int tensor = -1;  ///< of `tensors`, or
    uint64_t bits = 0;
  };
  std::vector<Arg> args;
  std::string launch_file;  ///< that it was made of; empty: none
};

/// What became of a group of cases.
struct Tally {
  std::string rung;
  int64_t cases = 0, results = 0, differing = 0, differing_cases = 0;
  int64_t refused = 0;  ///< no GPU form, said by name
  int64_t order = 0;    ///< depend on the order of programs: compared, not counted as differing
  double sim_s = 0, gpu_s = 0;
  std::vector<std::string> examples;
};
using Report = std::map<std::string, Tally>;  ///< by group

struct Options {
  std::string root = ".";    ///< of the source tree
  std::string architecture;  ///< compile only, for this GPU; empty: run
  std::string only;          ///< groups whose name contains this
  int64_t random_kernels = 200;
  int threads = 0;
  std::string dump;  ///< folder for the tensors of cases that are launch files, before and after; empty: none
};

/// Adds the cases of one group each.
void add_conformance(std::vector<Case>& cases, const Options& o);
void add_descriptors(std::vector<Case>& cases, const Options& o);
void add_lessons(std::vector<Case>& cases, const Options& o);
void add_random(std::vector<Case>& cases, const Options& o);
/// The grouped matmul of the lessons at sizes whose loads run ahead of the loop.
void add_loops(std::vector<Case>& cases, const Options& o);
void add_collectives(std::vector<Case>& cases);
void add_dots(std::vector<Case>& cases);
void add_conversions(std::vector<Case>& cases);

/// Compiles all cases (in parallel), runs them on both sides, adds to the report.
void run_cases(std::vector<Case>& cases, gpu::Device* device, const Options& o, Report& report);
/// Every unary function over all 2^32 float32 inputs, by a commutative hash of both sides.
void run_unary(gpu::Device& device, const Options& o, Report& report);

/// Keeps a case's tensors before and after its run on the simulator, for real Triton to compare with. `by_order`: the
/// result depends on the order of programs.
void dump_case(const Case& c, const std::vector<Tensor>& after, bool by_order, const std::string& folder);
/// Runs the dumped cases' kernel files under real Triton and prints how many results agree; one line where there is
/// none.
void run_triton_agreement(const Options& o);

/// Times of the lesson kernels at the sizes of the speed table, as a table.
void run_speed(gpu::Device& device, const Options& o);

}  // namespace tilescope::parity
