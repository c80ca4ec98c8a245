// Memory as it is when one program of a launch starts.
#include <algorithm>
#include <cstring>
#include <optional>

#include "core/passes.h"
#include "sim/record.h"
#include "sim/tensor_uses.h"

namespace tilescope {
namespace {

int64_t volume(const IndexBox& b) {
  if (b.empty()) return 0;
  int64_t n = 1;
  for (size_t d = 0; d < b.lo.size(); ++d) n *= b.hi[d] - b.lo[d];
  return n;
}

bool contains(const IndexBox& outer, const IndexBox& inner) {
  if (outer.empty()) return false;
  for (size_t d = 0; d < inner.lo.size(); ++d)
    if (inner.lo[d] < outer.lo[d] || inner.hi[d] > outer.hi[d]) return false;
  return true;
}

bool intersect(const IndexBox& a, const IndexBox& b) {
  if (a.empty() || b.empty()) return false;
  for (size_t d = 0; d < a.lo.size(); ++d)
    if (a.hi[d] <= b.lo[d] || b.hi[d] <= a.lo[d]) return false;
  return true;
}

void grow(IndexBox& box, const IndexBox& by) {
  if (by.empty()) return;
  if (box.empty()) {
    box = by;
    return;
  }
  for (size_t d = 0; d < box.lo.size(); ++d) {
    box.lo[d] = std::min(box.lo[d], by.lo[d]);
    box.hi[d] = std::max(box.hi[d], by.hi[d]);
  }
}

/// A finished run in which every program stored whole boxes of its own, and read nothing of another's.
class Separate {
 public:
  Separate(const Launch& launch, const std::vector<Tensor>& after, const RunTrace& totals)
      : launch_(launch), after_(after), totals_(totals) {}

  bool holds() const {
    const size_t tensors = launch_.tensors.size();
    for (const std::string& note : totals_.notes)
      if (note.starts_with("stopped after")) return false;
    if (!totals_.faults.empty() || after_.size() != tensors || totals_.tensors.size() != tensors ||
        totals_.element_counts.size() != tensors)
      return false;
    if (totals_.footprints.size() != static_cast<size_t>(totals_.programs) * tensors) return false;
    for (size_t t = 0; t < tensors; ++t)
      if (!is_separate(t)) return false;
    return true;
  }

  bool is_stored(size_t tensor) const { return totals_.tensors[tensor].stores.lanes_active > 0; }
  /// The tensor with the values that the first `programs` programs stored.
  Tensor after_programs(size_t tensor, int64_t programs) const {
    Tensor out = launch_.tensors[tensor];
    const Tensor& from = after_[tensor];
    for (int64_t p = 0; p < programs; ++p) copy_box(from, out, footprint(p, tensor).stored);
    return out;
  }

 private:
  const ProgramFootprint& footprint(int64_t program, size_t tensor) const {
    return totals_.footprints[static_cast<size_t>(program) * launch_.tensors.size() + tensor];
  }

  bool is_separate(size_t t) const {
    const TensorReport& report = totals_.tensors[t];
    if (report.atomics.times > 0) return false;
    if (!is_stored(t)) return true;
    const ElementCounts& counts = totals_.element_counts[t];
    if (counts.elements_per_count != 1) return false;
    int64_t stored = 0, boxes = 0;
    for (uint32_t n : counts.stores) {
      if (n > 1) return false;
      stored += n;
    }
    IndexBox all;
    const std::vector<int64_t>& shape = launch_.tensors[t].layout.shape;
    const IndexBox tensor{std::vector<int64_t>(shape.size(), 0), shape};
    for (int64_t p = 0; p < totals_.programs; ++p) {
      if (!contains(tensor, footprint(p, t).stored)) return false;
      boxes += volume(footprint(p, t).stored);
      grow(all, footprint(p, t).stored);
    }
    // No box holds an element that its program does not store, so none overlaps another.
    if (boxes != stored) return false;
    if (report.loads.lanes_active == 0) return true;
    for (int64_t p = 0; p < totals_.programs; ++p) {
      const ProgramFootprint& f = footprint(p, t);
      if (intersect(f.loaded, all) && !contains(f.stored, f.loaded)) return false;
    }
    return true;
  }

  static void copy_box(const Tensor& from, Tensor& to, const IndexBox& box) {
    if (box.empty()) return;
    const size_t last = box.lo.size() - 1;
    const auto bytes = static_cast<size_t>(dtype_bytes(to.dtype));
    const int64_t run = box.hi[last] - box.lo[last], step = to.layout.strides[last];
    std::vector<int64_t> at = box.lo;
    for (;;) {
      int64_t place = to.origin + to.layout.offset_of(at);
      if (step == 1)
        std::memcpy(to.element(place), from.element(place), bytes * static_cast<size_t>(run));
      else
        for (int64_t k = 0; k < run; ++k, place += step) std::memcpy(to.element(place), from.element(place), bytes);
      size_t axis = last;
      for (; axis > 0; --axis) {
        if (++at[axis - 1] < box.hi[axis - 1]) break;
        at[axis - 1] = box.lo[axis - 1];
      }
      if (axis == 0) return;
    }
  }

  const Launch& launch_;
  const std::vector<Tensor>& after_;
  const RunTrace& totals_;
};

bool run_programs(const Launch& launch, const TensorUses& uses, std::vector<Tensor>& tensors, int64_t programs,
                  const std::function<bool(int64_t, int64_t)>& progress) {
  Function fast = clone(launch.kernel.function);
  run_passes(fast, default_pipeline());
  std::vector<Argument> arguments = launch.arguments;
  for (Argument& a : arguments)
    if (a.tensor != nullptr) a.tensor = &tensors[static_cast<size_t>(a.tensor - launch.tensors.data())];
  RunOptions options;
  options.record = RecordLevel::None;
  options.first_programs = programs;
  options.threads = uses.any_is_loaded_and_stored() ? 1 : 0;
  bool stopped = false;
  options.progress = [&](int64_t done, int64_t total) {
    stopped = stopped || (progress && !progress(done, total));
    return !stopped;
  };
  run(fast, arguments, launch.grid, options);
  return !stopped;
}

}  // namespace

std::shared_ptr<const std::vector<Tensor>> tensors_before(
    const Launch& launch, ProgramIndex program, const std::vector<Tensor>* final_tensors, const RunTrace* totals,
    const std::function<bool(int64_t done, int64_t total)>& progress) {
  const int64_t number = program[0] + launch.grid[0] * (program[1] + launch.grid[1] * program[2]);
  const TensorUses uses(launch);
  auto out = std::make_shared<std::vector<Tensor>>();
  std::optional<Separate> separate;
  if (final_tensors != nullptr && totals != nullptr) separate.emplace(launch, *final_tensors, *totals);
  const bool known = number == 0 || (separate && separate->holds());
  for (size_t t = 0; t < launch.tensors.size(); ++t) {
    if (number == 0 || !uses.stores[t])
      out->push_back(launch.tensors[t].share());
    else if (known && separate->is_stored(t))
      out->push_back(separate->after_programs(t, number));
    else if (known)
      out->push_back(launch.tensors[t].share());
    else
      out->push_back(launch.tensors[t]);
  }
  if (!known && !run_programs(launch, uses, *out, number, progress)) return nullptr;
  return out;
}

}  // namespace tilescope
