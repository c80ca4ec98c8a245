// The methods of Python's strings, for core/host_evaluation.h: texts of assembly are put together by them.
#include <algorithm>
#include <bit>
#include <cctype>

#include "core/host_evaluation.h"

namespace tilescope::host {

using K = HostValue::Kind;

namespace {

using Named = std::map<std::string, HostValue>;

/// str(v).
std::string plain_text(const Expr& at, const HostValue& v) {
  if (v.kind == K::Str) return v.text;
  if (v.kind == K::None || v.kind == K::Bool || v.kind == K::Int || v.kind == K::Float) return host_text(v);
  refuse(at, "the text of " + host_text(v) + " is not known here");
}

HostValue bounded(const Expr& at, std::string text) {
  if (text.size() > kMaxText) refuse(at, "this string is longer than " + std::to_string(kMaxText) + " bytes");
  return HostValue::of(std::move(text));
}

/// "{}", "{0}", "{name}", "{{" and "}}"; no format behind a colon.
HostValue formatted(const Expr& at, const std::string& form, const std::vector<HostValue>& a, const Named& named) {
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < form.size(); ++i) {
    const bool twice = i + 1 < form.size() && form[i + 1] == form[i];
    if ((form[i] != '{' && form[i] != '}') || twice) {
      i += form[i] == '{' || form[i] == '}' ? 1 : 0;
      out += form[i];
      continue;
    }
    const size_t end = form[i] == '{' ? form.find('}', i) : std::string::npos;
    if (end == std::string::npos) refuse(at, "this format string is not read here");
    const std::string name = form.substr(i + 1, end - i - 1);
    const bool digits = !name.empty() && name.size() < 4 && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    const size_t index = name.empty() ? next++ : digits ? std::stoul(name) : a.size();
    if (const auto given = named.find(name); given != named.end()) out += plain_text(at, given->second);
    else if (index < a.size()) out += plain_text(at, a[index]);
    else refuse(at, "`{" + name + "}` of this format string is not read here");
    if (out.size() > kMaxText) break;
    i = end;
  }
  return bounded(at, std::move(out));
}

std::string stripped(const std::string& s, const std::string& what, bool left, bool right) {
  const size_t first = left ? s.find_first_not_of(what) : 0;
  if (first == std::string::npos || s.empty()) return {};
  const size_t last = right ? s.find_last_not_of(what) : s.size() - 1;
  return last == std::string::npos ? std::string() : s.substr(first, last - first + 1);
}

HostValue split(Operations& o, const Expr& at, const std::string& s, const std::string* separator) {
  const HostValue out = o.new_list(at);
  static const std::string kBlank = " \t\n\r\f\v";
  if (separator != nullptr && separator->empty()) refuse(at, "a string cannot be split at nothing");
  for (size_t from = 0; from <= s.size();) {
    const size_t to = std::min(separator != nullptr ? s.find(*separator, from) : s.find_first_of(kBlank, from), s.size());
    if (separator != nullptr || to > from) o.add(at, out, HostValue::of(s.substr(from, to - from)));
    from = to + (separator != nullptr ? separator->size() : 1);
  }
  return out;
}

HostValue joined(Operations& o, const Expr& at, const std::string& between, const HostValue& list) {
  std::string out;
  bool first = true;
  const HostValue texts = o.sequence(at, list);
  o.charge(at.range, texts.items().size());
  for (const HostValue& v : texts.items()) {
    if (v.kind != K::Str) refuse(at, "only strings can be joined");
    out += (first ? "" : between) + v.text;
    first = false;
    if (out.size() > kMaxText) break;
  }
  return bounded(at, std::move(out));
}

HostValue replaced(const Expr& at, const std::string& s, const std::string& from, const std::string& to) {
  if (from.empty()) refuse(at, "nothing cannot be replaced");
  std::string out;
  for (size_t i = 0; i < s.size() && out.size() <= kMaxText;) {
    const bool here = s.compare(i, from.size(), from) == 0;
    out += here ? to : std::string(1, s[i]);
    i += here ? from.size() : 1;
  }
  return bounded(at, std::move(out));
}

}  // namespace

std::string text_of(const Expr& at, const HostValue& v) { return plain_text(at, v); }

std::optional<HostValue> text_method(Operations& o, const Expr& at, const std::string& s, const std::string& name, const std::vector<HostValue>& a,
                                     const Named& named) {
  o.charge(at.range, s.size() / 32);
  if (name == "format") return formatted(at, s, a, named);
  if (!named.empty()) return std::nullopt;
  const bool texts = std::all_of(a.begin(), a.end(), [](const HostValue& v) { return v.kind == K::Str; });
  const auto changed = [&](int (*f)(int)) {
    std::string out = s;
    std::transform(out.begin(), out.end(), out.begin(), [&](unsigned char c) { return c < 0x80 ? static_cast<char>(f(c)) : static_cast<char>(c); });
    return HostValue::of(std::move(out));
  };
  if (name == "join" && a.size() == 1) return joined(o, at, s, a[0]);
  if ((name == "startswith" || name == "endswith") && a.size() == 1) {
    bool any = false;
    for (const HostValue& v : texts ? a : o.sequence(at, a[0]).items()) any = any || (v.kind == K::Str && (name == "startswith" ? s.starts_with(v.text) : s.ends_with(v.text)));
    return HostValue::of(any);
  }
  if (!texts) return std::nullopt;
  if (name == "lower" && a.empty()) return changed(std::tolower);
  if (name == "upper" && a.empty()) return changed(std::toupper);
  if (name.ends_with("strip") && name.size() <= 6 && a.size() <= 1)
    return HostValue::of(stripped(s, a.empty() ? " \t\n\r\f\v" : a[0].text, name != "rstrip", name != "lstrip"));
  if (name == "split" && a.size() <= 1) return split(o, at, s, a.empty() ? nullptr : &a[0].text);
  if (name == "replace" && a.size() == 2) return replaced(at, s, a[0].text, a[1].text);
  return std::nullopt;
}

int64_t bit_length(int64_t v) {
  const uint64_t size = v < 0 ? uint64_t{0} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  return static_cast<int64_t>(std::bit_width(size));
}

}  // namespace tilescope::host
