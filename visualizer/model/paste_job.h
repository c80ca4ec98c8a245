// Finds a launch for pasted text beside the window: trying a kernel may take seconds.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "visualizer/model/pasted_kernel.h"

namespace tilescope::model {

class PasteJob {
 public:
  PasteJob() = default;
  /// Gives up what is running.
  ~PasteJob();
  PasteJob(const PasteJob&) = delete;
  PasteJob& operator=(const PasteJob&) = delete;

  /// open_pasted(text, path) on a thread of its own. What is running is given up.
  void start(std::string text, std::string path);
  void cancel();
  bool running() const;
  /// What came out, once; nothing while it runs or after it was cancelled.
  std::optional<Expected<PastedKernel>> take();
  /// Waits until nothing runs (tests, scripts). False after `seconds`.
  bool wait(double seconds) const;

 private:
  void work(const std::string& text, const std::string& path);

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::optional<Expected<PastedKernel>> result_;
  bool running_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace tilescope::model
