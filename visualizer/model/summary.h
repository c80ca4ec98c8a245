// One-line summaries of a variable's value: what stands beside its name in the list of variables and in the source.
#pragma once

#include <cstdint>
#include <string>

#include "visualizer/model/lanes.h"
#include "visualizer/model/scene.h"

namespace tilescope::model {

/// Numbers and names; the window puts them into words (window/panels/variables.h).
struct Summary {
  enum class Form : uint8_t {
    NotComputed,
    Scalar,    ///< text: "32", "a_ptr[0, 0]", "NaN"
    Run,       ///< text: "64..95": each lane one more than the lane before it
    Same,      ///< text: the value that all lanes have
    Span,      ///< text: "−3.1 to 2.4" as "low" and "high"
    On,        ///< `on` lanes on
    Reach,     ///< `on` lanes reach tensor `name`
    Pointers,  ///< text: "a_ptr[64, 32]", of the first lane
  };
  enum class Off : uint8_t {
    Nothing,      ///< nothing to say
    AllOn,        ///< a mask or bound that lets all lanes pass
    False,        ///< `off` lanes are 0 in a mask
    Masked,       ///< `off` lanes masked; `other` is their value
    Undefined,    ///< `off` lanes masked, undefined
    Beyond,       ///< `off` lanes beyond `name` = `bound`
    Below,        ///< `off` lanes below it
    Outside,      ///< `off` lanes outside tensor `name`
    OutOfBounds,  ///< `off` lanes out of bounds of tensor `name`: a fault
  };
  Form form = Form::NotComputed;
  std::string text, low, high;
  uint64_t on = 0;
  Off why_off = Off::Nothing;
  uint64_t off = 0;
  std::string name, bound, other;
  /// Lanes on as a share, for a small bar; 1 when nothing is off.
  double share_on() const { return on + off == 0 ? 1.0 : static_cast<double>(on) / static_cast<double>(on + off); }
};

Summary summarise(const ProgramValues& values, const Variable& v, const VariableLanes& lanes);
/// The same with the lanes looked up. Kept with the scene for its variables.
const Summary& summary_of(const Scene& scene, const Variable& v);
/// Kept with the scene as well.
const VariableLanes& lanes_of(const Scene& scene, const Variable& v);

/// "int32[32]", "fp16[32, 32]", "pointer to fp16[32, 32]"; a scalar without brackets.
std::string short_type(const Type& t);

}  // namespace tilescope::model
