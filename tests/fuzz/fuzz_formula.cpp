// Any text as a lesson's page and as a formula: blocks and trees, or errors; what is read is written as a line and laid out.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lessons/markdown.h"
#include "visualizer/model/formula_layout.h"

using namespace tilescope;

namespace {

std::string filled(const std::string& live) { return "<" + live + ">"; }

void use(const lessons::FormulaNode& node) {
  lessons::formula_line(node, filled);
  model::FormulaType type;
  type.width = [](std::string_view text, bool small) { return static_cast<float>(text.size()) * (small ? 6.f : 8.f); };
  for (const float width : {400.f, 60.f}) {
    const model::FormulaLayout layout = model::layout_formula(node, filled, type, width);
    if (!(layout.width >= 0 && layout.height >= 0)) std::abort();
    model::layout_formula_parts(node, filled, type, width);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto formula = lessons::parse_formula(text))
    use(*formula);
  else if (render(formula.errors()).empty())
    std::abort();
  std::vector<Diagnostic> problems;
  for (const lessons::TextBlock& block : lessons::parse_markdown(text, &problems))
    for (const lessons::Span& span : block.spans)
      if (span.formula != nullptr) use(*span.formula);
  for (const Diagnostic& d : problems) render(lessons::placed_in_file(d, "fuzz.md", text));
  return 0;
}
