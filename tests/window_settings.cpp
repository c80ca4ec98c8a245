// What is kept between starts.
#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "visualizer/model/settings.h"
#include "visualizer/model/text_file.h"

using namespace tilescope::model;
namespace fs = std::filesystem;

namespace {

/// A folder that is gone afterwards.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("tilescope_settings_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("settings are the same after they were saved and loaded") {
  const Folder folder;
  Settings s{1700, 950, 1.25f, ThemeChoice::Light, Language::Chinese, true, "a100", {{"grid", true}}, {{"centre", "memory"}}, {{"left", 0.25f}}};
  const std::string path = folder.file("deep/er/window.json");
  CHECK_FALSE(save_settings(path, s).has_value());
  std::string problem;
  const auto loaded = load_settings(path, problem);
  REQUIRE(loaded.has_value());
  CHECK(*loaded == s);
  CHECK(problem.empty());
  ViewState state;
  apply(*loaded, state);
  CHECK(settings_of(state, 1700, 950, 1.25f) == s);
  CHECK(std::distance(fs::directory_iterator(folder.path / "deep/er"), {}) == 1);  // no temporary file stays
}

TEST_CASE("no settings file is no problem") {
  const Folder folder;
  std::string problem = "old";
  CHECK_FALSE(load_settings(folder.file("none.json"), problem).has_value());
  CHECK(problem.empty());
}

TEST_CASE("a broken settings file is told, ignored and kept") {
  const Folder folder;
  const std::string path = folder.file("window.json");
  for (const char* text : {"{\"theme\": \"li", "[1, 2]", "", "\xff\xfe"}) {
    write(path, text);
    std::string problem;
    CHECK_FALSE(load_settings(path, problem).has_value());
    CHECK(problem.find(".broken") != std::string::npos);
    CHECK_FALSE(fs::exists(path));
  }
  CHECK(read_text_file(path + ".broken") == "{\"theme\": \"li");
  CHECK(fs::exists(folder.file("window.json-4.broken")));
}

TEST_CASE("values that make no sense are left out or brought into range") {
  const Folder folder;
  const std::string path = folder.file("window.json");
  write(path, R"({"width": -5, "height": 1e99, "zoom": 40, "theme": 7, "language": ["zh"], "hidden": {"grid": "yes", "tile": true},
                  "front_tab": [], "splits": {"left": 99, "right": "x"}, "unknown": {}})");
  std::string problem;
  const auto s = load_settings(path, problem);
  REQUIRE(s.has_value());
  CHECK(s->width == 0);
  CHECK(s->height == 0);
  CHECK(s->zoom == 2.0f);
  CHECK(s->theme == ThemeChoice::Dark);
  CHECK(s->language == Language::English);
  CHECK(s->hidden == std::map<std::string, bool>{{"tile", true}});
  CHECK(s->front_tab.empty());
  CHECK(s->splits == std::map<std::string, float>{{"left", 0.9f}});
}

TEST_CASE("a text file is replaced as a whole, through a link, and keeps its permissions") {
  const Folder folder;
  const std::string path = folder.file("kernel.py"), link = folder.file("link.py");
  write(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path, link);
  CHECK_FALSE(write_text_file(link, "new\n").has_value());
  CHECK(read_text_file(path) == "new\n");
  CHECK(fs::is_symlink(link));
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(write_text_file(folder.file("no/such/folder.py"), "x").has_value());
  CHECK(write_text_file(folder.path.string(), "x") == "not a regular file");
  CHECK_FALSE(read_text_file(path, 2).has_value());
}

TEST_CASE("a free name is found beside those that are taken") {
  const Folder folder;
  CHECK(unused_path(folder.file("acc.npy")) == folder.file("acc.npy"));
  write(folder.file("acc.npy"), "");
  write(folder.file("acc-2.npy"), "");
  CHECK(unused_path(folder.file("acc.npy")) == folder.file("acc-3.npy"));
}
