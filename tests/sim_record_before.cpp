// Memory as it is when a program starts.
#include "tests/sim_record_data.h"

namespace tilescope {
namespace {

using testing::Recordable;
using testing::recordable;
using testing::same_bytes;

struct Finished {
  std::vector<Tensor> tensors;
  RunTrace totals;
};

Finished finish(const Recordable& c) {
  Finished out;
  for (const Tensor& t : c.launch.tensors) out.tensors.push_back(t);
  std::vector<Argument> arguments = c.launch.arguments;
  for (Argument& a : arguments)
    if (a.tensor != nullptr) a.tensor = &out.tensors[static_cast<size_t>(a.tensor - c.launch.tensors.data())];
  RunOptions options;
  options.maps = true;
  out.totals = run(c.launch.kernel.function, arguments, c.launch.grid, options);
  return out;
}

ProgramIndex program_at(const Launch& l, int64_t p) {
  return {p % l.grid[0], p / l.grid[0] % l.grid[1], p / l.grid[0] / l.grid[1]};
}

// Both ways give the same memory for every program.
int check_both_ways(const Recordable& c) {
  const Finished f = finish(c);
  int calls = 0;
  const int64_t programs = c.launch.grid[0] * c.launch.grid[1] * c.launch.grid[2];
  for (int64_t p = 0; p < programs; p += programs / 6 + 1) {
    const auto ran = tensors_before(c.launch, program_at(c.launch, p), nullptr, nullptr);
    const auto joined = tensors_before(c.launch, program_at(c.launch, p), &f.tensors, &f.totals,
                                       [&](int64_t, int64_t) { return ++calls, true; });
    for (size_t t = 0; t < ran->size(); ++t) CHECK(same_bytes((*ran)[t], (*joined)[t]));
  }
  return calls;
}

const std::string kInPlace = R"(def kernel(x_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(x_ptr + at, x * 2, mask=at < n)
)";
const std::string kInPlaceLaunch =
    R"("grid": [4], "args": {"x_ptr": {"tensor": "float32", "shape": [100], "init": {"randn": 1}}, "n": 100, "B": 32})";

TEST_CASE("memory before a program comes from a finished run where programs do not meddle") {
  for (const char* name : {"vector_add", "matmul", "grouped_matmul"}) {
    CAPTURE(name);
    CHECK(check_both_ways(recordable(testing::lesson(name))) == 0);
  }
  CHECK(check_both_ways(recordable(kInPlace, kInPlaceLaunch)) == 0);
}

TEST_CASE("programs that read what others wrote, or write one element twice, are run again") {
  const Recordable chain = recordable(
      R"(def kernel(x_ptr, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + at)
    tl.store(x_ptr + at + B, x + 1)
)",
      R"("grid": [6], "args": {"x_ptr": {"tensor": "int32", "shape": [112], "init": {"full": 0}}, "B": 16})");
  CHECK(check_both_ways(chain) > 0);
  const auto last = tensors_before(chain.launch, {5, 0, 0}, nullptr, nullptr);
  CHECK(read_int64(DType::Int32, (*last)[0].element(5 * 16)) == 5);
  CHECK(read_int64(DType::Int32, (*last)[0].element(6 * 16)) == 0);
  const Recordable sum =
      recordable(R"(def kernel(x_ptr):
    tl.atomic_add(x_ptr, 1 + tl.program_id(0))
)",
                 R"("grid": [5], "args": {"x_ptr": {"tensor": "int32", "shape": [1], "init": {"full": 0}}})");
  CHECK(check_both_ways(sum) > 0);
  const Recordable scattered =
      recordable(R"(def kernel(x_ptr, B: tl.constexpr):
    tl.store(x_ptr + tl.program_id(0) + 4 * tl.arange(0, B), tl.program_id(0))
)",
                 R"("grid": [4], "args": {"x_ptr": {"tensor": "int32", "shape": [32], "init": {"full": -1}}, "B": 8})");
  CHECK(check_both_ways(scattered) > 0);
}

TEST_CASE("an in-place kernel shows the values of the step, not those after the run") {
  Recordable c = recordable(kInPlace, kInPlaceLaunch);
  const Finished f = finish(c);
  c.program = {1, 0, 0};
  c.before = tensors_before(c.launch, c.program, &f.tensors, &f.totals);
  const auto r = c.record();
  const uint64_t steps = r->trace().steps.size();
  const double first = read_double(DType::Float32, c.launch.tensors[0].element(40));
  auto value = [&](int64_t element, uint64_t done) {
    return read_double(DType::Float32, r->memory(0, done).element(element));
  };
  CHECK(value(40, 0) == first);
  CHECK(value(40, steps - 1) == first);
  CHECK(value(40, steps) == 2 * first);
  CHECK(value(40, 0) == first);
  CHECK(value(3, 0) == 2 * read_double(DType::Float32, c.launch.tensors[0].element(3)));
  CHECK(value(70, steps) == read_double(DType::Float32, c.launch.tensors[0].element(70)));
}

TEST_CASE("tensors that nobody changed share the launch's memory") {
  const Recordable c = recordable(testing::lesson("matmul"));
  const auto before = tensors_before(c.launch, {1, 0, 0}, nullptr, nullptr);
  CHECK((*before)[0].storage.data() == c.launch.tensors[0].storage.data());
  CHECK((*before)[2].storage.data() != c.launch.tensors[2].storage.data());
  CHECK((*tensors_before(c.launch, {}, nullptr, nullptr))[2].storage.data() == c.launch.tensors[2].storage.data());
}

TEST_CASE("running the programs before can be stopped") {
  const Recordable c = recordable(
      R"(def kernel(x_ptr, n):
    s = 0
    for i in range(n):
        s += i
    tl.atomic_add(x_ptr, s)
)",
      R"("grid": [100000], "args": {"x_ptr": {"tensor": "int32", "shape": [1], "init": {"full": 0}}, "n": 20000})");
  int calls = 0;
  CHECK(tensors_before(c.launch, {99999, 0, 0}, nullptr, nullptr, [&](int64_t done, int64_t total) {
          CHECK(done < total);
          CHECK(total == 99999);
          return ++calls < 2;
        }) == nullptr);
  CHECK(calls == 2);
}

}  // namespace
}  // namespace tilescope
