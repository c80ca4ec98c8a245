#include "sim/order_check.h"

#include <algorithm>
#include <cstring>

namespace tilescope {
namespace {

/// `at`: a storage index where the two differ.
Fault order_fault(const Tensor& a, const Tensor& b, int64_t at) {
  Fault f;
  f.kind = FaultKind::OrderDependence;
  f.tensor = a.name;
  f.offset = at - a.origin;
  f.size = a.elements();
  f.element = a.layout.index_of(f.offset).value_or(std::vector<int64_t>{});
  f.message = "tensor `" + a.name + "` depends on the order in which programs run: " +
              (f.element.empty() ? "offset " + std::to_string(f.offset) : index_in_words(f.element)) + " is " +
              format_element(a.dtype, a.element(at)) + " in one order and " + format_element(b.dtype, b.element(at)) +
              " in the reverse order";
  f.hint =
      "two programs write this element, or one reads what another writes; give each element one owner, or use "
      "an atomic";
  return f;
}

}  // namespace

bool depends_on_order(const RunTrace& trace) {
  return std::any_of(trace.notes.begin(), trace.notes.end(),
                     [](const std::string& n) { return n.find("depends on order") != std::string::npos; });
}

std::optional<Diagnostic> find_order_dependence(const Launch& done, RunOptions options, std::vector<Fault>& faults) {
  auto tensors = make_tensors(done.spec);
  if (!tensors) return tensors.errors()[0];
  options.order = options.order == ProgramOrder::Reverse ? ProgramOrder::RowMajor : ProgramOrder::Reverse;
  options.record = RecordLevel::None;
  options.maps = false;
  bool stopped = false;
  if (options.progress)
    options.progress = [&stopped, ask = std::move(options.progress)](int64_t finished, int64_t total) {
      stopped |= !ask(finished, total);
      return !stopped;
    };
  std::vector<Argument> arguments = done.arguments;
  for (Argument& a : arguments)
    if (a.tensor != nullptr) a.tensor = &(*tensors)[static_cast<size_t>(a.tensor - done.tensors.data())];
  run(done.kernel.function, arguments, done.grid, options);
  if (stopped) return std::nullopt;
  for (size_t i = 0; i < tensors->size(); ++i) {
    const Tensor &a = done.tensors[i], &b = (*tensors)[i];
    if (std::memcmp(a.storage.data(), b.storage.data(), a.storage.size()) == 0) continue;
    const int64_t size = dtype_bytes(a.dtype);
    int64_t at = 0;
    while (std::memcmp(a.element(at), b.element(at), static_cast<size_t>(size)) == 0) ++at;
    faults.push_back(order_fault(a, b, at));
  }
  return std::nullopt;
}

}  // namespace tilescope
