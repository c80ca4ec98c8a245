// How each argument of a launch is changed in the window: a slider over powers of two, a stepper, a number that is typed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/launch_file.h"

namespace tilescope::model {

struct ArgumentControl {
  enum class Kind : uint8_t {
    Slider,   ///< a constexpr that is a power of two: 2^first_stop, 2^(first_stop + 1), ..., `stops` of them
    Stepper,  ///< another whole constexpr: one less, one more, or typed
    Number,   ///< a scalar that is dragged, turned or typed
    Switch,   ///< a bool
    Fixed,    ///< shown only: None, strings
    Typed,    ///< a tensor, typed as `--arg` takes it
  };
  std::string name;
  Kind kind = Kind::Fixed;
  bool constexpr_argument = false;
  ArgValue value;
  std::string text;  ///< the value as it is shown and typed
  int first_stop = 0, stops = 0, stop = 0;
};

/// Constexprs first, then the other scalars, both in the order of the launch; tensors have none. `opened` is the launch as
/// it was opened: sliders reach from a quarter of its value to four times it, so that they stand still while the value
/// changes. `constexprs`: the parameters that the kernel declares so.
std::vector<ArgumentControl> argument_controls(const LaunchSpec& spec, const LaunchSpec& opened, const std::set<std::string>& constexprs);

/// The tensors of the launch, in its order: "f32[70,50]=randn(1)".
std::vector<ArgumentControl> tensor_controls(const LaunchSpec& spec);

/// The value that was typed for an argument that held `old` before, or the reason why it is none: whole numbers in 64
/// bits for whole numbers, decimal numbers for floats.
struct TypedValue {
  std::optional<ArgValue> value;
  enum class Problem : uint8_t { None, Empty, NotWhole, NotANumber, TooLarge } problem = Problem::None;
};
TypedValue read_typed_value(std::string_view text, const ArgValue& old);

/// `value` moved by `steps`: whole numbers by 1 each (never past 64 bits), floats by a hundredth of themselves each.
ArgValue moved_value(const ArgValue& value, int64_t steps);

/// The value as people write it.
std::string value_text(const ArgValue& value);

}  // namespace tilescope::model
