// A program on several GPUs, on paper: memory of the fullest rank, bytes sent, time of a step.
//
//   const ParallelStep step(program, {.options = options, .training = training, .gpus = 8}, device);
//   const ParallelRow row = step.on(ParallelWay::kZero3);
//   row.memory, row.sent, row.seconds()
//
// This is arithmetic on the timeline of one GPU (memory_timeline.h, or training_step.h): each storage
// is whole on a rank, a share of it, or not there. Nothing is run on several ranks. The file's batch is
// each rank's in data parallel and ZeRO, all ranks' in the others. assumptions() says the rest.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/parallel_split.h"
#include "core/analysis/training_options.h"
#include "core/devices/device_model.h"

namespace faketensor {

class TrainingStep;

enum class ParallelWay : uint8_t { kData, kZero1, kZero2, kZero3, kTensor, kPipeline };
inline constexpr std::string_view kParallelWays[] = {"dp", "zero1", "zero2", "zero3", "tp", "pp"};
// Nothing for a word that is none of them.
std::optional<ParallelWay> parallel_way_named(std::string_view name);
// Sentences, what holds for all ways first.
std::vector<std::string_view> parallel_assumptions(std::span<const ParallelWay> ways,
                                                   bool training);

struct ParallelQuestion {
  RetargetOptions options = {};  // as options_on has them
  std::optional<TrainingOptions> training = {};
  int64_t gpus = 2;
};

struct ParallelRow {
  ParallelWay way = ParallelWay::kData;
  int64_t memory = 0;  // bytes, the peak of the rank that has most
  int64_t sent = 0;    // bytes that a rank sends in a step; of a pipeline all ranks together
  double compute = 0;  // seconds
  std::optional<double> communication = {};  // seconds; none: the target names no link
  int64_t stages = 0;                        // of a pipeline

  std::optional<double> seconds() const {
    return communication ? std::optional(compute + *communication) : std::nullopt;
  }
};

class ParallelStep {
 public:
  // The program must outlive this; the device has hardware. Raises UsageError for a program with
  // errors, for fewer than two GPUs, and as TrainingStep does.
  ParallelStep(const Program& program, ParallelQuestion question, const DeviceModel& device);
  ~ParallelStep();

  // Raises UsageError for a way that the program or the question does not allow: ZeRO-1 and 2 without
  // training, tensor and pipeline parallel of a joint graph.
  ParallelRow on(ParallelWay way) const;
  bool allows(ParallelWay way) const { return refusal(way).empty(); }

 private:
  // Bytes that are alive from one moment to another, both included.
  struct Piece {
    size_t begin = 0;
    size_t end = 0;
    int64_t bytes = 0;
    MemoryKind kind = MemoryKind::kActivation;
    Row row = kNoRow;
    bool backward = false;
  };
  std::string_view refusal(ParallelWay way) const;
  void take_events();
  void take_lives();
  void add_parameters();
  // The highest sum, each piece divided; 0 leaves it out.
  template <typename Divisor>
  int64_t peak(const Divisor& divisor) const;
  int64_t gathered_units() const;
  ParallelRow replicated(ParallelWay way) const;
  ParallelRow tensor() const;
  ParallelRow pipeline() const;

  ParallelQuestion question_;
  Hardware hardware_;
  std::unique_ptr<ProgramCosts> costs_;
  std::unique_ptr<TrainingStep> training_;  // null: none was asked for
  std::vector<double> seconds_;             // of the program, by row
  double factor_ = 1;                       // what a step takes, by the program's own time
  std::vector<Piece> pieces_;
  size_t moments_ = 0;
  int64_t parameters_ = 0;         // bytes
  int64_t gradients_ = 0;          // bytes that are reduced
  int64_t largest_parameter_ = 0;  // bytes
};

}  // namespace faketensor
