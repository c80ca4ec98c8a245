#include "visualizer/model/argument_controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/launch_text.h"

namespace tilescope::model {
namespace {

constexpr int kReach = 2;         ///< stops below and above the value that was opened
constexpr int kMostStop = 20;     ///< a tile has at most 2^20 elements

std::optional<int> log2_of(const ArgValue& value) {
  const auto* v = std::get_if<int64_t>(&value);
  if (v == nullptr || *v <= 0 || (*v & (*v - 1)) != 0) return std::nullopt;
  return std::countr_zero(static_cast<uint64_t>(*v));
}

ArgumentControl make_control(const LaunchArg& arg, const LaunchArg* opened, bool is_constexpr) {
  using Kind = ArgumentControl::Kind;
  ArgumentControl c;
  c.name = arg.name;
  c.constexpr_argument = is_constexpr;
  c.value = arg.value;
  c.text = value_text(arg.value);
  if (std::holds_alternative<bool>(arg.value)) {
    c.kind = Kind::Switch;
    return c;
  }
  const bool whole = std::holds_alternative<int64_t>(arg.value) || std::holds_alternative<uint64_t>(arg.value);
  if (!whole) {
    c.kind = std::holds_alternative<double>(arg.value) ? Kind::Number : Kind::Fixed;
    return c;
  }
  c.kind = is_constexpr ? Kind::Stepper : Kind::Number;
  const std::optional<int> now = log2_of(arg.value), then = opened != nullptr ? log2_of(opened->value) : std::nullopt;
  if (!is_constexpr || !now || *now > kMostStop) return c;
  // A value that was typed for a stepper stays one, whatever it becomes.
  if (opened != nullptr && !then) return c;
  const int middle = then.value_or(*now);
  c.kind = Kind::Slider;
  c.first_stop = std::min(std::max(0, middle - kReach), *now);
  const int last = std::max(std::min(kMostStop, middle + kReach), *now);
  c.stops = last - c.first_stop + 1;
  c.stop = *now - c.first_stop;
  return c;
}

}  // namespace

std::string value_text(const ArgValue& value) {
  struct Text {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(const TensorSpec&) const { return "tensor"; }
    std::string operator()(int64_t v) const { return std::to_string(v); }
    std::string operator()(uint64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(bool v) const { return v ? "True" : "False"; }
    std::string operator()(const std::string& v) const { return "\"" + v + "\""; }
  };
  return std::visit(Text{}, value);
}

std::vector<ArgumentControl> argument_controls(const LaunchSpec& spec, const LaunchSpec& opened, const std::set<std::string>& constexprs) {
  std::vector<ArgumentControl> out;
  for (const bool wanted : {true, false})
    for (const LaunchArg& arg : spec.args)
      if (!std::holds_alternative<TensorSpec>(arg.value) && constexprs.contains(arg.name) == wanted)
        out.push_back(make_control(arg, opened.find(arg.name), wanted));
  return out;
}

std::vector<ArgumentControl> tensor_controls(const LaunchSpec& spec) {
  std::vector<ArgumentControl> out;
  for (const LaunchArg& arg : spec.args) {
    if (!std::holds_alternative<TensorSpec>(arg.value)) continue;
    ArgumentControl c;
    c.name = arg.name;
    c.kind = ArgumentControl::Kind::Typed;
    c.value = arg.value;
    c.text = arg_text(arg.value);
    out.push_back(std::move(c));
  }
  return out;
}

TypedValue read_typed_value(std::string_view text, const ArgValue& old) {
  using Problem = TypedValue::Problem;
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty()) return {{}, Problem::Empty};
  if (text.front() == '+') text.remove_prefix(1);
  const char *begin = text.data(), *end = begin + text.size();
  if (std::holds_alternative<double>(old)) {
    double v = 0;
    const auto [at, ec] = std::from_chars(begin, end, v);
    if (ec == std::errc::result_out_of_range) return {{}, Problem::TooLarge};
    if (ec != std::errc() || at != end) return {{}, Problem::NotANumber};
    return {ArgValue(v), Problem::None};
  }
  int64_t v = 0;
  const auto [at, ec] = std::from_chars(begin, end, v);
  if (ec == std::errc::result_out_of_range) {
    uint64_t u = 0;
    const auto [uat, uec] = std::from_chars(begin, end, u);
    if (uec == std::errc() && uat == end) return {ArgValue(u), Problem::None};
    return {{}, Problem::TooLarge};
  }
  if (ec != std::errc() || at != end) return {{}, Problem::NotWhole};
  return {ArgValue(v), Problem::None};
}

ArgValue moved_value(const ArgValue& value, int64_t steps) {
  if (const auto* v = std::get_if<int64_t>(&value)) {
    int64_t sum = 0;
    if (__builtin_add_overflow(*v, steps, &sum)) sum = steps < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
    return sum;
  }
  if (const auto* v = std::get_if<double>(&value)) {
    const double unit = *v == 0 ? 0.01 : std::abs(*v) / 100;
    const double sum = *v + unit * static_cast<double>(steps);
    return std::isfinite(sum) ? sum : *v;
  }
  return value;
}

}  // namespace tilescope::model
