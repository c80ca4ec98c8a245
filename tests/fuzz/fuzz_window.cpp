// Any text as what the window keeps between starts, as a script of its input, and as keys in its editor.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "visualizer/model/edit_buffer.h"
#include "visualizer/model/lesson_progress.h"
#include "visualizer/model/settings.h"
#include "visualizer/window/script.h"

using namespace tilescope;
using namespace tilescope::model;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("tilescope_fuzz_window_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  /// The only file in the folder.
  std::string with(const std::string& name, const std::string& text) const {
    for (const auto& e : fs::directory_iterator(path)) fs::remove(e.path());
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
};

/// What was read can be saved, and reads the same.
void use_kept_files(const Folder& folder, const std::string& text) {
  const std::string window = folder.with("window.json", text);
  std::string problem;
  if (const auto settings = load_settings(window, problem)) {
    ViewState state;
    apply(*settings, state);
    if (save_settings(window, *settings) || load_settings(window, problem) == std::nullopt) std::abort();
  } else if (problem.empty()) {
    std::abort();
  }
  const std::string lessons = folder.with("lessons.json", text);
  Progress progress = load_progress(lessons);
  if (keep_progress(lessons, progress, "01_programs", {2, true})) std::abort();
  if (load_progress(lessons)["01_programs"].page < 2) std::abort();
}

/// Each byte is a key; some take the bytes after them. Undone to the beginning, the text is the first one again.
void use_editor(const std::string& keys) {
  const std::string first = keys.substr(0, keys.size() / 2);
  EditBuffer buffer(first);
  for (size_t i = 0; i < keys.size() && i < 400; ++i) {
    const auto key = static_cast<unsigned char>(keys[i]);
    const std::string_view more = std::string_view(keys).substr(i, 1 + key % 7);
    const TextPosition place{key % 5u, static_cast<unsigned char>(more.back()) % 9u};
    switch (key % 19) {
      case 0: case 1: case 2: buffer.move(static_cast<CursorMove>(key % 8), key > 127); break;
      case 3: buffer.place(place, key > 127); break;
      case 4: buffer.select_word(place); break;
      case 5: buffer.select_line(key % 7); break;
      case 6: buffer.select_all(); break;
      case 7: case 8: buffer.type(more); break;
      case 9: buffer.paste(more); break;
      case 10: buffer.enter(); break;
      case 11: buffer.backspace(); break;
      case 12: buffer.erase(); break;
      case 13: buffer.erase_word_left(); break;
      case 14: buffer.erase_word_right(); break;
      case 15: key > 127 ? buffer.indent() : buffer.unindent(); break;
      case 16: buffer.paste(key > 127 ? buffer.cut() : buffer.copy()); break;
      case 17: key > 127 ? buffer.undo() : buffer.redo(); break;
      case 18: buffer.replace_all(more); break;
    }
    if (buffer.document().text().size() != buffer.document().bytes()) std::abort();
    if (buffer.document().clamp(buffer.cursor()) != buffer.cursor()) std::abort();
  }
  while (buffer.undo()) {}
  if (buffer.document().text() != first) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  const std::string text(reinterpret_cast<const char*>(data), size);
  use_kept_files(folder, text);
  auto source = std::make_shared<SourceFile>(SourceFile{"fuzz.script", text});
  if (const auto script = window::parse_script(source); !script && render(script.errors()).empty()) std::abort();
  use_editor(text);
  return 0;
}
