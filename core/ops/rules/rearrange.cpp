// Rearrangements: the elements of a tensor repeated, turned round, masked to a triangle or spread
// on a diagonal, in a tensor of its own.
#include <algorithm>

#include "core/ops/families/arithmetic.h"
#include "core/ops/families/copy.h"
#include "core/ops/families/into.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/ops/steps/steps.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_rearrange {
namespace {

// --- repeating ---

// Mirrors meta_repeat, torch/_meta_registrations.py.
Tensor* repeat(Call& c, const Tensor& self, Dims repeats) {
  c.check(static_cast<int64_t>(repeats.size()) >= self.dim(),
          "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
          "tensor");
  DimVector sizes(repeats);
  const size_t added = repeats.size() - self.sizes().size();
  for (size_t i = 0; i < repeats.size(); ++i) {
    c.check(repeats[i] >= 0, "Repeats cannot be negative, found {} at index {}", repeats[i], i);
    if (i >= added) sizes[i] = self.sizes()[i - added] * repeats[i];
  }
  return c.empty(sizes, self.dtype());
}

Value tile(Call& c, const Tensor& self, Dims dims) {
  DimVector repeats;
  for (size_t i = dims.size(); i < self.sizes().size(); ++i) repeats.push_back(1);
  repeats.append(dims);
  return c.call<"aten::repeat">(self, repeats);
}

// Mirrors repeat_interleave_symint, aten/src/ATen/native/Repeat.cpp.
Value repeat_interleave_int(Call& c, const Tensor& self, SymInt repeats, std::optional<int64_t> dim,
                            std::optional<SymInt> output_size) {
  Tensor& input = dim ? const_cast<Tensor&>(self) : c.tensor<"aten::flatten.using_ints">(self);
  const int64_t at = wrap_dim(dim.value_or(0), self.dim());
  c.check(repeats >= 0, "Repeats must be non-negative");
  Tensor& unsqueezed = c.tensor<"aten::unsqueeze">(input, at + 1);
  DimVector sizes(unsqueezed.sizes());
  sizes[static_cast<size_t>(at) + 1] = repeats;
  const Tensor& expanded = c.tensor<"aten::expand">(unsqueezed, sizes);
  if (output_size) {
    const int64_t calculated = guard_int(repeats * sizes[static_cast<size_t>(at)]);
    c.check(*output_size == calculated,
            "repeat_interleave: Invalid output_size, expected {} but got {}", calculated,
            *output_size);
  }
  Tensor& copy = c.tensor<"aten::clone">(expanded, MemoryFormat::kContiguous);
  return c.call<"aten::flatten.using_ints">(copy, at, at + 1);
}

Value repeat_interleave_tensor(Call& c, const Tensor& self, const Tensor& repeats,
                               std::optional<int64_t> dim, std::optional<SymInt> output_size) {
  Tensor& input = dim ? const_cast<Tensor&>(self) : c.tensor<"aten::flatten.using_ints">(self);
  const int64_t at = dim.value_or(0);
  Tensor* counts = const_cast<Tensor*>(&repeats);
  if (repeats.dim() == 0 || (repeats.dim() == 1 && guard_or_false(repeats.size(0) == 1))) {
    counts = &c.tensor<"aten::expand">(c.tensor<"aten::reshape">(repeats, DimVector{1}),
                                       DimVector{input.size(at)});
  } else {
    c.check(repeats.dim() == 1, "repeats must be 0-dim or 1-dim tensor");
    c.check(cpp_eq(repeats.size(0), input.size(at)),
            "repeats must have the same size as input along dim, but got repeats.size(0) = {} and "
            "input.size({}) = {}",
            repeats.size(0), at, input.size(at));
  }
  return c.call<"aten::index_select">(
      input, at, c.tensor<"aten::repeat_interleave.Tensor">(*counts, output_size));
}

// Mirrors repeat_interleave_tensor, torch/_subclasses/fake_impls.py.
Value repeat_interleave_counts(Call& c, const Tensor& repeats, std::optional<SymInt> output_size) {
  if (!output_size) {
    output_size = c.unbacked_int(ErrorKind::kDynamicOutputShape);
    c.context().shape_env()->constrain_range_for_size(*output_size);
  }
  return c.call<"aten::new_empty">(repeats, DimVector{*output_size});
}

// --- turning ---

// What the reference asks of a dimension that it rolls: its indices are torch.arange(size) and a
// start, which is an addition.
void ask_rolled(Call& c, SymInt size) {
  if (size.is_symbolic()) arithmetic(c, *c.empty({size}, DType::kInt64), SymInt(1));
}

// Mirrors roll, torch/_refs/__init__.py: rolling selects by index, so the result is contiguous.
Tensor* roll(Call& c, const Tensor& self, Dims shifts, Dims dims) {
  for (const SymInt dim : dims) wrap_dim(guard_int(dim), self.dim());
  if (guard_bool(self.numel() == 0)) return empty_as_cloned(c, self, self.dtype(), self.device());
  c.check_as(ErrorKind::kIndexError, self.dim() > 0 || dims.empty(),
             "Dimension specified as {} but tensor has no dimensions",
             dims.empty() ? SymInt(0) : dims[0]);
  c.check(!shifts.empty(), "`shifts` required");
  c.check(shifts.size() == dims.size() || (shifts.size() == 1 && dims.empty()),
          "shifts and dimensions must align. shifts: {}, dims: {}", shifts.size(), dims.size());
  for (const SymInt dim : dims) ask_rolled(c, self.size(guard_int(dim)));
  if (dims.empty()) ask_rolled(c, self.numel());
  return c.empty(self.sizes(), self.dtype());
}

Tensor* flip(Call& c, const Tensor& self, Dims dims) {
  SmallVector<bool, 16> seen(self.sizes().size() + 1, false);
  for (const SymInt dim : dims) {
    const auto at = static_cast<size_t>(wrap_dim(guard_int(dim), self.dim()));
    c.check(!seen[at], "duplicate value in the list of dims");
    seen[at] = true;
  }
  if (self.dim() == 0) return empty_as_cloned(c, self, self.dtype(), self.device());
  return c.empty_like(self);
}
Value fliplr(Call& c, const Tensor& self) {
  c.check(self.dim() >= 2, "Input must be >= 2-d.");
  return c.call<"aten::flip">(self, DimVector{1});
}
Value flipud(Call& c, const Tensor& self) {
  c.check(self.dim() >= 1, "Input must be >= 1-d.");
  return c.call<"aten::flip">(self, DimVector{0});
}

// Mirrors rot90, torch/_refs/__init__.py.
Value rot90(Call& c, const Tensor& self, int64_t k, Dims dims) {
  c.check(dims.size() == 2, "expected total rotation dims == 2, but got dims = {}", dims.size());
  c.check(self.dim() >= 2, "expected total dims >= 2, but got total dims = {}", self.dim());
  const int64_t given0 = guard_int(dims[0]);
  const int64_t given1 = guard_int(dims[1]);
  const int64_t a = wrap_dim(given0, self.dim());
  const int64_t b = wrap_dim(given1, self.dim());
  c.check(a != b, "expected rotation dims to be different, but got dim0 = {} and dim1 = {}", given0,
          given1);
  switch (((k % 4) + 4) % 4) {
    case 1:
      return c.call<"aten::transpose.int">(c.tensor<"aten::flip">(self, DimVector{b}), a, b);
    case 2:
      return c.call<"aten::flip">(self, dims);
    case 3:
      return c.call<"aten::transpose.int">(c.tensor<"aten::flip">(self, DimVector{a}), a, b);
    default:
      return c.call<"aten::clone">(self, MemoryFormat::kContiguous);
  }
}

// --- triangles and diagonals ---

// where(mask, self, 0).contiguous(): dimensions of size 1 keep the strides that `where` gave them.
Value masked(Call& c, Dims mask_sizes, const Tensor& self) {
  const Value operands[] = {c.context().empty(mask_sizes, DType::kBool, self.device()), self};
  Tensor* result = elementwise(c, operands, self.dtype(), self.dtype());
  return c.call<"aten::contiguous">(*result);
}

// Mirrors tril and triu, torch/_refs/__init__.py: a comparison of the two coordinates chooses.
Value triangle(Call& c, const Tensor& self, SymInt) {
  c.check(self.dim() >= 2, "{}: input tensor must have at least 2 dimensions",
          c.op().packet().substr(0, 4));
  if (has_symbolic_sizes(self)) return run_steps(c.context(), c.op(), c.args());
  const auto coordinate = [&](int64_t dim, int64_t at) {
    return c.call<"aten::unsqueeze">(
        c.context().empty({&self.sizes()[self.sizes().size() - static_cast<size_t>(dim)], 1},
                          DType::kInt64, self.device()),
        at);
  };
  const Value coordinates[] = {coordinate(1, -2), coordinate(2, -1)};
  const Value inside = elementwise(c, coordinates, DType::kInt64, DType::kBool);
  if (is_bool(self.dtype()))
    return c.call<"aten::contiguous">(c.call<"aten::logical_and">(inside, self));
  const Value choices[] = {self, c.empty({}, self.dtype())};
  return c.call<"aten::contiguous">(
      *elementwise_if(c, inside, choices, {self.dtype(), self.dtype()}));
}

// Mirrors diag_embed, torch/_refs/__init__.py: the last dimension laid on a diagonal of two.
Value diag_embed(Call& c, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t given1 = wrap_dim(dim1, self.dim() + 1);
  const int64_t given2 = wrap_dim(dim2, self.dim() + 1);
  c.check(given1 != given2, "diagonal dimensions cannot be identical {}, {}", given1, given2);
  const int64_t first = std::min(given1, given2);
  const int64_t second = std::max(given1, given2);
  const int64_t shift = given1 > given2 ? -offset : offset;
  Tensor* line = const_cast<Tensor*>(&self);
  const SymInt length = self.size(-1) + (shift < 0 ? -shift : shift);
  if (shift != 0) {
    DimVector sizes(self.sizes());
    sizes.back() = shift < 0 ? -shift : shift;
    Tensor& zeros = c.tensor<"aten::new_zeros">(self, sizes);
    const Value parts = shift > 0 ? c.tuple({zeros, self}) : c.tuple({self, zeros});
    line = &c.tensor<"aten::cat">(parts, -1);
  }
  Tensor& spread =
      c.tensor<"aten::movedim.int">(c.tensor<"aten::unsqueeze">(*line, first), -1, second);
  DimVector mask_sizes(spread.sizes().size(), SymInt(1));
  mask_sizes[static_cast<size_t>(first)] = length;
  mask_sizes[static_cast<size_t>(second)] = length;
  return masked(c, mask_sizes, spread);
}
Value diag(Call& c, const Tensor& self, int64_t diagonal) {
  c.check(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got {}D",
          self.dim());
  if (self.dim() == 1) {
    return call_into<"aten::diag_embed", "aten::diag_embed.out">(c, self, diagonal, -2, -1);
  }
  return call_into<"aten::diagonal_copy", "aten::diagonal_copy.out">(c, self, diagonal, 0, 1);
}
Value diagflat(Call& c, const Tensor& self, int64_t offset) {
  Tensor& line = c.tensor<"aten::view">(c.tensor<"aten::contiguous">(self), DimVector{-1});
  return c.call<"aten::diag">(line, offset);
}

Value positive(Call& c, const Tensor& self) {
  c.check(!is_bool(self.dtype()), "The `+` operator, on a bool tensor is not supported.");
  return self;
}

// clang-format off
constexpr OpDef kRearrangeRules[] = {
    {"aten::diag(Tensor self, int diagonal=0) -> Tensor", rule<&diag>(), kComposite},
    {"aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", rule<&diag_embed>(), kByRef},
    {"aten::diagflat(Tensor self, int offset=0) -> Tensor", rule<&diagflat>(), kComposite},
    {"aten::flip(Tensor self, int[] dims) -> Tensor", rule<&flip>(), kByRef},
    {"aten::fliplr(Tensor self) -> Tensor", rule<&fliplr>(), kComposite},
    {"aten::flipud(Tensor self) -> Tensor", rule<&flipud>(), kComposite},
    {"aten::positive(Tensor(a) self) -> Tensor(a)", rule<&positive>(), kView | kComposite},
    {"aten::repeat(Tensor self, SymInt[] repeats) -> Tensor", rule<&repeat>()},
    {"aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor", rule<&repeat_interleave_counts>(), kDynamicShape | kByFakeImpl},
    {"aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", rule<&repeat_interleave_tensor>(), kComposite},
    {"aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", rule<&repeat_interleave_int>(), kComposite},
    {"aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor", rule<&roll>(), kByRef},
    {"aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor", rule<&rot90>(), kByCompositeExplicit},
    {"aten::tile(Tensor self, SymInt[] dims) -> Tensor", rule<&tile>(), kComposite},
    {"aten::tril(Tensor self, SymInt diagonal=0) -> Tensor", rule<&triangle>(), kInplace | kByRef},
    {"aten::triu(Tensor self, SymInt diagonal=0) -> Tensor", rule<&triangle>(), kInplace | kByRef},
};
// clang-format on
}  // namespace
}  // namespace rules_of_rearrange

std::span<const OpDef> rearrange_rules() { return rules_of_rearrange::kRearrangeRules; }

}  // namespace faketensor
