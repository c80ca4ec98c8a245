#include "gpu/library.h"

#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#define TILESCOPE_HAS_DLOPEN 1
#endif

namespace tilescope::gpu {

#ifdef TILESCOPE_HAS_DLOPEN

Library::Library(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    const char* why = dlerror();
    if (problem_.empty() && why != nullptr) problem_ = why;
  }
}

void* Library::lookup(const char* symbol) {
  if (handle_ == nullptr) return nullptr;
  void* p = dlsym(handle_, symbol);
  if (p == nullptr) problem_ = std::string("it lacks ") + symbol;
  return p;
}

#else

Library::Library(const std::vector<std::string>&) : problem_("this system's libraries cannot be opened at run time") {}
void* Library::lookup(const char*) { return nullptr; }

#endif

}  // namespace tilescope::gpu
