// What loads, stores and atomics share.
#pragma once

#include "core/lower/builtins.h"

namespace tilescope::lower {

/// cache_modifier and eviction_policy: accepted, checked, and without effect on results.
void check_memory_hints(Context& c, const Args& args, bool is_store);
/// A pointer or a tile of pointers.
ValueId require_memory_pointer(Context& c, const Value& v, const std::string& what);

/// tl.load and tl.store whose first argument is a block pointer, core/lower/builtins_block_pointer.cpp.
Value load_block(Context& c, const Args& args, const SourceRange& range);
Value store_block(Context& c, const Args& args, const SourceRange& range);

/// What the block of a tensor descriptor must be: 1 to 5 axes, the last of at least 16 bytes.
/// core/lower/host_descriptor.cpp
void require_descriptor_block(Context& c, const Shape& block, DType elem, const SourceRange& range);

/// sem= and scope= of an atomic, checked: the attributes of its op. core/lower/builtins_atomic.cpp
std::vector<Attr> atomic_attributes(Context& c, const Value& sem, const Value& scope);

}  // namespace tilescope::lower
