// Files that a person named: what is no file is refused by name, at once.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "core/compile.h"
#include "core/launch_file.h"
#include "core/npy.h"
#include "core/user_file.h"
#include "tests/temporary_folder.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

/// The message of every reader of files must be the same; this returns it.
std::string refusal(const std::string& path) {
  const auto text = read_user_file(path, 1 << 20);
  REQUIRE_FALSE(text.ok());
  const std::string message = text.errors()[0].message;
  const auto source = read_source(path);
  REQUIRE_FALSE(source.ok());
  CHECK(source.errors()[0].message == message);
  const auto launch = load_launch_file(path);
  REQUIRE_FALSE(launch.ok());
  CHECK(launch.errors()[0].message == message);
  const auto array = load_npy(path);
  REQUIRE_FALSE(array.ok());
  CHECK(array.errors()[0].message == message);
  return message;
}

bool ends_with(const std::string& text, const std::string& end) {
  CAPTURE(text);
  return text.ends_with(end);
}

/// A socket that lies in the file system.
struct Socket {
  int handle = ::socket(AF_UNIX, SOCK_STREAM, 0);
  explicit Socket(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof(address.sun_path));
    std::strcpy(address.sun_path, path.c_str());
    REQUIRE(::bind(handle, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  }
  ~Socket() { ::close(handle); }
};

TEST_CASE("pipes, sockets, devices, folders and loops of links are refused by name, without waiting") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo(folder.file("pipe.py").c_str(), 0600) == 0);
  CHECK(ends_with(refusal(folder.file("pipe.py")), "pipe.py: it is a pipe"));
  const Socket socket(folder.file("s"));
  CHECK(ends_with(refusal(folder.file("s")), "/s: it is a socket"));
  CHECK(refusal("/dev/zero") == "cannot read /dev/zero: it is a device");
  CHECK(ends_with(refusal(folder.path.string()), ": it is a folder"));
  fs::create_symlink("b", folder.path / "a");
  fs::create_symlink("a", folder.path / "b");
  CHECK(ends_with(refusal(folder.file("a")), "/a: its links lead in a circle"));
  fs::create_symlink(folder.path / "pipe.py", folder.path / "link.py");
  CHECK(ends_with(refusal(folder.file("link.py")), "link.py: it is a pipe"));
}

TEST_CASE("paths that name nothing say so") {
  CHECK(refusal("/nowhere/k.py") == "cannot read /nowhere/k.py: no such file");
  CHECK(refusal("") == "cannot read : no such file");
  const TemporaryFolder folder;
  const std::string file = folder.write("k.py", "x");
  CHECK(ends_with(refusal(file + "/inside.py"), "inside.py: no such file"));
  CHECK(ends_with(refusal(std::string(5000, 'a')), "the name is too long"));
  CHECK(ends_with(refusal(std::string("k\0.py", 5)), "the path has a zero byte"));
}

TEST_CASE("a file without the permission to read it says so") {
  const TemporaryFolder folder;
  const std::string file = folder.write("k.py", "x");
  fs::permissions(file, fs::perms::none);
  if (::geteuid() == 0) {
    CHECK(read_user_file(file, 10).ok());  // root may read everything
  } else {
    CHECK(ends_with(refusal(file), "k.py: no permission"));
  }
}

TEST_CASE("files of the system that say to have no bytes are read as far as they go") {
  if (!fs::exists("/proc/self/status")) return;
  const auto text = read_user_file("/proc/self/status", 1 << 20);
  REQUIRE(text.ok());
  CHECK(text->find("Pid:") != std::string::npos);
  CHECK_FALSE(load_npy("/proc/self/status").ok());
}

TEST_CASE("a whole file is read, and none beyond the limit") {
  const TemporaryFolder folder;
  const std::string content = std::string(70'000, 'a') + "\n\xff end";
  const std::string file = folder.write("f", content);
  CHECK(*read_user_file(file, content.size()) == content);
  const auto cut = read_user_file(file, content.size() - 1, "make it smaller");
  REQUIRE_FALSE(cut.ok());
  CHECK(ends_with(cut.errors()[0].message, "is larger than " + std::to_string(content.size() - 1) + " bytes"));
  CHECK(cut.errors()[0].hint == "make it smaller");
  CHECK(read_user_file(folder.write("empty", ""), 0)->empty());
}

}  // namespace
