// Long work that somebody may stop wanting. Who starts it sets a StopScope, which knows how to ask whether it is to
// stop; the work itself (the compiler, the simulator) asks now and then by stop_if_asked() and is unwound by Stopped.
// Without a scope nobody is asked and nothing stops.
#pragma once

#include <atomic>
#include <functional>

namespace tilescope {

/// Thrown up to whoever set the scope. No std::exception, so that nobody in between takes it for an error; what was
/// under work (tensors, recordings) is then in no particular state.
struct Stopped {};

class StopScope {
 public:
  /// For the work of this thread until the end of the scope. `asked` says whether it is to stop; outer scopes are asked
  /// too. It is called thousands of times a second, and from each thread that a StopRelay takes part of the work to.
  explicit StopScope(std::function<bool()> asked);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  friend bool is_stop_asked();
  std::function<bool()> asked_;
  const StopScope* outer_;
};

/// Somebody wants this thread's work to stop.
bool is_stop_asked();
/// Throws Stopped when that is so.
void stop_if_asked();

/// Takes the scope of the thread that makes it to other threads, and Stopped back: no exception may leave an OpenMP
/// region.
class StopRelay {
 public:
  StopRelay();
  /// Calls work() unless some thread was stopped already.
  template <class Work>
  void operator()(Work&& work) {
    if (stopped()) return;
    const Visit visit(home_);
    try {
      work();
    } catch (const Stopped&) {
      stopped_.store(true, std::memory_order_relaxed);
    }
  }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  /// After the region, in the first thread: throws Stopped if some thread was stopped.
  void rethrow() const;

 private:
  /// Another thread's scope is this thread's meanwhile.
  struct Visit {
    explicit Visit(const StopScope* home);
    ~Visit();
    const StopScope* before;
  };
  const StopScope* home_;
  std::atomic<bool> stopped_{false};
};

}  // namespace tilescope
