// Decompositions that FakeTensorMode does not take, because there is a meta function or a C++
// kernel: passes ask for them (run_decompositions). torch/_decomp/decompositions.py,
// torch/_refs/__init__.py, torch/_refs/linalg/__init__.py, torch/_refs/nn/functional/__init__.py.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/ops/families/operand.h"
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace steps_of_pass_only {
namespace {

using Taken = StepsDef::Taken;

// torch.arange(end, device=device)
Operand arange(Call& c, SymInt end, Device device) {
  return {c, c.call<"aten::arange">(end, Value(), Value(), device, false)};
}
Operand arange(Call& c, SymInt start, SymInt end, Device device) {
  return {c, c.call<"aten::arange.start">(start, end, Value(), Value(), device, false)};
}

SymInt size_at(const Tensor& tensor, size_t dim) { return tensor.sizes()[dim]; }

// `-1` at one dimension of so many, 1 at the others.
DimVector along(size_t rank, size_t dim) {
  DimVector sizes;
  for (size_t i = 0; i < rank; ++i) sizes.push_back(i == dim ? -1 : 1);
  return sizes;
}

Operand both(const Operand& a, const Operand& b) { return a.op<"aten::__and__.Tensor">(b); }
Operand inverted(const Operand& a) { return a.op<"aten::bitwise_not">(); }

// --- indices ---

Value unsafe_index(Call& c, const Tensor& self, const Value& indices) {
  return c.call<"aten::index.Tensor">(self, indices);
}

Value unsafe_index_put(Call& c, const Tensor& self, const Value& indices, const Tensor& values,
                       bool accumulate) {
  return c.call<"aten::index_put">(self, indices, values, accumulate);
}

Value take(Call& c, const Tensor& self, const Tensor& index) {
  const SymInt flat[] = {-1};
  const Value flattened = c.call<"aten::reshape">(self, Dims(flat));
  const Value indices[] = {Value(index)};
  return c.call<"aten::index.Tensor">(flattened, c.list(indices));
}

Value select_scatter(Call& c, const Tensor& self, const Tensor& src, int64_t dim, SymInt index) {
  const auto at = static_cast<size_t>(wrap_dim(dim, self.dim()));
  const SymInt size = size_at(self, at);
  if (guard_bool(index < 0)) index = index + size;
  const Operand places = arange(c, size, self.device()).view(along(self.sizes().size(), at));
  const Operand mask = places.op<"aten::eq.Scalar">(index);
  const Operand source = Operand(c, src).unsqueeze(static_cast<int64_t>(at));
  return where(mask, source.op<"aten::expand">(self.sizes()), Operand(c, self));
}

Value embedding_dense_backward(Call& c, const Tensor& grad_output, const Tensor& given,
                               SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) {
  const OpmathCast cast(c, {grad_output});
  Operand grad = cast(grad_output);
  const Operand indices(c, cast_to(c, given, DType::kInt64));
  const Operand is_positive = indices >= Operand(0);
  const Operand is_inside = indices < Operand(c, Value(num_weights));
  const Operand valid = both(is_positive, is_inside);
  const Value list[] = {indices.value()};
  const SymInt length[] = {num_weights};
  if (scale_grad_by_freq) {
    const Operand zeros =
        indices.op<"aten::new_zeros">(Dims(length), Value(), Value(), Value(), false);
    const Operand ones = indices.op<"aten::ones_like">(Value(), Value(), Value(), false);
    const Operand counts =
        zeros.op<"aten::_unsafe_masked_index_put_accumulate">(valid, c.list(list), ones);
    const Operand scale = counts.op<"aten::_unsafe_masked_index">(valid, c.list(list), 1);
    grad = grad / scale.unsqueeze(-1);
  }
  Operand mask = both(valid, indices.op<"aten::ne.Scalar">(padding_idx));
  for (int64_t i = mask.tensor().dim(); i < grad.tensor().dim(); ++i) mask = mask.unsqueeze(-1);
  DimVector sizes = {num_weights};
  sizes.append(grad.tensor().sizes().subspan(indices.tensor().sizes().size()));
  const Operand weight = grad.op<"aten::new_zeros">(sizes, Value(), Value(), Value(), false);
  return cast.back(
      weight.op<"aten::_unsafe_masked_index_put_accumulate">(mask, c.list(list), grad));
}

// --- numbers in place of others ---

Value fill_scalar(Call& c, const Tensor& self, const Value& value) {
  return c.call<"aten::full_like">(self, value, Value(), Value(), Value(), false);
}

Value fill_tensor(Call& c, const Tensor& self, const Tensor& value) {
  return c.call<"aten::copy">(self, value);
}

Value zero(Call& c, const Tensor& self) {
  return c.call<"aten::zeros_like">(self, Value(), Value(), Value(), false);
}

double largest(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return 65504.0;
    case DType::kBFloat16:
      return 3.3895313892515355e38;
    case DType::kFloat32:
      return 3.4028234663852886e38;
    default:
      return 1.7976931348623157e308;
  }
}

Value nan_to_num(Call& c, const Tensor& self, std::optional<double> nan,
                 std::optional<double> posinf, std::optional<double> neginf) {
  if (!is_float_or_complex(self.dtype())) return c.call<"aten::clone">(self);
  const double limit = largest(self.dtype());
  const Operand a(c, self);
  Operand result = where(a.op<"aten::isnan">(), Operand(nan.value_or(0.0)), a);
  result = where(a.op<"aten::isneginf">(), Operand(neginf.value_or(-limit)), result);
  return where(a.op<"aten::isposinf">(), Operand(posinf.value_or(limit)), result);
}

Value nansum(Call& c, const Tensor& self, const Value& dim, bool keepdim, const Value& dtype) {
  const Operand a(c, self);
  const Operand numbers = where(a.op<"aten::isnan">(), Operand(0), a);
  return numbers.op<"aten::sum.dim_IntList">(dim, keepdim, dtype);
}

// --- elementwise ---

Value addcdiv(Call& c, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
              const Value& value) {
  const Promoted types(c, {Value(self), Value(tensor1), Value(tensor2)}, Promotion::kIntToFloat);
  const Operand a(c, types.cast(self));
  const Operand scaled = Operand(c, types.cast(tensor1)) * Operand(c, value);
  return types.back(a + scaled / Operand(c, types.cast(tensor2)));
}

Value lerp_between(const Operand& start, const Operand& end, const Operand& weight) {
  const Operand mask = weight.op<"aten::abs">() >= Operand(0.5);
  const Operand coefficient = where(mask, weight - Operand(1), weight);
  const Operand base = where(mask, end, start);
  return coefficient * (end - start) + base;
}

Value lerp_scalar(Call& c, const Tensor& start, const Tensor& end, const Value& weight) {
  const Promoted types(c, {Value(start), Value(end)}, Promotion::kDefault);
  const Operand first(c, types.cast(start));
  const Operand factor =
      first.op<"aten::new_full">(Dims(), weight, Value(), Value(), Value(), false);
  return types.back(lerp_between(first, Operand(c, types.cast(end)), factor));
}

Value lerp_tensor(Call& c, const Tensor& start, const Tensor& end, const Tensor& weight) {
  const Promoted types(c, {Value(start), Value(end), Value(weight)}, Promotion::kDefault);
  return types.back(lerp_between(Operand(c, types.cast(start)), Operand(c, types.cast(end)),
                                 Operand(c, types.cast(weight))));
}

Value linalg_cross(Call& c, const Tensor& self, const Tensor& other, int64_t dim) {
  const OpmathCast cast(c, {self, other});
  const Value given[] = {cast(self), cast(other)};
  const Value pair = c.call<"aten::broadcast_tensors">(c.list(given));
  const Operand a(c, pair[0]);
  const Operand b(c, pair[1]);
  const int64_t at = wrap_dim(dim, a.tensor().dim());
  const Operand places = arange(c, 3, self.device());
  const auto part = [&](const Operand& of, int shift) {
    const Operand moved = (places + Operand(shift)).op<"aten::remainder.Scalar">(3);
    return of.op<"aten::index_select">(at, moved);
  };
  const Operand a_next = part(a, 1);
  const Operand b_last = part(b, 2);
  const Operand first = a_next * b_last;
  const Operand a_last = part(a, 2);
  const Operand b_next = part(b, 1);
  return cast.back(first - a_last * b_next);
}

// --- membership ---

Value isin_few(const Operand& elements, const Operand& tests, bool invert) {
  if (guard_bool(elements.tensor().numel() == 0))
    return elements.op<"aten::empty_like">(DType::kBool, Value(), Value(), false);
  Operand found = elements;
  if (tests.tensor().dim() == 0) {
    found = elements.op<"aten::eq.Tensor">(tests);
  } else {
    DimVector sizes(elements.tensor().sizes());
    DimVector dims;
    for (int64_t i = 0; i < tests.tensor().dim(); ++i) {
      sizes.push_back(1);
      dims.push_back(-1 - i);
    }
    found = elements.view(sizes).op<"aten::eq.Tensor">(tests).op<"aten::any.dims">(dims);
  }
  return invert ? inverted(found) : found;
}

Operand flat(const Operand& tensor) { return tensor.op<"aten::flatten.using_ints">(); }

Value isin_by_sorting(Call& c, const Operand& elements, const Operand& tests, bool assume_unique,
                      bool invert) {
  const Operand own = flat(elements);
  const Operand other = flat(tests);
  if (assume_unique) {
    const Value both_lists[] = {own.value(), other.value()};
    const Value joined = c.call<"aten::cat">(c.list(both_lists));
    const Value sorted = c.call<"aten::sort.stable">(joined, true);
    const Operand order(c, sorted[1]);
    const Operand values(c, sorted[0]);
    const Operand next = values.op<"aten::slice.Tensor">(0, 1, INT64_MAX);
    const Operand last = values.op<"aten::slice.Tensor">(0, 0, -1);
    const SymInt one_behind[] = {0, 1};
    Operand twice =
        next.op<"aten::eq.Tensor">(last).op<"aten::constant_pad_nd">(Dims(one_behind), false);
    if (invert) twice = twice.op<"aten::logical_not">();
    Operand mask = twice.op<"aten::empty_like">(Value(), Value(), Value(), false);
    mask = mask.op<"aten::index_copy">(0, order, twice);
    return mask.op<"aten::slice.Tensor">(0, 0, elements.tensor().numel())
        .reshape(DimVector(elements.tensor().sizes()));
  }
  const Operand sorted(c, Value(c.call<"aten::sort">(other)[0]));
  const Operand index = sorted.op<"aten::searchsorted.Tensor">(own);
  const Operand inside = index < Operand(c, Value(sorted.tensor().numel()));
  const Operand place = where(inside, index, Operand(0));
  const Value places[] = {place.value()};
  Operand same = sorted.op<"aten::index.Tensor">(c.list(places)).op<"aten::eq.Tensor">(own);
  if (invert) same = same.op<"aten::logical_not">();
  return same.reshape(DimVector(elements.tensor().sizes()));
}

Value isin(Call& c, const Operand& elements, const Operand& tests, bool assume_unique,
           bool invert) {
  // Few tests are compared with one by one. A count that is not known counts as many.
  const SymInt count = tests.tensor().numel();
  const SymInt own = elements.tensor().numel();
  const bool known = !count.is_symbolic() && !own.is_symbolic();
  const bool few = known && static_cast<double>(count.as_int()) <
                                10.0 * std::pow(static_cast<double>(own.as_int()), 0.145);
  return few ? isin_few(elements, tests, invert)
             : isin_by_sorting(c, elements, tests, assume_unique, invert);
}

Value isin_tensors(Call& c, const Tensor& elements, const Tensor& tests, bool assume_unique,
                   bool invert) {
  return isin(c, Operand(c, elements), Operand(c, tests), assume_unique, invert);
}
Value isin_number_among(Call& c, const Value& element, const Tensor& tests, bool assume_unique,
                        bool invert) {
  const Operand elements(
      c, c.call<"aten::scalar_tensor">(element, Value(), Value(), tests.device(), false));
  return isin(c, elements, Operand(c, tests), assume_unique, invert);
}
Value isin_number(Call& c, const Tensor& elements, const Value& test, bool, bool invert) {
  return invert ? c.call<"aten::ne.Scalar">(elements, test)
                : c.call<"aten::eq.Scalar">(elements, test);
}

// --- made of nothing ---

Value bernoulli(Call& c, const Tensor& self, const Value&) {
  const Operand random(
      c, c.call<"aten::rand">(self.sizes(), DType::kFloat32, Value(), self.device(), false));
  return random.op<"aten::lt.Tensor">(self).to(self.dtype());
}

// torch.arange(..., dtype=the smallest that holds the size)
DType index_dtype(SymInt n, SymInt m) {
  if (n.is_symbolic() || m.is_symbolic()) return DType::kInt64;
  const int64_t size = std::max(n.as_int(), m.as_int());
  return size <= UINT8_MAX   ? DType::kUInt8
         : size <= INT16_MAX ? DType::kInt16
         : size <= INT32_MAX ? DType::kInt32
                             : DType::kInt64;
}

Value eye_of(Call& c, SymInt n, SymInt m, const Value& dtype, const Value& device) {
  const DType places = index_dtype(n, m);
  const auto range = [&](SymInt size) {
    return Operand(c, c.call<"aten::arange">(size, places, Value(), device, false));
  };
  const Operand rows = range(n);
  const Operand columns = range(m);
  const Operand is_one = rows.unsqueeze(-1).op<"aten::eq.Tensor">(columns);
  return is_one.to(dtype.is(Value::Tag::kDType) ? dtype.dtype() : c.context().default_dtype);
}
Value eye(Call& c, SymInt n, const Value& dtype, const Value&, const Value& device, const Value&) {
  return eye_of(c, n, n, dtype, device);
}
Value eye_m(Call& c, SymInt n, SymInt m, const Value& dtype, const Value&, const Value& device,
            const Value&) {
  return eye_of(c, n, m, dtype, device);
}

Operand minus(Call& c, const Value& a, const Value& b) {
  if (!a.is_tensor() && !b.is_tensor()) return {c, Value(a.to_double() - b.to_double())};
  return Operand(c, a) - Operand(c, b);
}

Value linspace(Call& c, const Value& start, const Value& end, SymInt steps, const Value& given,
               const Value& layout, const Value& device) {
  const DType dtype = given.is(Value::Tag::kDType) ? given.dtype() : c.context().default_dtype;
  const auto as_float = [&](const Value& bound) {
    return bound.is_tensor() ? cast_to(c, bound, DType::kFloat64) : bound;
  };
  const Value from = as_float(start);
  const Value to = as_float(end);
  const SymInt length[] = {steps};
  if (guard_bool(steps == 0))
    return c.call<"aten::full">(Dims(length), 0, dtype, layout, device, false);
  if (guard_bool(steps == 1)) {
    if (!from.is_tensor())
      return c.call<"aten::full">(Dims(length), from, dtype, layout, device, false);
    const Value room =
        c.call<"aten::empty.memory_format">(Dims(length), dtype, layout, device, false);
    return c.call<"aten::copy">(room, from);
  }
  const Operand range(c, c.call<"aten::arange.start">(0, steps, Value(), layout, device, false));
  const bool is_integer = !is_float_or_complex(dtype);
  const DType computation = is_integer ? DType::kInt64 : to_opmath(dtype);
  const auto cast = [&](const Operand& tensor) {
    return Operand(c, cast_to(c, tensor, computation));
  };
  const SymInt last = steps - 1;
  const Operand distance = minus(c, to, from);
  const Operand step = distance.is_tensor()
                           ? distance / Operand(c, Value(last))
                           : Operand(distance.value().to_double() / Value(last).to_double());
  const Operand half(c, Value(Value(steps).to_double() / 2));
  const Operand is_first = range < half;
  const Operand low = Operand(c, from) + step * cast(range);
  const Operand high = Operand(c, to) - step * cast(Operand(c, Value(last)) - range);
  return cast_to(c, where(is_first, low, high), dtype);
}
Value linspace_numbers(Call& c, const Value& start, const Value& end, SymInt steps,
                       const Value& dtype, const Value& layout, const Value& device, const Value&) {
  return linspace(c, start, end, steps, dtype, layout, device);
}

// --- shuffled and turned ---

Value pixel_shuffle(Call& c, const Tensor& self, int64_t factor) {
  const size_t batch = self.sizes().size() - 3;
  const SymInt channels = floor_div(size_at(self, batch), SymInt(factor * factor));
  const SymInt height = size_at(self, batch + 1);
  const SymInt width = size_at(self, batch + 2);
  DimVector apart(self.sizes().first(batch));
  DimVector together = apart;
  for (const SymInt size : {channels, SymInt(factor), SymInt(factor), height, width})
    apart.push_back(size);
  for (const SymInt size : {channels, height * SymInt(factor), width * SymInt(factor)})
    together.push_back(size);
  DimVector order;
  for (size_t i = 0; i < batch; ++i) order.push_back(static_cast<int64_t>(i));
  const auto first = static_cast<int64_t>(batch);
  for (const int64_t dim : {0, 3, 1, 4, 2}) order.push_back(first + dim);
  return Operand(c, self)
      .view(apart)
      .op<"aten::permute">(order)
      .reshape(together)
      .op<"aten::clone">(suggest_memory_format(self));
}

Value rot90(Call& c, const Tensor& self, int64_t k, Dims given) {
  const int64_t first = wrap_dim(guard_int(given[0]), self.dim());
  const int64_t second = wrap_dim(guard_int(given[1]), self.dim());
  const Operand a(c, self);
  const auto flipped = [&](int64_t dim) {
    const SymInt dims[] = {dim};
    return a.op<"aten::flip">(Dims(dims)).op<"aten::transpose.int">(first, second);
  };
  const int64_t turns = (k % 4 + 4) % 4;
  if (turns == 1) return flipped(second);
  if (turns == 3) return flipped(first);
  const SymInt dims[] = {first, second};
  return turns == 2 ? a.op<"aten::flip">(Dims(dims))
                    : a.op<"aten::clone">(MemoryFormat::kContiguous);
}

// --- padding ---

using PlacesOf = Operand (*)(Call& c, SymInt left, SymInt middle, SymInt right, Device device);

Operand reflected(Call& c, SymInt left, SymInt middle, SymInt right, Device device) {
  const Operand places = arange(c, SymInt(0) - left, middle + right, device);
  const Operand last(c, Value(middle - 1));
  return last - (last - places.op<"aten::abs">()).op<"aten::abs">();
}

Operand replicated(Call& c, SymInt left, SymInt middle, SymInt right, Device device) {
  const Operand places = arange(c, SymInt(0) - left, middle + right, device);
  return places.op<"aten::clamp">(0, middle - 1);
}

Value padded(Call& c, const Tensor& self, Dims padding, PlacesOf places_of) {
  const OpmathCast cast(c, {self});
  const size_t dims = padding.size() / 2;
  const size_t rank = self.sizes().size();
  Operand result = cast(self);
  for (size_t i = 0; i < dims; ++i) {
    const size_t pair = 2 * (dims - 1 - i);
    const size_t dim = rank - dims + i;
    SmallVector<Value, 8> indices;
    for (size_t k = 0; k < rank; ++k) indices.push_back(Value());
    indices[dim] =
        places_of(c, padding[pair], size_at(self, dim), padding[pair + 1], self.device());
    result = result.op<"aten::_unsafe_index.Tensor">(c.list(indices.span()));
  }
  const MemoryFormat format =
      self.device().is_cuda() ? MemoryFormat::kContiguous : suggest_memory_format(self);
  return cast.back(result.op<"aten::contiguous">(format));
}

Value reflection_pad(Call& c, const Tensor& self, Dims padding) {
  return padded(c, self, padding, &reflected);
}
Value replication_pad(Call& c, const Tensor& self, Dims padding) {
  return padded(c, self, padding, &replicated);
}

// --- attention ---

Value flash_attention_for_cpu(Call& c, const Tensor& query, const Tensor& key, const Tensor& value,
                              double dropout_p, bool is_causal, const Value& attn_mask,
                              const Value& scale) {
  const bool grouped = guard_bool(size_at(query, 1) != size_at(key, 1));
  const Value both_results = c.call<"aten::_scaled_dot_product_attention_math">(
      query, key, value, attn_mask, dropout_p, is_causal, Value(), scale, grouped);
  const SymInt forth[] = {2, 0, 1, 3};
  const SymInt back[] = {1, 2, 0, 3};
  const Operand output = Operand(c, both_results[0])
                             .op<"aten::permute">(Dims(forth))
                             .op<"aten::contiguous">(MemoryFormat::kContiguous)
                             .op<"aten::permute">(Dims(back));
  const Value results[] = {output.value(), both_results[1]};
  return c.list(results);
}

// --- copies of views ---

template <FixedString view>
consteval Rule copied() {
  return {+[](Call& call, uint64_t) -> Value {
    return call.call<"aten::clone">(call.forward<view>(call.args()), MemoryFormat::kContiguous);
  }};
}

// clang-format off
constexpr StepsDef kPassOnlySteps[] = {
    {"aten::_scaled_dot_product_flash_attention_for_cpu", rule<&flash_attention_for_cpu>(), Taken::kNobody},
    {"aten::_unsafe_index.Tensor", rule<&unsafe_index>(), Taken::kNobody},
    {"aten::_unsafe_index_put", rule<&unsafe_index_put>(), Taken::kNobody},
    {"aten::addcdiv", rule<&addcdiv>(), Taken::kNobody},
    {"aten::alias_copy", copied<"aten::alias">(), Taken::kNobody},
    {"aten::bernoulli", rule<&bernoulli>(), Taken::kNobody},
    {"aten::diagonal_copy", copied<"aten::diagonal">(), Taken::kNobody},
    {"aten::embedding_dense_backward", rule<&embedding_dense_backward>(), Taken::kNobody},
    {"aten::expand_copy", copied<"aten::expand">(), Taken::kNobody},
    {"aten::eye", rule<&eye>(), Taken::kNobody},
    {"aten::eye.m", rule<&eye_m>(), Taken::kNobody},
    {"aten::fill.Scalar", rule<&fill_scalar>(), Taken::kNobody},
    {"aten::fill.Tensor", rule<&fill_tensor>(), Taken::kNobody},
    {"aten::isin.Scalar_Tensor", rule<&isin_number_among>(), Taken::kNobody},
    {"aten::isin.Tensor_Scalar", rule<&isin_number>(), Taken::kNobody},
    {"aten::isin.Tensor_Tensor", rule<&isin_tensors>(), Taken::kNobody},
    {"aten::lerp.Scalar", rule<&lerp_scalar>(), Taken::kNobody},
    {"aten::lerp.Tensor", rule<&lerp_tensor>(), Taken::kNobody},
    {"aten::linalg_cross", rule<&linalg_cross>(), Taken::kNobody},
    {"aten::linspace", rule<&linspace_numbers>(), Taken::kNobody},
    {"aten::linspace.Scalar_Tensor", rule<&linspace_numbers>(), Taken::kNobody},
    {"aten::linspace.Tensor_Scalar", rule<&linspace_numbers>(), Taken::kNobody},
    {"aten::linspace.Tensor_Tensor", rule<&linspace_numbers>(), Taken::kNobody},
    {"aten::nan_to_num", rule<&nan_to_num>(), Taken::kNobody},
    {"aten::nansum", rule<&nansum>(), Taken::kNobody},
    {"aten::pixel_shuffle", rule<&pixel_shuffle>(), Taken::kNobody},
    {"aten::reflection_pad1d", rule<&reflection_pad>(), Taken::kNobody},
    {"aten::reflection_pad2d", rule<&reflection_pad>(), Taken::kNobody},
    {"aten::reflection_pad3d", rule<&reflection_pad>(), Taken::kNobody},
    {"aten::replication_pad1d", rule<&replication_pad>(), Taken::kNobody},
    {"aten::replication_pad2d", rule<&replication_pad>(), Taken::kNobody},
    {"aten::replication_pad3d", rule<&replication_pad>(), Taken::kNobody},
    {"aten::rot90", rule<&rot90>(), Taken::kNobody},
    {"aten::select_scatter", rule<&select_scatter>(), Taken::kNobody},
    {"aten::squeeze_copy", copied<"aten::squeeze">(), Taken::kNobody},
    {"aten::squeeze_copy.dim", copied<"aten::squeeze.dim">(), Taken::kNobody},
    {"aten::squeeze_copy.dims", copied<"aten::squeeze.dims">(), Taken::kNobody},
    {"aten::t_copy", copied<"aten::t">(), Taken::kNobody},
    {"aten::take", rule<&take>(), Taken::kNobody},
    {"aten::transpose_copy.int", copied<"aten::transpose.int">(), Taken::kNobody},
    {"aten::unsqueeze_copy", copied<"aten::unsqueeze">(), Taken::kNobody},
    {"aten::zero", rule<&zero>(), Taken::kNobody},
};
// clang-format on

}  // namespace
}  // namespace steps_of_pass_only

std::span<const StepsDef> pass_only_steps() { return steps_of_pass_only::kPassOnlySteps; }

}  // namespace faketensor
