// Whether the text of a file changes a name behind its definition, for core/host_evaluation.h. Only statements that bind names are
// in the syntax tree; methods, subscripts and functions that change what a name stands for are looked for in the text.
#pragma once

#include <string>

namespace tilescope::host {

/// `NAME.append(...)`, `NAME[0] = ...`, `del NAME`, `global NAME`, `(NAME := ...)` anywhere in the file. In doubt true.
bool changes_name(const std::string& text, const std::string& name);

/// The first line behind line `after` where code of the file's level, outside of functions and classes, changes NAME in such a
/// way; 0: none.
int line_that_changes(const std::string& text, const std::string& name, int after);

/// A statement of the file's level is a call with NAME among its arguments: `shuffle(NAME)`.
bool hands_name_on(const std::string& text, const std::string& name);

}  // namespace tilescope::host
