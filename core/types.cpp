#include "core/types.h"

#include "core/diagnostic.h"

namespace tilescope {
namespace {

struct DTypeInfo {
  std::string_view name, short_name;
  int bits;
  char kind;
};

constexpr DTypeInfo kInfo[] = {
#define X(name, canonical, shorthand, bits, kind) {canonical, shorthand, bits, kind},
    TILESCOPE_DTYPES(X)
#undef X
};
static_assert(std::size(kInfo) == kDTypeCount);

const DTypeInfo& info(DType t) { return kInfo[static_cast<int>(t)]; }

struct Alias {
  std::string_view alias, canonical;
};
constexpr Alias kAliases[] = {
    {"bool", "int1"},        {"half", "float16"},      {"float", "float32"},  {"double", "float64"},
    {"fp16", "float16"},     {"fp32", "float32"},      {"fp64", "float64"},   {"fp8e4nv", "float8e4nv"},
    {"fp8e5", "float8e5"},   {"float8e4m3", "float8e4nv"}, {"float8e5m2", "float8e5"},
};

}  // namespace

std::string_view dtype_name(DType t) { return info(t).name; }
std::string_view dtype_short_name(DType t) { return info(t).short_name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const Alias& a : kAliases)
    if (a.alias == name) name = a.canonical;
  for (int i = 0; i < kDTypeCount; ++i)
    if (kInfo[i].name == name || kInfo[i].short_name == name) return static_cast<DType>(i);
  return std::nullopt;
}

int dtype_bits(DType t) { return info(t).bits; }
int dtype_bytes(DType t) { return t == DType::Int1 ? 1 : info(t).bits / 8; }
bool is_bool(DType t) { return info(t).kind == 'b'; }
bool is_signed_int(DType t) { return info(t).kind == 'i'; }
bool is_unsigned_int(DType t) { return info(t).kind == 'u'; }
bool is_int(DType t) { return info(t).kind != 'f'; }
bool is_float(DType t) { return info(t).kind == 'f'; }
bool is_small_float(DType t) { return is_float(t) && info(t).bits < 32; }

DType int_type(int bits, bool is_signed) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (kInfo[i].bits == bits && kInfo[i].kind == (is_signed ? 'i' : 'u')) return static_cast<DType>(i);
  if (bits == 1) return DType::Int1;
  internal_error("int_type: no integer of that width");
}

std::string to_string(const Shape& s) {
  std::string out = "[";
  for (int i = 0; i < s.rank; ++i) {
    if (i) out += ", ";
    out += std::to_string(s[i]);
  }
  return out + "]";
}

std::string to_string(const Type& t) {
  std::string elem(dtype_short_name(t.elem));
  if (t.pointer) elem = "ptr<" + elem + ">";
  if (t.is_scalar()) return elem;
  std::string out = "tile<";
  for (int i = 0; i < t.shape.rank; ++i) out += std::to_string(t.shape[i]) + "x";
  return out + elem + ">";
}

}  // namespace tilescope
