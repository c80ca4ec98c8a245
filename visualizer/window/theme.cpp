#include "visualizer/window/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope::window {
namespace {

constexpr ImU32 rgb(uint32_t hex) { return IM_COL32((hex >> 16) & 255, (hex >> 8) & 255, hex & 255, 255); }

constexpr Theme kDark{
    .dark = true,
    .window = rgb(0x0D1116), .panel = rgb(0x151A21), .raised = rgb(0x1E252F), .line = rgb(0x2B3440),
    .text1 = rgb(0xE8ECF2), .text2 = rgb(0xAEB8C5), .text3 = rgb(0x8490A0),
    .hatch = rgb(0x7C8898), .hover = rgb(0xFFFFFF), .current_line = rgb(0x123A57),
    .load = rgb(0x56B4E9), .store = rgb(0xE69F00), .compute = rgb(0x009E73), .reduce = rgb(0xCC79A7),
    .fault = rgb(0xD55E00), .selected = rgb(0x0072B2),
    .load_text = rgb(0x7CC6F2), .store_text = rgb(0xF0B32E), .compute_text = rgb(0x2CC79A), .reduce_text = rgb(0xDD95BD),
    .fault_text = rgb(0xFF8A3D), .selected_text = rgb(0x5FB0E8),
    .negative = rgb(0xB88CE8), .zero = rgb(0x212832), .positive = rgb(0xF2D45C)};

constexpr Theme kLight{
    .dark = false,
    .window = rgb(0xE9EDF1), .panel = rgb(0xFFFFFF), .raised = rgb(0xF1F4F7), .line = rgb(0xD3DAE2),
    .text1 = rgb(0x17202C), .text2 = rgb(0x445062), .text3 = rgb(0x5F6B7C),
    .hatch = rgb(0x76828F), .hover = rgb(0x17202C), .current_line = rgb(0xDCEBF6),
    .load = rgb(0x56B4E9), .store = rgb(0xE69F00), .compute = rgb(0x009E73), .reduce = rgb(0xCC79A7),
    .fault = rgb(0xD55E00), .selected = rgb(0x0072B2),
    .load_text = rgb(0x17699E), .store_text = rgb(0x8A5A00), .compute_text = rgb(0x00694D), .reduce_text = rgb(0x8E3F6B),
    .fault_text = rgb(0xB34700), .selected_text = rgb(0x0072B2),
    .negative = rgb(0x623C9E), .zero = rgb(0xF4F5F7), .positive = rgb(0xA67A00)};

int channel(ImU32 c, int shift) { return static_cast<int>((c >> shift) & 255); }

/// Relative luminance of an sRGB colour (WCAG 2).
double luminance(ImU32 c) {
  const auto linear = [](int v) {
    const double x = v / 255.0;
    return x <= 0.03928 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(channel(c, IM_COL32_R_SHIFT)) + 0.7152 * linear(channel(c, IM_COL32_G_SHIFT)) +
         0.0722 * linear(channel(c, IM_COL32_B_SHIFT));
}

// Nine points of matplotlib's viridis (CC0), mixed in between.
constexpr std::array<uint32_t, 9> kViridis{0x440154, 0x472D7B, 0x3B528B, 0x2C728E, 0x21918C, 0x28AE80, 0x5EC962, 0xADDC30, 0xFDE725};

}  // namespace

const Theme& theme_of(model::ThemeChoice choice) { return choice == model::ThemeChoice::Light ? kLight : kDark; }

ImU32 mark_of(const Theme& t, model::StepKind kind) {
  switch (kind) {
    case model::StepKind::Load: return t.load;
    case model::StepKind::Store: return t.store;
    case model::StepKind::Dot: return t.compute;
    case model::StepKind::Reduce: return t.reduce;
    case model::StepKind::Compute: break;
  }
  return t.text3;
}

ImU32 text_of(const Theme& t, model::StepKind kind) {
  switch (kind) {
    case model::StepKind::Load: return t.load_text;
    case model::StepKind::Store: return t.store_text;
    case model::StepKind::Dot: return t.compute_text;
    case model::StepKind::Reduce: return t.reduce_text;
    case model::StepKind::Compute: break;
  }
  return t.text2;
}

ImU32 mix(ImU32 a, ImU32 b, float t) {
  t = std::clamp(t, 0.0f, 1.0f);
  ImU32 out = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const float x = static_cast<float>(channel(a, shift)), y = static_cast<float>(channel(b, shift));
    out |= static_cast<ImU32>(std::lround(x + (y - x) * t)) << shift;
  }
  return out;
}

ImU32 with_alpha(ImU32 c, float alpha) {
  const auto a = static_cast<ImU32>(std::lround(std::clamp(alpha, 0.0f, 1.0f) * 255));
  return (c & ~IM_COL32_A_MASK) | (a << IM_COL32_A_SHIFT);
}

ImU32 ink_on(ImU32 background) {
  const double l = luminance(background);
  // Contrast with black is (l + .05) / .05, with white 1.05 / (l + .05); they are equal at 0.179.
  return l > 0.179 ? IM_COL32(0, 0, 0, 255) : IM_COL32(255, 255, 255, 255);
}

ImU32 signed_colour(const Theme& t, double value, double reach) {
  if (!(reach > 0)) return t.zero;
  const double x = std::clamp(value / reach, -1.0, 1.0);
  const auto share = static_cast<float>(std::pow(std::abs(x), 0.72));
  return mix(t.zero, x < 0 ? t.negative : t.positive, share);
}

ImU32 viridis(double x) {
  if (!(x > 0)) return rgb(kViridis.front());
  if (x >= 1) return rgb(kViridis.back());
  const double at = x * (kViridis.size() - 1);
  const auto i = static_cast<size_t>(at);
  return mix(rgb(kViridis[i]), rgb(kViridis[i + 1]), static_cast<float>(at - static_cast<double>(i)));
}

}  // namespace tilescope::window
