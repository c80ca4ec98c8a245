#include "visualizer/terminal/lesson_numbers.h"

#include <cctype>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "visualizer/model/argument_controls.h"
#include "visualizer/model/controller.h"

namespace tilescope::terminal {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// What follows `text[at]` when it is `what`.
std::optional<size_t> past(std::string_view text, size_t at, std::string_view what) {
  return text.substr(std::min(at, text.size())).starts_with(what) ? std::optional(at + what.size()) : std::nullopt;
}

/// The launch runs beside the one that is shown, with tensors following the numbers as they do there.
class Probe {
 public:
  explicit Probe(const LaunchSpec& spec) : control_(std::make_unique<model::Session>(spec)) {
    settle();
    faults_at_first_ = faults() || !run().errors.empty();
  }
  bool takes(const std::string& name, const ArgValue& value, bool named) {
    control_.set_argument(name, value);
    settle();
    return run().errors.empty() && (named || faults_at_first_ || !faults());
  }
  void put_back(const std::string& name, const ArgValue& value) {
    control_.set_argument(name, value);
    settle();
  }

 private:
  void settle() {
    control_.session().wait();
    control_.advance(0);
  }
  const model::Published& run() { return control_.scene()->run; }
  bool faults() { return run().totals != nullptr && !run().totals->trace.faults.empty(); }

  model::Controller control_;
  bool faults_at_first_ = false;
};

struct Candidate {
  std::variant<int64_t, double> number;
  bool named = false;
  ArgValue value() const {
    return std::visit([](auto v) { return ArgValue(v); }, number);
  }
};

std::vector<Candidate> candidates(const LaunchArg& now, const LaunchSpec& opened, std::string_view text) {
  std::vector<Candidate> out;
  const LaunchArg* first = opened.find(now.name);
  const auto add = [&](auto n, bool named) { out.push_back({n, named}); };
  if (const auto* v = std::get_if<int64_t>(&now.value)) {
    for (int64_t n : values_named(text, now.name)) add(n, true);
    if (const auto* f = first == nullptr ? nullptr : std::get_if<int64_t>(&first->value)) add(*f, true);
    constexpr int64_t kMost = int64_t{1} << 40;
    if (*v < -kMost || *v > kMost) return out;
    for (int64_t n : {*v / 2, *v * 2, *v - 1, *v + 1})
      if (n > 0) add(n, false);
  } else if (const auto* d = std::get_if<double>(&now.value)) {
    if (const auto* f = first == nullptr ? nullptr : std::get_if<double>(&first->value)) add(*f, true);
    add(*d == 0 ? 1.0 : *d / 2, false);
  }
  return out;
}

}  // namespace

std::vector<int64_t> values_named(std::string_view text, std::string_view name) {
  std::vector<int64_t> out;
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]))) continue;
    // "M and N to 32"
    while (const std::optional<size_t> other = past(text, end, " and "))
      for (end = *other; end < text.size() && is_word(text[end]);) ++end;
    const std::optional<size_t> digits = past(text, end, " to ");
    if (!digits) continue;
    int64_t n = 0;
    const auto [stop, ec] = std::from_chars(text.data() + *digits, text.data() + text.size(), n);
    if (ec == std::errc()) out.push_back(n);
  }
  return out;
}

std::vector<LaunchArg> other_numbers(const LaunchSpec& spec, const LaunchSpec& opened, const std::vector<std::string>& names, std::string_view text) {
  std::vector<LaunchArg> out;
  Probe probe(spec);
  const auto try_name = [&](const std::string& name, bool named) {
    const LaunchArg* now = spec.find(name);
    if (now == nullptr) return;
    for (const Candidate& c : candidates(*now, opened, text)) {
      if (c.named != named || model::value_text(c.value()) == model::value_text(now->value)) continue;
      if (probe.takes(name, c.value(), named)) return out.push_back({name, c.value()});
    }
    probe.put_back(name, now->value);
  };
  // "Set N to 45" says nothing of M, which stays as it is then.
  for (const std::string& name : names) try_name(name, true);
  if (!out.empty()) return out;
  for (const std::string& name : names) try_name(name, false);
  return out;
}

}  // namespace tilescope::terminal
