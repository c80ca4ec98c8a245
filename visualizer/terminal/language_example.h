// Runs an example of the language reference in the simulator.
//
// An example is the body of a kernel, in which three words stand for values that come from outside:
//   tile([1, 2, 3, 4])            a tile that was loaded: int32 for whole numbers, int1 for true and false, else
//   tile([[0.5, 1]], tl.float16)  float32, or the dtype that is named
//   memory([1, 2, 3, 4])          a pointer to a tensor with these elements, with a dtype as above
//   scalar(5)                     a run-time argument
// Every expression that is a statement of its own is shown with its value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compile.h"
#include "core/language_reference.h"

namespace tilescope::terminal {

/// One statement of the example that is an expression, and its value.
struct ShownValue {
  int line = 0;       ///< the last line of the statement within the example, from 0
  std::string value;  ///< "[1, 3, 6, 10]  int32[4]"; with several programs one a program
};

struct ExampleResult {
  std::vector<ShownValue> values;
  std::vector<std::string> memory;   ///< "x_ptr then holds [1, 2]  int32[2]": tensors that changed
  std::vector<std::string> printed;  ///< by the example's own device_print
  std::vector<std::string> notes;    ///< of the compiler, and static_print
  std::vector<std::string> faults;
  std::optional<Diagnostic> refusal;
  Function function;  ///< not optimised; empty when it was refused
};

/// The lines, with `name` in place of "$f".
std::vector<std::string> example_lines(const LanguageExample& example, const std::string& name);

/// Errors: the example's own notation is wrong (tile([1, ]), ...).
Expected<ExampleResult> run_example(const LanguageExample& example, const std::string& name = {});

}  // namespace tilescope::terminal
