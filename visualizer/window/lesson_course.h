// The lessons beside the one that is open, and how far a person has come in them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lessons/lesson.h"
#include "visualizer/model/lesson_progress.h"

namespace tilescope::window {

/// Where progress and answers are kept between starts. Empty: nowhere.
struct LessonFiles {
  std::string progress, answers;
};
/// Beside the window's settings; nowhere when those are not kept.
LessonFiles lesson_files_beside(const std::string& settings);

class LessonCourse {
 public:
  struct Row {
    int number = 0;
    std::string name, folder;  ///< "01_programs"
    lessons::PerLanguage<std::string> title;
    size_t pages = 0;
    bool has_exercise = false;
  };

  /// The lessons in the folder that this one lies in; those that cannot be read are left out.
  LessonCourse(const lessons::Lesson& open, LessonFiles files);

  const std::vector<Row>& rows() const { return rows_; }
  const Row* find(const std::string& name) const;
  /// The one after `name`; null: it is the last.
  const Row* after(const std::string& name) const;

  const LessonFiles& files() const { return files_; }
  /// What progress and answer of a lesson of this course are kept under (lessons/catalogue.h).
  std::string kept_name(const std::string& name) const;
  model::LessonProgress progress(const std::string& name) const;
  /// It was passed, or read to its end when it has no exercise.
  bool is_finished(const Row& row) const;
  /// Returns why it could not be written, once.
  std::optional<std::string> keep(const std::string& name, const model::LessonProgress& now);

 private:
  std::vector<Row> rows_;
  LessonFiles files_;
  model::Progress progress_;
  bool complained_ = false;
};

/// The name of a lesson's folder.
std::string name_of(const lessons::Lesson& lesson);

}  // namespace tilescope::window
