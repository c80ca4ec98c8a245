#include "core/trace.h"

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
  d.message = f.message;
  d.range = f.range;
  d.hint = f.hint;
  d.calls = f.calls;
  return d;
}

}  // namespace tilescope
