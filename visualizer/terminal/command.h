// The command line of `tilescope`: what was asked for, before anything is read or run.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "visualizer/terminal/cost_options.h"

namespace tilescope::terminal {

/// Exit statuses. When several apply, Usage wins over Fault, Fault over Different.
enum ExitStatus : int { kFine = 0, kDifferent = 1, kUsage = 2, kFault = 3, kNoGpu = 4 };

struct Command {
  enum class Verb { Run, Check, Ir, View, Cuda, Compare, Lesson, Cost, Reference, Sandbox, Lint };
  Verb verb = Verb::Run;
  std::string target;  ///< LAUNCH.json, KERNEL.py or a lesson (lint: or a folder); view and lesson: may be empty

  std::optional<std::string> kernel, grid;
  std::vector<std::string> args;   ///< NAME=VALUE, in order
  std::vector<std::string> saves;  ///< TENSOR=FILE.npy
  std::optional<int64_t> num_warps, num_stages;
  std::optional<int64_t> config;  ///< of @triton.autotune, from 1
  bool list_configs = false;

  /// sandbox
  bool yes = false, ask = false;  ///< take all guesses; ask although the input is no terminal
  bool no_window = false;
  std::string launch_out;         ///< launch file to write
  std::string backend = "sim";
  std::string dot = "exact";
  std::string order = "row";
  int threads = 0;
  std::optional<uint64_t> max_steps;

  /// Checkers that were switched on or off; others follow the verb.
  std::optional<bool> bounds, addresses, uninitialised, duplicates, races, overflow, block_pointers, order_check;

  bool json = false, quiet = false;
  bool verbose = false;  ///< lint
  bool optimise = true, locations = false;  ///< ir
  std::optional<std::string> after;         ///< ir: the last pass to run

  bool force = false;        ///< launch on the GPU what the simulator finds faulty
  bool record_run = false;   ///< compare: keep the GPU's run beside the launch file
  std::string architecture;  ///< cuda: compile for it too

  std::string markdown;  ///< reference: the file that all of it is written to

  CostRequest cost;  ///< cost, and run --cost

  /// view
  std::string size, shot, script, state_file, record, settings, program, theme, language, panel;
  int64_t page = 1;         ///< lesson too
  bool page_given = false;
  double scale = 0;
  std::optional<int64_t> step;

  /// lesson
  std::string exercise, start, with;  ///< files of the learner
  bool watch = false, solution = false;
  bool check_lessons = false;
  std::optional<int64_t> hint;  ///< 1 to 3
};

/// The command, or the exit status when there is nothing to do: help (on `out`) or a mistake (on `err`).
std::variant<Command, int> parse_command(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

/// The whole program: `args` without the program's name. Returns the exit status.
int tilescope_main(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace tilescope::terminal
