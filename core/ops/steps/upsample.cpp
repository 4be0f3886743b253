// Upsampling by indices and weights: torch/_decomp/decompositions.py.
#include "core/ops/families/operand.h"
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"

namespace faketensor {

namespace steps_of_upsample {
namespace {

using Taken = StepsDef::Taken;

Operand range(Call& c, SymInt length, const Value& dtype, Device device) {
  return {c, c.call<"aten::arange">(length, dtype, nullptr, device, false)};
}

// How far a step of the output is in the input; `given` may be None.
SymFloat scale_of(SymInt from, SymInt to, bool align_corners, const Value& given) {
  if (align_corners) {
    return guard_or_false(to > 1) ? (sym_float(from) - 1.0) / (sym_float(to) - 1.0) : SymFloat(0.0);
  }
  if (!given.is_none() && given.to_double() > 0) return 1.0 / given.to_double();
  return int_true_div(from, to);
}

// `input` at one tensor of positions for each of its last dimensions.
Operand at_positions(Call& c, const Operand& input, std::span<const Value> positions) {
  SmallVector<Value, 5> indices = {Value(), Value()};
  for (const Value& each : positions) indices.push_back(each);
  return input.op<"aten::_unsafe_index.Tensor">(c.list(indices.span()));
}

Operand in_format(const Operand& result, MemoryFormat format) {
  if (result.tensor().is_contiguous(format)) return result;
  return result.op<"aten::contiguous">(format);
}

// The positions below and above an output's place in one dimension, and the place itself.
struct Places {
  Operand exact;
  Operand below;
  Operand above;
};
Places places_in(Call& c, const Tensor& input, int64_t dim, SymInt length, SymFloat scale,
                 bool align_corners, DType dtype) {
  const Operand steps = range(c, length, Value(), input.device()).to(dtype);
  const Operand factor(c, number_of(scale));
  const Operand source = align_corners ? factor * steps : factor * (steps + 0.5) - 0.5;
  DimVector shape = {length};
  for (int64_t after = dim + 1; after < input.dim(); ++after) shape.push_back(1);
  const Operand exact = source.op<"aten::clamp">(0.0).reshape(shape);
  const Operand below = exact.to(DType::kInt64);
  const Operand above = (below + 1).op<"aten::clamp">(nullptr, Value(input.size(dim) - 1));
  return {exact, below, above};
}

// Mirrors _upsample_linear: the input at the corners around each place, weighted along the dimensions
// from the last to the first.
Value linear(Call& c, uint64_t) {
  const Tensor& given = c.arg(0).tensor();
  const Dims output = c.arg(1).ints();
  const bool align_corners = c.arg(2).to_bool();
  const OpmathCast cast(c, {given});
  const Operand input = cast(given);
  const DType dtype =
      elementwise_types(input.tensor().dtype(), Promotion::kIntToFloat, c.context().default_dtype)
          .result;
  c.check_as(ErrorKind::kIndexError, given.dim() > 2 && given.dim() <= 5,
             "tuple index out of range");
  const auto dims = static_cast<size_t>(given.dim() - 2);
  c.check_as(ErrorKind::kIndexError, output.size() >= dims, "tuple index out of range");
  SmallVector<Places, 3> places;
  for (size_t i = 0; i < dims; ++i) {
    const auto dim = static_cast<int64_t>(i + 2);
    const Value scale = i + 3 < c.args().size() ? c.arg(i + 3) : Value();
    places.push_back(places_in(c, input.tensor(), dim, output[i],
                               scale_of(given.size(dim), output[i], align_corners, scale),
                               align_corners, dtype));
  }
  SmallVector<Value, 8> corners;
  for (size_t corner = 0; corner < size_t{1} << dims; ++corner) {
    SmallVector<Value, 3> positions;
    for (size_t i = 0; i < dims; ++i) {
      const bool is_above = (corner >> (dims - 1 - i) & 1) != 0;
      positions.push_back(is_above ? places[i].above.value() : places[i].below.value());
    }
    corners.push_back(cast_to(c, at_positions(c, input, positions.span()), dtype));
  }
  for (size_t i = dims; i-- > 0;) {
    const Operand rest = places[i].exact - places[i].below;
    const Operand weight = rest.op<"aten::clamp">(0.0, 1.0).to(dtype);
    SmallVector<Value, 8> joined;
    for (size_t pair = 0; pair < corners.size(); pair += 2) {
      const Operand first(c, corners[pair]);
      const Operand difference = Operand(c, corners[pair + 1]) - first;
      joined.push_back(first + difference * weight);
    }
    corners = joined;
  }
  MemoryFormat format = suggest_memory_format(input.tensor());
  if (given.device().is_cuda() && guard_or_false(given.size(1) < 16))
    format = MemoryFormat::kContiguous;
  const Operand result = in_format(Operand(c, corners[0]), format);
  return cast.back(is_floating(input.tensor().dtype()) ? result : result.op<"aten::round">());
}

// Mirrors _upsample_nearest, which only the out= overloads take.
template <bool is_exact>
Value nearest(Call& c, uint64_t) {
  const Tensor& given = c.arg(0).tensor();
  const Dims output = c.arg(1).ints();
  const OpmathCast cast(c, {given});
  const Operand input = cast(given);
  c.check_as(ErrorKind::kIndexError, output.size() + 2 <= c.args().size(),
             "list index out of range");
  SmallVector<Value, 3> positions;
  for (size_t i = 0; i < output.size(); ++i) {
    const SymInt size = given.size(static_cast<int64_t>(i) - static_cast<int64_t>(output.size()));
    const Value& scale = c.arg(i + 2);
    const bool is_given = !scale.is_none() && scale.to_double() > 0;
    const SymFloat factor = is_given ? sym_float(size) / (sym_float(size) * scale.to_double())
                                     : int_true_div(size, output[i]);
    const Operand steps = range(c, output[i], DType::kFloat32, given.device());
    Operand places =
        ((steps + (is_exact ? 0.5 : 0.0)) * Operand(c, number_of(factor))).to(DType::kInt64);
    for (size_t after = i + 1; after < output.size(); ++after) places = places.unsqueeze(-1);
    positions.push_back(places);
  }
  const Operand result = at_positions(c, input, positions.span());
  if (result.tensor().dim() < 4) return cast.back(result);
  MemoryFormat format = suggest_memory_format(input.tensor());
  if (result.tensor().dim() == 4 && given.device().is_cuda() && guard_or_false(given.size(1) < 4))
    format = MemoryFormat::kContiguous;
  return cast.back(in_format(result, format));
}

// clang-format off
constexpr StepsDef kUpsampleSteps[] = {
    {"aten::_upsample_nearest_exact1d", {&nearest<true>}, Taken::kNobody},
    {"aten::_upsample_nearest_exact2d", {&nearest<true>}, Taken::kNobody},
    {"aten::_upsample_nearest_exact3d", {&nearest<true>}, Taken::kNobody},
    {"aten::upsample_bilinear2d", {&linear}},
    {"aten::upsample_linear1d", {&linear}},
    {"aten::upsample_nearest1d", {&nearest<false>}, Taken::kNobody},
    {"aten::upsample_nearest2d", {&nearest<false>}, Taken::kNobody},
    {"aten::upsample_nearest3d", {&nearest<false>}, Taken::kNobody},
    {"aten::upsample_trilinear3d", {&linear}},
};
// clang-format on

}  // namespace
}  // namespace steps_of_upsample

std::span<const StepsDef> upsample_steps() { return steps_of_upsample::kUpsampleSteps; }

}  // namespace faketensor
