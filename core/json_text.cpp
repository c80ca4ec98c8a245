#include "core/json_text.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tilescope {
namespace {

constexpr int kMaxDepth = 32;

SourceRange range_of(const SourcePtr& source, size_t begin, size_t end) {
  SourceRange r;
  r.file = source;
  auto line_column = [&](size_t at, int& line, int& column) {
    at = std::min(at, source->text.size());
    line = 1 + static_cast<int>(std::count(source->text.begin(), source->text.begin() + at, '\n'));
    size_t newline = at == 0 ? std::string::npos : source->text.rfind('\n', at - 1);
    column = static_cast<int>(at - (newline == std::string::npos ? 0 : newline + 1)) + 1;
  };
  line_column(begin, r.line, r.column);
  line_column(std::max(end, begin + 1), r.end_line, r.end_column);
  return r;
}

/// The part of the library's message that a person can use.
std::string reason_of(const std::string& what) {
  size_t at = what.find("syntax error");
  if (at == std::string::npos) at = what.find("] ") == std::string::npos ? 0 : what.find("] ") + 2;
  return what.substr(at);
}

/// Walks text that is known to be valid JSON.
class Walker {
 public:
  explicit Walker(const std::string& text) : text_(text) { skip_space(); }
  size_t at() const { return at_; }

  void skip_value() {
    int depth = 0;
    do {
      skip_space();
      if (at_ >= text_.size()) return;
      char c = text_[at_];
      if (c == '"') {
        skip_string();
      } else if (c == '{' || c == '[') {
        ++depth, ++at_;
      } else if (c == '}' || c == ']') {
        --depth, ++at_;
      } else if (c == ',' || c == ':') {
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(",:]} \t\r\n", at_), text_.size());
      }
    } while (depth > 0);
  }

  /// Moves to the value of that key in the object that begins here; `key_at` becomes the place of the key.
  bool enter(const std::string& key, size_t& key_at) {
    if (!open('{')) return false;
    while (at_ < text_.size() && text_[at_] == '"') {
      size_t begin = at_;
      skip_string();
      bool found = Json::parse(text_.substr(begin, at_ - begin), nullptr, false) == Json(key);
      skip_mark(':');
      if (found) return key_at = begin, true;
      skip_value();
      skip_mark(',');
    }
    return false;
  }

  bool enter(size_t index) {
    if (!open('[')) return false;
    for (size_t i = 0; i < index; ++i) {
      skip_value();
      skip_mark(',');
    }
    return at_ < text_.size() && text_[at_] != ']';
  }

 private:
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  void skip_mark(char c) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == c) ++at_;
    skip_space();
  }
  bool open(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_space();
    return true;
  }
  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
  }

  const std::string& text_;
  size_t at_ = 0;
};

}  // namespace

Expected<Json> parse_json(const SourcePtr& source) {
  std::vector<std::set<std::string>> keys;
  std::optional<std::string> duplicate;
  bool too_deep = false;
  auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > kMaxDepth) too_deep = true;
    if (event == Json::parse_event_t::object_start) keys.resize(std::max<size_t>(keys.size(), depth + 1));
    if (event == Json::parse_event_t::object_start) keys[depth].clear();
    if (event == Json::parse_event_t::key && !duplicate && static_cast<size_t>(depth) <= keys.size() &&
        !keys[depth - 1].insert(value.get<std::string>()).second)
      duplicate = value.get<std::string>();
    return !too_deep;  // false drops the value: nothing is built below that depth
  };
  Diagnostic d;
  try {
    Json out = Json::parse(source->text, watch);
    if (too_deep) return plain_error(source->path + ": nested deeper than " + std::to_string(kMaxDepth) + " levels");
    if (duplicate) return plain_error(source->path + ": the key \"" + *duplicate + "\" appears twice in one object");
    return out;
  } catch (const Json::parse_error& e) {
    size_t at = e.byte > 0 ? e.byte - 1 : 0;
    d.message = "not valid JSON: " + reason_of(e.what());
    d.range = range_of(source, at, at + 1);
  } catch (const Json::exception& e) {
    d.message = source->path + ": not valid JSON: " + reason_of(e.what());
  }
  return d;
}

JsonPlace JsonPlace::operator/(const std::string& key) const {
  JsonPlace p = *this;
  p.steps_.push_back(key);
  return p;
}

JsonPlace JsonPlace::operator/(size_t index) const {
  JsonPlace p = *this;
  p.steps_.push_back(index);
  return p;
}

std::string JsonPlace::text() const {
  std::string out;
  for (const auto& s : steps_) {
    if (const auto* key = std::get_if<std::string>(&s))
      out += (out.empty() ? "" : ".") + *key;
    else
      out += "[" + std::to_string(std::get<size_t>(s)) + "]";
  }
  return out.empty() ? "the launch" : out;
}

SourceRange JsonPlace::find(const SourcePtr& source, bool at_key) const {
  Walker w(source->text);
  size_t key_at = w.at();
  for (const auto& s : steps_) {
    bool found = false;
    if (const auto* key = std::get_if<std::string>(&s))
      found = w.enter(*key, key_at);
    else
      found = w.enter(std::get<size_t>(s));
    if (!found) break;
  }
  size_t begin = at_key ? key_at : w.at();
  size_t stop = begin;
  if (at_key) {
    stop = source->text.find('"', begin + 1);
    stop = stop == std::string::npos ? begin + 1 : stop + 1;
  } else {
    w.skip_value();
    stop = w.at();
  }
  // Underline one line at most.
  size_t newline = source->text.find('\n', begin);
  if (newline != std::string::npos) stop = std::min(stop, std::max(newline, begin + 1));
  return range_of(source, begin, stop);
}

}  // namespace tilescope
