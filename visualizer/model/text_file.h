// Text files that are never half written.
#pragma once

#include <optional>
#include <string>

namespace tilescope::model {

/// Writes the whole file or leaves what was there: a new file in the same folder is renamed over it. A symbolic link is
/// followed, and the file keeps its permissions. Returns the reason when it could not be written.
std::optional<std::string> write_text_file(const std::string& path, const std::string& text);

/// The file's bytes; nothing when it cannot be read or is larger than `most` bytes.
std::optional<std::string> read_text_file(const std::string& path, size_t most = size_t{64} << 20);

/// `path` when nothing is there, else the first free one of "name-2.ext", "name-3.ext", ...
std::string unused_path(const std::string& path);

}  // namespace tilescope::model
