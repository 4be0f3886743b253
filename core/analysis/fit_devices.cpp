#include "core/analysis/fit_devices.h"

#include <map>
#include <tuple>

#include "core/graph/placeholders.h"

namespace faketensor {

RetargetOptions options_on(RetargetOptions options, const DeviceModel& device) {
  options.target = device.target;
  if (options.device || options.literal || !options.inputs.empty()) return options;
  options.device = device.target.build == Target::Build::kCPU
                       ? Device{DeviceType::kCPU}
                       : Device{DeviceType::kCUDA}.normalized();
  return options;
}

bool has_dim(const Program& program, const std::string& name) {
  for (const SymbolSpec& symbol : program.symbols) {
    if (symbol.name == name) return true;
  }
  try {
    return !input_dims(program, name).empty();
  } catch (const Error&) {
    return false;
  }
}

FitAnswer fit_devices(const Program& program, const FitQuestion& question,
                      std::span<const DeviceModel> devices) {
  // Where targets are the same to every rule, so are the peaks.
  using TargetKey = std::tuple<Target::Build, int, int, bool, bool, bool>;
  std::map<TargetKey, PeakBySize> peaks_of;
  FitAnswer answer;
  for (const DeviceModel& device : devices) {
    const Target& target = device.target;
    const TargetKey key{target.build,         target.cudnn,         target.sm,
                        target.deterministic, target.cudnn_enabled, target.mkldnn_enabled};
    auto place = peaks_of.find(key);
    if (place == peaks_of.end()) {
      PeakBySize peaks(program, options_on(question.options, device), question.over,
                       {question.allocator, question.training});
      place = peaks_of.emplace(key, std::move(peaks)).first;
    }
    PeakBySize& peaks = place->second;
    FitRow row{device, peaks.given(), {}, false, {}};
    row.reserved = peaks.reserved(row.usable());
    row.fits = peaks.fits(row.usable());
    answer.size = peaks.given_size();
    if (!question.over.empty() && row.peak)
      row.largest = peaks.largest(row.usable(), question.range);
    if (answer.rows.empty()) {
      for (const int64_t size : question.sizes) answer.peaks.emplace_back(size, peaks.at(size));
    }
    answer.rows.push_back(std::move(row));
  }
  return answer;
}

}  // namespace faketensor
