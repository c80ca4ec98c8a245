#include "visualizer/model/messages.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "visualizer/model/source_view.h"
#include "visualizer/model/words.h"

namespace tilescope::model {
namespace {

std::string place_text(const SourceRange& r) {
  if (!r.valid()) return {};
  return fmt::format("{}:{}:{}", std::filesystem::path(r.file->path).filename().string(), r.line, r.column);
}

Message of_diagnostic(Message::Kind kind, const Diagnostic& d, const SourcePtr& text) {
  const TextMessage t = text_messages({d}, text).front();
  Message m;
  m.kind = kind;
  m.text = d.message;
  m.place = place_text(d.range);
  m.hint = d.hint;
  m.line = t.line;
  for (const TextMark& mark : t.marks)
    if (!mark.label.empty()) m.details.push_back(mark.label);
  m.details.insert(m.details.end(), t.called_from.begin(), t.called_from.end());
  return m;
}

/// A note of more than one line: the first is its text.
Message of_note(const std::string& note) {
  Message m;
  size_t at = note.find('\n');
  m.text = note.substr(0, at);
  while (at != std::string::npos) {
    const size_t end = note.find('\n', at + 1);
    m.details.push_back(note.substr(at + 1, end == std::string::npos ? end : end - at - 1));
    at = end;
  }
  return m;
}

Message of_fault(const Fault& fault, size_t number, const std::array<int64_t, 3>& grid) {
  Message m;
  m.kind = Message::Kind::Fault;
  m.text = fault.message;
  m.place = place_text(fault.range);
  m.hint = fault.hint;
  m.line = fault.range.valid() ? fault.range.line : 0;
  m.fault = number;
  Words index, element;
  if (fault.lane_index.size() > 1) index = say(ModelWords::FaultIndex, {{"index", fmt::format("{}", fmt::join(fault.lane_index, ", "))}});
  if (!fault.tensor.empty()) element = say(ModelWords::FaultElement, {{"tensor", fault.tensor}, {"offset", fault.offset}, {"size", fault.size}});
  m.details.push_back(remember(say(ModelWords::FaultPlace, {{"program", program_text(fault.program, grid)}, {"lane", fault.lane}, {"index", index}, {"element", element}})));
  if (fault.other) {
    const FaultPartner& o = *fault.other;
    m.details.push_back(remember(say(ModelWords::FaultOther, {{"place", place_text(o.range)}, {"program", program_text(o.program, grid)}, {"lane", o.lane}})));
  }
  for (const LoopPosition& l : fault.loops) m.details.push_back(remember(say(ModelWords::FaultLoop, {{"variable", l.variable}, {"value", l.value}, {"n", l.iteration + 1}})));
  return m;
}

}  // namespace

std::string program_text(const ProgramIndex& p, const std::array<int64_t, 3>& grid) {
  if (grid[2] > 1) return fmt::format("({}, {}, {})", p[0], p[1], p[2]);
  if (grid[1] > 1) return fmt::format("({}, {})", p[0], p[1]);
  return std::to_string(p[0]);
}

std::vector<Message> messages_of(const Published& run) {
  std::vector<Message> out, quiet;
  for (const Diagnostic& d : run.errors) out.push_back(of_diagnostic(Message::Kind::Error, d, run.text));
  std::set<std::string> said;  // the kernel's notes may come from several passes
  const auto note = [&](Message m) {
    if (said.insert(m.place + m.text).second) quiet.push_back(std::move(m));
  };
  if (run.totals != nullptr) {
    const RunTrace& trace = run.totals->trace;
    for (size_t i = 0; i < trace.faults.size(); ++i) out.push_back(of_fault(trace.faults[i], i, trace.grid));
    for (const bool equal : {false, true})
      for (size_t i = 0; i < run.totals->outputs.size(); ++i) {
        if (run.totals->outputs[i].equal != equal) continue;
        Message m;
        m.kind = equal ? Message::Kind::OutputEqual : Message::Kind::OutputDiffers;
        m.output = i;
        out.push_back(std::move(m));
      }
    for (const std::string& n : trace.notes) note(of_note(n));
  }
  for (const std::string& n : run.notes) note(of_note(n));
  if (run.launch != nullptr)
    for (const Diagnostic& d : run.launch->kernel.notes) note(of_diagnostic(Message::Kind::Note, d, run.text));
  for (Message& m : quiet) out.push_back(std::move(m));
  return out;
}

}  // namespace tilescope::model
