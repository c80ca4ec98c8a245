#include "visualizer/model/lesson_answer.h"

#include <filesystem>
#include <memory>

#include "core/compile.h"
#include "visualizer/model/text_file.h"

namespace tilescope::model {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMostBytes = size_t{4} << 20;

std::string aside_path(const std::string& answer) {
  const fs::path p = answer;
  return (p.parent_path().parent_path() / (p.stem().string() + ".kept.py")).string();
}

SourcePtr with_text(const SourcePtr& start, std::string text) {
  auto out = std::make_shared<SourceFile>();
  out->path = start->path;
  out->text = std::move(text);
  return out;
}

}  // namespace

std::string answers_folder_beside(const std::string& settings) {
  return settings.empty() ? settings : (fs::path(settings).parent_path() / "answers").string();
}

Expected<LessonAnswer> open_answer(const std::string& folder, const std::string& lesson, const std::string& start_path) {
  Expected<SourcePtr> start = read_source(start_path);
  if (!start) return start.errors();
  if (folder.empty()) return LessonAnswer{*start, KernelFile({}, (*start)->text), {}};
  const std::string path = (fs::path(folder) / (lesson + ".py")).string();
  std::error_code ec;
  if (!fs::exists(path, ec)) return LessonAnswer{*start, KernelFile::not_yet(path, (*start)->text), {}};
  const std::optional<std::string> kept = read_text_file(path, kMostBytes);
  // Saving will find that the file is not this text, or cannot be written at all.
  if (!kept) {
    const std::string aside = aside_path(path);
    const std::optional<std::string> saved = read_text_file(aside, kMostBytes);
    return saved ? LessonAnswer{with_text(*start, *saved), KernelFile(path, (*start)->text), aside} : LessonAnswer{*start, KernelFile(path, (*start)->text), {}};
  }
  return LessonAnswer{with_text(*start, *kept), KernelFile(path, *kept), {}};
}

std::optional<std::string> keep_aside(const std::string& answer, const std::string& text, std::string& aside) {
  std::error_code ec;
  const std::string path = aside.empty() ? unused_path(aside_path(answer)) : aside;
  fs::create_directories(fs::path(path).parent_path(), ec);
  if (ec) return ec.message();
  if (auto problem = write_text_file(path, text)) return problem;
  aside = path;
  return std::nullopt;
}

KernelFile::Result save_answer(KernelFile& file, const std::string& text) {
  std::error_code ec;
  if (!file.path().empty()) fs::create_directories(fs::path(file.path()).parent_path(), ec);
  if (ec) return {KernelFile::Outcome::Failed, ec.message()};
  return file.save(text);
}

}  // namespace tilescope::model
