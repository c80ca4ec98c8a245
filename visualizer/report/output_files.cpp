#include "visualizer/report/output_files.h"

#include <filesystem>

#include "core/npy.h"
#include "visualizer/model/text_file.h"

namespace tilescope::report {
namespace {

namespace fs = std::filesystem;

void add_npy(std::vector<std::string>& out, const Init& init) {
  if (init.kind == Init::Kind::Npy) out.push_back(init.npy_path);
}

/// Where a path leads, with links followed as far as files exist.
fs::path resolved(const std::string& path) {
  std::error_code ec;
  fs::path full = fs::absolute(path, ec);
  if (ec) full = path;
  fs::path out = fs::weakly_canonical(full, ec);
  return ec ? full.lexically_normal() : out;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ec;
  return resolved(a) == resolved(b) || fs::equivalent(a, b, ec);  // the latter sees hard links too
}

}  // namespace

std::vector<std::string> files_of_launch(const LaunchSpec& spec) {
  std::vector<std::string> out;
  if (!spec.kernel_path.empty()) out.push_back(spec.kernel_path);
  if (!spec.path.empty()) {
    out.push_back(spec.path);
    out.push_back(fs::path(spec.path).replace_extension(".gpu.json").string());
  }
  for (const LaunchArg& a : spec.args)
    if (const auto* tensor = std::get_if<TensorSpec>(&a.value)) add_npy(out, tensor->init);
  for (const OutputSpec& o : spec.outputs)
    if (o.expected) add_npy(out, *o.expected);
  return out;
}

std::optional<Diagnostic> check_output_paths(const std::vector<OutputPath>& outputs,
                                             const std::vector<std::string>& inputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    if (path.empty() || path == "-") return plain_error(option + ": expected the name of a file");
    if (auto problem = check_save_path(path)) return plain_error(option + ": " + problem->message, problem->hint);
    for (const std::string& input : inputs)
      if (same_file(path, input))
        return plain_error(option + " " + path + ": that is a file that the launch reads or writes");
    for (size_t j = 0; j < i; ++j)
      if (same_file(path, outputs[j].path))
        return plain_error(option + " " + path + ": " + outputs[j].option + " writes that file too",
                           "give each a file of its own");
  }
  return std::nullopt;
}

std::optional<Diagnostic> write_output(const OutputPath& output, const std::string& text) {
  if (auto why = model::write_text_file(output.path, text))
    return plain_error(output.option + ": cannot write " + output.path + ": " + *why);
  return std::nullopt;
}

}  // namespace tilescope::report
