#include "core/trace.h"

#include "core/words.h"

namespace tilescope {

std::string_view fault_kind_name(FaultKind k) {
  switch (k) {
    case FaultKind::OutOfBounds: return "out_of_bounds";
    case FaultKind::UninitialisedRead: return "uninitialised_read";
    case FaultKind::PoisonedUse: return "poisoned_use";
    case FaultKind::BadAddress: return "bad_address";
    case FaultKind::ZeroStep: return "zero_step";
    case FaultKind::AssertFailed: return "assert_failed";
    case FaultKind::Limit: return "limit";
    case FaultKind::DuplicateLanes: return "duplicate_lanes";
    case FaultKind::Race: return "race";
    case FaultKind::OrderDependence: return "order_dependence";
    case FaultKind::OffsetOverflow: return "offset_overflow";
    case FaultKind::Misaligned: return "misaligned";
    case FaultKind::BlockPointer: return "block_pointer";
  }
  return "fault";
}

Diagnostic to_diagnostic(const Fault& f) {
  Diagnostic d;
  if (f.same_value) d.severity = Diagnostic::Severity::Warning;
  d.message = f.message;
  d.range = f.range;
  d.hint = f.hint;
  d.calls = f.calls;
  if (!f.other || !f.other->range.valid()) return d;
  const SourceRange &a = f.range, &b = f.other->range;
  if (a.file == b.file && a.line == b.line && a.column == b.column) return d;
  const auto name = [](const FaultPartner& p) {
    return "program [" + std::to_string(p.program[0]) + ", " + std::to_string(p.program[1]) + ", " + std::to_string(p.program[2]) + "]";
  };
  if (f.kind == FaultKind::OffsetOverflow) {
    d.labels.push_back({b, remember(say(CoreWords::UsedAsAddress))});
    return d;
  }
  d.labels.push_back({b, remember(say(f.other->writes ? CoreWords::WritesHere : CoreWords::ReadsHere, {{"program", name(*f.other)}}))});
  return d;
}

}  // namespace tilescope
