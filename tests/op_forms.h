// Every row of ops.def as small functions: one op in every form that the verifier accepts out of a set of typical
// operands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/builder.h"
#include "core/op_domain.h"
#include "core/verify.h"

namespace tilescope::testing {

inline constexpr DType kAllDTypes[] = {
#define X(name, canonical, shorthand, bits, kind) DType::name,
    TILESCOPE_DTYPES(X)
#undef X
};

/// Functions that use one op, in all the forms that the verifier accepts out of a set of typical operands.
class OpForms {
 public:
  /// `loaded`: operands come from memory, each lane another one, and results are stored; else operands are constants
  /// and results are dropped.
  explicit OpForms(bool loaded = false) : loaded_(loaded) {}

  std::vector<Function> make(OpCode code) {
    out_.clear();
    const OpInfo& info = op_info(code);
    for (const Shape& s : {Shape{}, Shape{8}, Shape{4, 8}})
      for (DType t : kAllDTypes) {
        if (info.rule == TypeRule::Explicit)
          explicit_forms(code, t, s);
        else
          by_rule(code, t, s);
      }
    return std::move(out_);
  }

 private:
  template <class Fn>
  void add(Fn&& build) {
    Function f;
    f.name = "one";
    Builder b(f);
    build(b);
    if (loaded_) store_results(b);
    b.create(OpCode::Return, {}, {});
    if (verify(f).empty()) out_.push_back(std::move(f));
  }
  static ValueId pointers(Builder& b, Type t) {
    return b.create1(OpCode::IntToPtr, {b.constant_bits(Type::tile(DType::Int64, t.shape), 64)}, t);
  }
  ValueId value(Builder& b, Type t) {
    if (t.pointer) return pointers(b, t);
    return loaded_ ? b.load(places(b, t)) : b.constant_bits(t, 0);
  }
  static ValueId places(Builder& b, Type t) {
    const ValueId p = pointers(b, {t.elem, true, t.shape});
    if (t.is_scalar()) return p;
    const ValueId lane = b.make_range(0, t.elements());
    return b.addptr(p, t.shape.rank == 1 ? lane : b.reshape(lane, t.shape));
  }
  static void store_results(Builder& b) {
    const std::vector<ValueId> results = b.block()->ops.back()->results;
    for (ValueId r : results) {
      const Type t = b.type(r);
      const ValueId v = t.pointer ? b.create1(OpCode::PtrToInt, {r}, Type::tile(DType::Int64, t.shape)) : r;
      b.store(places(b, b.type(v)), v);
    }
  }
  void by_rule(OpCode code, DType t, const Shape& s) {
    if (!op_takes(code, t)) return;
    add([&](Builder& b) {
      const ValueId x = value(b, Type::tile(t, s));
      switch (op_info(code).min_operands) {
        case 1:
          b.elementwise(code, {x});
          break;
        case 2:
          b.elementwise(code, {x, x});
          break;
        default:
          if (code == OpCode::Select)
            b.elementwise(code, {value(b, Type::tile(DType::Int1, s)), x, x});
          else
            b.elementwise(code, {x, x, x});
      }
    });
  }
  // One operand list for each op with rules of its own; what does not verify for this type or shape is dropped.
  void explicit_forms(OpCode code, DType t, const Shape& s) {
    const Type x = Type::tile(t, s), p{t, true, s}, mask = Type::tile(DType::Int1, s);
    auto simple = [&](std::vector<Type> in, std::vector<Type> result, std::vector<Attr> attrs = {}) {
      add([&](Builder& b) {
        std::vector<ValueId> operands;
        for (const Type& o : in) operands.push_back(value(b, o));
        b.create(code, operands, result, attrs);
      });
    };
    const Shape flat{s.elements()};
    switch (code) {
      case OpCode::Cast:
        for (DType to : kAllDTypes) simple({x}, {x.with_elem(to)});
        break;
      case OpCode::Bitcast:
        for (DType to : kAllDTypes) simple({x}, {x.with_elem(to)});
        simple({p}, {Type{DType::Int8, true, s}});
        break;
      case OpCode::PtrToInt:
        simple({p}, {Type::tile(DType::Int64, s)});
        break;
      case OpCode::IntToPtr:
        simple({Type::tile(DType::UInt64, s)}, {p});
        break;
      case OpCode::AddPtr:
        for (DType offset : kAllDTypes) simple({p, Type::tile(offset, s)}, {p});
        break;
      case OpCode::Philox:
        simple({x, x, x, x, x, x}, {x, x, x, x});
        break;
      case OpCode::Constant:
        simple({}, {x}, {{"bits", int64_t{0}}});
        break;
      case OpCode::MakeRange:
        simple({}, {x}, {{"start", int64_t{0}}, {"end", int64_t{8}}});
        break;
      case OpCode::Splat:
        simple({Type::scalar(t)}, {x});
        break;
      case OpCode::ExpandDims:
        simple({x}, {x.with_shape(s.rank == 1 ? Shape{1, 8} : Shape{1, 4, 8})}, {{"axis", int64_t{0}}});
        break;
      case OpCode::Broadcast:
        simple({x.with_shape(s.rank == 1 ? Shape{1} : Shape{4, 1})}, {x});
        break;
      case OpCode::Reshape:
        simple({x}, {x.with_shape(flat)});
        break;
      case OpCode::Trans:
        simple({x}, {x.with_shape({8, 4})}, {{"order", std::vector<int64_t>{1, 0}}});
        break;
      case OpCode::Join: {
        Shape j = s;
        j.push_back(2);
        simple({x, x}, {x.with_shape(j)});
        break;
      }
      case OpCode::Split: {
        Shape j = s;
        j.push_back(2);
        simple({x.with_shape(j)}, {x, x});
        break;
      }
      case OpCode::Cat:
        simple({x, x}, {x.with_shape({16})});
        break;
      case OpCode::Flip:
        simple({x}, {x}, {{"axis", int64_t{0}}});
        break;
      case OpCode::Gather:
        simple({x, Type::tile(DType::Int32, s)}, {x}, {{"axis", int64_t{0}}});
        break;
      case OpCode::Reduce:
      case OpCode::Scan:
        for (const char* c : {"sum", "prod", "max", "min", "max_nan", "min_nan", "and", "or", "xor"}) {
          const Type r = code == OpCode::Scan ? x : x.with_shape(s.rank == 2 ? Shape{8} : Shape{});
          if (code == OpCode::Reduce || std::string(c) == "sum" || std::string(c) == "max")
            reductions(code, x, r, c, t);
        }
        break;
      case OpCode::Dot:
        dots(t);
        break;
      case OpCode::Sort:
        simple({x}, {x}, {{"descending", int64_t{1}}});
        break;
      case OpCode::TopK: {
        Shape k = s;
        if (k.rank > 0) k[k.rank - 1] = 2;
        simple({x}, {x.with_shape(k)}, {{"k", int64_t{2}}});
        break;
      }
      case OpCode::Histogram:
        simple({x, mask}, {Type::tile(DType::Int32, {4})});
        break;
      case OpCode::Load:
        simple({p, mask, x}, {x});
        break;
      case OpCode::Store:
        simple({p, x, mask}, {});
        break;
      case OpCode::AtomicRmw:
        if (t == DType::Int1 || is_small_float(t)) break;
        for (const char* kind : {"add", "max", "min", "and", "or", "xor", "xchg"})
          simple({p, x, mask}, {x},
                 {{"kind", std::string(kind)}, {"sem", std::string("relaxed")}, {"scope", std::string("gpu")}});
        break;
      case OpCode::AtomicCas:
        simple({p, x, x}, {x}, {{"sem", std::string("relaxed")}, {"scope", std::string("gpu")}});
        break;
      case OpCode::ProgramId:
      case OpCode::NumPrograms:
        simple({}, {x}, {{"axis", int64_t{2}}});
        break;
      case OpCode::Print:
        simple({x, x, x, x, x, x, x, x}, {}, {{"text", std::string("x")}});
        break;
      case OpCode::Assert:
        simple({mask, mask}, {}, {{"text", std::string("x")}});
        break;
      default:
        control(code, x);
    }
  }
  // Types that a reduction of this kind takes are those of the op it combines with.
  void reductions(OpCode code, const Type& x, const Type& r, const std::string& combine, DType t) {
    const bool floats_only = combine == "max_nan" || combine == "min_nan";
    if (t == DType::Int1 && combine != "and" && combine != "or" && combine != "xor") return;
    if (floats_only && !is_float(t)) return;
    add([&](Builder& b) {
      b.create(code, {value(b, x)}, {r}, {{"axis", int64_t{0}}, {"combine", combine}, {"reverse", int64_t{0}}});
    });
  }
  void dots(DType t) {
    for (const char* c :
         {"tc.f16.k16.f25.trunc", "tc.f16.k16.f25.rne16", "tc.tf32.k8.f25.trunc", "fma.f32", "fma.f64", "int.i8"})
      for (DType out : {DType::Float16, DType::Float32, DType::Float64, DType::Int32})
        for (bool batched : {false, true})
          add([&](Builder& b) {
            const Shape m = batched ? Shape{2, 32, 32} : Shape{32, 32};
            const Type in = Type::tile(t, m), acc = Type::tile(out, m);
            b.create(OpCode::Dot, {value(b, in), value(b, in), value(b, acc)}, {acc}, {{"contract", std::string(c)}});
          });
  }
  void control(OpCode code, const Type& x) {
    add([&](Builder& b) {
      Function& f = b.function();
      const ValueId init = value(b, x), c = b.constant_int(Type::scalar(DType::Int32), 1),
                    yes = b.constant_bits(Type::scalar(DType::Int1), 0);
      Block* outer = b.block();
      Op& op = code == OpCode::For                                  ? b.create(code, {c, c, c, init}, {x})
               : code == OpCode::While || code == OpCode::Condition ? b.create(OpCode::While, {init}, {x})
                                                                    : b.create(OpCode::If, {yes}, {x});
      op.regions.resize(op.code == OpCode::For ? 1 : 2);
      for (size_t r = 0; r < op.regions.size(); ++r) {
        Block& region = op.regions[r];
        if (op.code == OpCode::For) region.args = {f.new_value(Type::scalar(DType::Int32)), f.new_value(x)};
        if (op.code == OpCode::While) region.args = {f.new_value(x)};
        b.set_block(&region);
        const ValueId v = region.args.empty() ? init : region.args.back();
        if (op.code == OpCode::While && r == 0)
          b.create(OpCode::Condition, {yes, v}, {});
        else
          b.create(OpCode::Yield, {v}, {});
      }
      b.set_block(outer);
    });
  }

  bool loaded_;
  std::vector<Function> out_;
};

}  // namespace tilescope::testing
