// User errors are values that carry a source range; internal errors abort and say that they are bugs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tilescope {

/// Kernel text, kept alive by everything that points into it. Lines and columns count from 1; columns count bytes.
struct SourceFile {
  std::string path;  ///< as the user wrote it
  std::string text;
  /// Text of a line without its line end; empty when there is no such line.
  std::string_view line(int number) const;
};
using SourcePtr = std::shared_ptr<const SourceFile>;

/// Half-open range of text: [line:column, end_line:end_column).
struct SourceRange {
  SourcePtr file;
  int line = 0, column = 0;
  int end_line = 0, end_column = 0;
  bool valid() const { return file != nullptr && line > 0; }
};

/// One frame of the call chain of an inlined helper.
struct CallFrame {
  std::string callee;  ///< name of the function that was called
  SourceRange call;    ///< the call expression
  std::shared_ptr<const CallFrame> outer;
};
using CallChain = std::shared_ptr<const CallFrame>;

/// A second underlined place in a message, with its own label.
struct Label {
  SourceRange range;
  std::string text;
};

struct Diagnostic {
  enum class Severity { Error, Warning, Note };
  Severity severity = Severity::Error;
  std::string message;
  SourceRange range;          ///< may be invalid for errors with no text (a missing file)
  std::string range_label;    ///< text under the main caret, such as "shape [32]"
  std::vector<Label> labels;  ///< further underlines on the same or other lines
  std::string hint;
  CallChain calls;
};

/// Renders "file:line:col: error: ...", the source line, carets with labels, the hint and the call frames.
std::string render(const Diagnostic& d);
std::string render(const std::vector<Diagnostic>& ds);

/// A value or the errors that prevented it.
template <class T>
class Expected {
 public:
  Expected(T value) : v_(std::move(value)) {}
  Expected(Diagnostic d) : v_(std::vector<Diagnostic>{std::move(d)}) {}
  Expected(std::vector<Diagnostic> ds) : v_(std::move(ds)) {}
  bool ok() const { return v_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<0>(v_); }
  const T& value() const { return std::get<0>(v_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const std::vector<Diagnostic>& errors() const { return std::get<1>(v_); }

 private:
  std::variant<T, std::vector<Diagnostic>> v_;
};

/// Error without a place in a kernel text (files, command line).
Diagnostic plain_error(std::string message, std::string hint = {});

/// Prints "internal error (this is a bug in Tilescope): ..." on stderr and aborts.
[[noreturn]] void internal_error(std::string_view what);

}  // namespace tilescope
