// A shared library opened at run time, so that one binary works with and without CUDA.
#pragma once

#include <string>
#include <vector>

namespace tilescope::gpu {

class Library {
 public:
  /// Opens the first of the names that is there. Never closed: CUDA does not like it.
  explicit Library(const std::vector<std::string>& names);
  bool is_open() const { return handle_ != nullptr; }
  /// What the loader said of the names, for messages.
  const std::string& problem() const { return problem_; }

  /// Fills a function pointer; false (and the problem says which) when the library lacks it.
  template <class Fn>
  bool find(const char* symbol, Fn& fn) {
    void* p = lookup(symbol);
    fn = reinterpret_cast<Fn>(p);
    return p != nullptr;
  }

 private:
  void* lookup(const char* symbol);
  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace tilescope::gpu
