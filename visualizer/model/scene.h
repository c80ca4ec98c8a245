// Everything that the panels draw for one step of one program: plain data, made once when the step changes. Panels only
// read it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <vector>

#include "core/ir.h"
#include "core/tensor.h"
#include "core/trace.h"
#include "visualizer/model/session.h"
#include "visualizer/model/state.h"

namespace tilescope::model {

/// A variable of the kernel at this step.
struct Variable {
  std::string name;
  ValueId value = kNoValue;
  Type type;
  int64_t defined_at = -1;  ///< op-step that gave it its value; -1: not computed yet
  bool now = false;         ///< that step belongs to the current line step
  std::shared_ptr<const StepData> data;  ///< holds `record`; null when not computed yet
  const ValueRecord* record = nullptr;
  /// The access that made it, when it came from a load (its lanes: `lanes`).
  const AccessSummary* access = nullptr;
  const AccessLanes* lanes = nullptr;
  std::shared_ptr<const StepData> origin;  ///< holds `lanes` when the loaded value was converted first
};

/// A load, store or atomic of the current line step.
struct CurrentAccess {
  uint64_t step = 0;
  const Op* op = nullptr;
  const AccessSummary* summary = nullptr;
  std::shared_ptr<const StepData> data;
  const AccessLanes* lanes = nullptr;  ///< inside data
  Type type;                           ///< of the tile that was loaded or stored
  std::string variable;                ///< that the loaded value was given to, or that was stored; may be empty
};

/// A tensor as it is after this step.
struct TensorNow {
  std::string name;
  const Tensor* tensor = nullptr;
  bool loaded = false, stored = false;  ///< by this program, at any step
  /// Of its finite values before and, once the launch has run, after it: a colour scale that stays fixed over all steps.
  double low = 0, high = 0;
};

struct Scene {
  Published run;
  ViewState state;  ///< that it was made for
  bool ready = false;            ///< there is a recording; else only run.errors, run.busy, run.text may be shown
  const Function* function = nullptr;
  const ProgramTrace* trace = nullptr;
  const Timeline* timeline = nullptr;
  ProgramIndex program{};
  uint64_t step = 0;             ///< op-step shown as just done
  size_t line_step = 0;          ///< index into timeline->lines
  size_t section = 0;            ///< index into timeline->sections
  int line = 0;                  ///< current source line of the kernel, 0: none
  int helper_line = 0;           ///< stepping through the ops of an inlined helper: the line there; else 0
  std::vector<LoopPosition> loops;  ///< the iterations around the step, outermost first
  std::vector<Variable> variables;  ///< named ones, in the order in which the program first computes them
  std::vector<CurrentAccess> accesses;
  std::vector<TensorNow> tensors;   ///< in the order of Launch::tensors

  /// What one panel computes from the scene (KLoop, ...), made by `make(*this)` when it is first asked for and kept as
  /// long as the scene. One thread only.
  template <class T, class Make>
  const T& derived(Make make) const {
    std::shared_ptr<void>& kept = derived_[std::type_index(typeid(T))];
    if (kept == nullptr) kept = std::make_shared<T>(make(*this));
    return *static_cast<const T*>(kept.get());
  }

  /// The recording ends before the program does: the steps are its first ones.
  bool cut_short() const { return trace != nullptr && !trace->truncated.empty(); }
  const Variable* find_variable(const std::string& name) const;
  const TensorNow* find_tensor(const std::string& name) const;

 private:
  mutable std::map<std::type_index, std::shared_ptr<void>> derived_;
};

/// Takes well under 50 ms, whatever the launch's size. A step past the end counts as the last one.
Scene make_scene(const Published& run, const ViewState& state);

/// What the scene shows, in short, as one JSON object for tests and `view --state`: the state (see state.h), the line and
/// its statement, the iterations, each variable with its type and first values, the lanes of each access.
std::string to_json(const Scene& scene);

}  // namespace tilescope::model
