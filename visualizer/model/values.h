// Reads values of one recorded program: any value at any step, which tensor element an address names, and numbers as
// people read them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ir.h"
#include "core/trace.h"
#include "sim/launch.h"
#include "sim/memory.h"
#include "sim/record.h"
#include "visualizer/model/dataflow.h"

namespace tilescope::model {

struct Scene;

/// Row-major lane number of an index, and back.
int64_t lane_of(const Shape& shape, const std::vector<int64_t>& index);
std::vector<int64_t> index_of_lane(const Shape& shape, int64_t lane);

/// One lane of a recorded value. `lane` is within its elements.
double lane_number(const ValueRecord& v, int64_t lane);   ///< pointers: the address
int64_t lane_integer(const ValueRecord& v, int64_t lane);  ///< integers and pointers
bool lane_poisoned(const ValueRecord& v, int64_t lane);

/// An element of a tensor of the launch.
struct TensorPlace {
  int tensor = -1;                   ///< index into Launch::tensors; -1: the address belongs to none
  int64_t offset = 0;                ///< in elements, from logical index 0
  std::vector<int64_t> index;        ///< logical index, when the offset has one
  bool inside = false;
};

class ProgramValues {
 public:
  ProgramValues(std::shared_ptr<const Launch> launch, std::shared_ptr<ProgramRecording> recording);

  struct Found {
    int64_t step = -1;                   ///< that gave it this value; -1: a parameter, or not computed
    const ValueRecord* record = nullptr;  ///< null: not computed
    std::shared_ptr<const void> keep;    ///< owns the record
    explicit operator bool() const { return record != nullptr; }
  };
  /// The value as it is after `step`.
  Found at(ValueId value, uint64_t step) const;
  std::shared_ptr<const StepData> data(uint64_t step) const { return recording_->step(step); }
  /// The first step after `after`, before `end`, in which op number `number` did its work; -1: none.
  int64_t next_run(int number, uint64_t after, uint64_t end = ~uint64_t{0}) const;
  /// Name of a value in the source, "" when it has none.
  const std::string& name(ValueId value) const { return flow_.function().values[value].name; }
  std::string text_of_expression(const Op& op) const;  ///< its text in the source, on one line

  /// The source's text of one side (0 left, 1 right) of a binary op: "BLOCK" of `pid * BLOCK`, "" when it cannot be told.
  std::string text_of_side(const Op& op, size_t side) const;

  TensorPlace place(uint64_t address) const;
  TensorPlace place(int tensor, int64_t offset) const;
  /// "a_ptr[3, 5]", or "a_ptr + 812" where no logical index has that offset, or the address in hexadecimal.
  std::string place_text(const TensorPlace& p, uint64_t address = 0) const;
  /// Lanes as exact text: numbers, "NaN", "inf", "undefined", pointers as elements.
  std::string lane_text(const ValueRecord& v, int64_t lane) const;

  const Dataflow& flow() const { return flow_; }
  const Launch& launch() const { return *launch_; }
  ProgramRecording& recording() const { return *recording_; }
  const ProgramTrace& trace() const { return recording_->trace(); }

 private:
  std::shared_ptr<const Launch> launch_;
  std::shared_ptr<ProgramRecording> recording_;
  Dataflow flow_;
  /// The address space of the launch, made of tensors without storage: only their places matter here.
  std::deque<Tensor> shadows_;
  mutable Memory memory_;
  std::vector<int> tensors_;  ///< by index in memory_: index into Launch::tensors
};

/// That of the scene's program; null when nothing is recorded. Kept with the scene.
const ProgramValues* program_values(const Scene& scene);

/// How the numbers of one tile are written, so that they line up.
struct NumberStyle {
  int decimals = 0;  ///< of a scientific one: of its mantissa
  bool scientific = false;
};
/// For numbers up to `reach` in magnitude in at most `characters`. `negative`: some have a sign, for which room is kept.
NumberStyle number_style(double reach, bool whole, int characters, bool negative = true);
std::string format_number(double x, const NumberStyle& style);
/// Minus as U+2212, "NaN", "inf".
std::string typographic(std::string text);
/// Four significant digits.
std::string short_number(double x);

}  // namespace tilescope::model
