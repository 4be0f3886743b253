// Which of some devices a program fits, and up to which size of a dimension.
//
//   const FitAnswer answer = fit_devices(program, {.over = "batch"}, devices);
//   answer.rows[0].fits, answer.rows[0].largest->size
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/fit.h"
#include "core/devices/device_model.h"

namespace faketensor {

// The options as a device has them: its target, and its kind of device for the program's tensors,
// unless a device or exact inputs are given, or the nodes are to stay as they are written.
RetargetOptions options_on(RetargetOptions options, const DeviceModel& device);

// Whether a program has a dimension or symbol of that name (PropagateOptions::dims).
bool has_dim(const Program& program, const std::string& name);

struct FitQuestion {
  RetargetOptions options = {};  // on each device as options_on has them
  std::string over = "batch";    // empty: no largest size is looked for
  SizeRange range = {};          // of it
  // Settings of the caching allocator, "" its own: what fits is what it can give out. None: storages.
  std::optional<std::string> allocator = {};
  // A training step is asked about, by its storages; none: the program's own run.
  std::optional<TrainingOptions> training = {};
  std::vector<int64_t> sizes = {};  // whose peaks are asked for too, on the first device
};

struct FitRow {
  DeviceModel device;
  std::optional<PeakBySize::Peak> peak;  // none: the program has errors there
  std::optional<int64_t> reserved;  // by the allocator; none: it is not asked, or has not enough
  bool fits = false;
  std::optional<Largest> largest;  // none: none was looked for

  int64_t usable() const { return device.hardware->usable(); }
  // Of the usable bytes, less what the allocator reserves, or else the peak; negative where it does not
  // fit.
  int64_t headroom() const { return usable() - (reserved ? *reserved : peak ? peak->bytes : 0); }
};

struct FitAnswer {
  int64_t size = 0;  // that the dimension has by the options
  std::vector<FitRow> rows;
  std::vector<std::pair<int64_t, std::optional<PeakBySize::Peak>>> peaks;
};

// The devices have hardware. Those with one PyTorch share their propagations. Raises UsageError as
// TrainingStep and `propagate_retargeted` do, and for a dimension that there is not.
FitAnswer fit_devices(const Program& program, const FitQuestion& question,
                      std::span<const DeviceModel> devices);

}  // namespace faketensor
