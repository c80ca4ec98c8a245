#include "lessons/loaded_values.h"

#include <algorithm>

#include "core/provenance.h"

namespace tilescope::lessons {
namespace {

class Loaded {
 public:
  Loaded(const Function& f, const SourceRange& where) : where_(where), loaded_(f.values.size(), false) {
    // Loops feed values back.
    do {
      changed_ = false;
      visit(f.body, false);
    } while (changed_);
  }
  bool reaches_store() const { return reaches_store_; }

 private:
  /// `inside`: of a loop or branch that depends on loaded values itself.
  void visit(const Block& b, bool inside) {
    for (const auto& op : b.ops) {
      const bool from_operands = inside || std::any_of(op->operands.begin(), op->operands.end(), [&](ValueId v) { return loaded_[v]; });
      if (is_store(op->code) && from_operands && op->loc != nullptr && op->loc->range.line == where_.line && op->loc->range.file == where_.file) reaches_store_ = true;
      bool from_regions = false;
      for (const Block& region : op->regions) {
        if (from_operands) mark(region.args);
        visit(region, from_operands);
        walk(region, [&](const Op& inner) {
          from_regions |= is_memory(inner.code) || std::any_of(inner.operands.begin(), inner.operands.end(), [&](ValueId v) { return loaded_[v]; });
        });
        // What one round yields is the next one's argument.
        if (from_regions) mark(region.args);
      }
      if (from_operands || from_regions || is_memory(op->code)) mark(op->results);
    }
  }
  void mark(const std::vector<ValueId>& values) {
    for (ValueId v : values) {
      changed_ |= !loaded_[v];
      loaded_[v] = true;
    }
  }

  const SourceRange& where_;
  std::vector<bool> loaded_;
  bool reaches_store_ = false, changed_ = false;
};

}  // namespace

bool stores_loaded_values(const Function& f, const SourceRange& where) { return Loaded(f, where).reaches_store(); }

}  // namespace tilescope::lessons
