#include "core/analysis/roofline.h"

#include <algorithm>

namespace faketensor {

Efficiency efficiency(WorkKind kind) {
  constexpr Efficiency kEfficiencies[kWorkKinds] = {
      {1.00, 1.00},  // none
      {0.70, 0.80},  // matrix
      {0.60, 0.75},  // convolution
      {0.50, 0.80},  // attention
      {0.50, 0.80},  // elementwise
      {0.50, 0.75},  // reduction
      {0.50, 0.70},  // normalisation
      {0.40, 0.60},  // pooling
      {0.50, 0.45},  // gather
      {0.50, 0.35},  // scatter
      {1.00, 0.75},  // copy
      {1.00, 0.85},  // fill
      {0.50, 0.15},  // sort
      {0.50, 0.50},  // other
  };
  return kEfficiencies[static_cast<size_t>(kind)];
}

std::string_view name(Bound bound) {
  constexpr std::string_view kNames[kBounds] = {"compute", "memory", "launch"};
  return kNames[static_cast<size_t>(bound)];
}

double peak_flops(const Work& work, const Hardware& hardware, const RooflineOptions& options) {
  const bool is_product = work.kind == WorkKind::kMatrix || work.kind == WorkKind::kConvolution ||
                          work.kind == WorkKind::kAttention;
  const PeakFlops& own = hardware.peak(work.rate);
  const double plain = own.plain > 0 ? own.plain : hardware.peak(Rate::kFloat32).plain;
  if (!is_product) return plain;
  if (work.rate != Rate::kFloat32) return std::max(own.tensor, plain);
  const bool is_tf32 = options.tf32_products || work.kind == WorkKind::kConvolution;
  const double tf32 = is_tf32 ? hardware.peak(Rate::kTf32).tensor : 0;
  return std::max({tf32, own.tensor, plain});
}

CallTime time_of(const Work& work, const Hardware& hardware, const RooflineOptions& options) {
  const Efficiency reached = efficiency(work.kind);
  const auto flops = static_cast<double>(hinted(work.flops));
  const double bytes =
      static_cast<double>(hinted(work.read)) + static_cast<double>(hinted(work.written));
  const double compute = flops / (peak_flops(work, hardware, options) * reached.compute);
  const double memory = bytes / (hardware.bandwidth * reached.memory);
  if (hardware.launch >= std::max(compute, memory)) return {hardware.launch, Bound::kLaunch};
  return compute > memory ? CallTime{compute, Bound::kCompute} : CallTime{memory, Bound::kMemory};
}

StepTime::StepTime(const ProgramWork& work, const Hardware& hardware,
                   const RooflineOptions& options) {
  const BranchScope env = work.run().shape_env();
  const std::vector<Module>& modules = work.run().program().modules;
  modules_.resize(modules.size());
  for (const WorkLog::Entry& entry : work.log().entries()) {
    const CallTime call = time_of(entry.work, hardware, options);
    if (rows_.empty() || rows_.back().row != entry.row) rows_.emplace_back().row = entry.row;
    RowTime& row = rows_.back();
    ++calls_;
    ++row.calls;
    row.seconds += call.seconds;
    row.bound_seconds[static_cast<size_t>(call.bound)] += call.seconds;
    by_bound_[static_cast<size_t>(call.bound)] += call.seconds;
    by_kind_[static_cast<size_t>(entry.work.kind)] += call.seconds;
  }
  for (RowTime& row : rows_) {
    const double* most = std::max_element(row.bound_seconds, row.bound_seconds + kBounds);
    row.bound = static_cast<Bound>(most - row.bound_seconds);
    modules_[0] += row.seconds;
    for (ModuleId at = work.run().node(row.row).module; at != 0; at = modules[at].parent)
      modules_[at] += row.seconds;
  }
}

StepItems items_of(const Run& run) {
  const BranchScope env = run.shape_env();
  const std::vector<InputSpec>& inputs = run.program().inputs;
  for (Row row = 0; row < inputs.size(); ++row) {
    if (inputs[row].kind != InputSpec::Kind::kUser || run.record(row).tensors.empty()) continue;
    const TensorMeta& meta = *run.record(row).tensors[0].meta;
    if (meta.rank() == 0) return {};
    const int64_t samples = hinted(meta.sizes()[0]);
    const bool is_tokens = meta.rank() == 2 && is_integral(meta.dtype());
    return {samples, is_tokens ? samples * hinted(meta.sizes()[1]) : 0};
  }
  return {};
}

}  // namespace faketensor
