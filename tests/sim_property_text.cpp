// Random kernels as Triton text.
#include <cmath>
#include <sstream>

#include "tests/property/program.h"

namespace tilescope::property {
namespace {

std::string text(const Expr& e);

std::string number_text(const Expr& e) {
  if (!e.name.empty()) return e.name;
  if (!e.is_float) return std::to_string(static_cast<int64_t>(e.number));
  if (std::isnan(e.number)) return "float(\"nan\")";
  if (std::isinf(e.number)) return e.number > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  std::ostringstream out;
  out.precision(17);
  out << e.number;
  std::string s = out.str();
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

std::string shape_text(const Shape& s) {
  std::string out = "(";
  for (int i = 0; i < s.rank; ++i) out += std::to_string(s[i]) + (s.rank == 1 ? "," : i + 1 < s.rank ? ", " : "");
  return out + ")";
}

std::string type_text(DType t) { return "tl." + std::string(dtype_name(t)); }

std::string call(const std::string& function, const Expr& e, const std::string& rest = {}) {
  std::string out = function + "(";
  for (size_t i = 0; i < e.args.size(); ++i) out += (i > 0 ? ", " : "") + text(*e.args[i]);
  return out + rest + ")";
}

std::string truth(int64_t v) { return v != 0 ? "True" : "False"; }

std::string axis_text(int64_t axis) { return axis < 0 ? "None" : std::to_string(axis); }

std::string reduction_text(const Expr& e) {
  const std::string keep = e.ints.back() != 0 ? ", keep_dims=True" : "";
  switch (e.kind) {
    case Kind::Reduce:
      return call("tl." + e.name, e, ", axis=" + axis_text(e.ints[0]) + keep);
    case Kind::ArgReduce:
      return call("tl." + e.name, e,
                  ", axis=" + axis_text(e.ints[0]) +
                      ", return_indices=True, return_indices_tie_break_left=" + truth(e.ints[1]) + keep);
    case Kind::UserReduce:
      return call("tl.reduce", e, ", " + axis_text(e.ints[0]) + ", " + e.name + keep);
    case Kind::Scan:
      return call("tl." + e.name, e, ", axis=" + std::to_string(e.ints[0]) + ", reverse=" + truth(e.ints[1]));
    default:
      return call("tl.associative_scan", e,
                  ", " + std::to_string(e.ints[0]) + ", " + e.name + ", reverse=" + truth(e.ints[1]));
  }
}

std::string dot_text(const Expr& e) {
  std::string rest = e.name.empty() ? "" : ", input_precision=\"" + e.name + "\"";
  if (e.type.elem != DType::Float32) rest += ", out_dtype=" + type_text(e.type.elem);
  return call("tl.dot", e, rest);
}

std::string load_text(const Expr& e) {
  std::string out = "tl.load(" + text(*e.args[0]);
  if (e.args.size() > 1) out += ", mask=" + text(*e.args[1]);
  if (e.args.size() > 2) out += ", other=" + text(*e.args[2]);
  return out + ")";
}

std::string block_pointer_text(const Expr& e) {
  const auto pair = [&](size_t k) { return "(" + text(*e.args[k]) + ", " + text(*e.args[k + 1]) + ")"; };
  return "tl.make_block_ptr(" + text(*e.args[0]) + ", (" + std::to_string(e.ints[0]) + ", " +
         std::to_string(e.ints[1]) + "), " + pair(1) + ", " + pair(3) + ", " + shape_text(e.type.shape) + ", (1, 0))";
}

std::string text(const Expr& e) {
  const auto first = [&] { return text(*e.args[0]); };
  switch (e.kind) {
    case Kind::Number:
      return e.number < 0 ? "(" + number_text(e) + ")" : number_text(e);
    case Kind::Variable:
      return e.name;
    case Kind::ProgramId:
      return "tl.program_id(" + std::to_string(e.ints[0]) + ")";
    case Kind::NumPrograms:
      return "tl.num_programs(" + std::to_string(e.ints[0]) + ")";
    case Kind::Arange:
      return "tl.arange(" + std::to_string(e.ints[0]) + ", " + std::to_string(e.ints[1]) + ")";
    case Kind::Full:
      return "tl.full(" + shape_text(e.type.shape) + ", " + first() + ", " + type_text(e.type.elem) + ")";
    case Kind::Unary:
      return e.name == "tl.abs" ? call("tl.abs", e) : "(" + e.name + first() + ")";
    case Kind::Binary:
      return "(" + first() + " " + e.name + " " + text(*e.args[1]) + ")";
    case Kind::Extremum:
      return call("tl." + e.name, e, e.ints[0] != 0 ? ", propagate_nan=tl.PropagateNan.ALL" : "");
    case Kind::Where:
      return call("tl.where", e);
    case Kind::Fma:
      return call("tl.fma", e);
    case Kind::Math:
      return call("tl." + e.name, e);
    case Kind::Cast:
      return first() + ".to(" + type_text(e.type.elem) + ")";
    case Kind::Bitcast:
      return first() + ".to(" + type_text(e.type.elem) + ", bitcast=True)";
    case Kind::ExpandDims: {
      const int rank = e.type.shape.rank;
      std::string out = first() + "[";
      for (int i = 0; i < rank; ++i) out += std::string(i > 0 ? ", " : "") + (i == e.ints[0] ? "None" : ":");
      return out + "]";
    }
    case Kind::BroadcastTo:
      return call("tl.broadcast_to", e, ", " + shape_text(e.type.shape));
    case Kind::Reshape:
      return call("tl.reshape", e, ", " + shape_text(e.type.shape));
    case Kind::Trans: {
      std::string rest;
      for (int64_t a : e.ints) rest += ", " + std::to_string(a);
      return call("tl.permute", e, rest);
    }
    case Kind::Join:
      return call("tl.join", e);
    case Kind::Cat:
      return call("tl.cat", e, ", dim=0");  // the other form reorders (tests/sim_views.cpp)
    case Kind::Interleave:
      return call("tl.interleave", e);
    case Kind::Flip:
      return call("tl.flip", e, ", " + std::to_string(e.ints[0]));
    case Kind::Gather:
      return call("tl.gather", e, ", " + std::to_string(e.ints[0]));
    case Kind::Split:
      return call("tl.split", e);
    case Kind::Sort:
      return call("tl.sort", e, ", descending=" + truth(e.ints[0]));
    case Kind::Dot:
      return dot_text(e);
    case Kind::Load:
      return load_text(e);
    case Kind::PairReduce:
      return "tl.reduce((" + first() + ", " + text(*e.args[1]) + "), " + std::to_string(e.ints[0]) + ", keep_larger)";
    case Kind::PairScan:
      return "tl.associative_scan((" + first() + ", " + text(*e.args[1]) + "), " + std::to_string(e.ints[0]) +
             ", keep_larger, reverse=" + truth(e.ints[1]) + ")";
    case Kind::BlockLoad:
      return "tl.load(" + block_pointer_text(e) + ", boundary_check=(0, 1), padding_option=\"" +
             (e.ints[2] != 0 ? "nan" : "zero") + "\")";
    case Kind::Ternary:
      return "(" + first() + " if " + text(*e.args[1]) + " else " + text(*e.args[2]) + ")";
    case Kind::Call:
      return call(e.name, e);
    default:
      return reduction_text(e);
  }
}

std::string names_text(const Stmt& s) {
  std::string out;
  for (const std::string& n : s.names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

void print(const Block& b, const std::string& indent, std::string& out) {
  if (b.empty()) out += indent + "pass\n";
  for (const auto& s : b) {
    out += indent;
    switch (s->kind) {
      case Stmt::Kind::Assign:
      case Stmt::Kind::AssignTwo:
        out += names_text(*s) + " = " + text(*s->exprs[0]) + "\n";
        break;
      case Stmt::Kind::AugmentedAssign:
        out += names_text(*s) + " " + s->op + "= " + text(*s->exprs[0]) + "\n";
        break;
      case Stmt::Kind::Store:
        out += "tl.store(" + text(*s->exprs[0]) + ", " + text(*s->exprs[1]);
        if (s->exprs.size() > 2) out += ", mask=" + text(*s->exprs[2]);
        out += ")\n";
        break;
      case Stmt::Kind::BlockStore:
        out +=
            "tl.store(" + block_pointer_text(*s->exprs[0]) + ", " + text(*s->exprs[1]) + ", boundary_check=(0, 1))\n";
        break;
      case Stmt::Kind::Atomic:
        out += "tl.atomic_" + s->op + "(" + text(*s->exprs[0]) + ", " + text(*s->exprs[1]);
        if (s->exprs.size() > 2) out += ", mask=" + text(*s->exprs[2]);
        out += ")\n";
        break;
      case Stmt::Kind::For:
        out += "for " + names_text(*s) + " in " + s->op + "(" + text(*s->exprs[0]) + ", " + text(*s->exprs[1]) + ", " +
               text(*s->exprs[2]) + "):\n";
        print(s->body, indent + "    ", out);
        break;
      case Stmt::Kind::While:
        out += "while " + text(*s->exprs[0]) + ":\n";
        print(s->body, indent + "    ", out);
        break;
      case Stmt::Kind::If:
        out += "if " + text(*s->exprs[0]) + ":\n";
        print(s->body, indent + "    ", out);
        if (!s->orelse.empty()) {
          out += indent + "else:\n";
          print(s->orelse, indent + "    ", out);
        }
    }
  }
}

}  // namespace

std::string kernel_text(const Program& p) {
  std::string out = "import triton\nimport triton.language as tl\n\n";
  out += "# grid: " + std::to_string(p.grid[0]) + ", " + std::to_string(p.grid[1]) + ", " + std::to_string(p.grid[2]) +
         "\n";
  for (const TensorArg& t : p.tensors) {
    out += "# " + t.name + ": " + std::string(dtype_name(t.dtype));
    for (const auto& numbers : {t.layout.shape, t.layout.strides}) {
      out += " [";
      for (size_t k = 0; k < numbers.size(); ++k) out += (k > 0 ? ", " : "") + std::to_string(numbers[k]);
      out += "]";
    }
    out += "\n";
  }
  for (const auto& list : {p.integers, p.constexprs})
    for (const auto& [name, value] : list) out += "# " + name + " = " + std::to_string(value) + "\n";
  for (const auto& [name, value] : p.floats) out += "# " + name + " = " + std::to_string(value) + "\n";
  std::string body, helpers;
  print(p.body, "    ", body);
  for (const Helper& h : p.helpers) helpers += text(*h.body);
  for (const Combine& c : combines())
    if ((body + helpers).find(c.name) != std::string::npos)
      out += std::string("\n@triton.jit\ndef ") + c.name + "(a, b):\n    return " + c.body + "\n\n";
  if (body.find("keep_larger") != std::string::npos)
    out +=
        "\n@triton.jit\ndef keep_larger(a, i, b, j):\n    left = (a > b) | ((a == b) & (i < j))\n"
        "    return tl.where(left, a, b), tl.where(left, i, j)\n\n";
  for (const Helper& h : p.helpers)
    if ((body + helpers).find(h.name + "(") != std::string::npos)
      out += "\n@triton.jit\ndef " + h.name + "(a, b):\n    return " + text(*h.body) + "\n\n";
  out += "\n@triton.jit\ndef kernel(";
  std::string params;
  for (const TensorArg& t : p.tensors) params += (params.empty() ? "" : ", ") + t.name;
  for (const auto& [name, value] : p.integers) params += ", " + name;
  for (const auto& [name, value] : p.floats) params += ", " + name;
  for (const auto& [name, value] : p.constexprs) params += ", " + name + ": tl.constexpr";
  return out + params + "):\n" + body;
}

}  // namespace tilescope::property
