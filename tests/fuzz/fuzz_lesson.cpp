// Any text as lesson.json, between the other files of the first lesson: a lesson or errors, each with its words.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lessons/lesson.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

/// A copy of the first lesson, made once and taken away at the end.
struct Copy {
  fs::path path = fs::temp_directory_path() / ("tilescope_fuzz_lesson_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
  Copy() { fs::copy(fs::path(TILESCOPE_SOURCE_DIR) / "lessons/01_programs", path, fs::copy_options::recursive); }
  ~Copy() { fs::remove_all(path); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Copy copy;
  std::ofstream(copy.path / "lesson.json", std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto lesson = lessons::load_lesson(copy.path.string());
  if (!lesson) {
    if (render(lesson.errors()).empty()) std::abort();
    return 0;
  }
  for (size_t page = 0; page < lesson->pages.size(); ++page) lessons::exercise_of(*lesson, page);
  lessons::launches_of(*lesson);
  return 0;
}
