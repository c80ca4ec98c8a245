// The statements of a kernel as its author wrote them, and which one an op belongs to. Ops of inlined helpers belong to
// the kernel's statement that calls the helper.
#pragma once

#include <string>
#include <vector>

#include "core/ir.h"

namespace tilescope::model {

struct Statement {
  enum class Kind : uint8_t { Assign, Call, For, While, If, Other };
  Kind kind = Kind::Other;
  SourceRange range;  ///< of a compound statement: its header
  /// What it assigns to ("acc", "r, c"), a for's variable, or the function that is called ("store").
  std::string name;
  bool one_name = false;  ///< assigns to a single variable
  bool assigns(const std::string& variable) const;
};

class Statements {
 public:
  /// Reads the kernel's text. Without one (kernels built in C++) the ops' own ranges are the statements.
  explicit Statements(const Function& function);

  const std::vector<Statement>& all() const { return all_; }
  /// Index into all(), or -1 when the op has no place in the text.
  int of(const Op& op) const;

 private:
  int at(const SourceRange& place) const;

  std::vector<Statement> all_;  ///< in the order of the text
};

/// Inlined from a helper, not written in the kernel itself.
inline bool is_inlined(const Op& op) { return op.loc != nullptr && op.loc->calls != nullptr; }

}  // namespace tilescope::model
