#include "core/mode/real_tensors.h"

#include <algorithm>

#include "core/mode/element_ops.h"
#include "core/ops/constant.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// Data of more bytes than this is not kept: constants have one element, inputs of programs few.
constexpr int64_t kMaxBytes = 1 << 16;

// The position in bytes of element `at` in its storage.
int64_t byte_offset(const Tensor& tensor, int64_t at) {
  int64_t offset = tensor.offset().as_int();
  for (size_t d = tensor.sizes().size(); d-- > 0;) {
    const int64_t size = tensor.sizes()[d].as_int();
    offset += at % size * tensor.strides()[d].as_int();
    at /= size;
  }
  return offset * itemsize(tensor.dtype());
}

bool is_static(const Tensor& tensor) {
  return tensor.meta->layout() == Layout::kStrided && tensor.storage != nullptr &&
         !tensor.numel().is_symbolic() && !tensor.storage->nbytes.is_symbolic();
}

bool shares_storage(const Tensor& tensor, std::span<const Value> args) {
  for (const Value& arg : args)
    if (arg.is_tensor() && arg.tensor().storage == tensor.storage) return true;
  return false;
}

// Kernels refuse to read what they write through another view of it: c10's get_overlap_status.
void check_overlap(const Tensor& written, std::span<const Value> args) {
  for (const Value& arg : args) {
    if (!arg.is_tensor() || &arg.tensor() == &written) continue;
    const Tensor& read = arg.tensor();
    const bool same_place = read.storage == written.storage &&
                            same_expr(read.offset(), written.offset()) && read.numel().as_int() > 0;
    if (same_place && read.strides().size() != written.strides().size())
      throw_error(ErrorKind::kRuntimeError,
                  "unsupported operation: some elements of the input tensor and the written-to "
                  "tensor refer to a single memory location. Please clone() the tensor before "
                  "performing the operation.");
  }
}

// Mirrors sub_check, aten/src/ATen/native/BinaryOps.h, which meta functions do not have.
void check_subtraction(std::span<const Value> args) {
  for (const Value& arg : args.first(std::min<size_t>(args.size(), 2))) {
    const bool is_bool_operand =
        arg.is_tensor() ? is_bool(arg.tensor().dtype()) : arg.is(Value::Tag::kBool);
    if (is_bool_operand)
      throw_error(ErrorKind::kRuntimeError,
                  "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
                  "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
  }
}

// The number that a wrapped number stands for; any other value as it is.
Value number_behind(const Value& value) {
  const bool is_number = value.is_tensor() && value.tensor().is_wrapped_number;
  return is_number && value.tensor().constant != nullptr ? value.tensor().constant->number()
                                                         : value;
}

}  // namespace

RealTensors::RealTensors(const Target& target) : context_(target), entered_(context_, *this) {
  context_.checks_leaves = false;
}

Tensor* RealTensors::from_elements(Dims sizes, DType dtype, std::span<const Element> data) {
  if (!has_elements(dtype))
    throw_error(ErrorKind::kNotImplementedError, format("data of {} is not known", dtype));
  Tensor* tensor = context_.empty(sizes, dtype, Device{});
  if (static_cast<int64_t>(data.size()) != tensor->numel().as_int())
    throw_error(ErrorKind::kValueError,
                format("{} elements for a tensor of sizes {}", data.size(), sizes));
  const int64_t bytes = tensor->storage->nbytes.as_int();
  if (bytes > kMaxBytes) return tensor;
  std::vector<std::byte>& stored = data_[tensor->storage];
  stored.resize(static_cast<size_t>(bytes));
  for (size_t i = 0; i < data.size(); ++i)
    store(dtype, data[i], stored.data() + i * static_cast<size_t>(itemsize(dtype)));
  return tensor;
}

Tensor* RealTensors::zeros(const MetaSpec& spec, SymInt storage_bytes) {
  const TensorMeta* meta = context_.metas().intern(spec);
  if (spec.layout != Layout::kStrided) return context_.make_tensor(meta, nullptr);
  Storage* storage = context_.make_storage(spec.device, storage_bytes);
  const int64_t bytes = storage_bytes.as_int();
  if (bytes <= kMaxBytes && !spec.device.is_meta())
    data_[storage].resize(static_cast<size_t>(bytes));
  return context_.make_tensor(meta, storage);
}

bool RealTensors::is_known(const Tensor& tensor) const {
  if (!is_static(tensor)) return false;
  if (tensor.numel().as_int() == 0) return true;
  // Strides of 0 make as many elements of a few bytes as one likes.
  if (tensor.numel().as_int() > kMaxBytes) return false;
  const auto found = data_.find(tensor.storage);
  if (found == data_.end()) return false;
  const int64_t last = byte_offset(tensor, tensor.numel().as_int() - 1);
  return last >= 0 && last + itemsize(tensor.dtype()) <= static_cast<int64_t>(found->second.size());
}

Element RealTensors::element(const Tensor& tensor, int64_t at) const {
  return load(tensor.dtype(), data_.at(tensor.storage).data() + byte_offset(tensor, at));
}

std::optional<std::vector<ElementOperand>> RealTensors::operands(const OpEntry& op,
                                                                 std::span<const Value> args) {
  std::vector<ElementOperand> operands(args.size());
  const auto add_tensor = [&](ElementOperand& operand, const Tensor& tensor) {
    if (!is_known(tensor) || !has_elements(tensor.dtype())) return false;
    operand.kind = ElementOperand::Kind::kTensor;
    operand.dtype = tensor.dtype();
    operand.rank = tensor.dim();
    for (int64_t i = 0; i < tensor.numel().as_int(); ++i)
      operand.elements.push_back(element(tensor, i));
    return true;
  };
  for (size_t i = 0; i < args.size(); ++i) {
    ElementOperand& operand = operands[i];
    operand.value = number_behind(args[i]);
    Element number;
    // What is only written to need not be known.
    const bool is_output =
        op.derived == OpEntry::Derived::kOut && op.schema.arguments[i].is_written();
    if (operand.value.is_tensor() && !is_output) {
      if (!add_tensor(operand, operand.value.tensor())) return std::nullopt;
    } else if (to_element(operand.value, number)) {
      operand.kind = ElementOperand::Kind::kNumber;
      operand.dtype = number_dtype(operand.value, context_.default_dtype);
      operand.elements.push_back(number);
    } else if (args[i].is(Value::Tag::kList)) {
      for (const Value& element : args[i].values())
        if (element.is_tensor() && !add_tensor(operand, element.tensor())) return std::nullopt;
    }
  }
  return operands;
}

void RealTensors::write(const Tensor& tensor, std::optional<Element> element) {
  if (!is_static(tensor) || tensor.numel().as_int() == 0) return;
  const int64_t bytes = tensor.storage->nbytes.as_int();
  const bool is_whole = bytes == itemsize(tensor.dtype());
  if (!element || tensor.numel().as_int() != 1 || bytes > kMaxBytes ||
      (!is_whole && data_.count(tensor.storage) == 0)) {
    data_.erase(tensor.storage);
    return;
  }
  std::vector<std::byte>& stored = data_[tensor.storage];
  stored.resize(static_cast<size_t>(bytes));
  const int64_t offset = byte_offset(tensor, 0);
  if (offset + itemsize(tensor.dtype()) <= bytes)
    store(tensor.dtype(), *element, stored.data() + offset);
}

namespace {

// Operators that read a number out of a tensor, or compare two tensors.
bool is_scalar_op(const OpEntry& op) {
  return op.name == "aten::_local_scalar_dense.default" || op.name == "aten::equal.default";
}

}  // namespace

std::optional<Value> RealTensors::scalar(const OpEntry& op, std::span<const Value> args) {
  if (!is_scalar_op(op) || !is_known(args[0].tensor())) return std::nullopt;
  const Tensor& self = args[0].tensor();
  if (op.name == "aten::_local_scalar_dense.default") {
    if (self.numel().as_int() != 1 || !has_elements(self.dtype())) return std::nullopt;
    return to_value(self.dtype(), element(self), context_.arena());
  }
  const Tensor& other = args[1].tensor();
  if (!is_known(other) || !has_elements(self.dtype()) || !has_elements(other.dtype()))
    return std::nullopt;
  if (self.sizes().size() != other.sizes().size()) return false;
  for (size_t d = 0; d < self.sizes().size(); ++d)
    if (!same_expr(self.sizes()[d], other.sizes()[d])) return false;
  for (int64_t i = 0; i < self.numel().as_int(); ++i) {
    const Element a = element(self, i);
    const Element b = element(other, i);
    if (a.integer != b.integer || !(a.re == b.re) || !(a.im == b.im)) return false;
  }
  return true;
}

bool RealTensors::knows(const OpEntry& op, std::span<const Value> args) {
  if (is_scalar_op(op)) return scalar(op, args).has_value();
  if ((op.tags & (kView | kRandom | kDynamicShape | kSizeIsData | kDataDependent)) != 0)
    return (op.tags & kView) != 0;
  const std::optional<std::vector<ElementOperand>> given = operands(op, args);
  if (!given) return false;
  const ElementCall call{op.base_name(), *given, op.schema.arguments, DType::kFloat32,
                         context_.default_dtype};
  // An error of the arithmetic is one of the call.
  try {
    return evaluate(call).has_value();
  } catch (const Error&) {
    return true;
  }
}

Value RealTensors::dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) {
  if (const std::optional<Value> value = scalar(op, args)) return *value;
  if (op.base_name() == "sub" || op.base_name() == "rsub") check_subtraction(args);
  if (op.written_arguments != 0 && args[0].is_tensor() && op.schema.arguments[0].is_written())
    check_overlap(args[0].tensor(), args);
  // Read before anything is written.
  const std::optional<std::vector<ElementOperand>> given = operands(op, args);
  const Value result = next(op, args);
  const bool is_data = (op.tags & (kRandom | kDynamicShape | kSizeIsData | kDataDependent)) == 0;
  const auto finish = [&](const Tensor& tensor, bool is_written) {
    if (!is_written && shares_storage(tensor, args)) return;  // a view
    std::optional<Element> element;
    if (given && is_data && is_static(tensor) && tensor.numel().as_int() == 1) {
      element = evaluate(
          {op.base_name(), *given, op.schema.arguments, tensor.dtype(), context_.default_dtype});
    }
    write(tensor, element);
  };
  for (size_t i = 0; i < args.size(); ++i)
    if (op.schema.arguments[i].is_written() && args[i].is_tensor()) finish(args[i].tensor(), true);
  if (result.is_tensor()) {
    finish(result.tensor(), false);
  } else if (result.is(Value::Tag::kList)) {
    // The parts of one result differ in their numbers: only views of known data stay known.
    for (const Value& part : result.values())
      if (part.is_tensor() && !shares_storage(part.tensor(), args))
        data_.erase(part.tensor().storage);
  }
  return result;
}

}  // namespace faketensor
