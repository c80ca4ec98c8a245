#include "core/diagnostic.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "core/excerpt.h"
#include "core/words.h"

namespace tilescope {
namespace {

std::string one_of(const Words& w, bool chinese) { return chinese ? w.chinese : w.english; }

/// "error: ..."; what is in English only is introduced in Chinese.
std::string headline(const Diagnostic& d, bool chinese) {
  const Blank message{"message", cut_middle(in_language(d.message, chinese), kMessageBytes)};
  switch (d.severity) {
    case Diagnostic::Severity::Warning: return one_of(say(CoreWords::SeverityWarning, {message}), chinese);
    case Diagnostic::Severity::Note: return one_of(say(CoreWords::SeverityNote, {message}), chinese);
    case Diagnostic::Severity::Error: break;
  }
  // With a place in a kernel it comes from the compiler.
  const bool foreign = chinese && d.range.valid() && !chinese_of(d.message);
  return one_of(say(foreign ? CoreWords::CompilerSays : CoreWords::SeverityError, {message}), chinese);
}

std::string place(const SourceRange& r) {
  return r.file->path + ":" + std::to_string(r.line) + ":" + std::to_string(r.column) + ": ";
}

struct Underline {
  int begin, end;  // columns, half open
  std::string label;
};

/// Columns shown on screen: a tab stays a tab in the source line, so the caret line repeats it.
std::string padding(std::string_view line, int columns) {
  std::string out;
  for (int i = 0; i < columns; ++i) {
    unsigned char c = i < static_cast<int>(line.size()) ? line[i] : ' ';
    if ((c & 0xC0) == 0x80) continue;  // a continuation byte of UTF-8 takes no column
    out += c == '\t' ? '\t' : ' ';
  }
  return out;
}

/// Draws carets left to right; a label follows its carets unless it would run into the next underline, which moves it
/// to a line of its own. An underline inside another one is drawn with ~.
std::string underline_lines(std::string_view line, std::vector<Underline> marks, const std::string& gutter) {
  std::sort(marks.begin(), marks.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
  std::string row, extra;
  int at = 1;                    // next column to draw
  std::vector<size_t> starts;    // byte in `row` where each column starts, for underlines inside others
  auto draw = [&](const std::string& text, int columns) {
    for (int i = 0; i < columns; ++i) starts.push_back(row.size() + (static_cast<int>(text.size()) == columns ? i : 0));
    row += text;
    at += columns;
  };
  auto draw_carets = [&](int bytes) {  // a character of several bytes takes one caret
    for (int i = 0; i < bytes; ++i) {
      starts.push_back(row.size());
      const unsigned char c = at - 1 < static_cast<int>(line.size()) ? line[at - 1] : ' ';
      if (i == 0 || (c & 0xC0) != 0x80) row += '^';
      ++at;
    }
  };
  for (size_t i = 0; i < marks.size(); ++i) {
    Underline& m = marks[i];
    if (m.begin < at) {
      for (int c = m.begin; c < m.end && c < at; ++c)
        if (starts[c - 1] < row.size() && row[starts[c - 1]] == '^') row[starts[c - 1]] = '~';
      if (!m.label.empty()) extra = gutter + padding(line, m.begin - 1) + m.label + "\n" + extra;
      continue;
    }
    draw(padding(line.substr(std::min<size_t>(at - 1, line.size())), m.begin - at), m.begin - at);
    draw_carets(std::max(1, m.end - m.begin));
    if (m.label.empty()) continue;
    const bool nested_follows = i + 1 < marks.size() && marks[i + 1].begin < at;
    const int room = i + 1 < marks.size() ? marks[i + 1].begin - at : 1 << 20;
    // How wide other characters are on screen is the terminal's choice: nothing must line up behind them.
    const bool plain = std::all_of(m.label.begin(), m.label.end(), [](char c) { return (c & 0x80) == 0; });
    if (!nested_follows && static_cast<int>(m.label.size()) + 2 <= room && (plain || i + 1 == marks.size()))
      draw(" " + m.label, 1 + static_cast<int>(m.label.size()));
    else
      extra += gutter + padding(line, m.begin - 1) + m.label + "\n";
  }
  return gutter + row + "\n" + extra;
}

void append_snippet(std::string& out, const Diagnostic& d, bool chinese) {
  std::map<int, std::vector<Underline>> by_line;
  auto add = [&](const SourceRange& r, const std::string& label) {
    if (!r.valid() || r.file != d.range.file) return;
    by_line[r.line].push_back({r.column, end_in_first_line(r), label});
  };
  add(d.range, in_language(d.range_label, chinese));
  for (const Label& l : d.labels) add(l.range, in_language(l.text, chinese));
  size_t width = 5;
  for (auto& [number, marks] : by_line) width = std::max(width, std::to_string(number).size() + 2);
  for (auto& [number, marks] : by_line) {
    std::string n = std::to_string(number);
    const Excerpt part = excerpt_around(d.range.file->line(number), marks[0].begin, marks[0].end);
    for (Underline& m : marks) m = {part.column(m.begin), part.column(m.end), cut_middle(std::move(m.label), kExcerptColumns)};
    out += std::string(width - n.size(), ' ') + n + " | " + part.text + "\n";
    out += underline_lines(part.text, marks, std::string(width, ' ') + " | ");
  }
}

}  // namespace

std::string_view SourceFile::line(int number) const {
  size_t begin = 0;
  for (int i = 1; i < number; ++i) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) return {};
    begin = end + 1;
  }
  size_t end = std::min(text.find('\n', begin), text.size());
  std::string_view out = std::string_view(text).substr(begin, end - begin);
  if (!out.empty() && out.back() == '\r') out.remove_suffix(1);
  return out;
}

std::string render(const Diagnostic& d) { return render(d, false); }

std::string render(const Diagnostic& d, bool chinese) {
  std::string out;
  if (d.range.valid()) out += place(d.range);
  out += headline(d, chinese) + "\n";
  if (d.range.valid()) append_snippet(out, d, chinese);
  if (!d.hint.empty()) out += "   " + one_of(say(CoreWords::HintLine, {{"hint", cut_middle(in_language(d.hint, chinese), kMessageBytes)}}), chinese) + "\n";
  for (const CallFrame* f = d.calls.get(); f != nullptr; f = f->outer.get()) {
    std::string at = f->call.valid() ? place(f->call) : std::string();
    if (!at.empty()) at.resize(at.size() - 2);
    const Blank callee{"callee", cut_middle(f->callee, kExcerptColumns)};
    out += one_of(at.empty() ? say(CoreWords::InCall, {callee}) : say(CoreWords::InCallAt, {callee, {"place", at}}), chinese) + "\n";
  }
  return out;
}

std::string render(const std::vector<Diagnostic>& ds) { return render(ds, false); }

std::string render(const std::vector<Diagnostic>& ds, bool chinese) {
  std::string out;
  for (const Diagnostic& d : ds) out += render(d, chinese);
  return out;
}

Diagnostic plain_error(std::string message, std::string hint) {
  Diagnostic d;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

void internal_error(std::string_view what) {
  std::fprintf(stderr, "internal error (this is a bug in Tilescope): %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace tilescope
