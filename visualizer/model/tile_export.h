// A variable's value as text for the clipboard and as a .npy file.
#pragma once

#include <optional>
#include <string>

#include "core/diagnostic.h"
#include "visualizer/model/scene.h"

namespace tilescope::model {

/// The variable that is looked at: the pinned one, else the one hovered last, else the one computed last. Null when none
/// of these has a value.
const Variable* looked_at(const Scene& scene, const ViewState& state);

/// Columns separated by tabs, one row a line; an empty line between the planes of tiles with more axes. Exact numbers;
/// pointers as tensor elements.
std::string tile_text(const Scene& scene, const Variable& variable);

/// "acc-program-2-0-step-18.npy".
std::string tile_file_name(const Scene& scene, const Variable& variable);
/// Pointers as int64 addresses.
std::optional<Diagnostic> save_tile(const std::string& path, const Variable& variable);

}  // namespace tilescope::model
