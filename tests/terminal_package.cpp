// The installed package: another project finds it, builds against it and runs. The command finds its lessons there.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fs = std::filesystem;

namespace {

/// A folder that goes when the test is over.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("tilescope_package_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() {
    std::error_code ec;
    fs::remove_all(path, ec);
  }
};

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Runs a command of the shell in a folder; its status, and what it printed.
std::pair<int, std::string> shell(const fs::path& folder, const std::string& command) {
  const fs::path log = folder / "log.txt";
  const int status = std::system(("cd '" + folder.string() + "' && ( " + command + " ) >'" + log.string() + "' 2>&1").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(log)};
}

#define RUN(folder, command)                                \
  [&] {                                                     \
    const auto [status, text] = shell(folder, command);     \
    REQUIRE_MESSAGE(status == 0, (command), "\n", text);      \
    return text;                                            \
  }()

}  // namespace

TEST_CASE("a project builds against the installed package, runs a kernel written in C++ and draws its window") {
  Folder folder;
  const std::string prefix = (folder.path / "installed").string(), moved = (folder.path / "moved").string();
  RUN(folder.path, "cmake --install '" TILESCOPE_BUILD_DIR "' --prefix '" + prefix + "'");
  // Nothing in it depends on where it was installed.
  fs::rename(prefix, moved);

  SUBCASE("the example") {
    RUN(folder.path, "cmake -S '" TILESCOPE_SOURCE_DIR "/tests/example' -B example -DCMAKE_PREFIX_PATH='" + moved +
                         "' -DCMAKE_BUILD_TYPE=Debug && cmake --build example");
#ifdef TILESCOPE_WINDOW
    const std::string said = RUN(folder.path, "example/softmax --shot softmax.png");
#else
    const std::string said = shell(folder.path, "example/softmax").second;
#endif
    CHECK(said.find("softmax_rows") != std::string::npos);
    CHECK(said.find("y_ptr") != std::string::npos);
    const bool compared = said.find("y_ptr: all 800 elements are equal to the last bit") != std::string::npos;
    CHECK((compared || said.find("no GPU here: ") != std::string::npos));
    CHECK(said.find("row 0 begins 0.0068") != std::string::npos);
    CHECK(said.find("and sums to 1\n") != std::string::npos);
#ifdef TILESCOPE_WINDOW
    const std::string picture = text_of(folder.path / "softmax.png");
    CHECK(picture.substr(1, 3) == "PNG");
    CHECK(picture.size() > 60'000);  // of a window with empty panels 55'000
#endif
  }

  SUBCASE("the command finds the lessons that were installed with it") {
    const std::string said = RUN(folder.path, moved + "/bin/tilescope lesson && " + moved + "/bin/tilescope check " + moved +
                                                  "/share/tilescope/lessons/kernels/softmax/launch.json");
    CHECK(said.find("softmax") != std::string::npos);
    CHECK(fs::exists(moved + "/share/tilescope/lessons/03_masks/lesson.json"));
    CHECK(fs::exists(moved + "/share/tilescope/LANGUAGE.md"));
    CHECK_FALSE(fs::exists(moved + "/share/tilescope/lessons/lesson.cpp"));
  }

  SUBCASE("installed headers include each other by the package's name") {
    int headers = 0;
    for (const auto& entry : fs::recursive_directory_iterator(moved + "/include/tilescope")) {
      if (!entry.is_regular_file()) continue;
      ++headers;
      const std::string text = text_of(entry.path());
      for (const char* room : {"core", "sim", "gpu", "lessons", "visualizer"})
        CHECK_MESSAGE(text.find(std::string("#include \"") + room + "/") == std::string::npos, entry.path().string());
    }
    CHECK(headers >= 15);
  }
}

TEST_CASE("a project that holds the source tree by add_subdirectory has the installed package's names and headers") {
  Folder folder;
  std::ofstream(folder.path / "CMakeLists.txt") << "cmake_minimum_required(VERSION 3.24)\n"
                                                   "project(outer LANGUAGES CXX)\n"
                                                   "add_subdirectory(" TILESCOPE_SOURCE_DIR " tilescope)\n"
                                                   "add_executable(app softmax.cpp)\n"
                                                   "target_link_libraries(app PRIVATE tilescope::tilescope)\n"
                                                   "add_library(tiny tiny.cpp)\n"
                                                   "target_link_libraries(tiny PRIVATE tilescope::core)\n";
  fs::copy_file(TILESCOPE_SOURCE_DIR "/tests/example/softmax.cpp", folder.path / "softmax.cpp");
  std::ofstream(folder.path / "tiny.cpp") << "#include <tilescope/core/types.h>\nint bits() { return tilescope::dtype_bits(tilescope::DType::Float16); }\n";
  const std::string said = RUN(folder.path, "cmake -S . -B b -G Ninja -DBUILD_SHARED_LIBS=ON -DTILESCOPE_WINDOW=OFF");
  CHECK(said.find("Without the window: TILESCOPE_WINDOW is OFF") != std::string::npos);
  CHECK(said.find("libraries stay static") != std::string::npos);
  // Every library is found by the link, and all that goes into the shared one is relocatable.
  const std::string link = RUN(folder.path, "ninja -C b -t commands app | tail -n 1");
  for (const char* library : {"libtilescope_library.a", "libtilescope_sim.a", "libtilescope_core.a", "md4c", "fmt", "gomp"})
    CHECK_MESSAGE(link.find(library) != std::string::npos, link);
  CHECK(link.find("imgui") == std::string::npos);
  const std::string core = RUN(folder.path, "ninja -C b -t commands tiny | grep core/types.cpp");
  CHECK(core.find("-fPIC") != std::string::npos);
  // Neither the tests nor an installation of Tilescope come with it.
  CHECK(shell(folder.path, "ninja -C b -t query tests_core").first != 0);
  RUN(folder.path, "cmake --install b --prefix nowhere");
  CHECK_FALSE(fs::exists(folder.path / "nowhere/include"));
  // What includes the headers compiles; to compile all of Tilescope once more for the link would take minutes.
  RUN(folder.path, "ninja -C b CMakeFiles/app.dir/softmax.cpp.o");
  CHECK(fs::exists(folder.path / "b/tilescope/include/tilescope/tilescope.h"));
}
