// What the learner writes for an exercise. It is kept between starts: one file a lesson in the folder "answers" beside the
// window's settings. The lesson's own files are never written.
#pragma once

#include <string>

#include "core/diagnostic.h"
#include "visualizer/model/kernel_file.h"

namespace tilescope::model {

struct LessonAnswer {
  SourcePtr text;   ///< what was written last, else the start file's text; its path is the start file's
  KernelFile file;  ///< without a path when nothing is kept
};

/// "answers" beside the settings; empty when those are not kept.
std::string answers_folder_beside(const std::string& settings);

/// Errors: the start file cannot be read. An answer that cannot be read is left alone: then saving says why.
Expected<LessonAnswer> open_answer(const std::string& folder, const std::string& lesson, const std::string& start_path);

/// As KernelFile::save; makes the folder when it is missing.
KernelFile::Result save_answer(KernelFile& file, const std::string& text);

}  // namespace tilescope::model
