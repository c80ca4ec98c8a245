// Files that a report is written to: checked together before any work is done, written whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/launch_file.h"

namespace tilescope::report {

struct OutputPath {
  std::string option;  ///< "--html", for messages
  std::string path;
};

/// Every file that a launch reads or owns: its launch file, kernel, arrays, recorded run.
std::vector<std::string> files_of_launch(const LaunchSpec& spec);

/// What keeps these from being written: a folder, a device or pipe, a missing folder, a file of `inputs`, one file
/// named twice (through links too). Nothing is created.
std::optional<Diagnostic> check_output_paths(const std::vector<OutputPath>& outputs,
                                             const std::vector<std::string>& inputs);

/// Writes a temporary file in the same folder and renames it.
std::optional<Diagnostic> write_output(const OutputPath& output, const std::string& text);

}  // namespace tilescope::report
