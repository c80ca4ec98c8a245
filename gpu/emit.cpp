#include "gpu/emit.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/print.h"
#include "gpu/emitter.h"

namespace tilescope::gpu {
namespace {

/// Tiles with more registers a thread than this are walked by a real loop: they do not fit the register file anyway.
constexpr int kMostUnrolled = 256;
/// Beyond this a thread's local memory does not hold the tiles of a kernel.
constexpr int kMostRegisters = 2048;

}  // namespace

// ---- text ----

void Emitter::line(const std::string& text) {
  text_ += std::string(static_cast<size_t>(2 * indent_), ' ') + text + "\n";
}
void Emitter::open(const std::string& text) {
  line(text);
  ++indent_;
}
void Emitter::close(const std::string& text) {
  --indent_;
  line(text);
}

void Emitter::each(int registers, const std::function<std::string(const std::string&)>& body) {
  if (registers == 1) return line(body("0"));
  line(fmt::format("{}(r, {}) {}", registers > kMostUnrolled ? "each_rolled" : "each", registers, body("r")));
}

std::string Emitter::unique(const std::string& wanted) {
  const std::string base = identifier(wanted);
  std::string name = base;
  for (int i = 2; !used_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
  return name;
}

void Emitter::refuse(const Op& op, const std::string& why, const std::string& hint) {
  Diagnostic d;
  d.message = why;
  d.hint = hint;
  if (op.loc != nullptr) {
    d.range = op.loc->range;
    d.calls = op.loc->calls;
  }
  throw Refused{d};
}

void Emitter::source_comment(const Op& op) {
  if (op.loc == nullptr) return;
  SourceRange range = op.loc->statement.valid() ? op.loc->statement : op.loc->range;
  // Inside a helper: the line of the kernel that called it.
  for (auto frame = op.loc->calls; frame != nullptr; frame = frame->outer) range = frame->call;
  if (!range.valid() || range.file != f_.source || range.line == commented_line_) return;
  commented_line_ = range.line;
  std::string text(range.file->line(range.line));
  text.erase(0, text.find_first_not_of(" \t"));
  while (!text.empty() && (text.back() == '\\' || text.back() == ' ' || text.back() == '\r')) text.pop_back();
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  line(fmt::format("// {} | {}", range.line, text));
}

// ---- values ----

std::string Emitter::variable_name(ValueId v) {
  return unique(names_[v].empty() || (names_[v][0] >= '0' && names_[v][0] <= '9') ? "v" + names_[v] : names_[v]);
}

void Emitter::define(ValueId v, const std::string& value) {
  const std::string name = variable_name(v);
  places_[{v, kScalar}] = name;
  line(fmt::format("const {} {} = {};", c_type(type(v)), name, value));
}

std::string Emitter::declare(ValueId v, int id) {
  if (id >= 0 && layout(id).registers() > kMostRegisters)
    refuse(*current_,
           fmt::format("a tile of shape {} puts {} values into each of {} threads; the GPU backend takes {} at most",
                       to_string(type(v).shape), layout(id).registers(), out_.threads, kMostRegisters),
           "use smaller tiles, or more warps");
  const std::string name = variable_name(v);
  places_[{v, id}] = name;
  line(fmt::format("{} {}{};", c_type(type(v)), name, id < 0 ? "" : fmt::format("[{}]", layout(id).registers())));
  return name;
}

std::string Emitter::declared(ValueId v, int id) const {
  const auto at = places_.find({v, id});
  if (at == places_.end()) internal_error("the CUDA emitter lost value " + names_[v] + " of kernel " + f_.name);
  return at->second;
}

std::string Emitter::scalar(ValueId v) const { return declared(v, kScalar); }

std::string Emitter::at(ValueId v, int id, const std::string& reg) const {
  if (home(v) == kScalar || home(v) == kUniform) return scalar(v);
  return declared(v, id) + "[" + reg + "]";
}

int Emitter::any_layout(ValueId v) const {
  if (home(v) == kFlexible) return a_.wanted[v].at(0);
  return home(v);
}

std::string Emitter::element(const TileLayout& l, const std::string& reg, const std::function<int64_t(int64_t)>& map) {
  // A flipped bit counts where it is 0.
  const auto weights = [&](const std::vector<int64_t>& bits) {
    std::vector<int64_t> out;
    for (int64_t b : bits) out.push_back(b == 0 ? 0 : (l.flip & b) != 0 ? -map(b) : map(b));
    return out;
  };
  int64_t start = 0;
  for (int64_t rest = l.flip; rest != 0; rest &= rest - 1) start += map(rest & -rest);
  std::string thread;
  const auto add = [](std::string& sum, const std::string& part) {
    if (part != "0") sum += (sum.empty() ? "" : " + ") + part;
  };
  if (start != 0) add(thread, std::to_string(start));
  add(thread, weighted_bits("lane", weights(l.lane_bits)));
  if (f_.num_warps > 1) add(thread, weighted_bits("warp", weights(l.warp_bits)));
  std::string sum;
  if (!thread.empty()) sum = thread_part(thread);
  add(sum, weighted_bits(reg, weights(l.register_bits)));
  return sum.empty() ? "0" : sum;
}

std::string Emitter::thread_part(const std::string& expression) {
  auto known = thread_parts_.find(expression);
  if (known == thread_parts_.end()) {
    known = thread_parts_.emplace(expression, unique("t" + std::to_string(thread_parts_.size()))).first;
    thread_lines_ += fmt::format("  const int {} = {};\n", known->second, expression);
  }
  return known->second;
}

std::string Emitter::element(int id, const std::string& reg) {
  return element(layout(id), reg, [](int64_t b) { return b; });
}

std::string Emitter::first_copy(const TileLayout& l) const {
  std::string out;
  if (l.copy_lanes() == 31)
    out = "lane == 0";
  else if (l.copy_lanes() != 0)
    out = fmt::format("(lane & {}) == 0", l.copy_lanes());
  const int warps = l.copy_warps() & (f_.num_warps - 1);
  if (warps != 0)
    out += (out.empty() ? "" : " && ") +
           (warps == f_.num_warps - 1 ? "warp == 0" : fmt::format("(warp & {}) == 0", warps));
  return out;
}

// ---- the kernel ----

void Emitter::block(const Block& b) {
  for (const auto& o : b.ops) op(*o);
}

void Emitter::op(const Op& o) {
  current_ = &o;
  source_comment(o);
  switch (o.info().group) {
    case OpGroup::Elementwise:
      return emit_elementwise(o);
    case OpGroup::Shape:
      return emit_shape(o);
    case OpGroup::Collective:
      if (is_tile(o.results[0]) && !a_.is_wanted(o.results[0]) && (o.results.size() < 2 || !a_.is_wanted(o.results[1])))
        return;
      if (o.code == OpCode::Reduce) return emit_reduce(o);
      if (o.code == OpCode::Scan) return emit_scan(o);
      if (o.code == OpCode::Dot) return emit_dot(o);
      if (o.code == OpCode::Histogram) return emit_histogram(o);
      return emit_sort(o);
    case OpGroup::Memory:
      return emit_memory(o);
    case OpGroup::Program: {
      const int64_t axis = o.int_attr("axis");
      if (axis < 0 || axis > 2) refuse(o, "a grid has axes 0, 1 and 2");
      const char letter = static_cast<char>('x' + axis);
      std::string value = o.code == OpCode::ProgramId ? fmt::format("(int)blockIdx.{}", letter)
                                                      : fmt::format("(int)gridDim.{}", letter);
      if (options_.linear_grid && o.code == OpCode::NumPrograms) value = fmt::format("grid{}", axis);
      if (options_.linear_grid && o.code == OpCode::ProgramId)
        value = axis == 0   ? "(int)(blockIdx.x % grid0)"
                : axis == 1 ? "(int)(blockIdx.x / grid0 % grid1)"
                            : "(int)(blockIdx.x / grid0 / grid1)";
      return define(o.results[0], value);
    }
    case OpGroup::Control:
      if (o.code == OpCode::For) return emit_for(o);
      if (o.code == OpCode::While) return emit_while(o);
      if (o.code == OpCode::If) return emit_if(o);
      if (o.code == OpCode::Return) return;  // the last op of the kernel
      return;                                // yield and condition belong to the op around them
    case OpGroup::Debug:
      return emit_debug(o);
  }
}

std::string Emitter::parameters() {
  std::string out;
  for (size_t i = 0; i < f_.params.size(); ++i) {
    const auto v = static_cast<ValueId>(i);
    const std::string name = unique(f_.params[i].name);
    places_[{v, kScalar}] = name;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", c_type(f_.params[i].type), name);
  }
  if (options_.linear_grid) out += std::string(out.empty() ? "" : ", ") + "int grid0, int grid1, int grid2";
  if (out_.has_asserts) out += std::string(out.empty() ? "" : ", ") + "ts::uint32_t* assert_record";
  return out;
}

Emitter::Emitter(const Function& f, const EmitOptions& options)
    : f_(f),
      options_(options),
      axes_(f),
      a_(assign_layouts(f, axes_, options.wgmma)),
      hazards_(f),
      names_(value_names(f)) {
  pipelines_ = find_pipelines(f, a_, axes_, hazards_);
  used_ = reserved_names();
}

Expected<EmittedKernel> Emitter::run() {
  try {
    out_.symbol = unique(f_.name);
    out_.threads = 32 * f_.num_warps;
    out_.linear_grid = options_.linear_grid;
    walk(f_.body, [&](const Op& o) { out_.has_asserts = out_.has_asserts || o.code == OpCode::Assert; });
    const std::string signature = parameters();
    block(f_.body);
    std::string head = fmt::format("// {}: one block of {} threads ({} warps) runs one program.\n", f_.name,
                                   out_.threads, f_.num_warps);
    for (const auto& [name, value] : f_.constexprs) {
      std::string shown = value;
      for (char& c : shown)
        if (static_cast<unsigned char>(c) < ' ' || c == '\\') c = ' ';
      head += fmt::format("// {} = {}\n", name, shown);
    }
    head += "#include \"gpu/device/dot.h\"\n#include \"gpu/device/memory.h\"\n\n";
    head += fmt::format("extern \"C\" __global__ void __launch_bounds__({})\n{}({}) {{\n", out_.threads, out_.symbol,
                        signature);
    if (f_.num_warps > 1)
      head += "  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n";
    else
      head += "  const int lane = threadIdx.x;\n";
    out_.shared_bytes = shared_bytes();
    if (out_.shared_bytes > 0)
      head += fmt::format("  extern __shared__ __align__({}) unsigned char shared[];\n",
                          std::max<int64_t>(128, line_bytes()));
    if (buffer_bytes_[0] > 0) head += "  unsigned char* const buffer0 = shared;\n";
    if (buffer_bytes_[1] > 0) head += fmt::format("  unsigned char* const buffer1 = shared + {};\n", buffer_bytes_[0]);
    if (pipeline_bytes_ > 0) head += fmt::format("  unsigned char* const ahead = shared + {};\n", stages_offset());
    out_.text = head + thread_lines_ + text_ + "}\n";
    return std::move(out_);
  } catch (const Refused& r) {
    return r.why;
  }
}

Expected<EmittedKernel> emit_cuda(const Function& f, const EmitOptions& options) { return Emitter(f, options).run(); }

}  // namespace tilescope::gpu
