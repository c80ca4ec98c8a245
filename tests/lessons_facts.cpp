// The numbers that the lessons teach, computed by their launches.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/arg_spec.h"
#include "core/compile.h"
#include "lessons/lesson.h"
#include "lessons/numbers.h"

using namespace tilescope;
using namespace tilescope::lessons;

namespace {

/// A lesson's launch, run; with `to` in place of `from` in the kernel's text.
struct Run {
  Launch launch;
  RunTrace totals;
  std::vector<Diagnostic> errors;  ///< the kernel does not compile
  explicit Run(const std::string& name, const std::string& from = "", const std::string& to = "", const std::vector<LaunchArg>& args = {}) {
    Expected<LaunchSpec> spec = load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/" + name + "/launch.json");
    REQUIRE(spec.ok());
    for (const LaunchArg& a : args) set_arg(*spec, a);
    const Expected<SourcePtr> source = read_source(spec->kernel_path);
    REQUIRE(source.ok());
    SourceFile text = **source;
    if (!from.empty()) {
      const size_t at = text.text.find(from);
      REQUIRE(at != std::string::npos);
      text.text.replace(at, from.size(), to);
    }
    Expected<CompiledKernel> kernel = compile_kernel(compile_request(*spec, std::make_shared<const SourceFile>(text)));
    if (!kernel) errors = kernel.errors();
    if (!kernel) return;
    Expected<std::vector<Tensor>> tensors = make_tensors(*spec);
    REQUIRE(tensors.ok());
    Expected<Launch> bound = bind_launch(*spec, std::move(*kernel), std::move(*tensors));
    REQUIRE(bound.ok());
    launch = std::move(*bound);
    RunOptions options;
    options.maps = true;
    totals = execute(launch, options);
  }
  std::string operator()(const std::string& name) const { return number_of(name, launch, totals, launch.tensors).value_or("none"); }
  double y(int64_t row, int64_t column) const {
    const Tensor& t = *launch.find_tensor("y_ptr");
    return read_double(t.dtype, t.element(t.origin + t.layout.offset_of({row, column})));
  }
};

}  // namespace

TEST_CASE("programs: cdiv(1000, 256) = 4, and which elements each of them takes") {
  const Run n("01_programs");
  CHECK(n("programs") == "4");
  for (int p = 0; p < 4; ++p) {
    const std::string number = std::to_string(p);
    CHECK(n("first x_ptr of " + number) == std::to_string(256 * p));
    CHECK(n("last x_ptr of " + number) == (p == 3 ? "999" : std::to_string(256 * p + 255)));
  }
  CHECK(n("= cdiv(n, 128)") == "8");
}

TEST_CASE("offsets: those of program 1 are 256 to 511, and 256 fp32 elements are 1024 bytes") {
  const Run n("02_offsets");
  for (const char* tensor : {"x_ptr", "y_ptr", "out_ptr"}) {
    CHECK(n(std::string("first ") + tensor + " of 1") == "256");
    CHECK(n(std::string("last ") + tensor + " of 1") == "511");
  }
  CHECK(n("= BLOCK * 4") == "1024");
}

TEST_CASE("masks: 232 lanes of the last program are on and 24 off; without the mask it leaves the tensors") {
  const Run n("03_masks");
  CHECK(n("lanes_on x_ptr of 3") == "232");
  CHECK(n("lanes_off x_ptr of 3") == "24");
  CHECK(n("lanes_off x_ptr of 2") == "0");
  CHECK(n("bytes x_ptr") == "4000");
  const Run open("03_masks", "y_ptr + offsets, mask=mask, other=0.0", "y_ptr + offsets");
  REQUIRE(open.totals.faults.size() == 1);
  CHECK(open.totals.faults[0].kind == FaultKind::OutOfBounds);
  CHECK(open.totals.faults[0].count == 24);
  const Run too_far("03_masks", "offsets < n", "offsets <= n");
  REQUIRE(!too_far.totals.faults.empty());
  CHECK(too_far.totals.faults[0].offset == 1000);
}

TEST_CASE("words: 4 programs of 4 warps are 512 threads with 2 elements each") {
  const Run n("04_words");
  CHECK(n("= num_warps * 32") == "128");
  CHECK(n("= BLOCK // (32 * num_warps)") == "2");
  CHECK(n("= programs * num_warps * 32") == "512");
  CHECK(n("requests x_ptr") == "32");
  CHECK(n("sectors x_ptr") == "250");
}

TEST_CASE("reduction: the numbers 1 to 8 add up to 36") {
  const Run n("05_reduction");
  CHECK(n("element out_ptr 0") == "36");
  CHECK(n("element out_ptr 1") == "31");
}

TEST_CASE("stability: [1000, 1001, 1002] gives what [1, 2, 3] gives, and NaN without the maximum") {
  const Run n("06_stability");
  const double expected[] = {0.0900, 0.2447, 0.6652};
  for (int row : {0, 1, 3})
    for (int i = 0; i < 3; ++i) CHECK(n.y(row, i) == doctest::Approx(expected[i]).epsilon(1e-3));
  CHECK(n("element y_ptr 0 2") == "0.665");
  CHECK(n.y(2, 0) == 0);
  CHECK(n.y(2, 2) == 1);
  const Run naive("06_stability", "cols, y, mask", "cols, naive_y, mask");
  CHECK(naive.y(0, 1) == doctest::Approx(0.2447).epsilon(1e-3));
  for (int i = 0; i < 3; ++i) CHECK(std::isnan(naive.y(1, i)));
  // exp(88) is finite in fp32, exp(89) is not.
  CHECK(naive.y(3, 0) == 0);
  CHECK(std::isnan(naive.y(3, 1)));
}

TEST_CASE("matmul: C of [96, 80] in 32 x 32 tiles is 3 x 3 programs, and each walks along K in rounds") {
  const Run n("08_matmul");
  CHECK(n("grid x") == "3");
  CHECK(n("grid y") == "3");
  CHECK(n("= N - (cdiv(N, BLOCK_N) - 1) * BLOCK_N") == "16");
  CHECK(n("= programs * cdiv(K, BLOCK_K)") == "18");
  CHECK(n("reuse a_ptr max") == "3");
  CHECK(n("reuse b_ptr max") == "3");
  CHECK(n("= cdiv(8, 2) * cdiv(8, 2) * cdiv(6, 2)") == "48");
}

TEST_CASE("matmul by hand: 1 to 16 times B in 2 x 2 tiles") {
  Expected<LaunchSpec> spec = load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/08_matmul/small.json");
  REQUIRE(spec.ok());
  Expected<Launch> launch = prepare_launch(*spec);
  REQUIRE(launch.ok());
  const RunTrace t = execute(*launch, {});
  CHECK(t.faults.empty());
  CHECK(t.programs == 4);
  const int expected[4][4] = {{7, 10, 4, 6}, {19, 22, 12, 14}, {31, 34, 20, 22}, {43, 46, 28, 30}};
  const Tensor& c = *launch->find_tensor("c_ptr");
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t k = 0; k < 4; ++k) CHECK(read_double(c.dtype, c.element(c.origin + c.layout.offset_of({r, k}))) == expected[r][k]);
}

TEST_CASE("addresses: program 1's first tile of a 4 x 4 matrix, other strides, and a row and a column mixed up") {
  const Run n("09_addresses");
  CHECK(n("first a_ptr of 1") == "8");
  CHECK(n("last a_ptr of 1") == "15");
  CHECK(n("element out_ptr 1") == "26");  // 5 + 6 + 7 + 8
  const Run columns("09_addresses", "", "", {{"stride_m", int64_t{1}}, {"stride_k", int64_t{4}}});
  CHECK(columns("element out_ptr 1") == "32");  // 2 + 6 + 10 + 14
  const std::string right = "rows[:, None] * stride_m + ks[None, :] * stride_k", wrong = "rows[None, :] * stride_m + ks[:, None] * stride_k";
  const Run square("09_addresses", right, wrong);
  CHECK(square.errors.empty());
  CHECK(square("element out_ptr 1") != "26");
  const Run oblong("09_addresses", right, wrong, {{"BLOCK_M", int64_t{4}}});
  REQUIRE(!oblong.errors.empty());
  CHECK(oblong.errors[0].hint.find("swapped [:, None] and [None, :]") != std::string::npos);
}

TEST_CASE("edges: 70, 45, 50 in 32s reach 26 rows, 14 columns and 19 places too far") {
  const Run n("10_edges");
  CHECK(n("grid x") == "3");
  CHECK(n("grid y") == "2");
  CHECK(n("= cdiv(K, BLOCK_K)") == "2");
  CHECK(n("= cdiv(M, BLOCK_M) * BLOCK_M - M") == "26");
  CHECK(n("= cdiv(N, BLOCK_N) * BLOCK_N - N") == "14");
  CHECK(n("= cdiv(K, BLOCK_K) * BLOCK_K - K") == "19");
  // Rows need their mask, unless they wrap around.
  const std::string mask = "mask=(rows[:, None] < M) & (ks[None, :] < K)";
  const Run open("10_edges", mask, "mask=ks[None, :] < K");
  REQUIRE(!open.totals.faults.empty());
  CHECK(open.totals.faults[0].tensor == "a_ptr");
  const Run wrapped("10_edges", "rows[:, None] * K + ks[None, :],\n                    " + mask, "(rows[:, None] % M) * K + ks[None, :],\n                    mask=ks[None, :] < K");
  CHECK(wrapped.totals.faults.empty());
  CHECK(wrapped("element c_ptr 69 49") == n("element c_ptr 69 49"));
  // A fill of 7 in B alone changes nothing: it meets A's zeros.
  const Run filled("10_edges", "(cols[None, :] < N), other=0.0", "(cols[None, :] < N), other=7.0");
  CHECK(filled("element c_ptr 69 49") == n("element c_ptr 69 49"));
  const Run small("10_edges", "", "", {{"BLOCK_K", int64_t{8}}});
  CHECK(!small.errors.empty());
  CHECK(Run("10_edges", "", "", {{"BLOCK_N", int64_t{8}}}).errors.empty());
  CHECK(Run("10_edges", "", "", {{"BLOCK_M", int64_t{2}}}).errors.empty());
}

TEST_CASE("why tiles: the loads shrink with the tile; 512 GiB, 4 GiB and 128 MiB for 4096^3 in fp32") {
  const Run n("11_why_tiles");
  CHECK(n("reuse a_ptr max") == "4");
  CHECK(n("bytes a_ptr") == "32,768");
  const std::vector<LaunchArg> one{{"BLOCK_M", int64_t{1}}, {"BLOCK_N", int64_t{1}}};
  const Run single("11_why_tiles", "", "", one);
  CHECK(single("reuse a_ptr max") == "64");
  CHECK(single("reuse b_ptr max") == "64");
  CHECK(n("= 4096 * 4096 * 4096 * 2 * 4 // 1073741824") == "512");
  CHECK(n("= 4096 * 4096 * (4096 // 128) * 2 * 4 // 1073741824") == "4");
  CHECK(n("= 4096 * 4096 * 2 * 4 // 1048576") == "128");
}

TEST_CASE("order: nine programs of 9 x 9 tiles need 90 pieces row by row, 54 in groups of 3 rows") {
  const auto pieces = [](int64_t group) {
    const Run n("12_order", "", "", {{"GROUP_M", group}});
    CHECK(n("programs") == "81");
    // A band is 16 x 32 numbers: with K in 9 rounds it would be 9 pieces.
    return 9 * (std::stoi(n("loaded a_ptr by 9")) + std::stoi(n("loaded b_ptr by 9"))) / (16 * 32);
  };
  CHECK(pieces(1) == 90);
  CHECK(pieces(3) == 54);
  const Run n("12_order");
  for (const char* wrong : {"loaded a_ptr by", "loaded q by 9", "loaded a_ptr by x", "loaded a_ptr by -1"}) CHECK(n(wrong) == "none");
}

TEST_CASE("softmax: 5 numbers in 8 lanes, and what a fill of 0 does to a row of negative ones") {
  const Run n("07_softmax");
  CHECK(n("lanes_off x_ptr of 0") == "3");
  CHECK(n("bytes x_ptr") == "60");
  CHECK(n("reuse x_ptr max") == "1");
  const double x[] = {-3, -2, -5, -1, -4};
  double sum = 0;
  for (double v : x) sum += std::exp(v + 1);
  for (int i = 0; i < 5; ++i) CHECK(n.y(1, i) == doctest::Approx(std::exp(x[i] + 1) / sum).epsilon(1e-5));
  // The maximum is 0 then, and each of the three lanes adds exp(0) = 1.
  const Run filled("07_softmax", "other=-float(\"inf\")", "other=0.0");
  double with_zeros = 3;
  for (double v : x) with_zeros += std::exp(v);
  for (int i = 0; i < 5; ++i) CHECK(filled.y(1, i) == doctest::Approx(std::exp(x[i]) / with_zeros).epsilon(1e-5));
}

TEST_CASE("to the GPU: the kernel and launch are those of the recorded run; 128 threads, 8 numbers of a 32 x 32 tile each") {
  const Run lesson("13_gpu"), recorded("kernels/matmul");
  CHECK((*read_source(lesson.launch.spec.kernel_path))->text == (*read_source(recorded.launch.spec.kernel_path))->text);
  for (const char* name : {"programs", "shape a_ptr", "shape b_ptr", "shape c_ptr", "element c_ptr 69 44"}) CHECK(lesson(name) == recorded(name));
  CHECK(lesson("programs") == "6");
  CHECK(lesson("= num_warps * 32") == "128");
  CHECK(lesson("= BLOCK_M * BLOCK_N // (num_warps * 32)") == "8");
  CHECK(lesson("elements a_ptr") == "3500");
  CHECK(lesson("elements b_ptr") == "2250");
  CHECK(lesson("elements c_ptr") == "3150");
}

TEST_CASE("clinic: what the pages say about the nine patients") {
  const std::string patients = "14_clinic/patients/";
  const Run mask(patients + "patient_1");
  REQUIRE_FALSE(mask.totals.faults.empty());
  CHECK(mask.totals.faults[0].count == 24);
  const Run fill(patients + "patient_3");
  double sum = 0;
  for (int column = 0; column < 5; ++column) sum += fill.y(0, column);
  CHECK(sum < 0.9);
  CHECK(fill.y(0, 3) == doctest::Approx(std::exp(-1.0) / (std::exp(-3.0) + std::exp(-2.0) + std::exp(-5.0) + std::exp(-1.0) + std::exp(-4.0) + 3)));
  const Run half(patients + "patient_4");
  for (int64_t column = 0; column < 32; ++column) {
    const double c = read_double(DType::Float32, half.launch.find_tensor("c_ptr")->element(column));
    CHECK((c < 1024 || c == std::floor(c)));
  }
  CHECK_FALSE(Run(patients + "patient_5").errors.empty());
  CHECK(Run(patients + "patient_5", "", "", {{"BLOCK_M", int64_t{32}}}).errors.empty());
  const Run stride(patients + "patient_6");
  CHECK(stride("value K") == "40");
  const Run early(patients + "patient_7");
  CHECK(early("= K % BLOCK_K") == "13");
  const Run race(patients + "patient_8");
  CHECK(race("programs") == "6");
  const Tensor& c = *race.launch.find_tensor("c_ptr");
  const std::vector<uint32_t>& stores = race.totals.element_counts.back().stores;
  for (int64_t row = 0; row < 70; ++row)
    for (int64_t column = 0; column < 50; ++column) {
      const bool stored = row / 32 == column / 32;
      CHECK(stores[static_cast<size_t>(c.origin + c.layout.offset_of({row, column}))] == (stored ? 2 : 0));
    }
}
