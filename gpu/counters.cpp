#include "gpu/counters.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

namespace tilescope::gpu {
namespace {

constexpr const char* kLoadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kStoreRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr const char* kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr const char* kDramRead = "dram__bytes_read.sum";
constexpr const char* kDramWritten = "dram__bytes_write.sum";
constexpr const char* kL2HitRate = "lts__t_sector_hit_rate.pct";
constexpr const char* kRegisters = "launch__registers_per_thread";

/// A word of a shell's command.
std::string quoted(const std::string& word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// What a command prints; it may fail.
std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  pclose(pipe);
  return out;
}

/// Cells of a line: all are in quotes, and hold none.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  for (size_t at = 0; (at = line.find('"', at)) != std::string::npos;) {
    const size_t end = line.find('"', at + 1);
    if (end == std::string::npos) break;
    out.push_back(line.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return out;
}

std::string version_of(const std::string& ncu) {
  const std::string text = output_of(quoted(ncu) + " --version 2>/dev/null"), word = "Version ";
  const size_t at = text.find(word);
  if (at == std::string::npos) return "of unknown version";
  return text.substr(at + word.size(), text.find_first_of(" \n", at + word.size()) - at - word.size());
}

}  // namespace

std::optional<std::string> find_ncu() {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("PATH")) {
    std::stringstream list(path);
    for (std::string folder; std::getline(list, folder, ':');) folders.push_back(folder);
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(variable)) folders.push_back(std::string(folder) + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  for (const std::string& folder : folders) {
    const std::string path = folder + "/ncu";
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

Expected<HardwareCounters> read_counters(const std::string& csv) {
  std::stringstream lines(csv);
  std::vector<std::vector<std::string>> rows;  // names, units, launches
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("\"")) rows.push_back(cells(line));
  if (rows.size() < 3) return plain_error("ncu counted no launch");
  std::map<std::string, std::string> launch;
  for (size_t i = 0; i < rows[0].size() && i < rows[2].size(); ++i) launch[rows[0][i]] = rows[2][i];
  std::string missing;
  const auto number = [&](const char* name) {
    std::string digits;
    for (char c : launch[name])
      if (c != ',') digits += c;
    char* end = nullptr;
    const double x = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end != '\0') missing = name;
    return x;
  };
  const auto count = [&](const char* name) { return static_cast<uint64_t>(number(name)); };
  HardwareCounters out;
  out.load_requests = count(kLoadRequests);
  out.load_sectors = count(kLoadSectors);
  out.store_requests = count(kStoreRequests);
  out.store_sectors = count(kStoreSectors);
  out.dram_bytes_read = count(kDramRead);
  out.dram_bytes_written = count(kDramWritten);
  out.l2_hit_rate = number(kL2HitRate);
  out.registers = static_cast<int>(number(kRegisters));
  if (!missing.empty()) return plain_error("ncu did not count " + missing);
  return out;
}

Expected<HardwareCounters> count_on_hardware(const std::string& ncu, const std::vector<std::string>& command,
                                             const std::string& kernel) {
  std::string line = quoted(ncu) + " --clock-control none --launch-count 1 --csv --page raw --print-units base";
  line += " --kernel-name " + quoted(kernel);
  line += fmt::format(" --metrics {},{},{},{},{},{},{},{}", kLoadRequests, kLoadSectors, kStoreRequests, kStoreSectors,
                      kDramRead, kDramWritten, kL2HitRate, kRegisters);
  for (const std::string& word : command) line += " " + quoted(word);
  const std::string text = output_of(line + " 2>/dev/null");
  if (const size_t at = text.find("==ERROR=="); at != std::string::npos)
    return plain_error("ncu: " + text.substr(at + 10, text.find('\n', at) - at - 10));
  auto out = read_counters(text);
  if (out) out->ncu = version_of(ncu);
  return out;
}

}  // namespace tilescope::gpu
