// The command line form of arguments: `--arg x=f32[1000]=randn(1)`, `--arg n=1000`, `--grid 4,2`.
#pragma once

#include <string>
#include <vector>

#include "core/launch_file.h"

namespace tilescope {

/// One `--arg`. Forms:
///   n=1000  n=-3  n=0x10       an integer        eps=1e-5  x=inf  x=nan   a float
///   p=None  flag=true|false                      s="text" or s='text'     a string (constexpr)
///   t[0]=64  t[1]=1            items of the tuple t  act="@relu"  a function of the kernel's file (constexpr)
///   x=f32[1000]=randn(1)       a tensor: dtype[shape]=init; without an init it is empty
///   y=f16[16,32]:strides(32,1)=npy(file.npy)
///   d=f16[64,64]:block(16,BLOCK)=randn(1)   a tensor descriptor of it
/// Inits: zeros, ones, empty, arange, full(v), rand(seed), randn(seed), randint(lo,hi,seed), values(a,b,...),
/// npy(file).
Expected<LaunchArg> parse_arg(const std::string& text);

/// `--grid 4,2` or `--grid "cdiv(n, BLOCK)"`: 1 to 3 entries separated by commas outside parentheses.
Expected<std::vector<GridExpr>> parse_grid(const std::string& text);

/// The block of a tensor descriptor: "64, BLOCK_K", an extent for each axis.
Expected<std::vector<GridExpr>> parse_block(const std::string& text, const std::string& place);

/// Sets or replaces an argument of that name.
void set_arg(LaunchSpec& spec, LaunchArg arg);

}  // namespace tilescope
