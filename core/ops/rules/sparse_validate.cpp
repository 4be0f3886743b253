// Checks of the members of compressed sparse tensors: SparseCsrTensor.cpp and
// ValidateCompressedIndicesCommon.h of ATen/native/sparse. Matrices of diagonals.
#include "core/ops/families/sparse.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_sparse_validate {
namespace {

// Mirrors _validate_compressed_sparse_indices. It has no meta kernel: the real one sees zeros in
// place of the indices.
void check_indices(const Call& c, bool row_compressed, const Tensor& compressed,
                   const Tensor& plain, SymInt cdim, SymInt nnz) {
  constexpr std::string_view kShape =
      "{} have wrong shape: {}.shape[-1] = {} is not equal to {} = {}";
  const auto [compressed_name, plain_name] =
      index_names(row_compressed ? Layout::kSparseCsr : Layout::kSparseCsc);
  for (const Tensor* indices : {&compressed, &plain}) {
    if (indices->device().type == DeviceType::kMeta)
      throw_no_meta_kernel("aten::_validate_compressed_sparse_indices");
    c.check_as(ErrorKind::kIndexError, indices->dim() > 0,
               "Dimension specified as -1 but tensor has no dimensions");
  }
  c.check(compressed.size(-1) == cdim + 1, kShape, compressed_name, compressed_name,
          compressed.size(-1), row_compressed ? "nrows + 1" : "ncols + 1", cdim + 1);
  c.check(plain.size(-1) == nnz, kShape, plain_name, plain_name, plain.size(-1), "nnz", nnz);
  const DType dtype = compressed.dtype();
  c.check_as(ErrorKind::kNotImplementedError, dtype == DType::kInt32 || dtype == DType::kInt64,
             "\"compressed_index_invariance_checks_cpu\" not implemented for '{}'",
             info(dtype).cpp_name);
  // One check for each compressed dimension of each batch.
  for (const SymInt size : compressed.sizes().first(static_cast<size_t>(compressed.dim() - 1)))
    if (guard_bool(size == 0)) return;
  if (guard_bool(cdim == 0)) return;
  c.check(nnz == 0, "`{}[..., -1] == nnz` is not satisfied.", compressed_name);
}

void validate_compressed_indices(Call& c, bool row_compressed, const Tensor& compressed,
                                 const Tensor& plain, SymInt cdim, SymInt, SymInt nnz) {
  check_indices(c, row_compressed, compressed, plain, cdim, nnz);
}

// Mirrors _validate_sparse_compressed_tensor_args_worker, whose checks are in this order.
void check_members(const Call& c, Layout layout, const Tensor& compressed, const Tensor& plain,
                   const Tensor& values, Dims sizes) {
  const bool row_compressed = is_row_compressed(layout);
  const auto [compressed_name, plain_name] = index_names(layout);
  const auto strided = [&](const Tensor& tensor, std::string_view name) {
    c.check(tensor.layout() == Layout::kStrided,
            "expected {} to be a strided tensor but got {} tensor", name,
            cpp_name(tensor.layout()));
  };
  strided(plain, plain_name);
  strided(compressed, compressed_name);
  strided(values, "values");

  const MemberDims dims = check_member_dims(c, layout, compressed, plain, values);
  const auto contiguous = [&](const Tensor& tensor, std::string_view name) {
    c.check(tensor.stride(-1) == 1, "expected {} to be a contiguous tensor per batch", name);
  };
  contiguous(plain, plain_name);
  contiguous(compressed, compressed_name);
  c.check(static_cast<int64_t>(sizes.size()) == dims.batch + 2 + dims.dense,
          "tensor dimensionality must be sum of batch, base, and dense dimensionalities (={} + 2 + "
          "{}) but got {}",
          dims.batch, dims.dense, sizes.size());

  const auto batch_of = [&](Dims of) { return of.first(static_cast<size_t>(dims.batch)); };
  const auto same_batch = [&](const Tensor& tensor) {
    const Dims given = batch_of(tensor.sizes());
    for (size_t i = 0; i < given.size(); ++i)
      if (!guard_bool(given[i] == sizes[i])) return false;
    return true;
  };
  c.check(same_batch(compressed) && same_batch(plain) && same_batch(values),
          "all batch dimensions of {} (={}), {} (={}), and values (={}) must be equal to tensor "
          "batch dimensions (={})",
          compressed_name, batch_of(compressed.sizes()), plain_name, batch_of(plain.sizes()),
          batch_of(values.sizes()), batch_of(sizes));
  SymInt base[2] = {sizes[static_cast<size_t>(dims.batch)],
                    sizes[static_cast<size_t>(dims.batch) + 1]};
  for (int64_t i = 0; i < dims.block; ++i) {
    const SymInt given = values.size(dims.batch + 1 + i);
    const SymInt blocksize = guard_bool(given < 1) ? SymInt(1) : given;
    c.check(
        mod(base[i], blocksize) == 0,
        "tensor shape[{}] (={}) must be divisible with blocksize[{}] (={}) as defined by values "
        "shape",
        dims.batch + i, base[i], i, blocksize);
    base[i] = floor_div(base[i], blocksize);
  }
  const SymInt cdim = base[row_compressed ? 0 : 1];
  const SymInt nnz = values.size(dims.batch);
  c.check(compressed.size(-1) == cdim + 1,
          "{}.shape[-1] must be equal to the number of {}{} + 1 (={}), but got {}", compressed_name,
          row_compressed ? "row" : "column", dims.block == 0 ? "s" : " blocks", cdim + 1,
          compressed.size(-1));
  c.check(plain.size(-1) == nnz,
          "{}.shape[-1] must be equal to nnz (={}) as defined by values.shape[{}], but got {}",
          plain_name, nnz, dims.batch, plain.size(-1));

  const DType dtype = compressed.dtype();
  c.check(dtype == plain.dtype(),
          "{} and {} must have the same dtype, bot got {} and {}, respectively", compressed_name,
          plain_name, info(dtype).cpp_name, info(plain.dtype()).cpp_name);
  c.check(dtype == DType::kInt32 || dtype == DType::kInt64,
          "{} and {} dtype must be Int or Long, but got {}", compressed_name, plain_name,
          info(dtype).cpp_name);
  if (compressed.device().type == DeviceType::kMeta) {
    const std::string_view name = cpp_name(layout).substr(6);  // "Csr"
    const char upper[] = {name[0], static_cast<char>(name[1] - 'a' + 'A'),
                          static_cast<char>(name[2] - 'a' + 'A'), '\0'};
    c.check(nnz == 0, "expected nnz to be 0 for sparse {} meta tensor but got {}", upper, nnz);
  } else {
    check_indices(c, row_compressed, compressed, plain, cdim, nnz);
  }
}

template <Layout layout>
void validate(Call& c, const Tensor& compressed, const Tensor& plain, const Tensor& values,
              Dims sizes) {
  check_members(c, layout, compressed, plain, values, sizes);
}

void validate_compressed(Call& c, const Tensor& compressed, const Tensor& plain,
                         const Tensor& values, Dims sizes, Layout layout) {
  c.check(is_compressed(layout),
          "validate_sparse_compressed_tensor_args expected sparse compressed tensor layout but got "
          "{}",
          cpp_name(layout));
  check_members(c, layout, compressed, plain, values, sizes);
}

// Mirrors _spdiags, torch/_subclasses/fake_impls.py.
Value spdiags(Call& c, const Tensor& diagonals, const Tensor& offsets, Dims shape,
              std::optional<Layout> layout) {
  c.check(diagonals.dim() == 1 || diagonals.dim() == 2, "Diagonals must be vector or matrix");
  c.check(shape.size() == 2, "Output shape must be 2d");
  c.check(offsets.dim() <= 1, "Offsets must be scalar or vector");
  const SymInt count = diagonals.dim() == 1 ? SymInt(1) : diagonals.size(0);
  const SymInt given = offsets.dim() == 0 ? SymInt(1) : offsets.size(0);
  c.check(count == given, "Number of diagonals ({}) does not match the number of offsets ({})",
          count, given);
  const Layout made = layout.value_or(Layout::kSparseCoo);
  c.check(made == Layout::kSparseCoo || made == Layout::kSparseCsr || made == Layout::kSparseCsc,
          "Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {}", made);
  c.check(offsets.dtype() == DType::kInt64, "Offset Tensor must have dtype Long but got {}",
          offsets.dtype());
  c.check(diagonals.device().type == DeviceType::kCPU && offsets.device().type == DeviceType::kCPU,
          "_spdiags is only implemented for CPU tensors");
  const bool empty =
      guard_or_false(shape[0] == 0) || guard_or_false(shape[1] == 0) || guard_or_false(given == 0);
  for (const SymInt size : shape)
    c.check(!guard_or_false(size < 0), "numel: integer multiplication overflow");
  const SymInt nnz = empty ? SymInt(0) : c.unbacked_int(ErrorKind::kDynamicOutputShape);
  return new_sparse(c, made,
                    {shape, {.sparse_dim = 2, .nnz = nnz}, made == Layout::kSparseCoo && empty},
                    diagonals.dtype(), diagonals.device());
}

// clang-format off
constexpr OpDef kSparseValidateRules[] = {
    {"aten::_spdiags(Tensor diagonals, Tensor offsets, int[] shape, Layout? layout=None) -> Tensor", rule<&spdiags>(), kByFakeImpl},
    {"aten::_validate_compressed_sparse_indices(bool is_crow, Tensor compressed_idx, Tensor plain_idx, int cdim, int dim, int nnz) -> ()", rule<&validate_compressed_indices>(), kByFallback},
    {"aten::_validate_sparse_bsc_tensor_args(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, bool? check_pinning=None) -> ()", rule<&validate<Layout::kSparseBsc>>(), kComposite | kAnyLayout},
    {"aten::_validate_sparse_bsr_tensor_args(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, bool? check_pinning=None) -> ()", rule<&validate<Layout::kSparseBsr>>(), kComposite | kAnyLayout},
    {"aten::_validate_sparse_compressed_tensor_args(Tensor compressed_indices, Tensor plain_indices, Tensor values, int[] size, Layout layout, bool? check_pinning=None) -> ()", rule<&validate_compressed>(), kComposite | kAnyLayout},
    {"aten::_validate_sparse_csc_tensor_args(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, bool? check_pinning=None) -> ()", rule<&validate<Layout::kSparseCsc>>(), kComposite | kAnyLayout},
    {"aten::_validate_sparse_csr_tensor_args(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, bool? check_pinning=None) -> ()", rule<&validate<Layout::kSparseCsr>>(), kComposite | kAnyLayout},
};
// clang-format on
}  // namespace
}  // namespace rules_of_sparse_validate

std::span<const OpDef> sparse_validate_rules() {
  return rules_of_sparse_validate::kSparseValidateRules;
}

}  // namespace faketensor
