// Kernels, constants and imports inside classes and inside host functions: factories such as `def make(): @triton.jit
// def kernel(...)`, kernels as static methods, named tuples and enumerations.
#include "core/syntax/parser_state.h"

namespace tilescope {

int Parser::add_scope(HostScope scope) {
  module_->scopes.push_back(std::move(scope));
  return static_cast<int>(module_->scopes.size()) - 1;
}

/// Whether a decorator that ends in `jit` (or makes a compile-time function) stands on a line of these tokens.
bool Parser::defines_kernel(size_t first, size_t stop) const {
  for (size_t i = first; i < stop; ++i) {
    if (!is(tokens_[i], "@") || !tokens_[i].first_on_line) continue;
    for (size_t k = i + 1; k < stop && tokens_[k].kind != TokenKind::Newline; ++k) {
      const std::string_view word = text(tokens_[k]);
      if (tokens_[k].kind == TokenKind::Name && (word.ends_with("jit") || word == "constexpr_function")) return true;
    }
  }
  return false;
}

/// Reads the items of a block; the tokens are those of the whole compound statement, header included.
void Parser::inside(HostScope scope, size_t first, size_t stop) {
  if (nesting_ >= kMaxScopeDepth) return;
  const int outer = scope_, class_index = scope.class_index;
  std::vector<int> blocks;
  blocks.swap(blocks_);
  scope_ = add_scope(std::move(scope));
  if (class_index >= 0) module_->classes[static_cast<size_t>(class_index)].inside = scope_;
  ++nesting_;
  at_ = first;
  to_line_end();
  next_block_ = -1;  // the block itself is no condition
  closed_block_ = -1;
  while (at_ < stop && !at_kind(TokenKind::End) && failures_ <= kMaxErrorsPerFile) nested_item();
  --nesting_;
  scope_ = outer;
  blocks_.swap(blocks);
  next_block_.reset();
  closed_block_ = -1;
  at_ = stop;
}

void Parser::nested_item() {
  if (block_item()) return;
  if (at("@") || at("def") || (at("async") && is(ahead(), "def"))) {
    nested_function();
  } else if (at("class")) {
    class_item();
  } else if (definition_line()) {
    skip_block();  // behind anything else a block is read: kernels stand under `match` too
  }
}

/// Host functions and methods inside a scope are read only where they are kernels or hold some.
void Parser::nested_function() {
  const size_t first = at_;
  while (at("@")) to_line_end();
  const size_t header = at_;
  const bool is_class = at("class");
  const bool kernel = defines_kernel(first, header);
  to_line_end();
  skip_block();
  const size_t stop = at_;
  if (kernel || is_class) {
    at_ = first;
    function_item();
  } else if (defines_kernel(header, stop)) {
    HostScope scope;
    size_t name = is(tokens_[header], "async") ? header + 2 : header + 1;
    if (name < stop && tokens_[name].kind == TokenKind::Name) scope.name = text(tokens_[name]);
    scope.parent = scope_;
    inside(std::move(scope), header, stop);
  }
  at_ = std::max(at_, stop);
}

}  // namespace tilescope
