#include "visualizer/window/memory_room.h"

#include <imgui.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace tilescope::window {
namespace {

/// Measured with Mesa's llvmpipe on two cores: a picture of a lesson takes 0.9 GiB of addresses, most of them reserved by
/// threads and never touched.
constexpr size_t kAddresses = size_t{896} << 20;

void* allocate(size_t bytes, void*) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr && bytes > 0) throw std::bad_alloc();
  return memory;
}

void release(void* memory, void*) { std::free(memory); }

}  // namespace

std::optional<Diagnostic> no_room_to_draw() {
  void* const probe = ::mmap(nullptr, kAddresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED)
    return plain_error("not enough memory to draw: OpenGL takes " + std::to_string(kAddresses >> 20) + " MiB of addresses",
                       "raise the limit (`ulimit -v`); `tilescope run` needs no window");
  ::munmap(probe, kAddresses);
  return std::nullopt;
}

void throw_when_imgui_finds_no_memory() { ImGui::SetAllocatorFunctions(allocate, release); }

}  // namespace tilescope::window
