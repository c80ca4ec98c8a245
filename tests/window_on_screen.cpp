// The real window: an X server without a screen (Xvfb), keys and clicks that come from it (xdotool). It reaches the same
// state as the script does.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>

#include "window_run.h"

using namespace window_run;

namespace {

using Clock = std::chrono::steady_clock;

void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

bool wait_for(const std::function<bool()>& done, int seconds) {
  for (const auto until = Clock::now() + std::chrono::seconds(seconds); Clock::now() < until; pause(50))
    if (done()) return true;
  return done();
}

/// Starts a command of the shell in the background and ends it in the destructor, by its own process number.
class Background {
 public:
  Background(const Folder& folder, const std::string& name, const std::string& command) {
    const std::string pid = folder.file(name + ".pid");
    const std::string line = "cd " + quoted(folder.path().string()) + " && { exec " + command + "; } > " + name + ".log 2>&1 & echo $! > " + quoted(pid);
    if (std::system(line.c_str()) == 0) pid_ = std::atoi(read(pid).c_str());
  }
  ~Background() {
    if (pid_ > 0) kill(pid_, SIGTERM);
  }
  bool lives() const { return pid_ > 0 && kill(pid_, 0) == 0; }

 private:
  pid_t pid_ = 0;
};

bool installed(const char* program) { return std::system((std::string("command -v ") + program + " >/dev/null 2>&1").c_str()) == 0; }

class Screen {
 public:
  Screen(const Folder& folder, const std::string& launch)
      : folder_(folder), server_(folder, "xvfb", "Xvfb -displayfd 7 -screen 0 1700x1000x24 -nolisten tcp 7> display") {
    if (!wait_for([&] { return read(folder_.file("display")).find('\n') != std::string::npos; }, 20)) return;
    display_ = ":" + std::to_string(std::atoi(read(folder_.file("display")).c_str()));
    window_.emplace(folder_, "window",
                    "env DISPLAY=" + display_ + " XDG_CONFIG_HOME=" + quoted(folder_.file("config")) + " LIBGL_ALWAYS_SOFTWARE=1 " + quoted(TILESCOPE_BINARY) + " view " + quoted(launch) +
                        " --size 1600x900 --state state.json");
    ready_ = wait_for([&] { return state().value("ready", false) && !state().value("busy", true); }, 60);
    xdo("search --sync --onlyvisible --name Tilescope windowfocus");
    pause(200);
  }

  bool ready() const { return ready_; }
  std::string log() const { return read(folder_.file("xvfb.log")) + read(folder_.file("window.log")); }
  Json state() const {
    Json j = Json::parse(read(folder_.file("state.json")), nullptr, false);
    return j.is_object() ? j : Json::object();
  }

  /// Frames are slow without a graphics card, and this Dear ImGui looks at keys once a frame: they are held.
  void key(const std::string& name) {
    xdo("keydown " + name);
    pause(80);
    xdo("keyup " + name);
    pause(80);
  }
  void click(const std::string& place) {
    const Json now = state(), r = now.value("places", Json::object()).value(place, Json());
    if (!r.is_array()) return;
    xdo("mousemove " + std::to_string(static_cast<int>(r[0].get<double>() + r[2].get<double>() / 2)) + " " + std::to_string(static_cast<int>(r[1].get<double>() + r[3].get<double>() / 2)));
    pause(150);
    xdo("mousedown 1");
    pause(80);
    xdo("mouseup 1");
    pause(100);
  }
  /// The mouse leaves the window.
  void park() {
    xdo("mousemove 1690 990");
    pause(400);
  }
  /// Does `input` and waits until the state is what is expected; once more when nothing came of it. Returns what is missing.
  std::string reach(const std::function<void()>& input, const Json& expected) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      input();
      if (wait_for([&] { return missing(expected, state()).empty(); }, 8)) return "";
    }
    return missing(expected, state());
  }
  bool lives() const { return window_ && window_->lives(); }
  void close_window() { xdo("search --name Tilescope windowclose"); }

 private:
  void xdo(const std::string& arguments) {
    const std::string line = "env DISPLAY=" + display_ + " timeout 20 xdotool " + arguments + " >/dev/null 2>&1";
    if (std::system(line.c_str()) != 0) return;  // what it was for is checked by the state
  }

  const Folder& folder_;
  Background server_;
  std::string display_;
  std::optional<Background> window_;
  bool ready_ = false;
};

}  // namespace

TEST_CASE("the real window draws the frame that is drawn without a screen, and keys and clicks on it reach the state that the script reaches") {
  if (!can_draw()) return;
  if (!installed("Xvfb") || !installed("xdotool")) {
    if (std::getenv("CI") != nullptr) FAIL("CI needs Xvfb and xdotool (packages xvfb and xdotool)");
    MESSAGE("NOT RUN: the real window, because Xvfb or xdotool is missing (packages xvfb and xdotool)");
    return;
  }
  const Folder folder;
  Screen screen(folder, kernel("matmul"));
  INFO(screen.log());
  REQUIRE(screen.ready());
  screen.park();
  screen.key("p");
  const std::string picture = folder.file("tilescope.png");
  CHECK(wait_for([&] { return read(picture).ends_with("IEND\xAE\x42\x60\x82"); }, 15));
  const Folder offscreen;
  CHECK(run(offscreen, "view " + quoted(kernel("matmul")) + " --shot picture.png").status == 0);
  CHECK_MESSAGE(read(picture) == read(offscreen.file("picture.png")), "the frame on a screen is not the one without");
  CHECK(screen.reach([&] { screen.key("Right"); }, {{"line_step", 1}}) == "");
  CHECK(screen.reach([&] { screen.click("scrubber.cell.10"); }, {{"line_step", 10}, {"section", 2}}) == "");
  CHECK(screen.reach([&] { screen.key("Home"); }, {{"line_step", 0}}) == "");
  CHECK(screen.reach([&] { screen.click("tab.memory"); }, {{"state", {{"front_tab", {{"centre", "memory"}}}}}}) == "");
  CHECK(screen.reach([&] { screen.key("4"); }, {{"state", {{"unit", "program"}}}}) == "");
  CHECK(screen.reach([&] { screen.key("Next"); }, {{"state", {{"program", {1, 0, 0}}}}, {"busy", false}}) == "");
  CHECK(screen.reach([&] { screen.key("t"); }, {{"state", {{"theme", "light"}}}}) == "");
  const Json reached = screen.state();

  const Folder scripted;
  const Result r = play(scripted, kernel("matmul"), "key Right\nclick scrubber.cell.10\nkey Home\nclick tab.memory\nkey 4\nkey PageDown\nwait\nkey T\n");
  REQUIRE(r.status == 0);
  for (const char* part : {"line", "line_step", "section", "steps", "faults", "arguments", "size"}) CHECK(reached[part] == r.state[part]);
  for (const char* part : {"program", "step", "unit", "theme", "front_tab", "hidden"}) CHECK(reached["state"][part] == r.state["state"][part]);
  // The arrangement is on disk a moment later.
  CHECK(wait_for([&] { return read(folder.file("config/tilescope/window.json")).find("light") != std::string::npos; }, 15));
  CHECK(screen.lives());
}
