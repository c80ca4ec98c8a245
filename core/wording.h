// What is said to a person, in English and Chinese. The words stand in tables, NAME.texts.def, both languages side by
// side, with names in braces, "{tensor}", where something is filled in; code speaks of rows of the tables only.
//
// Faults, notes and diagnostics are English strings, as reports and tests want them. The Chinese of a text is kept beside
// it in a phrase book when the text is made, and found there by the English text, as in gettext: what has no Chinese, as
// most messages of the compiler, needs nothing.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope {

/// One text in both languages.
struct Words {
  Words() = default;
  Words(std::string in_english, std::string in_chinese) : english(std::move(in_english)), chinese(std::move(in_chinese)) {}
  std::string english, chinese;
  bool empty() const { return english.empty(); }
  Words& operator+=(const Words& more);
};

/// What stands in the place of {name}: a number, a name, or other words.
struct Blank {
  Blank(std::string_view blank, int64_t n) : Blank(blank, std::to_string(n)) {}
  Blank(std::string_view blank, const std::string& text) : name(blank), words(text, text) {}
  Blank(std::string_view blank, Words w) : name(blank), words(std::move(w)) {}
  std::string_view name;
  Words words;
};

/// One row of a table.
struct Wording {
  std::string_view english, chinese;
};
/// A blank that nothing is given for is an internal error.
Words fill(const Wording& row, std::initializer_list<Blank> blanks);

/// The names of the blanks of a text, sorted, each once.
std::vector<std::string> blanks_of(std::string_view text);

/// Keeps the Chinese in the phrase book and returns the English. From any thread.
std::string remember(Words words);
/// What was remembered for this English text; none for others. The latest 10,000 texts of up to 2000 bytes are
/// kept.
std::optional<std::string> chinese_of(const std::string& english);
/// The text with its Chinese, to be put into other words; the English twice where there is none.
Words words_of(const std::string& english);
/// chinese_of() when it is asked for and known, else the text itself.
std::string in_language(const std::string& english, bool chinese);

}  // namespace tilescope
