// Makes a failing kernel small enough to read: statements are left out, one by one, while it still fails.
#include <stdexcept>

#include "tests/property/program.h"

namespace tilescope::property {
namespace {

std::shared_ptr<Stmt> copy(const Stmt& s) { return std::make_shared<Stmt>(s); }

/// The block without its `skip`-th statement, counted through nested blocks; skip goes down to below 0.
Block without(const Block& b, int& skip, bool unwrap) {
  Block out;
  for (const auto& s : b) {
    const bool here = skip-- == 0;
    if (here && unwrap) out.insert(out.end(), s->body.begin(), s->body.end());
    if (here) continue;
    std::shared_ptr<Stmt> kept = copy(*s);
    kept->body = without(s->body, skip, unwrap);
    kept->orelse = without(s->orelse, skip, unwrap);
    out.push_back(kept);
  }
  return out;
}

int count(const Block& b) {
  int n = 0;
  for (const auto& s : b) n += 1 + count(s->body) + count(s->orelse);
  return n;
}

}  // namespace

Program shrink(Program p, const std::function<bool(const Program&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (int at = count(p.body) - 1; at >= 0; --at)
      for (bool unwrap : {false, true}) {
        Program next = p;
        int skip = at;
        next.body = without(p.body, skip, unwrap);
        try {
          if (!fails(next)) continue;
        } catch (const std::out_of_range&) {
          continue;  // a variable that is used was left out
        }
        p = next;
        smaller = true;
        break;
      }
  }
  return p;
}

}  // namespace tilescope::property
