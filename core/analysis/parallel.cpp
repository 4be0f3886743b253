#include "core/analysis/parallel.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/roofline.h"
#include "core/analysis/training_step.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

std::optional<ParallelWay> parallel_way_named(std::string_view name) {
  const auto* const place = std::find(std::begin(kParallelWays), std::end(kParallelWays), name);
  if (place == std::end(kParallelWays)) return std::nullopt;
  return static_cast<ParallelWay>(place - std::begin(kParallelWays));
}

std::vector<std::string_view> parallel_assumptions(std::span<const ParallelWay> ways,
                                                   bool training) {
  std::vector<std::string_view> lines = {
      "Memory: the storages of the fullest rank; no buckets, no NCCL, no workspaces.",
      "Time: the roofline of one GPU, then what is sent over half the link's bandwidth (it counts "
      "both "
      "directions); all GPUs on one such link, rings, no latency, nothing overlaps."};
  if (training)
    lines.emplace_back(
        "Backward takes twice the forward's time; recomputing and the optimizer's time are not "
        "counted. Gradients are reduced in the parameters' dtype.");
  const auto has = [&](ParallelWay way) {
    return std::find(ways.begin(), ways.end(), way) != ways.end();
  };
  if (has(ParallelWay::kData))
    lines.emplace_back("dp: the batch is each rank's; gradients are views of their buckets.");
  if (has(ParallelWay::kZero1) || has(ParallelWay::kZero2))
    lines.emplace_back(
        "zero1, zero2: optimizer states (and gradients) are shared evenly; the largest gradient is "
        "whole before it is reduced (zero2).");
  if (has(ParallelWay::kZero3))
    lines.emplace_back(
        "zero3: parameters too; the two largest numbered modules are whole at a time, and what is "
        "in "
        "none all the time.");
  if (has(ParallelWay::kTensor))
    lines.emplace_back(
        "tp: linears by columns, then rows, where N divides their features; heads are taken to "
        "divide; inputs (caches) and all else are whole. Backward sends what forward sends.");
  if (has(ParallelWay::kPipeline))
    lines.emplace_back(
        "pp: stages of nearly the same time, cut where a numbered module begins; N micro-batches "
        "of "
        "the file's batch, all forwards before backwards (GPipe); what is sent is held by its "
        "sender.");
  return lines;
}

ParallelStep::ParallelStep(const Program& program, ParallelQuestion question,
                           const DeviceModel& device)
    : question_(std::move(question)), hardware_(*device.hardware) {
  if (question_.gpus < 2) throw_error(ErrorKind::kUsage, "several GPUs are two or more");
  costs_ = std::make_unique<ProgramCosts>(program, question_.options);
  const Run& run = costs_->run();
  if (!run.problems().empty())
    throw_error(ErrorKind::kUsage,
                format("the program has errors, the first at {}: {}",
                       run.plan().name_of(run.problems()[0].node), run.problems()[0].message));
  seconds_.resize(run.plan().size());
  const ProgramWork work(program, question_.options);
  const StepTime time(work, hardware_);
  for (const RowTime& row : time.rows()) seconds_[row.row] = row.seconds;
  if (question_.training) {
    training_ = std::make_unique<TrainingStep>(program, question_.options, *question_.training);
    const bool is_joint = training_->loss_kind() == LossKind::kJoint;
    factor_ = (is_joint ? 1.0 : 3.0) * static_cast<double>(question_.training->grad_accumulation);
    take_events();
  } else {
    take_lives();
  }
  add_parameters();
}

ParallelStep::~ParallelStep() = default;

void ParallelStep::take_events() {
  const std::span<const MemoryEvent> events = training_->events();
  moments_ = events.size();
  std::map<uint32_t, size_t> open;  // by storage, the piece that it is
  for (size_t i = 0; i < events.size(); ++i) {
    const MemoryEvent& event = events[i];
    Row row = event.row;
    if (event.what != MemoryEvent::What::kBring) {
      const auto place = open.find(event.storage);
      if (place == open.end()) continue;
      Piece& before = pieces_[place->second];
      // What becomes a gradient keeps the row that brought it.
      if (event.what == MemoryEvent::What::kBecome) row = before.row;
      before.end = i - 1;
      open.erase(place);
    }
    if (event.what == MemoryEvent::What::kFree) continue;
    open[event.storage] = pieces_.size();
    pieces_.push_back({i, events.size() - 1, MemoryTimeline::hint(event.bytes), event.kind, row,
                       event.phase == TrainingPhase::kBackward});
  }
}

void ParallelStep::take_lives() {
  const MemoryTimeline& memory = costs_->memory();
  moments_ = memory.rows().size();
  const BranchScope env = costs_->run().shape_env();
  const size_t inputs = costs_->run().program().inputs.size();
  std::vector<int64_t> change(moments_ + 1);
  for (const StorageLife& life : memory.lives()) {
    const size_t begin = life.first < inputs ? 0 : life.first;
    const size_t end = life.last == kNoRow || life.first < inputs ? moments_ - 1 : life.last;
    const int64_t bytes = MemoryTimeline::hint(life.bytes);
    pieces_.push_back({begin, end, bytes, life.kind, life.first, false});
    change[begin] += bytes;
    change[end + 1] -= bytes;
  }
  // What operators bring and drop on their way.
  int64_t live = 0;
  for (Row row = 0; row < moments_; ++row) {
    live += change[row];
    const int64_t inside = MemoryTimeline::hint(memory.rows()[row].peak) - live;
    if (inside > 0) pieces_.push_back({row, row, inside, MemoryKind::kTemporary, row, false});
  }
}

void ParallelStep::add_parameters() {
  for (const StorageLife& life : costs_->memory().lives()) {
    if (life.kind != MemoryKind::kParameter) continue;
    const int64_t bytes = MemoryTimeline::hint(life.bytes);
    parameters_ += bytes;
    if (training_ == nullptr) continue;
    const std::span<const Row> untrained = training_->untrained();
    if (std::find(untrained.begin(), untrained.end(), life.first) != untrained.end()) continue;
    gradients_ += bytes;
    largest_parameter_ = std::max(largest_parameter_, bytes);
  }
}

template <typename Divisor>
int64_t ParallelStep::peak(const Divisor& divisor) const {
  std::vector<int64_t> change(moments_ + 1);
  for (const Piece& piece : pieces_) {
    const int64_t by = divisor(piece);
    if (by == 0) continue;
    const int64_t bytes = (piece.bytes + by - 1) / by;
    change[piece.begin] += bytes;
    change[piece.end + 1] -= bytes;
  }
  int64_t live = 0;
  int64_t most = 0;
  for (const int64_t each : change) {
    live += each;
    most = std::max(most, live);
  }
  return most;
}

std::string_view ParallelStep::refusal(ParallelWay way) const {
  const bool is_state = way == ParallelWay::kZero1 || way == ParallelWay::kZero2;
  if (is_state && training_ == nullptr) return "shares what only training has; it needs --train";
  const bool is_cut = way == ParallelWay::kTensor || way == ParallelWay::kPipeline;
  if (is_cut && training_ != nullptr && training_->loss_kind() == LossKind::kJoint)
    return "cannot cut a program that holds its backward";
  return {};
}

// Parameters that FSDP holds whole at the worst moment.
int64_t ParallelStep::gathered_units() const {
  const std::vector<ModuleId> units = units_of(*costs_);
  std::map<ModuleId, int64_t> bytes;
  for (const StorageLife& life : costs_->memory().lives()) {
    if (life.kind == MemoryKind::kParameter)
      bytes[units[life.first]] += MemoryTimeline::hint(life.bytes);
  }
  const int64_t rest = bytes[0];
  bytes.erase(0);
  std::vector<int64_t> sizes;
  for (const auto& [unit, size] : bytes) sizes.push_back(size);
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.resize(2);
  return rest + sizes[0] + sizes[1];
}

ParallelRow ParallelStep::replicated(ParallelWay way) const {
  const int64_t n = question_.gpus;
  ParallelRow row{.way = way};
  row.memory = peak([&](const Piece& piece) {
    const bool is_shared = (piece.kind == MemoryKind::kOptimizer && way >= ParallelWay::kZero1) ||
                           (piece.kind == MemoryKind::kGradient && way >= ParallelWay::kZero2) ||
                           (piece.kind == MemoryKind::kParameter && way == ParallelWay::kZero3);
    return is_shared ? n : 1;
  });
  if (way == ParallelWay::kZero2 || way == ParallelWay::kZero3) row.memory += largest_parameter_;
  if (way == ParallelWay::kZero3) row.memory += gathered_units();
  // Rings: a reduce-scatter or an all-gather sends (N - 1) / N of the bytes, an all-reduce both.
  int64_t moved = 2 * gradients_;
  if (way == ParallelWay::kZero1 || way == ParallelWay::kZero2) moved = gradients_ + parameters_;
  if (way == ParallelWay::kZero3)
    moved = gradients_ + (training_ == nullptr ? parameters_ : 2 * parameters_);
  row.sent = moved / n * (n - 1) + moved % n * (n - 1) / n;
  for (const double each : seconds_) row.compute += each * factor_;
  return row;
}

ParallelRow ParallelStep::tensor() const {
  const int64_t n = question_.gpus;
  const TensorSplit split(*costs_, n);
  ParallelRow row{.way = ParallelWay::kTensor};
  using Cut = TensorSplit::Cut;
  row.memory = peak([&](const Piece& piece) {
    if (piece.row == kNoRow || piece.row >= seconds_.size()) return int64_t{1};
    const Cut cut = split.cut(piece.row);
    const bool is_cut_linear = cut == Cut::kColumns || cut == Cut::kRows;
    if (piece.kind == MemoryKind::kGradient)
      return is_cut_linear || split.is_split(piece.row) ? n : 1;
    // Backward of a column's linear makes its input's gradient, which is whole.
    if (piece.backward && is_cut_linear) return cut == Cut::kRows ? n : 1;
    return split.is_split(piece.row) ? n : 1;
  });
  const int64_t moved = 2 * split.all_reduced() + split.gathered();
  row.sent = moved / n * (n - 1) + moved % n * (n - 1) / n;
  if (training_ != nullptr) row.sent *= 2 * question_.training->grad_accumulation;
  for (Row each = 0; each < seconds_.size(); ++each) {
    const bool is_cut = split.cut(each) != Cut::kWhole;
    row.compute += seconds_[each] * factor_ / (is_cut ? static_cast<double>(n) : 1.0);
  }
  return row;
}

ParallelRow ParallelStep::pipeline() const {
  const int64_t n = question_.gpus;
  const Stages stages(*costs_, seconds_, n);
  ParallelRow row{.way = ParallelWay::kPipeline};
  row.stages = stages.count();
  for (int64_t stage = 0; stage < stages.count(); ++stage) {
    row.memory = std::max(row.memory, peak([&](const Piece& piece) -> int64_t {
                            const Row of = piece.row < seconds_.size() ? piece.row : kNoRow;
                            return stages.of(of) == stage ? 1 : 0;
                          }));
  }
  row.sent = stages.sent();
  if (training_ != nullptr) row.sent *= 2 * question_.training->grad_accumulation;
  // The slowest stage has N micro-batches to do, and the first of them waits for the others.
  const double turns = static_cast<double>(n + stages.count() - 1) / static_cast<double>(n);
  row.compute = stages.longest() * factor_ * turns;
  return row;
}

ParallelRow ParallelStep::on(ParallelWay way) const {
  if (const std::string_view why = refusal(way); !why.empty())
    throw_error(ErrorKind::kUsage, format("{} {}", kParallelWays[static_cast<size_t>(way)], why));
  const BranchScope env = costs_->run().shape_env();
  ParallelRow row = way == ParallelWay::kTensor     ? tensor()
                    : way == ParallelWay::kPipeline ? pipeline()
                                                    : replicated(way);
  if (hardware_.link_bandwidth > 0)
    row.communication = static_cast<double>(row.sent) / (hardware_.link_bandwidth / 2);
  return row;
}

}  // namespace faketensor
