#include "visualizer/window/texture.h"

#include <GL/gl.h>

#include "core/diagnostic.h"

#ifndef GL_CLAMP_TO_EDGE
#define GL_CLAMP_TO_EDGE 0x812F
#endif

namespace tilescope::window {
namespace {

constexpr int kMostTexels = 4096;
constexpr uint64_t kFramesKept = 120;

ImTextureID id_of(unsigned texture) { return reinterpret_cast<ImTextureID>(static_cast<uintptr_t>(texture)); }

}  // namespace

TextureCache::~TextureCache() { clear(); }

void TextureCache::clear() {
  for (auto& [key, entry] : entries_) glDeleteTextures(1, &entry.texture);
  entries_.clear();
}

ImTextureID TextureCache::get(const std::string& key, uint64_t version, int width, int height,
                              const std::function<void(std::vector<ImU32>& texels)>& paint) {
  if (width < 1 || height < 1 || width > kMostTexels || height > kMostTexels) internal_error("texture size");
  Entry& e = entries_[key];
  e.used = frame_;
  if (e.texture != 0 && e.version == version && e.width == width && e.height == height) return id_of(e.texture);
  std::vector<ImU32> texels(static_cast<size_t>(width) * static_cast<size_t>(height));
  paint(texels);
  GLint bound = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  if (e.texture == 0) glGenTextures(1, &e.texture);
  glBindTexture(GL_TEXTURE_2D, e.texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
  e.version = version;
  e.width = width;
  e.height = height;
  return id_of(e.texture);
}

void TextureCache::end_frame() {
  ++frame_;
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (frame_ - it->second.used <= kFramesKept) {
      ++it;
      continue;
    }
    glDeleteTextures(1, &it->second.texture);
    it = entries_.erase(it);
  }
}

}  // namespace tilescope::window
