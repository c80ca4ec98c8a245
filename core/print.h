// The IR as text. core/read.h reads the same text back; print(read(print(f))) == print(f).
//
//   kernel add(%x_ptr: ptr<f32> {div=16}, %n: i32) num_warps=4 num_stages=3 {BLOCK=256} {
//     %pid: i32 = program_id {axis=0}
//     %0: i32 = constant 256
//     %start: i32 = mul %pid, %0
//     %acc_1: tile<256xf32> = for %lo, %hi, %step, %acc (%k: i32, %sum: tile<256xf32>) {
//       yield %sum
//     }
//     if %c {
//       yield
//     } else {
//       yield
//     }
//     return
//   }
//
// Constants are written by value where that reads back to the same bits (256, 1.5, inf, true), else as 0x bits.
// With locations, the header names the source and each op ends in `loc(14:9-14:20)`, with ` in 14:1-14:30` when the
// statement is another range and ` from "helper" at 31:11-31:30` for each inlined call, innermost first. A range in
// another file than the header's is preceded by that file's name in quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ir.h"

namespace tilescope {

struct PrintOptions {
  bool locations = false;
};

std::string print(const Function& f, const PrintOptions& options = {});
/// One op without its regions, as `print` writes it.
std::string print_op(const Function& f, const Op& op);

/// The unique readable name of each value, without the '%': the source variable's name, with a number behind it when
/// several values carry it; a plain number for a value without a name.
std::vector<std::string> value_names(const Function& f);

/// A constant's lane as text: "256", "1.5", "-inf", "true", or its bits in hexadecimal.
std::string constant_text(const Type& type, uint64_t bits);

}  // namespace tilescope
