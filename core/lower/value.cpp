#include "core/lower/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/lower/semantics.h"
#include "core/syntax/ast.h"

namespace tilescope::lower {
namespace {

std::string float_text(double x) {
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  if (std::isnan(x)) return "nan";
  std::string s = fmt::format("{}", x);
  return s.find_first_of(".e") == std::string::npos ? s + ".0" : s;
}

/// Triton's own names, as str(tl.float32) gives them.
std::string triton_name(DType t) {
  switch (t) {
    case DType::Float16:
      return "fp16";
    case DType::BFloat16:
      return "bf16";
    case DType::Float32:
      return "fp32";
    case DType::Float64:
      return "fp64";
    case DType::Float8E4NV:
      return "fp8e4nv";
    case DType::Float8E5:
      return "fp8e5";
    default:
      return std::string(dtype_name(t));
  }
}

std::string describe_tensor(const Type& t) {
  if (t.is_scalar())
    return t.pointer ? "a pointer to " + std::string(dtype_name(t.elem))
                     : "a run-time " + std::string(dtype_name(t.elem)) + " scalar";
  return "a tile of " + std::string(dtype_name(t.elem)) + (t.pointer ? " pointers" : "") + " of shape " +
         tilescope::to_string(t.shape);
}

std::string describe_tuple(const TupleValue& t, const Function& f) {
  std::string out = t.type_name.empty() ? "a tuple (" : t.type_name + " (";
  for (size_t i = 0; i < t.items.size(); ++i) {
    if (i == 4) return out + ", ...)";
    out += (i ? ", " : "") + describe(t.items[i], f);
  }
  return out + ")";
}

}  // namespace

std::string to_string(ConstInt v) {
  if (v == 0) return "0";
  const bool negative = v < 0;
  unsigned __int128 magnitude = negative ? -static_cast<unsigned __int128>(v) : static_cast<unsigned __int128>(v);
  std::string digits;
  for (; magnitude != 0; magnitude /= 10) digits.push_back(static_cast<char>('0' + static_cast<int>(magnitude % 10)));
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string element_name(const Type& t) { return (t.pointer ? "pointer to " : "") + std::string(dtype_name(t.elem)); }

std::string python_str(const Value& v) {
  if (v.is<NoneValue>()) return "None";
  if (v.is<bool>()) return v.as<bool>() ? "True" : "False";
  if (v.is<ConstInt>()) return to_string(v.as<ConstInt>());
  if (v.is<double>()) return float_text(v.as<double>());
  if (v.is<std::string>()) return v.as<std::string>();
  if (v.is<DTypeValue>()) {
    const auto& d = v.as<DTypeValue>();
    return (d.pointer ? "pointer<" : "") + triton_name(d.dtype) + (d.pointer ? ">" : "");
  }
  if (v.is<EnumValue>()) return v.as<EnumValue>().name;
  if (v.is<ClassValue>()) return v.as<ClassValue>().def->name;
  if (v.is<FunctionValue>()) return v.as<FunctionValue>().def->name;
  if (v.is<BuiltinValue>()) return v.as<BuiltinValue>().builtin->path;
  if (v.is<ModuleValue>()) return v.as<ModuleValue>().path;
  if (v.is<TupleValue>()) {
    std::string out = "(";
    const auto& items = v.as<TupleValue>().items;
    for (size_t i = 0; i < items.size(); ++i) out += (i ? ", " : "") + python_str(items[i]);
    return out + (items.size() == 1 ? ",)" : ")");
  }
  return "a run-time value";
}

std::string describe(const Value& v, const Function& f) {
  if (v.is_tensor()) return describe_tensor(f.type(v.as<TensorValue>().id));
  if (v.is<NoneValue>()) return "None";
  if (v.is<std::string>()) return "the string \"" + v.as<std::string>() + "\"";
  if (v.is_const_scalar()) return "the constexpr " + python_str(v);
  if (v.is<DTypeValue>()) return "the type " + python_str(v);
  if (v.is<TupleValue>()) return describe_tuple(v.as<TupleValue>(), f);
  if (v.is<BlockPointerValue>())
    return "a block pointer of shape " + tilescope::to_string(v.as<BlockPointerValue>().block);
  if (v.is<DescriptorValue>())
    return "a tensor descriptor of block shape " + tilescope::to_string(v.as<DescriptorValue>().block);
  if (v.is<ModuleValue>()) return "the module " + python_str(v);
  if (v.is<EnumValue>()) return python_str(v);
  if (v.is<ClassValue>()) return "the class " + python_str(v);
  return "the function " + python_str(v);
}

}  // namespace tilescope::lower
