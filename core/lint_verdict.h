// From a compiler's message to a verdict: missing here, refused by Triton too, or a matter of the guesses.
#pragma once

#include <string>
#include <vector>

#include "core/lint.h"

namespace tilescope {

struct GuessTrial;  // core/guess.h

struct JudgedError {
  LintVerdict verdict = LintVerdict::CannotTell;
  std::string feature;
};

/// `trial` has errors, or an argument that no launch can give.
JudgedError judge(const GuessTrial& trial);

/// Whether the kernel stops there whatever its arguments are: an import that leads nowhere, a function of the language that
/// Tilescope does not have.
bool no_guess_helps(const Diagnostic& error);

/// The messages that verdicts go by, with stars; those of the second kind say "wrong" where no argument has a part in them.
std::vector<std::string> judged_messages();

/// "import of * from *" matches with any text for each star; what stood there, in order.
bool matches(const std::string& text, const std::string& pattern, std::vector<std::string>* stars);

}  // namespace tilescope
