#include "visualizer/terminal/gpu_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/npy.h"
#include "gpu/child_process.h"
#include "gpu/compare.h"
#include "gpu/launch.h"
#include "gpu/recorded.h"
#include "sim/launch.h"
#include "visualizer/terminal/report.h"

namespace tilescope::terminal {
namespace {

constexpr int kTimedLaunches = 20;
/// A faulty kernel may never end.
constexpr double kForcedSeconds = 60;

/// A string as JSON has it; bytes that are no text are replaced.
std::string json_string(const std::string& s) {
  return nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

int refuse(const Command& c, const std::vector<Diagnostic>& errors, int status, std::ostream& out, std::ostream& err) {
  err << render(errors);
  if (c.json) out << errors_json(errors);
  return status;
}

struct GpuResult {
  std::vector<Tensor> tensors;
  gpu::GpuRun run;
  gpu::GpuKernel kernel;
  gpu::DeviceInfo device;
};

Expected<GpuResult> launch_on(gpu::Device& device, const Launch& launch, std::vector<Tensor> tensors) {
  GpuResult out;
  out.device = device.info();
  auto kernel =
      gpu::compile_for_gpu(launch.kernel.function, launch.grid, out.device.architecture(), out.device.shared_limit);
  if (!kernel) return kernel.errors();
  out.kernel = std::move(*kernel);
  out.tensors = std::move(tensors);
  auto ran = gpu::run_on_gpu(device, out.kernel, launch.kernel.function, arguments_on(launch, out.tensors), launch.grid,
                             kTimedLaunches);
  if (!ran) return ran.errors();
  out.run = *ran;
  return out;
}

/// The simulator's run before the GPU's: a launch that is wrong there could take the GPU's context down.
std::optional<int> guard(const Command& c, const RunTrace& trace, std::ostream& err) {
  if (!has_failed(trace)) return std::nullopt;
  err << faults_text(trace);
  if (c.force) {
    err << "note: launched on the GPU all the same (--force)\n";
    return std::nullopt;
  }
  err << "note: not launched on the GPU, because of the fault; --force overrides\n";
  return kFault;
}

/// What is launched past a fault runs in a process of its own: the GPU's context, or the process, may not survive it.
int past_a_fault(const std::string& kernel, const std::function<int(std::ostream&, std::ostream&)>& work,
                 std::ostream& out, std::ostream& err) {
  const gpu::ChildEnd end = gpu::run_in_child(work, kForcedSeconds);
  out << end.out;
  err << end.err;
  switch (end.kind) {
    case gpu::ChildEnd::Kind::Finished:
      return end.status;
    case gpu::ChildEnd::Kind::Killed:
      err << fmt::format("error: kernel {}: the process that launched it on the GPU was ended by signal {}\n", kernel,
                         end.signal);
      break;
    case gpu::ChildEnd::Kind::TimedOut:
      err << fmt::format("error: kernel {} did not end on the GPU within {} seconds\n", kernel, kForcedSeconds);
      break;
    case gpu::ChildEnd::Kind::NotStarted:
      err << fmt::format("error: kernel {} was not launched: the system has no process left for it\n", kernel);
  }
  return kFault;
}

/// A kernel that the GPU could not finish.
int tell_fault(const Command& c, const std::string& fault, std::ostream& out, std::ostream& err) {
  return refuse(c, {plain_error(fault, "`tilescope check` looks for faults on the simulator")}, kFault, out, err);
}

RunTrace simulate(Launch& launch) {
  RunOptions options;
  options.record = RecordLevel::None;
  return execute(launch, options);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

gpu::RecordedRun recording_of(const Launch& launch, const GpuResult& r) {
  gpu::RecordedRun run;
  run.kernel = launch.kernel.function.name;
  run.kernel_hash = gpu::hash_text(r.kernel.emitted.text);
  run.device = r.device.name;
  run.driver = fmt::format("CUDA {}.{}", r.device.driver / 1000, r.device.driver % 1000 / 10);
  run.nvrtc = gpu::nvrtc_version();
  run.date = today();
  run.num_warps = launch.kernel.function.num_warps;
  run.registers = r.kernel.cubin.registers;
  run.shared_bytes = r.kernel.emitted.shared_bytes;
  run.time_ms = r.run.time_ms;
  for (const Tensor& t : r.tensors) run.tensors.push_back(gpu::record_tensor(t));
  return run;
}

std::string index_text(const std::vector<int64_t>& index) {
  std::string out;
  for (int64_t i : index) out += (out.empty() ? "" : ", ") + std::to_string(i);
  return "[" + out + "]";
}

std::string comparison_text(const gpu::TensorComparison& c) {
  if (c.equal()) return fmt::format("  {:<12} {} elements: equal, bit for bit\n", c.tensor, c.elements);
  if (c.first_a.empty())
    return fmt::format("  {:<12} {} elements: not those of the recorded run (see the note)\n", c.tensor, c.elements);
  std::string out = fmt::format(
      "  {:<12} {} of {} elements differ; the first at {}: simulator {}, GPU {}; at most {:.3g} apart ({:.3g} of the "
      "value)\n",
      c.tensor, c.differing, c.elements, index_text(c.first_index), c.first_a, c.first_b, c.max_abs, c.max_rel);
  out += "  " + std::string(12, ' ') + " distance in units of the last place:";
  for (int i = 0; i < gpu::kUlpBins; ++i)
    if (c.ulps[static_cast<size_t>(i)] > 0)
      out += fmt::format("  {}: {}", gpu::kUlpBinNames[i], c.ulps[static_cast<size_t>(i)]);
  return out + "\n";
}

std::string comparison_json(const gpu::TensorComparison& c) {
  std::string ulps;
  for (int i = 0; i < gpu::kUlpBins; ++i)
    ulps += fmt::format("{}\"{}\": {}", i > 0 ? ", " : "", gpu::kUlpBinNames[i], c.ulps[static_cast<size_t>(i)]);
  std::string out = fmt::format(
      "{{\"tensor\": {}, \"elements\": {}, \"equal\": {}, \"differing\": {}, \"max_abs\": {:.9g}, \"max_rel\": {:.9g}, "
      "\"ulps\": {{{}}}",
      json_string(c.tensor), c.elements, c.equal(), c.differing, c.max_abs, c.max_rel, ulps);
  if (!c.first_a.empty())
    out += fmt::format(", \"first\": {{\"index\": {}, \"simulator\": {}, \"gpu\": {}}}", index_text(c.first_index),
                       json_string(c.first_a), json_string(c.first_b));
  return out + "}";
}

bool depends_on_order(const RunTrace& trace) {
  for (const std::string& n : trace.notes)
    if (n.find("depends on order") != std::string::npos) return true;
  return false;
}

/// What the simulator says that ncu should count.
struct Prediction {
  uint64_t load_requests = 0, load_sectors = 0, store_requests = 0, store_sectors = 0;
};

std::optional<Prediction> predict(const LaunchSpec& spec) {
  auto launch = prepare_launch(spec);
  if (!launch) return std::nullopt;
  RunOptions options;
  options.record = RecordLevel::Counters;
  const RunTrace trace = execute(*launch, options);
  Prediction p;
  for (const TensorReport& t : trace.tensors) {
    p.load_requests += t.loads.requests;
    p.load_sectors += t.loads.sectors;
    p.store_requests += t.stores.requests;
    p.store_sectors += t.stores.sectors;
  }
  return p;
}

struct Counted {
  gpu::HardwareCounters hardware;
  Prediction predicted;
};

std::string counters_text(const Counted& c) {
  const gpu::HardwareCounters& h = c.hardware;
  const auto row = [](const char* what, uint64_t counted, uint64_t predicted) {
    return fmt::format("  {:<24} {:>12} {:>12}\n", what, counted, predicted);
  };
  std::string out = fmt::format("  {:<24} {:>12} {:>12}\n", "counters", "hardware", "simulator");
  out += row("load requests", h.load_requests, c.predicted.load_requests);
  out += row("load sectors", h.load_sectors, c.predicted.load_sectors);
  out += row("store requests", h.store_requests, c.predicted.store_requests);
  out += row("store sectors", h.store_sectors, c.predicted.store_sectors);
  // The counter has hits of other traffic too; in launches of a few sectors these outweigh the kernel's own.
  const std::string hit_rate = h.l2_hit_rate <= 100 ? fmt::format("L2 hit rate {:.1f}%", h.l2_hit_rate)
                                                    : "L2 hit rate not meaningful (the counter has other traffic too)";
  return out + fmt::format("  DRAM: {} bytes read, {} written; {}; {} registers a thread (ncu {}, caches cold)\n",
                           h.dram_bytes_read, h.dram_bytes_written, hit_rate, h.registers, h.ncu);
}

std::string counters_json(const Counted& c) {
  const gpu::HardwareCounters& h = c.hardware;
  const Prediction& p = c.predicted;
  const auto side = [](uint64_t load_requests, uint64_t load_sectors, uint64_t store_requests, uint64_t store_sectors) {
    return fmt::format("\"load_requests\": {}, \"load_sectors\": {}, \"store_requests\": {}, \"store_sectors\": {}",
                       load_requests, load_sectors, store_requests, store_sectors);
  };
  return fmt::format(
      "{{\"ncu\": {}, \"hardware\": {{{}, \"dram_bytes_read\": {}, \"dram_bytes_written\": {}, "
      "\"l2_hit_rate\": {:.6g}, \"registers\": {}}}, \"simulator\": {{{}}}}}",
      json_string(h.ncu), side(h.load_requests, h.load_sectors, h.store_requests, h.store_sectors), h.dram_bytes_read,
      h.dram_bytes_written, h.l2_hit_rate, h.registers,
      side(p.load_requests, p.load_sectors, p.store_requests, p.store_sectors));
}

/// The same launch once more, under ncu. Notes why there are no counters.
std::optional<gpu::HardwareCounters> count(const Command& c, const std::string& symbol,
                                           std::vector<std::string>& notes) {
  const auto ncu = gpu::find_ncu();
  if (!ncu) {
    notes.push_back("no hardware counters are kept: there is no ncu in PATH");
    return std::nullopt;
  }
  std::error_code error;
  std::vector<std::string> command = {
      std::filesystem::read_symlink("/proc/self/exe", error).string(), "run", c.target, "--backend", "gpu", "--quiet"};
  const auto option = [&](const char* name, const std::string& value) { command.insert(command.end(), {name, value}); };
  if (c.kernel) option("--kernel", *c.kernel);
  if (c.grid) option("--grid", *c.grid);
  for (const std::string& a : c.args) option("--arg", a);
  if (c.config) option("--config", std::to_string(*c.config));
  if (c.num_warps) option("--num-warps", std::to_string(*c.num_warps));
  if (c.num_stages) option("--num-stages", std::to_string(*c.num_stages));
  auto counters = gpu::count_on_hardware(*ncu, command, symbol);
  if (counters) return *counters;
  notes.push_back("no hardware counters are kept: " + counters.errors().front().message);
  return std::nullopt;
}

/// What a comparison found: shared by a run on this machine's GPU and a recorded one.
struct Verdict {
  std::string kernel, device, source;  ///< source: "this machine" or the recording
  double sim_ms = 0, gpu_ms = 0;
  std::optional<Counted> counted;
  std::vector<gpu::TensorComparison> tensors;
  std::vector<std::string> notes;
};

int report(const Command& c, const Verdict& v, std::ostream& out) {
  bool equal = true;
  for (const auto& t : v.tensors) equal = equal && t.equal();
  if (c.json) {
    std::string tensors, notes;
    for (const auto& t : v.tensors) tensors += (tensors.empty() ? "" : ", ") + comparison_json(t);
    for (const auto& n : v.notes) notes += (notes.empty() ? "" : ", ") + json_string(n);
    out << fmt::format(
        "{{\"kernel\": {}, \"device\": {}, \"from\": {}, \"equal\": {}, \"simulator_ms\": {:.6g}, \"gpu_ms\": {:.6g}, "
        "\"tensors\": [{}]{}, \"notes\": [{}]}}\n",
        json_string(v.kernel), json_string(v.device), json_string(v.source), equal, v.sim_ms, v.gpu_ms, tensors,
        v.counted ? ", \"counters\": " + counters_json(*v.counted) : "", notes);
  } else if (!c.quiet || !equal) {
    out << fmt::format("{}: simulator against {} ({})\n", v.kernel, v.device, v.source);
    for (const auto& t : v.tensors) out << comparison_text(t);
    out << fmt::format("  time: simulator {:.3f} ms, GPU {:.4f} ms\n", v.sim_ms, v.gpu_ms);
    if (v.counted) out << counters_text(*v.counted);
    for (const std::string& n : v.notes) out << "  note: " << n << "\n";
  }
  return equal ? kFine : kDifferent;
}

/// The hints of the driver's errors are for `--backend gpu`, which `compare` has not.
std::vector<Diagnostic> without_hints(std::vector<Diagnostic> errors) {
  for (Diagnostic& e : errors) e.hint.clear();
  return errors;
}

int compare_with_recording(const Command& c, Launch& launch, const RunTrace& trace, const std::vector<Diagnostic>& why,
                           std::ostream& out, std::ostream& err) {
  const std::string path = launch.spec.path.empty() ? "" : gpu::recording_path(launch.spec.path);
  if (path.empty() || !std::filesystem::exists(path)) {
    std::vector<Diagnostic> errors = without_hints(why);
    errors.push_back(
        plain_error("there is no recorded GPU run to compare with" + (path.empty() ? std::string() : " (" + path + ")"),
                    "`tilescope compare --record` on a machine with a GPU makes one"));
    return refuse(c, errors, kNoGpu, out, err);
  }
  auto run = gpu::load_recording(path);
  if (!run) return refuse(c, run.errors(), kUsage, out, err);
  bool same_code = false;
  for (bool wgmma : {false, true}) {
    gpu::EmitOptions options;
    options.wgmma = wgmma;
    auto emitted = gpu::emit_cuda(launch.kernel.function, options);
    same_code = same_code || (emitted && gpu::hash_text(emitted->text) == run->kernel_hash);
  }
  Verdict v;
  v.kernel = launch.kernel.function.name;
  v.device = run->device;
  v.source = "recorded on " + run->date;
  v.sim_ms = trace.time_ms;
  v.gpu_ms = run->time_ms;
  v.notes.push_back("there is no GPU here: compared with the recorded run " + path);
  if (!same_code)
    v.notes.push_back("the kernel's GPU code is not that of the recording: record it again to compare times");
  for (const Tensor& t : launch.tensors)  // else what is left out would count as equal
    if (std::none_of(run->tensors.begin(), run->tensors.end(), [&](const auto& r) { return r.name == t.name; }))
      return refuse(c, {plain_error(path + ": the launch's tensor " + t.name + " is not in it", "record it again")}, kUsage, out, err);
  for (const gpu::RecordedTensor& r : run->tensors) {
    const Tensor* t = launch.find_tensor(r.name);
    if (t == nullptr)
      return refuse(c,
                    {plain_error(path + ": it has a tensor " + r.name + " that the launch has not", "record it again")},
                    kUsage, out, err);
    gpu::TensorComparison d;
    d.tensor = r.name;
    d.elements = t->elements();
    if (const std::string difference = gpu::recording_difference(r, *t); !difference.empty()) {
      d.differing = 1;  // at least: the recording keeps a hash and samples
      v.notes.push_back(r.name + ": " + difference);
    }
    if (d.equal()) d.ulps[0] = d.elements;
    v.tensors.push_back(std::move(d));
  }
  if (run->counters && trace.faults.empty())
    if (const auto predicted = predict(launch.spec)) v.counted = Counted{*run->counters, *predicted};
  return report(c, v, out);
}

/// The GPU's part of `run` and `check`.
int launch_and_report(const Command& c, Launch& launch, std::vector<Tensor> fresh, const std::vector<Tensor>& before,
                      std::ostream& out, std::ostream& err) {
  auto device = gpu::Device::open();
  if (!device) return refuse(c, device.errors(), kNoGpu, out, err);
  auto result = launch_on(*device, launch, std::move(fresh));
  if (!result) return refuse(c, result.errors(), kUsage, out, err);
  if (!result->run.fault.empty()) return tell_fault(c, result->run.fault, out, err);
  for (size_t i = 0; i < launch.tensors.size(); ++i) std::swap(launch.tensors[i].storage, result->tensors[i].storage);
  const bool check = c.verb == Command::Verb::Check;
  std::vector<OutputCheck> outputs;
  if (check) {
    auto checked = check_outputs(launch, before);
    if (!checked) return refuse(c, checked.errors(), kUsage, out, err);
    outputs = std::move(*checked);
  }
  for (const std::string& save : c.saves) {
    const size_t equals = save.find('=');
    if (auto problem = save_npy(save.substr(equals + 1), *launch.find_tensor(save.substr(0, equals))))
      return refuse(c, {*problem}, kUsage, out, err);
  }
  const auto& k = *result;
  bool equal = true;
  for (const OutputCheck& o : outputs) equal = equal && o.equal;
  if (c.json) {
    std::string checks;
    for (const OutputCheck& o : outputs)
      checks += fmt::format("{}{}: {{\"equal\": {}, \"max_abs\": {:.9g}, \"max_rel\": {:.9g}}}",
                            checks.empty() ? "" : ", ", json_string(o.tensor), o.equal, o.max_abs, o.max_rel);
    out << fmt::format(
        "{{\"kernel\": {}, \"grid\": [{}, {}, {}], \"programs\": {}, \"num_warps\": {}, \"backend\": \"gpu\", "
        "\"device\": {}, \"time_ms\": {:.6g}, \"registers\": {}, "
        "\"spilled_bytes\": {}, \"shared_bytes\": {}, \"outputs\": {{{}}}}}\n",
        json_string(launch.kernel.function.name), launch.grid[0], launch.grid[1], launch.grid[2],
        launch.grid[0] * launch.grid[1] * launch.grid[2], launch.kernel.function.num_warps, json_string(k.device.name),
        k.run.time_ms, k.kernel.cubin.registers, k.kernel.cubin.spill_bytes, k.kernel.emitted.shared_bytes, checks);
  } else if (!c.quiet) {
    out << fmt::format(
        "{} on {}: {} programs of {} warps, {:.4f} ms\n  {} registers a thread, {} bytes spilled, {} bytes of shared "
        "memory\n",
        launch.kernel.function.name, k.device.name, launch.grid[0] * launch.grid[1] * launch.grid[2],
        launch.kernel.function.num_warps, k.run.time_ms, k.kernel.cubin.registers, k.kernel.cubin.spill_bytes,
        k.kernel.emitted.shared_bytes);
    if (check) out << outputs_text(outputs);
  }
  for (const std::string& note : k.kernel.emitted.notes) err << "note: " << note << "\n";
  if (!k.run.failed_assert.empty()) {
    err << "error: " << k.run.failed_assert << "\n";
    return kFault;
  }
  return equal ? kFine : kDifferent;
}

/// The GPU's part of `compare`.
int compare_on_gpu(const Command& c, const LaunchSpec& spec, Launch& launch, const RunTrace& trace,
                   std::vector<Tensor> fresh, std::ostream& out, std::ostream& err) {
  auto device = gpu::Device::open();
  if (!device) {
    if (c.record_run) {
      std::vector<Diagnostic> errors = without_hints(device.errors());
      errors.back().hint = "--record keeps a GPU's run: call it on a machine with a GPU";
      return refuse(c, errors, kNoGpu, out, err);
    }
    return compare_with_recording(c, launch, trace, device.errors(), out, err);
  }
  auto result = launch_on(*device, launch, std::move(fresh));
  if (!result) return refuse(c, result.errors(), kUsage, out, err);
  if (!result->run.fault.empty()) return tell_fault(c, result->run.fault, out, err);
  Verdict v;
  v.kernel = launch.kernel.function.name;
  v.device = result->device.name;
  v.source = "on this machine";
  v.sim_ms = trace.time_ms;
  v.gpu_ms = result->run.time_ms;
  v.notes = result->kernel.emitted.notes;
  if (depends_on_order(trace))
    v.notes.push_back("the result depends on the order of programs: equal bits are not promised");
  if (result->device.major != 9)
    v.notes.push_back("parity unverified: the tensor-core model is measured on compute capability 9.0 only");
  if (!result->run.failed_assert.empty()) v.notes.push_back(result->run.failed_assert);
  for (size_t i = 0; i < result->tensors.size(); ++i)
    v.tensors.push_back(gpu::compare_tensors(launch.tensors[i], result->tensors[i]));
  if (c.record_run) {
    const std::string path = gpu::recording_path(spec.path);
    gpu::RecordedRun run = recording_of(launch, *result);
    if (trace.faults.empty()) run.counters = count(c, result->kernel.emitted.symbol, v.notes);
    if (run.counters)
      if (const auto predicted = predict(spec)) v.counted = Counted{*run.counters, *predicted};
    if (auto problem = gpu::save_recording(path, run)) return refuse(c, {*problem}, kUsage, out, err);
    v.notes.push_back("the GPU's run is kept in " + path);
  }
  return report(c, v, out);
}

}  // namespace

int print_cuda(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err) {
  auto kernel = compile_launch(spec);
  if (!kernel) return refuse(c, kernel.errors(), kUsage, out, err);
  gpu::EmitOptions options;
  options.wgmma = gpu::has_wgmma(c.architecture);
  auto emitted = gpu::emit_cuda(kernel->function, options);
  if (!emitted) return refuse(c, emitted.errors(), kUsage, out, err);
  out << emitted->text;
  if (!c.architecture.empty()) {
    auto cubin = gpu::compile_cubin(*emitted, c.architecture);
    if (!cubin) return refuse(c, cubin.errors(), kUsage, out, err);
    err << fmt::format("{}: {} registers a thread, {} bytes spilled, {} bytes of shared memory\n", c.architecture,
                       cubin->registers, cubin->spill_bytes, emitted->shared_bytes);
  }
  for (const std::string& note : emitted->notes) err << "note: " << note << "\n";
  return kFine;
}

int run_on_gpu(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err) {
  // A process that has used the driver cannot have a child that does: with --force the GPU is looked for later.
  if (!c.force)
    if (auto devices = gpu::list_devices(); !devices) return refuse(c, devices.errors(), kNoGpu, out, err);
  auto launch = prepare_launch(spec);
  if (!launch) return refuse(c, launch.errors(), kUsage, out, err);
  const bool check = c.verb == Command::Verb::Check;
  if (check)
    if (auto problem = find_output_problem(*launch)) return refuse(c, {*problem}, kUsage, out, err);
  const std::vector<Tensor> before = check ? copy_reference_inputs(*launch) : std::vector<Tensor>{};
  const std::vector<Tensor> fresh = launch->tensors;
  const RunTrace trace = simulate(*launch);
  if (auto status = guard(c, trace, err)) return *status;
  const auto work = [&](std::ostream& o, std::ostream& e) {
    return launch_and_report(c, *launch, fresh, before, o, e);
  };
  return trace.faults.empty() ? work(out, err) : past_a_fault(launch->kernel.function.name, work, out, err);
}

int compare_backends(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err) {
  auto launch = prepare_launch(spec);
  if (!launch) return refuse(c, launch.errors(), kUsage, out, err);
  if (c.record_run && spec.path.empty())
    return refuse(c, {plain_error("--record needs a launch file: the run is kept beside it")}, kUsage, out, err);
  const std::vector<Tensor> fresh = launch->tensors;
  const RunTrace trace = simulate(*launch);
  if (auto status = guard(c, trace, err)) return *status;
  const auto work = [&](std::ostream& o, std::ostream& e) {
    return compare_on_gpu(c, spec, *launch, trace, fresh, o, e);
  };
  return trace.faults.empty() ? work(out, err) : past_a_fault(launch->kernel.function.name, work, out, err);
}

}  // namespace tilescope::terminal
