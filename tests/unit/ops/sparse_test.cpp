#include <initializer_list>

#include "core/ops/rules/sparse_tables.h"
#include "expect_call.h"

namespace faketensor {
namespace {

// A sparse tensor as text: "sparse_csr[2, 3] f32 nnz 2", with what differs from the default.
std::string sparse_text(const Value& value) {
  std::span<const TensorRecord> none;
  if (!value.is_tensor() || value.tensor().meta->sparse() == nullptr)
    return value_text(value, none);
  const TensorMeta& meta = *value.tensor().meta;
  const SparseMeta& sparse = *meta.sparse();
  std::string text = format("{}{} {} nnz {}", name(meta.layout()), meta.sizes(),
                            info(meta.dtype()).short_name, sparse.nnz);
  if (meta.has(kCoalesced)) text += " coalesced";
  if (sparse.dense_dim != 0) text += format(" dense_dim {}", sparse.dense_dim);
  if (sparse.index_dtype != DType::kInt64) text += format(" {}", sparse.index_dtype);
  return text;
}

class Sparse : public testing::Test {
 protected:
  Value tensor(Layout layout, std::initializer_list<SymInt> sizes, SparseMeta sparse,
               DType dtype = DType::kFloat32, bool coalesced = false) {
    const MetaSpec spec{.sizes = Dims(sizes.begin(), sizes.size()),
                        .dtype = dtype,
                        .layout = layout,
                        .flags = static_cast<uint16_t>(coalesced ? kCoalesced : 0),
                        .sparse = &sparse};
    return Value(mode_.context().make_tensor(mode_.context().metas().intern(spec), nullptr));
  }
  Value coo(std::initializer_list<SymInt> sizes, SymInt nnz = 2, DType dtype = DType::kFloat32) {
    return tensor(Layout::kSparseCoo, sizes,
                  {.sparse_dim = static_cast<int32_t>(sizes.size()), .nnz = nnz}, dtype);
  }
  Value csr(std::initializer_list<SymInt> sizes, SymInt nnz = 2) {
    return tensor(Layout::kSparseCsr, sizes, {.sparse_dim = 2, .nnz = nnz});
  }
  Value bsr(std::initializer_list<SymInt> sizes) {
    return tensor(Layout::kSparseBsr, sizes,
                  {.sparse_dim = 2, .nnz = 1, .block_size = {SymInt(2), SymInt(1)}});
  }
  Value dense(std::initializer_list<SymInt> sizes, DType dtype = DType::kFloat32) {
    return mode_.empty(Dims(sizes.begin(), sizes.size()), dtype);
  }
  std::string answer(std::string_view op, std::initializer_list<Value> args) {
    const OpId id = Registry::builtin().find(op);
    if (id == kNoOp) return format("no rule for {}", op);
    std::vector<Value> values(Registry::builtin().entry(id).schema.arguments.size(),
                              Value::unset());
    std::copy(args.begin(), args.end(), values.begin());
    const Outcome outcome = mode_.call(id, values);
    if (outcome.error)
      return format("{}: {}", outcome.error->class_name(), outcome.error->message());
    return sparse_text(outcome.value);
  }

  FakeTensorMode mode_;
};

TEST_F(Sparse, EveryRowNamesAnOperator) {
  for (const std::span<const SparseDef> table : sparse_tables()) {
    for (const SparseDef& row : table) EXPECT_NE(Registry::builtin().find(row.op), kNoOp) << row.op;
  }
}

TEST_F(Sparse, CooResultsHaveNoElementsAndCompressedOnesKeepTheirs) {
  EXPECT_EQ(answer("aten::sin", {coo({2, 3}, 2, DType::kInt32)}),
            "sparse_coo[2, 3] f32 nnz 0 coalesced");
  EXPECT_EQ(answer("aten::sin", {csr({2, 3})}), "sparse_csr[2, 3] f32 nnz 2");
  EXPECT_EQ(answer("aten::mul.Tensor", {coo({2, 3}), coo({2, 3})}),
            "sparse_coo[2, 3] f32 nnz 0 coalesced");
  EXPECT_EQ(answer("aten::sum", {csr({2, 3})}), "f32[]");
  EXPECT_EQ(answer("aten::t", {csr({2, 3})}), "sparse_csc[3, 2] f32 nnz 2");
  EXPECT_EQ(answer("aten::add.Tensor", {coo({2, 3}, 0), coo({2, 3}, 3)}),
            "sparse_coo[2, 3] f32 nnz 3");
}

TEST_F(Sparse, PartsHaveTheSizesOfTheElements) {
  EXPECT_EQ(answer("aten::_indices", {coo({2, 3}, 5)}), "i64[2, 5]");
  EXPECT_EQ(answer("aten::crow_indices", {csr({2, 3})}), "i64[3]");
  EXPECT_EQ(answer("aten::col_indices", {csr({2, 3})}), "i64[2]");
  EXPECT_EQ(answer("aten::crow_indices", {bsr({4, 3})}), "i64[3]");
  EXPECT_EQ(answer("aten::values", {bsr({4, 3})}), "f32[1, 2, 1]");
  EXPECT_EQ(answer("aten::indices", {coo({2, 3})}),
            "RuntimeError: Cannot get indices on an uncoalesced tensor, please call .coalesce() "
            "first");
  EXPECT_EQ(
      answer("aten::crow_indices", {coo({2, 3})}),
      "RuntimeError: crow_indices expected sparse row compressed tensor layout but got Sparse");
}

TEST_F(Sparse, ConversionsOfDenseTensorsHaveNoElements) {
  EXPECT_EQ(answer("aten::to_sparse", {dense({2, 3})}), "sparse_coo[2, 3] f32 nnz 0 coalesced");
  EXPECT_EQ(answer("aten::to_sparse_csr", {dense({2, 3})}), "sparse_csr[2, 3] f32 nnz 0");
  EXPECT_EQ(answer("aten::to_sparse.sparse_dim", {dense({2, 3, 4}), Value(1)}),
            "sparse_coo[2, 3, 4] f32 nnz 0 coalesced dense_dim 2");
  EXPECT_EQ(answer("aten::to_dense", {csr({2, 3})}), "f32[2, 3]");
  EXPECT_EQ(
      answer("aten::to_sparse_csr", {coo({2, 3, 4})}),
      "RuntimeError: coo_to_sparse_csr: conversion from Sparse to SparseCsr for input tensors "
      "with sparse_dim()!=2 is not supported");
}

TEST_F(Sparse, StridesAreNotReadAndSizesAreCounted) {
  EXPECT_EQ(answer("aten::_debug_has_internal_overlap", {csr({3, 3})}),
            "RuntimeError: Sparse CSR tensors do not have strides");
  EXPECT_EQ(answer("aten::_debug_has_internal_overlap", {coo({3, 3})}), "1");
  EXPECT_EQ(answer("aten::linalg_matmul.out", {csr({2, 3, 4}), dense({4, 5}), dense({2, 3, 5})}),
            "RuntimeError: Sparse CSR tensors do not have strides");
  const SymInt negative[] = {3, -2};
  EXPECT_EQ(answer("aten::new_empty", {csr({3, 3}), Value::ints(negative)}),
            "RuntimeError: Trying to create tensor with negative dimension -2: [3, -2]");
  EXPECT_EQ(answer("aten::new_empty", {coo({3, 3}), Value::ints(negative)}),
            "RuntimeError: numel: integer multiplication overflow");
}

TEST_F(Sparse, ProductsAreDenseOrCsr) {
  EXPECT_EQ(answer("aten::mm", {coo({2, 3}), dense({3, 4})}), "f32[2, 4]");
  EXPECT_EQ(answer("aten::mm", {csr({2, 3}), csr({3, 4})}), "sparse_csr[2, 4] f32 nnz 0");
  EXPECT_EQ(answer("aten::mm", {coo({2, 3}, 2, DType::kInt32), coo({3, 4}, 2, DType::kInt32)}),
            "NotImplementedError: \"sparse_matmul\" not implemented for 'Int'");
}

TEST_F(Sparse, CooTensorsAreTransposedInPlace) {
  EXPECT_EQ(answer("aten::transpose_", {coo({2, 3}), 0, 1}), "sparse_coo[3, 2] f32 nnz 2");
  EXPECT_EQ(answer("aten::t_", {coo({2, 3})}), "sparse_coo[3, 2] f32 nnz 2");
  EXPECT_EQ(
      answer("aten::t_", {coo({2, 3, 4})}),
      "RuntimeError: t_() expects a tensor with <= 2 sparse and 0 dense dimensions, but got 3 "
      "sparse and 0 dense dimensions");
  EXPECT_EQ(answer("aten::t_", {csr({2, 3})}),
            "RuntimeError: torch.transpose_: in-place transposition is not supported for SparseCsr "
            "layout");
}

TEST_F(Sparse, ResizingKeepsElements) {
  EXPECT_EQ(answer("aten::resize_as_", {coo({2, 3}), coo({4, 3})}), "sparse_coo[4, 3] f32 nnz 2");
  EXPECT_EQ(answer("aten::resize_as_", {coo({2, 3}, 0), coo({4})}), "sparse_coo[4] f32 nnz 0");
  EXPECT_EQ(answer("aten::resize_as_", {dense({2, 3}), coo({4})}), "f32[4]");
  EXPECT_TRUE(answer("aten::resize_as_", {coo({2, 3}), coo({2, 2})})
                  .starts_with("RuntimeError: shrinking the size of sparse dimensions (from [2, 3] "
                               "to [2, 2]) on a non-empty sparse tensor is not supported."));
  EXPECT_EQ(answer("aten::resize_as_sparse_", {coo({2, 3}), csr({2, 3})}),
            "RuntimeError: resize_as_sparse_compressed_: self  expected sparse compressed tensor "
            "layout but got Sparse");
  EXPECT_EQ(answer("aten::is_same_size", {coo({2, 3}), csr({2, 3})}), "True");
}

TEST_F(Sparse, FactoriesWriteToSparseOutputs) {
  const DimVector sizes = {4, 3};
  EXPECT_EQ(answer("aten::zeros.out", {Value::ints(sizes), coo({2, 3})}),
            "sparse_coo[4, 3] f32 nnz 0 coalesced");
  EXPECT_EQ(answer("aten::zeros.out", {Value::ints(sizes), csr({2, 3})}),
            "sparse_csr[4, 3] f32 nnz 0");
  EXPECT_EQ(answer("aten::ones.out", {Value::ints(sizes), coo({2, 3})}),
            "RuntimeError: full(...) is not implemented for sparse layout");
}

TEST_F(Sparse, SizesBelowZeroAreRefusedWhereTheirProductIsNone) {
  const auto ints = [&](std::initializer_list<SymInt> sizes) {
    return mode_.context().make_ints(Dims(sizes.begin(), sizes.size()));
  };
  constexpr std::string_view kOverflow = "RuntimeError: numel: integer multiplication overflow";
  EXPECT_EQ(answer("aten::sparse_resize_and_clear_",
                   {coo({3}), ints({2, -3}), Value(int64_t{2}), Value(int64_t{0})}),
            kOverflow);
  EXPECT_EQ(answer("aten::zeros.out", {ints({-1}), coo({3})}), kOverflow);
  EXPECT_EQ(answer("aten::empty.out", {ints({-1}), Value(), coo({3})}),
            "RuntimeError: Trying to create tensor with negative dimension -1: [-1]");
  EXPECT_NE(answer("aten::sparse_resize_and_clear_",
                   {coo({3}), ints({-2, 0}), Value(int64_t{2}), Value(int64_t{0})}),
            kOverflow);
}

// The output is held against the input before the input's dtype is.
TEST_F(Sparse, UnaryOperatorsWriteToTheirLikes) {
  const auto ints = [&] { return coo({2, 3}, 1, DType::kInt64); };
  const auto floats = [&] { return coo({2, 3}, 1); };
  constexpr std::string_view kFloatForLong = "RuntimeError: Found dtype Float but expected Long";
  EXPECT_EQ(answer("aten::frac.out", {ints(), floats()}), kFloatForLong);
  EXPECT_EQ(answer("aten::floor.out", {ints(), floats()}), kFloatForLong);
  EXPECT_EQ(answer("aten::frac.out", {ints(), ints()}),
            "NotImplementedError: \"frac_cpu\" not implemented for 'Long'");
  EXPECT_EQ(answer("aten::floor.out", {coo({2, 3}, 1, DType::kComplex64), ints()}),
            "NotImplementedError: floor is not supported for complex inputs");
  const std::string refusal = answer("aten::frac.out", {ints(), dense({2, 3})});
  EXPECT_TRUE(refusal.starts_with("RuntimeError: Expected self.is_sparse() && result.is_sparse()"))
      << refusal;
}

TEST_F(Sparse, ATensorThatIsNoneIsRefused) {
  EXPECT_EQ(
      answer("aten::copy_sparse_to_sparse_", {csr({2, 3}), Value()}),
      "RuntimeError: Expected a proper Tensor but got None (or an undefined Tensor in C++) for "
      "argument #1 'src'");
}

TEST_F(Sparse, ElementsAreCounted) {
  EXPECT_EQ(answer("aten::add_.Tensor", {coo({2, 3}), coo({2, 3})}), "sparse_coo[2, 3] f32 nnz 2");
  EXPECT_EQ(answer("aten::to_sparse", {bsr({4, 3})}), "sparse_coo[4, 3] f32 nnz 2");
  EXPECT_EQ(answer("aten::mul.Tensor", {bsr({4, 3}), dense({})}), "sparse_bsr[4, 3] f32 nnz 1");
  EXPECT_EQ(answer("aten::select_copy.int", {csr({2, 3}), 0, 1}),
            "sparse_coo[3] f32 nnz 0 coalesced");
  EXPECT_EQ(answer("aten::select.int", {coo({2, 3}), 0, 2}),
            "IndexError: select(): index 2 out of range for tensor of size [2, 3] at dimension 0");
}

// Found by fuzz_calls: a negative length made a tensor of negative size.
TEST_F(Sparse, NarrowCopyTakesARangeOfTheDimension) {
  const Value x =
      tensor(Layout::kSparseCoo, {9, 6, 3}, {.sparse_dim = 1, .dense_dim = 2, .nnz = 3});
  for (const int64_t dim : {0, 2, 9})
    EXPECT_EQ(answer("aten::narrow_copy", {x, dim, 0, -2}),
              "RuntimeError: narrow(): length must be non-negative.");
  EXPECT_EQ(answer("aten::narrow_copy", {csr({4, 4}), 5, 0, -1}),
            "RuntimeError: narrow(): length must be non-negative.");
  EXPECT_EQ(answer("aten::narrow_copy", {csr({4, 4}), 5, 0, 1}),
            "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 5)");
  EXPECT_EQ(answer("aten::narrow_copy", {x, 0, -3, 1}),
            "RuntimeError: Invalid range to narrow. range(start, start+length) must be a subset of "
            "range(0, 9).");
  EXPECT_EQ(answer("aten::narrow_copy", {x, 2, 3, 0}), "sparse_coo[9, 6, 0] f32 nnz 0 dense_dim 2");
}

TEST_F(Sparse, InPlaceResultsFit) {
  const Value integers =
      tensor(Layout::kSparseCsr, {2, 3}, {.sparse_dim = 2, .nnz = 2}, DType::kInt32);
  EXPECT_EQ(answer("aten::sin_", {integers}),
            "RuntimeError: Attempting to cast from torch.float32 to out tensor with dtype "
            "torch.int32, but this can't be cast because it is not safe!");
  EXPECT_EQ(answer("aten::ceil_", {integers}), "sparse_csr[2, 3] i32 nnz 2");
  EXPECT_EQ(answer("aten::sin_", {coo({2, 3})}), "RuntimeError: sin_ requires coalesced input");
}

TEST_F(Sparse, WhatHasNoKernelIsRefusedAsTheDispatcherDoes) {
  EXPECT_EQ(answer("aten::exp", {csr({2, 3})}),
            "RuntimeError: unsupported tensor layout: SparseCsr");
  EXPECT_EQ(answer("aten::exp", {coo({2, 3})}),
            "NotImplementedError: Could not run 'aten::exp' with arguments from the 'SparseCPU' "
            "backend. This could be because the operator doesn't exist for this backend, or was "
            "omitted during the selective/custom build process (if using custom build).");
  EXPECT_EQ(answer("aten::view", {csr({2, 3}), Value::ints(Dims())}),
            "RuntimeError: Sparse CSR tensors do not have strides");
  EXPECT_TRUE(answer("aten::cudnn_grid_sampler", {dense({1, 1, 2, 2}), dense({1, 2, 2, 2})})
                  .starts_with("NotImplementedError: Could not run 'aten::cudnn_grid_sampler' with "
                               "arguments from the 'CPU' backend."));
}

}  // namespace
}  // namespace faketensor
