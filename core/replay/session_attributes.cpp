// Steps of a transcript that ask tensors and modes for what they are.
#include "core/formats/json_fields.h"
#include "core/io/session_json.h"
#include "core/profiles/op_profile.h"
#include "core/replay/session_runner.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

[[noreturn]] void no_attribute(std::string_view type, std::string_view name) {
  throw_error(ErrorKind::kAttributeError, format("'{}' object has no attribute '{}'", type, name));
}

// torch.FloatTensor, torch.cuda.HalfTensor
std::string legacy_type(const Tensor& tensor) {
  return format("torch.{}{}Tensor", tensor.device().is_cuda() ? "cuda." : "",
                info(tensor.dtype()).cpp_name);
}

Value int_value(SymInt value) { return value; }

// What is assigned to a bool property. The words are those of THPVariable_set_requires_grad,
// torch/csrc/autograd/python_variable.cpp.
bool truth(const Value& value, std::string_view name) {
  if (!value.is(Value::Tag::kBool))
    throw_error(ErrorKind::kRuntimeError, format("{} must be a bool", name));
  return value.to_bool();
}

// Mirrors torch.device of what is assigned to one.
Device device_of(const Value& value) {
  if (value.is(Value::Tag::kDevice)) return value.device();
  if (!value.is(Value::Tag::kString))
    throw_error(ErrorKind::kTypeError, format("not a device: {}", value));
  const std::optional<Device> device = parse_device(value.text());
  if (!device) parse_device_name(value.text());  // raises PyTorch's words
  if (!device) throw_error(ErrorKind::kUnreadable, format("not a device: {}", value));
  return *device;
}

}  // namespace

StepResult SessionRunner::method(const Json& step) {
  Tensor& tensor = tensor_named(member(step, "arg"));
  const std::string& name = text_member(step, "name");
  if (name == "item") return session_.call("aten::item", {&tensor});
  if (name == "tolist") return session_.tolist(tensor);
  if (name == "bool") {
    const Value result = session_.call("aten::is_nonzero", {&tensor});
    return Value(result.to_bool());
  }
  if (name == "int" || name == "__index__") {
    const PythonNumber number = to_number(session_.call("aten::item", {&tensor}));
    return Value(guard_int(apply(PythonUnary::kInt, number).as_int()));
  }
  if (name == "float") {
    const PythonNumber number = to_number(session_.call("aten::item", {&tensor}));
    return Value(guard_float(apply(PythonUnary::kFloat, number).as_float()));
  }
  if (name == "numpy") {
    if (session_.mode_of(tensor) != nullptr)
      throw_error(ErrorKind::kRuntimeError, ".numpy() is not supported for tensor subclasses.");
    throw_error(ErrorKind::kUnsupportedOperator, "numpy");
  }
  if (name == "size" || name == "sizes") return scratch_.context().make_ints(tensor.sizes());
  if (name == "stride") return scratch_.context().make_ints(tensor.strides());
  if (name == "storage_offset") return int_value(tensor.offset());
  if (name == "numel" || name == "nelement") return int_value(tensor.numel());
  if (name == "dim" || name == "ndimension") return Value(tensor.dim());
  if (name == "element_size") return Value(itemsize(tensor.dtype()));
  if (name == "is_contiguous") return Value(guard_bool(tensor.sym_is_contiguous()));
  if (name == "is_conj") return Value(tensor.is_conj());
  if (name == "is_neg") return Value(tensor.is_neg());
  if (name == "is_complex") return Value(is_complex(tensor.dtype()));
  if (name == "is_floating_point") return Value(is_floating(tensor.dtype()));
  if (name == "is_inference") return Value(session_.state(tensor).is_inference);
  if (name == "is_pinned" || name == "is_shared") return Value(false);
  if (name == "data_ptr") return Value(0);
  if (name == "type") return StepResult::string(legacy_type(tensor));
  if (name == "get_device")
    return Value(tensor.device().is_cpu() || tensor.device().is_meta() ? int64_t{-1}
                                                                       : tensor.device().index);
  if (name == "requires_grad_") {
    session_.set_requires_grad(tensor, true);
    return Value(&tensor);
  }
  if (name == "cuda" || name == "cpu") {
    const Device device = *parse_device(name);
    if (tensor.device() == device.normalized()) return Value(&tensor);
    return session_.call("aten::_to_copy", {&tensor, Value(), Value(), device});
  }
  static const std::map<std::string_view, DType> kCasts = {
      {"bfloat16", DType::kBFloat16}, {"double", DType::kFloat64}, {"half", DType::kFloat16},
      {"int32", DType::kInt32},       {"long", DType::kInt64},     {"short", DType::kInt16}};
  if (const auto cast = kCasts.find(name); cast != kCasts.end())
    return session_.call("aten::to.dtype", {&tensor, cast->second});
  // Methods that are operators of the tensor alone: clone, detach, t, contiguous, ...
  const OpId op = session_.find_operator("aten::" + name);
  if (op == kNoOp) no_attribute("FakeTensor", name);
  const Value args[] = {&tensor};
  return session_.call(op, args);
}

StepResult SessionRunner::get_of_mode(SessionMode& mode, std::string_view name) {
  if (name == "in_kernel_invocation") return Value(session_.in_kernel_invocation(mode));
  if (name == "allow_non_fake_inputs") return Value(mode.options().allow_non_fake_inputs);
  if (name == "allow_meta") return Value(mode.options().allow_meta);
  if (name == "export") return Value(mode.options().is_export);
  if (name == "static_shapes") return Value(mode.static_shapes());
  if (name == "allow_scalar_outputs") return Value(mode.context().allow_scalar_outputs);
  if (name == "epoch") return Value(mode.epoch());
  if (name == "shape_env" && mode.shape_env() == nullptr) return {};
  no_attribute("FakeTensorMode", name);
}

StepResult SessionRunner::get_of_tensor(Tensor& tensor, std::string_view name) {
  SessionMode* mode = session_.mode_of(tensor);
  const TensorState& state = session_.state(tensor);
  const bool seems_meta = mode != nullptr && session_.in_kernel_invocation(*mode);
  const Device device = seems_meta ? Device{DeviceType::kMeta, -1} : tensor.device();
  if (name == "device") return Value(device);
  if (name == "is_cpu") return Value(device.is_cpu());
  if (name == "is_cuda") return Value(device.is_cuda());
  if (name == "is_meta") return Value(device.is_meta());
  if (name == "dtype") return Value(tensor.dtype());
  if (name == "layout") return Value(tensor.layout());
  if (name == "shape") return scratch_.context().make_ints(tensor.sizes());
  if (name == "ndim") return Value(tensor.dim());
  if (name == "itemsize") return Value(itemsize(tensor.dtype()));
  if (name == "nbytes") {
    // Tensor.nbytes asks TensorImpl::numel, not sym_numel.
    if (tensor.meta->has_symbols())
      throw_error(ErrorKind::kRuntimeError,
                  "Cannot call numel() on tensor with symbolic sizes/strides");
    return int_value(tensor.numel() * itemsize(tensor.dtype()));
  }
  if (name == "is_sparse") return Value(tensor.layout() == Layout::kSparseCoo);
  if (name == "requires_grad") return Value(tensor.meta->has(kRequiresGrad));
  if (name == "is_leaf") return Value(session_.is_leaf(tensor));
  if (name == "grad") return Value(state.grad);
  if (name == "_base") return Value(tensor.base);
  if (name == "_version") {
    if (state.is_inference)
      throw_error(ErrorKind::kRuntimeError, "Inference tensors do not track version counter.");
    return Value(session_.version(tensor));
  }
  if (name == "grad_fn") {
    if (!tensor.meta->has(kRequiresGrad) || state.grad_fn.empty()) return {};
    return StepResult::string(state.grad_fn);
  }
  if (name.starts_with("grad.") && state.grad != nullptr)
    return get_of_tensor(*state.grad, name.substr(5));
  if (mode == nullptr) no_attribute("Tensor", name);
  if (name == "fake_device") return Value(tensor.device());
  if (name == "fake_mode") {
    const std::string known = name_of(mode);
    return known.empty() ? StepResult() : StepResult::string(known);
  }
  if (name == "constant") return Value(ConstantTracker::real_of(tensor));
  static const std::map<std::string_view, Memo> kMemos = {
      {"item_memo", Memo::kItem},
      {"nonzero_memo", Memo::kNonzero},
      {"unique_consecutive_memo", Memo::kUniqueConsecutive},
      {"unique_memo", Memo::kUnique}};
  if (const auto memo = kMemos.find(name); memo != kMemos.end())
    return mode->context().memos().find(tensor, memo->second);
  if (name == "real_tensor" || name == "pytype") return {};
  no_attribute("FakeTensor", name);
}

StepResult SessionRunner::get(const Json& step) {
  const std::string& name = text_member(step, "name");
  const Json& of = member(step, "arg");
  if (std::holds_alternative<SessionMode*>(named(of))) return get_of_mode(mode_named(of), name);
  return get_of_tensor(tensor_named(of), name);
}

StepResult SessionRunner::set(const Json& step) {
  const std::string& name = text_member(step, "name");
  const Json& of = member(step, "arg");
  const Value value = read(member(step, "value"));
  if (std::holds_alternative<SessionMode*>(named(of))) {
    // Without a ShapeEnv there is nothing that scalars could be.
    if (name == "allow_scalar_outputs")
      mode_named(of).context().allow_scalar_outputs = truth(value, name);
    return {};
  }
  Tensor& tensor = tensor_named(of);
  if (name == "device") throw_error(ErrorKind::kNotImplementedError, "");
  if (name == "requires_grad") {
    session_.set_requires_grad(tensor, truth(value, name));
  } else if (name == "fake_device") {
    SessionMode* mode = session_.mode_of(tensor);
    if (mode == nullptr) no_attribute("Tensor", name);
    MetaSpec spec = tensor.meta->spec();
    spec.device = device_of(value).normalized();
    tensor.meta = mode->context().metas().intern(spec);
  } else if (name == "grad") {
    if (!value.is_tensor() && !value.is_none())
      throw_error(ErrorKind::kTypeError,
                  format("assigned grad expected to be a Tensor or None but got grad of type {}",
                         python_type(value)));
    session_.set_grad(tensor, value.is_tensor() ? &value.tensor() : nullptr);
  } else {
    throw_error(ErrorKind::kUnsupportedOperator, format("set {}", name));
  }
  return {};
}

// What a name stands for, as it is now.
StepResult SessionRunner::value(const Json& step) { return value_named(member(step, "arg")); }

StepResult SessionRunner::is_same(const Json& step) {
  const Value a = value_named(element(member(step, "args"), 0, "args"));
  const Value b = value_named(element(member(step, "args"), 1, "args"));
  if (a.is_tensor() && b.is_tensor()) return Value(&a.tensor() == &b.tensor());
  if (a.is_none() || b.is_none()) return Value(a.is_none() && b.is_none());
  if (step["args"][0] == step["args"][1]) return Value(true);
  // Symbolic scalars are objects of their own; Python's small integers and booleans are one.
  if (a.tag() != b.tag()) return Value(false);
  if (a.is(Value::Tag::kInt))
    return Value(!a.as_sym_int().is_symbolic() && same_expr(a.as_sym_int(), b.as_sym_int()));
  return Value(a.is(Value::Tag::kBool) && !a.as_sym_bool().is_symbolic() &&
               same_expr(a.as_sym_bool(), b.as_sym_bool()));
}

StepResult SessionRunner::same_storage(const Json& step) {
  const Tensor& a = tensor_named(element(member(step, "args"), 0, "args"));
  const Tensor& b = tensor_named(element(member(step, "args"), 1, "args"));
  return Value(a.storage != nullptr && a.storage == b.storage);
}

StepResult SessionRunner::is_fake(const Json& step) {
  const Value value = value_named(member(step, "arg"));
  return Value(value.is_tensor() && session_.mode_of(value.tensor()) != nullptr);
}

StepResult SessionRunner::is_parameter(const Json& step) {
  const Value value = value_named(member(step, "arg"));
  return Value(value.is_tensor() && session_.state(value.tensor()).is_parameter);
}

StepResult SessionRunner::class_name(const Json& step) {
  const Json& of = member(step, "arg");
  if (std::holds_alternative<SessionMode*>(named(of))) return StepResult::string("FakeTensorMode");
  const Value value = value_named(of);
  if (value.is_tensor()) {
    const bool fake = session_.mode_of(value.tensor()) != nullptr;
    return StepResult::string(fake                                          ? "FakeTensor"
                              : session_.state(value.tensor()).is_parameter ? "Parameter"
                                                                            : "Tensor");
  }
  if (value.is_list()) return StepResult::string("tuple");
  if (value.is_none()) return StepResult::string("NoneType");
  constexpr std::string_view kPlain[] = {"int", "float", "bool"};
  constexpr std::string_view kSymbolic[] = {"SymInt", "SymFloat", "SymBool"};
  const PythonNumber number = to_number(value);
  const auto type = static_cast<size_t>(number.type());
  return StepResult::string(number.is_symbolic() ? kSymbolic[type] : kPlain[type]);
}

StepResult SessionRunner::repr(const Json& step) {
  const Value value = value_named(member(step, "arg"));
  if (value.is_tensor()) return StepResult::string(session_.repr(value.tensor()));
  return StepResult::string(format("{}", value));
}

}  // namespace faketensor
