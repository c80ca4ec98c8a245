#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <string>

#include "visualizer/model/edit_buffer.h"
#include "visualizer/model/text_document.h"
#include "visualizer/model/text_wrap.h"

using namespace tilescope::model;

namespace {

/// The buffer with the cursor at the bar in `text`, which is taken out.
EditBuffer at_bar(std::string text) {
  const size_t bar = text.find('|');
  if (bar != std::string::npos) text.erase(bar, 1);
  EditBuffer b(text);
  b.place(b.document().position_of(bar == std::string::npos ? 0 : bar), false);
  return b;
}
std::string with_bar(const EditBuffer& b) {
  std::string text = b.document().text();
  return text.insert(b.document().offset_of(b.cursor()), "|");
}
template <class Do>
std::string after(const std::string& text, Do act) {
  EditBuffer b = at_bar(text);
  act(b);
  return with_bar(b);
}

std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> pieces = {"a", " ", "x1", "\n", "\r\n", "\t", "(", ")", ":", "#", "\"\"\"", "掩码", "e\xCC\x81", "\xFF", "\r", "    ", "tl.load", "🙂", ""};
  std::string out;
  for (unsigned n = random() % 6; n > 0; --n) out += pieces[random() % pieces.size()];
  return out;
}

CharWidths widths() {
  return CharWidths(1, [](uint32_t) { return 2.f; });
}
std::vector<std::string> wrapped(std::string_view line, float width, size_t comment = std::string_view::npos) {
  std::vector<std::string> out;
  for (const WrappedRow& r : wrap_line(line, width, widths(), comment)) out.push_back(std::string(static_cast<size_t>(r.x), '>') + std::string(line.substr(r.begin, r.end - r.begin)));
  return out;
}

}  // namespace

TEST_CASE("20,000 random edits of the document equal those of a plain string, and undo gives the first bytes back") {
  std::mt19937 random(20261130);
  const std::string original = "def f(x):\r\n    # 注释\n\treturn x\n";
  TextDocument document(original);
  std::string reference = original;
  const auto position = [&] {
    const TextPosition p{random() % document.lines(), random() % 40};
    return document.clamp(p);
  };
  size_t undone = 0, redone = 0;
  std::vector<std::string> states;
  for (int i = 0; i < 20'000; ++i) {
    const unsigned what = random() % 100;
    if (what < 80) {
      TextPosition a = position(), b = what < 40 ? a : document.clamp({a.line + random() % 3, random() % 40});
      if (b < a) std::swap(a, b);
      const std::string with = reference.size() > 4000 ? "" : random_text(random);
      const size_t from = document.offset_of(a), to = document.offset_of(b);
      reference.replace(from, to - from, with);
      const auto join = static_cast<TextDocument::Join>(random() % 3);
      const TextPosition end = document.replace(a, b, with, {a, b}, join);
      REQUIRE(document.clamp(end) == end);
    } else if (what < 90 && document.can_undo()) {
      const std::string before = reference;
      document.undo();
      reference = document.text();
      REQUIRE(document.can_redo());
      document.redo();
      REQUIRE(document.text() == before);
      document.undo();
      ++undone;
    } else if (document.can_redo()) {
      document.redo();
      reference = document.text();
      ++redone;
    }
    if (i % 16 == 0 || what >= 80) {
      REQUIRE(document.text() == reference);
      REQUIRE(document.bytes() == reference.size());
    }
  }
  CHECK(undone > 500);
  CHECK(redone > 100);
  while (document.can_undo()) document.undo();
  CHECK(document.text() == original);
  while (document.can_redo()) document.redo();
  CHECK(document.text() == reference);
}

TEST_CASE("20,000 random keys in the editor keep the cursor on a character and undo to the first bytes") {
  std::mt19937 random(7);
  const std::string original = "@triton.jit\ndef k(x_ptr, N: tl.constexpr):\n    a = tl.load(x_ptr + 掩码,\n                mask=a < N)\n";
  EditBuffer b(original);
  std::string clipboard = "pasted\r\ntext";
  for (int i = 0; i < 20'000; ++i) {
    const bool shift = random() % 3 == 0;
    switch (random() % 16) {
      case 0: case 1: case 2: b.type(random() % 3 == 0 ? "掩" : "q"); break;
      case 3: b.enter(); break;
      case 4: case 5: case 6: b.backspace(); break;
      case 7: b.erase(); break;
      case 8: b.indent(); break;
      case 9: b.unindent(); break;
      case 10: if (b.document().bytes() < 5000) b.paste(clipboard); break;
      case 11: clipboard = random() % 4 == 0 ? b.cut() : b.copy(); if (clipboard.size() > 200) clipboard.resize(1); break;
      case 12: b.move(static_cast<CursorMove>(random() % 8), shift); break;
      case 13: b.place({random() % b.document().lines(), random() % 60}, shift); break;
      case 14: if (random() % 2) b.undo(); else b.redo(); break;
      case 15: if (random() % 8 == 0) b.erase_word_left(); else if (random() % 8 == 0) b.select_word(b.cursor()); break;
    }
    const TextPosition c = b.cursor();
    REQUIRE(b.document().clamp(c) == c);
    REQUIRE(b.document().clamp(b.selection().anchor) == b.selection().anchor);
  }
  while (b.undo()) {
  }
  CHECK(b.document().text() == original);
}

TEST_CASE("the line ends of a file are kept, and new lines get the file's own") {
  CHECK(after("a\r\nb|\r\nc", [](EditBuffer& b) { b.enter(); }) == "a\r\nb\r\n|\r\nc");
  CHECK(after("a|\nb\r\n", [](EditBuffer& b) { b.paste("x\r\ny\rz"); }) == "ax\ny\nz|\nb\r\n");
  CHECK(after("a|\r\nb", [](EditBuffer& b) { b.erase(); }) == "a|b");
  CHECK(after("a\r\n|b", [](EditBuffer& b) { b.backspace(); }) == "a|b");
  CHECK(after("a\r\n|b", [](EditBuffer& b) { b.move(CursorMove::Left, false); }) == "a|\r\nb");
}

TEST_CASE("Enter indents as Python wants it: after a colon, inside brackets, back after them, less after return") {
  const auto enter = [](EditBuffer& b) { b.enter(); };
  CHECK(after("    for k in range(0, K):|", enter) == "    for k in range(0, K):\n        |");
  CHECK(after("    for k in range(0, K):  # why|", enter) == "    for k in range(0, K):  # why\n        |");
  CHECK(after("    a = tl.load(p + x,|", enter) == "    a = tl.load(p + x,\n                |");
  CHECK(after("f(|", enter) == "f(\n    |");
  CHECK(after("    a = tl.load(p + x,\n                mask=m)|", enter) == "    a = tl.load(p + x,\n                mask=m)\n    |");
  CHECK(after("        return x|", enter) == "        return x\n    |");
  CHECK(after("    s = ':'|", enter) == "    s = ':'\n    |");
  CHECK(after("\tif a:|", enter) == "\tif a:\n\t\t|");
}

TEST_CASE("Tab and Backspace go from stop to stop in the indentation; Tab shifts selected lines") {
  CHECK(after("  |x", [](EditBuffer& b) { b.indent(); }) == "    |x");
  CHECK(after("ab|c", [](EditBuffer& b) { b.indent(); }) == "ab  |c");
  CHECK(after("        |x", [](EditBuffer& b) { b.backspace(); }) == "    |x");
  CHECK(after("      |x", [](EditBuffer& b) { b.backspace(); }) == "    |x");
  CHECK(after("      |x", [](EditBuffer& b) { b.unindent(); }) == "  |x");
  EditBuffer b("a\n  b\n\nc");
  b.select_all();
  b.indent();
  CHECK(b.document().text() == "    a\n      b\n\n    c");
  b.unindent();
  CHECK(b.document().text() == "a\n  b\n\nc");
  b.unindent();
  CHECK(b.document().text() == "a\nb\n\nc");
  CHECK(b.undo());
  CHECK(b.undo());
  CHECK(b.undo());
  CHECK(b.document().text() == "a\n  b\n\nc");
  CHECK_FALSE(b.undo());
}

TEST_CASE("the cursor steps over whole characters: Chinese, combining marks, bytes that are no UTF-8") {
  const std::string line = "a掩e\xCC\x81\xFFz";
  std::vector<size_t> stops;
  for (size_t at = 0; at < line.size();) stops.push_back(at = next_character(line, at));
  CHECK(stops == std::vector<size_t>{1, 4, 7, 8, 9});
  std::vector<size_t> back;
  for (size_t at = line.size(); at > 0;) back.push_back(at = previous_character(line, at));
  CHECK(back == std::vector<size_t>{8, 7, 4, 1, 0});
  CHECK(word_around("tl.load(x)", 4) == std::pair<size_t, size_t>{3, 7});
  CHECK(word_around("x)", 1) == std::pair<size_t, size_t>{0, 1});
}

TEST_CASE("typed characters are undone word by word, with the cursor where it was") {
  EditBuffer b("x");
  b.move(CursorMove::LineEnd, false);
  for (const char* c : {" ", "a", "b", " ", "c", "d"}) b.type(c);
  CHECK(b.document().text() == "x ab cd");
  b.undo();
  CHECK(with_bar(b) == "x ab |");
  b.undo();
  CHECK(with_bar(b) == "x |");
  b.redo();
  CHECK(with_bar(b) == "x ab |");
}

TEST_CASE("replacing the whole text is one step of undo and keeps the lines that are the same") {
  EditBuffer b("one\ntwo\nthree\n");
  b.document().take_changes();
  b.replace_all("one\n2\n2b\nthree\n");
  CHECK(b.document().text() == "one\n2\n2b\nthree\n");
  CHECK(b.document().take_changes() == std::vector<LineChange>{{1, 2, 3}});
  b.undo();
  CHECK(b.document().text() == "one\ntwo\nthree\n");
  for (const char* text : {"", "one", "\n", "one\r\ntwo\n", "three\n", "x\nthree\n", "one\ntwo\nthree\nfour", "one\ntwo\n"}) {
    b.replace_all(text);
    CHECK(b.document().text() == text);
    b.undo();
    CHECK(b.document().text() == "one\ntwo\nthree\n");
  }
}

TEST_CASE("pasting 100,000 lines and typing into them stays fast") {
  std::string paste;
  for (int i = 0; i < 100'000; ++i) paste += "    value = value + 1  # line\n";
  EditBuffer b("a\nb\n");
  const auto start = std::chrono::steady_clock::now();
  b.paste(paste);
  b.place({50'000, 3}, false);
  for (int i = 0; i < 20; ++i) b.type("x"), b.enter();
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  CHECK(b.document().lines() == 100'000 + 3 + 20);
  CHECK(ms < 1000);
  while (b.undo()) {
  }
  CHECK(b.document().text() == "a\nb\n");
}

TEST_CASE("long lines wrap behind commas and blanks, one stop deeper, and hold every byte") {
  CHECK(wrapped("short", 20) == std::vector<std::string>{"short"});
  CHECK(wrapped("    a = tl.load(p, mask=m)", 20) == std::vector<std::string>{"    a = tl.load(p, ", ">>>>>>>>mask=m)"});
  CHECK(wrapped("abcdefghij", 6) == std::vector<std::string>{"abcdef", ">>>ghi", ">>>j"});
  CHECK(wrapped("x = 1  # why it is so", 12, 7) == std::vector<std::string>{"x = 1  ", ">>>># why it ", ">>>>is so"});
  CHECK(wrapped("p + rows[:, None] * K + ks[None, :]", 14) == std::vector<std::string>{"p + rows[:, ", ">>>>None] * K ", ">>>>+ ks[None, ", ">>>>:]"});
  CHECK(wrapped("p + rows[:, None] * K + ks[None, :]", 20) == std::vector<std::string>{"p + rows[:, None] * ", ">>>>K + ks[None, :]"});
  CHECK(wrapped("    mask=(rows[:, None] < M) & m", 22) == std::vector<std::string>{"    mask=(", ">>>>>>>>rows[:, None] ", ">>>>>>>>< M) & m"});
  CHECK(wrapped("  # a comment of its own", 16, 2) == std::vector<std::string>{"  # a comment of ", ">>>>>>its own"});
  CHECK(wrapped("# 掩码的最后，不", 12) == std::vector<std::string>{"# 掩码的最", ">>>>后，不"});
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string line;
    for (int n = 0; n < 12; ++n) line += random_text(random);
    std::erase(line, '\n');
    const float width = 4 + static_cast<float>(random() % 40);
    const auto rows = wrap_line(line, width, widths(), random() % 3 ? std::string::npos : line.find('#'));
    size_t at = 0;
    for (const WrappedRow& r : rows) {
      REQUIRE(r.begin == at);
      REQUIRE((r.end > r.begin || line.empty()));
      at = r.end;
      const size_t middle = (r.begin + r.end) / 2;
      const size_t column = column_at(line, r, offset_in_row(line, r, middle, widths()), widths());
      REQUIRE(column <= r.end);
      REQUIRE(column >= r.begin);
    }
    REQUIRE(at == line.size());
  }
}
