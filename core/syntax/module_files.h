// The files that a kernel file imports: `from .utils import helper`, `import pkg.ops as ops`.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/syntax/ast.h"

namespace tilescope {

/// The path of the file that holds `module` for an import in the file at `importing`. Leading dots count folders, as in
/// Python. Other names are looked for beside the file, in the folders of the packages around it, and where a folder of
/// the path has the name's first part. Empty when there is no such file.
std::optional<std::string> find_module_file(const std::string& importing, const std::string& module);

/// The parsed file; null when it cannot be read. Files are kept, and read again when they have changed.
std::shared_ptr<const Module> load_module(const std::string& path);

}  // namespace tilescope
