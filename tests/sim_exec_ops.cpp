// Every row of ops.def through the executor's plan, for every element type and shape kind it takes.
#include <doctest/doctest.h>

#include "sim/plan.h"
#include "tests/op_forms.h"

namespace tilescope {
namespace {

TEST_CASE("the executor knows every op of the table, in every form that the verifier accepts") {
  for (int k = 0; k < op_count(); ++k) {
    const auto code = static_cast<OpCode>(k);
    const std::vector<Function> forms = testing::OpForms().make(code);
    CAPTURE(std::string(op_info(code).name));
    CHECK(!forms.empty());
    for (const Function& f : forms) {
      for (bool closed : {true, false}) {
        RunOptions o;
        o.closed_forms = closed;
        Expected<std::unique_ptr<Plan>> plan = make_plan(f, o);
        CHECK_MESSAGE(plan.ok(), (plan.ok() ? "" : render(plan.errors())));
        o.check.bounds = o.check.addresses = false;
        o.limits.max_steps_per_program = 1000;
        const RunTrace t = run(f, {}, {2, 1, 1}, o);
        CHECK_MESSAGE(t.faults.empty(), (t.faults.empty() ? "" : t.faults[0].message));
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
