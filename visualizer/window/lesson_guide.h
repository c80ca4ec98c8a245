// Leads through a lesson: which page is open, what the window shows on it, how far the exercise has come.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "lessons/lesson.h"
#include "visualizer/model/controller.h"
#include "visualizer/model/exercise_check.h"
#include "visualizer/window/lesson_course.h"

namespace tilescope::window {

/// What the command line chose: the first page that opens leaves it alone.
struct ChosenView {
  bool panel = false, step = false, program = false;
};

/// The launch that a page wants to see.
struct PageLaunch {
  static constexpr size_t kOwn = SIZE_MAX;
  std::string id;           ///< path of its launch file; of an exercise: of the file that the learner starts from
  bool exercise = false;
  size_t number = 0;        ///< of an exercise: index into its launches; kOwn: the page's own launch
  ProgramIndex program{};   ///< to begin with
  friend bool operator==(const PageLaunch& a, const PageLaunch& b) { return a.id == b.id && a.exercise == b.exercise && a.number == b.number; }
};

/// What was asked for in the panel; the window does it at the end of the frame.
struct LessonWishes {
  bool check = false, reset = false, solution = false, failure = false;
  std::optional<std::string> lesson;  ///< name of another one, to be opened
};

class LessonGuide {
 public:
  LessonGuide(lessons::Lesson lesson, LessonFiles files);

  const lessons::Lesson& lesson() const { return *lesson_; }
  const std::string& name() const { return name_; }
  LessonCourse& course() { return course_; }
  const LessonCourse& course() const { return course_; }
  /// Every text of the lesson and the titles of the others, for the fonts' glyphs.
  const std::string& all_text() const { return all_text_; }

  // ---- pages
  size_t page() const { return page_; }
  const lessons::Page& current() const { return lesson_->pages[page_]; }
  bool is_last() const { return page_ + 1 == lesson_->pages.size(); }
  void go_to(size_t page, const ChosenView& chosen = {});
  /// Where one was: the furthest page; the first one of a lesson that is finished.
  size_t page_to_begin() const;
  /// Another lesson takes the place of this one.
  void open(lessons::Lesson lesson);
  /// Shows again what the page speaks of.
  void show() { to_show_ = true; }

  // ---- the question
  int choice() const { return pages_[page_].choice; }  ///< -1: none yet
  bool is_right() const { return choice() == current().answer; }
  /// An answer that was right stays until it is forgotten.
  void choose(int c);
  /// The question is open again. What was answered last stays kept until there is another answer.
  void answer_again();
  /// How the question of a page was answered: nothing yet, or whether it was right.
  std::optional<bool> answered(size_t page) const;
  /// Answers since this was asked last, by page from 1: what is to be kept.
  std::map<size_t, int> take_answers() { return std::exchange(new_answers_, {}); }

  /// The run that the numbers of the question come from: of the page's launch as it was opened, for with other numbers two
  /// choices might be equal. Of a page with an exercise of its own all numbers do: they tell of the kernel before it is mended.
  /// `now` as long as that was not seen.
  const model::Published& question_run(const model::Published& now) const;
  /// Once a frame: keeps the first run of the page's launch with the arguments that it was opened with.
  void note_run(const model::Published& now, const LaunchSpec& opened);

  // ---- the exercise
  std::shared_ptr<const lessons::Exercise> exercise() const;  ///< of this page; null: it sets none
  bool on_exercise() const { return lessons::exercise_of(*lesson_, page_) != nullptr; }
  std::string answer_name() const;  ///< of this page's exercise: "01_programs", or with the start file's place for a page's own
  model::ExerciseCheck& check() { return check_; }
  const model::ExerciseCheck& check() const { return check_; }
  size_t hints() const { return pages_[page_].hints; }  ///< shown, 0 to 3
  void next_hint();
  bool is_passed() const;
  std::set<size_t> passed_pages() const;  ///< with an exercise of their own that was passed, from 1
  bool may_see_solution() const { return on_exercise() && (hints() == lessons::kHintLevels || is_passed()); }
  /// Once a frame: remembers what the check has passed. True: the lesson's exercise was passed.
  bool note_passed();
  /// The spec of this page's exercise for a launch that is not the page's own.
  const LaunchSpec& exercise_launch(size_t number) const { return lessons::exercise_of(*lesson_, page_)->launches[number].spec; }
  /// Turns to the launch, the program and the line of the failure. `text`: as it is now.
  /// There is something to see: a line, or a launch that can be opened.
  bool has_place(const lessons::Failure& failure) const;
  /// The failure's line in a text that may have been edited since; 0: none.
  int line_of(const lessons::Failure& failure, const SourceFile& now) const;
  void go_to_failure(const lessons::Failure& failure, const SourcePtr& text);

  /// The failure that was opened last, as long as its page, its launch and the text it is about are shown.
  const lessons::Failure* opened_failure(const SourceFile* text) const;
  /// The line of the text that it is about now; 0: none.
  int failure_line() const { return opened_ ? opened_->line : 0; }

  // ---- what is wrong
  /// Nobody is to be told yet what is wrong: the page asks it, and it was neither answered nor asked to be seen, and the
  /// learner has changed nothing.
  bool withholds() const { return withholds_; }
  /// The page's launch cannot be read: what is shown is that of the page before, of which this one does not speak.
  bool is_refused() const { return refused_; }
  void set_refused(bool refused) { refused_ = refused; }
  void show_diagnosis() { pages_[page_].shown = true; }

  // ---- what the window shows
  PageLaunch launch() const;
  /// Once a frame: brings program, step and panel to what the page wants, as soon as they are recorded.
  void advance(model::Controller& control);
  LessonWishes wishes;

  // ---- of the panel, in pixels
  float scroll = 0, result_scroll = 0, result_height = 0;
  bool scroll_to_end = false;

 private:
  bool opens_launch(const lessons::Failure& failure) const;
  /// What was done on a page.
  struct OnPage {
    int choice = -1;
    size_t hints = 0;
    bool passed = false;
    bool shown = false;            ///< somebody asked to see what is wrong
    std::optional<size_t> launch;  ///< of the exercise, that was opened last
  };
  /// A program and a line that were asked for.
  struct Target {
    std::optional<ProgramIndex> program;
    int line = 0;
  };
  struct Opened {
    lessons::Failure failure;
    size_t page = 0;
    SourcePtr text;  ///< that was checked
    int line = 0;
  };
  void take(lessons::Lesson lesson);
  bool must_withhold(const SourcePtr& text);
  void show_target(model::Controller& control);

  std::shared_ptr<const lessons::Lesson> lesson_;
  std::string name_;
  LessonCourse course_;
  std::string all_text_;
  size_t page_ = 0;
  std::vector<OnPage> pages_;
  std::map<size_t, int> new_answers_;
  std::map<std::string, model::Published> opened_runs_;  ///< by launch file
  bool to_show_ = true, to_front_ = true;
  ChosenView chosen_;
  std::optional<Target> target_;
  std::optional<Opened> opened_;
  bool refused_ = false;
  bool withholds_ = false;
  SourcePtr start_;  ///< the file that the learner of start_path starts from
  model::ExerciseCheck check_;
};

}  // namespace tilescope::window
