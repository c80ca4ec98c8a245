// Small drawings of the K loop and of an access's threads.
#pragma once

#include <string>

#include "visualizer/model/scene.h"

namespace tilescope::terminal {

/// B above C, A left of C, with the tiles of this round; empty when the scene has no product.
std::string draw_kloop(const model::Scene& scene, bool chinese);

/// Which thread holds which element of the current line's first access; empty when the line has none.
std::string draw_threads(const model::Scene& scene, bool chinese);

}  // namespace tilescope::terminal
