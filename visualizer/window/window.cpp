#include "visualizer/window/window.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "visualizer/model/cost_view.h"
#include "visualizer/window/spoken.h"
#include "visualizer/window/panels/source_text.h"

namespace tilescope::window {

Window::Window(std::unique_ptr<model::Controller> controller, std::unique_ptr<LessonGuide> lesson) : controller_(std::move(controller)), lesson_(std::move(lesson)) {
  chrome_.opened = controller_->session().spec();
  if (lesson_) shown_.id = lesson_->lesson().launch_path;
}
Window::~Window() = default;

model::ViewState Window::arranged(const model::Scene& scene) const {
  model::ViewState s = controller_->state();
  const auto chosen = s.front_tab.find(cell_id(Cell::Centre));
  const bool narrow = ui_.size().x < ui_.px(kNarrow);
  for (const Panel& p : all_panels())  // in a narrow window the right column's panels are tabs of the centre
    if (chosen != s.front_tab.end() && chosen->second == p.id && (p.cell == Cell::Centre || (on_exercise() && std::string_view(p.id) == "source") || (narrow && p.cell != Cell::Left))) return s;
  if (scene.timeline == nullptr) return s;
  const std::vector<model::LineStep>& lines = scene.timeline->lines;
  const bool dot = std::any_of(lines.begin(), lines.end(), [](const model::LineStep& l) { return l.kind == model::StepKind::Dot; });
  s.front_tab[cell_id(Cell::Centre)] = dot ? "kloop" : "memory";
  return s;
}

void Window::open_page(size_t page, const ChosenView& chosen) {
  if (lesson_) lesson_->go_to(page > 0 ? page - 1 : lesson_->page_to_begin(), chosen);
}

void Window::set_zoom(float zoom) { zoom_ = std::clamp(zoom, 0.75f, 2.0f); }

bool Window::update_fonts(float scale) {
  const model::Published run = controller_->session().published();
  if (fonts_.scale() == scale && glyphs_of_ == run.text) return false;
  glyphs_of_ = run.text;
  std::string source = model::spoken_texts();
  if (run.text != nullptr) source += run.text->text;
  if (lesson_) source += lesson_->all_text();
  if (fonts_.scale() == scale && fonts_.covers(source)) return false;
  fonts_.build(scale, source);
  return true;
}

void Window::say(std::string message, double seconds) {
  message_ = std::move(message);
  message_until_ = time_ + seconds;
}

void Window::frame(double seconds, bool still) {
  time_ += seconds;
  model::ViewState& state = controller_->state();
  show_page_launch();
  take_pasted();
  controller_->advance(seconds);
  if (lesson_) lesson_->advance(*controller_);
  else state.hidden["lesson"] = true;
  std::shared_ptr<const model::Scene> scene = controller_->scene();
  if (lesson_ && shown_.id == lesson_->launch().id) lesson_->note_run(scene->run, chrome_.opened);
  if (!has_file_ && scene->run.text != nullptr) has_file_ = true, file_ = file_of(chrome_.opened, scene->run.text->text);
  constexpr float kLeast = 64;  // a window that is folded away has no size
  if (ImGui::GetIO().DisplaySize.x < kLeast || ImGui::GetIO().DisplaySize.y < kLeast) return;
  ui_.begin(state.theme, state.language, fonts_.scale(), ImGui::GetIO().DisplaySize);
  handle_keys(*scene);
  scene = controller_->scene();
  const model::Element hover = std::exchange(state.hover, {});
  PanelContext c{ui_, *scene, state, *controller_, textures_, time_, !still && !state.reduce_motion && state.speed <= 2, lesson_.get(), &chrome_, &file_, false, hover};
  chrome_.edit.drawn = false;
  if (!scene->run.busy) chrome_.busy_since = -1;
  else if (chrome_.busy_since < 0) chrome_.busy_since = time_;
  ui_.fill({0, 0, ui_.size().x, ui_.size().y}, ui_.theme().window);
  std::optional<Notice> notice = notice_of(ui_, *scene, lesson_ && lesson_->withholds());
  if (!notice && !answer_problem_.empty()) notice = Notice{Notice::Kind::Note, answer_problem_, {}, {}, false};
  if (lesson_ && lesson_->is_refused()) notice = Notice{Notice::Kind::Note, refused_launch_because_, {}, {}, false};
  const WindowLayout layout = make_layout(ui_, arranged(*scene), notice_height(ui_, notice), on_exercise());
  // What lies over the panels keeps the wheel for itself.
  float& wheel = ImGui::GetIO().MouseWheel;
  const float turned = wheel;
  if (state.help || chrome_.popup != Popup::None) wheel = 0;
  drag_splitters(ui_, state, layout);
  times_.mark("scene");
  draw_cells(c, layout, times_);
  send_hidden_text(c);
  draw_scrubber(c, chrome_, layout.scrubber);
  draw_top_bar(c, chrome_, layout.top_bar);
  if (notice) draw_notice(c, chrome_, *notice, layout.notice);
  draw_message();
  wheel = turned;
  draw_popup(c, chrome_);
  draw_field_problem(c, chrome_);
  if (state.help) draw_help(c, chrome_);
  ui_.end();
  textures_.end_frame();
  if (!chrome_.edit.name.empty() && !chrome_.edit.drawn) {
    if (ui_.keyboard_focus == "argument." + chrome_.edit.name) ui_.keyboard_focus.clear();
    chrome_.edit = {};
  }
  if (c.save_text) save_text();
  if (std::exchange(chrome_.next_fault, false)) next_fault(*scene);
  do_lesson_wishes();
  answer_question();
}

void Window::draw_message() {
  if (message_.empty() || time_ > message_until_) return;
  const float w = ui_.width(message_, TextSize::Title) + ui_.px(32), h = ui_.px(36);
  const Rect r{std::round((ui_.size().x - w) / 2), ui_.px(56), w, h};
  ui_.fill(r, ui_.theme().raised, ui_.px(4));
  ui_.outline(r, ui_.theme().text3, 1, ui_.px(4));
  ui_.text_in(r, message_, TextSize::Title, ui_.theme().text1, false, Align::Centre);
}

std::string Window::state_json() {
  nlohmann::json j;
  j["state"] = nlohmann::json::parse(model::to_json(controller_->state()));
  const std::shared_ptr<const model::Scene> scene = controller_->scene();
  j["ready"] = scene->ready;
  j["line"] = scene->line;
  j["line_step"] = scene->line_step;
  j["busy"] = scene->run.busy;
  j["section"] = scene->section;
  j["popup"] = static_cast<int>(chrome_.popup);
  j["message"] = says_something() ? message_ : "";
  j["keyboard"] = ui_.keyboard_focus;
  j["copied"] = copied_;
  j["zoom"] = zoom_;
  j["size"] = {ui_.size().x, ui_.size().y};
  j["stale"] = scene->run.stale;
  j["errors"] = nlohmann::json::array();
  for (const Diagnostic& d : scene->run.errors) j["errors"].push_back(d.message);
  j["faults"] = scene->run.totals != nullptr ? scene->run.totals->trace.faults.size() : 0;
  j["steps"] = scene->ready ? scene->timeline->lines.size() : 0;
  if (const model::Published& run = scene->run; run.cost != nullptr || run.cost_busy)
    j["cost"] = nlohmann::json::parse(model::to_json(model::make_cost_view(run.cost, controller_->state().cost, run.cost_busy, run.cost_stale)));
  add_lesson_state(j);
  nlohmann::json& arguments = j["arguments"];
  for (const LaunchArg& a : controller_->session().spec().args)
    if (!std::holds_alternative<TensorSpec>(a.value)) arguments[a.name] = model::value_text(a.value);
  nlohmann::json& places = j["places"];
  for (const auto& [name, r] : ui_.places()) places[name] = {r.x, r.y, r.w, r.h};
  return j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tilescope::window
