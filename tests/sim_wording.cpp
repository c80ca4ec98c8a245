// What the simulator says, in both languages.
#include <doctest/doctest.h>

#include "sim/words.h"
#include "tests/sim_exec_data.h"

namespace tilescope {
namespace {

using testing::Bench;

std::string chinese(const std::string& english) { return chinese_of(english).value_or("(none)"); }

TEST_CASE("every row of the simulator's table has both languages with the same blanks") {
  for (const Wording& row : sim_wordings()) {
    INFO(std::string(row.english));
    CHECK(blanks_of(row.english) == blanks_of(row.chinese));
  }
}

TEST_CASE("an access out of bounds and its hint are in Chinese, too") {
  Bench b;
  b.range("x_ptr", DType::Float32, {17, 32});
  const RunTrace t = b.run("def kernel(x_ptr):\n    for i in range(2):\n        x = tl.load(x_ptr + 512 + i * 16 + tl.arange(0, 32))\n        tl.store(x_ptr + tl.arange(0, 32), x)\n", {1, 1, 1});
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].message == "load out of bounds of `x_ptr`: lane 16 reads element 544 of 544 (row 16, column 32 of shape [17, 32]), in iteration 1 (i = 1) of the loop at line 6");
  CHECK(chinese(t.faults[0].message) == "加载越界：lane 16 读 `x_ptr` 的元素 544，而它一共 544 个元素（第 16 行第 32 列，形状是 [17, 32]），在第 6 行循环的迭代 1（i = 1）");
  CHECK(chinese(t.faults[0].hint) == "这次加载没有用 mask 关掉列号 >= 32 的 lane：尾部有 16 个 lane 没有关掉");
}

TEST_CASE("a race, an overflow and a value that nobody gave are in Chinese, too") {
  Bench b;
  b.tensor("x_ptr", DType::Int32, {64});
  RunOptions all;
  all.check = Checkers::all();
  RunTrace t = b.run("def kernel(x_ptr):\n    tl.store(x_ptr + tl.arange(0, 32), tl.program_id(0))\n", {2, 1, 1}, all);
  REQUIRE(t.faults.size() == 1);
  CHECK(chinese(t.faults[0].message) == "`x_ptr` 上有数据竞争：program 1 写元素 0，而 program 0 也写它");
  CHECK(chinese(t.faults[0].hint) == "两个 program 写的是同一个 tile：这次写回的偏移没有把它们区分开");
  t = b.run("def kernel(x_ptr):\n    x = tl.load(x_ptr + tl.arange(0, 32), mask=tl.arange(0, 32) < 8)\n    tl.store(x_ptr + 32 + tl.arange(0, 32), x)\n", {1, 1, 1}, all);
  REQUIRE(t.faults.size() == 1);
  CHECK(chinese(t.faults[0].message).starts_with("写回的值没有定义：lane "));
  t = b.run("def kernel(x_ptr):\n    tl.store(x_ptr + (tl.program_id(0) + 32768) * 65536, 1)\n", {1, 1, 1}, all);
  REQUIRE(!t.faults.empty());
  CHECK(t.faults[0].message.find("it should be 2147483648 and is -2147483648") != std::string::npos);
  CHECK(chinese(t.faults[0].message).find("超出 32 位而溢出：应为 2147483648，实际是 -2147483648") != std::string::npos);
}

TEST_CASE("a program that does not end says so in both languages") {
  Bench b;
  b.tensor("x_ptr", DType::Int32, {4});
  RunOptions o;
  o.limits.max_steps_per_program = 1000;
  const RunTrace t = b.run("def kernel(x_ptr):\n    i = 1\n    while i > 0:\n        i = 1\n    tl.store(x_ptr, i)\n", {1, 1, 1}, o);
  REQUIRE(t.faults.size() == 1);
  CHECK(chinese(t.faults[0].message).starts_with("program 运行了 1000 步还没有结束"));
  CHECK(chinese(t.faults[0].hint).starts_with("循环会结束吗？"));
}

}  // namespace
}  // namespace tilescope
