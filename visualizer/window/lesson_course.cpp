#include "visualizer/window/lesson_course.h"

#include <algorithm>
#include <filesystem>

#include "lessons/catalogue.h"
#include "visualizer/model/lesson_answer.h"

namespace tilescope::window {
namespace {

namespace fs = std::filesystem;

fs::path absolute(const std::string& folder) {
  std::error_code ec;
  fs::path p = fs::absolute(folder, ec).lexically_normal();
  return p.has_filename() ? p : p.parent_path();  // "lessons/01_programs/" too
}

LessonCourse::Row row_of(int number, std::string name, const lessons::Lesson& l) {
  return {number, std::move(name), l.folder, l.title, l.pages.size(), l.exercise.has_value()};
}

}  // namespace

LessonFiles lesson_files_beside(const std::string& settings) {
  if (settings.empty()) return {};
  return {model::progress_path_beside(settings), model::answers_folder_beside(settings)};
}

std::string name_of(const lessons::Lesson& lesson) { return absolute(lesson.folder).filename().string(); }

LessonCourse::LessonCourse(const lessons::Lesson& open, LessonFiles files) : files_(std::move(files)) {
  const std::string name = name_of(open);
  for (const lessons::CatalogueEntry& e : lessons::list_lessons(absolute(open.folder).parent_path().string())) {
    if (e.name == name) {
      rows_.push_back(row_of(e.number, e.name, open));
    } else if (const Expected<lessons::Lesson> other = lessons::load_lesson(e.folder)) {
      rows_.push_back(row_of(e.number, e.name, *other));
    }
  }
  if (find(name) == nullptr) rows_.insert(rows_.begin(), row_of(0, name, open));  // its folder is not named like a lesson's
  if (!files_.progress.empty()) progress_ = model::load_progress(files_.progress);
}

const LessonCourse::Row* LessonCourse::find(const std::string& name) const {
  const auto it = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.name == name; });
  return it == rows_.end() ? nullptr : &*it;
}

const LessonCourse::Row* LessonCourse::after(const std::string& name) const {
  const Row* row = find(name);
  return row == nullptr || row == &rows_.back() ? nullptr : row + 1;
}

std::string LessonCourse::kept_name(const std::string& name) const {
  const Row* row = find(name);
  return row == nullptr ? name : lessons::kept_name(row->folder);
}

model::LessonProgress LessonCourse::progress(const std::string& name) const {
  const auto it = progress_.find(kept_name(name));
  return it == progress_.end() ? model::LessonProgress{} : it->second;
}

bool LessonCourse::is_finished(const Row& row) const {
  return model::is_finished(progress(row.name), row.pages, row.has_exercise);
}

std::optional<std::string> LessonCourse::keep(const std::string& name, const model::LessonProgress& now) {
  std::optional<std::string> problem = model::keep_progress(files_.progress, progress_, kept_name(name), now);
  if (!problem || complained_) return std::nullopt;
  complained_ = true;
  return files_.progress + ": " + *problem;
}

}  // namespace tilescope::window
