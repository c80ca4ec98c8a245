// The typed builder that every front end uses. It knows result types; it does not know Triton's promotion rules, which
// belong to the front end (core/lower/). Misuse is an internal error, not a user error: check before you build.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir.h"

namespace tilescope {

class Builder {
 public:
  explicit Builder(Function& f) : fn_(f), block_(&f.body) {}

  Function& function() { return fn_; }
  const Type& type(ValueId v) const { return fn_.type(v); }

  /// Location given to the ops built next.
  void set_location(LocationPtr loc) { loc_ = std::move(loc); }
  const LocationPtr& location() const { return loc_; }

  Block* block() { return block_; }
  void set_block(Block* b) { block_ = b; }

  ValueId param(std::string name, Type type, int64_t divisible_by = 1);

  /// Any op whose TypeRule is not Explicit.
  ValueId elementwise(OpCode code, std::initializer_list<ValueId> operands);
  /// An op with explicit result types, appended to the current block.
  Op& create(OpCode code, std::vector<ValueId> operands, std::vector<Type> results, std::vector<Attr> attrs = {});
  ValueId create1(OpCode code, std::vector<ValueId> operands, Type result, std::vector<Attr> attrs = {});

  /// `bits` is the element's bit pattern in its low bits (see constant_bits in core/fold.h).
  ValueId constant_bits(Type type, uint64_t bits);
  /// Converted as the IR's cast does: value must be representable for integers.
  ValueId constant_int(Type type, int64_t value);
  ValueId constant_float(Type type, double value);

  ValueId make_range(int64_t start, int64_t end);
  ValueId splat(ValueId scalar, Shape shape);            ///< identity when shape is rank 0
  ValueId expand_dims(ValueId x, int axis);
  ValueId broadcast(ValueId x, Shape shape);             ///< identity when the shape is already that
  ValueId reshape(ValueId x, Shape shape);
  ValueId trans(ValueId x, std::vector<int64_t> order);
  ValueId cast(ValueId x, DType to);                     ///< identity when already of that type
  ValueId bitcast(ValueId x, DType to);
  ValueId addptr(ValueId ptr, ValueId offset);           ///< shapes equal
  ValueId load(ValueId ptr, ValueId mask = kNoValue, ValueId other = kNoValue);
  void store(ValueId ptr, ValueId value, ValueId mask = kNoValue);
  ValueId program_id(int axis);
  ValueId num_programs(int axis);

 private:
  Function& fn_;
  Block* block_;
  LocationPtr loc_;
};

/// Bit pattern of a number as an element type: integers wrap, floats round to nearest even.
uint64_t element_bits(DType t, int64_t value);
uint64_t element_bits(DType t, double value);

}  // namespace tilescope
