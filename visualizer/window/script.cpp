#include "visualizer/window/script.h"

#include <sstream>

namespace tilescope::window {

Expected<std::vector<ScriptLine>> parse_script(const SourcePtr& text) {
  struct Verb {
    std::string_view name;
    size_t least, most;
  };
  constexpr Verb kVerbs[] = {{"move", 1, 3}, {"click", 1, 3}, {"double", 1, 3}, {"drag", 3, 3}, {"wheel", 2, 2}, {"key", 1, 1}, {"type", 1, SIZE_MAX},
                             {"paste", 1, SIZE_MAX}, {"wait", 0, 0}, {"frames", 1, 1}, {"resize", 1, 1}, {"shot", 1, 1}, {"state", 1, 1}, {"places", 0, 1}, {"times", 0, 0}, {"monkey", 2, 2}};
  std::vector<ScriptLine> out;
  std::istringstream in(text->text);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::istringstream words(line);
    ScriptLine s{number, {}, {}, {}};
    if (!(words >> s.verb) || s.verb[0] == '#') continue;
    const Verb* verb = nullptr;
    for (const Verb& v : kVerbs)
      if (v.name == s.verb) verb = &v;
    const auto refuse = [&](std::string message, std::string hint) {
      Diagnostic d = plain_error(std::move(message), std::move(hint));
      d.range = {text, number, 1, number, static_cast<int>(line.size()) + 1};
      return d;
    };
    if (verb == nullptr)
      return refuse("unknown command \"" + s.verb + "\"", "the commands are move, click, double, drag, wheel, key, type, paste, wait, frames, resize, shot, state, places, times, monkey");
    const size_t after = line.find(s.verb) + s.verb.size();
    s.rest = line.size() > after + 1 ? line.substr(after + 1) : "";
    for (std::string w; words >> w;) s.words.push_back(w);
    if (s.words.size() < verb->least || s.words.size() > verb->most)
      return refuse(s.verb + " takes " + std::to_string(verb->least) + (verb->most > verb->least ? " or more" : "") + " words, not " + std::to_string(s.words.size()), "");
    out.push_back(std::move(s));
  }
  return out;
}

}  // namespace tilescope::window
