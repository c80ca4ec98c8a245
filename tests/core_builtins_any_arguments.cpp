// Kernel text is untrusted: whatever arguments a builtin is called with, it refuses them or builds a well-formed
// function.
#include <doctest/doctest.h>

#include <random>

#include "core/lower/builtins.h"
#include "core/syntax/ast.h"
#include "core/verify.h"

using namespace tilescope;
using namespace tilescope::lower;

namespace {

/// A context without syntax: helpers return their first arguments.
class BareContext : public Context {
 public:
  explicit BareContext(Function& f) : builder_object_(f) { builder_ = &builder_object_; }
  using Context::fail;
  void fail(Diagnostic d) override { throw CompileError{std::move(d)}; }
  void note(const SourceRange&, std::string) override {}
  Value call_function(const FunctionValue&, std::vector<CallArg> args, const SourceRange& range) override {
    if (args.size() == 2) return args[0].value;
    std::vector<Value> half;
    for (size_t i = 0; i < args.size() / 2; ++i) half.push_back(args[i].value);
    return make_tuple_value(std::move(half), range);
  }
  Value call_prelude(const std::string& name, std::vector<CallArg> args, const SourceRange& range) override {
    std::vector<Value> items;
    for (const CallArg& a : args) items.push_back(a.value);
    const bool is_tuple = name == "pair_uniform_to_normal" || name == "_philox_rounds" || name == "swizzle2d";
    return is_tuple ? make_tuple_value(std::move(items), range) : items.at(0);
  }

 private:
  Builder builder_object_;
};

/// Values of every kind and many shapes and types, in a fresh function.
std::vector<Value> any_values(Function& f) {
  std::vector<Value> values;
  const Shape shapes[] = {{}, {1}, {16}, {2}, {4, 8}, {16, 32}, {32, 16}, {2, 2, 16}};
  auto add = [&](Value v) { values.push_back(std::move(v)); };
  auto parameter = [&](Type t) {
    f.params.push_back({"p" + std::to_string(f.params.size()), t, 1});
    return f.new_value(t);
  };
  Builder b(f);
  std::vector<std::pair<ValueId, Shape>> scalars;
  for (DType t : {DType::Int1, DType::Int8, DType::Int32, DType::Int64, DType::UInt32, DType::UInt64, DType::Float8E5,
                  DType::Float16, DType::BFloat16, DType::Float32, DType::Float64})
    for (bool pointer : {false, true}) {
      ValueId scalar = parameter({t, pointer, {}});
      for (const Shape& s : shapes) scalars.push_back({scalar, s});
    }
  const ValueId base = parameter(Type::pointer_to(DType::Float32));
  for (auto& [scalar, shape] : scalars) add({TensorValue{b.splat(scalar, shape)}, {}});
  for (int n : {-3, -1, 0, 1, 2, 3, 4, 8, 10, 16, 300}) add(make_int(n, {}));
  add(make_int(ConstInt{1} << 90, {}));
  add(make_int(-(ConstInt{1} << 100), {}));
  for (double d : {0.0, 1.5, -2.0, 1e300, __builtin_nan("")}) add({d, {}});
  for (bool v : {false, true}) add(make_bool(v, {}));
  for (const char* s : {"", "zero", "nan", "tf32", "ieee", "relaxed", "gpu", ".cg", "rtz", "text"})
    add({std::string(s), {}});
  for (DType t : {DType::Int1, DType::Int32, DType::Float8E5, DType::Float16, DType::Float32, DType::UInt64}) {
    add({DTypeValue{t, false}, {}});
    add({DTypeValue{t, true}, {}});
  }
  add(make_none({}));
  static const FunctionDef combine;
  add({FunctionValue{&combine, nullptr}, {}});
  add({EnumValue{"tl.PropagateNan.ALL"}, {}});
  const ValueId wide = b.constant_int(Type::scalar(DType::Int64), 8),
                narrow = b.constant_int(Type::scalar(DType::Int32), 0);
  add({BlockPointerValue{base, {wide, wide}, {wide, wide}, {narrow, narrow}, {4, 8}, {1, 0}}, {}});
  add({DescriptorValue{base, {wide, wide}, {wide, wide}, {4, 8}, "zero"}, {}});
  add({DescriptorValue{base, {wide, wide}, {wide, wide}, {1, 8}, "nan"}, {}});
  const size_t single = values.size();
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) {
    std::vector<Value> items;
    for (uint32_t n = random() % 4; n > 0; --n)
      items.push_back(i % 2 == 0 ? make_int(1 << random() % 5, {}) : values[random() % single]);
    add(make_tuple_value(std::move(items), {}));
  }
  return values;
}

/// Values that go together: tiles of one shape, of one type, of pointers to it, of indices and of masks. For a
/// parameter whose name tells what it wants, values of that kind.
class Matching {
 public:
  Matching(Function& f, const std::vector<Value>& all, std::mt19937& random) : all_(all), random_(random) {
    const Shape shapes[] = {{}, {16}, {4, 8}, {32, 32}, {2, 2, 16}, {8, 2}};
    const Shape shape = shapes[random() % 6];
    const DType wanted = random() % 2 ? DType::Float32 : static_cast<DType>(random() % kDTypeCount);
    for (uint32_t v = 0; v < f.params.size(); ++v) {
      const Type t = f.type(v);
      Value tile = make_value(Builder(f).splat(v, shape), {});
      if (t.pointer && t.elem == wanted) {
        pointers_.push_back(tile);
        pointer_ = make_value(v, {});
      }
      if (!t.pointer && t.elem == wanted) tiles_.push_back(tile);
      if (!t.pointer && t.elem == DType::Int1) masks_.push_back(tile);
      if (!t.pointer && t.elem == DType::Int32) integers_.push_back(tile);
    }
  }

  Value pick(const std::string& parameter) {
    const std::string name = " " + parameter + " ";
    auto is = [&](const char* names) { return std::string(names).find(name) != std::string::npos; };
    if (is(" pointer ")) return one_of(pointers_);
    if (is(" mask condition ")) return one_of(masks_);
    if (is(" dtype out_dtype ")) return first<DTypeValue>();
    if (is(" base ")) return pointer_;
    const bool usual = random_() % 4 != 0;
    if (is(" offsets ")) return usual ? pair(0, 0) : one_of(integers_);
    if (is(" order ") && usual) return pair(1, 0);
    if (is(" strides ") && usual) return pair(8, 1);
    if (is(" shape block_shape ") && usual) return pair(4, 8);
    if (is(" shape strides block_shape order values ")) return first<TupleValue>();
    if (is(" combine_fn scalar_fn ")) return first<FunctionValue>();
    if (is(" desc ")) return first<DescriptorValue>();
    if (is(" axis dim start num_bins k ")) return make_int(random_() % 2 ? 0 : 8, {});
    if (is(" index x_offsets y_offset offset seed ")) return one_of(integers_);
    if (is(" can_reorder keep_dims reverse bitcast return_indices ")) return make_bool(random_() % 2 == 0, {});
    return one_of(tiles_);
  }

 private:
  static Value pair(int a, int b) { return make_tuple_value({make_int(a, {}), make_int(b, {})}, {}); }
  Value one_of(const std::vector<Value>& pool) {
    return pool.empty() ? make_int(1, {}) : pool[random_() % pool.size()];
  }
  template <class T>
  Value first() {
    for (size_t i = 0, at = random_() % all_.size(); i < all_.size(); ++i)
      if (all_[(at + i) % all_.size()].is<T>()) return all_[(at + i) % all_.size()];
    return make_none({});
  }
  const std::vector<Value>& all_;
  std::mt19937& random_;
  Value pointer_;
  std::vector<Value> pointers_, tiles_, masks_, integers_;
};

/// Names of the signature's parameters, without `*rest`; those without a default come first.
std::vector<std::string> names_of(const std::string& signature, size_t& required) {
  std::vector<std::string> names;
  std::string name;
  required = 0;
  bool reading = true;
  for (char ch : signature.substr(1)) {
    if (ch == ',' || ch == ')') {
      if (!name.empty() && name[0] != '*') {
        names.push_back(name);
        if (reading) required = names.size();
      }
      name.clear();
      reading = true;
    } else if (ch == '=') {
      reading = false;
    } else if (reading && ch != ' ') {
      name += ch;
    }
  }
  return names;
}

}  // namespace

TEST_CASE("every builtin refuses any arguments or builds a well-formed function") {
  std::mt19937 random(20260101);
  int built = 0, refusals = 0;
  for (const Builtin* builtin : all_builtins()) {
    size_t required = 0;
    const std::vector<std::string> names = names_of(builtin->signature, required);
    for (int round = 0; round < 60; ++round) {
      Function f;
      f.name = "kernel";
      const std::vector<Value> values = any_values(f);
      Matching matching(f, values, random);
      BareContext c(f);
      Call call{builtin, {}, {}, {}};
      const size_t count = std::max<size_t>(required, 1) - random() % 8 / 7 + random() % 4 / 2;
      for (size_t i = 0; i < count; ++i) {
        const std::string name = i < names.size() ? names[i] : "";
        const bool named = !name.empty() && random() % 16 == 0;
        const bool matches = random() % 6 != 0;
        call.args.push_back({named ? names[random() % names.size()] : "",
                             matches ? matching.pick(name) : values[random() % values.size()]});
      }
      try {
        builtin->fn(c, call);
        ++built;
      } catch (const CompileError& e) {
        CHECK_MESSAGE(!e.diagnostic.message.empty(), builtin->path);
        ++refusals;
        continue;
      }
      c.b().create(OpCode::Return, {}, {});
      const std::vector<Diagnostic> broken = verify(f);
      CHECK_MESSAGE(broken.empty(), builtin->path << "\n" << render(broken));
      if (!broken.empty()) break;
    }
  }
  CHECK(built > 4000);
  CHECK(refusals > 5000);
}
