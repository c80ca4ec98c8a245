#include "visualizer/model/paste_job.h"

#include <chrono>
#include <exception>
#include <new>

#include "core/stop.h"

namespace tilescope::model {

PasteJob::~PasteJob() { cancel(); }

void PasteJob::start(std::string text, std::string path) {
  cancel();
  stop_ = false;
  running_ = true;
  thread_ = std::thread([this, text = std::move(text), path = std::move(path)] { work(text, path); });
}

void PasteJob::cancel() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  result_.reset();
}

void PasteJob::work(const std::string& text, const std::string& path) {
  std::optional<Expected<PastedKernel>> result;
  try {
    const StopScope scope([this] { return stop_.load(); });
    result = open_pasted(text, path);
  } catch (const Stopped&) {
  } catch (const std::bad_alloc&) {
    result = plain_error("there is not enough memory to try what was pasted");
  } catch (const std::exception& e) {
    result = plain_error(std::string("what was pasted could not be tried: ") + e.what());
  }
  const std::lock_guard lock(mutex_);
  result_ = std::move(result);
  running_ = false;
  changed_.notify_all();
}

bool PasteJob::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

std::optional<Expected<PastedKernel>> PasteJob::take() {
  const std::lock_guard lock(mutex_);
  std::optional<Expected<PastedKernel>> out;
  if (!running_) out.swap(result_);
  return out;
}

bool PasteJob::wait(double seconds) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return !running_; });
}

}  // namespace tilescope::model
