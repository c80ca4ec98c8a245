#include "core/guess_names.h"

#include <algorithm>
#include <cctype>

#include "core/letters.h"

namespace tilescope {
namespace {

bool has(const std::string& s, std::string_view part) { return s.find(part) != std::string::npos; }

template <class... Parts>
bool has_any(const std::string& s, Parts... parts) {
  return (has(s, parts) || ...);
}

/// Split at underscores: "cu_seqlens_q" has "cu", "seqlens", "q".
std::vector<std::string> words(const std::string& lower) {
  std::vector<std::string> out(1);
  for (char c : lower)
    if (c == '_')
      out.emplace_back();
    else
      out.back() += c;
  std::erase(out, "");
  return out;
}

bool any_word(const std::vector<std::string>& all, std::initializer_list<std::string_view> wanted) {
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& w) { return std::find(wanted.begin(), wanted.end(), w) != wanted.end(); });
}

}  // namespace

bool names_an_address(const std::string& name) {
  const std::string s = lower_case(name);
  return s.ends_with("ptr") || s.ends_with("ptrs") || s.ends_with("pointer") || s.starts_with("ptr_") || has(s, "_ptr_");
}

NameKind kind_of_name(const std::string& name) {
  const std::string s = lower_case(name);
  const std::vector<std::string> w = words(s);
  if (w.empty()) return NameKind::Unknown;
  if (has(s, "stride")) return NameKind::Stride;
  if ((has_any(s, "dtype", "_type") || s == "type" || s.ends_with("_ty")) && !has_any(s, "min", "max", "size", "bits")) return NameKind::ElementType;
  for (const char* start : {"has_", "is_", "use_", "do_", "enable_", "with_", "apply_", "need", "allow_", "add_", "store_", "even_", "save_", "output_", "return_", "compute_", "should_", "skip_", "not_", "no_", "reuse_", "fuse", "disable_", "inplace", "transpose", "trans_", "mask_", "causal"})
    if (s.starts_with(start) && !has_any(s, "ptr", "size", "stride")) return NameKind::Flag;
  if (has_any(s, "causal", "inplace", "interleaved", "reverse", "is_neox")) return NameKind::Flag;
  if (names_an_address(name)) return NameKind::Address;
  if (has_any(s, "block", "tile", "blk") && !has(s, "num_") && !s.starts_with("n_") && !has(s, "table")) return NameKind::Block;
  if (any_word(w, {"seed", "philox"})) return NameKind::Seed;
  if (any_word(w, {"eps", "epsilon", "alpha", "beta", "beta1", "beta2", "lr", "dropout", "p", "momentum", "decay", "softcap", "temperature", "theta", "slope", "gamma", "scaling", "softmax", "smoothing", "penalty", "threshold", "lambda", "fp8max", "min", "clamp", "limit", "prob"}) ||
      has_any(s, "scale", "eps", "softcap", "cap"))
    return NameKind::Real;
  if (any_word(w, {"n", "m", "k", "t", "b", "h", "d", "s", "num", "size", "len", "length", "dim", "rows", "cols", "elements", "numel", "seqlen", "batch", "heads", "count", "total", "width", "height", "channels", "offset"}) ||
      has_any(s, "size", "num", "len", "dim", "count"))
    return NameKind::Size;
  return NameKind::Unknown;
}

std::optional<DType> dtype_of_name(const std::string& name) {
  const std::string s = lower_case(name);
  const std::vector<std::string> w = words(s);
  if (has_any(s, "cu_seqlen", "cu_q", "cu_k", "indices", "indptr", "seqlen", "seq_len", "block_table", "page_table", "offsets", "indexes", "expert_ids", "topk_ids", "lengths") ||
      any_word(w, {"idx", "ids", "id", "index", "seed", "seeds", "loc", "locs", "len", "lens", "slot", "slots", "labels", "label", "num", "counts", "count", "tokens", "lock", "locks", "positions", "pos", "start", "starts", "argmax"}))
    return DType::Int32;
  if (has(s, "qweight") || has(s, "qzeros")) return DType::Int32;
  return std::nullopt;
}

std::optional<int64_t> integer_of_name(const std::string& name) {
  const std::string s = lower_case(name);
  const std::vector<std::string> w = words(s);
  if (has(s, "num_stages") || has(s, "num_stage")) return 2;
  if (has(s, "num_warps")) return 4;
  if (has_any(s, "split", "num_ctas")) return 1;
  if (has_any(s, "topk", "top_k")) return 2;
  if (has_any(s, "bits", "nbit")) return 4;
  if (has_any(s, "group_m", "group_size_m", "groupm", "swizzle")) return 8;
  if (has_any(s, "pack", "per_byte")) return 2;
  if (any_word(w, {"heads", "head", "h", "hq", "hv", "experts", "e", "b", "batch", "batches", "z"}) && !has(s, "dim") && !has(s, "size")) return 4;
  if (has_any(s, "group", "ratio", "repeat", "factor") && !has(s, "size")) return 2;
  if (any_word(w, {"axis"})) return 0;
  return std::nullopt;
}

StrideName parts_of_stride(const std::string& name) {
  std::string s = lower_case(name);
  const size_t at = s.find("stride");
  if (at == std::string::npos) return {};
  const bool leading = at == 0;
  s.erase(at, s.compare(at, 7, "strides") == 0 ? 7 : 6);
  std::vector<std::string> w = words(s);
  if (w.empty()) return {};
  if (w.size() >= 2) {
    std::string tensor = w[0];
    for (size_t i = 1; i + 1 < w.size(); ++i) tensor += "_" + w[i];
    return {tensor, w.back()};
  }
  if (leading && w[0].size() >= 2 && w[0].size() <= 4) return {w[0].substr(0, w[0].size() - 1), w[0].substr(w[0].size() - 1)};
  return {w[0], ""};
}

}  // namespace tilescope
