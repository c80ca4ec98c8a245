// Launches for the tests of the window's model, and a controller that has finished its work.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "core/launch_file.h"
#include "visualizer/model/controller.h"

namespace tilescope::model {

/// lessons/kernels/NAME/launch.json.
inline LaunchSpec lesson_launch(const std::string& name) {
  auto spec = load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/" + name + "/launch.json");
  REQUIRE_MESSAGE(spec.ok(), render(spec.errors()));
  return *spec;
}

/// A launch from text; the kernel's text is given to the session with set_text.
inline LaunchSpec launch_of(const std::string& json) {
  auto spec = parse_launch_text(json, std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/vector_add/launch.json");
  REQUIRE_MESSAGE(spec.ok(), render(spec.errors()));
  return *spec;
}

inline void settle(Controller& c) {
  REQUIRE(c.session().wait(60));
  c.advance(0);
}

/// Of a lesson, everything recorded and run.
inline std::unique_ptr<Controller> opened(LaunchSpec spec, RecordOptions options = careful_options()) {
  auto c = std::make_unique<Controller>(std::make_unique<Session>(std::move(spec), std::move(options)));
  settle(*c);
  return c;
}
inline std::unique_ptr<Controller> opened_lesson(const std::string& name) { return opened(lesson_launch(name)); }

/// A kernel of our own: `body` with the imports in front.
inline std::unique_ptr<Controller> opened_kernel(const std::string& json, const std::string& body) {
  auto session = std::make_unique<Session>(launch_of(json));
  session->set_text("import triton\nimport triton.language as tl\n" + body);
  auto c = std::make_unique<Controller>(std::move(session));
  settle(*c);
  return c;
}

/// Labels of the program's line steps, a section a line: "iteration 2  ks 32..63: k ks load a load b dot".
inline std::string timeline_text(const Scene& s) {
  std::string out;
  for (const Section& section : s.timeline->sections) {
    if (section.frame >= 0)
      out += "iteration " + std::to_string(s.trace->frames[static_cast<size_t>(section.frame)].position.iteration + 1) +
             "  " + section.detail + ":";
    else
      out += "-:";
    for (size_t i = section.first; i < section.end; ++i) out += " " + s.timeline->lines[i].label + ",";
    out.back() = '\n';
  }
  return out;
}

}  // namespace tilescope::model
