// Tensors of every element type from the command line to a saved file.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/npy.h"
#include "core/tensor.h"
#include "visualizer/terminal/command.h"

using namespace tilescope;

TEST_CASE("`tilescope run` takes and saves tensors of every element type, strided and reversed ones too") {
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_terminal_dtypes";
  std::filesystem::create_directories(folder);
  const std::string kernel = (folder / "kernel.py").string(), saved = (folder / "y.npy").string();
  std::ofstream(kernel) << "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                           "def copy(x_ptr, y_ptr, n):\n    i = tl.program_id(0) * 4 + tl.arange(0, 4)\n"
                           "    tl.store(y_ptr + 3 * i, tl.load(x_ptr - 2 * i, mask=i < n), mask=i < n)\n";
  for (int k = 0; k < kDTypeCount; ++k) {
    const auto t = static_cast<DType>(k);
    const std::string type(dtype_short_name(t));
    CAPTURE(type);
    std::ostringstream out, err;
    const std::vector<double> numbers =
        is_bool(t) ? std::vector<double>{1, 0, 1, 1, 0} : std::vector<double>{4, 0, 3, 2, 1};
    const std::string values = is_bool(t) ? "1,0,1,1,0" : "4,0,3,2,1";
    const int status = terminal::tilescope_main(
        {"run", kernel, "--grid", "cdiv(n, 4)", "--arg", "x_ptr=" + type + "[5]:strides(-2)=values(" + values + ")",
         "--arg", "y_ptr=" + type + "[5]:strides(3)=zeros", "--arg", "n=5", "--save", "y_ptr=" + saved, "--json"},
        out, err);
    CHECK_MESSAGE(status == terminal::kFine, err.str());
    // The saved file is the input of a second run, which overwrites it.
    const int second = terminal::tilescope_main(
        {"run", kernel, "--grid", "2", "--arg", "x_ptr=" + type + "[5]:strides(-2)=npy(" + saved + ")", "--arg",
         "y_ptr=" + type + "[5]:strides(3)=zeros", "--arg", "n=5", "--save", "y_ptr=" + saved, "--json"},
        out, err);
    CHECK_MESSAGE(second == terminal::kFine, err.str());
    const Expected<NpyArray> file = load_npy(saved);
    REQUIRE(file.ok());
    REQUIRE(file->elements() == 5);
    for (size_t i = 0; i < 5; ++i)
      CHECK(read_double(t, file->data.data() + i * static_cast<size_t>(dtype_bytes(t))) == numbers[i]);
  }
  std::filesystem::remove_all(folder);
}
