// What the source panel says about each line: facts of the step, errors by line, lines across edits, colours.
#include <memory>
#include <random>
#include <string>

#include "tests/window_session.h"
#include "visualizer/model/highlight.h"
#include "visualizer/model/source_view.h"
#include "visualizer/model/text_document.h"

using namespace tilescope;
using namespace tilescope::model;

namespace {

/// "rows = 0..31, c 1024 on": every value of the statement on `line` in short.
std::string values_at(const SourceView& view, int line) {
  const LineFacts* f = view.at(line);
  if (f == nullptr) return "no statement";
  std::string out;
  for (const LineValue& v : f->values) {
    if (!out.empty()) out += ", ";
    out += v.name + " ";
    switch (v.summary.form) {
      case Summary::Form::On: out += std::to_string(v.summary.on) + " on"; break;
      case Summary::Form::Reach: out += std::to_string(v.summary.on) + " reach " + v.summary.name; break;
      case Summary::Form::Span: out += v.summary.low + " to " + v.summary.high; break;
      default: out += v.summary.text;
    }
  }
  return out;
}
SourceView view_at(Controller& c, SourceFacts& facts, size_t line_step) {
  c.go_to_line_step(line_step);
  return facts.view(*c.scene());
}

SourcePtr source_of(std::string text) {
  auto file = std::make_shared<SourceFile>();
  file->path = "kernel.py";
  file->text = std::move(text);
  return file;
}

/// The line's spans as "load:tl.load name:x ..."; blanks and plain words left out.
std::string colours(std::string_view line, const KnownNames& names = {{"tl", "triton"}, {"BLOCK"}}, LineStart start = {}) {
  static constexpr const char* kRoles[] = {"name", "constexpr", "word", "string", "comment", "load", "store", "dot", "reduce", "broken"};
  std::string out;
  for (const TextSpan& s : highlight_line(line, start, names)) {
    if (s.role == TextRole::Word || s.role == TextRole::Name) continue;
    out += (out.empty() ? "" : " ") + std::string(kRoles[static_cast<int>(s.role)]) + ":" + std::string(line.substr(s.begin, s.end - s.begin));
  }
  return out;
}

}  // namespace

TEST_CASE("matmul: each line knows how often it ran up to the step, its values and its lanes") {
  auto c = opened_lesson("matmul");
  c->select_program({2, 1, 0});
  settle(*c);
  SourceFacts facts;
  SourceView start = view_at(*c, facts, 0);
  CHECK(start.at(8)->current);
  CHECK(start.at(8)->times == 1);
  CHECK(values_at(start, 8) == "rows 64..95");
  CHECK(start.at(13)->times == 0);
  CHECK(start.at(13)->times_in_all == 2);
  CHECK(start.at(13)->values.empty());
  CHECK(start.at(3) == nullptr);

  c->go_to_line(17);
  c->move(StepUnit::Iteration, 1);
  const SourceView dot = facts.view(*c->scene());
  CHECK(dot.at(17)->current);
  CHECK(dot.at(17)->kind == StepKind::Dot);
  CHECK(dot.at(17)->times == 2);
  CHECK(dot.at(11)->times == 2);
  CHECK(values_at(dot, 11) == "k 32");
  CHECK(values_at(dot, 12) == "ks 32..63");
  // Rows 64..69 of 70 and ks 32..49 of 50: 6 x 18 elements of a; 18 x 13 of b.
  CHECK(values_at(dot, 13) == "a 108 on");
  CHECK(dot.at(14) == dot.at(13));
  CHECK(dot.at(13)->line == 13);
  CHECK(dot.at(13)->end_line == 14);
  CHECK(dot.at(13)->lanes().on == 108);
  CHECK(dot.at(13)->lanes().masked == 1024 - 108);
  CHECK(dot.at(15)->lanes().on == 18 * 13);
  CHECK(values_at(dot, 17) == "acc 78 reach c_ptr");
  CHECK(values_at(dot, 10) == "acc 78 reach c_ptr");  // overwritten since, and still said
  CHECK(dot.at(18)->times == 0);
  CHECK(dot.at(18)->lanes().on == 0);

  c->go_to_end();
  const SourceView end = facts.view(*c->scene());
  CHECK(end.at(18)->current);
  CHECK(end.at(18)->kind == StepKind::Store);
  CHECK(end.at(18)->lanes().on == 6 * 13);
  CHECK(end.at(18)->lanes().writes);
  REQUIRE(end.at(18)->launch.size() == 1);
  CHECK(end.at(18)->launch[0].tensor == "c_ptr");
  CHECK(end.at(18)->launch[0].counters.lanes_active == 70 * 45);
  CHECK(end.at(18)->launch[0].counters.bytes == 70 * 45 * 4);
}

TEST_CASE("softmax: a variable that is assigned twice shows on each line what that line gave it") {
  auto c = opened_lesson("softmax");
  c->go_to_end();
  SourceFacts facts;
  const SourceView view = facts.view(*c->scene());
  CHECK(values_at(view, 7) == "row 0");
  CHECK(values_at(view, 8) == "cols 0..1023");
  CHECK(values_at(view, 9) == "mask 1000 on");
  CHECK(values_at(view, 10) == "x 1000 on");
  REQUIRE(view.at(11)->values.size() == 1);
  CHECK(view.at(11)->values[0].name == "x");
  CHECK(values_at(view, 11) != values_at(view, 10));
  CHECK(view.at(11)->kind == StepKind::Reduce);
  CHECK(view.at(14)->lanes().on == 1000);
  c->go_to_line_step(3);
  const SourceView loaded = facts.view(*c->scene());
  CHECK(loaded.at(10)->current);
  CHECK(values_at(loaded, 10) == "x 1000 on");
  CHECK(loaded.at(11)->values.empty());
}

TEST_CASE("a launch that reads past its end marks the line, and lanes beyond the end are counted") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [2], "args": {"x_ptr": {"tensor": "float32", "shape": [100], "init": "ones"},
                             "y_ptr": {"tensor": "float32", "shape": [128], "init": "empty"}}})",
                         "@triton.jit\ndef k(x_ptr, y_ptr):\n    i = tl.program_id(0) * 64 + tl.arange(0, 64)\n"
                         "    x = tl.load(x_ptr + i)\n    tl.store(y_ptr + i, x)\n");
  c->select_program({1, 0, 0});
  settle(*c);
  c->go_to_end();
  SourceFacts facts;
  const SourceView view = facts.view(*c->scene());
  REQUIRE(view.at(6) != nullptr);
  CHECK(view.at(6)->lanes().out_of_bounds == 28);
  REQUIRE(view.at(6)->faults.size() >= 1);
  CHECK(c->scene()->run.totals->trace.faults[view.at(6)->faults[0]].kind == FaultKind::OutOfBounds);
}

TEST_CASE("what device_print and static_print say stands beside their lines") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [2], "args": {"x_ptr": {"tensor": "float32", "shape": [128], "init": "ones"}, "B": 64}})",
                         "@triton.jit\ndef k(x_ptr, B: tl.constexpr):\n    tl.static_print(\"block\", B)\n"
                         "    i = tl.program_id(0) * B + tl.arange(0, B)\n    x = tl.load(x_ptr + i)\n"
                         "    tl.device_print(\"sum and lanes\", tl.sum(x, 0), i)\n    x += 1\n    tl.device_print(\"x\", x)\n    tl.store(x_ptr + i, x)\n");
  c->select_program({1, 0, 0});
  settle(*c);
  SourceFacts facts;
  c->go_to_start();
  SourceView view = facts.view(*c->scene());
  REQUIRE(view.at(5) != nullptr);
  REQUIRE(view.at(5)->values.size() == 1);
  CHECK(view.at(5)->values[0].summary.text == "block 64");
  CHECK(!view.at(5)->values[0].variable);
  REQUIRE(view.at(8) != nullptr);
  CHECK(view.at(8)->values.empty());  // not printed yet
  c->go_to_end();
  view = facts.view(*c->scene());
  REQUIRE(view.at(8)->values.size() == 2);
  CHECK(view.at(8)->values[0].name == "sum and lanes");
  CHECK(!view.at(8)->values[0].variable);
  CHECK(view.at(8)->values[0].summary.text == "64");
  CHECK(view.at(8)->values[1].name == "i");
  CHECK(view.at(8)->values[1].summary.text == "64..127");
  REQUIRE(view.at(10)->values.size() == 1);
  CHECK(view.at(10)->values[0].name == "x");
  CHECK(view.at(10)->values[0].variable);
  CHECK(view.at(10)->values[0].summary.form == Summary::Form::Same);
  CHECK(view.at(10)->values[0].summary.text == "2");
}

TEST_CASE("errors stand under their lines with what was underlined, and follow the lines while the text is edited") {
  auto c = opened_lesson("matmul");
  TextDocument document(c->session().published().text->text);
  const std::string good = document.text();
  const TextPosition end_of_12{11, document.line(11).size()};
  document.replace(end_of_12, end_of_12, " + rows[:, None] + nothing", {});
  c->edit(document.text());
  settle(*c);
  const Published run = c->session().published();
  REQUIRE_FALSE(run.errors.empty());
  CHECK(run.stale);
  const std::vector<TextMessage> messages = text_messages(run.errors, run.text);
  REQUIRE_FALSE(messages.empty());
  CHECK(messages[0].line == 12);
  REQUIRE_FALSE(messages[0].marks.empty());
  CHECK(messages[0].marks[0].line == 12);
  CHECK(run.text->line(12).substr(static_cast<size_t>(messages[0].marks[0].column - 1), 7) == "nothing");

  // The launch from before the edit still has its facts; the changed line has none.
  LineMap map(good, document);
  CHECK(map.now(11) == 11);
  CHECK(map.now(12) == 0);
  CHECK(map.now(13) == 13);
  document.replace({0, 0}, {0, 0}, "# a line more\n", {});
  const LineMap moved(run.text->text, document);
  CHECK(moved.now(messages[0].line) == 13);
  CHECK(moved.then(13) == 12);
  CHECK(moved.then(1) == 0);
}

TEST_CASE("lines are found again in an edited text, CRLF or not") {
  const TextDocument same("a\r\nb\r\n");
  const LineMap identity("a\r\nb\r\n", same);
  for (int line = 1; line <= 3; ++line) CHECK(identity.now(line) == line);
  CHECK(identity.now(4) == 0);
  const TextDocument longer("a\nx\ny\nb");
  const LineMap map("a\nb", longer);
  CHECK(map.now(1) == 1);
  CHECK(map.now(2) == 4);
  CHECK(map.then(4) == 2);
  CHECK(map.then(2) == 0);
  const TextDocument shorter("b");
  const LineMap cut("a\nb\nc", shorter);
  CHECK(cut.now(1) == 0);
  CHECK(cut.nearest(3) == 1);
  const TextDocument empty("");
  CHECK(LineMap("a\nb", empty).nearest(2) == 1);
  CHECK(LineMap("", empty).now(1) == 1);
}

TEST_CASE("errors of another file stand above the text and name their place; library errors stand at the call") {
  const SourcePtr kernel = source_of("def k():\n    f()\n");
  auto other = std::make_shared<SourceFile>();
  other->path = "launch.json";
  other->text = "{\n";
  Diagnostic launch;
  launch.message = "bad value";
  launch.range = {other, 1, 2, 1, 3};
  Diagnostic inside;
  inside.message = "cannot add";
  inside.range = {other, 1, 1, 1, 2};
  inside.calls = std::make_shared<CallFrame>(CallFrame{"f", {kernel, 2, 5, 2, 8}, nullptr});
  const std::vector<TextMessage> out = text_messages({launch, inside, plain_error("no such file", "look again")}, kernel);
  REQUIRE(out.size() == 3);
  CHECK(out[0].line == 0);
  CHECK(out[0].message == "launch.json:1:2: bad value");
  CHECK(out[1].line == 2);
  CHECK(out[1].called_from == std::vector<std::string>{"in call to f at line 2"});
  CHECK(out[2].line == 0);
  CHECK(out[2].hint == "look again");
}

TEST_CASE("loads, stores, dots and reductions have the colours of their operations, as a whole") {
  CHECK(colours("a = tl.load(p + BLOCK, mask=m)  # read") == "load:tl.load constexpr:BLOCK comment:# read");
  CHECK(colours("tl.store(p, x); tl.atomic_add(q, y)") == "store:tl.store store:tl.atomic_add");
  CHECK(colours("acc = tl.dot(a, b, acc) + x.sum(0) - tl.max(x, 1)") == "dot:tl.dot reduce:sum reduce:tl.max");
  CHECK(colours("y = max(a, b) + tl.maximum(a, b)") == "");
  CHECK(colours("load = x.load") == "");
  CHECK(colours("s = \"tl.load # no\" + 'x'") == "string:\"tl.load # no\" string:'x'");
  const TextDocument document("import triton.language as T\ndef k(p, B: T.constexpr, C : tl.constexpr = 3):\n  D = T.constexpr(4)\n");
  const KnownNames names = known_names(document);
  CHECK(names.modules.contains("T"));
  CHECK(names.constexprs == std::set<std::string, std::less<>>{"B", "C", "D"});
  CHECK(colours("T.load(B)", names) == "load:T.load constexpr:B");
  CHECK(name_at("x = tl.load(rows)", {}, 13) == "rows");
  CHECK(name_at("x = tl.load(rows)", {}, 8) == "");
  CHECK(comment_start("x = '#'  # why", {}) == 9);
}

TEST_CASE("a triple-quoted string goes on over lines") {
  LineStart s = after_line("x = \"\"\"begins", {});
  CHECK(s.quote == '"');
  CHECK(colours("tl.load(", {{"tl"}, {}}, s) == "string:tl.load(");
  s = after_line("# still inside '''", s);
  CHECK(s.quote == '"');
  CHECK(colours("end\"\"\" + tl.load(x)", {{"tl"}, {}}, s) == "string:end\"\"\" load:tl.load");
  CHECK(after_line("end\"\"\" + 1", s).quote == 0);
  CHECK(after_line("'a' \"b\" # '''", {}).quote == 0);
  CHECK(after_line("'open", {}).quote == 0);
}

TEST_CASE("broken text is coloured without harm: spans are in order and inside the line, whatever it holds") {
  std::mt19937 random(11);
  const std::vector<std::string> pieces = {"tl.", "load", "(", ")", "\"\"\"", "'", "\\", "#", "\xFF", "掩", "0x", "1e", ".", "@", "\t", " ", std::string(1, '\0'), "'''", "f\"{", "def ", "]", "BLOCK"};
  LineStart start;
  for (int i = 0; i < 3000; ++i) {
    std::string line;
    for (unsigned n = random() % 14; n > 0; --n) line += pieces[random() % pieces.size()];
    uint32_t at = 0;
    for (const TextSpan& s : highlight_line(line, start, {{"tl"}, {"BLOCK"}})) {
      REQUIRE(s.begin >= at);
      REQUIRE(s.end > s.begin);
      REQUIRE(s.end <= line.size());
      at = s.end;
    }
    const size_t column = random() % 20;
    const std::string_view name = name_at(line, start, column);
    REQUIRE(name.size() <= line.size());
    start = after_line(line, start);
    if (random() % 8 == 0) start = {};
  }
}
