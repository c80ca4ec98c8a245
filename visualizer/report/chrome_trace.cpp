#include "visualizer/report/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "visualizer/report/text.h"
#include "visualizer/report/units.h"

namespace tilescope::report {
namespace {

using cost::CostReport;
using Slice = cost::Schedule::Slice;

constexpr int kGpuProcess = 1, kFirstPartition = 2;

std::string json_string(const std::string& text) { return nlohmann::json(printable(text)).dump(); }

/// Whole nanoseconds, so that sums and comparisons of what is written are exact.
int64_t nanoseconds(double us) { return std::isfinite(us) ? std::llround(std::clamp(us, 0.0, 1e12) * 1000) : 0; }
std::string microseconds(int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

/// A program's slice with the ops inside it.
struct Program {
  const Slice* whole = nullptr;
  std::vector<const Slice*> ops;
};

class Writer {
 public:
  Writer(const CostReport& report, const SourcePtr& source) : report_(report) {
    for (const Slice& s : report.schedule->slices) slots_ = std::max(slots_, s.slot + 1);
    for (const cost::LineCost& l : report.lines) {
      std::string name = fmt::format("{} {}, line {}", l.op.mnemonic, l.tensor, l.op.line);
      names_.push_back(json_string(name));
      // Once, not with each slice: there are a hundred thousand.
      lines_ += fmt::format("{}\"{}\":{}", lines_.empty() ? "" : ",", l.op.line,
                            json_string(std::string(trimmed_line(source, l.op.line))));
    }
  }

  void metadata() {
    process(kGpuProcess, report_.gpu.name, 0);
    std::set<std::pair<int, int>> lanes;
    for (const Slice& s : report_.schedule->slices) lanes.insert({s.sm, s.slot});
    std::set<int> partitions;
    for (const auto& [sm, slot] : lanes) {
      const int p = partition(sm);
      if (partitions.insert(p).second)
        process(kFirstPartition + p, report_.gpu.l2_partitions > 1 ? fmt::format("SMs of L2 partition {}", p) : "SMs",
                1 + p);
      const std::string name = slots_ > 1 ? fmt::format("SM {}, place {}", sm, slot) : fmt::format("SM {}", sm);
      event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                        kFirstPartition + p, thread(sm, slot), json_string(name)));
      event(fmt::format(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
                        kFirstPartition + p, thread(sm, slot), thread(sm, slot)));
    }
  }

  void program(const Program& p) {
    const Slice& w = *p.whole;
    const int64_t start = nanoseconds(w.start_us), end = std::max(start, nanoseconds(w.end_us));
    slice(w, fmt::format("\"program {}\"", w.program), start, end, fmt::format(R"("program":{})", w.program));
    int64_t free = start;  // ops of a program follow one another
    for (const Slice* op : p.ops) {
      const int64_t from = std::clamp(nanoseconds(op->start_us), free, end),
                    to = std::clamp(nanoseconds(op->end_us), from, end);
      free = to;
      const bool known = op->op >= 0 && static_cast<size_t>(op->op) < names_.size();
      slice(*op, known ? names_[op->op] : "\"access\"", from, to, "");
    }
  }

  void sample(const cost::Schedule::Sample& s) {
    const std::string at = microseconds(nanoseconds(s.time_us));
    counter(at, "DRAM read, GB/s", std::isfinite(s.dram_bytes_per_s) ? s.dram_bytes_per_s / 1e9 : 0);
    counter(at, "L2 hit rate, %", std::isfinite(s.l2_hit_rate) ? 100 * s.l2_hit_rate : 0);
    counter(at, "programs running", static_cast<double>(s.running));
  }

  void cut_mark(double at_us, const std::string& why) {
    event(fmt::format(R"({{"ph":"i","s":"g","name":{},"pid":{},"tid":0,"ts":{}}})", json_string(why), kGpuProcess,
                      microseconds(nanoseconds(at_us))));
  }

  std::string finish(const std::string& truncated) {
    return fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"kernel\":{},\"gpu\":{},\"what\":{},\"truncated\":{},"
        "\"lines\":{{{}}}}},\n"
        "\"traceEvents\":[\n{}\n]}}\n",
        json_string(report_.kernel), json_string(report_.gpu.name),
        json_string("estimated by a model of the GPU, not measured; one seed of the drift of programs"),
        truncated.empty() ? "null" : json_string(truncated), lines_, events_);
  }

 private:
  int partition(int sm) const {
    const int partitions = std::max(report_.gpu.l2_partitions, 1), sms = std::max(report_.gpu.sms, 1);
    return std::clamp(static_cast<int>(static_cast<int64_t>(sm) * partitions / sms), 0, partitions - 1);
  }
  int thread(int sm, int slot) const { return sm * slots_ + slot + 1; }

  void event(const std::string& text) {
    if (!events_.empty()) events_ += ",\n";
    events_ += text;
  }
  void process(int pid, const std::string& name, int order) {
    event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", pid, json_string(name)));
    event(fmt::format(R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})", pid, order));
  }
  void slice(const Slice& s, const std::string& name, int64_t from, int64_t to, const std::string& args) {
    event(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{},"dur":{}{}}})", name,
                      kFirstPartition + partition(s.sm), thread(s.sm, s.slot), microseconds(from),
                      microseconds(to - from), args.empty() ? "" : ",\"args\":{" + args + "}"));
  }
  void counter(const std::string& at, const char* name, double value) {
    event(fmt::format(R"({{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{"value":{:.4g}}}}})", name, kGpuProcess, at,
                      value));
  }

  const CostReport& report_;
  int slots_ = 1;
  std::vector<std::string> names_;
  std::string lines_, events_;
};

bool starts_before(const Slice* a, const Slice* b) {
  return a->start_us != b->start_us ? a->start_us < b->start_us : a->end_us < b->end_us;
}

/// Programs by start, each with its ops; ops without a program (it was cut off) are dropped.
std::vector<Program> programs_of(const cost::Schedule& schedule) {
  std::map<int64_t, size_t> place;
  std::vector<Program> out;
  for (const Slice& s : schedule.slices)
    if (s.op < 0 && place.emplace(s.program, out.size()).second) out.push_back({&s, {}});
  for (const Slice& s : schedule.slices)
    if (s.op >= 0)
      if (auto at = place.find(s.program); at != place.end()) out[at->second].ops.push_back(&s);
  for (Program& p : out) std::sort(p.ops.begin(), p.ops.end(), starts_before);
  std::sort(out.begin(), out.end(), [](const Program& a, const Program& b) { return starts_before(a.whole, b.whole); });
  return out;
}

}  // namespace

ChromeTrace chrome_trace(const CostReport& report, const SourcePtr& source, size_t most_events) {
  if (!report.schedule) internal_error("a trace needs a schedule");
  const cost::Schedule& schedule = *report.schedule;
  Writer writer(report, source);
  writer.metadata();
  // Counters first: they are few, and show the whole launch even when its slices do not fit.
  const size_t most_samples = std::max<size_t>(most_events / 8, 1);
  const size_t every = (schedule.samples.size() + most_samples - 1) / most_samples;
  size_t events = 0;
  for (size_t i = 0; i < schedule.samples.size(); i += std::max<size_t>(every, 1), ++events)
    writer.sample(schedule.samples[i]);
  const std::vector<Program> programs = programs_of(schedule);
  size_t written = 0;
  double last_us = 0, last_op_us = 0;
  for (const Program& p : programs) {
    if (events + 1 + p.ops.size() > most_events) break;
    events += 1 + p.ops.size();
    writer.program(p);
    last_us = std::max(last_us, p.whole->end_us);
    if (!p.ops.empty()) last_op_us = std::max(last_op_us, p.ops.back()->end_us);
    ++written;
  }
  ChromeTrace out;
  const uint64_t all = static_cast<uint64_t>(report.grid[0] * report.grid[1] * report.grid[2]);
  if (written < std::max<uint64_t>(all, programs.size())) {
    out.truncated = fmt::format("slices of {} of {} programs, those that start first; the counters cover all",
                                with_commas(written), with_commas(std::max<uint64_t>(all, programs.size())));
    writer.cut_mark(last_us, out.truncated);
  } else if (schedule.truncated) {
    out.truncated = fmt::format("all programs; their loads and stores up to {} only", time_text(last_op_us / 1000));
    writer.cut_mark(last_op_us, out.truncated);
  }
  out.json = writer.finish(out.truncated);
  return out;
}

}  // namespace tilescope::report
