// Factories: tensors made out of sizes and options.
#include "core/ops/families/factory.h"

#include <cmath>

#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/into.h"
#include "core/ops/families/number.h"
#include "core/ops/families/sparse.h"
#include "core/ops/rules/tables.h"
#include "core/ops/zero_tensor.h"
#include "core/symbolic/arithmetic.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_factory {
namespace {

Tensor* empty_strided_with(Call& c, Dims size, Dims stride, const FactoryOptions& options) {
  if (options.layout != Layout::kStrided) throw_no_kernel(c.op(), "SparseMeta");
  c.check(size.size() == stride.size(),
          "dimensionality of sizes ({}) must match dimensionality of strides ({})", size.size(),
          stride.size());
  for (const SymInt length : size) {
    c.check(length >= 0, "Trying to create tensor with negative dimension {}: {}", length, size);
  }
  // A negative stride counts as not given (TensorImpl::set_sizes_and_strides).
  DimVector strides(stride);
  for (size_t i = strides.size(); i-- > 0;) {
    if (!guard_or_false(strides[i] < 0)) continue;
    const bool is_last = i + 1 == strides.size();
    strides[i] = is_last ? SymInt(1) : sym_max(size[i + 1], 1) * strides[i + 1];
  }
  // computeStorageNbytes asks each size whether it is 0, also where the strides are row-major.
  for (const SymInt length : size) {
    if (guard_or_false(length == 0)) break;
  }
  return c.context().empty(size, options.dtype, options.device, strides);
}

Tensor* empty_strided(Call& c, Dims size, Dims stride) {
  return empty_strided_with(c, size, stride, factory_options(c, 2));
}
Tensor* new_empty_strided(Call& c, const Tensor& self, Dims size, Dims stride) {
  return empty_strided_with(c, size, stride, factory_options(c, 3, {}, &self));
}

// Mirrors empty_permuted_symint, aten/src/ATen/native/TensorFactories.cpp.
Tensor* empty_permuted(Call& c, Dims size, Dims physical_layout) {
  const FactoryOptions options = factory_options(c, 2);
  const auto rank = static_cast<int64_t>(size.size());
  c.check(size.size() == physical_layout.size(),
          "Number of dimensions in size does not match the length of the physical_layout; i.e. "
          "len(size) = {} is not equal to len(physical_layout) = {}",
          size.size(), physical_layout.size());
  SmallVector<int64_t, 8> order;
  SmallVector<bool, 16> seen(size.size(), false);
  for (size_t i = 0; i < physical_layout.size(); ++i) {
    const int64_t dim = guard_int(physical_layout[i]);
    c.check(dim >= 0 && dim < rank,
            "Dimension out of range (expected to be between 0 and {}, but got {} at index {}).  "
            "NB: negative dims not currently supported; file an issue if you want it.",
            rank - 1, dim, i);
    c.check(!seen[static_cast<size_t>(dim)], "Duplicate dim not allowed");
    seen[static_cast<size_t>(dim)] = true;
    order.push_back(dim);
  }
  DimVector physical;
  for (const int64_t dim : order) physical.push_back(size[static_cast<size_t>(dim)]);
  check_sizes(c, physical);
  Tensor* result = empty_strided_with(c, size, permuted_strides(size, order.span()), options);
  // Allocated as a contiguous tensor of the permuted sizes.
  result->storage->nbytes = result->numel() * itemsize(result->dtype());
  return result;
}

// The dtype of a tensor full of `value`: bool, int64, or the default floating or complex type.
DType dtype_of_fill(const Call& c, const Value& value) {
  return number_dtype(value, c.context().default_dtype);
}

Tensor* full(Call& c, Dims size, const Value& fill_value) {
  return new_tensor(c, size, factory_options(c, 2, dtype_of_fill(c, fill_value)));
}

Tensor* efficient_zeros(Call& c, Dims size) {
  const FactoryOptions options = factory_options(c, 1);
  check_sizes(c, size);
  return new_zero_tensor(c.context(), size, options.dtype, options.device);
}

Tensor* scalar_tensor(Call& c, const Value&) { return new_tensor(c, {}, factory_options(c, 1)); }

// Mirrors empty_out, aten/src/ATen/native/TensorFactories.cpp.
Tensor* empty_out(Call& c, Dims size, const Value& memory_format, Tensor& out) {
  c.check(!memory_format.is(Value::Tag::kMemoryFormat),
          "'memory_format' argument is incompatible with 'out' tensor argument");
  c.check(!c.context().grad_enabled || !out.meta->has(kRequiresGrad),
          "cannot resize variables that require grad");
  check_sizes(c, size);
  resize_output(c.context(), out, size);
  return &out;
}

// --- ranges ---

bool is_integer(const Value& number) {
  return number.is(Value::Tag::kInt) || number.is(Value::Tag::kBool);
}
SymInt truncated(const Value& number) {
  if (number.is(Value::Tag::kInt)) return number.as_sym_int();
  if (number.is(Value::Tag::kBool)) return number.to_int();
  return checked_to_int(number.to_double());
}

// Number of elements of a range: a plain double that must make a size.
SymInt length_of(const Call& c, double elements) {
  c.check(std::isfinite(elements) && elements < 9.2e18, "invalid size, possible overflow?");
  return static_cast<int64_t>(elements);
}

void check_finite(const Call& c, const Value& start, const Value& end) {
  const auto finite = [](const Value& number) {
    return !number.is(Value::Tag::kFloat) || std::isfinite(number.as_double());
  };
  c.check(finite(start) && finite(end), "unsupported range: {} -> {}", start, end);
}

constexpr std::string_view kWrongSign = "upper bound and lower bound inconsistent with step sign";

// What symbols and fractions count to: `step > 0` and the rest are asked of numbers as Python has
// them (arange, torch/_refs/__init__.py).
struct Range {
  PythonNumber start, end, step;

  SymBool holds(PythonBinary op, const PythonNumber& a, const PythonNumber& b) const {
    return apply(op, a, b).as_bool();
  }
  void check(const Call& c) const {
    const SymInt zero = 0;
    c.check(holds(PythonBinary::kNe, step, zero), "step must be nonzero");
    if (guard_bool(holds(PythonBinary::kGt, step, zero))) {
      c.check(holds(PythonBinary::kGe, end, start), kWrongSign);
    } else if (guard_bool(holds(PythonBinary::kLt, step, zero))) {
      c.check(holds(PythonBinary::kLe, end, start), kWrongSign);
    }
  }
  // Ends and step are truncated first: (end - start + step - sign(step)) // step.
  SymInt whole_length(const Call& c) const {
    const SymInt from = apply(PythonUnary::kInt, start).as_int();
    const SymInt to = apply(PythonUnary::kInt, end).as_int();
    const SymInt by = apply(PythonUnary::kInt, step).as_int();
    c.check_as(ErrorKind::kValueError, guard_bool(by != 0), "step must be nonzero");
    const int64_t is_positive = guard_bool(by > 0) ? 1 : 0;
    const int64_t is_negative = guard_bool(by < 0) ? 1 : 0;
    return floor_div(to - from + by - (is_positive - is_negative), by);
  }
  // math.ceil((end - start) / step)
  SymInt length() const {
    const PythonNumber span = apply(PythonBinary::kSub, end, start);
    return apply(PythonUnary::kCeil, apply(PythonBinary::kTrueDiv, span, step)).as_int();
  }
};

Tensor* arange_of_symbols(Call& c, const Value& start, const Value& end, const Value& step,
                          const FactoryOptions& options) {
  const Range range = {number_of(start), number_of(end), number_of(step)};
  range.check(c);
  check_finite(c, start, end);
  c.check(!step.is(Value::Tag::kFloat) || std::isfinite(step.as_double()),
          "step must be finite but got {}", step);
  if (options.dtype == DType::kInt64)
    return new_tensor(c, DimVector{range.whole_length(c)}, options);
  const SymInt length = range.length();
  if (is_integral(options.dtype)) {
    c.check(apply(PythonUnary::kInt, range.step).as_int() != 0, "step must be nonzero");
    return new_tensor(c, DimVector{length}, options);
  }
  const Value* const numbers[] = {&start, &end, &step};
  const bool has_int = std::any_of(std::begin(numbers), std::end(numbers), [](const Value* number) {
    return is_integer(*number) && number->is_symbolic();
  });
  // Symbols that are fractions alone do not count as symbolic sizes, and inside of a kernel a
  // tensor on the meta device has no mode that could cast it.
  c.check(has_int || !length.is_symbolic() || c.context().python_dispatcher,
          "0 INTERNAL ASSERT FAILED at "
          "\"/__w/pytorch/pytorch/torch/csrc/utils/python_arg_parser.cpp\":659, please report a "
          "bug to PyTorch. dispatch_on_subclass called with NO overloaded args that actually "
          "triggered dispatch, perhaps there is a divergence in how you detect torch "
          "function/dispatch and how overloaded args is computed?");
  // start + step * index
  const Tensor* index = c.context().empty(DimVector{length}, options.dtype, options.device);
  const Tensor* scaled = arithmetic(c, *index, step);
  arithmetic(c, *scaled, start);
  return new_tensor(c, DimVector{length}, options);
}

// Mirrors arange, torch/_refs/__init__.py.
Tensor* arange_with(Call& c, const Value& start, const Value& end, const Value& step,
                    size_t options_at) {
  const bool integers = is_integer(start) && is_integer(end) && is_integer(step);
  const FactoryOptions options =
      factory_options(c, options_at, integers ? DType::kInt64 : c.context().default_dtype);
  for (const Value* number : {&start, &end, &step}) {
    c.check_as(ErrorKind::kAssertionError, !number->is(Value::Tag::kComplex),
               "arange does not support complex numbers");
  }
  const bool is_symbolic = start.is_symbolic() || end.is_symbolic() || step.is_symbolic();
  if (!integers && is_symbolic) return arange_of_symbols(c, start, end, step, options);
  if (!integers) {
    const double from = start.to_double();
    const double to = end.to_double();
    const double by = step.to_double();
    c.check(by != 0, "step must be nonzero");
    if (by > 0) c.check(to >= from, kWrongSign);
    if (by < 0) c.check(to <= from, kWrongSign);
    check_finite(c, start, end);
    c.check(std::isfinite(by), "step must be finite but got {}", by);
    if (options.dtype != DType::kInt64) {
      // prims.iota counts in integers.
      const bool counts = is_integral(options.dtype) && std::fpclassify(std::trunc(by)) == FP_ZERO;
      c.check(!counts, "step must be nonzero");
      return new_tensor(c, DimVector{length_of(c, std::ceil((to - from) / by))}, options);
    }
  }
  const SymInt from = truncated(start);
  const SymInt to = truncated(end);
  const SymInt by = truncated(step);
  const bool forwards = guard_bool(by > 0);
  if (integers) {
    c.check(by != 0, "step must be nonzero");
    c.check(forwards ? to >= from : to <= from, kWrongSign);
  } else {
    c.check_as(ErrorKind::kValueError, guard_bool(by != 0), "step must be nonzero");
  }
  const SymInt length = floor_div(to - from + by - (forwards ? 1 : -1), by);
  if (length.is_symbolic() && !is_integral(options.dtype)) {
    // Numbers of another dtype are start + step * index.
    arithmetic(c, *c.context().empty(DimVector{length}, options.dtype, options.device), by);
  }
  return new_tensor(c, DimVector{length}, options);
}

Tensor* arange(Call& c, const Value& end) { return arange_with(c, 0, end, 1, 1); }
Tensor* arange_start(Call& c, const Value& start, const Value& end) {
  return arange_with(c, start, end, 1, 2);
}
Tensor* arange_step(Call& c, const Value& start, const Value& end, const Value& step) {
  return arange_with(c, start, end, step, 3);
}

// AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16).
bool has_range(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return true;
    default:
      return false;
  }
}

// Mirrors range_out, aten/src/ATen/native/RangeFactories.cpp: the end is part of it, and an output
// of as many elements keeps its shape.
Tensor* range_with(Call& c, const Value& start, const Value& end, const Value& step,
                   size_t options_at) {
  Tensor* out = output_of(c);
  const FactoryOptions options =
      out != nullptr ? FactoryOptions{out->dtype(), out->device(), Layout::kStrided, {}}
                     : factory_options(c, options_at);
  c.check_as(ErrorKind::kNotImplementedError, has_range(options.dtype),
             "\"range_cpu\" not implemented for '{}'", info(options.dtype).cpp_name);
  double from = start.to_double();
  double to = end.to_double();
  double by = step.to_double();
  if (is_integral(options.dtype)) {
    from = std::trunc(from);
    to = std::trunc(to);
    by = std::trunc(by);
  }
  c.check(by != 0, "step must be nonzero");
  check_finite(c, start, end);
  c.check(by > 0 ? to >= from : to <= from, kWrongSign);
  const SymInt length = length_of(c, std::floor((to - from) / by) + 1);
  if (out == nullptr) return new_tensor(c, DimVector{length}, options);
  if (!guard_bool(out->numel() == length)) resize_output(c.context(), *out, DimVector{length});
  return out;
}
Tensor* range(Call& c, const Value& start, const Value& end) {
  return range_with(c, start, end, 1, 2);
}
Tensor* range_step(Call& c, const Value& start, const Value& end, const Value& step) {
  return range_with(c, start, end, step, 3);
}

// Mirrors linspace, torch/_refs/__init__.py; logspace differs in the numbers only.
Tensor* spaced(Call& c, const Value& start, const Value& end, SymInt steps, size_t options_at) {
  const bool complex = start.is(Value::Tag::kComplex) || end.is(Value::Tag::kComplex);
  const DType default_dtype = c.context().default_dtype;
  const FactoryOptions options =
      factory_options(c, options_at, complex ? to_complex(default_dtype) : default_dtype);
  c.check(!complex || is_complex(options.dtype),
          "linspace(): inferred dtype {} can't be safely cast to passed dtype {}",
          to_complex(default_dtype), options.dtype);
  c.check(steps >= 0, "number of steps must be non-negative");
  return new_tensor(c, DimVector{steps}, options);
}
// Mirrors meta_linspace_logspace, torch/_meta_registrations.py: without a device, the result is
// where the tensors are.
template <size_t options_at>
Tensor* spaced_by_tensors(Call& c, const Value& start, const Value& end, SymInt steps) {
  for (const Value& bound : {start, end}) {
    c.check(!bound.is_tensor() || bound.tensor().dim() == 0,
            "linspace only supports 0-dimensional start and end tensors");
  }
  const Device device = c.device();
  Tensor* values = spaced(c, start, end, steps, options_at);
  if (c.arg(options_at + 2).is(Value::Tag::kDevice)) return values;
  return c.context().empty(values->sizes(), values->dtype(), device);
}

Tensor* linspace(Call& c, const Value& start, const Value& end, SymInt steps) {
  return spaced(c, start, end, steps, 3);
}
Tensor* logspace(Call& c, const Value& start, const Value& end, SymInt steps) {
  return spaced(c, start, end, steps, 4);
}

// --- matrices ---

Tensor* eye_with(Call& c, SymInt n, SymInt m, size_t options_at) {
  c.check(n >= 0, "n must be greater or equal to 0, got {}", n);
  c.check(m >= 0, "m must be greater or equal to 0, got {}", m);
  const FactoryOptions options = factory_options(c, options_at);
  if (!n.is_symbolic() && !m.is_symbolic()) return new_tensor(c, DimVector{n, m}, options);
  // Mirrors eye, torch/_refs/__init__.py: where two ranges are equal.
  const auto range = [&](SymInt length) -> Tensor& {
    return *c.context().empty(DimVector{length}, DType::kInt64, options.device);
  };
  const Tensor& rows = range(n);
  const Tensor& columns = range(m);
  const Value equal = c.call<"aten::eq.Tensor">(c.call<"aten::unsqueeze">(rows, -1), columns);
  return &c.tensor<"aten::to.dtype">(equal, options.dtype);
}
Tensor* eye(Call& c, SymInt n) { return eye_with(c, n, n, 1); }
Tensor* eye_m(Call& c, SymInt n, SymInt m) { return eye_with(c, n, m, 2); }

// Elements on and below the diagonal `offset` of a row x col matrix, at::native::get_tril_size.
// Counted in SymInts, which raise where 64 bits are too few.
SymInt tril_size(int64_t row, int64_t col, int64_t offset) {
  if (row <= 0 || col <= 0) return 0;
  // An offset beyond the matrix is as good as its edge.
  offset = std::clamp(offset, -row, col);
  const int64_t first = offset > 0 ? std::min(col, 1 + offset) : (row + offset > 0 ? 1 : 0);
  const int64_t reached = (SymInt(row) + offset).as_int();
  const int64_t last = std::min(col, reached);
  const int64_t rows = std::min(row, reached);
  const SymInt trapezoid_rows = SymInt(last) - first + 1;
  const SymInt full_rows = SymInt(rows) - trapezoid_rows;
  return floor_div((SymInt(first) + last) * trapezoid_rows, 2) +
         std::max<int64_t>(0, (full_rows * col).as_int());
}

Tensor* triangle_indices(Call& c, std::string_view name, int64_t row, int64_t col,
                         SymInt elements) {
  const FactoryOptions options = factory_options(c, 3, DType::kInt64);
  c.check(row >= 0, "row must be non-negative, got {}", row);
  c.check(col >= 0, "col must be non-negative, got {}", col);
  c.check(options.dtype == DType::kInt32 || options.dtype == DType::kInt64,
          "\"{}\" not implemented for '{}'", name, options.dtype);
  const Value& pinned = c.arg(6);
  c.check_as(ErrorKind::kNotImplementedError, !pinned.is(Value::Tag::kBool) || !pinned.to_bool(),
             "PrimTorch does not support pinned memory");
  return new_tensor(c, DimVector{2, elements}, options);
}
Tensor* tril_indices(Call& c, int64_t row, int64_t col, int64_t offset) {
  return triangle_indices(c, "tril_indices", row, col, tril_size(row, col, offset));
}
Tensor* triu_indices(Call& c, int64_t row, int64_t col, int64_t offset) {
  return triangle_indices(c, "triu_indices", row, col,
                          SymInt(row) * col - tril_size(row, col, (SymInt(offset) - 1).as_int()));
}

// --- random numbers ---

void check_bounds(const Call& c, SymInt low, SymInt high) {
  c.check(low < high, "random_ expects 'from' to be less than 'to', but got from={} >= to={}", low,
          high);
}
Tensor* randint(Call& c, SymInt high, Dims size) {
  check_bounds(c, 0, high);
  return new_tensor(c, size, factory_options(c, c.args().size() - 4, DType::kInt64));
}
Tensor* randint_low(Call& c, SymInt low, SymInt high, Dims size) {
  check_bounds(c, low, high);
  return new_tensor(c, size, factory_options(c, c.args().size() - 4, DType::kInt64));
}
Tensor* randperm(Call& c, SymInt n) {
  return new_tensor(c, DimVector{n}, factory_options(c, c.args().size() - 4, DType::kInt64));
}

// Mirrors _normal_meta, torch/_prims/__init__.py.
Tensor* normal_samples(Call& c, Dims size) {
  const FactoryOptions options = factory_options(c, c.args().size() - 4);
  for (const SymInt length : size) {
    c.check(length >= 0,
            "Expected cond to be True, but got False. (Could this error message be improved? If "
            "so, please report an enhancement request to PyTorch.)");
  }
  c.check(is_float_or_complex(options.dtype),
          "expected a floating-point or complex dtype, but got dtype={}", options.dtype);
  return new_tensor(c, size, options);
}
Tensor* normal(Call& c, double, double std, Dims size) {
  c.check(std >= 0, "normal expects std >= 0.0, but found std {}", std);
  return normal_samples(c, size);
}

// With a generator, randint_like runs its kernel, which wants the bound on the CPU: on the meta
// device it never is.
void randint_like_tensor(Call& c) {
  c.fail(ErrorKind::kRuntimeError, "high must be a scalar tensor and on CPU");
}

// Mirrors _dim_arange, aten/src/ATen/native/TensorFactories.cpp.
Tensor* dim_arange(Call& c, const Tensor& like, int64_t dim) {
  return c.context().empty(DimVector{like.size(dim)}, DType::kInt64, like.device());
}

// --- tokens and the like ---

// Mirrors new_dep_token: a tensor whatever the options say, but for where it is.
Tensor* dep_token(Call& c) {
  const FactoryOptions options = factory_options(c, 0);
  return c.empty_on(options.device, {}, c.context().default_dtype);
}
void print(Call&) {}
bool nnpack_available(Call&) { return true; }
bool vulkan_available(Call&) { return false; }
void get_gradients(Call& c) {
  c.fail(ErrorKind::kRuntimeError,
         "Need to initialize distributed autograd using torch.distributed.autograd.init()");
}

// --- windows ---

// TensorOptions as C++ prints them; constructors see the meta device.
std::string options_text(const Call& c, size_t at, DType dtype) {
  const Value& layout = c.arg(at + 1);
  const Value& pinned = c.arg(at + 3);
  const bool has_layout = layout.is(Value::Tag::kLayout);
  const bool is_sparse = has_layout && layout.layout() != Layout::kStrided;
  return format(
      "TensorOptions(dtype={}, device=meta, layout={}, requires_grad=false (default), "
      "pinned_memory={}, memory_format=(nullopt))",
      cpp_type_name(dtype),
      is_sparse    ? "Sparse"
      : has_layout ? "Strided"
                   : "Strided (default)",
      pinned.is_none()   ? "false (default)"
      : pinned.to_bool() ? "true"
                         : "false");
}

// A periodic window is a longer one without its last number, which its storage still holds.
Tensor* cut_window(Tensor* window, SymInt length, bool periodic) {
  if (periodic && window->storage != nullptr && guard_bool(length >= 2))
    window->storage->nbytes = (length + 1) * itemsize(window->dtype());
  return window;
}

// Mirrors window_function_checks, aten/src/ATen/native/TensorFactories.cpp.
Tensor* window(Call& c, SymInt window_length, size_t options_at) {
  const std::string_view name = c.op().packet();
  const FactoryOptions options = factory_options(c, options_at);
  const DType dtype = options.dtype;
  c.check(options.layout != Layout::kSparseCoo, "{} is not implemented for sparse types, got: {}",
          name, options_text(c, options_at, dtype));
  c.check(is_float_or_complex(dtype), "{} expects floating point dtypes, got: {}", name,
          options_text(c, options_at, dtype));
  c.check(window_length >= 0, "{} requires non-negative window_length, got window_length={}", name,
          window_length);
  // Longer ones start as an empty range.
  const bool is_short = options.layout == Layout::kStrided || guard_bool(window_length < 2);
  Tensor* made = new_tensor(c, DimVector{is_short ? window_length : 0}, options);
  const bool is_periodic = !name.starts_with("kaiser") && (options_at == 1 || c.arg(1).to_bool());
  return is_short ? cut_window(made, window_length, is_periodic) : made;
}

// hann_window is a decomposition without those checks: a range of numbers, one more where the
// window is periodic, of which the last is cut off.
Tensor* hann(Call& c, SymInt window_length, bool periodic, size_t options_at) {
  c.check(window_length + (periodic ? 1 : 0) >= 0,
          "upper bound and lower bound inconsistent with step sign");
  c.check(window_length >= 0, "narrow(): length must be non-negative.");
  Tensor* made = new_tensor(c, DimVector{window_length}, factory_options(c, options_at));
  // In other dtypes than it is computed in, the window is a copy.
  const DType dtype = made->dtype();
  const bool is_computed_in = is_float_or_complex(dtype) && dtype != DType::kFloat16 &&
                              dtype != DType::kBFloat16 && dtype != DType::kComplex32;
  return cut_window(made, window_length, periodic && is_computed_in);
}
Tensor* hann_window(Call& c, SymInt window_length) { return hann(c, window_length, true, 1); }
Tensor* hann_window_periodic(Call& c, SymInt window_length, bool periodic) {
  return hann(c, window_length, periodic, 2);
}

Tensor* any_window(Call& c, SymInt window_length) {
  return window(c, window_length, c.args().size() - 4);
}

// clang-format off
constexpr OpDef kFactoryRules[] = {
    {"aten::_dim_arange(Tensor like, int dim) -> Tensor", rule<&dim_arange>(), kComposite},
    {"aten::_efficientzerotensor(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&efficient_zeros>(), kByFakeImpl | kNoDerivative},
    {"aten::_make_dep_token(*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", rule<&dep_token>(), kByFakeImpl},
    {"aten::_nnpack_available() -> bool", rule<&nnpack_available>(), kComposite},
    {"aten::_print(str s) -> ()", rule<&print>()},
    {"aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&arange>(), kByDecomp},
    {"aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&arange_start>(), kByDecomp},
    {"aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&arange_step>(), kByFakeImpl},
    {"aten::bartlett_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::blackman_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", filled({.sizes = 0, .options = 1}), kByFakeImpl},
    {"aten::empty.out(SymInt[] size, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", rule<&empty_out>(), kComposite},
    {"aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 1}), kByFakeImpl | kNoDerivative},
    {"aten::empty_permuted(SymInt[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&empty_permuted>(), kByFakeImpl},
    {"aten::empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&empty_strided>(), kByFakeImpl},
    {"aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&eye>(), kByFakeImpl},
    {"aten::eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&eye_m>(), kByFakeImpl},
    {"aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&full>(), kByFakeImpl},
    {"aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 2}), kByFakeImpl | kNoDerivative},
    {"aten::get_gradients(int context_id) -> Dict(Tensor, Tensor)", rule<&get_gradients>(), kComposite},
    {"aten::hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::hann_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&hann_window>(), kByDecomp},
    {"aten::hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&hann_window_periodic>(), kByDecomp},
    {"aten::is_vulkan_available() -> bool", rule<&vulkan_available>(), kComposite},
    {"aten::kaiser_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::kaiser_window.beta(int window_length, bool periodic, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::kaiser_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&any_window>(), kByFakeImpl},
    {"aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&linspace>(), kByFakeImpl},
    {"aten::linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&spaced_by_tensors<3>>()},
    {"aten::linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&spaced_by_tensors<3>>()},
    {"aten::linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&spaced_by_tensors<3>>()},
    {"aten::logspace(Scalar start, Scalar end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&logspace>(), kByFakeImpl},
    {"aten::logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&spaced_by_tensors<4>>()},
    {"aten::logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&spaced_by_tensors<4>>()},
    {"aten::logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&spaced_by_tensors<4>>()},
    {"aten::new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", new_filled({.sizes = 1, .options = 2}), kByFakeImpl | kNoDerivative},
    {"aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&new_empty_strided>(), kByFakeImpl | kNoDerivative},
    {"aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", new_filled({.sizes = 1, .options = 3}), kByFakeImpl | kNoDerivative},
    {"aten::new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", new_filled({.sizes = 1, .options = 2}), kByFakeImpl | kNoDerivative},
    {"aten::new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", new_filled({.sizes = 1, .options = 2}), kByFakeImpl | kNoDerivative},
    {"aten::normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&normal>(), kRandom | kByFakeImpl | kRealDerivative},
    {"aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", filled({.sizes = 0, .options = 1}), kByFakeImpl},
    {"aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 1}), kByFakeImpl | kNoDerivative},
    {"aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", filled({.sizes = 0, .options = 1}), kRandom | kByFakeImpl},
    {"aten::rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", filled({.sizes = 0, .options = 2}), kRandom | kByFakeImpl},
    {"aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 1}), kRandom | kByFakeImpl | kNoDerivative},
    {"aten::rand_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 2}), kRandom | kByFakeImpl | kNoDerivative},
    {"aten::randint(SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&randint>(), kRandom | kByFakeImpl},
    {"aten::randint.generator(SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&randint>(), kRandom | kByFakeImpl},
    {"aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&randint_low>(), kRandom | kByFakeImpl},
    {"aten::randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&randint_low>(), kRandom | kByFakeImpl},
    {"aten::randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 2}), kRandom | kByFakeImpl},
    {"aten::randint_like.Tensor(Tensor self, Tensor high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 2}), kRandom | kByFakeImpl},
    {"aten::randint_like.Tensor_generator(Tensor self, Tensor high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", rule<&randint_like_tensor>(), kRandom | kByFakeImpl},
    {"aten::randint_like.generator(Tensor self, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 3}), kRandom | kByFakeImpl},
    {"aten::randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 3}), kRandom | kByFakeImpl},
    {"aten::randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 4}), kRandom | kByFakeImpl},
    {"aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&normal_samples>(), kRandom | kByFakeImpl},
    {"aten::randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&normal_samples>(), kRandom | kByFakeImpl},
    {"aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 1, .only_inexact = true}), kRandom | kByFakeImpl | kNoDerivative},
    {"aten::randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 2, .only_inexact = true}), kRandom | kByFakeImpl | kNoDerivative},
    {"aten::randperm(SymInt n, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&randperm>(), kRandom | kByFakeImpl},
    {"aten::randperm.generator(SymInt n, *, Generator? generator, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&randperm>(), kRandom | kByFakeImpl},
    {"aten::range(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&range>(), kByFakeImpl},
    {"aten::range.step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&range_step>(), kByFakeImpl},
    {"aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&scalar_tensor>(), kByFakeImpl},
    {"aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&tril_indices>(), kByFakeImpl},
    {"aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&triu_indices>(), kByFakeImpl},
    {"aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", filled({.sizes = 0, .options = 1}), kByFakeImpl},
    {"aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", like({.options = 1, .zeros = true}), kByFakeImpl | kNoDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_factory

std::span<const OpDef> factory_rules() { return rules_of_factory::kFactoryRules; }

}  // namespace faketensor
