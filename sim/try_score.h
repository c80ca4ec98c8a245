// How well a guessed launch fits what its programs do with the tensors.
#pragma once

#include <set>
#include <string>

#include "core/guess.h"
#include "sim/try_reach.h"

namespace tilescope {

struct TriedScore {
  int failed = 0;      ///< it cannot be run, or programs stop early
  int exceeding = 0;   ///< tensors that are touched where their sizes say that they have no elements
  double holes = 0;    ///< share of elements that are not touched, summed over tensors
  double gaps = 0;     ///< the same inside the boxes that strides and sizes span: what lies between padded rows does not count
  double overlap = 0;  ///< share of what is stored where something was stored before
  double bad() const { return 100.0 * failed + exceeding + holes + overlap; }
  /// Of launches that differ in sizes. A missing mask touches more than the sizes say: that is no reason against them.
  double bad_for_sizes() const { return 100.0 * failed + gaps + overlap; }
};

/// Tensors in `given` do not count: their shapes are no guesses.
TriedScore score_tried(const GuessedLaunch& g, const Reach& reach, const std::set<std::string>& given);

/// The programs touch other elements, or store another number of them.
bool touches_else(const Reach& a, const Reach& b);

}  // namespace tilescope
