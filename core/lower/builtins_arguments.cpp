// Signatures of builtins ("(pointer, mask=None, *rest, hex=False)") and how a call's arguments are bound to them.
#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>

#include "core/lower/builtins.h"

namespace tilescope::lower {
namespace {

struct Parameter {
  std::string name;
  std::string default_text;
  bool has_default = false;
  bool keyword_only = false;
  bool rest = false;  ///< *name
};

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

/// The signature's parameters. Signatures are ours, so anything malformed is a bug.
std::vector<Parameter> parse_signature(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') internal_error("signature without parentheses");
  text = text.substr(1, text.size() - 2);
  std::vector<Parameter> params;
  bool after_rest = false;
  while (!text.empty()) {
    size_t end = 0;
    for (int depth = 0; end < text.size() && (depth > 0 || text[end] != ','); ++end)
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    std::string_view item = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    Parameter p;
    size_t eq = item.find('=');
    p.has_default = eq != std::string_view::npos;
    if (p.has_default) p.default_text = trim(item.substr(eq + 1));
    item = trim(item.substr(0, eq));
    p.rest = item.starts_with('*');
    p.keyword_only = after_rest;
    after_rest |= p.rest;
    p.name = p.rest ? item.substr(1) : item;
    params.push_back(std::move(p));
  }
  return params;
}

const std::vector<Parameter>& signature_of(const Builtin& b) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<Parameter>> parsed;
  std::lock_guard lock(mutex);
  auto it = parsed.find(b.signature);
  if (it == parsed.end()) it = parsed.emplace(b.signature, parse_signature(b.signature)).first;
  return it->second;
}

/// Defaults are None, True, False, an int, a string, () or a dtype's name.
Value default_value(const Parameter& p, const SourceRange& range) {
  const std::string& text = p.default_text;
  Value v{NoneValue{}, range};
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!p.has_default || text == "None") return v;
  if (text == "True" || text == "False")
    v.v = text == "True";
  else if (text == "()")
    v.v = TupleValue{};
  else if (text.front() == '"')
    v.v = text.substr(1, text.size() - 2);
  else if (error == std::errc() && end == text.data() + text.size())
    v.v = ConstInt{number};
  else if (auto dtype = parse_dtype(text))
    v.v = DTypeValue{*dtype, false};
  else
    internal_error("default value " + text);
  return v;
}

std::string counted(size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

/// Insertions, deletions, changes and swaps of neighbours that turn `a` into `b`.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string closest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  if (name.size() > 64) return best;
  // A name is a likely slip when at most a third of it differs.
  size_t best_distance = name.size() / 3 + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 64) continue;
    size_t d = edit_distance(name, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

Args::Args(Context& c, const Call& call) {
  const std::vector<Parameter>& params = signature_of(*call.builtin);
  const std::string name = shown_name(*call.builtin);
  const std::string hint = "it is " + name.substr(0, name.size() - 2) + call.builtin->signature;
  for (const Parameter& p : params) slots_.push_back({p.name, default_value(p, call.range), false});

  // Of Triton for other chips.
  static constexpr const char* kVendors[] = {"care_padding", "inline_mask", "overflow_mode", "is_linear"};
  size_t position = 0;
  for (const CallArg& arg : call.args) {
    size_t index = 0;
    if (arg.name.empty()) {
      if (position < params.size() && params[position].rest) {
        rest_.push_back(arg.value);
        continue;
      }
      if (position >= params.size() || params[position].keyword_only)
        c.fail(arg.value.range, name + " takes at most " + counted(position, "positional argument"), hint);
      index = position++;
    } else {
      while (index < params.size() && (params[index].name != arg.name || params[index].rest)) ++index;
      if (index == params.size()) {
        std::vector<std::string> names;
        for (const Parameter& p : params)
          if (!p.rest) names.push_back(p.name);
        std::string near = closest_name(arg.name, names);
        const bool vendor = std::find(std::begin(kVendors), std::end(kVendors), arg.name) != std::end(kVendors);
        if (vendor) c.fail(arg.value.range, name + " has no argument '" + arg.name + "'", "it belongs to the Triton of another chip's vendor");
        c.fail(arg.value.range,
               name + " has no argument '" + arg.name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
               hint);
      }
    }
    if (slots_[index].given) c.fail(arg.value.range, name + " is given '" + params[index].name + "' twice", hint);
    slots_[index].given = true;
    slots_[index].value = arg.value;
  }
  for (size_t i = 0; i < params.size(); ++i)
    if (!slots_[i].given && !params[i].has_default && !params[i].rest)
      c.fail(call.range, name + " needs its argument '" + params[i].name + "'", hint);
}

const Args::Slot& Args::slot(std::string_view name) const {
  for (const Slot& s : slots_)
    if (s.name == name) return s;
  internal_error("the signature has no argument " + std::string(name));
}

const Value& Args::operator[](std::string_view name) const { return slot(name).value; }
bool Args::has(std::string_view name) const { return !slot(name).value.is<NoneValue>(); }

}  // namespace tilescope::lower
