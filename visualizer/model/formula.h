// An element's arithmetic as people write it: "x[3] + y[3]" and "1.2 + 0.5".
#pragma once

#include <string>

#include "visualizer/model/values.h"

namespace tilescope::model {

struct Formula {
  std::string symbols;  ///< with names
  std::string values;   ///< the same with numbers
  int precedence = 9;
};

/// Of lane `lane` of what `op` computes at `step`; names stand for themselves, unnamed parts are written out.
Formula formula_of(const ProgramValues& values, const Op& op, int64_t lane, uint64_t step);

}  // namespace tilescope::model
