// The reference of the kernel language as data: what the tables of the front end say, joined with what a person wrote
// about each entry (core/lower/reference/*.json) and with the examples that are run to show what it does.
#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// A few lines of a kernel's body. Their results are not written down: whoever prints the reference runs them
/// (visualizer/terminal/language_example.h, which also says what tile(...), memory(...) and scalar(...) stand for).
struct LanguageExample {
  std::vector<std::string> lines;
  std::vector<std::string> before;  ///< lines at module level, such as a helper function
  int programs = 1;                 ///< the grid, along axis 0
  bool refused = false;             ///< the example shows a refusal
  std::string message;              ///< part of the message of the refusal or fault
  bool faults = false;              ///< the example shows a fault at run time
  bool empty() const { return lines.empty(); }
};

/// One function, or a family of functions that share a row of the table.
struct LanguageFunction {
  std::string topic;
  std::vector<std::string> names;  ///< "tl.sum", "tl.tensor.sum"
  std::string signature, doc;
  bool refused = false;   ///< calling it is refused; `doc` says what to do instead. The fields below are then empty
  std::string types;      ///< shapes and dtypes: what goes in, what comes out
  std::string more;       ///< semantics beyond the doc line; may be empty
  std::string differs;    ///< from Triton; empty: nothing known
  LanguageExample example;  ///< "$f" in its lines stands for each of the names
};

/// A construct of the language: statements, decorators, attributes ...
struct LanguageSection {
  std::string title, text;
  std::vector<LanguageExample> examples;
};

/// Every row of the builtin table and every special form. An entry nobody wrote about has empty `types` and example.
const std::vector<LanguageFunction>& language_functions();

/// Names in core/lower/reference that the tables do not have.
std::vector<std::string> unknown_reference_names();

const std::vector<LanguageSection>& language_sections();

}  // namespace tilescope
