#include "visualizer/window/lesson_check.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/compile.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {
namespace {

std::optional<std::string> panel_problem(const std::string& panel, std::string& hint) {
  std::vector<std::string> names;
  for (const Panel& p : all_panels()) {
    if (panel == p.id) return std::nullopt;
    names.emplace_back(p.id);
  }
  const std::string near = nearest_name(panel, names);
  hint = near.empty() ? "panels: " : "did you mean \"" + near + "\"? Panels: ";
  for (size_t i = 0; i < names.size(); ++i) hint += (i == 0 ? "" : ", ") + names[i];
  return fmt::format("there is no panel \"{}\"", panel);
}

std::optional<std::string> program_problem(const std::array<int64_t, 3>& p, const std::array<int64_t, 3>& grid) {
  for (size_t a = 0; a < 3; ++a)
    if (p[a] >= grid[a]) return fmt::format("program ({}, {}, {}) is not in the grid of {} x {} x {}", p[0], p[1], p[2], grid[0], grid[1], grid[2]);
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> check_pages(const lessons::Lesson& lesson, const LaunchSpec& launch) {
  const std::string file = (std::filesystem::path(lesson.folder) / "lesson.json").string();
  // Problems of the launch itself are told when it is opened.
  const Expected<SourcePtr> text = read_source(launch.kernel_path);
  const Expected<std::array<int64_t, 3>> grid = evaluate_grid(launch);
  for (size_t i = 0; i < lesson.pages.size(); ++i) {
    const lessons::Page& page = lesson.pages[i];
    const auto fail = [&](const char* entry, const std::string& problem, const std::string& hint) {
      return plain_error(fmt::format("{}: pages[{}].{}: {}", file, i, entry, problem), hint);
    };
    std::string hint;
    if (!page.panel.empty())
      if (const auto problem = panel_problem(page.panel, hint)) return fail("panel", *problem, hint);
    if (page.program && grid)
      if (const auto problem = program_problem(*page.program, *grid)) return fail("program", *problem, "indices count from 0");
    if (!page.line.empty() && text && lessons::find_line(**text, page.line) == 0)
      return fail("line", fmt::format("no line of {} begins with \"{}\"", std::filesystem::path(launch.kernel_path).filename().string(), page.line), "give the beginning of a line, without the blanks in front");
  }
  return std::nullopt;
}

}  // namespace tilescope::window
