// How far a person has come in the lessons, kept between starts beside the window's settings.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace tilescope::model {

struct LessonProgress {
  size_t page = 0;      ///< furthest page that was read, from 1; 0: none
  bool passed = false;  ///< the exercise
  friend bool operator==(const LessonProgress&, const LessonProgress&) = default;
};
/// By lesson ("01_programs").
using Progress = std::map<std::string, LessonProgress>;

/// lessons.json beside the window's settings; empty when there is no home.
std::string default_progress_path();

/// The same beside another file of settings.
std::string progress_path_beside(const std::string& settings);

/// What cannot be read counts as nothing read.
Progress load_progress(const std::string& path);
/// Returns the reason when the file could not be written.
std::optional<std::string> save_progress(const std::string& path, const Progress& progress);

/// Adds to what is kept of one lesson what is new in `now`, and takes over what others wrote meanwhile into `known`: pages
/// only go forward, and what was passed stays passed. Writes only when something changed; an empty path: nothing is kept.
/// Returns the reason when the file could not be written.
std::optional<std::string> keep_progress(const std::string& path, Progress& known, const std::string& lesson, const LessonProgress& now);

}  // namespace tilescope::model
