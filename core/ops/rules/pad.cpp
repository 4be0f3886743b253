// Padding: constant, reflected, replicated and circular.
#include <array>

#include "core/ops/families/factory.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_pad {
namespace {

// Mirrors constant_pad_nd, aten/src/ATen/native/PadNd.cpp.
Value constant_pad_nd(Call& c, const Tensor& self, Dims pad) {
  if (!c.context().python_dispatcher) {
    // The C++ function knows plain numbers only.
    for (const SymInt amount : pad)
      c.check(!amount.is_symbolic(), "SymIntArrayRef expected to contain only concrete integers");
    for (const SymInt size : self.sizes()) guard_int(size);
  }
  const size_t rank = self.sizes().size();
  const size_t padded = pad.size() / 2;
  c.check(pad.size() % 2 == 0, "Length of pad must be even but instead it equals {}", pad.size());
  c.check(rank >= padded,
          "Length of pad should be no more than twice the number of dimensions of the input. Pad "
          "length is {}while the input has {}dimensions.",
          pad.size(), rank);
  Tensor* cut = const_cast<Tensor*>(&self);
  bool only_cuts = true;
  const auto narrowed = [&](size_t dim, SymInt start, SymInt less) {
    return &c.tensor<"aten::narrow">(*cut, static_cast<int64_t>(dim), start,
                                     cut->sizes()[dim] + less);
  };
  for (size_t i = rank - padded; i < rank; ++i) {
    const SymInt before = pad[2 * (rank - i - 1)];
    const SymInt after = pad[2 * (rank - i - 1) + 1];
    if (guard_or_false(before < 0)) {
      cut = narrowed(i, -before, before);
    } else if (guard_or_true(before != 0)) {
      only_cuts = false;
    }
    if (guard_or_false(after < 0)) {
      cut = narrowed(i, 0, after);
    } else if (guard_or_true(after != 0)) {
      only_cuts = false;
    }
  }
  if (only_cuts) return c.call<"aten::clone">(*cut);
  DimVector sizes(self.sizes());
  for (size_t i = rank - padded; i < rank; ++i) {
    const SymInt before = pad[2 * (rank - i - 1)];
    const SymInt after = pad[2 * (rank - i - 1) + 1];
    const SymInt size = sizes[i];
    sizes[i] = size + before + after;
    c.check(sizes[i] >= 0,
            "The input size {}, plus negative padding {} and {} resulted in a negative output "
            "size, which is invalid. Check dimension {} of your input.",
            size, before, after, i);
  }
  const DimVector strides = strides_for(sizes, suggest_memory_format(self));
  return empty_restrided(c, sizes, strides, self.dtype());
}

// Reflection and replication of the last `spatial` dimensions. Mirrors _pad1d_common and its kin,
// torch/_meta_registrations.py.
struct PadParams {
  uint8_t spatial;
  bool reflects;
};

void check_paddable(Call& c, const Tensor& input, Dims padding, size_t spatial) {
  c.check(padding.size() == 2 * spatial, "padding size is expected to be {}, but got: {}",
          2 * spatial, padding.size());
  const bool batched = input.sizes().size() == spatial + 2;
  SymBool none_is_empty = true;
  for (size_t i = batched ? 1 : 0; i < input.sizes().size(); ++i)
    none_is_empty = sym_and(none_is_empty, input.sizes()[i] != 0);
  c.check(none_is_empty,
          "Expected {}D or {}D (batch mode) tensor with possibly 0 batch size and other non-zero "
          "dimensions for input, but got: torch.Size({})",
          spatial + 1, spatial + 2, input.sizes());
}

void check_large_enough(Call& c, Dims input, Dims output) {
  constexpr std::array<std::string_view, 3> kNames = {"W", "H", "D"};
  SymBool enough = output[0] >= 1;
  if (input.size() == 2) {  // Python's `or`, which decides the first at once
    if (!guard_bool(enough)) enough = output[1] >= 1;
  } else if (input.size() == 3) {
    enough = sym_or(enough, sym_or(output[1] >= 1, output[2] >= 1));
  }
  std::string before;
  std::string after;
  for (size_t i = input.size(); i-- > 0;) {
    before += format("{}{}: {}", before.empty() ? "" : " ", kNames[i], input[i]);
    after += format("{}{}: {}", after.empty() ? "" : " ", kNames[i], output[i]);
  }
  c.check(enough, "input ({}) is too small. Calculated output {}", before, after);
}

Value spatial_pad(Call& c, uint64_t params) {
  const auto [spatial, reflects] = rule_params<PadParams>(params);
  const Tensor& input = c.arg(0).tensor();
  const Dims padding = c.arg(1).ints();
  c.check(reflects || !is_bool(input.dtype()), "\"replication_pad{}d\" not implemented for '{}'",
          static_cast<int>(spatial), input.dtype());
  check_paddable(c, input, padding, spatial);
  const size_t rank = input.sizes().size();
  const size_t plane = rank == spatial + 2u ? 1 : 0;
  if (rank < plane + spatial + 1u) input.size(input.dim());  // raises as reading that size would
  DimVector inner(spatial);
  DimVector padded(spatial);
  for (size_t i = 0; i < spatial; ++i) {
    const size_t dim = plane + spatial - i;
    const SymInt size = input.sizes()[dim];
    c.check(reflects ? sym_and(padding[2 * i] < size, padding[2 * i + 1] < size) : SymBool(true),
            "Argument #{}: Padding size should be less than the corresponding input dimension, but "
            "got: padding ({}, {}) at dimension {} of input torch.Size({})",
            4 + 2 * i, padding[2 * i], padding[2 * i + 1], dim, input.sizes());
    inner[i] = size;
    padded[i] = size + padding[2 * i] + padding[2 * i + 1];
  }
  check_large_enough(c, inner, padded);
  DimVector sizes;
  // An input of unforeseen rank is read as unbatched, and its first dimensions alone.
  if (plane == 1) sizes.push_back(input.sizes()[0]);
  if (plane == 0 && rank != spatial + 1u && spatial < 3) sizes.push_back(1);
  sizes.push_back(input.sizes()[plane]);
  for (size_t i = spatial; i-- > 0;) sizes.push_back(padded[i]);
  // CPU kernels of two dimensions keep channels_last, CUDA's do not.
  if (spatial == 2 && sizes.size() == 4 && !c.device().is_cuda() &&
      suggest_memory_format(input) == MemoryFormat::kChannelsLast) {
    return empty_restrided(c, sizes, channels_last_strides(sizes), input.dtype());
  }
  return c.empty(sizes, input.dtype());
}

consteval Rule reflection(uint8_t spatial) {
  return family_rule(&spatial_pad, PadParams{spatial, true});
}
consteval Rule replication(uint8_t spatial) {
  return family_rule(&spatial_pad, PadParams{spatial, false});
}

// Mirrors _pad_circular_symint, aten/src/ATen/native/PadNd.cpp.
Value pad_circular(Call& c, const Tensor& self, Dims pad) {
  const size_t rank = self.sizes().size();
  const size_t padded = pad.size() / 2;
  c.check(padded + 1 == rank || padded + 2 == rank,
          "Invalid padding size, expected 1 or 2 non-padded dimensions, which would be equivalent "
          "to padding of length {} or {} respectively but got {}",
          2 * (static_cast<int64_t>(rank) - 1), 2 * (static_cast<int64_t>(rank) - 2), pad.size());
  DimVector sizes(self.sizes());
  for (size_t i = 0; i < padded; ++i) {
    const size_t dim = rank - padded + i;
    const SymInt before = pad[2 * (padded - i - 1)];
    const SymInt after = pad[2 * (padded - i - 1) + 1];
    c.check(cpp_le(before, sizes[dim]) && cpp_le(after, sizes[dim]),
            "Padding value causes wrapping around more than once.");
    sizes[dim] = sizes[dim] + before + after;
    c.check(guard_or_true(sizes[dim] >= 0),
            "Negative padding value is resulting in an empty dimension");
  }
  return c.call<"aten::new_empty">(self, sizes);
}

enum PadMode : int64_t { kReflect, kReplicate, kCircular, kConstant };

// Mirrors _pad_enum_symint, aten/src/ATen/native/PadNd.cpp.
Value pad_enum(Call& c, const Tensor& self, Dims pad, int64_t mode, std::optional<double> value) {
  const int64_t rank = self.dim();
  c.check(pad.size() % 2 == 0, "Padding length must be divisible by 2");
  c.check(static_cast<int64_t>(pad.size()) <= rank * 2,
          "Padding length should be less than or equal to two times the input dimension but got "
          "padding length {} and input of dimension {}",
          pad.size(), rank);
  if (mode == kConstant) {
    return c.call<"aten::constant_pad_nd">(self, pad, Value(value.value_or(0.0)));
  }
  constexpr std::string_view kModes[] = {"reflect", "replicate", "circular"};
  c.check_as(ErrorKind::kNotImplementedError, mode >= kReflect && mode <= kCircular,
             "Unrecognised padding mode {}", mode);
  c.check(value.value_or(0.0) == 0.0, "Padding mode \"{}\" doesn't take in value argument",
          kModes[mode]);
  const auto dims = static_cast<int64_t>(pad.size()) / 2;
  c.check_as(ErrorKind::kNotImplementedError,
             dims >= 1 && dims <= 3 && (rank == dims + 1 || rank == dims + 2),
             "Padding size {} is not supported for {}D input tensor.\nSupported combinations for "
             "non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
             "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n  - 4D or 5D input: "
             "padding size = 6 (pads last 3 dimensions)",
             pad.size(), rank);
  if (mode == kCircular) return c.call<"aten::_pad_circular">(self, pad);
  if (mode == kReflect) {
    if (dims == 1) return c.call<"aten::reflection_pad1d">(self, pad);
    return dims == 2 ? c.call<"aten::reflection_pad2d">(self, pad)
                     : c.call<"aten::reflection_pad3d">(self, pad);
  }
  if (dims == 1) return c.call<"aten::replication_pad1d">(self, pad);
  return dims == 2 ? c.call<"aten::replication_pad2d">(self, pad)
                   : c.call<"aten::replication_pad3d">(self, pad);
}

Value pad(Call& c, const Tensor& self, Dims padding, std::string_view mode, const Value& value) {
  constexpr std::pair<std::string_view, PadMode> kModes[] = {{"reflect", kReflect},
                                                             {"replicate", kReplicate},
                                                             {"circular", kCircular},
                                                             {"constant", kConstant}};
  for (const auto& [name, number] : kModes) {
    if (name == mode) return c.call<"aten::_pad_enum">(self, padding, int64_t{number}, value);
  }
  c.fail(ErrorKind::kNotImplementedError, format("Unrecognised padding mode {}", mode));
}

// clang-format off
constexpr OpDef kPadRules[] = {
    {"aten::_pad_circular(Tensor self, SymInt[] pad) -> Tensor", rule<&pad_circular>(), kComposite},
    {"aten::_pad_enum(Tensor self, SymInt[] pad, int mode, float? value=None) -> Tensor", rule<&pad_enum>(), kComposite},
    {"aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor", rule<&constant_pad_nd>(), kByCompositeExplicit},
    {"aten::pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor", rule<&pad>(), kComposite},
    {"aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor", reflection(1)},
    {"aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor", reflection(2), kDeviceHint},
    {"aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor", reflection(3)},
    {"aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor", replication(1)},
    {"aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor", replication(2), kDeviceHint},
    {"aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor", replication(3)},
};
// clang-format on
}  // namespace
}  // namespace rules_of_pad

std::span<const OpDef> pad_rules() { return rules_of_pad::kPadRules; }

}  // namespace faketensor
