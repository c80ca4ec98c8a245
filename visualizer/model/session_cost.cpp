// Cost thread of a session: what the launch costs a GPU, from the addresses of its programs alone. It needs neither the
// tensors nor the recordings, so it does not wait for the other threads; it works only while somebody looks.
#include <functional>

#include "core/stop.h"
#include "visualizer/model/cost_findings.h"
#include "visualizer/model/session_worker.h"

namespace tilescope::model {
namespace {

constexpr int64_t kMostFigurePrograms = 4096;  ///< whose tiles are drawn one by one
constexpr size_t kMostTiles = 100'000;

cost::GpuDescription gpu_of(const std::string& id) {
  const std::vector<cost::GpuDescription>& all = cost::gpu_descriptions();
  for (const cost::GpuDescription& g : all)
    if (g.id == id) return g;
  return all.front();
}

std::shared_ptr<const TileMap> tiles_under(cost::TrafficSource& source, const cost::DealOrder& order) {
  const std::array<int64_t, 3> grid = source.grid();
  std::vector<int64_t> programs = dealt_order(grid, order, kMostFigurePrograms);
  const std::vector<cost::TileUse> uses = cost::tiles_of(source, programs, kMostTiles);
  if (uses.size() >= kMostTiles) {  // counts of a part would be wrong ones
    const int tensor = source.ops()[static_cast<size_t>(uses.back().op)].tensor;
    TileMap map;
    map.refusal = TileMap::Refusal::Overlap;
    map.refused = tensor < 0 ? source.kernel().function.name : source.tensors()[static_cast<size_t>(tensor)].name;
    map.programs = grid[0] * grid[1] * grid[2];
    map.order = std::move(programs);
    return std::make_shared<const TileMap>(std::move(map));
  }
  return std::make_shared<const TileMap>(make_tile_map(source.ops(), source.tensors(), uses, std::move(programs), grid[0] * grid[1] * grid[2]));
}

const cost::Alternative* find_alternative(const cost::CostReport& report, const OtherOrder& other) {
  for (const cost::Alternative& a : report.alternatives)
    if (a.label == other.label && a.parameter == other.parameter) return &a;
  return nullptr;
}

}  // namespace

/// One piece of work of the cost thread.
class CostEstimation {
 public:
  CostEstimation(LaunchSpec spec, SourcePtr text, CostFindings start, std::function<void(const CostFindings&)> publish,
                 std::function<bool(double)> go_on)
      : spec_(std::move(spec)), text_(std::move(text)), f_(std::move(start)), publish_(std::move(publish)), go_on_(std::move(go_on)) {}

  /// False: given up.
  bool run() {
    if (f_.tiles == nullptr && !find_tiles()) return finish();
    if (!go_on_(-1)) return false;
    publish_(f_);
    if (f_.report == nullptr && !find_report()) return false;
    if (f_.report != nullptr && f_.other_tiles == nullptr && !find_other()) return false;
    return finish();
  }

 private:
  bool finish() {
    if (!go_on_(-1)) return false;
    f_.complete = true;
    publish_(f_);
    return true;
  }

  bool find_tiles() {
    auto source = cost::TrafficSource::open(spec_, 1, text_);
    if (!source) return f_.errors = source.errors(), false;
    f_.kernel = (*source)->kernel().function.name;
    f_.tiles = tiles_under(**source, {});
    return true;
  }

  bool find_report() {
    cost::CostOptions options;
    options.gpu = gpu_of(f_.wish.gpu);
    options.text = text_;
    options.progress = go_on_;
    Expected<cost::CostReport> report = cost::estimate_cost(spec_, options);
    if (!go_on_(-1)) return false;
    if (!report) f_.errors = report.errors();
    else f_.report = std::make_shared<const cost::CostReport>(std::move(*report));
    return true;
  }

  bool find_other() {
    f_.other = choose_other(*f_.report, f_.wish.other);
    const cost::Alternative* a = f_.other ? find_alternative(*f_.report, *f_.other) : nullptr;
    if (a == nullptr) return true;
    publish_(f_);
    LaunchSpec spec = spec_;
    if (a->parameter != "order")
      for (LaunchArg& arg : spec.args)
        if (arg.name == a->parameter) arg.value = a->value;
    auto source = cost::TrafficSource::open(spec, 1, text_);
    if (!go_on_(-1)) return false;
    // The figure beside is a comparison only: without it the launch's own is still worth showing.
    if (source) f_.other_tiles = tiles_under(**source, a->order);
    return true;
  }

  LaunchSpec spec_;
  SourcePtr text_;
  CostFindings f_;
  std::function<void(const CostFindings&)> publish_;
  std::function<bool(double)> go_on_;
};

// ---- what others ask for

void SessionWorker::want_cost(const CostWish& wish, bool again) {
  std::lock_guard lock(mutex_);
  if (!again && cost_wish_ != nullptr && *cost_wish_ == wish && cost_launch_ == launch_asked_) return;
  cost_wish_ = std::make_unique<CostWish>(wish);
  cost_launch_ = launch_asked_;
  ++cost_asked_;
  changed();
}

void SessionWorker::cancel_cost() {
  std::lock_guard lock(mutex_);
  if (cost_idle()) return;
  ++cost_asked_;
  cost_taken_ = cost_asked_;
  auto f = published_.cost == nullptr ? std::make_shared<CostFindings>() : std::make_shared<CostFindings>(*published_.cost);
  f->cancelled = true;
  published_.cost = std::move(f);
  changed();
}

// ---- the thread

bool SessionWorker::cost_outdated(uint64_t asked, uint64_t launch) const {
  return stop_ || cost_asked_ != asked || launch_asked_ != launch;
}

/// What is known already for this launch and wish.
CostFindings SessionWorker::known_cost(const CostWish& wish, uint64_t launch) const {
  CostFindings start;
  if (const CostFindings* had = published_.cost.get(); had != nullptr && published_cost_launch_ == launch) {
    start.kernel = had->kernel;
    start.tiles = had->tiles;
    if (had->wish.gpu == wish.gpu) start.report = had->report;
    if (start.report != nullptr && had->other && had->wish.other == wish.other) start.other = had->other, start.other_tiles = had->other_tiles;
  }
  start.wish = wish;
  return start;
}

void SessionWorker::publish_cost(const CostFindings& findings, uint64_t asked, uint64_t launch) {
  std::lock_guard lock(mutex_);
  if (cost_outdated(asked, launch)) return;
  auto f = std::make_shared<CostFindings>(findings);
  const bool failed = !f->errors.empty() && f->report == nullptr;
  // What does not compile, say, leaves what was there before in sight.
  if (failed && f->tiles == nullptr && published_.cost != nullptr) {
    auto errors = std::move(f->errors);
    f = std::make_shared<CostFindings>(*published_.cost);
    f->errors = std::move(errors);
    f->wish = findings.wish;
    f->complete = true, f->cancelled = false;
  } else {
    // While the report is on its way the last one stays.
    if (f->report == nullptr && !failed && published_.cost != nullptr && published_.cost->report != nullptr && !findings.complete) return;
    published_cost_launch_ = launch;
  }
  published_.cost = std::move(f);
  changed();
}

void SessionWorker::cost_loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || cost_taken_ != cost_asked_; });
    if (stop_) return;
    const uint64_t asked = cost_taken_ = cost_asked_, launch = cost_launch_;
    const CostWish wish = *cost_wish_;
    Request request = request_;
    CostFindings start = known_cost(wish, launch);
    cost_ = Activity{true, Work::Nothing, {}, -1, {}};
    changed();
    lock.unlock();
    const StopScope scope([&] { return cost_outdated(asked, launch); });
    try {
      if (auto complete = complete_launch(request.spec, request.text)) request.spec = std::move(*complete);
      CostEstimation(request.spec, request.text, std::move(start), [&](const CostFindings& f) { publish_cost(f, asked, launch); },
                     [&](double done) {
                       if (done >= 0) say(cost_, Work::Nothing, {}, done, true);
                       return !cost_outdated(asked, launch);
                     })
          .run();
    } catch (const Stopped&) {  // nobody wants it any more
    } catch (const std::exception& e) {
      CostFindings f;
      f.wish = wish, f.complete = true;
      f.errors.push_back(plain_error(std::string("the cost could not be estimated: ") + e.what()));
      publish_cost(f, asked, launch);
    }
    lock.lock();
    cost_.busy = false;
    changed();
  }
}

}  // namespace tilescope::model
