#include "visualizer/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/report/text.h"
#include "visualizer/report/units.h"

namespace tilescope::report {
namespace {

using cost::CostReport;
using cost::OpTraffic;

// Colours are those of the window.
constexpr const char* kStyle = R"(
:root { color-scheme: light dark;
  --window: #E9EDF1; --panel: #FFFFFF; --raised: #F1F4F7; --line: #D3DAE2; --t1: #17202C; --t2: #445062; --t3: #5F6B7C;
  --load-text: #17699E; --good-text: #00694D; --fault-text: #B34700; --hover: #17202C; }
@media (prefers-color-scheme: dark) { :root {
  --window: #0D1116; --panel: #151A21; --raised: #1E252F; --line: #2B3440; --t1: #E8ECF2; --t2: #AEB8C5; --t3: #8490A0;
  --load-text: #7CC6F2; --good-text: #2CC79A; --fault-text: #FF8A3D; --hover: #FFFFFF; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 24px; background: var(--window); color: var(--t1); font: 15px/1.45 system-ui, "WenQuanYi Micro Hei", sans-serif; }
main { max-width: 1192px; margin: 0 auto; }
h1 { font-size: 28px; font-weight: 400; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 18px; font-weight: 400; margin: 0; }
p { margin: 4px 0 0; color: var(--t2); }
code, .mono, td.num, text.mono { font-family: "DejaVu Sans Mono", ui-monospace, monospace; }
code { font-size: 14px; white-space: pre-wrap; unicode-bidi: isolate; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 8px; margin-top: 8px; }
.facts { grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); margin-top: 16px; }
section { background: var(--panel); border-radius: 4px; padding: 16px; min-width: 0; }
.cards > section:last-child:nth-child(odd), section.wide { grid-column: 1 / -1; }
section > p:first-of-type { margin-bottom: 12px; }
.facts section > p { margin: 4px 0 0; font-size: 14px; }
.big { font-size: 28px; line-height: 1.25; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: right; font-weight: 400; color: var(--t3); font-size: 13px; padding: 4px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; }
td { padding: 5px 8px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th.left, td.left { text-align: left; }
tr.now td { background: var(--raised); }
td code { white-space: nowrap; overflow-wrap: normal; }
td.code code { white-space: pre; }
td.code { text-align: left; white-space: pre; max-width: 460px; overflow: hidden; text-overflow: ellipsis; }
ul { margin: 8px 0 0; padding-left: 20px; color: var(--t2); }
svg { display: block; max-width: 100%; height: auto; }
svg text { fill: var(--t2); font-family: system-ui, "WenQuanYi Micro Hei", sans-serif; }
svg text.mono { font-family: "DejaVu Sans Mono", ui-monospace, monospace; }
svg .t1 { fill: var(--t1); } svg .t2 { fill: var(--t2); } svg .t3 { fill: var(--t3); } svg .good { fill: var(--good-text); }
svg .on-mark { fill: #000000; }
svg .load, .key.load { fill: #56B4E9; background: #56B4E9; } svg .compute, .key.compute { fill: #009E73; background: #009E73; }
svg .muted { fill: #8490A0; } svg .dim { fill-opacity: 0.55; } svg .chosen { stroke: var(--hover); stroke-width: 2; }
svg .cell { stroke: var(--panel); stroke-width: 1; } svg .empty { fill: var(--raised); }
svg .grid { stroke: var(--line); stroke-width: 1; } svg .tick { stroke: var(--t3); stroke-width: 1; }
svg .dashed { stroke: var(--t3); stroke-width: 1; stroke-dasharray: 4 4; }
svg .whisker { stroke: var(--t1); stroke-width: 1.5; } svg .mark { fill: var(--panel); stroke: var(--t1); stroke-width: 2; }
svg .roof { fill: none; stroke: var(--t1); stroke-width: 2; }
svg .point { fill: #56B4E9; stroke: var(--hover); stroke-width: 2; } svg .hollow { fill: var(--panel); stroke: #56B4E9; stroke-width: 3; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; color: var(--t2); font-size: 13px; margin: 8px 0 0; }
.key { display: inline-block; width: 14px; height: 10px; margin-right: 6px; }
.key.diamond { width: 9px; height: 9px; transform: rotate(45deg); background: var(--panel); border: 2px solid var(--t1); }
.key.dot, .key.ring { width: 12px; height: 12px; border-radius: 6px; margin-bottom: -1px; }
.key.dot { background: #56B4E9; border: 2px solid var(--hover); } .key.ring { background: var(--panel); border: 3px solid #56B4E9; }
.key.spread { height: 2px; margin-bottom: 4px; background: var(--t1); }
)";

std::string tag(const std::string& name, const std::string& attributes, const std::string& inside) {
  return "<" + name + (attributes.empty() ? "" : " " + attributes) + ">" + inside + "</" + name + ">";
}

std::string code(std::string_view text) { return tag("code", "", escaped(text)); }

std::string section(const std::string& title, const std::string& about, const std::string& inside, bool wide = false) {
  return tag("section", wide ? "class=\"wide\"" : "",
             tag("h2", "", escaped(title)) + (about.empty() ? "" : tag("p", "", about)) + inside) +
         "\n";
}

std::string fact(const std::string& big, const std::string& small) {
  return tag("section", "", tag("div", "class=\"big\"", escaped(big)) + tag("p", "", escaped(small))) + "\n";
}

struct Column {
  const char* title;
  const char* style;  ///< of its cells: "left", "num", "code"
};

/// Cells are markup already.
class Rows {
 public:
  explicit Rows(std::vector<Column> columns) : columns_(std::move(columns)) {
    std::string head;
    for (const Column& c : columns_) head += tag("th", c.style[0] == 'n' ? "" : "class=\"left\"", escaped(c.title));
    body_ = tag("thead", "", tag("tr", "", head)) + "\n<tbody>\n";
  }
  void add(const std::vector<std::string>& cells, bool now = false) {
    std::string row;
    for (size_t i = 0; i < cells.size(); ++i)
      row += tag("td", fmt::format("class=\"{}\"", columns_[i].style), cells[i]);
    body_ += tag("tr", now ? "class=\"now\"" : "", row) + "\n";
  }
  std::string str() const { return tag("div", "class=\"scroll\"", tag("table", "", body_ + "</tbody>\n")); }

 private:
  std::vector<Column> columns_;
  std::string body_;
};

double quotient(uint64_t a, uint64_t b) { return b == 0 ? 1 : static_cast<double>(a) / static_cast<double>(b); }

std::string tensors_table(const CostReport& r) {
  Rows rows({{"tensor", "left"},
             {"access", "left"},
             {"asked", "num"},
             {"moved", "num"},
             {"useful", "num"},
             {"distinct", "num"},
             {"used in a program", "num"},
             {"by programs", "num"},
             {"requests", "num"},
             {"sectors", "num"},
             {"DRAM", "num"},
             {"spread", "num"},
             {"L2 hit", "num"}});
  for (const cost::TensorCost& t : r.tensors)
    for (bool loads : {true, false}) {
      const OpTraffic& x = loads ? t.loads : t.stores;
      if (x.times == 0) continue;
      const cost::Spread& dram = loads ? t.dram_read : t.dram_written;
      rows.add({code(t.name), loads ? "loads" : "stores", bytes_text(x.asked_bytes), bytes_text(x.moved_bytes),
                percent_text(std::min(1.0, x.efficiency())), bytes_text(x.distinct_bytes),
                ratio_text(quotient(x.asked_bytes, x.program_bytes)),
                ratio_text(quotient(x.program_bytes, x.distinct_bytes)), with_commas(x.requests),
                with_commas(x.sectors), bytes_text(dram.mean), spread_text(dram),
                loads ? percent_text(t.l2_hit_rate.mean) : ""});
    }
  return rows.str();
}

std::string lines_table(const CostReport& r, const SourcePtr& source) {
  Rows rows({{"line", "num"},
             {"access", "left"},
             {"tensor", "left"},
             {"times", "num"},
             {"asked", "num"},
             {"moved", "num"},
             {"useful", "num"},
             {"a tile", "num"},
             {"DRAM read", "num"},
             {"source", "code"}});
  for (const cost::LineCost& l : r.lines) {
    const OpTraffic& x = l.traffic;
    const std::string_view text = trimmed_line(source, l.op.line);
    rows.add({std::to_string(l.op.line), escaped(l.op.mnemonic), code(l.tensor), with_commas(x.times),
              bytes_text(x.asked_bytes), bytes_text(x.moved_bytes), percent_text(std::min(1.0, x.efficiency())),
              x.tiles ? ratio_text(quotient(x.times, x.tiles)) : "", l.op.loads ? bytes_text(l.dram_read.mean) : "",
              code(shortened(text, 400))});
  }
  return rows.str();
}

std::string alternatives_table(const CostReport& r) {
  Rows rows({{"order", "left"},
             {"DRAM read", "num"},
             {"spread", "num"},
             {"L2 hit", "num"},
             {"spread", "num"},
             {"time", "num"},
             {"tiles for the first programs", "num"}});
  for (const cost::Alternative& a : r.alternatives)
    rows.add({code(a.label) + (a.current ? " this launch" : ""), bytes_text(a.dram_read.mean), spread_text(a.dram_read),
              percent_text(a.l2_hit_rate.mean), share_spread_text(a.l2_hit_rate), time_text(a.total_ms),
              with_commas(a.tile_loads_first)},
             a.current);
  return rows.str();
}

std::string header(const CostPage& page) {
  const CostReport& r = page.cost;
  std::string out = tag("h1", "", escaped(r.kernel) + " on " + escaped(r.gpu.name)) + "\n";
  std::string launch =
      grid_text(r.grid) + " of " + counted(r.num_warps, "warp") + ", " + counted(r.num_stages, "stage");
  out += tag("p", "", escaped(launch) + (page.source ? ", from " + code(page.source->path) : "")) + "\n";
  std::string values;
  for (const auto& [name, value] : page.constexprs)
    values += (values.empty() ? "" : " &#160; ") + code(name + " = " + value);
  if (!values.empty()) out += tag("p", "", values) + "\n";
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string facts(const CostReport& r) {
  const cost::Estimate& e = r.estimate;
  const cost::Occupancy& o = r.occupancy;
  std::string out =
      fact(time_text(e.total_ms), std::string("estimated, bound by ") + bound_name(e) +
                                      (e.because.empty() ? "" : ". " + capitalised(e.because)) + ". Parts: DRAM " +
                                      time_text(e.memory_ms) + ", L2 " + time_text(e.l2_ms) + ", arithmetic " +
                                      time_text(e.compute_ms) + ", latency " + time_text(e.latency_ms) + ".");
  const std::string spread = spread_text(r.dram_read);
  out += fact(bytes_text(r.dram_read.mean),
              "read from DRAM" + (spread.empty() ? "" : ", " + spread + " over " + counted(r.seeds, "seed")) + "; " +
                  bytes_text(r.dram_written.mean) + " written");
  const std::string hits = share_spread_text(r.l2_hit_rate);
  out += fact(percent_text(r.l2_hit_rate.mean), "of the L2's sectors hit" + (hits.empty() ? "" : " (" + hits + ")") +
                                                    "; the SMs ask for " + bytes_text(r.l2_bytes));
  out +=
      fact(waves_text(o), fmt::format("{} at once on an SM, limited by {}: {}{}. {} registers a thread{}, {} "
                                      "of shared memory{}; {} of the "
                                      "warps an SM holds.",
                                      counted(o.programs_per_sm, "program"), o.limited_by, at_once_text(o, r.gpu.sms),
                                      o.waves > 1 ? ", the last wave " + percent_text(o.last_wave) + " full" : "",
                                      o.registers, o.registers_known ? "" : " (estimated)", bytes_text(o.shared_bytes),
                                      o.shared_known ? "" : " (estimated)", percent_text(o.warps_fraction)));
  return tag("div", "class=\"cards facts\"", "\n" + out);
}

std::string legend(const std::vector<std::pair<std::string, std::string>>& keys) {
  std::string out;
  for (const auto& [style, text] : keys)
    out += tag("span", "", tag("span", "class=\"key " + style + "\"", "") + escaped(text));
  return tag("div", "class=\"legend\"", out);
}

/// The launch and the order that is farthest from it; the table of orders has all.
std::string roofline_legend(const CostReport& r) {
  const std::vector<RooflinePoint> points = roofline_points(r);
  const RooflinePoint* far = nullptr;
  std::vector<std::pair<std::string, std::string>> keys;
  const auto words = [](const RooflinePoint& p) {
    return p.label + ": " + flops_text(p.rate) + " at " + count_text(p.intensity) + " flop/B";
  };
  const auto distance = [&](const RooflinePoint& p) { return std::abs(std::log(p.intensity / r.roofline.intensity)); };
  for (const RooflinePoint& p : points) {
    if (p.current) keys.push_back({"dot", words(p)});
    if (!p.current && (far == nullptr || distance(p) > distance(*far))) far = &p;
  }
  if (far != nullptr && distance(*far) > 0.02)
    keys.push_back({"ring", words(*far) + (points.size() > 2 ? ", the farthest of the other orders" : "")});
  return legend(keys);
}

std::string figures(const CostPage& page) {
  const CostReport& r = page.cost;
  std::string out =
      section("Where the bytes go", "The scale is logarithmic: equal steps are equal factors.", ladder_figure(r).str());
  if (auto dram = dram_figure(r, page.measured)) {
    std::vector<std::pair<std::string, std::string>> keys{{"load", "model, mean over the seeds"},
                                                          {"spread", "lowest to highest"}};
    if (!page.measured.empty()) keys.push_back({"diamond", "hardware counter"});
    const std::string parameter =
        r.alternatives[0].parameter == "order" ? "order of programs" : r.alternatives[0].parameter;
    out += section("DRAM read by " + parameter, "The launch as it is has an outline.", dram->str() + legend(keys));
  }
  if (auto roofline = roofline_figure(r))
    out += section("Roofline", "Left of the corner memory binds, right of it arithmetic does.",
                   roofline->str() + roofline_legend(r));
  if (auto order = order_figure(page.orders)) {
    const bool numbered = order->str().find("on-mark") != std::string::npos;
    out += section("Which tiles the first programs need", numbered ? "Numbers: when a program comes, from 0." : "",
                   order->str() + legend({{"load", "loaded at least once"}, {"compute", "stored"}}));
  }
  if (page.run != nullptr)
    if (auto reuse = reuse_figure(*page.run))
      out += section("How often elements were loaded", "Elements by number of loads, over all programs.", reuse->str());
  return tag("div", "class=\"cards\"", "\n" + out);
}

std::string tables(const CostPage& page) {
  const CostReport& r = page.cost;
  std::string out = section("By tensor",
                            "Useful: the share of whole 32-byte sectors that lanes asked for. Then how often a program "
                            "uses a byte that it loads, and how many programs do.",
                            tensors_table(r), true);
  if (!r.lines.empty())
    out +=
        section("By line", "A tile: how often the launch loads or stores one tile.", lines_table(r, page.source), true);
  if (r.alternatives.size() > 1) out += section("Other orders", "", alternatives_table(r), true);
  std::string notes;
  for (const std::string& n : r.notes) notes += tag("li", "", escaped(n));
  notes +=
      tag("li", "",
          "Everything here is estimated by a model of the GPU from the addresses of the launch; 1 GB is 10^9 bytes.");
  out += section("How these numbers came about", "", tag("ul", "", notes), true);
  return tag("div", "class=\"cards\"", "\n" + out);
}

}  // namespace

std::string cost_html(const CostPage& page) {
  const std::string title = escaped(page.cost.kernel) + " on " + escaped(page.cost.gpu.name);
  std::string head =
      "<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" +
      tag("title", "", title) + tag("style", "", kStyle);
  return "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n" + tag("head", "", "\n" + head) +
         "\n" +
         tag("body", "", tag("main", "", "\n" + header(page) + facts(page.cost) + figures(page) + tables(page))) +
         "\n</html>\n";
}

}  // namespace tilescope::report
