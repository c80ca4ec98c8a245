#include "visualizer/model/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/trimmed.h"
#include "visualizer/model/scene.h"

namespace tilescope::model {

int64_t lane_of(const Shape& shape, const std::vector<int64_t>& index) {
  int64_t lane = 0;
  for (int i = 0; i < shape.rank; ++i) lane = lane * shape[i] + (static_cast<size_t>(i) < index.size() ? index[static_cast<size_t>(i)] : 0);
  return lane;
}

std::vector<int64_t> index_of_lane(const Shape& shape, int64_t lane) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank));
  for (int i = shape.rank - 1; i >= 0; --i) {
    index[static_cast<size_t>(i)] = lane % shape[i];
    lane /= shape[i];
  }
  return index;
}

namespace {
const std::byte* lane_data(const ValueRecord& v, int64_t lane) { return v.data.data() + lane * v.type.storage_bytes(); }

uint64_t address_at(const ValueRecord& v, int64_t lane) {
  uint64_t address = 0;
  std::memcpy(&address, lane_data(v, lane), sizeof(address));
  return address;
}
}  // namespace

double lane_number(const ValueRecord& v, int64_t lane) {
  return v.type.pointer ? static_cast<double>(address_at(v, lane)) : read_double(v.type.elem, lane_data(v, lane));
}

int64_t lane_integer(const ValueRecord& v, int64_t lane) {
  return v.type.pointer ? static_cast<int64_t>(address_at(v, lane)) : read_int64(v.type.elem, lane_data(v, lane));
}

bool lane_poisoned(const ValueRecord& v, int64_t lane) { return !v.poison.empty() && v.poison[static_cast<size_t>(lane)] != 0; }

ProgramValues::ProgramValues(std::shared_ptr<const Launch> launch, std::shared_ptr<ProgramRecording> recording)
    : launch_(std::move(launch)), recording_(std::move(recording)), flow_(launch_->kernel.function) {
  // In the order of the arguments, a tensor once: as the executor does it.
  std::vector<const Tensor*> seen;
  for (const Argument& a : launch_->arguments) {
    if (a.tensor == nullptr || std::find(seen.begin(), seen.end(), a.tensor) != seen.end()) continue;
    seen.push_back(a.tensor);
    Tensor& shadow = shadows_.emplace_back();
    shadow.name = a.tensor->name;
    shadow.dtype = a.tensor->dtype;
    shadow.origin = a.tensor->origin;
    shadow.layout.shape = {0};
    shadow.layout.strides = {1};
    memory_.add(&shadow, false);
    int index = -1;
    for (size_t i = 0; i < launch_->tensors.size(); ++i)
      if (launch_->tensors[i].name == shadow.name) index = static_cast<int>(i);
    tensors_.push_back(index);
  }
}

ProgramValues::Found ProgramValues::at(ValueId value, uint64_t step) const {
  Found out;
  const Definition& d = flow_.definition(value);
  if (d.by == Definition::By::Parameter) {
    const auto i = static_cast<size_t>(d.index);
    if (i >= launch_->arguments.size()) return out;
    const Argument& a = launch_->arguments[i];
    auto record = std::make_shared<ValueRecord>();
    record->value = value;
    record->type = flow_.function().type(value);
    uint64_t bits = a.bits;
    for (int r = 0; a.tensor != nullptr && r < memory_.size(); ++r)
      if (memory_.range(r).tensor->name == a.tensor->name) bits = memory_.range(r).origin;
    record->data.resize(static_cast<size_t>(record->type.storage_bytes()));
    std::memcpy(record->data.data(), &bits, record->data.size());
    out.record = record.get();
    out.keep = record;
    return out;
  }
  if (trace().steps.empty()) return out;
  step = std::min<uint64_t>(step, trace().steps.size() - 1);
  const int64_t defined = recording_->last_definition(value, step);
  if (defined < 0) return out;
  std::shared_ptr<const StepData> data = recording_->step(static_cast<uint64_t>(defined));
  if (data == nullptr) return out;
  for (const ValueRecord& r : data->results) {
    if (r.value != value) continue;
    out.step = defined;
    out.record = &r;
    out.keep = data;
  }
  return out;
}

int64_t ProgramValues::next_run(int number, uint64_t after, uint64_t end) const {
  const std::vector<Step>& steps = trace().steps;
  for (uint64_t s = after + 1; s < std::min<uint64_t>(end, steps.size()); ++s)
    if (steps[s].op == number && steps[s].phase == StepPhase::Op) return static_cast<int64_t>(s);
  return -1;
}

std::string ProgramValues::text_of_expression(const Op& op) const {
  if (op.loc == nullptr || !op.loc->range.valid()) return {};
  const SourceRange& r = op.loc->range;
  std::string out;
  for (int line = r.line; line <= r.end_line; ++line) {
    std::string_view text = r.file->line(line);
    const size_t last = line == r.end_line ? static_cast<size_t>(std::max(0, r.end_column - 1)) : text.size();
    text = text.substr(0, std::min(last, text.size()));
    text.remove_prefix(std::min(text.size(), line == r.line ? static_cast<size_t>(r.column - 1) : text.find_first_not_of(' ')));
    if (!out.empty()) out += ' ';
    out += text;
  }
  return out;
}

namespace {

const char* python_sign(OpCode c, bool whole) {
  switch (c) {
    case OpCode::Add: case OpCode::AddPtr: return "+";
    case OpCode::Sub: return "-";
    case OpCode::Mul: return "*";
    case OpCode::Div: return whole ? "//" : "/";
    case OpCode::Rem: return "%";
    case OpCode::CmpLt: return "<";
    case OpCode::CmpLe: return "<=";
    case OpCode::CmpGt: return ">";
    case OpCode::CmpGe: return ">=";
    default: return nullptr;
  }
}

}  // namespace

std::string ProgramValues::text_of_side(const Op& op, size_t side) const {
  const char* sign = python_sign(op.code, !op.operands.empty() && is_int(flow_.function().type(op.operands[0]).elem));
  if (sign == nullptr) return {};
  const std::string text = text_of_expression(op), mark = std::string(" ") + sign + " ", assigned = std::string(" ") + sign + "= ";
  if (const size_t at = text.find(assigned); at != std::string::npos) return std::string(trimmed(side == 0 ? std::string_view(text).substr(0, at) : std::string_view(text).substr(at + assigned.size())));
  // The last sign outside brackets: operators of one rank group from the left.
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    const char c = text[i];
    if (c == ')' || c == ']') ++depth;
    if (c == '(' || c == '[') --depth;
    if (depth == 0 && text.compare(i, mark.size(), mark) == 0) return std::string(trimmed(side == 0 ? std::string_view(text).substr(0, i) : std::string_view(text).substr(i + mark.size())));
  }
  return {};
}

TensorPlace ProgramValues::place(uint64_t address) const {
  const TensorRange* range = memory_.find(address);
  if (range == nullptr) return {};
  return place(tensors_[static_cast<size_t>(range->index)], range->element_offset(address));
}

TensorPlace ProgramValues::place(int tensor, int64_t offset) const {
  TensorPlace p;
  if (tensor < 0 || static_cast<size_t>(tensor) >= launch_->tensors.size()) return p;
  p.tensor = tensor;
  p.offset = offset;
  if (auto index = launch_->tensors[static_cast<size_t>(tensor)].layout.index_of(offset)) {
    p.index = std::move(*index);
    p.inside = true;
  }
  return p;
}

std::string ProgramValues::place_text(const TensorPlace& p, uint64_t address) const {
  if (p.tensor < 0) return fmt::format("{:#x}", address);
  const Tensor& t = launch_->tensors[static_cast<size_t>(p.tensor)];
  if (!p.inside) return typographic(p.offset < 0 ? fmt::format("{} - {}", t.name, 0 - static_cast<uint64_t>(p.offset))
                                    : fmt::format("{} + {}", t.name, p.offset));
  return fmt::format("{}[{}]", t.name, fmt::join(p.index, ", "));
}

std::string ProgramValues::lane_text(const ValueRecord& v, int64_t lane) const {
  if (lane_poisoned(v, lane)) return "undefined";
  if (v.type.pointer) return place_text(place(address_at(v, lane)), address_at(v, lane));
  if (is_bool(v.type.elem)) return lane_integer(v, lane) != 0 ? "1" : "0";
  return typographic(format_element(v.type.elem, lane_data(v, lane)));
}

const ProgramValues* program_values(const Scene& scene) {
  if (!scene.ready || scene.run.launch == nullptr || scene.run.recorded == nullptr || scene.run.recorded->recording == nullptr) return nullptr;
  struct Kept {
    std::unique_ptr<ProgramValues> values;
  };
  return scene
      .derived<Kept>([](const Scene& s) { return Kept{std::make_unique<ProgramValues>(s.run.launch, s.run.recorded->recording)}; })
      .values.get();
}

NumberStyle number_style(double reach, bool whole, int characters, bool negative) {
  NumberStyle style;
  const int sign = negative ? 1 : 0, exponent = reach > 0 ? static_cast<int>(std::floor(std::log10(reach))) : 0;
  const int digits = reach >= 1 ? exponent + 1 : 1;
  const auto scientific = [&] {  // "-1.23e-45"
    style.scientific = true;
    style.decimals = std::clamp(characters - sign - 6, 0, 2);
    return style;
  };
  if (digits + sign > characters) return scientific();
  if (whole) return style;
  // Three significant digits of the largest number, as far as there is room for sign, digits and point.
  const int wanted = reach > 0 ? 2 - exponent : 0;
  const int room = characters - digits - sign - 1;
  style.decimals = std::clamp(wanted, 0, std::max(0, room));
  if (reach < 1 && room < -exponent) return scientific();  // not one digit would be left
  return style;
}

std::string typographic(std::string text) {
  if (text == "nan" || text == "-nan") return "NaN";
  std::string out;
  for (const char c : text) {
    if (c == '-') out += "\u2212";
    else out += c;
  }
  return out;
}

std::string format_number(double x, const NumberStyle& style) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "inf" : "\u2212inf";
  if (x == 0) return style.scientific ? "0" : fmt::format("{:.{}f}", 0.0, style.decimals);
  std::string text;
  const double shown = std::pow(10.0, -style.decimals) * 0.5;
  if (!style.scientific && std::fabs(x) < shown && std::fabs(x) >= 1e-3) {
    text = fmt::format("{:.1g}", x);  // 0.04 among tenths
  } else if (style.scientific || (std::fabs(x) < shown && style.decimals > 0)) {
    text = fmt::format("{:.{}e}", x, style.scientific ? style.decimals : 0);
    // e-05 -> e-5
    const size_t e = text.find('e');
    std::string exponent = text.substr(e + 1);
    const bool minus = exponent[0] == '-';
    exponent.erase(0, 1);
    exponent.erase(0, std::min(exponent.find_first_not_of('0'), exponent.size() - 1));
    text = text.substr(0, e) + (minus ? "e-" : "e") + exponent;
  } else {
    text = fmt::format("{:.{}f}", x, style.decimals);
  }
  return typographic(text);
}

std::string short_number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "inf" : "\u2212inf";
  return typographic(fmt::format("{:.4g}", x));
}

}  // namespace tilescope::model
