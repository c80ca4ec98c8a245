// Kernel files of tests/golden and tests/errors. Their first line gives the arguments of the launch:
//   # args: x_ptr=*f32 n=1000 eps=1e-5 flag=True bias=None MODE="relu" BLOCK=256
// and `# kernel: name` chooses a kernel when a file has several that nobody calls.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/compile.h"
#include "core/types.h"

namespace tilescope::test {

inline CompileArg kernel_arg(const std::string& text) {
  const size_t eq = text.find('=');
  CompileArg a{text.substr(0, eq), NoneArg{}};
  const std::string v = text.substr(eq + 1);
  if (v == "None") return a;
  if (v == "True" || v == "False")
    a.value = BoolArg{v == "True"};
  else if (v[0] == '"')
    a.value = StringArg{v.substr(1, v.size() - 2)};
  else if (v[0] == '*')
    a.value = PointerArg{*parse_dtype(v.substr(1)), 16};
  else if (v.find_first_of(".en") != std::string::npos)
    a.value = FloatArg{std::stod(v)};
  else if (v.size() > 18 && v[0] != '-')
    a.value = IntArg{static_cast<int64_t>(std::stoull(v)), std::stoull(v) > INT64_MAX};
  else
    a.value = IntArg{std::stoll(v), false};
  return a;
}

/// A request for the kernel text, with the arguments that its head lists; not optimised.
inline CompileRequest request_for(const std::string& text, const std::string& path = "kernel.py") {
  CompileRequest r;
  r.source = std::make_shared<SourceFile>(SourceFile{path, text});
  r.optimise = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("#");) {
    std::istringstream words(line);
    std::string word;
    words >> word >> word;
    if (word == "kernel:") words >> r.kernel;
    if (word == "args:")
      while (words >> word) r.args.push_back(kernel_arg(word));
  }
  return r;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// The .py files of a folder under tests/, sorted.
inline std::vector<std::filesystem::path> kernel_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& e : std::filesystem::directory_iterator(std::string(TILESCOPE_SOURCE_DIR) + "/tests/" + folder))
    if (e.path().extension() == ".py") files.push_back(e.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tilescope::test
