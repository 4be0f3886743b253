#include "core/analysis/work.h"

#include "core/analysis/flops.h"
#include "core/mode/find_tensor.h"
#include "core/ops/families/pointwise.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

std::string_view name(WorkKind kind) {
  constexpr std::string_view kNames[kWorkKinds] = {
      "none",    "matrix", "convolution", "attention", "elementwise", "reduction", "normalisation",
      "pooling", "gather", "scatter",     "copy",      "fill",        "sort",      "other"};
  return kNames[static_cast<size_t>(kind)];
}

int64_t hinted(SymInt size) {
  if (!size.is_symbolic()) return size.as_int();
  const std::optional<Number> number = shape_env_of(size.node()).hint(size.node());
  return number ? number->integer : 0;
}

namespace {

// Elements that are in memory: a dimension without stride is there once.
SymInt stored_bytes(const Tensor& tensor) {
  if (tensor.storage == nullptr) return 0;
  const Dims sizes = tensor.meta->sizes();
  const Dims strides = tensor.meta->strides();
  SymInt bytes = itemsize(tensor.meta->dtype());
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (!same_expr(strides[dim], 0)) bytes *= sizes[dim];
  }
  return bytes;
}

bool is_floating_or_complex(const Tensor& tensor) {
  return is_float_or_complex(tensor.meta->dtype());
}

Rate rate_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kComplex128:
      return Rate::kFloat64;
    case DType::kFloat16:
    case DType::kComplex32:
      return Rate::kFloat16;
    case DType::kBFloat16:
      return Rate::kBFloat16;
    case DType::kFloat8E5M2:
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E5M2FNUZ:
    case DType::kFloat8E4M3FNUZ:
      return Rate::kFloat8;
    case DType::kInt8:
    case DType::kUInt8:
      return Rate::kInt8;
    default:
      return Rate::kFloat32;
  }
}

// The tensors of a call, each once.
struct Traffic {
  SmallVector<const Tensor*, 8> read;     // arguments
  SmallVector<const Tensor*, 4> written;  // results that are no views, arguments written to

  Traffic(const OpEntry& op, std::span<const Value> args, const Value& result) {
    for (size_t i = 0; i < args.size(); ++i) {
      const bool is_written = i < 64 && (op.written_arguments >> i & 1) != 0;
      for_each_tensor(args.subspan(i, 1), [&](const Tensor& tensor) {
        add(read, tensor);
        if (is_written) add(written, tensor);
      });
    }
    for_each_tensor({&result, 1}, [&](const Tensor& tensor) {
      bool is_argument = false;
      for (const Tensor* arg : read) is_argument |= arg->storage == tensor.storage;
      if (!is_argument) add(written, tensor);
    });
  }

  SymInt bytes_read() const { return sum(read); }
  SymInt bytes_written() const { return sum(written); }
  // Of the arguments that are not written to.
  SymInt bytes_only_read() const {
    SymInt bytes = 0;
    for (const Tensor* tensor : read) {
      bool is_written = false;
      for (const Tensor* other : written) is_written |= other == tensor;
      if (!is_written) bytes += stored_bytes(*tensor);
    }
    return bytes;
  }

 private:
  template <typename List>
  static void add(List& list, const Tensor& tensor) {
    for (const Tensor* known : list) {
      if (known == &tensor) return;
    }
    list.push_back(&tensor);
  }
  template <typename List>
  static SymInt sum(const List& list) {
    SymInt bytes = 0;
    for (const Tensor* tensor : list) bytes += stored_bytes(*tensor);
    return bytes;
  }
};

void set_bytes(Work& work, const Traffic& traffic) {
  work.read = traffic.bytes_read();
  work.written = traffic.bytes_written();
  switch (work.kind) {
    case WorkKind::kNone:
      work.read = work.written = 0;
      break;
    case WorkKind::kFill:
      work.read = 0;
      break;
    case WorkKind::kCopy:
      work.read = traffic.bytes_only_read();
      break;
    case WorkKind::kGather:
      // As much of the table as comes out, and the indices.
      if (!traffic.read.empty())
        work.read = work.read - stored_bytes(*traffic.read[0]) + work.written;
      break;
    case WorkKind::kScatter: {
      // What is put and where; the whole only where the result is another tensor.
      if (traffic.read.empty()) break;
      const SymInt whole = stored_bytes(*traffic.read[0]);
      const SymInt put = traffic.read.size() < 2 ? SymInt(0) : stored_bytes(*traffic.read.back());
      const bool is_new = traffic.written.empty() || traffic.written[0] != traffic.read[0];
      if (!is_new) work.read -= whole;
      work.written = is_new ? whole + put : put;
      break;
    }
    default:
      break;
  }
}

SymInt count_by_row(const WorkRow& row, std::span<const Value> args, const Value& result) {
  SymInt flops = row.count == nullptr ? SymInt(0) : row.count({args, result});
  const auto any = [](const Tensor&) { return true; };
  if (row.per_result != 0) {
    if (const Tensor* tensor = find_tensor({&result, 1}, any))
      flops += row.per_result * tensor->meta->numel();
  }
  if (row.per_input != 0) {
    if (const Tensor* tensor = find_tensor(args, any))
      flops += row.per_input * tensor->meta->numel();
  }
  return flops;
}

}  // namespace

Work work_of(const OpEntry& op, std::span<const Value> args, const Value& result) {
  Work work;
  const Traffic traffic(op, args, result);
  const Tensor* floating = find_tensor(args, is_floating_or_complex);
  if (floating == nullptr) floating = find_tensor({&result, 1}, is_floating_or_complex);
  const auto any = [](const Tensor&) { return true; };
  const Tensor* first = floating != nullptr ? floating : find_tensor(args, any);
  if (first != nullptr) work.rate = rate_of(first->meta->dtype());

  const WorkRow* row = find_work_row(op);
  if (const std::optional<SymInt> products = flops_of(op, args, result)) {
    work.kind = row == nullptr ? WorkKind::kMatrix : row->kind;
    work.flops = *products;
  } else if (row != nullptr) {
    work.kind = row->kind;
    if (floating != nullptr || row->count != nullptr) work.flops = count_by_row(*row, args, result);
  } else if (traffic.written.empty()) {
    work.kind = WorkKind::kNone;
  } else if (is_pointwise(op.rule)) {
    work.kind = WorkKind::kElementwise;
    if (floating != nullptr) work.flops = traffic.written[0]->meta->numel();
  } else {
    work.kind = traffic.read.empty() ? WorkKind::kFill : WorkKind::kOther;
  }
  set_bytes(work, traffic);
  return work;
}

}  // namespace faketensor
