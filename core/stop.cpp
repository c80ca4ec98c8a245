#include "core/stop.h"

#include <utility>

namespace tilescope {
namespace {

thread_local const StopScope* innermost = nullptr;

}  // namespace

StopScope::StopScope(std::function<bool()> asked) : asked_(std::move(asked)), outer_(innermost) { innermost = this; }
StopScope::~StopScope() { innermost = outer_; }

bool is_stop_asked() {
  for (const StopScope* s = innermost; s != nullptr; s = s->outer_)
    if (s->asked_()) return true;
  return false;
}

void stop_if_asked() {
  if (is_stop_asked()) throw Stopped{};
}

StopRelay::StopRelay() : home_(innermost) {}
void StopRelay::rethrow() const {
  if (stopped()) throw Stopped{};
}

StopRelay::Visit::Visit(const StopScope* home) : before(std::exchange(innermost, home)) {}
StopRelay::Visit::~Visit() { innermost = before; }

}  // namespace tilescope
