#include "sim/try_kernel.h"

#include <algorithm>
#include <bit>
#include <set>

#include "core/compile_module.h"
#include "core/decorators.h"
#include "core/guess_first.h"
#include "core/guess_names.h"
#include "core/launch_text.h"
#include "core/letters.h"
#include "core/syntax/parser.h"
#include "core/thread_time.h"
#include "sim/cost/traffic.h"
#include "sim/launch.h"
#include "sim/try_extents.h"
#include "sim/try_score.h"
#include "sim/try_reach.h"

namespace tilescope {
namespace {

constexpr int64_t kIndexElements = int64_t{1} << 20;
constexpr int kMostMeasurements = 40;
constexpr double kLeastSeconds = 0.1;  ///< for a measurement that is needed although the time is used up

bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

class Trial {
 public:
  Trial(const Module& module, std::string path, const KnownArguments& known, GuessedLaunch guess, double seconds)
      : module_(module), path_(std::move(path)), known_(known), g_(std::move(guess)), seconds_(seconds) {}

  Expected<TriedLaunch> run() {
    if (auto d = take_known()) return *d;
    if (auto d = find_decorated()) return *d;
    if (auto d = find_index_tensors()) return *d;
    choose_sizes();
    widen_blocks();
    spread_strides();
    fill_indices();
    find_meant_layouts();
    return finish();
  }

 private:
  bool is_given(const std::string& name) const { return known_.args.count(name) != 0; }

  GuessedArg* find(const std::string& name) {
    const auto at = std::find_if(g_.args.begin(), g_.args.end(), [&](const GuessedArg& a) { return a.name == name; });
    return at == g_.args.end() ? nullptr : &*at;
  }

  std::optional<Diagnostic> take_known() {
    for (const auto& [name, value] : known_.args) {
      GuessedArg* a = find(name);
      if (a == nullptr) {
        std::vector<std::string> names;
        for (const GuessedArg& g : g_.args) names.push_back(g.name);
        const std::string near = nearest_name(name, names);
        return plain_error("the kernel `" + g_.kernel + "` has no parameter `" + name + "`", near.empty() ? "" : "did you mean `" + near + "`?");
      }
      a->value = value;
      a->leave_out = false;
      a->why = "given";
    }
    for (const GuessedArg& a : g_.args)
      if (a.holds_addresses && std::holds_alternative<TensorSpec>(a.value) && !is_given(a.name))
        return plain_error("`" + a.name + "` is open: the kernel loads addresses of other tensors from it, which a launch cannot give", "it needs a launch of its own");
    guess_strides(g_, given_names());
    return std::nullopt;
  }

  std::set<std::string> given_names() const {
    std::set<std::string> out;
    for (const auto& [name, value] : known_.args) out.insert(name);
    return out;
  }

  /// Constexprs that the first config and the heuristics give: they know better than a guess.
  std::optional<Diagnostic> find_decorated() {
    LaunchSpec open = launch_of(g_);
    std::erase_if(open.args, [&](const LaunchArg& a) { return find(a.name)->constexpr_parameter && !is_given(a.name); });
    const Expected<LaunchSpec> complete = apply_decorators(open, module_);
    if (!complete) {
      if (known_.config) return complete.errors()[0];
      unread_ = complete.errors()[0].message;
      return std::nullopt;
    }
    for (const LaunchArg& a : complete->args)
      if (open.find(a.name) == nullptr) decorated_.insert(a.name);
    return std::nullopt;
  }

  LaunchSpec launch_of(const GuessedLaunch& g) const {
    LaunchSpec spec = tilescope::launch_of(g, path_);
    spec.config = known_.config;
    if (!known_.grid.empty()) spec.grid = known_.grid;
    return spec;
  }

  // ---- measuring

  /// With what the decorators give left open, where they can be read.
  LaunchSpec open_spec_of(const GuessedLaunch& g) const {
    const LaunchSpec spec = launch_of(g);
    if (decorated_.empty()) return spec;
    LaunchSpec open = spec;
    std::erase_if(open.args, [&](const LaunchArg& a) { return decorated_.count(a.name) != 0; });
    return apply_decorators(open, module_) ? open : spec;
  }

  LaunchSpec spec_of(const GuessedLaunch& g) const {
    const LaunchSpec spec = open_spec_of(g);
    const Expected<LaunchSpec> complete = apply_decorators(spec, module_);
    return complete ? *complete : spec;
  }

  bool is_out_of_time() const { return thread_seconds() - start_ > seconds_; }
  bool may_measure() const { return measurements_ < kMostMeasurements && !is_out_of_time(); }

  /// Tensors that are guessed have no end, but those whose values count.
  Reach measure(const GuessedLaunch& g) {
    ++measurements_;
    Expected<LaunchSpec> spec = apply_decorators(open_spec_of(g), module_);
    if (!spec) {
      Reach refused;
      refused.errors = spec.errors();
      return refused;
    }
    for (LaunchArg& a : spec->args)
      if (auto* t = std::get_if<TensorSpec>(&a.value); t != nullptr && !is_given(a.name)) {
        if (indices_.count(a.name) == 0 && t->block.empty()) t->layout = TensorLayout::contiguous({kEndless});
      }
    return measure_reach(*spec, module_, std::max(seconds_ - (thread_seconds() - start_), kLeastSeconds));
  }

  /// Tensors whose values decide addresses need values.
  std::optional<Diagnostic> find_index_tensors() {
    Expected<CompiledKernel> kernel = compile_kernel(module_, compile_request(spec_of(g_), module_.source));
    if (!kernel) return kernel.errors()[0];
    for (const std::string& name : cost::tensors_behind_addresses(kernel->function)) {
      GuessedArg* a = find(name);
      auto* t = a == nullptr ? nullptr : std::get_if<TensorSpec>(&a->value);
      if (t == nullptr || is_given(name)) continue;
      indices_.insert(name);
      if (t->block.empty()) t->layout = TensorLayout::contiguous({kIndexElements});
      t->init.kind = is_float(t->dtype) ? Init::Kind::Randn : Init::Kind::Zeros;
      t->init.seed = 1;
    }
    return std::nullopt;
  }

  // ---- sizes

  /// Integers that say how much there is, and that nobody gave.
  std::vector<size_t> open_sizes() const {
    std::vector<size_t> out;
    for (size_t i = 0; i < g_.args.size(); ++i) {
      const GuessedArg& a = g_.args[i];
      const auto* n = std::get_if<int64_t>(&a.value);
      if (n == nullptr || a.constexpr_parameter || a.leave_out || is_given(a.name) || is_stride(a)) continue;
      if (*n == kGuessedSize) out.push_back(i);
    }
    return out;
  }

  /// The block that walks over a size, by the grid: 32 for M of cdiv(M, BLOCK_M).
  std::optional<int64_t> block_of(const std::string& size) const {
    for (const AxisUse& use : g_.blocks)
      for (const GuessedArg& a : g_.args)
        if (const auto* n = std::get_if<int64_t>(&a.value); n != nullptr && use.limit == size && a.name == use.block) return *n;
    return std::nullopt;
  }

  /// Those in `odd` become no multiples of their blocks, the others are multiples.
  void set_sizes(GuessedLaunch& g, const std::vector<size_t>& which, const std::set<size_t>& odd) {
    int64_t fresh = 50;
    unknown_ = kGuessedSize;
    std::set<int64_t> taken;
    for (size_t i : which) {
      GuessedArg& a = g.args[i];
      if (const auto few = integer_of_name(a.name)) {
        a.value = *few, a.why = "by its name";
        continue;
      }
      const bool is_odd = odd.count(i) != 0;
      const std::optional<int64_t> block = block_of(a.name);
      int64_t n = block && *block > 0 && *block <= 4096 ? (is_odd ? *block + *block / 2 + 6 : 2 * *block) : is_odd ? fresh : kGuessedSize;
      while (is_odd && !taken.insert(n).second) n += 4;
      if (is_odd && !block) fresh += 10;
      a.value = n;
      unknown_ = std::max(unknown_, n);
      if (is_odd) a.why += ", no multiple of a block";
    }
    unknown_ = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(unknown_)));
    guess_strides(g, given_names(), unknown_);
  }

  /// Sizes that masks or loops heed: when such a one is smaller, with all else as it is, programs touch something else. The
  /// others are promises of the caller: multiples of the blocks.
  std::set<size_t> heeded_sizes(const std::vector<size_t>& which) {
    if (which.size() > kMostHeeded || reach_.cut_off || is_out_of_time()) return {which.begin(), which.end()};
    std::set<size_t> out;
    for (size_t i : which) {
      GuessedLaunch g = g_;
      const auto n = std::get<int64_t>(g.args[i].value);
      g.args[i].value = n - std::max<int64_t>(n / 5, 1);
      if (const Reach smaller = measure(g); smaller.errors.empty() && touches_else(smaller, reach_)) out.insert(i);
    }
    return out;
  }

  void choose_sizes() {
    const std::vector<size_t> sizes = open_sizes();
    reach_ = measure(g_);
    score_ = score_tried(g_, reach_, given_names());
    if (is_out_of_time()) return;
    GuessedLaunch even = g_;
    set_sizes(even, sizes, {});
    take_if(std::move(even), [](const TriedScore& s, const TriedScore& now) { return s.bad() <= now.bad() + 0.25; });
    GuessedLaunch all_odd = g_;
    set_sizes(all_odd, sizes, {sizes.begin(), sizes.end()});
    if (take_if(std::move(all_odd), [](const TriedScore& s, const TriedScore& now) { return s.bad() <= now.bad() + 0.25; })) return;
    const std::set<size_t> heeded = heeded_sizes(sizes);
    if (heeded.empty()) return;
    GuessedLaunch odd = g_;
    set_sizes(odd, sizes, heeded);
    // Where a mask is missing, more is touched than the sizes say: that is no reason against them.
    take_if(std::move(odd), [](const TriedScore& s, const TriedScore& now) { return s.bad_for_sizes() <= now.bad_for_sizes() + 0.25; });
  }

  template <class Better>
  bool take_if(GuessedLaunch g, const Better& better) {
    Reach reach = measure(g);
    const TriedScore s = score_tried(g, reach, given_names());
    if (!better(s, score_)) return false;
    g_ = std::move(g);
    reach_ = std::move(reach);
    score_ = s;
    return true;
  }

  // ---- blocks

  /// A block that is meant to cover a whole row leaves holes when it is smaller than the row.
  void widen_blocks() {
    if (score_.holes < 0.02) return;
    std::set<int64_t> wanted;
    for (const GuessedArg& a : g_.args)
      if (const auto* n = std::get_if<int64_t>(&a.value); n != nullptr && !a.leave_out && *n > 8 && *n <= 4096) wanted.insert(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(*n))));
    for (size_t i = 0; i < g_.args.size(); ++i)
      for (int64_t n : wanted) {
        const auto* now = std::get_if<int64_t>(&g_.args[i].value);
        if (now == nullptr || !g_.args[i].constexpr_parameter || is_given(g_.args[i].name) || decorated_.count(g_.args[i].name) != 0 || !is_power_of_two(*now) || *now < 8 || n <= *now) continue;
        if (!may_measure()) return;
        GuessedLaunch g = g_;
        g.args[i].value = n;
        g.args[i].why = "covers a whole row";
        take_if(std::move(g), [](const TriedScore& s, const TriedScore& now) { return s.bad() < now.bad() - 0.05; });
      }
  }

  // ---- strides

  /// Programs that store to one element mean a stride that is too small: that of rows when only rows have one.
  void spread_strides() {
    if (score_.overlap < 0.02) return;
    int64_t least = 1;
    for (const GuessedArg& a : g_.args)
      if (const auto* n = std::get_if<int64_t>(&a.value); n != nullptr && !a.leave_out && *n <= 4096 && !is_stride(a)) least = std::max(least, *n);
    const auto factor = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(least)));
    for (size_t i = 0; i < g_.args.size() && score_.overlap >= 0.02; ++i) {
      const auto* step = std::get_if<int64_t>(&g_.args[i].value);
      if (step == nullptr || *step != 1 || is_given(g_.args[i].name) || !is_stride(g_.args[i]) || !may_measure()) continue;
      GuessedLaunch g = g_;
      const std::string tensor = parts_of_stride(g.args[i].name).tensor;
      for (GuessedArg& a : g.args) {  // the larger steps of the same tensor grow with it
        auto* n = std::get_if<int64_t>(&a.value);
        if (n == nullptr || is_given(a.name) || !is_stride(a) || parts_of_stride(a.name).tensor != tensor || *n > (int64_t{1} << 24)) continue;
        *n *= factor;
        a.why = "a stride that keeps programs apart";
      }
      spread_ = true;
      const double before = score_.overlap;
      Reach reach = measure(g);
      const TriedScore s = score_tried(g, reach, given_names());
      if (s.failed > score_.failed || s.overlap > before - 0.02) continue;
      g_ = std::move(g);
      reach_ = std::move(reach);
      score_ = s;
    }
  }

  // ---- values that decide addresses

  void fill_indices() {
    if (indices_.empty()) return;
    int64_t least = 32;
    for (const GuessedArg& a : g_.args)
      if (const auto* n = std::get_if<int64_t>(&a.value); n != nullptr && !a.constexpr_parameter && *n > 1 && !is_stride(a)) least = std::min(least, *n);
    GuessedLaunch g = g_;
    for (GuessedArg& a : g.args) {
      auto* t = std::get_if<TensorSpec>(&a.value);
      if (t == nullptr || indices_.count(a.name) == 0 || is_float(t->dtype)) continue;
      const std::string lower = lower_case(a.name);
      const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
      const bool ascending = has("cu_") || has("indptr") || has("offset") || has("start");
      t->init = {};
      if (ascending) {
        t->init.kind = Init::Kind::Arange;
      } else {
        t->init.kind = Init::Kind::RandInt;
        t->init.lo = has("len") ? 1 : 0;
        t->init.hi = t->dtype == DType::Int1 ? 2 : std::max<int64_t>(least, 2);
        t->init.seed = 1;
      }
    }
    Reach reach = measure(g);
    if (!reach.errors.empty() || reach.stopped_programs > reach_.stopped_programs) return;
    g_ = std::move(g);
    reach_ = std::move(reach);
  }

  // ---- shapes

  /// From a launch whose sizes are multiples of the blocks: the kernel then touches what its tensors are.
  void find_meant_layouts() {
    if (spread_ || reach_.cut_off || is_out_of_time()) return;
    GuessedLaunch full = g_;
    bool changed = false;
    for (GuessedArg& a : full.args) {
      auto* n = std::get_if<int64_t>(&a.value);
      if (n == nullptr || a.constexpr_parameter || a.leave_out || *n < 9 || *n > (int64_t{1} << 20) || is_stride(a)) continue;
      const int64_t block = std::max(kGuessedSize, block_of(a.name).value_or(1));
      const int64_t more = (*n + block - 1) / block * block;
      changed |= more != *n;
      *n = more;
    }
    guess_strides(full, given_names(), unknown_);
    meant_ = meant_layouts(g_, full, reach_, changed ? measure(full) : reach_);
  }

  std::vector<int64_t> shape_of(const Touched& t) const {
    const int64_t elements = std::max<int64_t>(t.high + 1, 1);
    const std::vector<StridedAxis> axes = axes_of(g_, t.tensor);
    if (axes.size() > 1 && axes.back().stride == 1) {
      std::vector<int64_t> shape;
      bool fits = true;
      for (size_t i = 0; i < axes.size(); ++i) {
        if (i == 0) shape.push_back((elements - 1) / axes[0].stride + 1);
        else fits = fits && axes[i - 1].stride % axes[i].stride == 0, shape.push_back(axes[i - 1].stride / axes[i].stride);
      }
      if (fits && shape.size() <= static_cast<size_t>(kMaxRank)) return shape;
    }
    if (const int64_t row = t.row_stride; row > 1 && elements > row && is_size(row)) return {(elements - 1) / row + 1, row};
    // Whole rows one after the other, one for each program.
    for (const GuessedArg& a : g_.args) {
      const auto* row = std::get_if<int64_t>(&a.value);
      if (row == nullptr || a.constexpr_parameter || is_stride(a) || *row < 2 || elements % *row != 0) continue;
      const int64_t rows = elements / *row;
      if (rows > 1 && (is_size(rows) || rows == reach_.programs)) return {rows, *row};
    }
    return {elements};
  }

  bool is_size(int64_t n) const {
    return std::any_of(g_.args.begin(), g_.args.end(), [&](const GuessedArg& a) {
      const auto* v = std::get_if<int64_t>(&a.value);
      return v != nullptr && *v == n && !a.leave_out;
    });
  }

  static Init values_of(const TensorSpec& t, const Touched& touched, uint64_t seed) {
    Init init;
    if (!touched.loaded && !touched.atomic) return init;  // empty
    init.seed = seed;
    if (touched.atomic) init.kind = Init::Kind::Zeros;
    else if (is_float(t.dtype)) init.kind = Init::Kind::Randn;
    else init.kind = Init::Kind::RandInt, init.lo = 0, init.hi = t.dtype == DType::Int1 ? 2 : 8;
    return init;
  }

  static std::string range_text(const Touched& t) {
    if (t.empty()) return "not touched by any program";
    return "elements " + std::to_string(t.low) + " to " + std::to_string(t.high) + " are touched";
  }

  Expected<TriedLaunch> finish() {
    if (!reach_.errors.empty()) return reach_.errors;
    TriedLaunch out;
    uint64_t seed = 0;
    for (GuessedArg& a : g_.args) {
      auto* t = std::get_if<TensorSpec>(&a.value);
      if (t != nullptr && !is_given(a.name)) {
        Touched none;
        none.tensor = a.name;
        const auto at = std::find_if(reach_.tensors.begin(), reach_.tensors.end(), [&](const Touched& x) { return x.tensor == a.name; });
        const Touched& touched = at == reach_.tensors.end() ? none : *at;
        if (auto d = give_shape(a, *t, touched, ++seed)) return *d;
        if (touched.low < 0 && !touched.empty()) out.notes.push_back(a.name + " is addressed before its first element: it is meant to be a part of a larger tensor");
        if (named_.count(a.name) != 0) out.by_names.push_back(a.name);
        if (named_.count(a.name) == 0 || touched.high > t->layout.highest()) a.why += "; " + range_text(touched);
        if (t->block.empty() && !touched.empty() && touched.high > t->layout.highest()) {
          out.notes.push_back(a.name + " is touched behind its end: a mask may be missing, or it is meant to be larger (then give it with --arg)");
        }
      }
      out.args.push_back({a.name, a.constexpr_parameter, is_given(a.name), a.leave_out, a.value, a.why, is_stride(a)});
    }
    out.grid_open = known_.grid.empty() && std::find(g_.grid.begin(), g_.grid.end(), kUnknownPrograms) != g_.grid.end();
    out.spec = open_spec_of(g_);
    const LaunchSpec complete = spec_of(g_);
    for (TriedArgument& a : out.args)
      if (out.spec.find(a.name) == nullptr && complete.find(a.name) != nullptr) a.value = complete.find(a.name)->value, a.why = "given by the decorators", a.left_out = true;
    if (!unread_.empty()) out.notes.push_back(unread_ + "; guesses stand in for what they give");
    if (reach_.stopped_programs > 0) out.notes.push_back("a program stops early with these guesses; the shapes of tensors may be too small");
    if (reach_.cut_off) out.notes.push_back("only some programs were looked at; the shapes of tensors may be too small");
    return out;
  }

  std::optional<Diagnostic> give_shape(GuessedArg& a, TensorSpec& t, const Touched& touched, uint64_t seed) {
    if (!t.block.empty()) {  // its shape decides what is touched
      t.init = values_of(t, touched, seed);
      return std::nullopt;
    }
    if (touched.high >= kMostElements)
      return plain_error("the shape of `" + a.name + "` is open: with these guesses the kernel touches its element " + std::to_string(touched.high), "give it or the sizes with --arg");
    const auto meant = meant_.find(a.name);
    const bool named = meant != meant_.end() && !touched.empty() && indices_.count(a.name) == 0 && (meant->second.rank() > 1 || touched.high > meant->second.highest());
    const TensorLayout wanted = named ? meant->second : TensorLayout::contiguous(touched.empty() ? std::vector<int64_t>{16} : shape_of(touched));
    Expected<TensorLayout> layout = make_layout("args." + a.name, t.dtype, wanted.shape, wanted.strides);
    if (!layout) return layout.errors()[0];
    t.layout = *layout;
    if (named) named_.insert(a.name), a.why += meant->second.rank() > 1 ? "; shape by the names of its strides" : "; as many elements as the sizes say";
    if (indices_.count(a.name) == 0) t.init = values_of(t, touched, seed);
    return std::nullopt;
  }

  static constexpr size_t kMostHeeded = 8;
  static constexpr int64_t kMostElements = int64_t{1} << 26;

  const Module& module_;
  std::string path_;
  const KnownArguments& known_;
  GuessedLaunch g_;
  std::string unread_;  ///< why the decorators give nothing
  std::set<std::string> decorated_;  ///< constexprs that config and heuristics give
  std::set<std::string> indices_;  ///< tensors whose values decide addresses
  int64_t unknown_ = kGuessedSize;  ///< of an axis that no argument names
  bool spread_ = false;             ///< strides were made larger than the sizes ask for
  std::map<std::string, TensorLayout> meant_;
  std::set<std::string> named_;  ///< tensors that got theirs
  Reach reach_;
  TriedScore score_;
  int measurements_ = 0;
  const double start_ = thread_seconds(), seconds_;
};

}  // namespace

std::string guessed_text(const TriedLaunch& tried) {
  constexpr size_t kMost = 5;
  std::string out;
  size_t named = 0, all = 0;
  for (const TriedArgument& a : tried.args) {
    if (a.given || a.left_out || std::holds_alternative<TensorSpec>(a.value) || a.stride) continue;
    if (++all <= kMost) out += (named++ > 0 ? ", " : "") + a.name + " = " + arg_text(a.value);
  }
  if (all > kMost) out += " and " + std::to_string(all - kMost) + " more";
  return "guessed: " + (out.empty() ? "the shapes of tensors" : out + "; shapes of tensors");
}

Expected<TriedLaunch> try_kernel(const SourcePtr& source, const std::string& kernel, const std::string& kernel_path, const KnownArguments& known, double seconds) {
  const Expected<Module> module = parse_module(source);
  if (!module) return module.errors();
  Expected<GuessedLaunch> guess = guess_launch(*module, kernel);
  if (!guess) return guess.errors();
  return Trial(*module, kernel_path, known, std::move(*guess), seconds).run();
}

}  // namespace tilescope
