// Histograms, which real kernels answer.
#include "core/ops/families/factory.h"
#include "core/ops/families/kernel.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_kernel_histogram {
namespace {

constexpr std::string_view kName = "torch.histogramdd";

// Mirrors histogramdd_check_inputs, ATen/native/Histogram.cpp. `sizes` are the input's; a histogram
// of one dimension is that of a column. Bins are tensors of edges, or nothing where only counted.
void check_inputs(Call& c, DType dtype, const DimVector& sizes, size_t sequences, TensorList bins,
                  Tensor* weight, bool flat_weight = false) {
  c.check(sizes.size() >= 2, "{}: input tensor should have at least 2 dimensions", kName);
  const SymInt dims = sizes[sizes.size() - 1];
  c.check(guard_bool(dims == static_cast<int64_t>(sequences)),
          "{}: expected {} sequences of bin edges for a {}-dimensional histogram but got {}", kName,
          dims, dims, sequences);
  for (size_t i = 0; i < bins.size(); ++i) {
    c.check(
        bins[i].dtype() == dtype,
        "{}: input tensor and bins tensors should have the same dtype, but got input with dtype "
        "{} and bins for dimension {} with dtype {}",
        kName, info(dtype).cpp_name, i, info(bins[i].dtype()).cpp_name);
    c.check(
        bins[i].dim() == 1,
        "{}: bins tensor should have one dimension, but got {} dimensions in the bins tensor for "
        "dimension {}",
        kName, bins[i].dim(), i);
    c.check(
        guard_bool(bins[i].numel() > 0),
        "{}: bins tensor should have at least 1 element, but got {} elements in the bins tensor "
        "for dimension {}",
        kName, bins[i].numel(), i);
  }
  if (weight == nullptr) return;
  c.check(weight->dtype() == dtype,
          "{}: if weight tensor is provided, input tensor and weight tensor should have the same "
          "dtype, but got input({}), and weight({})",
          kName, info(dtype).cpp_name, info(weight->dtype()).cpp_name);
  DimVector given;
  if (flat_weight) given.push_back(weight->numel());
  if (!flat_weight)
    for (const SymInt size : weight->sizes()) given.push_back(size);
  const Dims outer = Dims(sizes.data(), sizes.size() - 1);
  c.check(guard_equal(outer, given),
          "{}: if weight tensor is provided it should have the same shape as the input tensor "
          "excluding its innermost dimension, but got input with shape {} and weight with shape {}",
          kName, sizes.span(), given.span());
}

// The outermost edges: given, or found by a kernel where there is an element.
void check_outer_edges(Call& c, const Tensor& self, SymInt count, const Value& range) {
  const int64_t dims = guard_int(count);
  if (range.is_none()) {
    if (guard_bool(self.numel() > 0))
      require_type(c, "histogramdd", self.dtype(), kSingleAndDouble);
    return;
  }
  // As the kernel's compiler counts, whatever the number of dimensions is said to be.
  const auto ends = static_cast<int64_t>(2 * static_cast<uint64_t>(dims));
  c.check(static_cast<int64_t>(range.size()) == ends,
          "{}: for a {}-dimensional histogram range should have {} elements, but got {}", kName,
          dims, ends, range.size());
}

void check_counted(Call& c, const Tensor& self, std::string_view kernel) {
  if (guard_bool(self.numel() > 0)) require_type(c, kernel, self.dtype(), kSingleAndDouble);
}

DimVector as_column(const Tensor& self) { return {self.numel(), 1}; }
DimVector sizes_of(const Tensor& self) {
  DimVector sizes;
  for (const SymInt size : self.sizes()) sizes.push_back(size);
  return sizes;
}

Value histogram_counted(Call& c, const Tensor& self, int64_t bins, const Value& range,
                        Tensor* weight) {
  const DType dtype = self.dtype();
  check_outer_edges(c, self, 1, range);
  check_inputs(c, dtype, as_column(self), 1, TensorList(Value()), weight, true);
  c.check(bins > 0, "torch.histogram(): bins must be > 0, but got {} for dimension 0", bins);
  check_counted(c, self, "histogram_cpu");
  const SymInt edges = SymInt(bins) + 1;
  return c.tuple({c.empty({bins}, dtype), c.empty({edges}, dtype)});
}

Value histogram_edges(Call& c, const Tensor& self, const Tensor& bins, Tensor* weight) {
  const Value edges[] = {Value(bins)};
  check_inputs(c, self.dtype(), as_column(self), 1, TensorList(c.list(edges)), weight, true);
  check_counted(c, self, "histogram_cpu");
  return c.tuple({c.empty({bins.numel() - 1}, self.dtype()), c.empty(bins.sizes(), bins.dtype())});
}

// --- more dimensions ---

// Bins that are counted: one number for each column.
void check_counts(Call& c, const Tensor& self, Dims bins, const Value& range, Tensor* weight) {
  c.check(self.dim() >= 2, "{}: input tensor should have at least 2 dimensions", kName);
  check_outer_edges(c, self, self.size(-1), range);
  c.check(guard_bool(self.size(-1) == static_cast<int64_t>(bins.size())),
          "histogramdd: The size of bins must be equal to the innermost dimension of the input.");
  check_inputs(c, self.dtype(), sizes_of(self), bins.size(), TensorList(Value()), weight);
}

Value bin_edges(Call& c, const Tensor& self, Dims bins, const Value& range, Tensor* weight) {
  check_counts(c, self, bins, range, weight);
  SmallVector<Value, 4> edges;
  for (const SymInt count : bins) edges.push_back(Value(c.empty({count + 1}, self.dtype())));
  return c.list(edges.span());
}

Value from_counts(Call& c, const Tensor& self, Dims bins, const Value& range, Tensor* weight) {
  check_counts(c, self, bins, range, weight);
  check_counted(c, self, "histogramdd_cpu");
  return c.empty(bins, self.dtype());
}

Value from_edges(Call& c, const Tensor& self, TensorList bins, Tensor* weight) {
  check_inputs(c, self.dtype(), sizes_of(self), bins.size(), bins, weight);
  check_counted(c, self, "histogramdd_cpu");
  DimVector sizes;
  for (size_t i = 0; i < bins.size(); ++i) sizes.push_back(bins[i].numel() - 1);
  return c.empty(sizes, self.dtype());
}

Value histogramdd(Call& c, const Tensor& self, Dims bins, const Value& range, const Value& weight,
                  bool density) {
  const Value edges = c.call<"aten::_histogramdd_bin_edges">(self, bins, range, weight, density);
  const Value hist = c.call<"aten::_histogramdd_from_bin_cts">(self, bins, range, weight, density);
  return c.tuple({hist, edges});
}
Value histogramdd_one(Call& c, const Tensor& self, SymInt bins, const Value& range,
                      const Value& weight, bool density) {
  const int64_t rank = guard_int(self.size(-1));
  check_rank(c, rank);
  const DimVector counts(static_cast<size_t>(rank), bins);
  return histogramdd(c, self, counts, range, weight, density);
}
Value histogramdd_edges(Call& c, const Tensor& self, const Value& bins, const Value&,
                        const Value& weight, bool density) {
  const Value hist = c.call<"aten::_histogramdd_from_bin_tensors">(self, bins, weight, density);
  return c.tuple({hist, bins});
}

// clang-format off
constexpr OpDef kKernelHistogramRules[] = {
    {"aten::_histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]", rule<&bin_edges>(), kRealKernel},
    {"aten::_histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor", rule<&from_counts>(), kRealKernel},
    {"aten::_histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) -> Tensor", rule<&from_edges>(), kRealKernel},
    {"aten::histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)", rule<&histogram_counted>(), kRealKernel},
    {"aten::histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)", rule<&histogram_edges>(), kRealKernel},
    {"aten::histogramdd(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)", rule<&histogramdd>(), kComposite | kRealKernel},
    {"aten::histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)", rule<&histogramdd_edges>(), kComposite | kRealKernel},
    {"aten::histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)", rule<&histogramdd_one>(), kComposite | kRealKernel},
};
// clang-format on

}  // namespace
}  // namespace rules_of_kernel_histogram

std::span<const OpDef> kernel_histogram_rules() {
  return rules_of_kernel_histogram::kKernelHistogramRules;
}

}  // namespace faketensor
