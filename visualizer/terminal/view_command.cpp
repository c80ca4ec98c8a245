#include "visualizer/terminal/view_command.h"

#include <array>
#include <charconv>
#include <ostream>

#ifdef TILESCOPE_WINDOW
#include "lessons/lesson.h"
#include "visualizer/window/view.h"
#endif

namespace tilescope::terminal {

#ifdef TILESCOPE_WINDOW
namespace {

/// One to three whole numbers with `separator` between them.
template <size_t N>
bool read_numbers(const std::string& text, char separator, std::array<int64_t, N>& out, size_t& count) {
  const char *at = text.data(), *end = at + text.size();
  for (count = 0; count < N;) {
    const auto [next, ec] = std::from_chars(at, end, out[count]);
    if (ec != std::errc() || next == at) return false;
    ++count;
    if (next == end) return true;
    if (*next != separator) return false;
    at = next + 1;
  }
  return false;
}

Expected<window::ViewOptions> view_options(const Command& c) {
  window::ViewOptions o;
  std::array<int64_t, 2> size{};
  size_t count = 0;
  if (!c.size.empty() && (!read_numbers(c.size, 'x', size, count) || count != 2 || size[0] < 640 || size[1] < 400 || size[0] > 8192 || size[1] > 8192))
    return plain_error("--size " + c.size + ": expected WIDTHxHEIGHT between 640x400 and 8192x8192", "--size 1600x900");
  o.width = static_cast<int>(size[0]);
  o.height = static_cast<int>(size[1]);
  std::array<int64_t, 3> program{};
  if (!c.program.empty() && (!read_numbers(c.program, ',', program, count) || program[0] < 0 || program[1] < 0 || program[2] < 0))
    return plain_error("--program " + c.program + ": expected the program's index along each axis of the grid", "--program 2,0");
  o.program = program;
  o.scale = static_cast<float>(c.scale);
  o.shot = c.shot;
  o.script = c.script;
  o.state = c.state_file;
  o.record = c.record;
  o.settings = c.settings;
  o.panel = c.panel;
  o.page = c.page_given ? static_cast<size_t>(c.page) : 0;
  if (lessons::is_lesson(c.target)) o.lesson = c.target;
  if (c.step) o.step = static_cast<size_t>(*c.step);
  if (!c.theme.empty()) o.theme = c.theme == "light" ? model::ThemeChoice::Light : model::ThemeChoice::Dark;
  if (!c.language.empty()) o.language = c.language == "zh" ? model::Language::Chinese : model::Language::English;
  return o;
}

}  // namespace

int view_launch_with_notes(const Command& c, const LaunchSpec& spec, const std::vector<std::string>& notes, std::ostream& out, std::ostream& err) {
  auto options = view_options(c);
  if (!options) return err << render(options.errors()), kUsage;
  options->notes = notes;
  return window::view(spec, *options, out, err);
}
#else
int view_launch_with_notes(const Command&, const LaunchSpec&, const std::vector<std::string>&, std::ostream&, std::ostream& err) {
  err << render(plain_error("this program was built without the window",
                            "install libimgui-dev, libglfw3-dev, libgl-dev, libegl-dev and libpng-dev and build again; `tilescope run` reports in the terminal"));
  return kUsage;
}
#endif

int view_launch(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err) { return view_launch_with_notes(c, spec, {}, out, err); }

}  // namespace tilescope::terminal
