#include "sim/order_check.h"

#include <algorithm>
#include <cstring>

#include "sim/race_check.h"
#include "sim/tensor_uses.h"
#include "sim/words.h"

namespace tilescope {
namespace {

/// `at`: a storage index where the two differ.
Fault order_fault(const Tensor& a, const Tensor& b, int64_t at, SimWords order) {
  Fault f;
  f.kind = FaultKind::OrderDependence;
  f.tensor = a.name;
  f.offset = at - a.origin;
  f.size = a.elements();
  f.element = a.layout.index_of(f.offset).value_or(std::vector<int64_t>{});
  f.message = remember(say(SimWords::OrderMatters, {{"tensor", a.name}, {"element", element_or_offset(f.element, f.offset)}, {"order", say(order)},
                                                    {"a", format_element(a.dtype, a.element(at))}, {"b", format_element(b.dtype, b.element(at))}}));
  f.hint = remember(say(SimWords::OrderMattersHint));
  return f;
}

}  // namespace

bool depends_on_order(const RunTrace& trace) {
  return std::any_of(trace.notes.begin(), trace.notes.end(),
                     [](const std::string& n) { return n.find("depends on order") != std::string::npos; });
}

bool order_cannot_matter(const Launch& launch, const RunTrace& trace, const Checkers& check) {
  if (!check.races || !trace.faults.empty()) return false;
  for (const std::string& note : trace.notes)
    if (note.find(kRacesInPart) != std::string::npos || note.find("stopped after") != std::string::npos) return false;
  bool atomic = false;
  walk(launch.kernel.function.body, [&](const Op& op) { atomic = atomic || op.code == OpCode::AtomicRmw || op.code == OpCode::AtomicCas; });
  return !atomic;
}

namespace {

/// Tensors of the launch as before its run: those that it may store to made again, the others shared.
Expected<std::vector<Tensor>> fresh_tensors(const Launch& done) {
  const TensorUses uses(done);
  LaunchSpec changed = done.spec;
  std::erase_if(changed.args, [&](const LaunchArg& a) {
    for (size_t t = 0; t < done.tensors.size(); ++t)
      if (done.tensors[t].name == a.name) return !uses.stores[t];
    return true;
  });
  Expected<std::vector<Tensor>> made = make_tensors(changed);
  if (!made) return made.errors();
  std::vector<Tensor> out;
  for (const Tensor& t : done.tensors) {
    auto again = std::find_if(made->begin(), made->end(), [&](const Tensor& m) { return m.name == t.name; });
    out.push_back(again != made->end() ? std::move(*again) : t.share());
  }
  return out;
}

}  // namespace

std::optional<Diagnostic> find_order_dependence(const Launch& done, RunOptions options, std::vector<Fault>& faults) {
  options.record = RecordLevel::None;
  options.maps = false;
  options.check = Checkers{};
  bool stopped = false;
  if (options.progress)
    options.progress = [&stopped, ask = std::move(options.progress)](int64_t finished, int64_t total) {
      stopped |= !ask(finished, total);
      return !stopped;
    };
  const ProgramOrder original = options.order;
  const ProgramOrder first = original == ProgramOrder::Reverse ? ProgramOrder::RowMajor : ProgramOrder::Reverse;
  std::vector<bool> reported(done.tensors.size(), false);
  for (const ProgramOrder order : {first, ProgramOrder::Shuffled}) {
    auto tensors = fresh_tensors(done);
    if (!tensors) return tensors.errors()[0];
    if (order == ProgramOrder::Shuffled) options.shuffle_seed += original == ProgramOrder::Shuffled ? 1 : 0;
    options.order = order;
    std::vector<Argument> arguments = done.arguments;
    for (Argument& a : arguments)
      if (a.tensor != nullptr) a.tensor = &(*tensors)[static_cast<size_t>(a.tensor - done.tensors.data())];
    run(done.kernel.function, arguments, done.grid, options);
    if (stopped) return std::nullopt;
    for (size_t i = 0; i < tensors->size(); ++i) {
      const Tensor &a = done.tensors[i], &b = (*tensors)[i];
      if (reported[i] || a.storage.data() == b.storage.data() || std::memcmp(a.storage.data(), b.storage.data(), a.storage.size()) == 0) continue;
      const int64_t size = dtype_bytes(a.dtype);
      int64_t at = 0;
      while (std::memcmp(a.element(at), b.element(at), static_cast<size_t>(size)) == 0) ++at;
      faults.push_back(order_fault(a, b, at, order == ProgramOrder::Shuffled ? SimWords::Shuffled : order == first && first == ProgramOrder::Reverse ? SimWords::Reversed : SimWords::RowMajor));
      reported[i] = true;
    }
  }
  return std::nullopt;
}

}  // namespace tilescope
