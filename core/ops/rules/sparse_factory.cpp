// Making sparse tensors: of sizes alone, of indices and values, and as gradients.
#include <algorithm>

#include "core/ops/families/factory.h"
#include "core/ops/families/sparse.h"
#include "core/ops/rules/sparse_tables.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_sparse_factory {
namespace {

// --- COO ---

// A tensor with fewer than two elements counts as coalesced (SparseTensorImpl).
Tensor* coo_of(Call& c, Dims sizes, int64_t sparse_dim, SymInt nnz, DType dtype, Device device,
               std::optional<bool> coalesced = {}) {
  check_sizes(c, sizes);
  SparseShape shape = empty_coo(sizes, sparse_dim, static_cast<int64_t>(sizes.size()) - sparse_dim);
  shape.meta.nnz = nnz;
  shape.coalesced = coalesced ? *coalesced : guard_or_false(nnz < 2);
  return new_sparse(c, Layout::kSparseCoo, shape, dtype, device);
}

// Mirrors _sparse_coo_tensor_with_dims_and_tensors: SparseTensorImpl::resize_ and
// set_indices_and_values_unsafe.
Tensor* coo_from(Call& c, const Tensor& indices, const Tensor& values, Dims sizes,
                 std::optional<bool> coalesced) {
  c.check_as(ErrorKind::kIndexError, indices.dim() > 0,
             "Dimension specified as 0 but tensor has no dimensions");
  const int64_t sparse_dim = guard_int(indices.size(0));
  const int64_t dense_dim = std::max<int64_t>(values.dim() - 1, 0);
  check_sparse_dims(c, sizes, sparse_dim, dense_dim);
  for (const SymInt size : sizes)
    c.check(!guard_or_false(size < 0), "numel: integer multiplication overflow");
  c.check(indices.dtype() == DType::kInt64, "indices must be an int64 tensor");
  c.check(indices.dim() == 2, "indices must be sparse_dim x nnz, but got: {}", indices.sizes());
  const SymInt nnz = values.dim() == 0 ? SymInt(1) : values.size(0);
  c.check(indices.size(1) == nnz,
          "indices and values must have same nnz, but got nnz from indices: {}, nnz from values: "
          "{}",
          indices.size(1), nnz);
  DimVector expected = {nnz};
  bool fits = true;
  for (int64_t i = 0; i < dense_dim; ++i) {
    expected.push_back(sizes[static_cast<size_t>(sparse_dim + i)]);
    fits = fits && guard_bool(expected.back() == values.size(i + 1));
  }
  c.check(fits, "values has incorrect size, expected {}, got {}", expected.span(), values.sizes());
  return coo_of(c, sizes, sparse_dim, nnz, values.dtype(), values.device(), coalesced);
}

Value coo_tensor_sized(Call& c, const Tensor& indices, const Tensor& values, Dims sizes,
                       std::optional<DType>, std::optional<Layout>, std::optional<Device>,
                       std::optional<bool>, std::optional<bool> coalesced) {
  return coo_from(c, indices, values, sizes, coalesced);
}

// Without sizes they are found in the indices, which are data; no indices mean sizes of 0.
Value coo_tensor(Call& c, const Tensor& indices, const Tensor& values, std::optional<DType>,
                 std::optional<Layout>, std::optional<Device>, std::optional<bool>,
                 std::optional<bool> coalesced) {
  c.check(indices.dim() == 2, "indices must be sparse_dim x nnz, but got: {}", indices.sizes());
  const int64_t sparse_dim = guard_int(indices.size(0));
  check_rank(c, sparse_dim);
  DimVector sizes(static_cast<size_t>(sparse_dim), SymInt(0));
  if (guard_bool(indices.numel() != 0)) {
    c.check(indices.dtype() == DType::kInt64, "expected scalar type Long but found {}",
            info(indices.dtype()).cpp_name);
    for (SymInt& size : sizes) size = c.unbacked_int(ErrorKind::kDataDependentOutput);
  }
  for (int64_t i = 1; i < values.dim(); ++i) sizes.push_back(values.size(i));
  return coo_from(c, indices, values, sizes, coalesced);
}

Value coo_tensor_of_size(Call& c, Dims sizes) {
  const FactoryOptions options = factory_options(c, 1);
  return coo_of(c, sizes, static_cast<int64_t>(sizes.size()), 0, options.dtype, options.device);
}

// That there is a kernel for the tensor that the options ask for.
void check_layout(Call& c, Layout layout) {
  if (is_compressed(layout)) throw_no_kernel(c.op(), "SparseCsrMeta");
}

Value coo_with_dims(Call& c, int64_t sparse_dim, int64_t dense_dim, Dims sizes) {
  const FactoryOptions options = factory_options(c, 3);
  check_layout(c, options.layout);
  check_sparse_dims(c, sizes, sparse_dim, dense_dim);
  return coo_of(c, sizes, sparse_dim, 0, options.dtype, options.device);
}

Value coo_with_dims_and_tensors(Call& c, int64_t sparse_dim, int64_t dense_dim, Dims sizes,
                                const Tensor&, const Tensor& values, std::optional<DType>,
                                std::optional<Layout>, std::optional<Device> device,
                                std::optional<bool>, std::optional<bool> coalesced) {
  check_layout(c, factory_options(c, 5).layout);
  check_sparse_dims(c, sizes, sparse_dim, dense_dim);
  return coo_of(c, sizes, sparse_dim, values.size(0), values.dtype(),
                device.value_or(values.device()), coalesced);
}

// --- compressed ---

// The members of a compressed tensor are on the device of its target, the tensor itself on meta, so
// that FakeTensorMode never gets one made of members: each call ends in one of these checks.
// Mirrors _sparse_compressed_tensor_unsafe, ATen/native/sparse/SparseCsrTensor.cpp.
[[noreturn]] void refuse_members(Call& c, const Tensor& compressed, const Tensor& plain,
                                 const Tensor& values, Dims sizes, Layout layout,
                                 size_t options_at) {
  const std::span<const Value> options = c.args().subspan(options_at);
  c.check_as(ErrorKind::kAssertionError, options[3].is_none() || !options[3].to_bool(),
             "NYI: aten._pin_memory.default");
  const DType dtype =
      options[0].is(Value::Tag::kDType) ? options[0].dtype() : c.context().default_dtype;
  c.check(dtype == values.dtype(), "dtype of values ({}) must match dtype of sparse tensor ({})",
          info(values.dtype()).cpp_name, info(dtype).cpp_name);
  const auto [compressed_name, plain_name] = index_names(layout);
  constexpr std::string_view kElsewhere = "Values and {} need to be on the same device.";
  c.check(compressed.device() == values.device(), kElsewhere, compressed_name);
  c.check(plain.device() == values.device(), kElsewhere, plain_name);
  for (const SymInt size : sizes)
    c.check(!guard_or_false(size < 0), "numel: integer multiplication overflow");
  c.fail(ErrorKind::kRuntimeError,
         "Values and compressed tensor instance need to be on the same device.");
}

// Mirrors _estimate_sparse_compressed_tensor_size: the sizes of a tensor made without them. One of
// them is data, which FakeTensorMode sees asked for (`is_seen`) or a kernel asks a meta tensor.
DimVector estimate_sizes(Call& c, const Tensor& compressed, const Tensor& plain,
                         const Tensor& values, Layout layout, bool is_seen = true) {
  const MemberDims dims = check_member_dims(c, layout, compressed, plain, values);
  const DType dtype = plain.dtype();
  c.check_as(ErrorKind::kNotImplementedError, is_integral(dtype) && !is_bool(dtype),
             "\"estimate_sparse_compressed_tensor_size\" not implemented for '{}'",
             info(dtype).cpp_name);
  const SymInt last = compressed.size(-1);
  SymInt base[2] = {guard_bool(last > 0) ? last - 1 : SymInt(0), 0};
  if (guard_bool(plain.numel() > 0)) {
    c.check(is_seen, "Tensor.item() cannot be called on meta tensors");
    base[1] = c.call<"aten::item">(c.tensor<"aten::max">(plain)).as_sym_int() + 1;
  }
  if (!is_row_compressed(layout)) std::swap(base[0], base[1]);
  DimVector sizes(compressed.sizes().first(static_cast<size_t>(dims.batch)));
  for (int64_t i = 0; i < 2; ++i) {
    const SymInt block = i < dims.block ? values.size(dims.batch + 1 + i) : SymInt(1);
    sizes.push_back(base[i] * (guard_bool(block < 1) ? SymInt(1) : block));
  }
  for (int64_t i = dims.batch + dims.block + 1; i < values.dim(); ++i)
    sizes.push_back(values.size(i));
  return sizes;
}

std::optional<Layout> layout_argument(Call& c, size_t options_at) {
  const Value& layout = c.arg(options_at + 1);
  if (!layout.is(Value::Tag::kLayout)) return {};
  return layout.layout();
}

Layout given_layout(Call& c, size_t options_at, std::string_view function) {
  const std::optional<Layout> layout = layout_argument(c, options_at);
  c.check(layout && is_compressed(*layout),
          "{} expected sparse compressed tensor layout but got {}", function,
          layout ? cpp_name(*layout) : "none");
  return *layout;
}

Value compressed_unsafe(Call& c, const Tensor& compressed, const Tensor& plain,
                        const Tensor& values, Dims sizes) {
  const Layout layout = given_layout(c, 4, "sparse_compressed_tensor_unsafe");
  refuse_members(c, compressed, plain, values, sizes, layout, 4);
}
Value compressed_sized(Call& c, const Tensor& compressed, const Tensor& plain, const Tensor& values,
                       Dims sizes) {
  const Layout layout = given_layout(c, 4, "sparse_compressed_tensor");
  refuse_members(c, compressed, plain, values, sizes, layout, 4);
}
Value compressed(Call& c, const Tensor& compressed, const Tensor& plain, const Tensor& values) {
  const Layout layout = given_layout(c, 3, "sparse_compressed_tensor");
  const DimVector sizes = estimate_sizes(c, compressed, plain, values, layout, false);
  refuse_members(c, compressed, plain, values, sizes, layout, 3);
}

// One layout's own constructors, with sizes and without.
void check_kind(Call& c, Layout layout, size_t options_at, bool is_unsafe = false) {
  const std::optional<Layout> given = layout_argument(c, options_at);
  c.check(!given || *given == layout, "sparse {} layout must be {} but got {}",
          is_unsafe ? "compressed" : name(layout).substr(7), cpp_name(layout),
          given ? cpp_name(*given) : "");
}
template <Layout layout, bool is_unsafe = false>
Value members_sized(Call& c, const Tensor& compressed, const Tensor& plain, const Tensor& values,
                    Dims sizes) {
  check_kind(c, layout, 4, is_unsafe);
  refuse_members(c, compressed, plain, values, sizes, layout, 4);
}
template <Layout layout>
Value members(Call& c, const Tensor& compressed, const Tensor& plain, const Tensor& values) {
  check_kind(c, layout, 3);
  const DimVector sizes = estimate_sizes(c, compressed, plain, values, layout);
  refuse_members(c, compressed, plain, values, sizes, layout, 3);
}

// Mirrors sparse_compressed_tensor_with_dims.
Value compressed_with_dims(Call& c, SymInt nnz, int64_t dense_dim, Dims sizes, Dims blocksize,
                           DType index_dtype) {
  constexpr std::string_view kFunction = "sparse_compressed_tensor_with_dims";
  const Layout layout = given_layout(c, 5, kFunction);
  c.check(index_dtype == DType::kInt32 || index_dtype == DType::kInt64,
          "{} indices dtype must be Int or Long, but got {}", kFunction,
          info(index_dtype).cpp_name);
  c.check(is_block(layout) || blocksize.empty(),
          "{}: blocksize cannot be specified for non-block layout {}", kFunction, cpp_name(layout));
  c.check(!is_block(layout) || blocksize.size() == 2,
          "{}: blocksize needs to be a tuple of size 2, but got {}", kFunction, blocksize.size());
  c.check(static_cast<int64_t>(sizes.size()) >= 2 + dense_dim,
          "{}: tensor dimensionality must be at least two plus dense_dim, but got {}", kFunction,
          sizes.size());
  // The batch dimensions are a slice of the sizes, the dense ones a vector of that length.
  const auto rank = static_cast<int64_t>(sizes.size());
  c.check(dense_dim >= 0 || rank - 2 - dense_dim <= rank,
          "ArrayRef: invalid slice, N = 0; M = {}; size = {}", rank - 2 - dense_dim, rank);
  c.check_as(ErrorKind::kValueError, dense_dim >= 0,
             "SmallVector unable to grow. Requested capacity ({}) is larger than maximum value for "
             "size type (4294967295)",
             std::to_string(static_cast<uint64_t>(dense_dim)));
  const Value dtype = c.arg(5), device = c.arg(7);
  SparseShape shape{sizes,
                    {.sparse_dim = 2,
                     .dense_dim = static_cast<int32_t>(dense_dim),
                     .nnz = nnz,
                     .index_dtype = index_dtype}};
  for (size_t i = 0; i < blocksize.size(); ++i) shape.meta.block_size[i] = blocksize[i];
  return new_sparse(c, layout, shape,
                    dtype.is(Value::Tag::kDType) ? dtype.dtype() : c.context().default_dtype,
                    device.is(Value::Tag::kDevice) ? device.device() : Device{});
}

// --- like a sparse tensor ---

struct LikeOptions {
  DType dtype;
  Device device;
  Layout layout;
  std::optional<MemoryFormat> format;
};
LikeOptions like_options(Call& c, const Tensor& self, size_t at) {
  const std::span<const Value> args = c.args().subspan(at);
  LikeOptions options{self.dtype(), self.device(), self.layout(), {}};
  if (args[0].is(Value::Tag::kDType)) options.dtype = args[0].dtype();
  if (args[1].is(Value::Tag::kLayout)) options.layout = args[1].layout();
  if (args[2].is(Value::Tag::kDevice)) options.device = args[2].device().normalized();
  if (args.size() > 4 && args[4].is(Value::Tag::kMemoryFormat))
    options.format = args[4].memory_format();
  return options;
}

void check_values_format(Call& c, const Tensor& self, MemoryFormat format) {
  c.check(format != MemoryFormat::kPreserve, "unsupported memory format Preserve");
  const int64_t batch = self.dim() - 2 - sparse_of(self).dense_dim;
  const int64_t rank = batch + 1 + (is_block(self.layout()) ? 2 : 0) + sparse_of(self).dense_dim;
  c.check(format != MemoryFormat::kChannelsLast || rank == 4,
          "required rank 4 tensor to use channels_last format");
  c.check(format != MemoryFormat::kChannelsLast3d || rank == 5,
          "required rank 5 tensor to use channels_last_3d format");
}

// Mirrors empty_like_sparse_csr and empty_like_sparse_coo.
Tensor* empty_like_sparse(Call& c, const Tensor& self, const LikeOptions& options) {
  if (is_compressed(self)) {
    c.check(
        options.layout == self.layout(),
        "empty_like with different sparse layout is not supported (self is {} but you requested "
        "{})",
        cpp_name(self.layout()), cpp_name(options.layout));
    if (options.format) check_values_format(c, self, *options.format);
    return new_sparse(c, self.layout(), shape_of(self), options.dtype, options.device);
  }
  c.check(!options.format, "memory format option is only supported by strided tensors");
  if (options.layout == Layout::kStrided)
    return c.context().empty(self.sizes(), options.dtype, options.device);
  if (is_compressed(options.layout))
    return empty_with_layout(c, options.layout, self.sizes(), options.dtype, options.device);
  const SparseMeta& sparse = sparse_of(self);
  return new_sparse(c, self.layout(), empty_coo(self.sizes(), sparse.sparse_dim, sparse.dense_dim),
                    options.dtype, options.device);
}

// Mirrors zeros_like, ATen/native/TensorFactories.cpp.
Tensor* zeros_like_sparse(Call& c, const Tensor& self, const LikeOptions& options) {
  if (options.layout == Layout::kSparseCoo) {
    c.check(!options.format, "memory format option is only supported by strided tensors");
    const int64_t sparse_dim = is_coo(self) ? sparse_of(self).sparse_dim : self.dim();
    return new_sparse(c, options.layout,
                      empty_coo(self.sizes(), sparse_dim, self.dim() - sparse_dim), options.dtype,
                      options.device);
  }
  if (!is_compressed(options.layout) || !is_compressed(self))
    return empty_like_sparse(c, self, options);
  c.check(
      !is_block(self.layout()) || is_block(options.layout),
      "sparse_compressed_tensor_with_dims: blocksize cannot be specified for non-block layout {}",
      cpp_name(options.layout));
  SparseShape shape = shape_of(self);
  shape.meta.nnz = 0;
  return new_sparse(c, options.layout, shape, options.dtype, options.device);
}

struct SparseLikeParams {
  int8_t sizes = -1;   // position of the sizes; -1: those of argument 0
  int8_t options = 1;  // position of dtype
  bool zeros = false;
  bool fills = false;  // which COO has no kernel for
};
Value sparse_like_factory(Call& c, uint64_t params) {
  const auto given = rule_params<SparseLikeParams>(params);
  const Tensor& self = c.arg(0).tensor();
  const LikeOptions options = like_options(c, self, static_cast<size_t>(given.options));
  if (given.sizes < 0)
    return given.zeros ? zeros_like_sparse(c, self, options) : empty_like_sparse(c, self, options);
  const Dims sizes = c.arg(static_cast<size_t>(given.sizes)).ints();
  if (options.layout == Layout::kStrided)
    return c.context().empty(sizes, options.dtype, options.device);
  if (given.fills && options.layout == Layout::kSparseCoo) {
    static const OpId kFill = Registry::builtin().find("aten::fill_.Scalar");
    throw_no_kernel(Registry::builtin().entry(kFill), "SparseMeta");
  }
  return empty_with_layout(c, options.layout, sizes, options.dtype, options.device);
}
consteval Rule like_factory(SparseLikeParams params) {
  return family_rule(&sparse_like_factory, params);
}

// --- gradients ---

Value unsafe_coo(Call& c, const Value& indices, const Value& values, Dims sizes) {
  return c.call<"aten::_sparse_coo_tensor_unsafe">(indices, values, sizes);
}

// Mirrors _gather_sparse_backward, ATen/native/TensorAdvancedIndexing.cpp.
Value gather_sparse_backward(Call& c, const Tensor& self, int64_t dim, const Tensor& index,
                             const Tensor& grad) {
  if (self.dim() == 0) {
    const Value none =
        *c.context().empty(DimVector{0, grad.numel()}, index.dtype(), index.device());
    return unsafe_coo(c, none, grad, self.sizes());
  }
  if (grad.dim() == 0)
    return unsafe_coo(c, c.call<"aten::view">(index, DimVector{1, 1}), grad, self.sizes());
  const Value indices =
      *c.context().empty(DimVector{self.dim(), grad.numel()}, DType::kInt64, self.device());
  const int64_t at = dim < 0 ? dim + self.dim() : dim;
  const bool is_empty = guard_bool(grad.numel() == 0);
  for (int64_t i = 0; !is_empty && i < self.dim(); ++i) {
    (void)grad.size(i);
    if (i != at) continue;
    const Value row = c.call<"aten::select.int">(indices, 0, i);
    c.call<"aten::copy_">(row, c.call<"aten::reshape">(index, DimVector{-1}));
  }
  return unsafe_coo(c, indices, c.call<"aten::reshape">(grad, DimVector{-1}), self.sizes());
}

// "CPUBFloat16Type", Tensor::toString.
std::string tensor_type_text(const Tensor& tensor) {
  const std::string_view device = tensor.device().is_cuda()  ? "CUDA"
                                  : tensor.device().is_cpu() ? "CPU"
                                                             : "Meta";
  return format("{}{}Type", device, info(tensor.dtype()).cpp_name);
}

// Mirrors embedding_sparse_backward, ATen/native/Embedding.cpp. A padding index is masked out.
Value embedding_sparse_backward(Call& c, const Tensor& grad, const Tensor& indices,
                                SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) {
  c.check(indices.dtype() == DType::kInt64 || indices.dtype() == DType::kInt32,
          "Expected tensor for argument #2 'indices' to have one of the following scalar types: "
          "Long, Int; but got {} instead (while checking arguments for embedding_backward)",
          tensor_type_text(indices));
  c.check(!scale_grad_by_freq,
          "embedding_backward: scale_grad_by_freq not supported with sparse gradients");
  Value rows = grad;
  Value kept = indices;
  if (guard_bool(padding_idx != -1)) {
    const Value mask[] = {c.call<"aten::ne.Scalar">(indices, padding_idx)};
    kept = c.call<"aten::index.Tensor">(indices, c.list(mask));
    rows = c.call<"aten::index.Tensor">(grad, c.list(mask));
  }
  const SymInt features = grad.size(-1);
  const DimVector sizes = {num_weights, features};
  if (guard_bool(rows.tensor().numel() == 0)) {
    const Value none = *c.context().empty(DimVector{1, 0}, DType::kInt64, indices.device());
    const Value values = *c.context().empty(DimVector{0, features}, grad.dtype(), grad.device());
    return unsafe_coo(c, none, values, sizes);
  }
  const Value index = c.call<"aten::reshape">(kept, DimVector{1, -1});
  const Value values = c.call<"aten::reshape">(rows, DimVector{-1, features});
  return unsafe_coo(c, c.call<"aten::to.dtype">(index, DType::kInt64), values, sizes);
}

// Mirrors _embedding_bag_sparse_backward, ATen/native/EmbeddingBag.cpp.
Value embedding_bag_sparse_backward(Call& c, const Tensor& grad, const Tensor& indices,
                                    const Tensor&, const Tensor& offset2bag, const Tensor& bag_size,
                                    SymInt num_weights, bool scale_grad_by_freq, int64_t mode,
                                    Tensor* weights, SymInt padding_idx) {
  constexpr int64_t kMean = 1;
  const Value rows = c.call<"aten::index_select">(grad, 0, offset2bag);
  if (mode == kMean) {
    const Value sizes = c.call<"aten::to.dtype">(bag_size, grad.dtype());
    const Value inverse = c.call<"aten::div_.Tensor">(c.call<"aten::empty_like">(sizes), sizes);
    const Value column = c.call<"aten::unsqueeze">(inverse, 1);
    c.call<"aten::mul_.Tensor">(rows, c.call<"aten::index_select">(column, 0, offset2bag));
  }
  if (weights != nullptr) c.call<"aten::mul_.Tensor">(rows, c.call<"aten::unsqueeze">(*weights, 1));
  return c.call<"aten::embedding_sparse_backward">(rows, indices, num_weights, padding_idx,
                                                   scale_grad_by_freq);
}

constexpr Layout kCsr = Layout::kSparseCsr, kCsc = Layout::kSparseCsc;
constexpr Layout kBsr = Layout::kSparseBsr, kBsc = Layout::kSparseBsc;

// clang-format off
constexpr OpDef kOwnRules[] = {
    {"aten::_embedding_bag_sparse_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, SymInt num_weights, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor", rule<&embedding_bag_sparse_backward>(), kComposite},
    {"aten::_gather_sparse_backward(Tensor self, int dim, Tensor index, Tensor grad) -> Tensor", rule<&gather_sparse_backward>(), kComposite},
    {"aten::_sparse_bsc_tensor_unsafe(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&members_sized<kBsc, true>>(), kComposite},
    {"aten::_sparse_bsr_tensor_unsafe(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&members_sized<kBsr, true>>(), kComposite},
    {"aten::_sparse_compressed_tensor_unsafe(Tensor compressed_indices, Tensor plain_indices, Tensor values, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&compressed_unsafe>(), kComposite},
    {"aten::_sparse_compressed_tensor_with_dims(int nnz, int dense_dim, int[] size, int[] blocksize, ScalarType index_dtype, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&compressed_with_dims>(), kByFakeImpl},
    {"aten::_sparse_coo_tensor_unsafe(Tensor indices, Tensor values, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor", rule<&coo_tensor_sized>(), kComposite},
    {"aten::_sparse_coo_tensor_with_dims(int sparse_dim, int dense_dim, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&coo_with_dims>(), kByFakeImpl},
    {"aten::_sparse_coo_tensor_with_dims_and_tensors(int sparse_dim, int dense_dim, SymInt[] size, Tensor indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, bool? is_coalesced=None) -> Tensor", rule<&coo_with_dims_and_tensors>(), kByFakeImpl},
    {"aten::_sparse_csc_tensor_unsafe(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&members_sized<kCsc, true>>(), kComposite},
    {"aten::_sparse_csr_tensor_unsafe(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&members_sized<kCsr, true>>(), kComposite},
    {"aten::embedding_sparse_backward(Tensor grad, Tensor indices, int num_weights, int padding_idx, bool scale_grad_by_freq) -> Tensor", rule<&embedding_sparse_backward>(), kComposite},
    {"aten::sparse_bsc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&members<kBsc>>(), kComposite},
    {"aten::sparse_bsc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&members_sized<kBsc>>(), kComposite},
    {"aten::sparse_bsr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&members<kBsr>>(), kComposite},
    {"aten::sparse_bsr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&members_sized<kBsr>>(), kComposite},
    {"aten::sparse_compressed_tensor.comp_plain_value(Tensor compressed_indices, Tensor plain_indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&compressed>(), kComposite | kByCompositeExplicit | kRealDerivative},
    {"aten::sparse_compressed_tensor.comp_plain_value_size(Tensor compressed_indices, Tensor plain_indices, Tensor values, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&compressed_sized>(), kComposite | kByCompositeExplicit | kRealDerivative},
    {"aten::sparse_coo_tensor.indices(Tensor indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor", rule<&coo_tensor>(), kComposite},
    {"aten::sparse_coo_tensor.indices_size(Tensor indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor", rule<&coo_tensor_sized>(), kComposite},
    {"aten::sparse_coo_tensor.size(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&coo_tensor_of_size>(), kByFakeImpl},
    {"aten::sparse_csc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&members<kCsc>>(), kComposite},
    {"aten::sparse_csc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&members_sized<kCsc>>(), kComposite},
    {"aten::sparse_csr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&members<kCsr>>(), kComposite},
    {"aten::sparse_csr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", rule<&members_sized<kCsr>>(), kComposite},
};

constexpr SparseDef kRows[] = {
    {"aten::empty_like", like_factory({})},
    {"aten::full_like", like_factory({.options = 2})},
    {"aten::new_empty", like_factory({.sizes = 1, .options = 2})},
    {"aten::new_full", like_factory({.sizes = 1, .options = 3, .fills = true})},
    {"aten::new_ones", like_factory({.sizes = 1, .options = 2, .fills = true})},
    {"aten::new_zeros", like_factory({.sizes = 1, .options = 2})},
    {"aten::ones_like", like_factory({})},
    {"aten::rand_like", like_factory({})},
    {"aten::randn_like", like_factory({})},
    {"aten::zeros_like", like_factory({.zeros = true})},
};
// clang-format on

}  // namespace
}  // namespace rules_of_sparse_factory

std::span<const OpDef> sparse_factory_rules() { return rules_of_sparse_factory::kOwnRules; }
std::span<const SparseDef> sparse_factory_rows() { return rules_of_sparse_factory::kRows; }

}  // namespace faketensor
