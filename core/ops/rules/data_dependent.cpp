// Operators whose result, or its size, is data: item, nonzero, unique, masked_select, ... and
// asserts about data.
//
// With a ShapeEnv their unknown numbers are new unbacked symbols, without one they raise
// (torch/_subclasses/fake_impls.py). A tensor that is asked the same again before it is written to
// gives the same symbol (Context::memo).
#include <algorithm>

#include "core/ops/call.h"
#include "core/ops/families/into.h"
#include "core/ops/families/kernel.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/families/unallocated.h"
#include "core/ops/families/view.h"
#include "core/ops/limits.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_data_dependent {
namespace {

// The environment to make symbols in; without one raises `kind`.
ShapeEnv& symbols(const Call& c, ErrorKind kind) {
  const bool allowed = kind == ErrorKind::kDataDependentOutput ? c.context().allow_scalar_outputs
                                                               : c.context().allow_dynamic_shapes;
  if (c.context().shape_env() == nullptr || !allowed) c.fail(kind, c.op().python_name());
  return *c.context().shape_env();
}
// No out= overload may make one (dyn_shape, torch/_subclasses/fake_impls.py).
ShapeEnv& size_symbols(const Call& c) {
  if (c.op().output_count != 0) c.fail(ErrorKind::kDynamicOutputShape, c.op().python_name());
  return symbols(c, ErrorKind::kDynamicOutputShape);
}

constexpr int64_t kMaxSize = kIntInfinity - 1;  // sys.maxsize - 1

// A new size from 0 to `most`, which may be symbolic itself: then its upper bound counts.
SymInt new_size(ShapeEnv& env, SymInt most) {
  const SymInt size = env.create_unbacked_int();
  RangeEnd upper = kMaxSize;
  if (!most.is_symbolic()) {
    upper = most.as_int();
  } else if (const ValueRange range = env.bound(env.replace(most.node()));
             range.upper != kIntInfinity) {
    upper = range.upper;
  }
  env.constrain_range_for_size(size, 0, upper);
  return size;
}

bool is_known_empty(const Tensor& self) {
  return !self.numel().is_symbolic() && self.numel().as_int() == 0;
}

// Mirrors nonzero, torch/_subclasses/fake_impls.py.
Tensor* nonzero(Call& c, const Tensor& self) {
  ShapeEnv& env = size_symbols(c);
  Value count = c.context().memos().find(self, Memo::kNonzero);
  if (count.is_none()) {
    count = is_known_empty(self) ? SymInt(0) : new_size(env, self.numel());
    c.context().memos().set(self, Memo::kNonzero, count);
  }
  const SymInt rows = count.as_sym_int();
  return c.empty_strided(DimVector{rows, self.dim()}, DimVector{1, rows}, DType::kInt64);
}

// Mirrors nonzero_numpy, aten/src/ATen/native/TensorAdvancedIndexing.cpp.
Value nonzero_numpy(Call& c, const Tensor& self) {
  if (self.dim() == 0) {
    const Value rows = c.call<"aten::nonzero">(c.call<"aten::unsqueeze">(self, 0));
    return c.call<"aten::unbind.int">(rows, 1);
  }
  return c.call<"aten::unbind.int">(c.call<"aten::nonzero">(self), 1);
}

// Mirrors nonzero_static, torch/_meta_registrations.py.
Tensor* nonzero_static(Call& c, const Tensor& self, SymInt size) {
  const DimVector sizes = {size, self.dim()};
  if (self.device().is_cpu()) return c.empty(sizes, DType::kInt64);
  return c.empty_strided(sizes, DimVector{1, size}, DType::kInt64);
}

// Mirrors masked_select, torch/_subclasses/fake_impls.py.
Tensor* masked_select(Call& c, const Tensor& self, const Tensor&) {
  ShapeEnv& env = size_symbols(c);
  // A range of up to 2 is not given to the symbol there.
  const SymInt most = self.numel();
  const bool is_small = !most.is_symbolic() && most.as_int() <= 2;
  return c.empty({new_size(env, is_small ? SymInt(kMaxSize) : most)}, self.dtype());
}

// Mirrors bincount, torch/_subclasses/fake_impls.py.
Tensor* bincount(Call& c, const Tensor&, Tensor* weights, SymInt minlength) {
  const SymInt bins = size_symbols(c).create_unbacked_int();
  bins.node()->pool->shape_env()->constrain_range_for_size(bins);
  c.check(bins >= minlength,
          "Expected cond to be True, but got False. (Could this error message be "
          "improved? If so, please report an enhancement request to PyTorch.)");
  if (weights == nullptr) return c.empty({bins}, DType::kInt64);
  return c.empty({bins}, weights->dtype() == DType::kFloat32 ? DType::kFloat32 : DType::kFloat64);
}

struct Unique {
  std::optional<int64_t> dim;
  bool inverse;
  bool counts;
  bool consecutive = false;
};

SymInt unique_count(Call& c, const Tensor& self, const Unique& given) {
  ShapeEnv& env = size_symbols(c);
  const Memo kind = given.consecutive ? Memo::kUniqueConsecutive : Memo::kUnique;
  if (!given.dim) {
    const Value known = c.context().memos().find(self, kind);
    if (!known.is_none()) return known.as_sym_int();
  }
  SymInt count = 0;
  if (!is_known_empty(self)) {
    const SymInt most = given.dim ? self.size(*given.dim) : self.numel();
    const bool is_known = !most.is_symbolic() || env.replace(most.node())->is_number();
    count = new_size(env, is_known ? most : SymInt(kMaxSize));
  }
  if (!given.dim) c.context().memos().set(self, kind, count);
  return count;
}

// (*shape[:dim], count, *shape[dim + 1:]) as Python slices: after dimension -1 comes the whole
// shape again.
DimVector sizes_with(const Tensor& self, int64_t dim, SymInt count) {
  const Dims shape = self.sizes();
  const auto at = static_cast<size_t>(dim < 0 ? dim + self.dim() : dim);
  DimVector sizes(shape.first(std::min(at, shape.size())));
  sizes.push_back(count);
  if (at < shape.size()) sizes.append(dim == -1 ? shape : shape.subspan(at + 1));
  return sizes;
}

// Mirrors _unique, torch/_subclasses/fake_impls.py.
Value unique(Call& c, const Tensor& self, const Unique& given) {
  const SymInt count = unique_count(c, self, given);
  const DimVector sizes = given.dim ? sizes_with(self, *given.dim, count) : DimVector{count};
  const bool always = given.dim && self.device().is_cpu();
  DimVector inverse = {0};
  if (given.inverse || always)
    inverse = given.dim ? DimVector{self.size(*given.dim)} : DimVector(self.sizes());
  // Python's ret[0].shape[dim].
  const SymInt counted = given.dim && *given.dim < 0 ? *(sizes.end() + *given.dim) : count;
  const DimVector counts = {given.counts || always ? counted : SymInt(0)};
  return c.tuple({c.empty(sizes, self.dtype()), c.empty(inverse, DType::kInt64),
                  c.empty(counts, DType::kInt64)});
}
// The overloads that write to tensors run the real kernel on zeros: no size is unknown.
Value write_unique(Call& c, const Tensor& self, std::string_view kernel) {
  c.check_as(ErrorKind::kNotImplementedError, !is_complex(self.dtype()) && !is_float8(self.dtype()),
             "\"{}\" not implemented for '{}'", kernel, info(self.dtype()).cpp_name);
  DType dtype = self.dtype();
  for (const Value& out : c.args().last(c.op().output_count)) {
    c.check(out.tensor().dtype() == dtype,
            "Expected out tensor to have dtype {}, but got {} instead", cpp_type_name(dtype),
            cpp_type_name(out.tensor().dtype()));
    dtype = DType::kInt64;
  }
  return outputs_left_alone(c);
}

Value unique_pair(Call& c, const Tensor& self, bool, bool inverse) {
  if (output_of(c) != nullptr) return write_unique(c, self, "unique");
  const Value all = unique(c, self, {.dim = {}, .inverse = inverse, .counts = false});
  return c.tuple({all[0], all[1]});
}
Value unique2(Call& c, const Tensor& self, bool, bool inverse, bool counts) {
  if (output_of(c) != nullptr) return write_unique(c, self, "unique");
  return unique(c, self, {.dim = {}, .inverse = inverse, .counts = counts});
}
Value unique_consecutive(Call& c, const Tensor& self, bool inverse, bool counts,
                         std::optional<int64_t> dim) {
  if (dim) wrap_dim(*dim, self.dim());
  if (output_of(c) != nullptr) return write_unique(c, self, dim ? "unique_dim" : "unique");
  return unique(c, self, {.dim = dim, .inverse = inverse, .counts = counts, .consecutive = true});
}
Value unique_dim(Call& c, const Tensor& self, int64_t dim, bool, bool inverse, bool counts) {
  if (output_of(c) != nullptr) {
    self.size(dim);
    return write_unique(c, self, "unique_dim");
  }
  size_symbols(c);
  return unique(c, self, {.dim = wrap_dim(dim, self.dim()), .inverse = inverse, .counts = counts});
}

// Mirrors dyn_shape and data_dep, torch/_subclasses/fake_impls.py.
Value always_dynamic(Call& c, uint64_t) {
  c.fail(ErrorKind::kDynamicOutputShape, c.op().python_name());
}
Value always_data(Call& c, uint64_t) {
  c.fail(ErrorKind::kDataDependentOutput, c.op().python_name());
}
Value unique_dim_consecutive(Call& c, const Tensor& self, int64_t dim) {
  if (output_of(c) == nullptr) return always_dynamic(c, 0);
  self.size(dim);
  return write_unique(c, self, "unique_dim");
}

// Mirrors combinations, aten/src/ATen/native/Itertools.cpp: `r` selections of equal size from a
// grid of the vector, side by side.
Value combinations(Call& c, const Tensor& self, int64_t r) {
  c.check(self.dim() == 1, "Expect a 1D vector, but got shape {}", self.sizes());
  c.check(r >= 0, "Expect a non-negative number, but got {}", r);
  if (r == 0) return c.empty({0}, self.dtype());
  // Each column has a fresh symbol for its size.
  c.check_as(ErrorKind::kLimitExceeded, r <= static_cast<int64_t>(kMaxSymbolsPerCall),
             "combinations of {} elements, which need more than {} bytes", r, kMaxBytesPerCall);
  // meshgrid views the vector along each dimension.
  for (int64_t i = 0; i < std::min<int64_t>(r, 64) && has_symbolic_sizes(self); ++i) {
    DimVector along(static_cast<size_t>(std::min<int64_t>(r, 64)), SymInt(1));
    along[static_cast<size_t>(i)] = -1;
    c.call<"aten::view">(self, along);
  }
  const int64_t count = guard_int(self.size(0));
  // A dimension for each place, as far as tensors have them.
  const DimVector sizes(static_cast<size_t>(std::min<int64_t>(r, 64)), SymInt(count));
  const Value grid = c.empty(sizes, self.dtype());
  const Value mask = c.empty(sizes, DType::kBool);
  SmallVector<Value, 4> columns;
  for (int64_t i = 0; i < r; ++i) columns.push_back(c.call<"aten::masked_select">(grid, mask));
  return c.call<"aten::stack">(c.list(columns.span()), 1);
}

// Mirrors _pack_padded_sequence, torch/_subclasses/fake_impls.py.
// Its out= overload runs the kernel, which wants lengths on the CPU and gets them on meta.
Value pack_padded_sequence(Call& c, const Tensor& input, const Tensor& lengths, bool batch_first) {
  if (c.op().output_count > 0) {
    if (batch_first) c.call<"aten::transpose.int">(input, 0, 1);
    c.fail(ErrorKind::kRuntimeError,
           format("'lengths' argument should be a 1D CPU int64 tensor, but got {}D meta {} tensor",
                  lengths.dim(), info(lengths.dtype()).cpp_name));
  }
  const SymInt batches = c.unbacked_int(ErrorKind::kDynamicOutputShape);
  DimVector sizes(input.sizes());
  if (!batch_first) {
    c.check_as(ErrorKind::kIndexError, sizes.size() >= 2,
               "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    std::swap(sizes[0], sizes[1]);
  }
  const Dims packed = sizes.span().subspan(sizes.empty() ? 0 : 1);
  return c.tuple({c.empty(packed, input.dtype()), c.empty({batches}, input.dtype())});
}

// Mirrors _pad_packed_sequence, aten/src/ATen/native/PackedSequence.cpp, which reads the lengths.
Value pad_packed_sequence(Call& c, const Tensor&, const Tensor& batch_sizes) {
  c.check(batch_sizes.dim() == 1 && batch_sizes.device().is_cpu() &&
              batch_sizes.dtype() == DType::kInt64,
          "'lengths' argument should be a 1D CPU int64 tensor, but got {}D {} {} tensor",
          batch_sizes.dim(), batch_sizes.device(), info(batch_sizes.dtype()).cpp_name);
  c.check(batch_sizes.numel() > 0, "batch_sizes can not be empty");
  fail_unallocated(c);
}

// --- scalars out of tensors ---

// Mirrors local_scalar_dense, torch/_subclasses/fake_impls.py.
Value local_scalar_dense(Call& c, const Tensor& self) {
  const Value known = c.context().memos().find(self, Memo::kItem);
  if (!known.is_none()) return known;
  ShapeEnv& env = symbols(c, ErrorKind::kDataDependentOutput);
  Value item;
  if (is_floating(self.dtype())) {
    item = Value::sym_float(env.create_unbacked_float());
  } else if (is_bool(self.dtype())) {
    item = env.create_unbacked_bool();
  } else {
    c.check_as(ErrorKind::kNotImplementedError, is_integral(self.dtype()),
               "local_scalar_dense/item NYI for {}", self.dtype());
    item = env.create_unbacked_int();
  }
  c.context().memos().set(self, Memo::kItem, item);
  return item;
}

// Mirrors item, aten/src/ATen/native/Scalar.cpp.
Value item(Call& c, const Tensor& self) {
  c.check(self.numel() == 1, "a Tensor with {} elements cannot be converted to Scalar",
          self.numel());
  return c.call<"aten::_local_scalar_dense">(self);
}

// Mirrors is_nonzero, aten/src/ATen/native/TensorProperties.cpp: the kernel compares the number
// itself, so a symbol is specialised.
bool is_nonzero(Call& c, const Tensor& self) {
  c.check(self.numel() != 0, "Boolean value of Tensor with no values is ambiguous");
  c.check(self.numel() < 2, "Boolean value of Tensor with more than one value is ambiguous");
  const Value number = c.call<"aten::item">(self);
  switch (number.tag()) {
    case Value::Tag::kBool:
      return number.to_bool();
    case Value::Tag::kInt:
      return number.to_int() != 0;
    default:
      return number.to_double() != 0;
  }
}

// --- asserts ---

// Mirrors assert_async, torch/_meta_registrations.py: nothing is known of the data.
void assert_async(Call&, const Tensor&) {}
// Mirrors functional_assert_async_meta and functional_sym_constrain_range, there too.
Tensor* functional_assert_async(Call&, const Tensor&, std::string_view, Tensor& token) {
  return &token;
}
template <FixedString check>
Value functional_constraint(Call& c, const Value& size, const Value& min, const Value& max,
                            Tensor& token) {
  c.call<check>(size, min, max);
  return token;
}

// Mirrors assert_tensor_metadata, torch/_subclasses/fake_impls.py. Sizes and strides arrive as
// lists, which no torch.Size and no tuple equals, so asking for them always fails.
void assert_tensor_metadata(Call& c, const Tensor& self, std::optional<Dims> size,
                            std::optional<Dims> stride, std::optional<DType> dtype,
                            std::optional<Device> device, std::optional<Layout> layout) {
  const auto check = [&](bool equal, std::string_view what, const auto& expected, const auto& got) {
    c.check_as(ErrorKind::kAssertionError, equal, "Tensor {} mismatch! Expected: {}, Got: {}", what,
               expected, got);
  };
  if (size) check(false, "sizes", *size, size_text(self.sizes()));
  if (stride) check(false, "strides", *stride, tuple_text(self.strides()));
  if (dtype) check(self.dtype() == *dtype, "dtype", *dtype, self.dtype());
  if (layout) check(self.layout() == *layout, "layout", *layout, self.layout());
  if (device) check(self.device() == *device, "device", *device, self.device());
}

// clang-format off
constexpr OpDef kDataDependentRules[] = {
    {"aten::_assert_async(Tensor self) -> ()", rule<&assert_async>()},
    {"aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", rule<&assert_async>()},
    {"aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()", rule<&assert_tensor_metadata>(), kByFakeImpl},
    {"aten::_ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)", {&always_dynamic}, kDynamicShape | kByFakeImpl | kRealDerivative, derivative<Derivative{.without_formula = "targets,input_lengths,target_lengths"}>},
    {"aten::_functional_assert_async.msg(Tensor self, str assert_msg, Tensor dep_token) -> Tensor", rule<&functional_assert_async>()},
    {"aten::_functional_sym_constrain_range(Scalar size, int? min, int? max, Tensor dep_token) -> Tensor", rule<&functional_constraint<"aten::sym_constrain_range">>()},
    {"aten::_functional_sym_constrain_range_for_size(Scalar size, int? min, int? max, Tensor dep_token) -> Tensor", rule<&functional_constraint<"aten::sym_constrain_range_for_size">>()},
    {"aten::_local_scalar_dense(Tensor self) -> Scalar", rule<&local_scalar_dense>(), kDataDependent | kByFakeImpl},
    {"aten::_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)", rule<&pack_padded_sequence>(), kSizeIsData | kByFakeImpl | kRealDerivative, derivative<Derivative{.without_formula = "lengths"}>},
    {"aten::_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int total_length) -> (Tensor, Tensor)", rule<&pad_packed_sequence>(), kComposite},
    {"aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)", rule<&unique_pair>(), kDynamicShape | kByFakeImpl | kRealDerivative},
    {"aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)", rule<&unique2>(), kDynamicShape | kByFakeImpl | kRealDerivative},
    {"aten::allclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> bool", {&always_data}, kDataDependent | kByFakeImpl},
    {"aten::argwhere(Tensor self) -> Tensor", same_as<"aten::nonzero">(), kComposite},
    {"aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor", rule<&bincount>(), kDynamicShape | kByFakeImpl},
    {"aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor", rule<&combinations>(), kComposite | kSizeIsData},
    {"aten::equal(Tensor self, Tensor other) -> bool", {&always_data}, kDataDependent | kByFakeImpl},
    {"aten::is_nonzero(Tensor self) -> bool", rule<&is_nonzero>(), kComposite},
    {"aten::item(Tensor self) -> Scalar", rule<&item>(), kComposite | kDataDependent},
    {"aten::linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)", {&always_dynamic}, kDynamicShape | kByFakeImpl, derivative<Derivative{.differentiable_results = 0b11}>},
    {"aten::masked_select(Tensor self, Tensor mask) -> Tensor", rule<&masked_select>(), kDynamicShape | kByFakeImpl},
    {"aten::nonzero(Tensor self) -> Tensor", rule<&nonzero>(), kDynamicShape | kByFakeImpl | kNoDerivative},
    {"aten::nonzero_numpy(Tensor self) -> Tensor[]", rule<&nonzero_numpy>(), kComposite},
    {"aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor", rule<&nonzero_static>(), kDeviceHint},
    {"aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)", rule<&unique_consecutive>(), kDynamicShape | kByFakeImpl | kRealDerivative},
    {"aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)", rule<&unique_dim>(), kDynamicShape | kByFakeImpl | kRealDerivative},
    {"aten::unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)", rule<&unique_dim_consecutive>(), kDynamicShape | kByFakeImpl | kRealDerivative},
    {"aten::where(Tensor condition) -> Tensor[]", same_as<"aten::nonzero_numpy">(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_data_dependent

std::span<const OpDef> data_dependent_rules() {
  return rules_of_data_dependent::kDataDependentRules;
}

}  // namespace faketensor
