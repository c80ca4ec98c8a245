// Loops with loads that run ahead (gpu/pipeline.h): as many stages in shared memory as num_stages says, or as fit.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/emitter.h"

namespace tilescope::gpu {
namespace {

/// Left for exchanges of the same kernel: the accumulator's way to its store, mostly.
constexpr int64_t kKeptForExchange = 66 * 1024;

}  // namespace

/// One load's tile on its way to shared memory.
void Emitter::copy_ahead(const Op& load, const std::string& to, const DotStage::Matrix& m) {
  const AccessLayout& access = a_.access.at(&load);
  const int id = home(load.results[0]), registers = layout(id).registers(),
            width = std::min(access.vector_width, registers);
  const std::string once = first_copy(layout(id));
  const int bytes = width * access.elem_bytes;
  const std::string copy = m.swizzled && bytes == 16 ? "ts::copy_async_16" : fmt::format("ts::copy_async<{}>", bytes);
  each(registers / width, [&](const std::string& r) {
    const std::string first = width == 1 || r == "0" ? r : fmt::format("{} * {}", r, width);
    return fmt::format("{}{}({} + {}, {}{});", once.empty() ? "" : "if (" + once + ") ", copy, to,
                       staged_element(layout(id), first, m), at(load.operands[0], id, first),
                       load.operands.size() > 1 ? ", " + at(load.operands[1], id, first) : "");
  });
}

/// The body of `fetch`: addresses and masks of the iteration `k`, the copies, and the step to the next iteration.
void Emitter::emit_fetch(const Op& op, const Pipeline& p, const std::string& k,
                         const std::vector<std::string>& stages) {
  const Block& body = op.regions[0];
  const std::map<std::pair<ValueId, int>, std::string> places = places_;
  places_[{body.args[0], kScalar}] = k;
  for (size_t i : p.carried) {
    const ValueId arg = body.args[i + 1];
    const int l = home(arg);
    places_[{arg, l}] = ahead_names_.at(arg);
    convert_others(arg);
  }
  for (const Op* o : p.slice) this->op(*o);
  for (size_t d = 0; d < p.dots.size(); ++d) {
    const DotStage s = dot_stage(*p.dots[d]);
    copy_ahead(*p.loads[2 * d], stages[2 * d], s.a());
    copy_ahead(*p.loads[2 * d + 1], stages[2 * d + 1], s.b());
  }
  std::vector<ValueId> to, from;
  for (size_t i : p.carried) {
    to.push_back(body.args[i + 1]);
    from.push_back(body.ops.back()->operands[i]);
  }
  assign_all(to, from, 0);
  line(fmt::format("{} = ts::add({}, {});", k, k, scalar(op.operands[2])));
  places_ = places;
}

bool Emitter::emit_pipelined(const Op& op) {
  const auto found = pipelines_.find(&op);
  if (found == pipelines_.end() || f_.num_stages < 2 || inside_pipeline_ > 0) return false;
  const Pipeline& p = found->second;
  const Block& body = op.regions[0];
  int64_t stage_bytes = 0;
  for (const Op* d : p.dots) {
    const DotStage s = dot_stage(*d);
    stage_bytes += s.a_bytes + s.b_bytes;
  }
  const int64_t room = options_.shared_limit - kKeptForExchange;
  const int64_t stages = std::min<int64_t>(f_.num_stages, room / stage_bytes);
  if (stages < 2) return false;
  pipeline_bytes_ = std::max(pipeline_bytes_, stages * stage_bytes);

  for (size_t i = 0; i < op.results.size(); ++i) {
    const ValueId carried = body.args[i + 1], result = op.results[i];
    places_[{result, home(result)}] = declare(carried, home(carried));
    assign(carried, op.operands[i + 3]);
  }
  const std::string lower = scalar(op.operands[0]), upper = scalar(op.operands[1]), step = scalar(op.operands[2]);
  const ValueId index = body.args[0];
  const std::string k = declare(index, kScalar), t = c_type(type(index));
  line(fmt::format("{} = {};", k, lower));
  line(fmt::format("// the loads of this loop run {} iteration{} ahead of it, in {} stages of shared memory",
                   stages - 1, stages > 2 ? "s" : "", stages));
  const std::string n = unique("trips"), unread = unique("unread"), fill = unique("fill"), slot = unique("slot"),
                    fetch = unique("fetch"), k_ahead = unique(k + "_ahead");
  const std::string count = dtype_bits(type(index).elem) == 64 ? "ts::uint64_t" : "ts::uint32_t";
  line(fmt::format("{} {} = ({})ts::trip_count({}, {}, {}), {} = {};", count, n, count, lower, upper, step, unread, n));
  line(fmt::format("int {} = 0, {} = 0;  // bytes", fill, slot));
  line(fmt::format("{} {} = {};", t, k_ahead, lower));
  for (size_t i : p.carried) {
    const ValueId arg = body.args[i + 1];
    const int l = home(arg);
    const std::string name = unique(declared(arg, l) + "_ahead");
    ahead_names_[arg] = name;
    line(fmt::format("{} {}{};", c_type(type(arg)), name, l < 0 ? "" : fmt::format("[{}]", layout(l).registers())));
    if (l < 0)
      line(fmt::format("{} = {};", name, declared(arg, l)));
    else
      each(layout(l).registers(),
           [&](const std::string& r) { return fmt::format("{}[{}] = {}[{}];", name, r, declared(arg, l), r); });
  }

  const int comment = commented_line_;
  open(fmt::format("const auto {} = [&] {{", fetch));
  open(fmt::format("if ({} != 0) {{", unread));
  std::vector<std::string> stages_in_fetch;
  int64_t offset = 0;
  const auto declare_stages = [&](const std::string& which) {
    std::vector<std::string> names;
    offset = 0;
    for (const Op* d : p.dots) {
      const DotStage s = dot_stage(*d);
      for (int64_t bytes : {s.a_bytes, s.b_bytes}) {
        names.push_back(unique("stage"));
        line(fmt::format("{0}* const {1} = ({0}*)(ahead + {2} + {3});", s.element, names.back(), which, offset));
        offset += bytes;
      }
    }
    return names;
  };
  stages_in_fetch = declare_stages(fill);
  emit_fetch(op, p, k_ahead, stages_in_fetch);
  line(fmt::format("--{};", unread));
  close();
  line("ts::end_copies();");
  line(fmt::format("{0} = {0} == {1} ? 0 : {0} + {2};", fill, (stages - 1) * stage_bytes, stage_bytes));
  close("};");
  commented_line_ = comment;
  if (hazards_.state.read_buffers != 0) barrier();  // the stages may lie where exchanges were read
  for (int64_t i = 0; i + 1 < stages; ++i) line(fetch + "();");

  const Hazards::State left = hazards_.left_by(body);
  hazards_.state = hazards_.state | left;
  open(fmt::format("for (; {0} != 0; --{0}, {1} = ts::add({1}, {2})) {{", n, k, step));
  line(fmt::format("ts::wait_for_copies<{}>();", stages - 2));
  const auto wgmma = std::find_if(p.dots.begin(), p.dots.end(), [&](const Op* d) { return a_.wgmma.contains(d); });
  if (wgmma != p.dots.end()) line("ts::show_to_wgmma();");
  barrier();  // this stage is there, and the one before it has been read
  if (wgmma != p.dots.end())
    meanwhile_ = fetch + "();";
  else
    line(fetch + "();");
  const std::vector<std::string> names = declare_stages(slot);
  for (size_t d = 0; d < p.dots.size(); ++d) copied_[p.dots[d]] = {names[2 * d], names[2 * d + 1]};
  ahead_.insert(p.loads.begin(), p.loads.end());
  ++inside_pipeline_;
  for (size_t i = 1; i < body.args.size(); ++i) convert_others(body.args[i]);
  block(body);
  assign_all({body.args.begin() + 1, body.args.end()}, body.ops.back()->operands, 0);
  line(fmt::format("{0} = {0} == {1} ? 0 : {0} + {2};", slot, (stages - 1) * stage_bytes, stage_bytes));
  close();
  --inside_pipeline_;
  line("ts::wait_for_copies<0>();");
  barrier();  // the stages may be filled again
  for (ValueId r : op.results) convert_others(r);
  return true;
}

}  // namespace tilescope::gpu
