// The parts of a launch file (core/launch_file.h): values in core/launch_values.cpp, tensors in core/launch_tensors.cpp, outputs in
// core/launch_outputs.cpp, the rest beside load_launch_file.
#pragma once

#include <string>
#include <vector>

#include "core/json_text.h"
#include "core/launch_file.h"

namespace tilescope {

/// Reads the parts of a launch. Every function returns false after the first error, which error() holds.
class LaunchReader {
 public:
  LaunchReader(SourcePtr source, LaunchSpec& out) : source_(std::move(source)), out_(out) {}
  const Diagnostic& error() const { return error_; }
  bool read(const Json& root);

 private:
  // launch_values.cpp
  static std::string kind_of(const Json& v);
  bool fail(const JsonPlace& place, const std::string& message, std::string hint = {}, bool at_key = false);
  /// An error of another part whose message already begins with the place.
  bool fail_with(const JsonPlace& place, Diagnostic d);
  bool known_keys(const Json& object, const JsonPlace& place, const std::vector<std::string>& known);
  bool string(const Json& v, const JsonPlace& place, std::string& out);
  std::string resolve(const std::string& path) const;
  /// An integer of at most 64 bits, signed.
  bool integer(const Json& v, const JsonPlace& place, int64_t& out);
  bool integers(const Json& v, const JsonPlace& place, std::vector<int64_t>& out);
  /// A number, a bool, or one of the strings nan, inf, -inf (JSON has no such numbers).
  bool number(const Json& v, const JsonPlace& place, Init::Number& out);
  bool written_as_integer(const JsonPlace& place) const;

  // launch_file.cpp
  bool read_names(const Json& root, const JsonPlace& top);
  bool read_grid(const Json& root, const JsonPlace& top);
  /// An integer, or an expression over the integers among the arguments.
  bool read_expr(const Json& v, const JsonPlace& at, std::vector<GridExpr>& out);
  bool read_args(const Json& root, const JsonPlace& top);
  /// A value, or a list: a tuple, whose items become the arguments x[0], x[1] ... ("x[]" when it has none).
  bool read_item(const std::string& name, const Json& v, const JsonPlace& place, int depth);
  bool read_arg(const Json& v, const JsonPlace& place, ArgValue& out);
  /// {"float": "inf"}: a float argument that JSON cannot write as a number.
  bool read_float(const Json& v, const JsonPlace& place, ArgValue& out);
  /// {"function": "relu"}: a function of the kernel's file, for a constexpr parameter. In memory it is the text "@relu".
  bool read_function(const Json& v, const JsonPlace& place, ArgValue& out);

  // launch_tensors.cpp
  bool read_tensor(const Json& v, const JsonPlace& place, TensorSpec& out);
  /// The block shape of a tensor descriptor. Its extents are known when the kernel is compiled.
  bool read_descriptor(const Json& v, const JsonPlace& place, size_t rank, TensorSpec& out);
  static std::string dtype_hint(const std::string& found);
  bool read_init(const Json& v, const JsonPlace& place, const TensorSpec& tensor, Init& out);
  bool read_init(const Json& v, const JsonPlace& place, TensorSpec& tensor);
  bool fits(const Init::Number& n, DType dtype, const JsonPlace& place);
  bool seed(const Json& v, const JsonPlace& place, uint64_t& out);
  bool read_random(Init::Kind kind, const Json& v, const JsonPlace& place, DType dtype, Init& out);
  bool read_randint(const Json& v, const JsonPlace& place, DType dtype, Init& out);
  /// Values may be nested as the shape is; only their number counts.
  bool read_values(const Json& v, const JsonPlace& place, const TensorSpec& tensor, Init& out);
  bool flatten(const Json& list, const JsonPlace& place, DType dtype, std::vector<Init::Number>& out);

  // launch_file.cpp
  bool read_numbers(const Json& root, const JsonPlace& top);
  /// From 1, as people count them.
  bool read_config(const Json& root, const JsonPlace& top);

  // launch_outputs.cpp
  bool read_outputs(const Json& root, const JsonPlace& top);
  std::string near_argument(const std::string& name) const;
  bool read_output(const Json& v, const JsonPlace& place, const TensorSpec& tensor, OutputSpec& o);
  bool read_reference(const Json& v, const JsonPlace& place, OutputSpec& o);
  bool read_tolerance(const Json& v, const JsonPlace& place, DType dtype, OutputSpec& o);
  bool read_expect_error(const Json& root, const JsonPlace& top);

  SourcePtr source_;
  LaunchSpec& out_;
  Diagnostic error_;
};

}  // namespace tilescope
