#include "core/wording.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "core/diagnostic.h"

namespace tilescope {
namespace {

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/// Length of "{name}" at `at`; 0 when none begins there.
size_t blank_at(std::string_view text, size_t at) {
  if (text[at] != '{') return 0;
  size_t end = at + 1;
  while (end < text.size() && is_name(text[end])) ++end;
  return end > at + 1 && end < text.size() && text[end] == '}' ? end + 1 - at : 0;
}

std::string fill_one(std::string_view text, std::initializer_list<Blank> blanks, std::string Words::* language) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = blank_at(text, at);
    if (length == 0) {
      out += text[at++];
      continue;
    }
    const std::string_view name = text.substr(at + 1, length - 2);
    const auto blank = std::find_if(blanks.begin(), blanks.end(), [&](const Blank& b) { return b.name == name; });
    if (blank == blanks.end()) internal_error("nothing is given for {" + std::string(name) + "} in \"" + std::string(text) + "\"");
    out += blank->words.*language;
    at += length;
  }
  return out;
}

/// Two halves: when the newer one is full it becomes the older one, whose texts are forgotten.
class PhraseBook {
 public:
  void keep(const std::string& english, std::string chinese) {
    std::lock_guard lock(mutex_);
    if (newer_.size() >= kHalf) older_ = std::exchange(newer_, {});
    newer_[english] = std::move(chinese);
  }
  std::optional<std::string> find(const std::string& english) {
    std::lock_guard lock(mutex_);
    for (const auto* half : {&newer_, &older_})
      if (const auto it = half->find(english); it != half->end()) return it->second;
    return std::nullopt;
  }

 private:
  static constexpr size_t kHalf = 10'000;
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> newer_, older_;
};

PhraseBook& phrase_book() {
  static PhraseBook book;
  return book;
}

}  // namespace

Words& Words::operator+=(const Words& more) {
  english += more.english;
  chinese += more.chinese;
  return *this;
}

Words fill(const Wording& row, std::initializer_list<Blank> blanks) {
  return {fill_one(row.english, blanks, &Words::english), fill_one(row.chinese, blanks, &Words::chinese)};
}

std::vector<std::string> blanks_of(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = blank_at(text, at);
    if (length > 0) out.emplace_back(text.substr(at + 1, length - 2));
    at += std::max<size_t>(1, length);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string remember(Words words) {
  constexpr size_t kLongest = 2000;  // a text may quote a name of any length
  if (!words.empty() && words.english.size() <= kLongest && words.english != words.chinese) phrase_book().keep(words.english, std::move(words.chinese));
  return std::move(words.english);
}

std::optional<std::string> chinese_of(const std::string& english) { return phrase_book().find(english); }

Words words_of(const std::string& english) { return {english, chinese_of(english).value_or(english)}; }

std::string in_language(const std::string& english, bool chinese) {
  if (!chinese) return english;
  return chinese_of(english).value_or(english);
}

}  // namespace tilescope
