// Which control an argument gets, and what may be typed into it.
#include <doctest/doctest.h>

#include <limits>

#include "visualizer/model/argument_controls.h"

using namespace tilescope;
using namespace tilescope::model;
using Kind = ArgumentControl::Kind;
using Problem = TypedValue::Problem;

namespace {

LaunchSpec grouped() {
  LaunchSpec spec;
  spec.args = {{"a_ptr", TensorSpec{}},    {"M", int64_t{250}},      {"stride_ak", int64_t{1}}, {"eps", 0.5},
               {"flag", true},             {"BLOCK_M", int64_t{32}}, {"GROUP_M", int64_t{3}},   {"NAME", std::string("relu")},
               {"bias", std::monostate{}}};
  return spec;
}
const std::set<std::string> kConstexprs{"BLOCK_M", "GROUP_M", "NAME"};

}  // namespace

TEST_CASE("constexprs come first; powers of two slide, other numbers step, sizes are typed") {
  const auto controls = argument_controls(grouped(), grouped(), kConstexprs);
  std::string shown;
  for (const ArgumentControl& c : controls) shown += c.name + ":" + std::to_string(static_cast<int>(c.kind)) + "=" + c.text + " ";
  CHECK(shown == "BLOCK_M:0=32 GROUP_M:1=3 NAME:4=\"relu\" M:2=250 stride_ak:2=1 eps:2=0.5 flag:3=True bias:4=None ");
  CHECK(controls[0].constexpr_argument);
  CHECK_FALSE(controls[3].constexpr_argument);
}

TEST_CASE("a slider reaches from a quarter of the opened value to four times it and stands still while it moves") {
  LaunchSpec now = grouped();
  now.args[5].value = int64_t{8};
  const ArgumentControl c = argument_controls(now, grouped(), kConstexprs)[0];
  CHECK(c.first_stop == 3);
  CHECK(c.stops == 5);
  CHECK(c.stop == 0);
  now.args[5].value = int64_t{1024};  // typed in the source, beyond the slider: it grows to hold the value
  const ArgumentControl wide = argument_controls(now, grouped(), kConstexprs)[0];
  CHECK(wide.first_stop == 3);
  CHECK(wide.stops == 8);
  CHECK(wide.stop == 7);
  LaunchSpec one = grouped();
  one.args[5].value = int64_t{1};
  CHECK(argument_controls(one, one, kConstexprs)[0].first_stop == 0);
}

TEST_CASE("a constexpr that was no power of two keeps its stepper when it becomes one") {
  LaunchSpec now = grouped();
  now.args[6].value = int64_t{4};
  CHECK(argument_controls(now, grouped(), kConstexprs)[1].kind == Kind::Stepper);
}

TEST_CASE("typed text is a value or is refused with its reason") {
  const ArgValue whole = int64_t{70}, real = 0.5;
  CHECK(std::get<int64_t>(*read_typed_value(" 96 ", whole).value) == 96);
  CHECK(std::get<int64_t>(*read_typed_value("-3", whole).value) == -3);
  CHECK(std::get<int64_t>(*read_typed_value("+7", whole).value) == 7);
  CHECK(std::get<uint64_t>(*read_typed_value("18446744073709551615", whole).value) == UINT64_MAX);
  CHECK(std::get<double>(*read_typed_value("1e-3", real).value) == 1e-3);
  const auto problem = [](std::string_view text, const ArgValue& old) {
    const TypedValue v = read_typed_value(text, old);
    CHECK_FALSE(v.value.has_value());
    return v.problem;
  };
  CHECK(problem("", whole) == Problem::Empty);
  CHECK(problem("  ", whole) == Problem::Empty);
  CHECK(problem("12.5", whole) == Problem::NotWhole);
  CHECK(problem("M", whole) == Problem::NotWhole);
  CHECK(problem("99999999999999999999", whole) == Problem::TooLarge);
  CHECK(problem("abc", real) == Problem::NotANumber);
  CHECK(problem("1e999", real) == Problem::TooLarge);
}

TEST_CASE("a value is moved without passing the end of 64 bits") {
  CHECK(std::get<int64_t>(moved_value(int64_t{70}, -3)) == 67);
  CHECK(std::get<int64_t>(moved_value(std::numeric_limits<int64_t>::max(), 1)) == std::numeric_limits<int64_t>::max());
  CHECK(std::get<double>(moved_value(2.0, 50)) == doctest::Approx(3.0));
  CHECK(std::get<double>(moved_value(0.0, 2)) == doctest::Approx(0.02));
}
