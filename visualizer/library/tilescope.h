// Tilescope as a C++ library. A program that links tilescope::tilescope writes
//
//   #include <tilescope/tilescope.h>
//
// and finds everything here. What is promised between versions 0.x and 0.x+1 is the source interface of the headers that
// are included below: names stay and keep their meaning, fields may be added. Headers that they include in turn are
// installed as well, but are free to change, and so is the binary interface: build with the version that is installed.
//
//   core/dsl.h            kernels written in C++: `tl::load`, `tl::range` ... as in the kernel language (core/LANGUAGE.md)
//   core/compile.h        kernel text, or a kernel built by C++ (HostKernel), to IR
//   core/launch_file.h    a launch: kernel, grid, arguments, expected outputs; read from JSON or put together
//   core/tensor.h         tensors in host memory
//   core/print.h          the IR as text
//   core/trace.h          what a run leaves behind: counters, faults with their place, printed lines
//   sim/launch.h, run.h   compile, allocate, bind, execute, compare outputs
//   gpu/compare.h         two runs, element by element
//   visualizer/library/kernel_launch.h   all of this in a few calls: begin there
//   visualizer/window/view.h             the window and its options
//
// User errors are values (Diagnostic, Expected) with a place in the source. A bug in the library ends the program with
// "internal error". One launch at a time: the window belongs to the thread that opens it.
#pragma once

#include "core/compile.h"
#include "core/dsl.h"
#include "core/launch_file.h"
#include "core/print.h"
#include "core/tensor.h"
#include "core/trace.h"
#include "gpu/compare.h"
#include "sim/launch.h"
#include "sim/run.h"
#include "visualizer/library/kernel_launch.h"
#include "visualizer/window/view.h"
