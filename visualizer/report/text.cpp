#include "visualizer/report/text.h"

#include <algorithm>

#include "core/trimmed.h"

namespace tilescope::report {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

struct Character {
  uint32_t code = 0;
  size_t bytes = 1;  ///< to step over
  bool valid = false;
};

/// Strict: no overlong forms, no surrogates, nothing past U+10FFFF.
Character next_character(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const uint32_t first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {};
  uint32_t code = first & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (starts_character(text[at + i])) return {};
    code = code << 6 | (byte(at + i) & 0x3Fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, length, true};
}

}  // namespace

size_t width_of(std::string_view text) { return std::count_if(text.begin(), text.end(), starts_character); }

std::string with_commas(uint64_t n) {
  std::string digits = std::to_string(n);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string counted(uint64_t n, std::string_view noun) {
  return with_commas(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

std::string times_text(uint64_t n) { return n == 1 ? "once" : n == 2 ? "twice" : with_commas(n) + " times"; }

std::string shape_text(const std::vector<int64_t>& shape) {
  if (shape.empty()) return "scalar";
  std::string out;
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? " x " : "") + std::to_string(shape[i]);
  return out;
}

std::string shortened(std::string_view text, size_t width) {
  if (width_of(text) <= width) return std::string(text);
  size_t end = 0, columns = 0;
  for (; end < text.size(); ++end)
    if (starts_character(text[end]) && ++columns > width - 3) break;
  return std::string(text.substr(0, end)) + "...";
}

std::string printable(std::string_view text) {
  constexpr const char* kReplacement = "\xEF\xBF\xBD";
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Character c = next_character(text, at);
    const bool turns = c.code == 0x200E || c.code == 0x200F || (c.code >= 0x2028 && c.code <= 0x202E) ||
                       (c.code >= 0x2066 && c.code <= 0x2069) || c.code == 0xFEFF || c.code == 0xFFFE ||
                       c.code == 0xFFFF;
    if (c.code == '\t')
      out += ' ';
    else if (!c.valid || c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0) || turns)
      out += kReplacement;
    else
      out += text.substr(at, c.bytes);
    at += c.bytes;
  }
  return out;
}

std::string_view trimmed_line(const SourcePtr& source, int line) {
  return source ? trimmed(source->line(line)) : std::string_view{};
}

}  // namespace tilescope::report
