#include "core/verify.h"

#include <limits>

#include "core/print.h"
#include "core/stop.h"
#include "core/verify_ops.h"

namespace tilescope {
namespace {

constexpr size_t kMaxErrors = 20;

class Verifier {
 public:
  explicit Verifier(const Function& f) : f_(f), state_(f.values.size(), State::Undefined) {}

  std::vector<Diagnostic> run() {
    header();
    if (errors_.empty()) block(f_.body, nullptr, 0);
    return std::move(errors_);
  }

 private:
  enum class State : uint8_t { Undefined, Visible, OutOfScope };

  void error(const Op* op, std::string message) {
    if (errors_.size() >= kMaxErrors) return;
    Diagnostic d;
    d.message = op == nullptr ? std::move(message) : "'" + print_op(f_, *op) + "': " + message;
    if (op != nullptr && op->loc != nullptr) {
      d.range = op->loc->range;
      d.calls = op->loc->calls;
    }
    errors_.push_back(std::move(d));
  }

  void header() {
    if (f_.name.empty()) error(nullptr, "the kernel has no name");
    if (f_.num_warps < 1 || f_.num_warps > 64 || (f_.num_warps & (f_.num_warps - 1)) != 0)
      error(nullptr, "num_warps is a power of two from 1 to 64, not " + std::to_string(f_.num_warps));
    if (f_.num_stages < 0 || f_.num_stages > 64)
      error(nullptr, "num_stages is from 0 to 64, not " + std::to_string(f_.num_stages));
    if (f_.values.size() < f_.params.size()) return error(nullptr, "a parameter has no value");
    for (size_t i = 0; i < f_.params.size(); ++i) {
      const Param& p = f_.params[i];
      if (p.type.is_tile() || !(p.type == f_.values[i].type)) error(nullptr, "parameter " + p.name + " is no scalar or pointer");
      if (p.divisible_by != 1 && p.divisible_by != 16) error(nullptr, "parameter " + p.name + ": div is 1 or 16");
      state_[i] = State::Visible;
    }
  }

  bool define(const Op* op, ValueId v) {
    if (v >= state_.size()) return error(op, "defines a value that does not exist"), false;
    if (state_[v] != State::Undefined) return error(op, "defines a value a second time"), false;
    std::string why = type_problem(f_.type(v));
    state_[v] = why.empty() ? State::Visible : State::OutOfScope;  // no rule is asked about a type that cannot be
    if (!why.empty()) error(op, std::move(why));
    return state_[v] == State::Visible;
  }

  void block(const Block& b, const Op* parent, int region) {
    for (ValueId v : b.args) define(parent, v);
    for (size_t i = 0; i < b.ops.size() && errors_.size() < kMaxErrors; ++i) {
      const Op& o = *b.ops[i];
      const bool last = i + 1 == b.ops.size();
      if (std::string why = terminator_problem(o.code, parent, region, last); !why.empty()) error(&o, why);
      op(o);
    }
    if (parent != nullptr && b.ops.empty()) error(parent, "a region is empty: it must end in yield");
    for (ValueId v : b.args)
      if (v < state_.size()) state_[v] = State::OutOfScope;
    for (const auto& o : b.ops)
      for (ValueId v : o->results)
        if (v < state_.size()) state_[v] = State::OutOfScope;
  }

  static std::string terminator_problem(OpCode code, const Op* parent, int region, bool last) {
    const bool ends_region = code == OpCode::Yield || code == OpCode::Condition;
    if (parent == nullptr) {
      if (ends_region) return "outside a region";
      return code == OpCode::Return && !last ? "return is not the last op" : "";
    }
    if (code == OpCode::Return) return "return inside a region";
    const OpCode want = parent->code == OpCode::While && region == 0 ? OpCode::Condition : OpCode::Yield;
    if (ends_region && !last) return "ops follow the end of the region";
    if (last && code != want) return "this region must end in " + std::string(op_info(want).name);
    return "";
  }

  void op(const Op& o) {
    stop_if_asked();
    bool sound = true;
    for (ValueId v : o.operands) {
      if (v >= state_.size() || state_[v] != State::Visible) {
        error(&o, v >= state_.size() || state_[v] == State::Undefined ? "uses a value before its definition"
                                                                       : "uses a value outside its region");
        sound = false;
      }
    }
    const size_t before = errors_.size();
    for (size_t i = 0; i < o.regions.size(); ++i) block(o.regions[i], &o, static_cast<int>(i));
    for (ValueId v : o.results) sound = define(&o, v) && sound;
    if (!sound || errors_.size() != before) return;
    if (std::string why = op_problem(f_, o); !why.empty()) error(&o, why);
  }

  const Function& f_;
  std::vector<State> state_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

std::vector<Diagnostic> verify(const Function& f) { return Verifier(f).run(); }

void verify_or_die(const Function& f, std::string_view when) {
  const std::vector<Diagnostic> errors = verify(f);
  if (errors.empty()) return;
  internal_error("after " + std::string(when) + ", kernel " + f.name + ": " + errors[0].message);
}

}  // namespace tilescope
