// Bounds the native stack: recursion through nested text and inlined helpers ends in a user error.
#pragma once

#include "core/lower/lowering.h"

namespace tilescope::lower {

class Lowering::DepthGuard {
 public:
  DepthGuard(Lowering& l, const SourceRange& range) : l_(l) {
    if (++l_.native_depth_ <= kMaxNativeDepth) return;
    --l_.native_depth_;
    l_.fail(range, "expressions and calls are nested too deeply here",
            "name intermediate values, or use fewer helpers");
  }
  ~DepthGuard() { --l_.native_depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  Lowering& l_;
};

/// Makes a frame the current one for its lifetime, also when an error passes through.
class Lowering::FrameGuard {
 public:
  FrameGuard(Lowering& l, Frame& f) : l_(l), outer_(l.frame_) { l_.frame_ = &f; }
  ~FrameGuard() { l_.frame_ = outer_; }
  FrameGuard(const FrameGuard&) = delete;
  FrameGuard& operator=(const FrameGuard&) = delete;

 private:
  Lowering& l_;
  Frame* outer_;
};

}  // namespace tilescope::lower
