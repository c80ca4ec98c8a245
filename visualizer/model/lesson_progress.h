// How far a person has come in the lessons, kept between starts beside the window's settings.
#pragma once

#include <map>
#include <set>
#include <optional>
#include <string>

namespace tilescope::model {

struct LessonProgress {
  size_t page = 0;      ///< furthest page that was read, from 1; 0: none
  bool passed = false;  ///< the exercise
  std::map<size_t, int> answers = {};  ///< to questions: by page, from 1, the choice that was made last, from 0
  std::set<size_t> passed_pages = {};  ///< exercises that pages have of their own, by page, from 1
  std::set<size_t> told_pages = {};    ///< whose question the terminal answered itself, by page, from 1
  friend bool operator==(const LessonProgress&, const LessonProgress&) = default;
};
/// The lesson's exercise was passed, or, where it has none, every page was read.
inline bool is_finished(const LessonProgress& p, size_t pages, bool has_exercise) { return p.passed || (!has_exercise && p.page >= pages); }

/// By lesson ("01_programs").
using Progress = std::map<std::string, LessonProgress>;

/// lessons.json beside the window's settings; empty when there is no home.
std::string default_progress_path();

/// The same beside another file of settings.
std::string progress_path_beside(const std::string& settings);

/// What cannot be read counts as nothing read.
Progress load_progress(const std::string& path);
/// Entries of the file that mean nothing here stay in it; a file that cannot be read, or of which something would be lost,
/// is kept as "lessons.json.broken". Returns the reason when the file could not be written.
std::optional<std::string> save_progress(const std::string& path, const Progress& progress);

/// Adds to what is kept of one lesson what is new in `now`, and takes over what others wrote meanwhile into `known`: pages
/// only go forward, what was passed stays passed, and an answer in `now` takes the place of an older one. Writes only when
/// something changed; an empty path: nothing is kept.
/// Returns the reason when the file could not be written.
std::optional<std::string> keep_progress(const std::string& path, Progress& known, const std::string& lesson, const LessonProgress& now);

}  // namespace tilescope::model
