#include "visualizer/terminal/sandbox_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "core/arg_spec.h"
#include "core/launch_text.h"
#include "sim/try_kernel.h"
#include "visualizer/report/output_files.h"
#include "visualizer/terminal/report.h"
#include "visualizer/terminal/run_command.h"
#include "visualizer/terminal/standard_streams.h"
#include "visualizer/terminal/table.h"
#include "visualizer/terminal/view_command.h"

namespace tilescope::terminal {
namespace {

namespace fs = std::filesystem;

bool has_display() {
#if defined(__APPLE__) || defined(_WIN32)
  return true;
#else
  const auto set = [](const char* name) { return std::getenv(name) != nullptr && *std::getenv(name) != 0; };
  return set("DISPLAY") || set("WAYLAND_DISPLAY");
#endif
}

/// A kernel that was pasted gets a file: the window and launch files name one.
Expected<std::string> file_of_pasted(std::istream& in) {
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return plain_error("sandbox: nothing was pasted", "name a kernel file, or paste the kernel and end the input with Ctrl+D");
  std::error_code ec;
  const fs::path folder = fs::temp_directory_path(ec);
  if (ec) return plain_error("sandbox: there is no folder for temporary files: " + ec.message());
  // A name that nobody can guess, made by whoever opens it: others may write into this folder.
  std::string path = (folder / "tilescope-sandbox-XXXXXX.py").string();
  const int made = ::mkstemps(path.data(), 3);
  std::FILE* file = made < 0 ? nullptr : ::fdopen(made, "wb");
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr && std::fclose(file) == 0 && written) return path;
  if (file == nullptr && made >= 0) ::close(made);
  if (made >= 0) fs::remove(path, ec);
  return plain_error("sandbox: the pasted kernel could not be written into " + folder.string());
}

std::string shown(const ArgValue& value) {
  constexpr size_t kMost = 44;
  const std::string text = arg_text(value);
  return text.size() <= kMost ? text : text.substr(0, kMost - 3) + "...";
}

std::string grid_text(const TriedLaunch& tried) {
  std::string out;
  for (const GridExpr& e : tried.spec.grid) out += (out.empty() ? "" : ", ") + e.text;
  return out;
}

/// "x_ptr, y_ptr and 3 more"
std::string shaped_by_addresses(const TriedLaunch& tried) {
  constexpr size_t kMost = 4;
  std::string out;
  size_t all = 0;
  for (const TriedArgument& a : tried.args) {
    const auto* t = std::get_if<TensorSpec>(&a.value);
    if (t == nullptr || a.given || a.left_out || !t->block.empty() || std::find(tried.by_names.begin(), tried.by_names.end(), a.name) != tried.by_names.end()) continue;
    if (++all <= kMost) out += (all > 1 ? ", " : "") + a.name;
  }
  return all > kMost ? out + " and " + std::to_string(all - kMost) + " more" : out;
}

std::string table_text(const TriedLaunch& tried) {
  using Align = Table::Align;
  Table table({{"argument", Align::Left}, {"guess", Align::Left}, {"because", Align::Left}});
  for (const TriedArgument& a : tried.args) table.add({a.name, a.left_out && a.why == "default of the kernel" ? "-" : shown(a.value), a.why});
  table.add({"grid", grid_text(tried), tried.grid_open ? "nothing tells it along some axis: 2 programs; --grid sets it" : ""});
  std::string out = table.text();
  // What the addresses were guessed from cannot prove them right.
  if (const std::string names = shaped_by_addresses(tried); !names.empty())
    out += wrapped("note: shapes of " + names + " were taken from the addresses that the kernel touches, so a missing mask makes "
                   "a tensor larger here instead of a fault: give shapes that you know with --arg", 100, 2);
  for (const std::string& note : tried.notes) out += wrapped("note: " + note, 100, 2);
  return out;
}

class Sandbox {
 public:
  Sandbox(const Command& c, std::istream& in, std::ostream& out, std::ostream& err) : c_(c), in_(in), out_(out), err_(err) {}

  int run() {
    const bool pasted = c_.target.empty() || c_.target == "-";
    if (pasted && is_terminal(Stream::Input)) out_ << "Paste the kernel, then press Ctrl+D on a line of its own.\n" << std::flush;
    Expected<std::string> path = pasted ? file_of_pasted(in_) : Expected<std::string>(c_.target);
    if (!path) return refuse(path.errors());
    path_ = *path;
    const int status = run_file();
    if (pasted) clear_away();
    return status;
  }

 private:
  int refuse(const std::vector<Diagnostic>& errors) {
    err_ << render(errors);
    return kUsage;
  }

  /// The pasted kernel's file goes, unless it was saved in the window with other text.
  void clear_away() {
    const auto now = read_source(path_);
    std::error_code ec;
    if (!now || source_ == nullptr || (*now)->text == source_->text) fs::remove(path_, ec);
    else out_ << "  the changed kernel is in " << path_ << "\n";
  }

  int run_file() {
    auto source = read_source(path_);
    if (!source) return refuse(source.errors());
    source_ = *source;
    if (auto d = read_known()) return refuse({*d});
    if (auto d = check_launch_path()) return refuse({*d});
    if (auto errors = attempt(); !errors.empty()) return refuse(errors);
    if (!c_.quiet) out_ << table_text(tried_) << std::flush;
    if (c_.ask || (!c_.yes && is_terminal(Stream::Input))) ask_all();
    if (auto d = write_launch()) return refuse({*d});
    return check_and_show();
  }

  std::optional<Diagnostic> read_known() {
    if (c_.num_warps)
      if (auto d = check_num_warps(*c_.num_warps, "--num-warps")) return d;
    if (c_.num_stages)
      if (auto d = check_num_stages(*c_.num_stages, "--num-stages")) return d;
    for (const std::string& text : c_.args) {
      auto arg = parse_arg(text);
      if (!arg) return arg.errors()[0];
      if (!known_.args.emplace(arg->name, arg->value).second) return plain_error("--arg " + arg->name + " is given twice", "each argument has one value; leave one of them out");
    }
    if (c_.config) known_.config = *c_.config - 1;
    if (!c_.grid) return std::nullopt;
    auto grid = parse_grid(*c_.grid);
    if (!grid) return grid.errors()[0];
    known_.grid = std::move(*grid);
    return std::nullopt;
  }

  std::vector<Diagnostic> attempt() {
    Expected<TriedLaunch> tried = try_kernel(source_, c_.kernel.value_or(""), path_, known_);
    if (!tried) return tried.errors();
    tried_ = std::move(*tried);
    LaunchSpec& spec = tried_.spec;
    if (c_.num_warps) spec.num_warps = static_cast<int>(*c_.num_warps), spec.num_warps_stated = true;
    if (c_.num_stages) spec.num_stages = static_cast<int>(*c_.num_stages), spec.num_stages_stated = true;
    return {};
  }

  // ---- asking

  /// Numbers first: the shapes of tensors follow from them, and from the grid.
  void ask_all() {
    if (!(in_.good())) in_.clear();  // the end of a pasted kernel is not the end of the answers
    bool changed = false;
    for (const bool tensors : {false, true}) {
      if (tensors && tried_.grid_open) {
        const std::optional<bool> answer = ask_grid();
        if (!answer) return;
        changed = changed || *answer;
      }
      for (size_t i = 0; i < tried_.args.size(); ++i) {
        const TriedArgument& a = tried_.args[i];
        if (a.given || a.left_out || std::holds_alternative<TensorSpec>(a.value) != tensors) continue;
        const std::optional<bool> answer = ask_argument(a.name, shown(a.value));
        if (!answer) return;
        changed = changed || *answer;
      }
    }
    if (changed && !c_.quiet) out_ << "\n" << table_text(tried_);
  }

  std::optional<bool> ask_grid() {
    return ask("grid", grid_text(tried_), [](const std::string& line, KnownArguments& known) {
      auto grid = parse_grid(line);
      if (!grid) return grid.errors();
      known.grid = std::move(*grid);
      return std::vector<Diagnostic>{};
    });
  }

  std::optional<bool> ask_argument(const std::string& name, const std::string& guess) {
    return ask(name, guess, [&](const std::string& line, KnownArguments& known) {
      auto arg = parse_arg(name + "=" + line);
      if (!arg) return arg.errors();
      known.args[name] = arg->value;
      return std::vector<Diagnostic>{};
    });
  }

  /// True when another value was typed; nothing at the end of the input. `set` puts an answer into what is known, or says
  /// what is wrong with it; it is asked again then.
  template <class Set>
  std::optional<bool> ask(const std::string& name, const std::string& guess, const Set& set) {
    while (true) {
      out_ << name << " [" << guess << "]: " << std::flush;
      std::string line;
      if (!std::getline(in_, line)) return out_ << "\n", std::nullopt;
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      if (line.empty()) return false;
      const KnownArguments before = known_;
      std::vector<Diagnostic> errors = set(line, known_);
      if (errors.empty()) errors = attempt();
      if (errors.empty()) return true;
      known_ = before;
      out_ << render(errors);
    }
  }

  // ---- results

  std::optional<Diagnostic> check_launch_path() const {
    if (c_.launch_out.empty()) return std::nullopt;
    std::error_code ec;
    if (fs::exists(c_.launch_out, ec)) return plain_error("--launch " + c_.launch_out + ": there is a file of that name; nothing is overwritten", "choose another name");
    const fs::path kernel = kernel_beside();
    if (is_pasted() && fs::exists(kernel, ec)) return plain_error("--launch " + c_.launch_out + ": the kernel would be written to " + kernel.string() + ", which is there already", "choose another name");
    return report::check_output_paths({{"--launch", c_.launch_out}}, {path_});
  }

  bool is_pasted() const { return c_.target.empty() || c_.target == "-"; }
  fs::path kernel_beside() const { return fs::path(c_.launch_out).replace_extension(".py"); }

  std::optional<Diagnostic> write_launch() {
    if (c_.launch_out.empty()) return std::nullopt;
    std::error_code ec;
    const fs::path folder = fs::absolute(fs::path(c_.launch_out), ec).parent_path();
    std::string kernel = is_pasted() ? kernel_beside().filename().string() : fs::relative(fs::absolute(path_, ec), folder, ec).string();
    if (kernel.empty()) kernel = fs::absolute(path_, ec).string();
    if (is_pasted())
      if (auto d = report::write_output({"--launch", kernel_beside().string()}, source_->text)) return d;
    if (auto d = report::write_output({"--launch", c_.launch_out}, launch_file_text(tried_.spec, kernel))) return d;
    if (!c_.quiet) out_ << "  saved the launch to " << c_.launch_out << "\n";
    return std::nullopt;
  }

  /// Integers decide addresses: a fault may be the guess's and not the kernel's.
  std::string guesses_at_fault() const {
    constexpr size_t kMost = 6;
    std::string values, give;
    size_t all = 0;
    for (const bool strides : {true, false})  // the likeliest first
      for (const TriedArgument& a : tried_.args) {
        if (a.given || a.left_out || a.constexpr_parameter || a.stride != strides || !std::holds_alternative<int64_t>(a.value)) continue;
        if (++all > kMost) continue;
        values += (values.empty() ? "" : ", ") + a.name + " = " + shown(a.value);
        give += " --arg " + a.name + "=...";
      }
    if (all == 0) return {};
    if (all > kMost) values += " and " + std::to_string(all - kMost) + " more";
    return wrapped("note: " + values + (all == 1 ? " is a guess" : " are guesses") + ", and a fault may come from a guess instead of the kernel: give the values that your code launches it with," + give, 100, 0);
  }

  int check_and_show() {
    Command check = c_;
    check.verb = Command::Verb::Check;
    if (!c_.quiet) out_ << "\n";
    const int status = run_or_check_launch(check, tried_.spec, out_, err_);
    if (status == kFault) err_ << guesses_at_fault();
    const bool wanted = !c_.shot.empty() || !c_.script.empty() || (!c_.no_window && has_display());
    if (!wanted || status == kUsage) return status;
    Command view = c_;
    view.verb = Command::Verb::View;
    view.target = path_;
    const int shown = view_launch_with_notes(view, tried_.spec, {guessed_text(tried_)}, out_, err_);
    return shown == kFine ? status : shown;
  }

  const Command& c_;
  std::istream& in_;
  std::ostream &out_, &err_;
  std::string path_;
  SourcePtr source_;
  KnownArguments known_;
  TriedLaunch tried_;
};

}  // namespace

int run_sandbox(const Command& c, std::istream& in, std::ostream& out, std::ostream& err) { return Sandbox(c, in, out, err).run(); }

}  // namespace tilescope::terminal
