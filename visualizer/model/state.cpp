#include "visualizer/model/state.h"

#include <nlohmann/json.hpp>

namespace tilescope::model {
namespace {

const char* name_of(StepUnit unit) {
  switch (unit) {
    case StepUnit::Op:
      return "op";
    case StepUnit::Line:
      return "line";
    case StepUnit::Iteration:
      return "iteration";
    case StepUnit::Program:
      return "program";
  }
  return "";
}

nlohmann::ordered_json element_json(const Element& e) {
  if (!e) return nullptr;
  return {{e.of == Element::Of::Variable ? "variable" : "tensor", e.name}, {"index", e.index}};
}

/// A name, or null when it is empty.
nlohmann::ordered_json name_json(const std::string& name) {
  if (name.empty()) return nullptr;
  return name;
}

}  // namespace

std::string to_json(const ViewState& s) {
  nlohmann::ordered_json j;
  j["program"] = s.program;
  j["step"] = s.step;
  j["unit"] = name_of(s.unit);
  j["playing"] = s.playing;
  j["speed"] = s.speed;
  j["hover"] = element_json(s.hover);
  j["selected"] = element_json(s.selected);
  j["shown_variable"] = name_json(s.shown_variable);
  j["pinned_variable"] = name_json(s.pinned_variable);
  j["shown_tensor"] = name_json(s.shown_tensor);
  j["breakpoints"] = s.breakpoints;
  j["cost"] = {{"gpu", s.cost.gpu}, {"programs", s.cost.programs}, {"other", name_json(s.cost.other)}};
  j["theme"] = s.theme == ThemeChoice::Dark ? "dark" : "light";
  j["language"] = s.language == Language::English ? "en" : "zh";
  j["reduce_motion"] = s.reduce_motion;
  j["help"] = s.help;
  nlohmann::ordered_json hidden = nlohmann::ordered_json::array();
  for (const auto& [panel, is_hidden] : s.hidden)
    if (is_hidden) hidden.push_back(panel);
  j["hidden"] = hidden;
  j["front_tab"] = nlohmann::ordered_json::object();
  for (const auto& [cell, panel] : s.front_tab) j["front_tab"][cell] = panel;
  j["splits"] = nlohmann::ordered_json::object();
  for (const auto& [splitter, share] : s.splits) j["splits"][splitter] = share;
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tilescope::model
