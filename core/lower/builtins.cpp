#include "core/lower/builtins.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace tilescope::lower {
namespace {

struct Table {
  std::deque<Builtin> entries;
  std::unordered_map<std::string, const Builtin*> by_path;
  std::vector<const Builtin*> sorted, rows;
};

void add_row(Table& table, const BuiltinRow& row, const char* topic) {
  const size_t first = table.entries.size();
  std::string_view names = row.names;
  while (!names.empty()) {
    size_t end = std::min(names.find(' '), names.size());
    std::string path(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    if (table.by_path.count(path)) internal_error("two builtins are called " + path);
    table.entries.push_back({path, row.signature, row.fn, row.doc, row.names, topic});
    table.by_path.emplace(path, &table.entries.back());
  }
  table.rows.push_back(&table.entries[first]);
}

const Table& table() {
  static const Table built = [] {
    Table t;
    const std::pair<const char*, decltype(&program_rows)> topics[] = {
        {"Programs and new tiles", program_rows},
        {"Memory", memory_rows},
        {"Atomics", atomic_rows},
        {"Block pointers and descriptors", block_pointer_rows},
        {"Shapes, selection, conversion", shape_rows},
        {"Mathematics", math_rows},
        {"libdevice", libdevice_rows},
        {"Reductions, scans, sorting", reduce_rows},
        {"Matrix products", dot_rows},
        {"Random numbers", random_rows},
        {"Python's own functions", python_rows},
        {"Assembly", assembly_rows},
        {"Debugging and hints", debug_rows},
        {"Refused by name", unsupported_rows}};
    for (const auto& [topic, rows] : topics)
      for (const BuiltinRow& row : rows()) add_row(t, row, topic);
    for (const Builtin& b : t.entries) t.sorted.push_back(&b);
    std::sort(t.sorted.begin(), t.sorted.end(), [](auto* a, auto* b) { return a->path < b->path; });
    return t;
  }();
  return built;
}

/// Other spellings of the same module, longest first. tl.math once held libdevice's functions too.
constexpr std::pair<std::string_view, std::string_view> kModules[] = {
    {"triton.language.", "tl."},
    {"tl.extra.cuda.libdevice.", "libdevice."},
    {"tl.extra.libdevice.", "libdevice."},
    {"tl.libdevice.", "libdevice."},
    {"tl.standard.", "tl."},
    {"tl.core.", "tl."},
    {"tl.random.", "tl."},
    {"tl.math.", "libdevice."},
};

const Builtin* lookup(const std::string& path) {
  auto it = table().by_path.find(path);
  return it == table().by_path.end() ? nullptr : it->second;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

const Builtin* find_builtin(const std::string& path) {
  if (const Builtin* found = lookup(path)) return found;
  for (auto [from, to] : kModules)
    if (path.starts_with(from)) return find_builtin(std::string(to) + path.substr(from.size()));
  return nullptr;
}

std::string nearest_builtin(const std::string& path) {
  for (auto [from, to] : kModules)
    if (path.starts_with(from) && from != "tl.math.")
      return nearest_builtin(std::string(to) + path.substr(from.size()));
  std::string prefix = path.substr(0, path.rfind('.') + 1);
  std::vector<std::string> names;
  for (const Builtin* b : table().sorted)
    if (b->path.starts_with(prefix) && b->path.find('.', prefix.size()) == std::string::npos)
      names.emplace_back(last_part(b->path));
  return closest_name(last_part(path), names);
}

const std::vector<const Builtin*>& all_builtins() { return table().sorted; }

const std::vector<const Builtin*>& builtin_rows() { return table().rows; }

bool is_refused(const Builtin& builtin) {
  return builtin.fn == refuse_unsupported || builtin.topic == "Refused by name";
}

bool is_builtin_namespace(const std::string& path) {
  std::string prefix = path + ".";
  for (auto [from, to] : kModules)
    if (prefix == from || from.starts_with(prefix)) return true;
  auto it = std::lower_bound(table().sorted.begin(), table().sorted.end(), prefix,
                             [](const Builtin* b, const std::string& p) { return b->path < p; });
  return it != table().sorted.end() && (*it)->path.starts_with(prefix);
}

std::string shown_name(const Builtin& builtin) {
  std::string_view path = builtin.path;
  for (std::string_view type : {"tl.tensor_descriptor.", "tl.tensor.", "tl.dtype."})
    if (path.starts_with(type)) return "." + std::string(path.substr(type.size())) + "()";
  if (path.starts_with("py.")) path.remove_prefix(3);
  return std::string(path) + "()";
}

}  // namespace tilescope::lower
