#include "core/lint_verdict.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/guess.h"

namespace tilescope {
namespace {

/// A message of the front end with `*` for what varies, and what the list of features calls it: $1, $2 are the stars.
struct Rule {
  const char* message;
  LintVerdict verdict;
  const char* feature;
  bool final = false;  ///< whatever the arguments are
};

constexpr LintVerdict kMissing = LintVerdict::Missing;
constexpr LintVerdict kWrong = LintVerdict::Wrong;
constexpr LintVerdict kUnclear = LintVerdict::CannotTell;

constexpr Rule kRules[] = {
    {"the argument `*` is a function that this file does not have", kUnclear, "a function of another file as an argument"},
    {"`*` comes from the module *, which*", kMissing, "import of `$1` from $2", true},
    {"`*` is imported from *, which defines no `*`", kMissing, "import of `$3`", true},
    {"`*` has no `*`", kMissing, "$1.$2"},
    {"`*` is a Gluon kernel*", kMissing, "Gluon kernel", true},
    {"tl.* is no element type of this GPU*", kMissing, "element type tl.$1", true},
    {"* has no argument '*'", kMissing, "argument $2 of $1", true},
    {"* is not supported", kMissing, "$1", true},
    {"* are not supported", kMissing, "$1"},
    {"* has no attribute `*`", kMissing, "attribute .$2"},
    {"the class `*` cannot be used in a kernel", kMissing, "class `$1`", true},
    {"the global `*` has no value that a kernel can use*", kMissing, "global `$1`", true},
    {"a kernel cannot use a `*` statement", kMissing, "statement $1", true},
    {"a kernel cannot use a *", kMissing, "$1", true},
    {"a tile cannot be sliced*", kMissing, "slice of a tile", true},
    {"a tile cannot be indexed by *", kMissing, "index of a tile"},
    {"a kernel can only loop over a range*", kMissing, "loop over something else than a range"},
    {"`*` is host code*", kMissing, "call of the host function `$1`", true},
    {"* cannot be called in a kernel: Triton does not compile it", kWrong, "call of $1", true},
    {"* takes at most *", kMissing, "arguments of $1"},
    {"the assembly operand `*` is not known", kMissing, "the assembly operand `$1`", true},
    {"with pack above 1 the elements must have *", kMissing, "assembly on packed elements of fewer than 32 bits", true},
    {"* has no argument `*`", kMissing, "argument $2 of $1"},
    {"a kernel cannot have *", kMissing, "kernel with *args", true},
    {"Triton has no *", kWrong, "$1"},
    {"`*` is not defined", kUnclear, "name that host code may define"},
    {"`*` is not defined on every path to here", kWrong, "name that is not defined on every path"},
    {"a kernel cannot use `*`", kWrong, "`$1`"},
    {"this kernel grows too large*", kUnclear, "too large when unrolled"},
    {"static assertion failed*", kUnclear, "static assertion"},
    {"this `raise` is reached", kUnclear, "raise"},
    {"this assertion is false*", kUnclear, "assertion"},
};

/// Messages about constants: where no argument has a part in them, Triton refuses the kernel too.
constexpr const char* kOfConstants[] = {
    "the length of tl.arange must be a power of two, not *",
    "tl.arange(*) is empty: the end must be above the start",
    "* has the extent *, which is no power of two",
    "* has the extent *; extents are positive",
};

std::string with_stars(std::string feature, const std::vector<std::string>& stars) {
  for (size_t i = 0; i < stars.size(); ++i) {
    const std::string key = "$" + std::to_string(i + 1);
    if (const size_t at = feature.find(key); at != std::string::npos) feature.replace(at, key.size(), stars[i]);
  }
  return feature;
}

/// Messages with names and numbers left out: equal for equal causes. "[64, 2]" is "[...]", another number is "N".
std::string general(const std::string& message) {
  std::string out;
  for (size_t i = 0; i < message.size(); ++i) {
    if (message[i] == '`') {
      const size_t end = message.find('`', i + 1);
      if (end == std::string::npos) break;
      out += "`...`";
      i = end;
    } else if (const size_t end = message[i] == '[' ? message.find_first_not_of("0123456789, ", i + 1) : std::string::npos; end != std::string::npos && end > i + 1 && message[end] == ']') {
      out += "[...]";
      i = end;
    } else if (std::isdigit(static_cast<unsigned char>(message[i])) && (out.empty() || !std::isalnum(static_cast<unsigned char>(out.back())))) {
      const auto digit = [&](size_t at) { return at < message.size() && std::isdigit(static_cast<unsigned char>(message[at])); };
      while (digit(i + 1) || (i + 1 < message.size() && message[i + 1] == '.' && digit(i + 2))) ++i;
      out += 'N';
    } else {
      out += message[i];
    }
  }
  return out;
}

}  // namespace

bool matches(const std::string& text, const std::string& pattern, std::vector<std::string>* stars) {
  size_t at = 0, p = 0;
  if (stars != nullptr) stars->clear();
  while (p < pattern.size()) {
    if (pattern[p] != '*') {
      if (at >= text.size() || text[at] != pattern[p]) return false;
      ++at, ++p;
      continue;
    }
    const size_t next = pattern.find('*', p + 1);
    const std::string literal = pattern.substr(p + 1, next == std::string::npos ? std::string::npos : next - p - 1);
    size_t found = text.size();
    if (!literal.empty()) {
      found = next == std::string::npos ? (text.size() >= at + literal.size() && text.ends_with(literal) ? text.size() - literal.size() : std::string::npos)
                                        : text.find(literal, at);
      if (found == std::string::npos) return false;
    }
    if (stars != nullptr) stars->push_back(text.substr(at, found - at));
    at = found + literal.size();
    p += 1 + literal.size();
  }
  return at == text.size();
}

bool no_guess_helps(const Diagnostic& error) {
  return std::any_of(std::begin(kRules), std::end(kRules), [&](const Rule& r) { return r.final && matches(error.message, r.message, nullptr); });
}

std::vector<std::string> judged_messages() {
  std::vector<std::string> out;
  for (const Rule& r : kRules) out.emplace_back(r.message);
  out.insert(out.end(), std::begin(kOfConstants), std::end(kOfConstants));
  return out;
}

JudgedError judge(const GuessTrial& trial) {
  const Diagnostic& d = trial.no_such_argument ? *trial.no_such_argument : trial.errors[0];
  std::vector<std::string> stars;
  for (const Rule& r : kRules)
    if (matches(d.message, r.message, &stars)) return {r.verdict, with_stars(r.feature, stars)};
  const bool certain = trial.constant && std::any_of(std::begin(kOfConstants), std::end(kOfConstants), [&](const char* m) { return matches(d.message, m, nullptr); });
  return {certain ? LintVerdict::Wrong : LintVerdict::CannotTell, general(d.message)};
}

}  // namespace tilescope
