// Fourier transforms: three kernels, whose results are laid out in the order in which the library
// beneath works through the dimensions, and the operators of torch.fft composed of them.
#include <algorithm>

#include "core/ops/families/arithmetic.h"
#include "core/ops/families/factory.h"
#include "core/ops/families/into.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_fft {
namespace {

// --- kernels ---

using Axes = SmallVector<int64_t, 8>;

// What the kernels' meta functions index sizes and strides with: they raise as Python does.
Axes wrapped_axes(Dims dims, int64_t rank) {
  Axes result;
  for (const SymInt dim : dims) {
    int64_t axis = guard_int(dim);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) throw_error(ErrorKind::kIndexError, "tuple index out of range");
    result.push_back(axis);
  }
  return result;
}

// That the axes of one transform are distinct.
void check_distinct(const Axes& axes, int64_t rank) {
  Axes distinct(axes);
  std::sort(distinct.begin(), distinct.end());
  const auto count = std::unique(distinct.begin(), distinct.end()) - distinct.begin();
  const int64_t permuted = rank - count + static_cast<int64_t>(axes.size());
  if (permuted != rank) {
    throw_error(
        ErrorKind::kRuntimeError,
        format("permute(sparse_coo): number of dimensions in the tensor input does not match the "
               "length of the desired ordering of dimensions i.e. input.dim() = {} is not equal to "
               "len(dims) = {}",
               rank, permuted));
  }
}

Axes axes_of(Dims dims, int64_t rank) {
  Axes axes = wrapped_axes(dims, rank);
  check_distinct(axes, rank);
  return axes;
}
void check_has_last(Dims dims) {
  if (dims.empty()) throw_error(ErrorKind::kIndexError, "list index out of range");
}

void sort_by_stride(std::span<int64_t> axes, Dims strides) {
  std::stable_sort(axes.begin(), axes.end(), [&](int64_t a, int64_t b) {
    return guard_bool(strides[static_cast<size_t>(a)] > strides[static_cast<size_t>(b)]);
  });
}

bool has_axis(const Axes& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// The batch is made by reshape([-1, transformed...]), which no tensor without elements allows when
// a transformed size is 0.
void check_batchable(Call& c, Dims sizes, const Axes& axes) {
  DimVector shape = {-1};
  for (const int64_t axis : axes) shape.push_back(sizes[static_cast<size_t>(axis)]);
  const Dims transformed = shape.span().subspan(1);
  c.check(
      std::none_of(transformed.begin(), transformed.end(),
                   [](SymInt size) { return guard_or_false(size == 0); }),
      "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size "
      "-1 can be any value and is ambiguous",
      shape.span());
}

// What a transform reads, and where its sizes are symbolic the tensor that _exec_fft permutes.
struct Source {
  Dims sizes, strides;
  const Tensor* symbolic = nullptr;
  DType result = DType::kComplex64;
  bool may_resize = true;  // Note [Transforms take no symbols]
};

// Tensor.resize_ of a new output to its batched sizes, in C++ (_resize_impl_, Resize.h).
void ask_resized(Dims sizes, Dims batched) {
  if (guard_equal(sizes, batched) || guard_bool(numel(batched) == 0)) return;
  (void)guard_bool(numel(batched) > numel(sizes));
}

// Note [Transforms take no symbols]
// Where sizes are symbolic, _exec_fft permutes a fake tensor outside of its mode, which specialises
// its sizes and strides, and then resizes its result. That fails where the batch is a symbol still
// and the transformed length is a plain number, unless the result has the batched sizes already.
// Under the Python dispatcher it permutes and reshapes inside, by the references.
void ask_batched(Call& c, const Source& source, Dims sizes, const Axes& order, size_t batch_dims) {
  DimVector permuted_sizes;
  DimVector permuted_strides;
  DimVector shape = {-1};
  DimVector batched = {1};
  for (size_t i = 0; i < order.size(); ++i) {
    const auto axis = static_cast<size_t>(order[i]);
    permuted_sizes.push_back(source.sizes[axis]);
    permuted_strides.push_back(source.strides[axis]);
    if (i < batch_dims) {
      batched[0] = batched[0] * source.sizes[axis];
    } else {
      shape.push_back(source.sizes[axis]);
      batched.push_back(sizes[axis]);
    }
  }
  const KernelScope scope(c.context());
  if (c.context().python_dispatcher) {
    const Tensor& permuted = *c.view(*source.symbolic, permuted_sizes, permuted_strides);
    batched[0] = c.tensor<"aten::reshape">(permuted, shape).sizes()[0];
    ask_resized(sizes, batched);
    return;
  }
  specialize_sizes(*source.symbolic);
  specialize_sizes(source.strides);
  c.check(source.may_resize || guard_equal(sizes, batched),
          "tried to directly modify sizes for customized tensor");
}

bool is_number(SymInt size) {
  return !size.is_symbolic() || statically_known_true(size == hint(size).value_or(-1));
}

// Whether the result of a transform of `self` may be resized; asked before it is specialised.
bool may_resize(const Tensor& self, const Axes& axes, SymInt last_length) {
  bool is_batch_known = true;
  for (int64_t i = 0; i < self.dim(); ++i)
    is_batch_known = is_batch_known && (has_axis(axes, i) || is_number(self.size(i)));
  return is_batch_known || last_length.is_symbolic();
}

Source source_of(const Tensor& self, const Axes& axes, SymInt last_length, DType result) {
  Source source{self.sizes(), self.strides()};
  source.result = result;
  if (!has_symbolic_sizes(self) || self.device().is_cuda()) return source;
  source.symbolic = &self;
  source.may_resize = may_resize(self, axes, last_length);
  return source;
}

// The strides of a transform's result. Mirrors _exec_fft, torch/_meta_registrations.py: it is
// written as [batch, transformed...], with the batch dimensions in the order of the input's
// strides.
DimVector transformed_strides(Call& c, const Source& source, Dims sizes, const Axes& axes) {
  check_batchable(c, source.sizes, axes);
  Axes batch;
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i) {
    if (!has_axis(axes, i)) batch.push_back(i);
  }
  sort_by_stride({batch.data(), batch.size()}, source.strides);
  if (source.symbolic != nullptr) {
    Axes order = batch;
    order.append(axes);
    ask_batched(c, source, sizes, order, batch.size());
  }
  DimVector transformed;
  for (const int64_t axis : axes) transformed.push_back(sizes[static_cast<size_t>(axis)]);
  const DimVector inner = contiguous_strides(transformed);
  DimVector strides(sizes.size());
  for (size_t i = 0; i < axes.size(); ++i) strides[static_cast<size_t>(axes[i])] = inner[i];
  SymInt step = 1;
  for (const SymInt size : transformed)
    step = step * (!size.is_symbolic() && size.as_int() == 0 ? SymInt(1) : size);
  for (size_t i = batch.size(); i-- > 0;) {
    const auto axis = static_cast<size_t>(batch[i]);
    strides[axis] = step;
    step = step * sizes[axis];
  }
  if (source.symbolic != nullptr && c.context().python_dispatcher) {
    // as_strided_ on what was resized (checkInBoundsForStorage, ATen/native/Resize.h)
    const SymInt needed = storage_bytes(sizes, strides, 0, source.result);
    const SymInt held = numel(sizes) * itemsize(source.result);
    c.check(sym_or(needed == 0, needed <= held), "setStorage: out of bounds for storage of size {}",
            held);
  }
  return strides;
}

// cuFFT transforms at most three dimensions at once.
constexpr size_t kCufftMaxRank = 3;

// Mirrors use_optimized_cufft_path, torch/_meta_registrations.py.
bool is_one_cufft_call(const Axes& axes) {
  return axes.size() <= kCufftMaxRank && !(axes.size() >= 2 && axes[0] == 0 && axes[1] == 1);
}

// Stages of complex transforms on CUDA: the last up to three of the remaining axes, which are
// sorted by the strides that the stage before left.
DimVector staged_strides(Call& c, DimVector strides, Dims sizes, Axes axes) {
  while (!axes.empty()) {
    sort_by_stride({axes.data(), axes.size()}, strides);
    const size_t taken = std::min(kCufftMaxRank, axes.size());
    const Axes last(std::span<const int64_t>(axes.data() + axes.size() - taken, taken));
    strides = transformed_strides(c, {sizes, strides}, sizes, last);
    axes.resize(axes.size() - taken);
  }
  return strides;
}

DimVector complex_strides(Call& c, const Tensor& self, Axes axes) {
  if (self.device().is_cuda())
    return staged_strides(c, DimVector(self.strides()), self.sizes(), axes);
  const Source source = source_of(self, axes, self.size(axes.back()), self.dtype());
  sort_by_stride({axes.data(), axes.size()}, self.strides());
  return transformed_strides(c, source, self.sizes(), axes);
}

constexpr std::string_view kFailedCheck =
    "Expected cond to be True, but got False. (Could this error message be improved? If so, "
    "please report an enhancement request to PyTorch.)";

// What is conjugated lazily is copied before a meta function sees it.
const Tensor& resolved(Call& c, const Tensor& self) {
  return has_symbolic_sizes(self) ? c.tensor<"aten::resolve_conj">(self) : self;
}

// Mirrors meta_fft_c2c, torch/_meta_registrations.py.
Value complex_to_complex(Call& c, const Tensor& given, Dims dim) {
  const Tensor& self = resolved(c, given);
  c.check(is_complex(self.dtype()), kFailedCheck);
  if (dim.empty()) return c.call<"aten::clone">(self);
  const Axes axes = axes_of(dim, self.dim());
  return c.empty_strided(self.sizes(), complex_strides(c, self, axes), self.dtype());
}

// Mirrors meta_fft_r2c, torch/_meta_registrations.py.
Value real_to_complex(Call& c, const Tensor& self, Dims dim, int64_t, bool onesided) {
  c.check(is_floating(self.dtype()), kFailedCheck);
  check_has_last(dim);
  Axes axes = axes_of(dim, self.dim());
  const auto last = static_cast<size_t>(axes.back());
  DimVector half(self.sizes());
  half[last] = floor_div(half[last], 2) + 1;
  const DimVector sizes = onesided ? half : DimVector(self.sizes());
  const Source source = source_of(self, axes, self.sizes()[last], to_complex(self.dtype()));
  DimVector strides;
  if (!self.device().is_cuda()) {
    sort_by_stride({axes.data(), axes.size() - 1}, self.strides());
    strides = transformed_strides(c, source, sizes, axes);
  } else if (is_one_cufft_call(axes)) {
    strides = transformed_strides(c, source, sizes, axes);
  } else {
    // The last axis from real to complex, then the others.
    const DimVector& first = axes.size() == 1 ? sizes : half;
    strides = transformed_strides(c, source, first, Axes{axes.back()});
    axes.pop_back();
    strides = staged_strides(c, strides, half, axes);
    if (!onesided && !same_expr(half[last], sizes[last])) strides = contiguous_strides(sizes);
  }
  return c.empty_strided(sizes, strides, to_complex(self.dtype()));
}

// Mirrors meta_fft_c2r, torch/_meta_registrations.py.
Value complex_to_real(Call& c, const Tensor& given, Dims dim, int64_t, SymInt last_dim_size) {
  const Tensor& self = resolved(c, given);
  c.check(is_complex(self.dtype()), kFailedCheck);
  check_has_last(dim);
  Axes axes = wrapped_axes(dim, self.dim());
  DimVector sizes(self.sizes());
  sizes[static_cast<size_t>(axes.back())] = last_dim_size;
  const DType dtype = to_real(self.dtype());
  c.empty(sizes, dtype);  // a negative or huge length is refused here
  if (self.device().is_cuda() && is_one_cufft_call(axes)) {
    check_distinct(axes, self.dim());
    const DimVector from = contiguous_strides(self.sizes());
    const DimVector strides = transformed_strides(c, {self.sizes(), from}, sizes, axes);
    return c.empty_strided(sizes, strides, dtype);
  }
  const Axes last = {axes.back()};
  // The other axes are transformed before, apart.
  axes.pop_back();
  check_distinct(axes, self.dim());
  const Tensor* complex = &self;
  if (!axes.empty()) {
    complex = c.empty_strided(self.sizes(), complex_strides(c, self, axes), self.dtype());
  } else if (self.device().is_cuda()) {
    complex = c.empty(self.sizes(), self.dtype());
  }
  const Source source = source_of(*complex, last, last_dim_size, dtype);
  return c.empty_strided(sizes, transformed_strides(c, source, sizes, last), dtype);
}

// --- torch.fft: aten/src/ATen/native/SpectralOps.cpp ---

// Mirrors promote_tensor_fft.
Tensor& promoted(Call& c, const Tensor& self, bool require_complex) {
  DType dtype = self.dtype();
  if (is_complex(dtype)) return const_cast<Tensor&>(self);
  if (!is_floating(dtype)) dtype = c.context().default_dtype;
  const bool takes_half = self.device().is_cuda() || self.device().is_meta();
  c.check(dtype == DType::kFloat32 || dtype == DType::kFloat64 ||
              (takes_half && dtype == DType::kFloat16),
          "Unsupported dtype {}", info(dtype).cpp_name);
  if (require_complex) dtype = to_complex(dtype);
  return c.tensor<"aten::to.dtype">(self, dtype);
}

void check_norm(Call& c, const Value& norm) {
  if (norm.is_none()) return;
  const std::string_view text = norm.text();
  c.check(text == "backward" || text == "forward" || text == "ortho",
          "Invalid normalization mode: \"{}\"", text);
}

// A new tensor is made of plain numbers where its sizes are known to be.
const Tensor& with_plain_sizes(Call& c, const Tensor& tensor) {
  if (!has_symbolic_sizes(tensor)) return tensor;
  DimVector sizes(tensor.sizes());
  for (SymInt& size : sizes) {
    if (size.is_symbolic() && is_number(size)) size = *hint(size);
  }
  return *c.view(tensor, sizes, tensor.strides());
}

// Mirrors resize_fft_input: padded or cut to `sizes` along `axes`.
const Tensor& resized(Call& c, const Tensor& self, const Axes& axes, Dims sizes) {
  const Tensor* result = &self;
  DimVector padding(self.sizes().size() * 2, SymInt(0));
  bool pads = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    const SymInt size = self.size(axes[i]);
    if (guard_bool(sizes[i] == -1)) continue;
    if (guard_bool(size < sizes[i])) {
      padding[padding.size() - 2 * static_cast<size_t>(axes[i]) - 1] = sizes[i] - size;
      pads = true;
    } else if (guard_bool(size > sizes[i])) {
      const Tensor& cut = c.tensor<"aten::slice.Tensor">(*result, axes[i], 0, sizes[i]);
      result = &with_plain_sizes(c, cut);
    }
  }
  return pads ? c.tensor<"aten::constant_pad_nd">(*result, padding) : *result;
}

void check_points(Call& c, SymInt count) {
  c.check(guard_bool(count >= 1), "Invalid number of data points ({}) specified", count);
}

// A transform's parts: how many dimensions it takes and what it goes from and to.
enum class Transform : uint8_t { kComplex, kReal, kHermitian };

struct FftParams {
  Transform transform;  // kComplex: fft, ifft; kReal: rfft, ihfft; kHermitian: irfft, hfft
  bool forward;
  char name[6];  // "rfft", for messages
};

DimVector as_dims(const Axes& axes) {
  DimVector result;
  for (const int64_t axis : axes) result.push_back(axis);
  return result;
}

// What the output of a transform must be: complex, or for a real result floating.
void check_output(const Call& c, std::string_view name, bool real) {
  const Tensor* out = output_of(c);
  if (out == nullptr) return;
  const bool fits = real ? is_floating(out->dtype()) : is_complex(out->dtype());
  c.check(fits, "{} expects a {} output tensor, but got {}", name,
          real ? "floating point" : "complex", info(out->dtype()).cpp_name);
}

// Mirror fft_c2c_maybe_out, fft_r2c_maybe_out and fft_c2r_maybe_out.
Value complex_to_complex_into(Call& c, std::string_view name, const Value& x, Dims dims,
                              bool forward) {
  check_output(c, name, false);
  return call_into<"aten::_fft_c2c", "aten::_fft_c2c.out">(c, x, dims, 0, forward);
}
Value real_to_complex_into(Call& c, std::string_view name, const Value& x, Dims dims,
                           bool onesided) {
  check_output(c, name, false);
  return call_into<"aten::_fft_r2c", "aten::_fft_r2c.out">(c, x, dims, 0, onesided);
}
Value complex_to_real_into(Call& c, std::string_view name, const Value& x, Dims dims,
                           SymInt length) {
  check_output(c, name, true);
  return call_into<"aten::_fft_c2r", "aten::_fft_c2r.out">(c, x, dims, 0, length);
}

Value conjugated(Call& c, const Value& tensor) { return c.call<"aten::conj">(tensor); }

// One dimension: fft(self, n, dim, norm). Mirrors fft_c2c, fft_r2c and fft_c2r.
Value fft_1d(Call& c, uint64_t params) {
  const auto given = rule_params<FftParams>(params);
  const Tensor& self = c.arg(0).tensor();
  const bool has_n = !c.arg(1).is_none();
  const bool hermitian = given.transform == Transform::kHermitian;
  const bool to_onesided = given.transform == Transform::kReal;
  c.check(!to_onesided || !is_complex(self.dtype()), "{} expects a real input tensor, but got {}",
          given.name, info(self.dtype()).cpp_name);
  const Tensor& input = promoted(c, self, hermitian);
  const int64_t axis = wrap_dim(c.arg(2).to_int(), input.dim(), false);
  SymInt n = hermitian ? (input.size(axis) - 1) * 2 : input.size(axis);
  if (has_n) n = c.arg(1).as_sym_int();
  check_points(c, n);
  const DimVector length = {hermitian ? floor_div(n, 2) + 1 : n};
  const Tensor& x = has_n ? resized(c, input, Axes{axis}, length) : input;
  check_norm(c, c.arg(3));
  const DimVector dims = {axis};
  if (hermitian) {
    const Value source = given.forward ? conjugated(c, x) : Value(x);
    return complex_to_real_into(c, given.name, source, dims, n);
  }
  if (is_complex(x.dtype())) return complex_to_complex_into(c, given.name, x, dims, given.forward);
  if (given.forward) return real_to_complex_into(c, given.name, x, dims, to_onesided);
  const Value result = c.call<"aten::_fft_r2c">(x, dims, 0, to_onesided);
  if (Tensor* out = output_of(c)) return c.call<"aten::conj_physical.out">(result, *out);
  return conjugated(c, result);
}

// The dimensions and lengths of a transform of several dimensions.
struct Lengths {
  Axes axes;
  DimVector sizes;
};

// Mirrors canonicalize_fft_shape_and_dim_args.
Lengths lengths(Call& c, const Tensor& self, const Value& s, const Value& dim) {
  const int64_t rank = self.dim();
  Lengths result;
  if (!dim.is_none()) {
    for (const SymInt axis : dim.ints())
      result.axes.push_back(wrap_dim(guard_int(axis), rank, false));
    Axes sorted = result.axes;
    std::sort(sorted.begin(), sorted.end());
    c.check(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
            "FFT dims must be unique");
  }
  if (!s.is_none()) {
    const auto count = static_cast<int64_t>(s.size());
    c.check(dim.is_none() || dim.size() == s.size(),
            "When given, dim and shape arguments must have the same length");
    c.check(count <= rank, "Got shape with {} values but input tensor only has {} dimensions.",
            count, rank);
    if (dim.is_none()) {
      for (int64_t i = rank - count; i < rank; ++i) result.axes.push_back(i);
    }
  } else if (dim.is_none()) {
    for (int64_t i = 0; i < rank; ++i) result.axes.push_back(i);
  }
  for (size_t i = 0; i < result.axes.size(); ++i) {
    const bool is_given = !s.is_none() && !guard_bool(s.ints()[i] == -1);
    result.sizes.push_back(is_given ? s.ints()[i] : self.size(result.axes[i]));
    c.check(guard_bool(result.sizes.back() > 0), "Invalid number of data points ({}) specified",
            result.sizes.back());
  }
  return result;
}

// The real side of a hermitian transform: its length, for which half as much input is taken.
SymInt hermitian_length(Call& c, const Tensor& self, const Value& s, std::string_view name,
                        Lengths& given) {
  c.check(!given.sizes.empty(), "{} must transform at least one axis", name);
  const bool is_default = s.is_none() || guard_bool(s.ints().back() == -1);
  const SymInt length = is_default ? (self.size(given.axes.back()) - 1) * 2 : given.sizes.back();
  check_points(c, length);
  given.sizes.back() = floor_div(length, 2) + 1;
  return length;
}

// Several dimensions: fftn(self, s, dim, norm). Mirrors fft_fftn, fft_rfftn, fft_irfftn, fft_hfftn,
// fft_ihfftn.
Value fft_nd(Call& c, uint64_t params) {
  const auto given = rule_params<FftParams>(params);
  const Tensor& self = c.arg(0).tensor();
  const std::string name = std::string(given.name) + "n";
  const bool to_onesided = given.transform == Transform::kReal;
  c.check(!to_onesided || !is_complex(self.dtype()),
          "{} expects a real-valued input tensor, but got {}", name, info(self.dtype()).cpp_name);
  Lengths shape = lengths(c, self, c.arg(1), c.arg(2));
  c.check(!to_onesided || !shape.sizes.empty(), "{} must transform at least one axis", name);
  SymInt length = 0;
  if (given.transform == Transform::kHermitian)
    length = hermitian_length(c, self, c.arg(1), name, shape);
  const Tensor& input = promoted(c, self, !to_onesided);
  const Tensor& x = resized(c, input, shape.axes, shape.sizes);
  check_norm(c, c.arg(3));
  const DimVector dims = as_dims(shape.axes);
  const Dims leading = dims.span().first(dims.empty() ? 0 : dims.size() - 1);
  const DimVector last(dims.span().last(dims.empty() ? 0 : 1));
  const bool is_plain = given.forward == to_onesided;  // rfftn and irfftn, not hfftn and ihfftn
  switch (given.transform) {
    case Transform::kComplex:
      return complex_to_complex_into(c, name, x, dims, given.forward);
    case Transform::kReal: {
      if (is_plain) return real_to_complex_into(c, name, x, dims, true);
      const Value half = conjugated(c, c.call<"aten::_fft_r2c">(x, last, 0, true));
      // PyTorch forgets an output of one dimension's transform.
      if (!leading.empty()) return complex_to_complex_into(c, name, half, leading, false);
      return output_of(c) == nullptr ? half : Value(*output_of(c));
    }
    case Transform::kHermitian: {
      if (is_plain) return complex_to_real_into(c, name, x, dims, length);
      const Value spread =
          leading.empty() ? Value(x) : c.call<"aten::_fft_c2c">(x, leading, 0, true);
      return complex_to_real_into(c, name, conjugated(c, spread), last, length);
    }
  }
  return Value();
}

consteval Rule one_dimension(FftParams params) { return family_rule(&fft_1d, params); }
consteval Rule many_dimensions(FftParams params) { return family_rule(&fft_nd, params); }

constexpr FftParams kFft = {Transform::kComplex, true, "fft"};
constexpr FftParams kIfft = {Transform::kComplex, false, "ifft"};
constexpr FftParams kRfft = {Transform::kReal, true, "rfft"};
constexpr FftParams kIhfft = {Transform::kReal, false, "ihfft"};
constexpr FftParams kIrfft = {Transform::kHermitian, false, "irfft"};
constexpr FftParams kHfft = {Transform::kHermitian, true, "hfft"};

// Mirrors fft_fftshift and fft_ifftshift: rolled by half of each size, rounded down or up.
template <int64_t kRoundUp>
Value fft_shift(Call& c, const Tensor& self, const Value& dim) {
  DimVector dims;
  for (int64_t i = 0; dim.is_none() && i < self.dim(); ++i) dims.push_back(i);
  if (!dim.is_none()) dims = DimVector(dim.ints());
  DimVector shifts;
  for (const SymInt axis : dims)
    shifts.push_back(floor_div(self.size(guard_int(axis)) + kRoundUp, 2));
  return c.call<"aten::roll">(self, shifts, dims);
}

// Mirrors fft_fftfreq and fft_rfftfreq.
template <bool is_half>
Value fft_frequencies(Call& c, SymInt n) {
  const FactoryOptions options = factory_options(c, 2);
  c.check(is_float_or_complex(options.dtype), "{} requires a floating point or complex dtype",
          is_half ? "rfftfreq" : "fftfreq");
  return new_tensor(c, DimVector{is_half ? floor_div(n, 2) + 1 : n}, options);
}

// clang-format off
constexpr OpDef kFftRules[] = {
    {"aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor", rule<&complex_to_complex>(), kDeviceHint},
    {"aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor", rule<&complex_to_real>(), kDeviceHint | kRealDerivative},
    {"aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor", rule<&real_to_complex>(), kDeviceHint},
    {"aten::fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", one_dimension(kFft), kComposite},
    {"aten::fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", many_dimensions(kFft), kComposite},
    {"aten::fft_fftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&fft_frequencies<false>>(), kByFakeImpl},
    {"aten::fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", many_dimensions(kFft), kComposite},
    {"aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor", rule<&fft_shift<0>>(), kComposite},
    {"aten::fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", one_dimension(kHfft), kComposite},
    {"aten::fft_hfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", many_dimensions(kHfft), kComposite},
    {"aten::fft_hfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", many_dimensions(kHfft), kComposite},
    {"aten::fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", one_dimension(kIfft), kComposite},
    {"aten::fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", many_dimensions(kIfft), kComposite},
    {"aten::fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", many_dimensions(kIfft), kComposite},
    {"aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor", rule<&fft_shift<1>>(), kComposite},
    {"aten::fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", one_dimension(kIhfft), kComposite},
    {"aten::fft_ihfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", many_dimensions(kIhfft), kComposite},
    {"aten::fft_ihfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", many_dimensions(kIhfft), kComposite},
    {"aten::fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", one_dimension(kIrfft), kComposite},
    {"aten::fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", many_dimensions(kIrfft), kComposite},
    {"aten::fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", many_dimensions(kIrfft), kComposite},
    {"aten::fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", one_dimension(kRfft), kComposite},
    {"aten::fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", many_dimensions(kRfft), kComposite},
    {"aten::fft_rfftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&fft_frequencies<true>>(), kByFakeImpl},
    {"aten::fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", many_dimensions(kRfft), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_fft

std::span<const OpDef> fft_rules() { return rules_of_fft::kFftRules; }

}  // namespace faketensor
