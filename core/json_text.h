// JSON from untrusted text: bounded, duplicate keys refused, and every value can be found again in the text, so that
// an error points at it. Included by .cpp files only (the JSON library is slow to compile).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope {

/// Keeps the order of keys: the order of arguments is the order in the file.
using Json = nlohmann::ordered_json;

/// Errors point at line and column.
Expected<Json> parse_json(const SourcePtr& source);

/// Keys and indices that lead from the root to a value.
class JsonPlace {
 public:
  JsonPlace operator/(const std::string& key) const;
  JsonPlace operator/(size_t index) const;
  /// "args.x_ptr.shape[1]"
  std::string text() const;
  /// Where the value (or, for `at_key`, its key) stands in text that parse_json accepted.
  SourceRange find(const SourcePtr& source, bool at_key = false) const;

 private:
  std::vector<std::variant<std::string, size_t>> steps_;
};

}  // namespace tilescope
