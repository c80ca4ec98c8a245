// Kernels that are pasted into the window.
#include <doctest/doctest.h>

#include "visualizer/model/controller.h"
#include "visualizer/model/pasted_kernel.h"
#include "window_run.h"
#include "window_session.h"

namespace tilescope::model {
namespace {

const std::string kText =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef twice(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    tl.store(y_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)\n";

TEST_CASE("a pasted kernel opens in the place of what was shown, without a file") {
  const auto pasted = open_pasted(kText, "pasted.py");
  REQUIRE(pasted);
  Controller c(std::make_unique<Session>(lesson_launch("softmax")));
  REQUIRE(c.session().wait());
  c.open(pasted->launch.spec, pasted->text);
  c.session().set_notes({guessed_text(pasted->launch)});
  REQUIRE(c.session().wait());
  const Published p = c.session().published();
  CHECK(p.errors.empty());
  REQUIRE(p.launch != nullptr);
  CHECK(p.launch->kernel.function.name == "twice");
  CHECK(p.notes == std::vector<std::string>{"guessed: n = 1000, BLOCK = 32; shapes of tensors"});
  REQUIRE(p.totals != nullptr);
  CHECK(p.totals->trace.faults.empty());
  c.set_argument("n", int64_t{500});
  REQUIRE(c.session().wait());
  CHECK(c.session().published().notes.empty());
}

TEST_CASE("text without a kernel and text of several kernels") {
  const auto none = open_pasted("x = 1\n", "pasted.py");
  REQUIRE_FALSE(none);
  CHECK(none.errors()[0].message == "there is no kernel in what was pasted");
  const auto two = open_pasted(kText + "\n\n@triton.jit\ndef other(x_ptr):\n    tl.store(x_ptr, 1.0)\n", "pasted.py");
  REQUIRE(two);
  CHECK(two->launch.spec.kernel == "twice");
}

}  // namespace
}  // namespace tilescope::model

namespace {

using window_run::can_draw;
using window_run::Folder;
using window_run::Result;

const std::string kOther =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef thrice(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    tl.store(y_ptr + i, 3 * tl.load(x_ptr + i, mask=i < n), mask=i < n)\n";

/// twice.py is shown and edited; then `kOther` is pasted beside the editor.
Result paste_over_an_edit(const Folder& folder, const std::string& then) {
  window_run::write(folder.file("twice.py"), tilescope::model::kText);
  window_run::write(folder.file("other.py"), kOther);
  const std::string script = "wait\nclick source.line.1\nkey Home\ntype # mine\nkey Enter\nframes 3\nkey Escape\nclick panel.grid\nframes 2\npaste other.py\nwait\nframes 3\n";
  return window_run::play(folder, folder.file("twice.py"), script + then);
}

TEST_CASE("pasting over unsaved text asks; going back keeps the text, saving writes it first") {
  if (!can_draw()) return;
  const Folder folder;
  Result r = paste_over_an_edit(folder, "click unsaved.cancel\nframes 2\nkey Ctrl+S\nframes 2\n");
  INFO(r.output);
  CHECK(window_run::missing({{"popup", 0}, {"message", "saved " + folder.file("twice.py")}}, r.state) == "");
  CHECK(window_run::read(folder.file("twice.py")).starts_with("# mine\n"));
  r = paste_over_an_edit(folder, "click unsaved.save\nframes 2\nwait\n");
  CHECK(window_run::missing({{"popup", 0}, {"message", "pasted thrice"}, {"errors", window_run::Json::array()}}, r.state) == "");
  CHECK(window_run::read(folder.file("twice.py")).starts_with("# mine\n"));
  r = paste_over_an_edit(folder, "click unsaved.discard\nframes 2\nwait\n");
  CHECK(window_run::missing({{"message", "pasted thrice"}}, r.state) == "");
  CHECK(window_run::read(folder.file("twice.py")) == tilescope::model::kText);
}

TEST_CASE("a pasted kernel is saved as a new file at the first try") {
  if (!can_draw()) return;
  const Folder folder;
  window_run::write(folder.file("other.py"), kOther);
  const Result r = window_run::play(folder, window_run::kernel("softmax"), "wait\nclick panel.grid\npaste other.py\nwait\nframes 3\nwait\nkey Ctrl+S\nframes 2\n");
  INFO(r.output);
  CHECK(window_run::missing({{"message", "saved pasted.py"}}, r.state) == "");
  CHECK(window_run::read(folder.file("pasted.py")) == kOther);
}

}  // namespace
