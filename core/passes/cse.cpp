// Common subexpressions: a pure op equal to one that dominates it takes that one's results.
#include <string>
#include <unordered_map>
#include <vector>

#include "core/passes/all.h"

namespace tilescope::passes {
namespace {

class Cse {
 public:
  explicit Cse(Function& f) : f_(f), same_as_(f.values.size()) {
    for (size_t i = 0; i < same_as_.size(); ++i) same_as_[i] = static_cast<ValueId>(i);
  }
  void run() { block(f_.body); }

 private:
  /// Two ops with equal keys compute the same.
  std::string key(const Op& op) const {
    std::string k(1, static_cast<char>(op.code));
    const auto number = [&](uint64_t x) { k.append(reinterpret_cast<const char*>(&x), sizeof x); };
    number(op.operands.size());
    for (ValueId v : op.operands) number(v);
    for (ValueId v : op.results) {
      const Type& t = f_.type(v);
      number(static_cast<uint64_t>(t.elem) << 1 | static_cast<uint64_t>(t.pointer));
      number(static_cast<uint64_t>(t.shape.rank));
      for (int i = 0; i < t.shape.rank; ++i) number(static_cast<uint64_t>(t.shape[i]));
    }
    for (const Attr& a : op.attrs) {
      k += a.name;
      k += '=';
      if (const auto* i = std::get_if<int64_t>(&a.value)) number(static_cast<uint64_t>(*i));
      if (const auto* list = std::get_if<std::vector<int64_t>>(&a.value))
        for (int64_t i : *list) number(static_cast<uint64_t>(i));
      if (const auto* s = std::get_if<std::string>(&a.value)) k += *s;
      k += ';';
    }
    return k;
  }

  void block(Block& b) {
    std::vector<std::string> added;  // what this block knows ends with it
    std::vector<std::unique_ptr<Op>> kept;
    kept.reserve(b.ops.size());
    for (auto& op : b.ops) {
      for (ValueId& v : op->operands) v = same_as_[v];
      for (Block& r : op->regions) block(r);
      if (is_pure(*op) && op->regions.empty()) {
        const auto [it, fresh] = known_.emplace(key(*op), op.get());
        if (!fresh) {
          merge(*op, *it->second);
          continue;
        }
        added.push_back(it->first);
      }
      kept.push_back(std::move(op));
    }
    for (const std::string& k : added) known_.erase(k);
    b.ops = std::move(kept);
  }

  void merge(const Op& gone, const Op& first) {
    for (size_t i = 0; i < gone.results.size(); ++i) {
      same_as_[gone.results[i]] = first.results[i];
      if (f_.values[first.results[i]].name.empty()) f_.values[first.results[i]].name = f_.values[gone.results[i]].name;
    }
  }

  Function& f_;
  std::vector<ValueId> same_as_;
  std::unordered_map<std::string, const Op*> known_;
};

}  // namespace

void eliminate_common(Function& f) { Cse(f).run(); }

}  // namespace tilescope::passes
