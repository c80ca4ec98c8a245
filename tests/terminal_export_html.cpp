#include <doctest/doctest.h>

#include <algorithm>

#include "tests/terminal_cost_data.h"
#include "visualizer/report/html.h"

using namespace tilescope;
using namespace tilescope::report;

namespace {

bool mentions(const std::string& text, const std::string& part) {
  bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("looked for: ", part);
  return found;
}

/// The first thing that keeps the page from being well-formed: tags that do not nest, attributes without quotes, bare
/// &, < or >; empty when there is none. Comments and CDATA are not expected.
std::string malformed(const std::string& xml) {
  std::vector<std::string> open;
  size_t at = 0;
  const auto near = [&] { return " near: " + xml.substr(at > 40 ? at - 40 : 0, 100); };
  while (at < xml.size()) {
    const char c = xml[at];
    if (c == '&') {
      const size_t end = xml.find(';', at);
      static const std::vector<std::string> known = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#160;"};
      if (end == std::string::npos ||
          std::find(known.begin(), known.end(), xml.substr(at, end - at + 1)) == known.end())
        return "bare &" + near();
      at = end + 1;
    } else if (c == '<' && xml.compare(at, 9, "<!DOCTYPE") == 0) {
      at = xml.find('>', at) + 1;
    } else if (c == '<') {
      size_t end = at + 1;
      for (bool quoted = false; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
        if (xml[end] == '"') quoted = !quoted;
        if (xml[end] == '<') return "< inside a tag" + near();
      }
      if (end >= xml.size()) return "tag without end" + near();
      const std::string tag = xml.substr(at + 1, end - at - 1);
      if (tag.empty()) return "empty tag" + near();
      const std::string name = tag.substr(tag[0] == '/', tag.find_first_of(" \n/", 1) - (tag[0] == '/'));
      if (tag[0] == '/') {
        if (open.empty() || open.back() != tag.substr(1))
          return "</" + tag.substr(1) + "> closes " + (open.empty() ? "nothing" : open.back()) + near();
        open.pop_back();
      } else if (tag.back() != '/') {
        open.push_back(name);
      }
      if (std::count(tag.begin(), tag.end(), '"') != 2 * std::count(tag.begin(), tag.end(), '=') &&
          tag.find("content=") == std::string::npos && tag.find("aria-label") == std::string::npos)
        return "attribute without quotes" + near();
      at = end + 1;
    } else {
      ++at;
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

/// Every tag that occurs.
std::vector<std::string> tags(const std::string& html) {
  std::vector<std::string> out;
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    std::string name = html.substr(at + 1, html.find_first_of(" >/\n", at + 2) - at - 1);
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

/// Pairs of texts that touch, and texts that leave the figure.
std::vector<std::string> text_trouble(const Svg& svg) {
  std::vector<std::string> out;
  const auto& t = svg.texts();
  for (size_t i = 0; i < t.size(); ++i) {
    if (t[i].left < -1 || t[i].right > svg.width() + 1 || t[i].top < -1 || t[i].bottom > svg.height() + 1)
      out.push_back("outside: " + t[i].text);
    for (size_t j = i + 1; j < t.size(); ++j)
      if (t[i].left < t[j].right && t[j].left < t[i].right && t[i].top < t[j].bottom && t[j].top < t[i].bottom)
        out.push_back(t[i].text + " | " + t[j].text);
  }
  return out;
}

void check_texts(const std::optional<Svg>& svg) {
  REQUIRE(svg);
  for (const std::string& trouble : text_trouble(*svg)) FAIL_CHECK(trouble);
}

RunTrace reuse_run() {
  RunTrace run;
  TensorReport t;
  t.name = "a_ptr";
  t.shape = {8192, 8192};
  t.reuse = {64, 64, {{64, 67108864}}};
  run.tensors.push_back(t);
  t.name = "window_ptr";
  t.reuse.histogram.clear();
  for (uint64_t i = 1; i < 40; ++i) t.reuse.histogram[i] = i * 1000;
  run.tensors.push_back(t);
  return run;
}

}  // namespace

TEST_CASE("the page is well-formed, complete in itself, and holds the figures and tables") {
  const cost::CostReport r = grouped_report();
  const RunTrace run = reuse_run();
  CostPage page{r,    grouped_source(),    {{"GROUP_M", "8"}},
                &run, {{8, 1513147648.0}}, {nine_programs(1), nine_programs(3)}};
  const std::string html = cost_html(page);
  CHECK(malformed(html) == "");
  for (const char* part : {"<h1>grouped_matmul_kernel on NVIDIA H200</h1>",
                           "GROUP_M = 8",
                           "Where the bytes go",
                           "DRAM read by GROUP_M",
                           "Roofline",
                           "Which tiles the first programs need",
                           "How often elements were loaded",
                           "By tensor",
                           "By line",
                           "Other orders",
                           "hardware counter",
                           "tiles, first 9 programs",
                           ">90<",
                           ">54<",
                           "1.73 ms",
                           "64 times",
                           "268,435,456",
                           "a = tl.load(a_tile, mask=(rows[:, None] &lt; M) &amp; (ks[None, :] &lt; left), other=0.0)",
                           "the drift of programs",
                           "prefers-color-scheme: dark"})
    CHECK(mentions(html, part));
  // Nothing runs and nothing is fetched: no scripts, links, pictures, frames, imports, handlers.
  for (const std::string& name : tags(html))
    for (const char* bad : {"script", "link", "img", "iframe", "object", "embed", "image", "use", "foreignObject", "a"})
      CHECK(name != bad);
  for (const char* bad : {"url(", "@import", "src=", "href=", "https:", " on"})
    CHECK_MESSAGE(html.find(std::string(bad) + (bad[0] == ' ' ? "load=" : "")) == std::string::npos, bad);
}

TEST_CASE("hostile names and kernel text stay text") {
  cost::CostReport r = grouped_report();
  const std::string evil = "</code><script>alert(1)</script>\" onload='x' &amp; \xE2\x80\xAE\x01\xff]]>";
  r.kernel = r.gpu.name = r.lines[0].tensor = r.tensors[0].name = r.alternatives[0].label =
      r.alternatives[0].parameter = r.notes[0] = evil;
  r.lines[1].op.mnemonic = r.occupancy.limited_by = r.estimate.because = evil;
  for (int i = 0; i < 100; ++i) r.tensors[1].name += "\xE4\xB8\xAD\xE6\x96\x87 long";
  auto source = std::make_shared<SourceFile>(SourceFile{evil, std::string(30, '\n') + evil + evil});
  ProgramOrderView order = nine_programs(3);
  order.label = order.tensors[0].name = evil;
  RunTrace run = reuse_run();
  run.tensors[0].name = evil;
  CostPage page{r, source, {{evil, evil}}, &run, {}, {order}};
  const std::string html = cost_html(page);
  CHECK(malformed(html) == "");
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find("</script>") == std::string::npos);
  CHECK(html.find("\xE2\x80\xAE") == std::string::npos);
  CHECK(std::none_of(html.begin(), html.end(), [](char c) { return c >= 0 && c < 32 && c != '\n'; }));
  CHECK(mentions(html, "&lt;script&gt;"));
}

TEST_CASE("no text of a figure leaves it or lies over another") {
  const cost::CostReport r = grouped_report();
  check_texts(ladder_figure(r));
  check_texts(dram_figure(r, {{1, 5.51e9}, {8, 1.51e9}}));
  check_texts(roofline_figure(r));
  check_texts(reuse_figure(reuse_run()));
  check_texts(order_figure({nine_programs(1), nine_programs(3)}));
  check_texts(order_figure({nine_programs(9)}));
}

TEST_CASE("figures hold on at extremes: nothing moved, everything tiny, everything huge, long names") {
  for (double scale : {1e-12, 1e-6, 1.0, 1e6}) {
    cost::CostReport r = grouped_report();
    CAPTURE(scale);
    for (double* v :
         {&r.traffic.naive_bytes, &r.traffic.tiled_bytes, &r.traffic.ideal_bytes, &r.traffic.ideal_loads, &r.l2_bytes})
      *v *= scale;
    for (cost::Spread* s : {&r.dram_read, &r.dram_written}) *s = {s->mean * scale, s->low * scale, s->high * scale};
    for (cost::Alternative& a : r.alternatives) {
      a.dram_read = {a.dram_read.mean * scale, a.dram_read.low * scale, a.dram_read.high * scale};
      a.label = "A_RATHER_LONG_PARAMETER_NAME = " + std::to_string(a.value);
    }
    for (double* v :
         {&r.roofline.intensity, &r.roofline.naive_intensity, &r.roofline.tiled_intensity, &r.roofline.ideal_intensity})
      *v /= scale;
    check_texts(ladder_figure(r));
    check_texts(dram_figure(r, {}));
    check_texts(roofline_figure(r));
  }
  cost::CostReport nothing;
  CHECK(ladder_figure(nothing).str().find("nan") == std::string::npos);
  CHECK_FALSE(dram_figure(nothing, {}));
  CHECK_FALSE(roofline_figure(nothing));
  CHECK_FALSE(order_figure({}));
  CHECK_FALSE(reuse_figure(RunTrace{}));
  CHECK(malformed(cost_html({nothing, nullptr, {}, nullptr, {}, {}})) == "");
}

TEST_CASE("the roofline of a memory-bound launch keeps its texts apart too") {
  cost::CostReport r = grouped_report();
  r.roofline = {cost::WorkUnit::Fp32, 67e12, 4.8e12, 0.083, 0.083, 0.083, 0.083, 3.9e11};
  r.alternatives.clear();
  check_texts(roofline_figure(r));
  r.roofline.tiled_intensity = 0.0831;
  r.roofline.ideal_intensity = 0.09;
  check_texts(roofline_figure(r));
}
