#include "core/ops/families/sparse.h"

#include <algorithm>

#include "core/ops/families/pointwise.h"
#include "core/tensor/strides.h"

namespace faketensor {

bool is_compressed(Layout layout) {
  return layout == Layout::kSparseCsr || layout == Layout::kSparseCsc || is_block(layout);
}
bool is_block(Layout layout) {
  return layout == Layout::kSparseBsr || layout == Layout::kSparseBsc;
}
bool is_row_compressed(Layout layout) {
  return layout == Layout::kSparseCsr || layout == Layout::kSparseBsr;
}

// --- refusals ---

void throw_no_kernel(const OpEntry& op, std::string_view backend) {
  throw_error(
      ErrorKind::kNotImplementedError,
      format(
          "Could not run '{}{}{}' with arguments from the '{}' backend. This could be because the "
          "operator doesn't exist for this backend, or was omitted during the selective/custom "
          "build process (if using custom build).",
          op.schema.name, op.schema.overload.empty() ? "" : ".", op.schema.overload, backend));
}

void throw_no_meta_kernel(std::string_view name) {
  throw_error(
      ErrorKind::kNotImplementedError,
      format(
          "{}: attempted to run this operator with Meta tensors, but there was no fake impl or "
          "Meta kernel registered. You may have run into this message while using an operator "
          "with PT2 compilation APIs (torch.compile/torch.export); in order to use this operator "
          "with those APIs you'll need to add a fake impl. Please see the following for next "
          "steps:  https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html",
          name));
}

namespace {

std::string backend_of(const Tensor& tensor) {
  std::string backend = is_coo(tensor) ? "Sparse" : is_compressed(tensor) ? "SparseCsr" : "";
  if (tensor.layout() == Layout::kMkldnn) backend = "Mkldnn";
  const DeviceType type = tensor.device().type;
  return backend + (type == DeviceType::kCPU ? "CPU" : type == DeviceType::kMeta ? "Meta" : "CUDA");
}

}  // namespace

void refuse_sparse(const OpEntry& op, std::span<const Value> args) {
  const Tensor& sparse = *first_sparse(args);
  const Tensor* compressed = first_compressed(args);
  if (compressed != nullptr && is_pointwise(op.rule)) {
    throw_error(ErrorKind::kRuntimeError,
                format("unsupported tensor layout: {}", cpp_name(sparse.layout())));
  }
  throw_no_kernel(op, backend_of(compressed != nullptr ? *compressed : sparse));
}

void require_coo(Call& call, const Tensor& self) {
  if (!is_coo(self)) throw_no_kernel(call.op(), backend_of(self));
}

void throw_not_sparse(const Tensor& tensor) {
  throw_error(ErrorKind::kRuntimeError, format("expected a sparse tensor, but got one of layout {}",
                                               cpp_name(tensor.layout())));
}

IndexNames index_names(Layout layout) {
  if (is_row_compressed(layout)) return {"crow_indices", "col_indices"};
  return {"ccol_indices", "row_indices"};
}

MemberDims check_member_dims(const Call& call, Layout layout, const Tensor& compressed,
                             const Tensor& plain, const Tensor& values) {
  const auto [compressed_name, plain_name] = index_names(layout);
  const int64_t batch = compressed.dim() - 1;
  const int64_t block = is_block(layout) ? 2 : 0;
  const int64_t dense = values.dim() - batch - block - 1;
  call.check(batch >= 0, "{} must have dimensionality >= 1 but got {}", compressed_name,
             compressed.dim());
  call.check(compressed.dim() == plain.dim(),
             "{} and {} dimensionalities must be equal but got {} and {}, respectively",
             compressed_name, plain_name, compressed.dim(), plain.dim());
  call.check(dense >= 0,
             "values must have dimensionality > sum of batch and block dimensionalities (={} + {}) "
             "but got {}",
             batch, block, values.dim());
  return {batch, block, dense};
}

void throw_has_no(const Tensor& tensor, std::string_view property) {
  sparse_of(tensor);
  std::string_view layout = cpp_name(tensor.layout());
  constexpr std::string_view kSparse = "Sparse";
  if (!layout.starts_with(kSparse) || layout.size() < kSparse.size() + 3)
    throw_error(ErrorKind::kRuntimeError, format("{} tensors do not have {}", layout, property));
  layout.remove_prefix(kSparse.size());  // "Csr"
  const char kind[] = {layout[0], static_cast<char>(layout[1] - 'a' + 'A'),
                       static_cast<char>(layout[2] - 'a' + 'A'), '\0'};
  throw_error(ErrorKind::kRuntimeError, format("Sparse {} tensors do not have {}", kind, property));
}

// --- new tensors ---

SparseShape shape_of(const Tensor& tensor) {
  return {tensor.sizes(), sparse_of(tensor), tensor.meta->has(kCoalesced)};
}

void check_sparse_dims(const Call& call, Dims sizes, SymInt sparse, int64_t dense) {
  const SymBool fits =
      sparse.is_symbolic()
          ? sparse + dense == static_cast<int64_t>(sizes.size())
          : SymBool(static_cast<uint64_t>(sparse.as_int()) + static_cast<uint64_t>(dense) ==
                    sizes.size());
  call.check(
      fits,
      "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {}, sparse_dim = {}, "
      "dense_dim = {}",
      sizes.size(), sparse, dense);
}

SparseShape empty_coo(Dims sizes, int64_t sparse_dim, int64_t dense_dim) {
  return {sizes,
          {.sparse_dim = static_cast<int32_t>(sparse_dim),
           .dense_dim = static_cast<int32_t>(dense_dim)},
          true};
}

namespace {
MetaSpec spec_of(Layout layout, const SparseShape& shape, DType dtype, Device device) {
  return {.sizes = shape.sizes,
          .dtype = dtype,
          .device = device,
          .layout = layout,
          .flags = static_cast<uint16_t>(
              layout == Layout::kSparseCoo && shape.coalesced ? kCoalesced : 0),
          .sparse = &shape.meta};
}
}  // namespace

Tensor* new_sparse(Call& call, Layout layout, const SparseShape& shape, DType dtype,
                   Device device) {
  const MetaSpec spec = spec_of(layout, shape, dtype, device.normalized());
  return call.context().make_tensor(call.context().metas().intern(spec), nullptr);
}

Tensor* sparse_like(Call& call, const Tensor& self, DType dtype) {
  return new_sparse(call, self.layout(), shape_of(self), dtype, self.device());
}

Tensor* sparse_zeros_like(Call& call, const Tensor& self, DType dtype, bool coalesced) {
  SparseShape shape = shape_of(self);
  shape.meta.nnz = 0;
  shape.coalesced = coalesced;
  return new_sparse(call, self.layout(), shape, dtype, self.device());
}

void set_sparse(Call& call, Tensor& self, Layout layout, const SparseShape& shape) {
  MetaSpec spec = spec_of(layout, shape, self.dtype(), self.device());
  spec.flags = static_cast<uint16_t>(spec.flags | (self.meta->flags() & kRequiresGrad));
  self.meta = call.context().metas().intern(spec);
}

Tensor* empty_with_layout(Call& call, Layout layout, Dims sizes, DType dtype, Device device,
                          std::string_view maker) {
  const bool has_negative =
      std::any_of(sizes.begin(), sizes.end(), [](SymInt size) { return guard_or_false(size < 0); });
  if (layout == Layout::kSparseCoo) {
    call.check(!has_negative, "numel: integer multiplication overflow");
    return new_sparse(call, layout, empty_coo(sizes, static_cast<int64_t>(sizes.size()), 0), dtype,
                      device);
  }
  if (!is_compressed(layout)) throw_no_kernel(call.op(), format("{}CPU", cpp_name(layout)));
  for (const SymInt size : sizes) {
    call.check(!has_negative || !guard_or_false(size < 0),
               "Trying to create tensor with negative dimension {}: {}", size, sizes);
  }
  call.check(!is_block(layout),
             "{} expected sparse compressed (non-block) tensor layout but got {}", maker,
             cpp_name(layout));
  call.check(sizes.size() >= 2,
             "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but "
             "got size {}",
             sizes);
  SparseShape shape{sizes, {.sparse_dim = 2}, false};
  return new_sparse(call, layout, shape, dtype, device);
}

// --- families ---

namespace {

// What is refused of a tensor that is written to. Mirrors COALESCED_UNARY_UFUNC,
// SparseUnaryFunctions.cpp, and out_wrapper, torch/_prims_common/wrappers.py.
void check_unary_inplace(Call& call, const SparseUnaryParams& given, const Tensor& self) {
  const bool is_abs = given.check == UnaryCheck::kAbs;
  if (is_coo(self)) {
    call.check(!is_abs || !is_complex(self.dtype()),
               "In-place abs is not supported for complex tensors.");
    call.check(given.check != UnaryCheck::kConj || !is_complex(self.dtype()),
               "unsupported tensor layout: Sparse");
    const bool takes_any = given.check == UnaryCheck::kNeg || given.check == UnaryCheck::kConj;
    call.check(takes_any || self.meta->has(kCoalesced), "{} requires coalesced input",
               call.op().packet());
  }
}

// The result has to fit what is written to.
void check_unary_result(Call& call, const Tensor& self, DType result) {
  if (can_cast(result, self.dtype())) return;
  if (is_coo(self)) {
    call.fail(ErrorKind::kRuntimeError,
              format("result type {} can't be cast to the desired output type {}",
                     info(result).cpp_name, info(self.dtype()).cpp_name));
  }
  call.fail(ErrorKind::kRuntimeError,
            format("Attempting to cast from torch.{} to out tensor with dtype torch.{}, but this "
                   "can't be cast because it is not safe!",
                   name(result), name(self.dtype())));
}

void check_unary(Call& call, UnaryCheck check, const Tensor& self) {
  const DType dtype = self.dtype();
  const auto refuse = [&](bool refused, std::string_view kernel) {
    call.check_as(ErrorKind::kNotImplementedError, !refused, "\"{}\" not implemented for '{}'",
                  kernel, info(dtype).cpp_name);
  };
  const auto no_complex = [&](std::string_view what) {
    call.check_as(ErrorKind::kNotImplementedError, !is_complex(dtype),
                  "{} is not supported for complex inputs", what);
  };
  const bool wide_unsigned =
      dtype == DType::kUInt16 || dtype == DType::kUInt32 || dtype == DType::kUInt64;
  if (check == UnaryCheck::kNeg) check_negatable(call, self);
  if (check == UnaryCheck::kRelu)
    call.check(!is_bool(dtype), "Boolean inputs not supported for relu");
  if (check == UnaryCheck::kDegrees) {
    call.check(!is_complex(dtype), "{} is not supported for complex tensors.",
               call.op().base_name());
  }
  if (is_compressed(self)) {  // answered on meta tensors: nothing is computed
    call.check(check != UnaryCheck::kFrac || !is_bool(dtype),
               "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
               "or `logical_xor()` operator instead.");
    return;
  }
  switch (check) {
    case UnaryCheck::kAbs:
      return refuse(is_bool(dtype), "abs_cpu");
    case UnaryCheck::kErf:
      return refuse(is_complex(dtype), "erf_vml_cpu");
    case UnaryCheck::kFloor:
      no_complex("floor");
      return refuse(is_bool(dtype), "floor_vml_cpu");
    case UnaryCheck::kCeil:
      no_complex("ceil");
      return refuse(is_bool(dtype), "ceil_vml_cpu");
    case UnaryCheck::kTrunc:
      no_complex("trunc");
      return refuse(is_bool(dtype), "trunc_vml_cpu");
    case UnaryCheck::kRound:
      return refuse(is_bool(dtype) || is_complex(dtype), "round_vml_cpu");
    case UnaryCheck::kRelu:
      call.check_as(ErrorKind::kNotImplementedError, !is_complex(dtype),
                    "clamp is not supported for complex types");
      return;
    case UnaryCheck::kSign:
      call.check(!is_complex(dtype),
                 "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
                 "torch.sgn instead.");
      return refuse(wide_unsigned, "sign_cpu");
    case UnaryCheck::kSqrt:
      return refuse(is_float8(dtype), "sqrt_vml_cpu");
    case UnaryCheck::kFrac:
      return refuse(!is_floating(dtype), "frac_cpu");
    default:
      return;
  }
}

}  // namespace

Value sparse_pointwise(Call& call, uint64_t params) {
  const auto given = rule_params<SparseUnaryParams>(params);
  const Tensor& self = call.arg(0).tensor();
  if (is_coo(self) && !given.has_coo) refuse_sparse(call.op(), call.args());
  const bool in_place = call.op().schema.arguments[0].is_written();
  if (in_place && given.check != UnaryCheck::kDegrees) check_unary_inplace(call, given, self);
  check_unary(call, given.check, self);
  if (in_place && given.check == UnaryCheck::kDegrees) check_unary_inplace(call, given, self);
  const DType dtype =
      elementwise_types(self.dtype(), given.promote, call.context().default_dtype).result;
  if (in_place) {
    check_unary_result(call, self, dtype);
    call.check(given.promote != Promotion::kComplexToFloat || dtype == self.dtype(),
               "Expected out tensor to have dtype {} but got {} instead", dtype, self.dtype());
    return self;
  }
  // Of what is real conj is the tensor itself.
  if (given.check == UnaryCheck::kConj && !is_complex(self.dtype())) return self;
  if (is_compressed(self)) return sparse_like(call, self, dtype);
  const bool coalesced = !given.keeps_order || self.meta->has(kCoalesced);
  return sparse_zeros_like(call, self, dtype, coalesced);
}

void check_sparse_unary_output(const Call& call, const Rule& functional, const Tensor& out) {
  if (functional.function != &sparse_pointwise || !call.arg(0).is_tensor()) return;
  const Tensor& self = call.arg(0).tensor();
  const auto given = rule_params<SparseUnaryParams>(functional.params);
  const UnaryCheck check = given.check;
  // These have kernels of their own.
  const bool is_other = check == UnaryCheck::kNeg || check == UnaryCheck::kRelu ||
                        check == UnaryCheck::kDegrees || check == UnaryCheck::kConj;
  if (!is_coo(self) || !given.has_coo || is_other) return;
  call.check(is_coo(out),
             "Expected self.is_sparse() && result.is_sparse() to be true, but got false.  (Could "
             "this error message be improved?  If so, please report an enhancement request to "
             "PyTorch.)");
  const bool is_real_only = check == UnaryCheck::kFloor || check == UnaryCheck::kCeil ||
                            check == UnaryCheck::kTrunc || check == UnaryCheck::kSign;
  const bool keeps_dtype =
      given.promote == Promotion::kNoOpmath ||
      (given.promote == Promotion::kComplexToFloat && !is_complex(self.dtype()));
  if (!keeps_dtype || (is_real_only && is_complex(self.dtype()))) return;
  call.check(out.dtype() == self.dtype(), "Found dtype {} but expected {}",
             info(out.dtype()).cpp_name, info(self.dtype()).cpp_name);
}

Value sparse_lacking(Call& call, uint64_t params) {
  const auto given = rule_params<LackingParams>(params);
  const Tensor& first = *first_sparse(call.args());
  const Value dim = given.dim >= 0 ? call.arg(static_cast<size_t>(given.dim)) : Value();
  if (dim.is(Value::Tag::kInt)) wrap_dim(dim.to_int(), first.dim());
  const Tensor* compressed = first_compressed(call.args());
  if (compressed == nullptr) refuse_sparse(call.op(), call.args());
  const std::string_view layout = cpp_name(compressed->layout());
  switch (given.what) {
    case Lacking::kIsContiguous:
      throw_has_no(*compressed, is_coo(first) ? "strides" : "is_contiguous");
    case Lacking::kIterator:
      call.fail(ErrorKind::kRuntimeError,
                format("unsupported tensor layout: {}", cpp_name(first.layout())));
    case Lacking::kReduction:
      call.fail(ErrorKind::kRuntimeError,
                format("resize_reduction: support for output with {} layout is not implemented yet",
                       layout));
    case Lacking::kResult:
      empty_with_layout(call, compressed->layout(), compressed->sizes(), compressed->dtype(),
                        compressed->device());
      [[fallthrough]];
    case Lacking::kStrides:
      break;
  }
  throw_has_no(*compressed, "strides");
}

Value missing_kernel(Call& call, uint64_t params) {
  const Device device = call.device();
  if (rule_params<KernelOn>(params) == KernelOn::kCuda && device.is_cuda()) {
    call.fail(ErrorKind::kUnsupportedOperator,
              format("{}: FakeTensorMode runs the kernel of the GPU, which there is none of",
                     call.op().name));
  }
  throw_no_kernel(call.op(), device.is_cpu() ? "CPU" : device.is_cuda() ? "CUDA" : "Meta");
}

}  // namespace faketensor
