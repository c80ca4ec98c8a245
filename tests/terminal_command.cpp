#include <doctest/doctest.h>

#include <sstream>

#include "visualizer/terminal/command.h"

using namespace tilescope::terminal;

namespace {

struct Parsed {
  std::variant<Command, int> result;
  std::string out, err;
};

Parsed parse(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  auto result = parse_command(args, out, err);
  return {std::move(result), out.str(), err.str()};
}

Command command(const std::vector<std::string>& args) {
  Parsed p = parse(args);
  INFO(p.err);
  REQUIRE(std::holds_alternative<Command>(p.result));
  return std::get<Command>(p.result);
}

bool refused(const std::vector<std::string>& args, const std::string& part) {
  Parsed p = parse(args);
  INFO(p.err);
  CHECK(p.out.empty());
  bool found = p.err.find(part) != std::string::npos;
  CHECK(found);
  const int* status = std::get_if<int>(&p.result);
  return status != nullptr && *status == kUsage;
}

}  // namespace

TEST_CASE("the options of run arrive in the command") {
  Command c = command(
      {"run",   "k.py", "--kernel", "add",        "--grid",      "4,2", "--arg",        "x=f32[2,2]=values(1,2,3,4)",
       "--arg", "n=-3", "--save",   "x=a.npy",    "--num-warps", "8",   "--num-stages", "2",
       "--dot", "fast", "--order",  "shuffled:7", "--threads",   "3",   "--json"});
  CHECK(c.verb == Command::Verb::Run);
  CHECK(c.target == "k.py");
  CHECK(c.kernel == "add");
  CHECK(c.grid == "4,2");
  CHECK(c.args == std::vector<std::string>{"x=f32[2,2]=values(1,2,3,4)", "n=-3"});
  CHECK(c.saves == std::vector<std::string>{"x=a.npy"});
  CHECK(c.num_warps == 8);
  CHECK(c.num_stages == 2);
  CHECK(c.dot == "fast");
  CHECK(c.order == "shuffled:7");
  CHECK(c.threads == 3);
  CHECK(c.json);
}

TEST_CASE("the file may stand behind the options") {
  Command c = command({"run", "--arg", "n=1", "--arg", "m=2", "k.py"});
  CHECK(c.target == "k.py");
  CHECK(c.args.size() == 2);
}

TEST_CASE("checkers that are not named follow the command") {
  Command c = command({"check", "l.json"});
  CHECK(c.verb == Command::Verb::Check);
  CHECK_FALSE(c.bounds.has_value());
  c = command({"check", "l.json", "--no-bounds", "--uninitialised", "--no-order-check"});
  CHECK(c.bounds == false);
  CHECK(c.uninitialised == true);
  CHECK(c.order_check == false);
  CHECK_FALSE(c.addresses.has_value());
}

TEST_CASE("ir takes the launch and its own options") {
  Command c = command({"ir", "k.py", "--arg", "n=4", "--no-optimise", "--locations"});
  CHECK(c.verb == Command::Verb::Ir);
  CHECK_FALSE(c.optimise);
  CHECK(c.locations);
}

TEST_CASE("mistakes end with status 2 and a message on standard error only") {
  CHECK(refused({}, "subcommand is required"));
  CHECK(refused({"rum", "k.py"}, "unknown command \"rum\"\n   hint: did you mean run?"));
  CHECK(refused({"run"}, "target is required"));
  CHECK(refused({"run", "k.py", "--gird", "1"}, "--gird"));
  CHECK(refused({"run", "k.py", "--threads", "0"}, "--threads"));
  CHECK(refused({"run", "k.py", "--threads", "many"}, "--threads"));
  CHECK(refused({"run", "k.py", "--backend", "tpu"}, "--backend"));
  CHECK(refused({"run", "k.py", "--num-warps", "x"}, "--num-warps"));
  CHECK(refused({"run", "k.py", "--arg"}, "--arg"));
}

TEST_CASE("help is printed on standard output and is no mistake") {
  Parsed p = parse({"--help"});
  CHECK(std::get<int>(p.result) == kFine);
  CHECK(p.out.find("check") != std::string::npos);
  CHECK(p.out.find("Exit status") != std::string::npos);
  CHECK(p.err.empty());
  p = parse({"run", "--help"});
  CHECK(p.out.find("--num-warps") != std::string::npos);
  CHECK(p.out.find("randint(lo,hi,seed)") != std::string::npos);
}
