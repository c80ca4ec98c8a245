// The lessons there are: folders NN_name in one folder, in the order of their numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope::lessons {

struct CatalogueEntry {
  int number = 0;      ///< 1 for 01_programs
  std::string name;    ///< "01_programs"
  std::string folder;
};

/// Where lessons are looked for: TILESCOPE_LESSONS when it is set, else ./lessons when it holds some, else the folder of
/// the source tree that this program was built from.
std::string lessons_folder();

/// What progress and answers of the lesson in this folder are kept under: its name ("01_programs"). Lessons that did not come
/// with Tilescope may have the same names: theirs end with a hash of the folder ("01_programs_1f0c52a9e37bd846").
std::string kept_name(const std::string& folder);

/// Sorted by number; folders that are not named so, or hold no lesson.json, are left out.
std::vector<CatalogueEntry> list_lessons(const std::string& folder);

/// By number ("3", "03"), name ("03_masks", "masks") or a lesson's folder; errors list what there is.
Expected<CatalogueEntry> find_lesson(const std::string& wanted, const std::string& folder);

}  // namespace tilescope::lessons
