#include "visualizer/terminal/lint_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/excerpt.h"
#include "visualizer/terminal/report.h"
#include "visualizer/terminal/table.h"

namespace tilescope::terminal {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kRanks = 20;        ///< lines of a ranking for people
constexpr int kLineColumns = 96;  ///< of a source line under a kernel

std::string place_text(const SourceRange& r) {
  if (!r.valid()) return {};
  return fmt::format("{}:{}:{}", report::printable(r.file->path), r.line, r.column);
}

/// The source line with carets, where both fit.
std::string caret_lines(const SourceRange& r) {
  if (!r.valid()) return {};
  const std::string_view line = r.file->line(r.line);
  const size_t indent = line.find_first_not_of(" \t");
  const size_t at = static_cast<size_t>(std::max(0, r.column - 1));
  if (indent == std::string_view::npos || at < indent || at > line.size()) return {};
  const int end = end_in_first_line(r);
  const Excerpt part = excerpt_around(line.substr(indent), r.column - static_cast<int>(indent), end - static_cast<int>(indent), kLineColumns);
  const auto width = [&](int from, int to) { return report::width_of(std::string_view(part.text).substr(static_cast<size_t>(from - 1), static_cast<size_t>(to - from))); };
  const int caret = part.column(r.column - static_cast<int>(indent)), behind = part.column(end - static_cast<int>(indent));
  return fmt::format("        {}\n        {}{}\n", report::printable(part.text), std::string(width(1, caret), ' '),
                     std::string(std::max<size_t>(1, width(caret, std::max(caret, behind))), '^'));
}

std::string kernel_text(const KernelLint& k, size_t width, bool verbose) {
  std::string out = fmt::format("  {:<{}}  {}", report::printable(k.name), width, lint_verdict_name(k.verdict));
  if (k.verdict == LintVerdict::Fine) return out + (k.note.empty() ? "" : ", with " + shortened(report::printable(k.note), kLineColumns)) + "\n";
  out += ": " + report::printable(k.feature) + "\n";
  if (k.diagnostics.empty()) return out;
  if (verbose) return out + render(k.diagnostics);
  const Diagnostic& d = k.diagnostics[0];
  if (d.range.valid()) out += "      " + place_text(d.range) + ": " + report::printable(d.message) + "\n" + caret_lines(d.range);
  return out;
}

std::string ranking_text(const LintReport& report, LintVerdict v, const std::string& title) {
  const std::vector<LintRank> ranks = rank_features(report, v);
  if (ranks.empty()) return {};
  std::string out = "\n" + title + "\n";
  for (size_t i = 0; i < ranks.size() && i < kRanks; ++i) {
    const LintRank& r = ranks[i];
    const SourceRange& at = !r.example->diagnostics.empty() && r.example->diagnostics[0].range.valid() ? r.example->diagnostics[0].range : r.example->where;
    out += fmt::format("  {:>5}  {}  ({})\n", r.kernels, report::printable(r.feature), place_text(at));
  }
  if (ranks.size() > kRanks) out += fmt::format("  {:>5}  more, all in --json\n", ranks.size() - kRanks);
  return out;
}

Json range_json(const SourceRange& r) {
  if (!r.valid()) return nullptr;
  return {{"file", r.file->path}, {"line", r.line}, {"column", r.column}};
}

Json ranking_json(const LintReport& report, LintVerdict v) {
  Json out = Json::array();
  for (const LintRank& r : rank_features(report, v)) {
    const SourceRange& at = !r.example->diagnostics.empty() && r.example->diagnostics[0].range.valid() ? r.example->diagnostics[0].range : r.example->where;
    out.push_back({{"feature", r.feature}, {"kernels", r.kernels}, {"example", range_json(at)}});
  }
  return out;
}

}  // namespace

std::string lint_text(const LintReport& report, bool quiet, bool verbose) {
  std::string out;
  int64_t skipped = 0;
  for (const FileLint& f : report.files) {
    skipped += f.skipped.empty() ? 0 : 1;
    if (quiet) continue;
    if (!f.skipped.empty()) out += fmt::format("{}: skipped: {}\n", report::printable(f.path), report::printable(f.skipped));
    if (f.kernels.empty()) continue;
    out += report::printable(f.path) + "\n";
    size_t width = 0;
    for (const KernelLint& k : f.kernels) width = std::max(width, report::width_of(k.name));
    for (const KernelLint& k : f.kernels) out += kernel_text(k, std::min<size_t>(width, 48), verbose);
  }
  const int64_t n = report.kernels(), fine = report.count(LintVerdict::Fine);
  if (!quiet && !out.empty()) out += "\n";
  out += fmt::format("{} of {} fine{}", with_commas(static_cast<uint64_t>(fine)), counted(static_cast<uint64_t>(n), "kernel"),
                     n == 0 ? "" : fmt::format(" ({:.1f}%)", 100.0 * static_cast<double>(fine) / static_cast<double>(n)));
  if (fine < n)
    out += fmt::format("; {} missing something, {} wrong, {} cannot be told", with_commas(static_cast<uint64_t>(report.count(LintVerdict::Missing))),
                       with_commas(static_cast<uint64_t>(report.count(LintVerdict::Wrong))),
                       with_commas(static_cast<uint64_t>(report.count(LintVerdict::CannotTell))));
  out += fmt::format(". {}{} in {:.2f} s.\n", counted(static_cast<uint64_t>(report.files_seen), "file"),
                     skipped > 0 ? fmt::format(" ({} skipped)", skipped) : "", report.seconds);
  if (const int64_t unread = report.with_a_note(); unread > 0)
    out += fmt::format("{} autotune configs that cannot be read: guesses stood in for them.\n",
                       unread == 1 ? std::string("1 kernel has") : with_commas(static_cast<uint64_t>(unread)) + " kernels have");
  if (!report.cut_off.empty()) out += "Not complete: " + report.cut_off + ".\n";
  out += ranking_text(report, LintVerdict::Missing, "Missing, by the kernels that wait for it:");
  out += ranking_text(report, LintVerdict::Wrong, "Wrong, in Triton too:");
  out += ranking_text(report, LintVerdict::CannotTell, "Cannot be told without the right arguments:");
  return out;
}

std::string lint_json(const LintReport& report) {
  Json files = Json::array();
  for (const FileLint& f : report.files) {
    Json kernels = Json::array();
    for (const KernelLint& k : f.kernels) {
      Json one = {{"kernel", k.name}, {"line", k.where.line}, {"verdict", lint_verdict_name(k.verdict)}};
      if (k.verdict != LintVerdict::Fine) one["feature"] = k.feature;
      if (!k.diagnostics.empty()) {
        one["message"] = k.diagnostics[0].message;
        one["at"] = range_json(k.diagnostics[0].range);
      }
      one["compiles"] = k.compiles;
      if (!k.note.empty()) one["note"] = k.note;
      kernels.push_back(std::move(one));
    }
    Json file = {{"path", f.path}, {"kernels", std::move(kernels)}, {"helpers", f.helpers}};
    if (!f.skipped.empty()) file["skipped"] = f.skipped;
    files.push_back(std::move(file));
  }
  Json out = {{"kernels", report.kernels()},
              {"fine", report.count(LintVerdict::Fine)},
              {"missing", report.count(LintVerdict::Missing)},
              {"wrong", report.count(LintVerdict::Wrong)},
              {"cannot_tell", report.count(LintVerdict::CannotTell)},
              {"files_seen", report.files_seen},
              {"seconds", report.seconds},
              {"cut_off", report.cut_off},
              {"missing_features", ranking_json(report, LintVerdict::Missing)},
              {"wrong_causes", ranking_json(report, LintVerdict::Wrong)},
              {"unclear_causes", ranking_json(report, LintVerdict::CannotTell)},
              {"files", std::move(files)}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

int run_lint(const Command& c, std::ostream& out, std::ostream& err) {
  LintOptions options;
  options.threads = c.threads;
  Expected<LintReport> report = lint(c.target, options);
  if (!report) {
    err << render(report.errors());
    if (c.json) out << errors_json(report.errors());
    return kUsage;
  }
  out << (c.json ? lint_json(*report) : lint_text(*report, c.quiet, c.verbose));
  out.flush();
  const bool all = report->cut_off.empty() && std::all_of(report->files.begin(), report->files.end(), [](const FileLint& f) { return f.skipped.empty(); });
  if (report->kernels() == 0 && all) {
    if (!c.json) err << render(plain_error(c.target + ": there is no kernel in it", "a kernel is a function below @triton.jit"));
    return kUsage;
  }
  return all && report->count(LintVerdict::Fine) == report->kernels() ? kFine : kDifferent;
}

}  // namespace tilescope::terminal
