// The whole window, whatever it is shown on: a screen (GLFW) or nothing but memory (EGL).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "visualizer/model/controller.h"
#include "visualizer/model/paste_job.h"
#include "visualizer/window/chrome.h"
#include "visualizer/window/fonts.h"
#include "visualizer/window/frame_times.h"
#include "visualizer/window/layout.h"
#include "visualizer/window/lesson_guide.h"
#include "visualizer/window/panel.h"
#include "visualizer/window/texture.h"
#include "visualizer/window/ui.h"

namespace tilescope::window {

/// Every command that a key stands for (keys.def).
enum class KeyAction : uint8_t {
#define TILESCOPE_KEY(action, key, mods, text) action,
#include "visualizer/window/keys.def"
};

struct KeyBinding {
  KeyAction action;
  const char *key, *mods;
  Text text;
};
const std::vector<KeyBinding>& key_bindings();

class Window {
 public:
  /// `lesson`: led through in its own panel; without one that panel is not there.
  explicit Window(std::unique_ptr<model::Controller> controller, std::unique_ptr<LessonGuide> lesson = nullptr);
  ~Window();

  /// Once before the first frame and whenever the scale or the glyphs needed change: true when the font texture must be
  /// made anew (between frames).
  bool update_fonts(float scale);
  /// Between ImGui::NewFrame() and ImGui::Render(). `still`: for a screenshot, nothing moves.
  void frame(double seconds, bool still);

  /// Page of the lesson, from 1; clamped; 0: where one was. `chosen`: what it does not change when it opens.
  void open_page(size_t page, const ChosenView& chosen);
  model::Controller& controller() { return *controller_; }
  /// The page asks what is wrong with its launch and was not answered yet: nobody is told.
  bool withholds_diagnosis() const { return lesson_ != nullptr && lesson_->withholds(); }
  Ui& ui() { return ui_; }
  TextureCache& textures() { return textures_; }
  FrameTimes& times() { return times_; }
  float zoom() const { return zoom_; }  ///< the user's, on top of the display's scale
  void set_zoom(float zoom);

  /// What the platform does at the end of the frame, when somebody asked for it.
  struct Wishes {
    bool picture = false;         ///< save the frame as PNG
    bool record = false;          ///< save the loop as an animation
    bool stop = false;            ///< Escape was pressed
    bool close = false;           ///< the question about unsaved text was answered: the window may go
  };
  Wishes take_wishes() { return std::exchange(wishes_, {}); }
  /// A line that is shown for some seconds ("saved picture.png").
  void say(std::string message, double seconds = 4);
  bool says_something() const { return !message_.empty() && time_ <= message_until_; }

  /// Waits until the simulator has nothing left to do and nothing that was pasted or
  /// answered is being tried. False after `seconds`.
  bool wait(double seconds = 60);
  bool is_busy() const;
  /// Writes the learner's answer when it is not written yet: before the window goes.
  void keep_answer();
  /// Why the answer is not in its own file, and where it is; usually empty.
  const std::string& answer_problem() const { return answer_problem_; }

  /// The kernel's text, or that of another page, differs from what was opened and from the file.
  bool has_unsaved_text() const;
  /// The person wants to close: asks when text would be lost. True when nothing is in the way.
  bool may_close();
  /// Under the names of the tile, program and step; nothing is overwritten.
  void save_tile(const model::Scene& scene);

  /// State, scene and places as one JSON object.
  std::string state_json();

 private:
  /// The state with the centre's tab filled in when nobody has chosen one: Memory for kernels without a dot.
  model::ViewState arranged(const model::Scene& scene) const;
  void handle_keys(const model::Scene& scene);
  void act(KeyAction action, const model::Scene& scene);
  void next_fault(const model::Scene& scene);
  void copy_tile(const model::Scene& scene);
  bool save_text();
  void paste_kernel();
  void take_pasted();      ///< a launch was found for it: asks first when text would be lost
  void show_pasted();
  void ask_about_unsaved(AfterUnsaved then);
  void next_tab();
  void answer_question();
  void draw_message();

  // ---- lessons (window_lesson.cpp)
  /// A launch with its text as the person left it, while a page shows another one.
  struct Aside {
    PageLaunch launch;
    LaunchSpec opened, spec;  ///< as it was read; as the sliders left it
    SourcePtr text;
    model::KernelFile file;
    std::string kept_aside;  ///< where the text is, when its file cannot be written
  };
  Expected<LaunchSpec> exercise_launch(const PageLaunch& want) const;
  Expected<Aside> read_page_launch(const PageLaunch& want) const;
  /// Where the kernel's text is saved: its file, or, in a lesson, a new file in the current folder.
  model::KernelFile file_of(const LaunchSpec& opened, const std::string& text) const;
  Aside put_aside();
  void show_page_launch();
  bool is_unsaved() const;  ///< the text that is shown
  bool other_text_is_unsaved() const;
  std::string unsaved_path() const;
  bool save_all_texts();
  bool tell_saved(const model::KernelFile& file, const model::KernelFile::Result& result);
  void keep_answer_when_due();
  void keep_progress();
  void open_lesson(const std::string& name);
  void set_answer(const std::string& path);
  void do_lesson_wishes();
  void add_lesson_state(nlohmann::json& j) const;
  bool on_exercise() const { return lesson_ != nullptr && lesson_->on_exercise(); }

  std::unique_ptr<model::Controller> controller_;
  std::unique_ptr<LessonGuide> lesson_;
  FontSet fonts_;
  Ui ui_{fonts_};
  TextureCache textures_;
  FrameTimes times_{FrameTimes::wanted()};
  Chrome chrome_;
  model::KernelFile file_;
  model::PasteJob paste_;
  std::optional<model::PastedKernel> pasted_;  ///< waits for the answer about unsaved text
  bool has_file_ = false;         ///< file_ is that of the text that is shown
  PageLaunch shown_, refused_;    ///< of the lesson; one that cannot be read
  std::string refused_launch_because_;
  std::map<std::string, Aside> aside_;  ///< by PageLaunch::id
  SourcePtr answer_seen_;
  double answer_changed_ = 0;
  bool answer_refused_ = false;   ///< the answer's file is not to be written without being asked to
  std::string refused_because_, answer_problem_;
  std::string kept_aside_;        ///< where the answer is then
  SourcePtr aside_text_;          ///< that was written there last
  std::string copied_;            ///< what was copied last, for tests
  SourcePtr glyphs_of_;           ///< the fonts have the characters of this text
  Wishes wishes_;
  std::string message_;
  double message_until_ = 0, time_ = 0;
  float zoom_ = 1;
};

}  // namespace tilescope::window
