// Shared by the parser's tests: trees as text, and sources made from strings.
#pragma once

#include <memory>
#include <string>

#include "core/syntax/parser.h"

namespace tilescope::test {

inline SourcePtr source(std::string text) {
  auto file = std::make_shared<SourceFile>();
  file->path = "kernel.py";
  file->text = std::move(text);
  return file;
}

std::string text_of(const Expr* e);
std::string text_of(const std::vector<Stmt*>& block);

/// The tree of one expression, or the first error's message.
inline std::string expression_text(const std::string& text) {
  auto parsed = parse_expression(source(text));
  return parsed.ok() ? text_of(parsed->root) : "error: " + parsed.errors()[0].message;
}

}  // namespace tilescope::test
