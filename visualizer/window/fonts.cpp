#include "visualizer/window/fonts.h"

#include <algorithm>
#include <filesystem>

#include "visualizer/window/texts.h"

namespace tilescope::window {
namespace {

constexpr TextSize kSizes[] = {TextSize::Caption, TextSize::Code, TextSize::Title, TextSize::Body, TextSize::Question, TextSize::Result,
                               TextSize::Verdict};
constexpr uint32_t kMostCodePoint = 0xFFFF;  // ImWchar has 16 bits in the distribution's build

// Where Debian, Ubuntu, Fedora and Arch put them.
constexpr const char* kInterface[] = {"/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", "/usr/share/fonts/wqy-microhei/wqy-microhei.ttc",
                                      "/usr/share/fonts/wenquanyi/wqy-microhei/wqy-microhei.ttc"};
constexpr const char* kCode[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf", "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf",
                                 "/usr/share/fonts/TTF/DejaVuSansMono.ttf"};

template <size_t N>
const char* first_file(const char* const (&paths)[N]) {
  std::error_code ec;
  for (const char* p : paths)
    if (std::filesystem::is_regular_file(p, ec)) return p;
  return nullptr;
}

/// What every atlas has: Latin, arrows, the signs that numbers and marks use, and those of formulas (lessons/formula.h).
constexpr std::string_view kAlways = "…−×·→←↑↓±≤≥≠∞–—‘’“”•✓✗▸▾²³½°µ"
                                     "αβγδεηθλμπρστφΔΣΠ√∈∂⋮⌈⌉⌊⌋≈÷";

}  // namespace

std::vector<uint32_t> code_points(std::string_view text) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < text.size();) {
    const auto b = static_cast<unsigned char>(text[i]);
    const int length = b < 0x80 ? 1 : b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : b >= 0xC0 ? 2 : 0;
    if (length == 0 || i + static_cast<size_t>(length) > text.size()) {
      ++i;
      continue;
    }
    uint32_t c = length == 1 ? b : b & (0xFFu >> (length + 1));
    bool good = true;
    for (int k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + static_cast<size_t>(k)]);
      good &= (next & 0xC0) == 0x80;
      c = c << 6 | (next & 0x3F);
    }
    if (good) out.push_back(c);
    i += good ? static_cast<size_t>(length) : 1;
  }
  return out;
}

bool FontSet::covers(std::string_view text) const {
  const std::vector<uint32_t> points = code_points(text);
  return std::all_of(points.begin(), points.end(), [&](uint32_t c) { return c > kMostCodePoint || (c < wanted_.size() && wanted_[c]); });
}

bool FontSet::build(float scale, std::string_view text) {
  wanted_.resize(kMostCodePoint + 1, false);
  for (uint32_t c = 0x20; c <= 0xFF; ++c) wanted_[c] = true;
  for (std::string_view s : {kAlways, std::string_view(all_texts()), text})
    for (uint32_t c : code_points(s))
      if (c <= kMostCodePoint) wanted_[c] = true;
  ranges_.clear();
  for (uint32_t c = 1; c <= kMostCodePoint;) {
    if (!wanted_[c]) {
      ++c;
      continue;
    }
    const uint32_t first = c;
    while (c <= kMostCodePoint && wanted_[c]) ++c;
    ranges_.push_back(static_cast<ImWchar>(first));
    ranges_.push_back(static_cast<ImWchar>(c - 1));
  }
  ranges_.push_back(0);

  scale_ = scale;
  fonts_.clear();
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.TexDesiredWidth = 2048;
  const char *interface_face = first_file(kInterface), *code_face = first_file(kCode);
  if (interface_face == nullptr) interface_face = code_face;
  if (code_face == nullptr) code_face = interface_face;
  if (interface_face == nullptr) {
    ImFont* fallback = atlas.AddFontDefault();
    for (TextSize size : kSizes)
      for (bool code : {false, true}) fonts_[{static_cast<int>(size), code}] = fallback;
    atlas.Build();
    return false;
  }
  static constexpr ImWchar kDigits[] = {0x20, 0x7E, 0};
  for (TextSize size : kSizes) {
    const float pixels = static_cast<float>(static_cast<int>(size)) * scale;
    for (bool code : {false, true}) {
      // The largest sizes are for numbers and titles of the interface only.
      if (code && size == TextSize::Verdict) continue;
      ImFontConfig config;
      config.OversampleH = 1;
      config.PixelSnapH = true;
      ImFont* font = atlas.AddFontFromFileTTF(code ? code_face : interface_face, pixels, &config, ranges_.data());
      if (code && interface_face != code_face) {
        config.MergeMode = true;
        atlas.AddFontFromFileTTF(interface_face, pixels, &config, ranges_.data());
      } else if (!code && interface_face != code_face) {
        config.MergeMode = true;  // signs that the Chinese face lacks
        atlas.AddFontFromFileTTF(code_face, pixels, &config, ranges_.data());
      }
      fonts_[{static_cast<int>(size), code}] = font;
    }
  }
  ImFontConfig config;
  config.OversampleH = 1;
  fonts_[{static_cast<int>(TextSize::Number), false}] =
      atlas.AddFontFromFileTTF(interface_face, static_cast<float>(static_cast<int>(TextSize::Number)) * scale, &config, kDigits);
  atlas.Build();
  return true;
}

ImFont* FontSet::get(TextSize size, bool code) const {
  auto it = fonts_.find({static_cast<int>(size), code});
  if (it == fonts_.end()) it = fonts_.find({static_cast<int>(size), !code});
  return it == fonts_.end() ? ImGui::GetFont() : it->second;
}

}  // namespace tilescope::window
