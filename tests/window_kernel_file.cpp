#include "visualizer/model/kernel_file.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using tilescope::model::KernelFile;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    static int number = 0;
    path_ = fs::temp_directory_path() / ("tilescope_kernel_file_" + std::to_string(number++) + "_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ec;
    fs::remove_all(path_, ec);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(path_), {})); }

 private:
  fs::path path_;
};

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

}  // namespace

TEST_CASE("saving puts the edited text into the file, with its permissions, and leaves nothing else behind") {
  Folder folder;
  const std::string path = folder.file("kernel.py");
  write(path, "old\r\n");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  KernelFile file(path, "old\r\n");
  CHECK(file.differs("new\r\n"));
  CHECK(file.save("new\r\n").outcome == KernelFile::Outcome::Saved);
  CHECK(read(path) == "new\r\n");
  CHECK_FALSE(file.differs("new\r\n"));
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read));
  CHECK(file.save("newer\n").outcome == KernelFile::Outcome::Saved);
  CHECK(read(path) == "newer\n");
  CHECK(folder.files() == 1);
}

TEST_CASE("a file that somebody else changed or removed is overwritten only when asked to again") {
  Folder folder;
  const std::string path = folder.file("kernel.py");
  write(path, "theirs\n");
  KernelFile file(path, "read\n");
  CHECK(file.save("mine\n").outcome == KernelFile::Outcome::ChangedOnDisk);
  CHECK(read(path) == "theirs\n");
  write(path, "theirs again\n");
  CHECK(file.save("mine\n").outcome == KernelFile::Outcome::ChangedOnDisk);
  CHECK(read(path) == "theirs again\n");
  CHECK(file.save("mine\n").outcome == KernelFile::Outcome::Saved);
  CHECK(read(path) == "mine\n");
  fs::remove(path);
  CHECK(file.save("again\n").outcome == KernelFile::Outcome::ChangedOnDisk);
  CHECK(file.save("again\n").outcome == KernelFile::Outcome::Saved);
  CHECK(read(path) == "again\n");
}

TEST_CASE("saving through a link changes the file it leads to; what cannot be saved says why") {
  Folder folder;
  write(folder.file("real.py"), "a\n");
  fs::create_symlink(folder.file("real.py"), folder.file("link.py"));
  KernelFile file(folder.file("link.py"), "a\n");
  CHECK(file.save("b\n").outcome == KernelFile::Outcome::Saved);
  CHECK(read(folder.file("real.py")) == "b\n");
  CHECK(fs::is_symlink(folder.file("link.py")));

  fs::create_directory(folder.file("folder.py"));
  const KernelFile::Result no_file = KernelFile(folder.file("folder.py"), "").save("x");
  CHECK(no_file.outcome == KernelFile::Outcome::Failed);
  CHECK(no_file.reason == "not a regular file");
  KernelFile missing(folder.file("missing/kernel.py"), "");
  CHECK(missing.save("x").outcome == KernelFile::Outcome::ChangedOnDisk);
  const KernelFile::Result nowhere = missing.save("x");
  CHECK(nowhere.outcome == KernelFile::Outcome::Failed);
  CHECK_FALSE(nowhere.reason.empty());
  CHECK(KernelFile().save("x").outcome == KernelFile::Outcome::NoFile);
}
