#include "core/lower/scope.h"

namespace tilescope::lower {

const Binding* Scope::find(const std::string& name) const {
  auto it = names_.find(name);
  return it == names_.end() ? nullptr : &it->second;
}

void Scope::remember(const std::string& name) {
  if (open_ == 0) return;
  const Binding* old = find(name);
  journal_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<Binding>(*old));
}

void Scope::set(const std::string& name, Binding binding) {
  remember(name);
  names_[name] = std::move(binding);
}

void Scope::erase(const std::string& name) {
  remember(name);
  names_.erase(name);
}

size_t Scope::mark() {
  ++open_;
  return journal_.size();
}

Changes Scope::take(size_t mark) {
  Changes changes;
  for (size_t i = mark; i < journal_.size(); ++i) {
    const std::string& name = journal_[i].first;
    const Binding* now = find(name);
    changes.try_emplace(name, now == nullptr ? std::nullopt : std::optional<Binding>(*now));
  }
  while (journal_.size() > mark) {
    auto& [name, old] = journal_.back();
    if (old)
      names_[name] = std::move(*old);
    else
      names_.erase(name);
    journal_.pop_back();
  }
  keep();
  return changes;
}

void Scope::keep() {
  if (--open_ == 0) journal_.clear();
}

void Scope::apply(const Changes& changes) {
  for (const auto& [name, binding] : changes) {
    if (binding)
      set(name, *binding);
    else
      erase(name);
  }
}

}  // namespace tilescope::lower
