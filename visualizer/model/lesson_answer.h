// What the learner writes for an exercise. It is kept between starts: one file a lesson in the folder "answers" beside the
// window's settings. The lesson's own files are never written.
#pragma once

#include <optional>
#include <string>

#include "core/diagnostic.h"
#include "visualizer/model/kernel_file.h"

namespace tilescope::model {

struct LessonAnswer {
  SourcePtr text;   ///< what was written last, else the start file's text; its path is the start file's
  KernelFile file;  ///< without a path when nothing is kept
  std::string aside;  ///< where the text lay, for its own file cannot be read; else empty
};

/// "answers" beside the settings; empty when those are not kept.
std::string answers_folder_beside(const std::string& settings);

/// Errors: the start file cannot be read. An answer that cannot be read is left alone: then saving says why, and what was
/// kept aside before is the text.
Expected<LessonAnswer> open_answer(const std::string& folder, const std::string& lesson, const std::string& start_path);

/// Writes a text whose own file (`answer`) cannot be written beside the folder of the answers: "01_programs.kept.py".
/// `aside`: where it was kept before; set to where it is now. Nothing else is overwritten. Returns why it could not be written.
std::optional<std::string> keep_aside(const std::string& answer, const std::string& text, std::string& aside);

/// As KernelFile::save; makes the folder when it is missing.
KernelFile::Result save_answer(KernelFile& file, const std::string& text);

}  // namespace tilescope::model
