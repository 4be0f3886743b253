// The time that a program takes on a device, by the roofline of each operator that it calls.
//
//   const StepTime time(work, *device_preset("h100")->hardware);
//   time.seconds(), time.rows()[i].bound
//
// Note [The roofline]
// A call takes as long as the slowest of three: its operations at the device's peak for their dtype,
// its bytes at the memory's bandwidth, and the time that PyTorch needs to launch the next kernel. A
// step is the sum of its calls: one stream, one after the other, nothing overlaps. Peaks are the
// maker's; kernels reach a share of them that depends on what they are (Efficiency), which are round
// figures of what well-sized kernels of PyTorch's libraries reach, not measured for one device. So
// the answer is one of scale and of what bounds, not of milliseconds: small kernels, odd sizes and
// caches make it longer or shorter.
//
// Products of float32 run without tensor cores (torch.get_float32_matmul_precision() is "highest"),
// convolutions of float32 as TF32 (torch.backends.cudnn.allow_tf32 is true), as PyTorch's defaults
// have it. A dtype that the device has no rate for runs at float32's.
#pragma once

#include <vector>

#include "core/analysis/program_work.h"

namespace faketensor {

// The share of the peaks that a kind of kernel reaches.
struct Efficiency {
  double compute = 1;
  double memory = 1;
};
Efficiency efficiency(WorkKind kind);

enum class Bound : uint8_t { kCompute, kMemory, kLaunch };
inline constexpr size_t kBounds = 3;
std::string_view name(Bound bound);  // "compute", "memory", "launch"

struct RooflineOptions {
  bool tf32_products = false;  // torch.set_float32_matmul_precision("high")
};

// Operations a second that a call can have.
double peak_flops(const Work& work, const Hardware& hardware, const RooflineOptions& options);

struct CallTime {
  double seconds = 0;
  Bound bound = Bound::kLaunch;
};
// Symbolic sizes count by their hints.
CallTime time_of(const Work& work, const Hardware& hardware, const RooflineOptions& options);

struct RowTime {
  Row row = kNoRow;
  uint32_t calls = 0;
  double seconds = 0;
  Bound bound = Bound::kLaunch;  // of most of its time
  double bound_seconds[kBounds] = {};
};

class StepTime {
 public:
  StepTime(const ProgramWork& work, const Hardware& hardware, const RooflineOptions& options = {});

  // Of the rows that call a kernel, in their order.
  const std::vector<RowTime>& rows() const { return rows_; }
  // Of each module with what is below it, by ModuleId; the first is the whole program.
  const std::vector<double>& modules() const { return modules_; }
  double seconds() const { return modules_[0]; }
  double seconds(Bound bound) const { return by_bound_[static_cast<size_t>(bound)]; }
  double seconds(WorkKind kind) const { return by_kind_[static_cast<size_t>(kind)]; }
  uint32_t calls() const { return calls_; }

 private:
  std::vector<RowTime> rows_;
  std::vector<double> modules_;
  std::array<double, kBounds> by_bound_ = {};
  std::array<double, kWorkKinds> by_kind_ = {};
  uint32_t calls_ = 0;
};

// What a step is of: the size of dimension 0 of the first user input, and of its dimension 1 where
// that input is tokens (integers of rank 2). 0 for none; symbols by their hints.
struct StepItems {
  int64_t samples = 0;
  int64_t tokens = 0;
};
StepItems items_of(const Run& run);

}  // namespace faketensor
