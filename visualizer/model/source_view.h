// What the source panel says about each line of the kernel at one step: how often it ran, the values it gave, the lanes
// it touched, what went wrong there. And where lines of an older text are in a newer one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "visualizer/model/scene.h"
#include "visualizer/model/summary.h"

namespace tilescope::model {

class TextDocument;

/// A variable that a line gave a value, or what it printed.
struct LineValue {
  std::string name;       ///< of the variable; else what stood in front of the printed value
  Summary summary;
  bool variable = true;   ///< `name` is a variable's
  bool printed = false;
};

/// A statement of the kernel, under the line on which it starts. Lines count from 1, as in SourceRange.
struct LineFacts {
  int line = 0, end_line = 0;
  StepKind kind = StepKind::Compute;
  bool current = false;            ///< the step belongs to it
  uint64_t times = 0;              ///< that this program has run it, up to this step
  uint64_t times_in_all = 0;       ///< that this program runs it
  /// Of its latest run: nothing when it has not run yet.
  std::vector<LineValue> values;   ///< in the order in which they were assigned
  std::vector<AccessSummary> accesses;
  // ---- the whole launch
  std::vector<LineReport> launch;  ///< its memory ops
  std::vector<size_t> faults;      ///< indices into Totals::trace.faults

  /// Lanes of the latest run's accesses together.
  AccessSummary lanes() const;
};

struct SourceView {
  std::map<int, LineFacts> lines;
  /// The statement that line belongs to, or null.
  const LineFacts* at(int line) const;
};

/// Makes views of one recording after the other; what does not change with the step is kept.
class SourceFacts {
 public:
  SourceView view(const Scene& scene);

 private:
  struct Statement {
    int end_line = 0;
    StepKind kind = StepKind::Compute;
    std::vector<uint32_t> runs;  ///< indices into Timeline::lines, ascending
  };
  void start(const Scene& scene);
  void add_values(const Scene& scene, const LineStep& step, LineFacts& facts);
  void add_printed(const Scene& scene, const Op& print, uint64_t step, LineFacts& facts);
  const Summary& summary_at(const Scene& scene, ValueId id, uint64_t step, bool printed);
  void add_accesses(const Scene& scene, const LineStep& step, LineFacts& facts) const;

  std::shared_ptr<const Recorded> recorded_;
  std::map<int, Statement> statements_;
  /// Summaries of values that were overwritten since, or printed (true), by the op-step that made them and value.
  std::map<std::tuple<uint64_t, ValueId, bool>, Summary> overwritten_;
};

/// An error as it stands in the text. Columns count bytes from 1, half open.
struct TextMark {
  int line = 0, column = 0, end_column = 0;
  std::string label;  ///< "shape [32]"; may be empty
};
struct TextMessage {
  Diagnostic::Severity severity = Diagnostic::Severity::Error;
  int line = 0;                 ///< under which it stands; 0: it has no place in the text
  std::string message, hint;
  std::vector<TextMark> marks;  ///< the main one first
  std::vector<std::string> called_from;  ///< "in call to load_tile at line 31", innermost first
};
/// Messages about `text`; what has its place in another file says so and stands above the text (line 0).
std::vector<TextMessage> text_messages(const std::vector<Diagnostic>& diagnostics, const SourcePtr& text);

/// Tells where lines of a text are after it was edited: those before the first and after the last line that differs.
class LineMap {
 public:
  LineMap() = default;
  LineMap(std::string_view old_text, const TextDocument& document);
  /// Line of the document (from 1) that was line `old_line`; 0 when it was changed or is gone.
  int now(int old_line) const;
  int then(int line) const;
  /// now(), and for a changed line the nearest place: messages must not vanish while somebody types.
  int nearest(int old_line) const;

 private:
  int same_before_ = 1 << 30, same_after_ = 0;  ///< lines at the start and at the end that are equal
  int old_lines_ = 0, lines_ = 0;
};

}  // namespace tilescope::model
