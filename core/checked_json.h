// Reads JSON from untrusted text one value at a time: every value is bounded, every key known. Included by .cpp files only
// (the JSON library is slow to compile).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/json_text.h"

namespace tilescope {

/// The first problem stays; after it every value is empty. `source` is text that parse_json accepted.
class CheckedJson {
 public:
  /// `root`: what messages call the whole text, as "the description".
  CheckedJson(SourcePtr source, std::string root) : source_(std::move(source)), root_(std::move(root)) {}

  const std::optional<Diagnostic>& error() const { return error_; }
  void fail(const JsonPlace& place, const std::string& message, const std::string& hint = {}, bool at_key = false);

  /// Refuses keys that are not among `known`, and what is no object.
  void check_keys(const Json& object, const JsonPlace& place, const std::vector<std::string>& known);
  /// nullptr: absent (a problem if it is `required`), or there was a problem before.
  const Json* member(const Json& object, const JsonPlace& place, const std::string& key, bool required);

  /// A text of `least` to `most` bytes.
  std::string text(const Json& object, const JsonPlace& place, const std::string& key, size_t least = 1, size_t most = 80);
  /// A number in low .. high; absent and not required: `fallback`.
  double number(const Json& object, const JsonPlace& place, const std::string& key, double low, double high,
                bool required = true, double fallback = 0);
  /// The same without a fraction; the bounds are at most 2^53 from 0, where every whole number is a double.
  int64_t whole(const Json& object, const JsonPlace& place, const std::string& key, double low, double high,
                bool required = true, int64_t fallback = 0);
  /// The same for a value that was found already.
  int64_t whole_value(const Json& value, const JsonPlace& place, double low, double high);

 private:
  double number_value(const Json& value, const JsonPlace& place, double low, double high);

  SourcePtr source_;
  std::string root_;
  std::optional<Diagnostic> error_;
};

}  // namespace tilescope
