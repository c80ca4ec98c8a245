#include "core/dsl/session.h"

#include <algorithm>
#include <regex>

#include "core/lower/builtins.h"
#include "core/wording.h"

namespace tilescope::dsl {

struct Error::State {
  Diagnostic diagnostic;
  std::string text;
};

Error::Error(Diagnostic d) {
  auto state = std::make_shared<State>();
  state->text = render(d);
  state->diagnostic = std::move(d);
  state_ = std::move(state);
}
const char* Error::what() const noexcept { return state_->text.c_str(); }
const Diagnostic& Error::diagnostic() const { return state_->diagnostic; }

namespace detail {
namespace {

thread_local Session* active_session = nullptr;

std::vector<ValueId> leaves_of(const lower::Value& v) {
  std::vector<ValueId> out;
  lower::append_leaves(v, out);
  return out;
}

/// x[:, None] and x[None, :] as this language writes them.
std::string cpp_indexing(const std::string& text) {
  static const std::regex column(R"(([A-Za-z_]\w*|\([^()]*\))\[:, None\])"), row(R"(([A-Za-z_]\w*|\([^()]*\))\[None, :\])");
  return std::regex_replace(std::regex_replace(text, column, "tl::column($1)"), row, "tl::row($1)");
}

}  // namespace

Diagnostic in_cpp(Diagnostic d) {
  if (d.hint.find("None") == std::string::npos) return d;
  const Words hint = words_of(d.hint);
  d.hint = remember({cpp_indexing(hint.english), cpp_indexing(hint.chinese)});
  return d;
}

void throw_error(const SourceRange& range, std::string message, std::string hint) {
  Diagnostic d;
  d.range = range;
  d.message = std::move(message);
  d.hint = std::move(hint);
  throw Error(std::move(d));
}

Session::Session(Function& function, const Recipe& recipe, const CompileRequest* request)
    : function_(function),
      recipe_(recipe),
      request_(request),
      builder_object_(function),
      library_(function, empty_),
      outer_(active_session) {
  builder_ = &builder_object_;
  empty_.source = recipe.source;
  push_region(function_.body);
  active_session = this;
}

Session::~Session() {
  for (auto& [id, cell] : cells_) cell->owner = nullptr;
  active_session = outer_;
}

Session* Session::current() { return active_session; }

Session& Session::active(Site at) {
  if (active_session != nullptr) return *active_session;
  const CppText text(std::string(at.file_name()));
  throw_error(text.expression(static_cast<int>(at.line()), static_cast<int>(at.column())),
              "no kernel is being built here",
              "values exist only while the function given to tl::kernel runs; there, declare parameters with "
              "k.pointer and k.scalar");
}

// ---- errors, notes, places

void Session::fail(Diagnostic d) { throw lower::CompileError{std::move(d)}; }

void Session::note(const SourceRange& range, std::string message) {
  if (!noted_.insert({message, range.line}).second || noted_.size() > 200) return;
  Diagnostic d;
  d.severity = Diagnostic::Severity::Note;
  d.range = range;
  d.message = std::move(message);
  notes_.push_back(std::move(d));
}

std::vector<Diagnostic> Session::take_notes() {
  for (Diagnostic& d : library_.take_notes()) notes_.push_back(std::move(d));
  return std::move(notes_);
}

const CppText& Session::text(Site at) {
  std::unique_ptr<CppText>& found = texts_[at.file_name()];
  if (found == nullptr)
    found = std::string_view(recipe_.site.file_name()) == at.file_name()
                ? std::make_unique<CppText>(recipe_.source)
                : std::make_unique<CppText>(std::string(at.file_name()));
  return *found;
}

SourceRange Session::range(Site at) {
  return text(at).expression(static_cast<int>(at.line()), static_cast<int>(at.column()));
}

void Session::set_location(Site at) {
  auto location = std::make_shared<Location>();
  location->range = range(at);
  location->statement = text(at).statement(static_cast<int>(at.line()), static_cast<int>(at.column()));
  builder_->set_location(std::move(location));
}

void Session::count_step(Site at) {
  if (deferred_) throw Error(*deferred_);
  if (function_.values.size() <= lower::kMaxIrValues && chunks_.size() <= size_t{lower::kMaxSteps}) return;
  throw_error(range(at), "this kernel grows too large: C++ loops are unrolled",
              "use tl::range(...) for loops of the kernel, or smaller constants");
}

/// An error found where nothing may be thrown: the next operation throws it, or the end of the kernel.
void Session::defer(Diagnostic d) {
  if (!deferred_) deferred_ = std::move(d);
}

// ---- functions written in the kernel language, and functions of C++

lower::Value Session::call_prelude(const std::string& name, std::vector<lower::CallArg> args,
                                   const SourceRange& range) {
  return library_.call_prelude_in(*builder_->block(), builder_->location(), name, std::move(args), range);
}

lower::Value Session::call_function(const lower::FunctionValue& f, std::vector<lower::CallArg> args,
                                    const SourceRange&) {
  const auto found = combines.find(f.def);
  if (found == combines.end()) internal_error("a combine function that C++ did not give");
  Block& body = *builder_->block();
  const LocationPtr location = builder_->location();
  push_region(body);
  Content left, right;
  left.assigned = right.assigned = true;
  left.region = right.region = region().id;
  left.value = args[0].value;
  right.value = args[1].value;
  const Site at = recipe_.site;
  lower::Value result;
  {
    const Value value = (*found->second)(make(new_cell(left, at)), make(new_cell(right, at)));
    result = usable(value, at).value;
  }
  pop_region();
  builder_->set_block(&body);
  builder_->set_location(location);
  return result;
}

// ---- variables

Cell* Session::new_cell(Content content, Site site) {
  auto* cell = new Cell;
  cell->owner = this;
  cell->id = next_cell_++;
  cell->now = std::move(content);
  cell->site = site;
  cells_[cell->id] = cell;
  return cell;
}

Cell* Session::copy_cell(Cell& from, Site site) {
  Cell* cell = new_cell(from.now, site);
  cell->parameter = from.parameter;
  cell->gone = from.gone;
  cell->copied = true;
  cell->name = name_of(from);
  return cell;
}

Cell* Session::find_cell(uint64_t id) {
  const auto it = cells_.find(id);
  return it == cells_.end() ? nullptr : it->second;
}

std::string Session::name_of(Cell& cell) {
  if (cell.name_known) return cell.name;
  cell.name_known = true;
  const std::vector<std::string> names =
      text(cell.site).targets(static_cast<int>(cell.site.line()), static_cast<int>(cell.site.column()));
  if (cell.index < names.size()) cell.name = names[cell.index];
  return cell.name;
}

bool Session::is_held_by_name(const lower::Value& v, const Value* part) {
  if (!v.is_tensor()) return false;
  const ValueId id = v.as<lower::TensorValue>().id;
  return std::any_of(cells_.begin(), cells_.end(), [&](const auto& entry) {
    Cell& cell = *entry.second;
    const bool handed_on = part != nullptr && cell_of(*part) == &cell && !cell.copied;
    return !handed_on && cell.now.assigned && cell.now.value.is_tensor() &&
           cell.now.value.template as<lower::TensorValue>().id == id && !name_of(cell).empty();
  });
}

void Session::set_value_name(const lower::Value& v, const std::string& name) {
  if (v.is_tensor() && !name.empty()) function_.values[v.as<lower::TensorValue>().id].name = name;
}

Content& Session::usable_content(Cell& cell, Site at) {
  if (cell.owner != this)
    throw_error(range(at), "this value belongs to another kernel",
                "each kernel makes its own values from its own parameters");
  const auto name = [&] { return name_of(cell).empty() ? "this variable" : "`" + name_of(cell) + "`"; };
  if (!cell.now.assigned) {
    Diagnostic d;
    if (cell.gone) d = *cell.gone;
    d.message = name() + " has no value here";
    d.range = range(at);
    if (!cell.gone) d.hint = "assign it first";
    throw Error(std::move(d));
  }
  if (!is_open(cell.now.region))
    throw_error(range(at), name() + " holds what was made inside a loop or branch that has ended; it exists only there",
                "make the variable before the loop or branch, and assign it inside");
  return cell.now;
}

lower::Value Session::run_time_form(lower::Value v, const std::string& name) {
  if (v.is_const_number()) return {lower::TensorValue{lower::to_tensor(*this, v)}, v.range};
  if (v.is<std::string>() || v.is<lower::EnumValue>() || v.is<lower::DTypeValue>() || v.is<lower::TupleValue>())
    fail(v.range, "a variable holds run-time values, not " + describe(v, function_),
         name.empty() ? "keep it in a C++ variable" : "keep `" + name + "` in a C++ variable");
  return v;
}

/// A constant result that turns out to be held by a variable (`auto m = n * 2` with n folded) becomes a run-time scalar
/// at the place where it was computed, as `m = n * 2` is in Triton.
void Session::settle(Cell& cell) {
  if (cell.parameter || cell.copied || !cell.now.value.is_const_number() || cell.now.chunk < 0) return;
  Chunk& chunk = chunks_[static_cast<size_t>(cell.now.chunk)];
  Block* inner = builder_->block();
  const LocationPtr location = builder_->location();
  Block* block = nullptr;
  for (const auto& r : regions_)
    if (r->id == chunk.region) block = r->block;
  if (block == nullptr) return;
  builder_->set_block(block);
  set_location(chunk.site);
  const ValueId id = lower::to_tensor(*this, cell.now.value);
  chunk.late.push_back(std::move(block->ops.back()));
  block->ops.pop_back();
  builder_->set_block(inner);
  builder_->set_location(location);
  cell.now.value.v = lower::TensorValue{id};
  chunk.result = cell.now.value;
  set_value_name(cell.now.value, name_of(cell));
}

lower::Value Session::resolve(const Operand& o) {
  const SourceRange where = range(o.at_);
  switch (o.kind_) {
    case Operand::Kind::None:
      return {lower::NoneValue{}, where};
    case Operand::Kind::Int:
      return {lower::ConstInt{static_cast<int64_t>(o.integer_)}, where};
    case Operand::Kind::UInt:
      return {lower::ConstInt{o.integer_}, where};
    case Operand::Kind::Float:
      return {o.number_, where};
    case Operand::Kind::Bool:
      return {o.integer_ != 0, where};
    case Operand::Kind::Text:
      return {o.text_, where};
    case Operand::Kind::Type:
      return {lower::DTypeValue{static_cast<DType>(o.integer_), false, {}}, where};
    case Operand::Kind::Extents: {
      lower::TupleValue t;
      for (int64_t n : o.extents_) t.items.push_back({lower::ConstInt{n}, where});
      return {std::move(t), where};
    }
    case Operand::Kind::List: {
      lower::TupleValue t;
      for (const Operand& item : o.list_) t.items.push_back(resolve(item));
      return {std::move(t), where};
    }
    case Operand::Kind::Value:
      break;
  }
  usable(*o.value_, o.at_);
  Cell* cell = cell_of(*o.value_);
  if (!o.temporary_) settle(*cell);
  lower::Value v = cell->now.value;
  v.range = where;
  return v;
}

void Session::assign(Cell& cell, const Content& content, Site at) {
  if (!cell.name_known || cell.name.empty()) {
    const std::vector<std::string> names = text(at).targets(static_cast<int>(at.line()), static_cast<int>(at.column()));
    cell.name = names.size() == 1 ? names[0] : "";
    cell.name_known = true;
  }
  cell.now = content;
  cell.now.at = at;
  cell.parameter = false;
  cell.gone.reset();
  for (Watch& w : watches_)
    if (cell.id < w.first_inner && std::find(w.assigned.begin(), w.assigned.end(), cell.id) == w.assigned.end())
      w.assigned.push_back(cell.id);
}

// ---- regions

Region& Session::push_region(Block& block) {
  auto r = std::make_unique<Region>();
  r->id = next_region_++;
  r->block = &block;
  open_.insert(r->id);
  regions_.push_back(std::move(r));
  builder_->set_block(&block);
  return *regions_.back();
}

void Session::pop_region() {
  Region& r = *regions_.back();
  for (int chunk : r.chunks) apply_names(chunks_[static_cast<size_t>(chunk)]);
  reorder(r);
  open_.erase(r.id);
  regions_.pop_back();
  if (!regions_.empty()) builder_->set_block(regions_.back()->block);
}

void Session::unwind_regions(size_t depth, Block* block) {
  while (regions_.size() > depth) {
    open_.erase(regions_.back()->id);
    regions_.pop_back();
  }
  builder_->set_block(block);
}

void Session::apply_names(const Chunk& chunk) {
  if (chunk.part) return;
  const std::vector<ValueId> ids = leaves_of(chunk.result);
  if (ids.empty()) return;
  const std::vector<std::string> names =
      text(chunk.site).targets(static_cast<int>(chunk.site.line()), static_cast<int>(chunk.site.column()));
  if (names.size() != ids.size()) return;
  for (size_t i = 0; i < ids.size(); ++i)
    if (function_.values[ids[i]].name.empty()) function_.values[ids[i]].name = names[i];
}

// ---- operations

Operation::Operation(Session& session, Site at)
    : session_(session), block_(session.b().block()), depth_(session.region_depth()) {
  if (session.is_probe()) throw ProbeEnd{};
  session.count_step(at);
  session.complete_descriptors();
  chunk_.region = session.region().id;
  chunk_.first = block_->ops.size();
  chunk_.site = at;
  session.set_location(at);
}

Operation::~Operation() {
  if (finished_) return;
  session_.unwind_regions(depth_, block_);
  block_->ops.resize(chunk_.first);
}

lower::Value Operation::operator()(const Operand& o) {
  if (o.kind() == Operand::Kind::List) {
    lower::TupleValue t;
    for (const Operand& item : Session::items_of(o)) t.items.push_back((*this)(item));
    return {std::move(t), session_.range(o.site())};
  }
  lower::Value v = session_.resolve(o);
  if (o.kind() != Operand::Kind::Value || !Session::is_temporary(o)) return v;
  const Cell& cell = *Session::cell_of(*Session::value_of(o));
  const int made_by = cell.now.chunk;
  if (made_by < 0 || cell.copied) return v;  // a copy of a variable is not what computed it
  Chunk& child = session_.chunks()[static_cast<size_t>(made_by)];
  if (child.part || child.region != chunk_.region) return v;
  child.part = true;
  chunk_.children.push_back(made_by);
  return v;
}

Content Operation::finish(lower::Value result) {
  finished_ = true;
  chunk_.count = block_->ops.size() - chunk_.first;
  chunk_.result = result;
  Content content;
  content.assigned = true;
  content.value = std::move(result);
  content.region = chunk_.region;
  content.at = chunk_.site;
  content.chunk = static_cast<int>(session_.chunks().size());
  session_.region().chunks.push_back(content.chunk);
  session_.chunks().push_back(std::move(chunk_));
  return content;
}

}  // namespace detail
}  // namespace tilescope::dsl
