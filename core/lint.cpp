#include "core/lint.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "core/compile_module.h"
#include "core/decorators.h"
#include "core/guess.h"
#include "core/letters.h"
#include "core/lint_verdict.h"
#include "core/syntax/module_files.h"
#include "core/syntax/parser.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr size_t kMaxFiles = 200'000;
constexpr int kMaxFolderDepth = 64;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Every *.py below `folder`, sorted. Folders are entered once, whatever links lead to them.
std::vector<std::string> python_files(const std::string& folder, std::string& cut_off) {
  std::vector<std::string> out;
  std::vector<std::pair<fs::path, int>> open = {{folder, 0}};
  std::set<fs::path> entered;
  while (!open.empty()) {
    const auto [path, depth] = open.back();
    open.pop_back();
    std::error_code ec;
    const fs::path real = fs::canonical(path, ec);
    if (ec || !entered.insert(real).second) continue;
    if (depth > kMaxFolderDepth) {
      cut_off = "folders more than " + std::to_string(kMaxFolderDepth) + " deep were left out";
      continue;
    }
    for (fs::directory_iterator it(path, fs::directory_options::skip_permission_denied, ec), end; !ec && it != end; it.increment(ec)) {
      const std::string name = it->path().filename().string();
      std::error_code bad;
      if (it->is_directory(bad)) {
        if (!name.starts_with('.') && name != "__pycache__") open.push_back({it->path(), depth + 1});
      } else if (it->is_regular_file(bad) && it->path().extension() == ".py") {
        if (out.size() >= kMaxFiles) {
          cut_off = "only the first " + std::to_string(kMaxFiles) + " files were read";
          open.clear();
          break;
        }
        out.push_back(it->path().string());
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool is_utf8(const std::string& s) {
  for (size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    const size_t more = c < 0x80 ? 0 : c >> 5 == 6 ? 1 : c >> 4 == 14 ? 2 : c >> 3 == 30 ? 3 : 9;
    if (more == 9 || i + more >= s.size() + (more == 0 ? 1 : 0)) return false;
    for (size_t k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(s[i + k]) >> 6) != 2) return false;
    i += 1 + more;
  }
  return true;
}

/// Calls `work(i)` for every i below n, on threads.
template <class Work>
void in_parallel(size_t n, int threads, const Work& work) {
  std::atomic<size_t> next{0};
  const auto loop = [&] {
    for (size_t i; (i = next.fetch_add(1)) < n;) work(i);
  };
  const size_t all = threads > 0 ? static_cast<size_t>(threads) : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> pool;
  for (size_t t = 1; t < std::min({all, n, size_t{64}}); ++t) pool.emplace_back(loop);
  loop();
  for (std::thread& t : pool) t.join();
}

struct OpenFile {
  FileLint lint;
  std::optional<Module> module;
  std::vector<const FunctionDef*> kernels;
};

void read_file(OpenFile& file) {
  Expected<SourcePtr> source = read_source(file.lint.path);
  if (!source) {
    file.lint.skipped = source.errors()[0].message;
    return;
  }
  // Host code is not worth parsing.
  if ((*source)->text.find("jit") == std::string::npos) return;
  if (!is_utf8((*source)->text)) {
    file.lint.skipped = "it is not UTF-8 text";
    return;
  }
  Expected<Module> module = parse_module(*source);
  if (module)
    file.module = std::move(*module);
  else
    file.lint.skipped = module.errors()[0].message;
}

bool gives_a_value(const std::vector<Stmt*>& body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt* s) {
    return (s->kind == Stmt::Kind::Return && s->value != nullptr && s->value->kind != Expr::Kind::None) || gives_a_value(s->body) || gives_a_value(s->orelse);
  });
}

bool says_triton(const std::string& s) { return lower_case(s).find("triton") != std::string::npos; }

/// Other languages have a `jit` too (numba, jax, CuTe): Triton's is named after Triton, or imported from a module that is.
bool is_triton_jit(const Module& module, const FunctionDef& f) {
  return std::any_of(f.decorators.begin(), f.decorators.end(), [&](const Expr* d) {
    const Expr* e = d->kind == Expr::Kind::Call ? d->base : d;
    if (e->text.find("jit") == std::string::npos) return false;
    std::string path = e->text;
    while (e->kind == Expr::Kind::Attribute) e = e->base, path = e->text + "." + path;
    if (says_triton(path)) return true;
    for (const Import& i : module.imports)
      if (i.alias == e->text) return says_triton(i.module + "." + i.name);
    return e->kind == Expr::Kind::Name && e->text != "jit" && path == e->text;  // an alias of this file: `jit = triton.jit`
  });
}

/// Functions of other files that a file's jit functions use, as path and name.
using UsedFunctions = std::set<std::pair<std::string, std::string>>;

void find_used(const OpenFile& file, UsedFunctions& out) {
  if (!file.module) return;
  std::set<std::string> names;
  for (const auto& f : file.module->functions)
    if (f->is_jit) add_outer_names(*f, names);
  for (const Import& i : file.module->imports) {
    if (i.name.empty() || names.count(i.alias) == 0 || i.module.starts_with("triton.")) continue;
    if (auto path = find_module_file(file.lint.path, i.module)) out.insert({*path, i.name});
  }
}

/// What a file's kernels are: jit functions that give no value and that no other jit function calls.
void find_kernels(OpenFile& file, const UsedFunctions& used) {
  if (!file.module) return;
  std::error_code ec;
  const std::string path = fs::absolute(file.lint.path, ec).lexically_normal().string();
  const std::vector<const FunctionDef*> entries = entry_points(*file.module);
  for (const auto& f : file.module->functions) {
    if (!f->is_jit || file.module->find_function(f->name) != f.get() || !is_triton_jit(*file.module, *f)) continue;
    const bool kernel = std::find(entries.begin(), entries.end(), f.get()) != entries.end() && !gives_a_value(f->body) && used.count({path, f->name}) == 0;
    if (kernel)
      file.kernels.push_back(f.get());
    else
      file.lint.helpers.push_back(f->name);
  }
}

KernelLint lint_kernel(const Module& module, const FunctionDef& kernel, const LintOptions& options) {
  const auto start = Clock::now();
  KernelLint out;
  out.name = kernel.name;
  out.where = kernel.name_range;
  GuessTrial trial = try_guesses(module, kernel, {options.compiles, options.seconds_per_kernel});
  out.compiles = trial.compiles;
  if (auto unread = unread_configs(module, kernel)) out.note = "guesses in place of its autotune configs: " + unread->message;
  if (trial.no_such_argument || !trial.errors.empty()) {
    const JudgedError judged = judge(trial);
    out.verdict = judged.verdict;
    out.feature = judged.feature;
    if (trial.no_such_argument) out.diagnostics.push_back(*trial.no_such_argument);
    out.diagnostics.insert(out.diagnostics.end(), trial.errors.begin(), trial.errors.end());
    if (trial.out_of_time && out.verdict == LintVerdict::CannotTell) out.feature = "out of time: " + out.feature;
  }
  out.seconds = seconds_since(start);
  return out;
}

}  // namespace

const char* lint_verdict_name(LintVerdict v) {
  static const char* const names[] = {"fine", "missing", "wrong", "cannot tell"};
  return names[static_cast<size_t>(v)];
}

int64_t LintReport::kernels() const {
  int64_t n = 0;
  for (const FileLint& f : files) n += static_cast<int64_t>(f.kernels.size());
  return n;
}

int64_t LintReport::count(LintVerdict v) const {
  int64_t n = 0;
  for (const FileLint& f : files) n += std::count_if(f.kernels.begin(), f.kernels.end(), [&](const KernelLint& k) { return k.verdict == v; });
  return n;
}

int64_t LintReport::with_a_note() const {
  int64_t n = 0;
  for (const FileLint& f : files) n += std::count_if(f.kernels.begin(), f.kernels.end(), [](const KernelLint& k) { return !k.note.empty(); });
  return n;
}

Expected<LintReport> lint(const std::string& path, const LintOptions& options) {
  const auto start = Clock::now();
  LintReport report;
  std::vector<std::string> paths;
  std::error_code ec;
  if (fs::is_directory(path, ec)) {
    paths = python_files(path, report.cut_off);
  } else {
    if (auto source = read_source(path); !source) return source.errors();
    paths = {path};
  }
  report.files_seen = static_cast<int64_t>(paths.size());
  std::vector<OpenFile> files(paths.size());
  in_parallel(files.size(), options.threads, [&](size_t i) {
    files[i].lint.path = paths[i];
    read_file(files[i]);
  });
  UsedFunctions used;
  if (files.size() > 1)
    for (const OpenFile& f : files) find_used(f, used);
  for (OpenFile& f : files) {
    find_kernels(f, used);
    f.lint.kernels.resize(f.kernels.size());
  }
  std::vector<std::pair<size_t, size_t>> jobs;
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t k = 0; k < files[i].kernels.size(); ++k) jobs.push_back({i, k});
  in_parallel(jobs.size(), options.threads, [&](size_t j) {
    OpenFile& file = files[jobs[j].first];
    file.lint.kernels[jobs[j].second] = lint_kernel(*file.module, *file.kernels[jobs[j].second], options);
  });
  for (OpenFile& file : files)
    if (!file.lint.kernels.empty() || !file.lint.helpers.empty() || !file.lint.skipped.empty() || files.size() == 1) report.files.push_back(std::move(file.lint));
  report.seconds = seconds_since(start);
  return report;
}

std::vector<LintRank> rank_features(const LintReport& report, LintVerdict v) {
  std::map<std::string, LintRank> by_name;
  for (const FileLint& f : report.files)
    for (const KernelLint& k : f.kernels) {
      if (k.verdict != v || k.feature.empty()) continue;
      LintRank& rank = by_name[k.feature];
      if (rank.example == nullptr) rank = {k.feature, 0, &k};
      ++rank.kernels;
    }
  std::vector<LintRank> out;
  for (auto& [name, rank] : by_name) out.push_back(std::move(rank));
  std::stable_sort(out.begin(), out.end(), [](const LintRank& a, const LintRank& b) { return a.kernels > b.kernels; });
  return out;
}

}  // namespace tilescope
