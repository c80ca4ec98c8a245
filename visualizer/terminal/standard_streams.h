// What standard input, output and error of the process are connected to.
#pragma once

namespace tilescope::terminal {

enum class Stream { Input = 0, Output = 1, Error = 2 };

/// A person sits at it; false for files and pipes.
bool is_terminal(Stream stream);

/// Columns of the terminal that standard output is, between `least` and `most`; `otherwise` when it is none.
int terminal_columns(int least, int most, int otherwise);
/// The same for reports with tables.
inline int report_columns() { return terminal_columns(80, 140, 110); }

}  // namespace tilescope::terminal
