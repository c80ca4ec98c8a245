#include "visualizer/model/lesson_answer.h"

#include <filesystem>
#include <memory>

#include "core/compile.h"
#include "visualizer/model/text_file.h"

namespace tilescope::model {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMostBytes = size_t{4} << 20;

}  // namespace

std::string answers_folder_beside(const std::string& settings) {
  return settings.empty() ? settings : (fs::path(settings).parent_path() / "answers").string();
}

Expected<LessonAnswer> open_answer(const std::string& folder, const std::string& lesson, const std::string& start_path) {
  Expected<SourcePtr> start = read_source(start_path);
  if (!start) return start.errors();
  if (folder.empty()) return LessonAnswer{*start, KernelFile({}, (*start)->text)};
  const std::string path = (fs::path(folder) / (lesson + ".py")).string();
  std::error_code ec;
  if (!fs::exists(path, ec)) return LessonAnswer{*start, KernelFile::not_yet(path, (*start)->text)};
  const std::optional<std::string> kept = read_text_file(path, kMostBytes);
  // Saving will find that the file is not this text, or cannot be written at all.
  if (!kept) return LessonAnswer{*start, KernelFile(path, (*start)->text)};
  auto text = std::make_shared<SourceFile>();
  text->path = (*start)->path;
  text->text = *kept;
  return LessonAnswer{std::move(text), KernelFile(path, *kept)};
}

KernelFile::Result save_answer(KernelFile& file, const std::string& text) {
  std::error_code ec;
  if (!file.path().empty()) fs::create_directories(fs::path(file.path()).parent_path(), ec);
  if (ec) return {KernelFile::Outcome::Failed, ec.message()};
  return file.save(text);
}

}  // namespace tilescope::model
