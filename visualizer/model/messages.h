// Everything that a launch has to say in words, in one list: errors, faults, how its outputs compare, notes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/model/session.h"

namespace tilescope::model {

struct Message {
  enum class Kind : uint8_t { Error, Fault, OutputDiffers, OutputEqual, Note };
  Kind kind = Kind::Note;
  std::string text;                  ///< of outputs: empty, `output` says it
  std::string place;                 ///< "kernel.py:14:9"; may be empty
  std::vector<std::string> details;  ///< labels, calls, the rest of a note
  std::string hint;
  int line = 0;                      ///< in the kernel's text; 0: none
  std::optional<size_t> fault;       ///< index into Totals::trace.faults
  std::optional<size_t> output;      ///< index into Totals::outputs
};

/// Worst first. The device_print lines are not among them: there may be many (Totals::trace.printed).
std::vector<Message> messages_of(const Published& run);

/// "(2, 0)" or "3": as many axes as the grid has.
std::string program_text(const ProgramIndex& program, const std::array<int64_t, 3>& grid);

}  // namespace tilescope::model
