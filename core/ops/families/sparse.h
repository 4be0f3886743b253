// Sparse tensors: COO, and the compressed layouts CSR, CSC, BSR and BSC.
//
// A sparse tensor has no strides and no storage; SparseMeta says how many of its dimensions are
// sparse, how many elements are specified (nnz), in which dtype its indices are, and the size of
// its blocks. An operator called with one is answered by its sparse row (rules/sparse_tables.h).
//
// Note [Two ways to a sparse answer]
// FakeTensorMode first calls the operator on meta tensors. For compressed layouts most operators
// have a kernel there, which keeps nnz. For COO few have, and it then runs the real kernel on
// torch.zeros_like of each argument, which has no specified elements: results have nnz 0, and
// whatever sorts or merges elements has made them coalesced. What has no kernel on either way
// raises NotImplementedError.
#pragma once

#include "core/ops/call.h"
#include "core/tensor/promotion.h"

namespace faketensor {

inline bool is_coo(const Tensor& tensor) { return tensor.layout() == Layout::kSparseCoo; }
bool is_compressed(Layout layout);
// BSR, BSC.
bool is_block(Layout layout);
// CSR, BSR: rows are compressed.
bool is_row_compressed(Layout layout);
inline bool is_compressed(const Tensor& tensor) { return is_compressed(tensor.layout()); }
// Raises RuntimeError for a tensor of another layout (strided, MKL-DNN's).
[[noreturn, gnu::cold]] void throw_not_sparse(const Tensor& tensor);
inline const SparseMeta& sparse_of(const Tensor& tensor) {
  const SparseMeta* sparse = tensor.meta->sparse();
  if (sparse == nullptr) [[unlikely]]
    throw_not_sparse(tensor);
  return *sparse;
}

// What an operator without a kernel for the tensor's layout raises: NotImplementedError "Could not
// run ...". A pointwise operator on a compressed tensor gets as far as TensorIterator, which raises
// RuntimeError "unsupported tensor layout: SparseCsr".
[[noreturn]] void refuse_sparse(const OpEntry& op, std::span<const Value> args);
// The same for an operator that has no kernel for `backend`: "CPU", "SparseCPU", "QuantizedCUDA".
[[noreturn]] void throw_no_kernel(const OpEntry& op, std::string_view backend);
// What an operator of that name raises for meta tensors, if it has no kernel for them.
[[noreturn]] void throw_no_meta_kernel(std::string_view name);
// That `self` is COO, for operators that have a kernel for nothing else.
void require_coo(Call& call, const Tensor& self);
// What messages call the indices of a compressed layout: "crow_indices", "col_indices".
struct IndexNames {
  std::string_view compressed, plain;
};
IndexNames index_names(Layout layout);
// That the members of a compressed tensor have dimensions that fit.
struct MemberDims {
  int64_t batch, block, dense;
};
MemberDims check_member_dims(const Call& call, Layout layout, const Tensor& compressed,
                             const Tensor& plain, const Tensor& values);
// The first tensor of `args`, also in its lists, that `accept` takes; null without one.
template <typename Accept>
const Tensor* find_tensor(std::span<const Value> args, Accept accept) {
  for (const Value& value : args) {
    if (value.is_tensor() && accept(value.tensor())) return &value.tensor();
    if (!value.is(Value::Tag::kList)) continue;
    for (const Value& element : value.values()) {
      if (element.is_tensor() && accept(element.tensor())) return &element.tensor();
    }
  }
  return nullptr;
}
inline const Tensor* first_sparse(std::span<const Value> args) {
  return find_tensor(args, [](const Tensor& t) { return t.layout() != Layout::kStrided; });
}
inline const Tensor* first_compressed(std::span<const Value> args) {
  return find_tensor(args, [](const Tensor& t) { return is_compressed(t); });
}
// "Sparse CSR tensors do not have strides": what a compressed tensor says to whoever asks for
// `property`.
[[noreturn]] void throw_has_no(const Tensor& tensor, std::string_view property);

// That sizes are those of `sparse` and `dense` dimensions, whose sum wraps as a C++ int64_t.
void check_sparse_dims(const Call& call, Dims sizes, SymInt sparse, int64_t dense);

// --- new tensors ---
struct SparseShape {
  Dims sizes = {};
  SparseMeta meta = {};
  bool coalesced = false;
};
SparseShape shape_of(const Tensor& tensor);
// A COO tensor without specified elements, which counts as coalesced.
SparseShape empty_coo(Dims sizes, int64_t sparse_dim, int64_t dense_dim);
Tensor* new_sparse(Call& call, Layout layout, const SparseShape& shape, DType dtype, Device device);
// A new tensor of the layout, sizes and elements of `self`.
Tensor* sparse_like(Call& call, const Tensor& self, DType dtype);
// torch.zeros_like(self): no specified elements.
Tensor* sparse_zeros_like(Call& call, const Tensor& self, DType dtype, bool coalesced = true);
// Makes `self` a tensor of this shape, as in-place operators do.
void set_sparse(Call& call, Tensor& self, Layout layout, const SparseShape& shape);

// A tensor of options `layout` without elements, as torch.empty makes it. Raises RuntimeError for
// sizes that the layout cannot have.
Tensor* empty_with_layout(Call& call, Layout layout, Dims sizes, DType dtype, Device device,
                          std::string_view maker = "empty_sparse_compressed");

// --- families ---
// What the real kernel of a unary operator refuses by dtype; `kernel` names it.
enum class UnaryCheck : uint8_t {
  kNone,
  kAbs,
  kErf,
  kFloor,
  kCeil,
  kTrunc,
  kRound,
  kNeg,
  kRelu,
  kSign,
  kSqrt,
  kFrac,
  kDegrees,
  kConj
};
struct SparseUnaryParams {
  Promotion promote = Promotion::kNoOpmath;
  UnaryCheck check = UnaryCheck::kNone;
  bool has_coo = true;       // COO tensors have a kernel
  bool keeps_order = false;  // which does not coalesce its result
};
Value sparse_pointwise(Call& call, uint64_t params);
// A unary pointwise operator, or its in-place overload.
consteval Rule sparse_unary(SparseUnaryParams params = {}) {
  return family_rule(&sparse_pointwise, params);
}

// What the kernel of such an operator's out= overload refuses of its output, before it looks at the
// dtype of its input. Mirrors COALESCED_UNARY_UFUNC, SparseUnaryFunctions.cpp.
void check_sparse_unary_output(const Call& call, const Rule& functional, const Tensor& out);

// An operator whose meta function fails for a compressed tensor: it asks for a property that such
// tensors lack, or for a result that it cannot make. For COO there is no kernel, but dimensions are
// checked before that is found out.
enum class Lacking : uint8_t {
  kStrides,
  kIsContiguous,
  kIterator,   // "unsupported tensor layout"
  kResult,     // torch.empty of the same layout, which fails for blocks; then strides
  kReduction,  // "resize_reduction: support for output with ..."
};
struct LackingParams {
  Lacking what = Lacking::kStrides;
  int8_t dim = -1;  // position of an argument that is a dimension of the first tensor; -1: none
};
Value sparse_lacking(Call& call, uint64_t params);
consteval Rule lacks(Lacking what, int8_t dim = -1) {
  return family_rule(&sparse_lacking, LackingParams{what, dim});
}

// --- operators that other backends have ---
// Where an operator without a CPU kernel does have one.
enum class KernelOn : uint8_t { kNowhere, kCuda };
Value missing_kernel(Call& call, uint64_t params);
// An operator that has no kernel for strided CPU tensors.
consteval Rule no_cpu_kernel(KernelOn on = KernelOn::kNowhere) {
  return family_rule(&missing_kernel, on);
}

}  // namespace faketensor
