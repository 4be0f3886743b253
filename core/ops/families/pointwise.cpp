#include "core/ops/families/pointwise.h"

#include <algorithm>

#include "core/tensor/strides.h"

namespace faketensor {

namespace {

bool is_cpu_scalar(const Tensor& tensor) { return tensor.dim() == 0 && tensor.device().is_cpu(); }

ResultType::Priority priority_of(const Tensor& tensor) {
  if (tensor.is_wrapped_number) return ResultType::kNumber;
  return tensor.dim() == 0 ? ResultType::kZeroDim : ResultType::kDimensioned;
}

// torch.Size([2, 3])
std::string size_text(Dims sizes) { return format("torch.Size({})", sizes); }
// (2, 3), (2,), ()
std::string tuple_text(Dims sizes) {
  std::string text = format("{}", sizes);
  text.front() = '(';
  text.back() = ')';
  if (sizes.size() == 1) text.insert(text.size() - 1, ",");
  return text;
}

}  // namespace

DType promoted_dtype(Call& call, std::span<const Value> operands) {
  ResultType type(call.context().default_dtype);
  for (const Value& operand : operands) {
    if (operand.is_tensor()) {
      type.add(operand.tensor().dtype(), priority_of(operand.tensor()));
    } else if (operand.is_number()) {
      type.add(number_dtype(operand, DType::kFloat64), ResultType::kNumber);
    }
  }
  return type.result();
}

DimVector broadcast_operands(Call& call, std::span<const Value> operands) {
  size_t rank = 0;
  for (const Value& operand : operands) {
    if (operand.is_tensor()) rank = std::max(rank, operand.tensor().sizes().size());
  }
  DimVector common(rank, SymInt(1));
  for (size_t index = 0; index < operands.size(); ++index) {
    if (!operands[index].is_tensor()) continue;
    const Dims sizes = operands[index].tensor().sizes();
    for (size_t from_end = 1; from_end <= sizes.size(); ++from_end) {
      const SymInt size = sizes[sizes.size() - from_end];
      SymInt& target = common[rank - from_end];
      if (guard_or_false(size == target)) continue;
      if (guard_or_false(target == 1)) target = size;
      if (guard_or_false(size == 1)) continue;
      call.check(target == size,
                 "Attempting to broadcast a dimension of length {} at -{}! Mismatching argument at "
                 "index {} had {}; but expected shape "
                 "should be broadcastable to {}",
                 size, from_end, index, size_text(sizes), common.span());
    }
  }
  return common;
}

namespace {

// The strides of the operands, cast to the computation dtype and expanded to the common shape.
class ExpandedStrides {
 public:
  explicit ExpandedStrides(Dims sizes) : sizes_(sizes) {}

  void add(const Value& operand, std::optional<DType> computation) {
    if (!operand.is_tensor() || is_cpu_scalar(operand.tensor())) return;
    const Tensor& tensor = operand.tensor();
    DimVector dense;
    Dims strides = tensor.strides();
    // A cast keeps dense strides (prims.convert_element_type).
    if (computation && tensor.dtype() != *computation && !tensor.is_non_overlapping_and_dense()) {
      dense = dense_strides_like(tensor.sizes(), strides);
      strides = dense;
    }
    const size_t missing = sizes_.size() - strides.size();
    for (size_t i = 0; i < sizes_.size(); ++i) {
      const bool expanded =
          i < missing || !guard_or_false(tensor.sizes()[i - missing] == sizes_[i]);
      room_.push_back(expanded ? SymInt(0) : strides[i - missing]);
    }
    ++count_;
  }

  Tensor* result(Call& call, DType dtype) const {
    if (count_ == 0) return call.empty(sizes_, dtype);
    SmallVector<Dims, 4> strides;
    for (size_t i = 0; i < count_; ++i) {
      strides.push_back(Dims(room_.data() + i * sizes_.size(), sizes_.size()));
    }
    return call.empty_strided(sizes_, elementwise_strides(sizes_, strides.span()), dtype);
  }

 private:
  Dims sizes_;
  size_t count_ = 0;
  SmallVector<SymInt, 24> room_;
};

}  // namespace

Tensor* elementwise(Call& call, std::span<const Value> operands, DType computation, DType result) {
  const DimVector sizes = broadcast_operands(call, operands);
  ExpandedStrides strides(sizes);
  for (const Value& operand : operands) strides.add(operand, computation);
  return strides.result(call, result);
}

Tensor* elementwise(Call& call, std::span<const Value> operands, Promotion promote) {
  const ElementwiseTypes types =
      elementwise_types(promoted_dtype(call, operands), promote, call.context().default_dtype);
  return elementwise(call, operands, types.computation, types.result);
}

Tensor* elementwise_if(Call& call, const Value& condition, std::span<const Value> operands,
                       ElementwiseTypes types) {
  SmallVector<Value, 4> all = {condition};
  all.append(operands);
  const DimVector sizes = broadcast_operands(call, all.span());
  ExpandedStrides strides(sizes);
  strides.add(condition, std::nullopt);
  for (const Value& operand : operands) strides.add(operand, types.computation);
  return strides.result(call, types.result);
}

Tensor* elementwise_if(Call& call, const Value& condition, std::span<const Value> operands,
                       Promotion promote) {
  return elementwise_if(
      call, condition, operands,
      elementwise_types(promoted_dtype(call, operands), promote, call.context().default_dtype));
}

std::string_view python_type(DType dtype) {
  if (is_bool(dtype)) return "<class 'bool'>";
  if (is_integral(dtype)) return "<class 'int'>";
  return is_floating(dtype) ? "<class 'float'>" : "<class 'complex'>";
}

void check_number_fits(Call& call, ErrorKind kind, std::string_view name, const Value& number,
                       DType dtype) {
  const DType given = number_dtype(number);
  call.check_as(kind, category(given) <= category(dtype),
                "{} argument of type {} cannot be safely cast to type {}!", name,
                python_type(given), python_type(dtype));
}

void check_inplace_broadcast(Call& call, const Tensor& self, const Tensor& other) {
  const Value operands[] = {self, other};
  const DimVector sizes = broadcast_operands(call, operands);
  const bool same = sizes.size() == self.sizes().size() &&
                    std::equal(sizes.begin(), sizes.end(), self.sizes().begin(),
                               [](SymInt a, SymInt b) { return guard_bool(a == b); });
  call.check(same, "output with shape {} doesn't match the broadcast shape {}",
             size_text(self.sizes()), tuple_text(sizes));
}

Value pointwise(Call& call, uint64_t params) {
  const auto given = rule_params<PointwiseParams>(params);
  return elementwise(call, call.args().first(given.operands), given.promote);
}

Value like_operand(Call& call, uint64_t params) {
  const Tensor& self = call.arg(0).tensor();
  const Promotion promote = rule_params<PointwiseParams>(params).promote;
  return call.empty_like(
      self, elementwise_types(self.dtype(), promote, call.context().default_dtype).result);
}

}  // namespace faketensor
