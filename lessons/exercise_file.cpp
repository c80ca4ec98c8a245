// Reads exercises: lesson.json's entry "exercise" and the files beside it.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/arg_spec.h"
#include "core/compile.h"
#include "lessons/exercise.h"
#include "lessons/json_reader.h"
#include "lessons/lesson.h"
#include "lessons/numbers.h"

namespace tilescope::lessons {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kMostLaunches = 20, kMostMistakes = 40;
constexpr int64_t kMostSeed = 1'000'000;
constexpr int64_t kMostElements = 1 << 20, kMostPrograms = 1 << 14;  ///< a check takes a moment, not a minute

using Sizes = std::vector<std::pair<std::string, std::vector<GridExpr>>>;

TensorSpec* find_tensor(LaunchSpec& spec, const std::string& name) {
  for (LaunchArg& a : spec.args)
    if (a.name == name) return std::get_if<TensorSpec>(&a.value);
  return nullptr;
}

bool no_tensor(JsonReader& r, const std::string& place, const std::string& name) {
  return r.fail(place, "the launch has no tensor \"" + name + "\"");
}

bool read_sizes(JsonReader& r, const std::string& place, const Json& j, LaunchSpec& base, Sizes& out) {
  if (!j.is_object()) return r.fail(place, "expected an object");
  for (const auto& [name, axes] : j.items()) {
    const std::string at = place + "." + name;
    if (find_tensor(base, name) == nullptr) return no_tensor(r, place, name);
    std::vector<std::string> texts;
    if (!r.texts(axes, at, 1, kMaxRank, texts)) return false;
    std::vector<GridExpr> shape;
    for (const std::string& t : texts) {
      Expected<GridExpr> e = parse_grid_expr(t, at);
      if (!e) return r.fail(at, e.errors());
      shape.push_back(std::move(*e));
    }
    out.emplace_back(name, std::move(shape));
  }
  return true;
}

bool resize(JsonReader& r, const std::string& place, const Sizes& sizes, LaunchSpec& spec) {
  for (const auto& [name, axes] : sizes) {
    TensorSpec& t = *find_tensor(spec, name);
    std::vector<int64_t> shape;
    for (const GridExpr& e : axes) {
      const Expected<int64_t> n = evaluate(e, integers_of(spec), "the size of " + name);
      if (!n) return r.fail(place, n.errors());
      shape.push_back(*n);
    }
    Expected<TensorLayout> layout = make_layout(name, t.dtype, std::move(shape), {});
    if (!layout) return r.fail(place, layout.errors());
    t.layout = std::move(*layout);
  }
  return true;
}

void add_to_seeds(LaunchSpec& spec, int64_t seed) {
  for (LaunchArg& a : spec.args)
    if (auto* t = std::get_if<TensorSpec>(&a.value)) t->init.seed += static_cast<uint64_t>(seed);
}

/// First values of a tensor, as in --arg x=f32[5]=values(...): "values(...)".
bool set_values(JsonReader& r, const std::string& place, const std::string& name, const std::string& text, LaunchSpec& spec) {
  TensorSpec& t = *find_tensor(spec, name);
  std::string shape;
  for (int64_t d : t.layout.shape) shape += (shape.empty() ? "" : ",") + std::to_string(d);
  Expected<LaunchArg> arg = parse_arg(name + "=" + std::string(dtype_name(t.dtype)) + "[" + shape + "]=" + text);
  if (!arg) return r.fail(place + "." + name, arg.errors());
  const auto* made = std::get_if<TensorSpec>(&arg->value);
  if (made == nullptr) return r.fail(place + "." + name, "expected first values such as \"full(-2)\"");
  t.init = made->init;
  return true;
}

/// Integers first, then what the data are.
std::string label_of(const LaunchSpec& spec, const Json& j) {
  std::string integers, data;
  for (const LaunchArg& a : spec.args) {
    const auto it = j.find(a.name);
    if (it == j.end()) continue;
    std::string& out = it->is_string() ? data : integers;
    out += (out.empty() ? "" : ", ") + a.name + " = " + (it->is_string() ? it->get<std::string>() : it->dump());
  }
  return integers + (integers.empty() || data.empty() ? "" : ", ") + data;
}

bool read_launch(JsonReader& r, const Json& j, const std::string& place, const LaunchSpec& base, const Sizes& sizes, bool large, ExerciseLaunch& out) {
  if (!j.is_object()) return r.fail(place, "expected an object");
  out.spec = base;
  int64_t seed = 0;
  for (const auto& [name, value] : j.items()) {
    if (name == "seed") {
      if (!r.whole(value, place + ".seed", 0, kMostSeed, seed)) return false;
    } else if (const LaunchArg* arg = base.find(name); arg == nullptr) {
      return r.fail(place, "the launch has no argument \"" + name + "\"");
    } else if (std::holds_alternative<int64_t>(arg->value)) {
      int64_t v = 0;
      if (!r.whole(value, place + "." + name, INT32_MIN, INT32_MAX, v)) return false;
      set_arg(out.spec, {name, v});
    } else if (!std::holds_alternative<TensorSpec>(arg->value) || !value.is_string()) {
      return r.fail(place + "." + name, "a launch sets integers, and tensors by a text such as \"full(-2)\"");
    }
  }
  add_to_seeds(out.spec, seed);
  if (!resize(r, place, sizes, out.spec)) return false;
  for (const LaunchArg& a : out.spec.args)
    if (const auto* t = std::get_if<TensorSpec>(&a.value); t != nullptr && t->layout.elements() > kMostElements) {
      if (!large) return r.fail(place, a.name + " is larger than an exercise's tensor may be (2^20 elements)", "\"large\": true checks such launches on their addresses alone");
      out.addresses_only = true;
    }
  for (const auto& [name, value] : j.items())
    if (value.is_string() && !set_values(r, place, name, value.get<std::string>(), out.spec)) return false;
  const Expected<std::array<int64_t, 3>> grid = evaluate_grid(out.spec);
  if (!grid) return r.fail(place, grid.errors());
  if ((*grid)[0] > kMostPrograms || (*grid)[1] > kMostPrograms || (*grid)[0] * (*grid)[1] > kMostPrograms || (*grid)[2] > 1)
    return r.fail(place, "more programs than an exercise may have (" + std::to_string(kMostPrograms) + " along two axes)");
  if (out.addresses_only) {
    // The tensors are never made.
  } else if (const Expected<std::vector<Tensor>> tensors = make_tensors(out.spec); !tensors) {
    return r.fail(place, tensors.errors());
  }
  out.label = label_of(out.spec, j);
  return true;
}

bool read_launches(JsonReader& r, const std::string& at, const Json& j, const std::string& folder, Exercise& out) {
  std::string file;
  if (!r.text(j["launch"], at + ".launch", file)) return false;
  Expected<LaunchSpec> base = load_launch_file((fs::path(folder) / file).string());
  if (!base) return r.fail(at + ".launch", base.errors());
  base->kernel_path = out.start_path;
  out.start_is_refused = base->expect_error;
  if (base->outputs.empty()) return r.fail(at + ".launch", file + " names no outputs: nothing could be compared");
  Sizes sizes;
  if (j.contains("sizes") && !read_sizes(r, at + ".sizes", j["sizes"], *base, sizes)) return false;
  bool large = false;
  if (j.contains("large") && !r.flag(j["large"], at + ".large", large)) return false;
  const Json& launches = j["launches"];
  if (!launches.is_array() || launches.empty() || launches.size() > kMostLaunches)
    return r.fail(at + ".launches", "expected 1 to " + std::to_string(kMostLaunches) + " launches");
  for (size_t i = 0; i < launches.size(); ++i) {
    out.launches.emplace_back();
    if (!read_launch(r, launches[i], at + ".launches[" + std::to_string(i) + "]", *base, sizes, large, out.launches.back())) return false;
  }
  return true;
}

/// A number or an expression; every launch must be able to evaluate it, to 0 or more.
template <class Count>
bool read_count(JsonReader& r, const std::string& place, const Json& j, const std::vector<ExerciseLaunch>& launches, Count& count) {
  GridExpr out;
  if (j.is_string()) {
    Expected<GridExpr> e = parse_grid_expr(j.get<std::string>(), place);
    if (!e) return r.fail(place, e.errors());
    out = std::move(*e);
  } else {
    int64_t n = 0;
    if (!r.whole(j, place, 0, INT32_MAX, n)) return false;
    out = GridExpr::constant(n);
  }
  for (const ExerciseLaunch& l : launches) {
    const Expected<int64_t> n = evaluate(out, integers_of(l.spec), place);
    if (!n) return r.fail(place, n.errors());
    if (*n < 0) return r.fail(place, "is " + std::to_string(*n) + " with " + l.label);
  }
  count = std::move(out);
  return true;
}

bool read_rule(JsonReader& r, const std::string& place, const Json& j, const std::vector<ExerciseLaunch>& launches, AccessRule& out) {
  if (!r.only(j, place, {"loads", "stores", "lanes_off", "together"})) return false;
  if (j.contains("loads") && !read_count(r, place + ".loads", j["loads"], launches, out.loads)) return false;
  if (j.contains("stores") && !read_count(r, place + ".stores", j["stores"], launches, out.stores)) return false;
  if (j.contains("lanes_off") && !read_count(r, place + ".lanes_off", j["lanes_off"], launches, out.lanes_off)) return false;
  if (!j.contains("together")) return true;
  const Json& t = j["together"];
  const std::string at = place + ".together";
  if (!r.only(t, at, {"programs", "elements"}) || !r.needs(t, at, {"programs", "elements"})) return false;
  out.together.emplace();
  return read_count(r, at + ".programs", t["programs"], launches, out.together->programs) &&
         read_count(r, at + ".elements", t["elements"], launches, out.together->elements);
}

bool read_rules(JsonReader& r, const std::string& at, const Json& j, Exercise& out) {
  if (!j.is_object()) return r.fail(at, "expected an object");
  for (const auto& [name, rule] : j.items()) {
    const std::string place = at + "." + name;
    out.rules.push_back({name, {}, {}, {}, {}});
    if (find_tensor(out.launches[0].spec, name) == nullptr) return no_tensor(r, at, name);
    if (!read_rule(r, place, rule, out.launches, out.rules.back())) return false;
  }
  return true;
}

bool read_mistakes(JsonReader& r, const std::string& at, const Json& j, const fs::path& folder, Exercise& out) {
  if (!j.is_object() || j.size() > kMostMistakes) return r.fail(at, "expected an object of at most " + std::to_string(kMostMistakes) + " entries");
  std::set<std::string> named;
  for (const auto& [name, message] : j.items()) {
    const std::string place = at + "." + name;
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
      return r.fail(place, "a name is made of small letters, digits and _");
    Mistake m{name, (folder / (name + ".py")).string(), ""};
    if (!r.text(message, place, m.message)) return false;
    if (m.message.empty()) return r.fail(place, "expected a part of the message");
    if (const auto text = read_lesson_file(m.path); !text) return r.fail(place, text.errors());
    named.insert(name + ".py");
    out.mistakes.push_back(std::move(m));
  }
  std::error_code ec;
  for (const auto& e : fs::directory_iterator(folder, ec))
    if (e.path().extension() == ".py" && !named.contains(e.path().filename().string()))
      return r.fail(at, "says nothing about mistakes/" + e.path().filename().string());
  return true;
}

bool read_hints(JsonReader& r, const std::string& at, const std::string& start, Exercise& out) {
  for (size_t l = 0; l < kLanguages.size(); ++l) {
    const std::string path = start + "." + kLanguages[l] + ".md";
    const Expected<std::string> text = read_lesson_file(path);
    if (!text) return r.fail(at, text.errors());
    const std::vector<std::string> pages = split_pages(*text);
    if (pages.size() != kHintLevels)
      return r.fail(at, path + ": has " + std::to_string(pages.size()) + " hints, expected " + std::to_string(kHintLevels),
                    "hints are separated by lines \"---\"");
    for (size_t i = 0; i < kHintLevels; ++i) {
      std::vector<Diagnostic> formulas;
      out.hints[i][l] = parse_markdown(pages[i], &formulas);
      if (!formulas.empty()) return r.fail(at, {placed_in_file(formulas.front(), path, *text)});
      if (out.hints[i][l].empty()) return r.fail(at, path + ": hint " + std::to_string(i + 1) + " is empty");
    }
  }
  return true;
}

}  // namespace

bool read_exercise(JsonReader& r, const std::string& at, const Json& j, const std::string& folder, Exercise& out) {
  if (!r.only(j, at, {"launch", "sizes", "launches", "large", "rules", "use", "avoid", "mistakes", "start", "solution", "hints"})) return false;
  if (!r.needs(j, at, {"launch", "launches"})) return false;
  std::string start = "exercise.py", solution = "solution.py", hints = "hints";
  if (j.contains("start") && !r.text(j["start"], at + ".start", start)) return false;
  if (j.contains("solution") && !r.text(j["solution"], at + ".solution", solution)) return false;
  if (j.contains("hints") && !r.text(j["hints"], at + ".hints", hints)) return false;
  out.start_path = (fs::path(folder) / start).string();
  out.solution_path = (fs::path(folder) / solution).string();
  for (const std::string& path : {out.start_path, out.solution_path})
    if (const auto source = read_source(path); !source) return r.fail(at, source.errors());
  if (!read_launches(r, at, j, folder, out)) return false;
  if (j.contains("rules") && !read_rules(r, at + ".rules", j["rules"], out)) return false;
  if (j.contains("use") && !r.texts(j["use"], at + ".use", 0, 20, out.use)) return false;
  if (j.contains("avoid") && !r.texts(j["avoid"], at + ".avoid", 0, 20, out.avoid)) return false;
  const fs::path mistakes = fs::path(out.start_path).parent_path() / "mistakes";
  const Json none = Json::object();
  return read_mistakes(r, at + ".mistakes", j.contains("mistakes") ? j["mistakes"] : none, mistakes, out) &&
         read_hints(r, at, (fs::path(folder) / hints).string(), out);
}

}  // namespace tilescope::lessons
