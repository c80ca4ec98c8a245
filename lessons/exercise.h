// Exercises: the learner writes a kernel, and it is run on several shapes and data with every checker on. Data only.
//
// In lesson.json:
//   "exercise": {
//     "launch": "exercise.json",              a launch file: arguments, grid, outputs (tolerances by dtype unless it says)
//     "sizes": {"x_ptr": ["n"]},              shapes of tensors as expressions over the arguments
//     "launches": [{"n": 1000, "BLOCK": 256}, {"n": 1, "seed": 3}, {"n": 5, "x_ptr": "values(-3,-2,-5,-1,-4)"}, ...],
//     "rules": {"x_ptr": {"loads": 1}, "out_ptr": {"stores": 1}},
//     "use": ["tl.sum"], "avoid": ["tl.softmax"],
//     "mistakes": {"no_mask": "outside", ...}}
// "mistakes" may be left out. "start", "solution" and "hints" name other files than exercise.py, solution.py and hints
// ("patients/01/hints": hints.en.md and hints.zh.md there); mistakes/ lies beside the start. "large": true lets launches have
// tensors of more than 2^20 elements: these launches are checked on their addresses alone, without values and rules. When
// the launch file has "expect_error", the start is meant not to compile.
// A rule may also say {"together": {"programs": 9, "elements": "3 * BLOCK_N * K"}}. The numbers of rules may be expressions over the arguments: "cdiv(N, BLOCK)".
// A launch sets integer arguments and first values of tensors (as --arg does); "seed" is added to every seed.
//
// Files beside it: exercise.py (where the learner starts), solution.py, mistakes/NAME.py (each must fail with a message
// that holds the text beside its name), hints.en.md and hints.zh.md (three hints, separated by "---"). The task itself is
// the lesson's last page. A page may have an exercise of its own (the same entry in "pages"); its task is that page.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/launch_file.h"
#include "lessons/language.h"
#include "lessons/markdown.h"
#include "sim/launch.h"

namespace tilescope::lessons {

/// What a right kernel does with one tensor, beside the values that it holds in the end. Each catches mistakes that leave
/// the values right.
struct AccessRule {
  std::string tensor;
  std::optional<GridExpr> loads;      ///< how often an element may be loaded by all programs together
  std::optional<GridExpr> stores;     ///< how often every element is stored
  std::optional<GridExpr> lanes_off;  ///< lanes that masks turn off, over all programs
  /// The first `programs` programs together load at most `elements` of it (lessons/working_set.h).
  struct Together {
    GridExpr programs, elements;
  };
  std::optional<Together> together;
};

struct ExerciseLaunch {
  std::string label;  ///< "n = 1000, BLOCK = 256"
  LaunchSpec spec;    ///< kernel_path is that of exercise.py; a check puts the learner's text in its place
  bool addresses_only = false;  ///< too large to compute values
};

struct Mistake {
  std::string name, path;
  std::string message;  ///< part of the English message
};

inline constexpr size_t kHintLevels = 3;

struct Exercise {
  std::string start_path, solution_path;
  bool start_is_refused = false;  ///< the start is meant not to compile
  std::vector<ExerciseLaunch> launches;
  std::vector<AccessRule> rules;
  std::vector<std::string> use, avoid;  ///< names that the kernel must and must not mention ("tl.sum")
  std::vector<Mistake> mistakes;
  std::array<PerLanguage<std::vector<TextBlock>>, kHintLevels> hints;  ///< from a nudge to nearly the answer
};

/// Reads an entry "exercise" of lesson.json, which stands at `place`, and the files beside it; `reader` keeps the problem.
class JsonReader;
bool read_exercise(JsonReader& reader, const std::string& place, const nlohmann::json& j, const std::string& folder, Exercise& out);

/// What went wrong first.
struct Failure {
  enum class Kind : uint8_t {
    Words,    ///< a name that is required or ruled out
    Compile,
    Fault,    ///< found by a checker
    Value,    ///< an element of an output differs
    Missing,  ///< an element of an output was never stored
    Access,   ///< an AccessRule
  };
  Kind kind = Kind::Compile;
  size_t launch = 0;           ///< index into Exercise::launches
  std::string label;           ///< of that launch; empty: it is wrong on every launch
  std::optional<ProgramIndex> program;
  int axes = 1;                ///< of the grid: how many of the program's indices count
  int line = 0;                ///< of the learner's text; 0: no one line
  std::string line_text;
  std::string tensor;           ///< whose element it is about; empty: none
  int64_t offset = 0;           ///< of that element from the tensor's first one; may lie outside of it
  PerLanguage<std::string> expected, found;
  std::vector<Diagnostic> details;  ///< with carets, likely causes among them; in English
};

struct CheckResult {
  size_t launches = 0;  ///< that passed
  bool stopped = false; ///< `keep_going` said so
  std::optional<Failure> failure;
  bool passed() const { return !failure && !stopped; }
};

/// Runs the kernel text on every launch. `keep_going` is asked now and then and may stop it; `begins` hears of each launch.
/// Both may be empty.
CheckResult check_exercise(const Exercise& exercise, const SourcePtr& text, const std::function<bool()>& keep_going = {},
                           const std::function<void(size_t launch)>& begins = {});

/// The failure in one language, piece by piece.
struct FailureText {
  std::string headline;  ///< "Not yet: with n = 1000 (launch 2 of 5)"
  std::string place;     ///< "program 3, line 10: "; without a line of code no colon; empty: nowhere
  std::string code;      ///< of that line; may be empty
  std::string expected, found;
};
FailureText failure_text(const Failure& failure, const Exercise& exercise, size_t language);

/// The failure in plain words: which launch, which program, which line, what was expected and what was found there.
std::string in_words(const Failure& failure, const Exercise& exercise, size_t language);

}  // namespace tilescope::lessons
