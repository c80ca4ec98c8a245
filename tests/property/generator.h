// The state of the generator of random kernels: what is in scope, and choices.
#pragma once

#include <string>
#include <vector>

#include "tests/property/build.h"

namespace tilescope::property {

class Generator {
 public:
  explicit Generator(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) { p_.seed = seed; }
  Program make();

 private:
  struct Variable {
    std::string name;
    Type type;
  };

  // ---- choices ----
  uint64_t next();
  int64_t pick(int64_t n) { return static_cast<int64_t>((next() >> 11) % static_cast<uint64_t>(n)); }
  bool chance(int64_t one_in) { return pick(one_in) == 0; }
  template <class T>
  const T& any(const std::vector<T>& v) {
    return v[static_cast<size_t>(pick(static_cast<int64_t>(v.size())))];
  }
  DType any_dtype(bool with_bool);
  DType float_dtype();
  Shape any_shape();

  // ---- expressions (sim_property_expressions.cpp) ----
  /// A tile of numbers of exactly that shape, of any element type but int1.
  ExprPtr numeric(const Shape& s, int depth);
  ExprPtr leaf(const Shape& s, int depth);
  ExprPtr typed(const Shape& s, DType t, int depth) { return legal_cast(numeric(s, depth), t); }
  ExprPtr integers(const Shape& s, int depth);
  ExprPtr mask(const Shape& s, int depth);
  /// Something that broadcasts to the shape: a scalar, a row, a column, or the shape itself.
  ExprPtr narrower(const Shape& s, int depth);
  ExprPtr arithmetic(const Shape& s, int depth);
  ExprPtr bits(const Shape& s, int depth);
  ExprPtr unary(const Shape& s, int depth);
  ExprPtr choice(const Shape& s, int depth);
  ExprPtr conversion(const Shape& s, int depth);
  ExprPtr rearranged(const Shape& s, int depth);
  ExprPtr reduction(const Shape& s, int depth);
  ExprPtr scanned(const Shape& s, int depth);
  ExprPtr small_number(DType beside);
  DType reduced_type(const std::string& name, DType t);

  // ---- memory (sim_property_memory.cpp) ----
  void inputs();
  std::string input(DType t, std::vector<int64_t> shape, bool strided);
  /// A run-time argument or a constexpr of that value.
  ExprPtr argument(const std::string& name, int64_t value);
  ExprPtr load(const Shape& s, int depth);
  ExprPtr load_anywhere(const TensorArg& t, const Shape& s, int depth);
  ExprPtr load_range(const TensorArg& t, const Shape& s);
  ExprPtr load_matrix(const TensorArg& t, const Shape& s);
  ExprPtr load_block(const TensorArg& t, const Shape& s);
  ExprPtr stride_of(const TensorArg& t, size_t axis);
  ExprPtr other_for(DType t, const Shape& s);
  ExprPtr loaded(ExprPtr pointer, ExprPtr mask, bool needs_other);
  /// Pointers of this program's own part of a fresh output.
  ExprPtr own_place(const Shape& s, DType t);
  ExprPtr flat_offsets(const Shape& s);
  void store(const Shape& s, ExprPtr value);
  void copy_without_other();
  void store_block();
  void round_trip();
  void atomics();

  // ---- statements (sim_property_generate.cpp) ----
  void statements(int64_t n, int nesting);
  void statement(int nesting);
  void assign(const std::string& name, ExprPtr value);
  std::string fresh(const std::string& stem) { return stem + std::to_string(names_++); }
  void define(ExprPtr value);
  void reassign();
  void two_results();
  void loop(int nesting);
  void while_loop(int nesting);
  void branch(int nesting);
  void pointer_walk();
  void dots();
  /// A call of a fresh helper, which sees its two arguments only.
  ExprPtr helper_call(const Shape& s, int depth);
  void add(Stmt s) { block_->push_back(std::make_shared<Stmt>(std::move(s))); }
  /// Runs fn with statements going to `body`; variables that it defines go out of scope.
  template <class Fn>
  void nested(Block& body, Fn&& fn) {
    Block* outer = block_;
    const size_t tiles = tiles_.size(), scalars = scalars_.size(), masks = masks_.size();
    block_ = &body;
    fn();
    block_ = outer;
    tiles_.resize(tiles);
    scalars_.resize(scalars);
    masks_.resize(masks);
  }

  Program p_;
  uint64_t state_;
  int names_ = 0;
  Block* block_ = nullptr;
  std::vector<Variable> tiles_;                 ///< tiles and scalars of numbers that may be read and reassigned
  std::vector<Variable> masks_;                 ///< int1 tiles and scalars
  std::vector<ExprPtr> scalars_;                ///< int32 scalars that are only read
  std::vector<std::pair<ExprPtr, Shape>> own_;  ///< pointers of this program's own part of outputs, with their shapes
  ExprPtr pid_;
  bool memory_ = true;  ///< loads are possible here
  int64_t programs_ = 1;
};

}  // namespace tilescope::property
