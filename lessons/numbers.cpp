#include "lessons/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>
#include <vector>

#include "lessons/working_set.h"

namespace tilescope::lessons {
namespace {

/// 1234567 as "1,234,567"; up to four digits as they are.
std::string grouped(uint64_t n) {
  std::string s = std::to_string(n);
  if (s.size() <= 4) return s;
  for (auto i = static_cast<std::ptrdiff_t>(s.size()) - 3; i > 0; i -= 3) s.insert(static_cast<size_t>(i), ",");
  return s;
}

std::optional<std::string> argument(const std::string& name, const LaunchSpec& spec) {
  const LaunchArg* arg = spec.find(name);
  if (arg == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<int64_t>(&arg->value)) return std::to_string(*v);
  if (const auto* v = std::get_if<double>(&arg->value)) return fmt::format("{}", *v);
  return std::nullopt;
}

std::optional<std::string> of_tensor(const std::string& what, const TensorReport& t, const std::vector<std::string>& words) {
  const auto sum = [&](auto field) { return grouped(t.loads.*field + t.stores.*field + t.atomics.*field); };
  if (what == "lanes_on") return sum(&AccessCounters::lanes_active);
  if (what == "lanes_off") return sum(&AccessCounters::lanes_masked);
  if (what == "sectors") return sum(&AccessCounters::sectors);
  if (what == "requests") return sum(&AccessCounters::requests);
  if (what == "bytes") return sum(&AccessCounters::bytes);
  if (what == "reuse" && words.size() == 3 && words[2] == "max") return grouped(t.reuse.max);
  if (what == "reuse" && words.size() == 3 && words[2] == "mean") return fmt::format("{:.4g}", t.reuse.mean);
  uint64_t elements = 1;
  std::string shape;
  for (int64_t d : t.shape) {
    elements *= static_cast<uint64_t>(d);
    shape += (shape.empty() ? "" : " × ") + std::to_string(d);
  }
  if (what == "elements") return grouped(elements);
  if (what == "shape") return shape;
  return std::nullopt;
}

const char* const kNone = "–";

/// Offset of a logical index of a contiguous tensor of this shape.
int64_t offset_of(const std::vector<int64_t>& index, const std::vector<int64_t>& shape, int64_t less) {
  int64_t at = 0;
  for (size_t d = 0; d < index.size(); ++d) at = at * shape[d] + index[d] - less;
  return at;
}

std::optional<std::string> of_program(const std::string& what, const std::string& tensor, const std::string& which, const RunTrace& totals) {
  size_t t = 0;
  while (t < totals.tensors.size() && totals.tensors[t].name != tensor) ++t;
  if (t == totals.tensors.size() || totals.footprints.empty()) return std::nullopt;
  int64_t program = totals.programs - 1;
  if (which != "last") {
    const auto [end, ec] = std::from_chars(which.data(), which.data() + which.size(), program);
    if (ec != std::errc() || end != which.data() + which.size() || program < 0) return std::nullopt;
  }
  if (program >= totals.programs) return kNone;
  const ProgramFootprint& f = totals.footprints[static_cast<size_t>(program) * totals.tensors.size() + t];
  if (what == "lanes_on") return grouped(f.lanes_on);
  if (what == "lanes_off") return grouped(f.lanes_masked);
  const IndexBox& box = f.loaded.empty() ? f.stored : f.loaded;
  if (what != "first" && what != "last") return std::nullopt;
  if (box.empty()) return kNone;
  const std::vector<int64_t>& shape = totals.tensors[t].shape;
  return grouped(static_cast<uint64_t>(what == "first" ? offset_of(box.lo, shape, 0) : offset_of(box.hi, shape, 1)));
}

std::optional<std::string> loaded_by(const std::string& tensor, const std::string& programs, const RunTrace& totals) {
  int64_t n = 0;
  const auto [end, ec] = std::from_chars(programs.data(), programs.data() + programs.size(), n);
  if (ec != std::errc() || end != programs.data() + programs.size() || n < 0) return std::nullopt;
  for (size_t t = 0; t < totals.tensors.size(); ++t)
    if (totals.tensors[t].name == tensor && !totals.footprints.empty()) return grouped(static_cast<uint64_t>(working_set(totals, t, n)));
  return std::nullopt;
}

/// `words`: element, tensor, index ...
std::optional<std::string> element(const std::vector<std::string>& words, const std::vector<Tensor>& after) {
  for (const Tensor& t : after) {
    if (t.name != words[1] || words.size() != 2 + t.layout.shape.size()) continue;
    std::vector<int64_t> index(t.layout.shape.size());
    for (size_t d = 0; d < index.size(); ++d) {
      const std::string& w = words[d + 2];
      const auto [end, ec] = std::from_chars(w.data(), w.data() + w.size(), index[d]);
      if (ec != std::errc() || end != w.data() + w.size() || index[d] < 0) return std::nullopt;
      if (index[d] >= t.layout.shape[d]) return kNone;
    }
    const double v = read_double(t.dtype, t.element(t.origin + t.layout.offset_of(index)));
    constexpr double kMostWhole = 1e6;
    return std::abs(v) < kMostWhole && v == std::trunc(v) ? fmt::format("{:.0f}", v) : fmt::format("{:.3g}", v);
  }
  return std::nullopt;
}

std::optional<std::string> expression(const std::string& text, const Launch& launch, const RunTrace& totals) {
  const Expected<GridExpr> e = parse_grid_expr(text, "number");
  if (!e) return std::nullopt;
  const GridLookup integers = integers_of(launch.spec);
  const Expected<int64_t> n = evaluate(*e, [&](const std::string& name) -> std::optional<int64_t> {
    if (name == "programs") return totals.programs;
    if (name == "num_warps") return launch.spec.num_warps;
    return integers(name);
  }, "number");
  if (!n) return std::nullopt;
  return *n < 0 ? "−" + grouped(uint64_t{0} - static_cast<uint64_t>(*n)) : grouped(static_cast<uint64_t>(*n));
}

}  // namespace

GridLookup integers_of(const LaunchSpec& spec) {
  return [&spec](const std::string& name) -> std::optional<int64_t> {
    const LaunchArg* arg = spec.find(name);
    const auto* v = arg == nullptr ? nullptr : std::get_if<int64_t>(&arg->value);
    return v == nullptr ? std::nullopt : std::optional(*v);
  };
}

std::optional<std::string> number_of(std::string_view name, const Launch& launch, const RunTrace& totals, const std::vector<Tensor>& after) {
  std::istringstream in{std::string(name)};
  std::vector<std::string> words;
  for (std::string w; in >> w;) words.push_back(w);
  if (words.empty()) return std::nullopt;
  if (name.starts_with('=')) return expression(std::string(name.substr(1)), launch, totals);
  if (words[0] == "programs" && words.size() == 1) return grouped(static_cast<uint64_t>(totals.programs));
  if (words.size() < 2) return std::nullopt;
  if (words[0] == "value") return argument(words[1], launch.spec);
  if (words[0] == "grid") {
    const size_t axis = std::string_view("xyz").find(words[1]);
    return words[1].size() == 1 && axis < 3 ? std::optional(grouped(static_cast<uint64_t>(totals.grid[axis]))) : std::nullopt;
  }
  if (words[0] == "element") return element(words, after);
  if (words.size() == 4 && words[0] == "loaded" && words[2] == "by") return loaded_by(words[1], words[3], totals);
  if (words.size() == 4 && words[2] == "of") return of_program(words[0], words[1], words[3], totals);
  for (const TensorReport& t : totals.tensors)
    if (t.name == words[1]) return of_tensor(words[0], t, words);
  return std::nullopt;
}

std::string fill_numbers(std::string_view text, const std::function<std::optional<std::string>(std::string_view name)>& number) {
  std::string out;
  for (;;) {
    const size_t open = text.find("{{");
    const size_t close = open == std::string_view::npos ? open : text.find("}}", open);
    if (close == std::string_view::npos) return out += text;
    const std::optional<std::string> value = number(text.substr(open + 2, close - open - 2));
    out += text.substr(0, open);
    out += value ? *value : std::string(text.substr(open, close + 2 - open));
    text.remove_prefix(close + 2);
  }
}

}  // namespace tilescope::lessons
