// The tensors of a session: real ones and their conversion to fakes, copies, what Python asks of
// them.
#include <array>

#include "core/mode/session.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {
// Of a real tensor: no size, stride or offset is a symbol.
void check_geometry(Dims sizes, Dims strides, int64_t offset) {
  for (const SymInt size : sizes) {
    if (size.as_int() < 0)
      throw_error(ErrorKind::kRuntimeError,
                  format("Trying to create tensor with negative dimension {}: {}", size, sizes));
  }
  if (sizes.size() != strides.size())
    throw_error(ErrorKind::kRuntimeError,
                format("dimensionality of sizes ({}) must match dimensionality of strides ({})",
                       sizes.size(), strides.size()));
  for (const SymInt stride : strides) {
    if (stride.as_int() < 0)
      throw_error(ErrorKind::kRuntimeError,
                  format("Storage size calculation overflowed with sizes={} and strides={}", sizes,
                         strides));
  }
  if (offset < 0)
    throw_error(ErrorKind::kRuntimeError, format("Tensor: invalid storage offset {}", offset));
}
}  // namespace

Tensor* Session::empty_strided(const MetaSpec& spec) {
  check_geometry(spec.sizes, spec.strides, spec.offset.as_int());
  MetaSpec placed = spec;
  placed.device = spec.device.normalized();
  // The storage holds what lies before the offset, even where there are no elements.
  const SymInt before = spec.offset * itemsize(spec.dtype);
  const SymInt needed = storage_bytes(spec.sizes, spec.strides, spec.offset, spec.dtype);
  return make_real(placed, std::max(before.as_int(), needed.as_int()));
}

Tensor* Session::real_from_elements(Dims sizes, DType dtype, std::span<const Element> data) {
  Tensor* tensor = real_.from_elements(sizes, dtype, data);
  state(*tensor).is_inference = is_inside(SessionScope::kInference);
  return tensor;
}

Tensor* Session::make_real(const MetaSpec& spec, SymInt storage_bytes) {
  Tensor* tensor = real_.zeros(spec, storage_bytes);
  state(*tensor).is_inference = is_inside(SessionScope::kInference);
  return tensor;
}

Tensor* Session::tensor(Dims sizes, DType dtype, std::span<const Element> data,
                        std::optional<Device> device) {
  for (size_t i = entered_.size(); !device && i-- > 0;)
    if (entered_[i].scope == SessionScope::kDefaultDevice) device = entered_[i].device;
  // internal_new_from_data, torch/csrc/utils/tensor_new.cpp: such a tensor is made below all modes.
  if (device && device->is_meta())
    return make_real({.sizes = sizes, .dtype = dtype, .device = *device},
                     storage_bytes(sizes, contiguous_strides(sizes), 0, dtype));
  Tensor* made = real_from_elements(sizes, dtype, data);
  if (current_mode() != nullptr) made = &call("aten::lift_fresh", {made}).tensor();
  if (!device || device->is_cpu()) return made;
  // Note [torch.tensor, lift_fresh, and device movement], torch/csrc/utils/tensor_new.cpp: data is
  // lifted on the CPU and moved then.
  return &call("aten::_to_copy", {made, Value(), Value(), *device}).tensor();
}

uint64_t Session::context_number(const Tensor& tensor) {
  for (size_t i = 0; i < modes_.size(); ++i)
    if (modes_[i].context().owns(tensor)) return i + 1;
  return 0;
}

namespace {
// Bases and gradients of one another.
void check_depth(int depth) {
  constexpr int kMaxDepth = 16;
  if (depth > kMaxDepth)
    throw_error(ErrorKind::kLimitExceeded,
                format("gradients of gradients more than {} deep", kMaxDepth));
}

void check_grad(const Tensor& tensor, const Tensor& grad) {
  if (grad.dtype() != tensor.dtype())
    throw_error(
        ErrorKind::kRuntimeError,
        format("attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. "
               "The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). "
               "You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
               "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and "
               "its gradient may break downstream systems that assume they match.",
               cpp_type_name(grad.dtype()), info(tensor.dtype()).cpp_name));
  if (grad.device().type != tensor.device().type)
    throw_error(ErrorKind::kRuntimeError,
                format("attempting to assign a gradient with device type '{}' to a tensor with "
                       "device type '{}'. Please ensure that the gradient and the tensor are on "
                       "the same device",
                       name(grad.device().type), name(tensor.device().type)));
  if (!guard_equal(grad.sizes(), tensor.sizes()))
    throw_error(ErrorKind::kRuntimeError,
                format("attempting to assign a gradient of size '{}' to a tensor of size '{}'. "
                       "Please ensure that the gradient and the tensor are the same size",
                       grad.sizes(), tensor.sizes()));
}
}  // namespace

// Tensors of all contexts get numbers of their own.
TensorDescription Session::describe_here(const Tensor& tensor, int depth) {
  check_depth(depth);
  const uint64_t first = context_number(tensor) << 40;
  TensorDescription description = describe(tensor);
  description.id = first | tensor.id;
  if (tensor.storage != nullptr) description.storage.id = first | tensor.storage->id;
  if (tensor.base != nullptr)
    description.base = std::make_shared<TensorDescription>(describe_here(*tensor.base, depth + 1));
  if (Tensor* grad = state(tensor).grad)
    description.grad = std::make_shared<TensorDescription>(describe_here(*grad, depth + 1));
  const SessionMode* mode = mode_of(tensor);
  description.is_fake = mode != nullptr;
  if (mode != nullptr) description.fake_shape_env = mode->shape_env().get();
  if (mode == nullptr && tensor.dim() == 0 && real_.is_known(tensor) &&
      has_elements(tensor.dtype()) && !is_complex(tensor.dtype())) {
    const Element element = real_.element(tensor);
    description.item =
        element.is_int() ? Number::of(element.integer) : Number::of_float(element.re);
  }
  return description;
}

// Mirrors check_legacy_grad_assignment and THPVariable_set_grad,
// torch/csrc/autograd/python_variable.cpp. PyTorch lets gradients form a cycle, on which the
// converter then recurses until Python gives up.
void Session::set_grad(Tensor& tensor, Tensor* grad) {
  if (grad == &tensor)
    throw_error(ErrorKind::kRuntimeError, "can't assign Variable as its own grad");
  if (grad != nullptr) check_grad(tensor, *grad);
  Tensor* const before = std::exchange(state(tensor).grad, grad);
  try {
    describe_here(tensor);
  } catch (...) {
    state(tensor).grad = before;
    throw;
  }
}

// What the conversion keeps besides the metadata: who is a parameter, a leaf, has a gradient.
void Session::mark_converted(const Tensor& source, Tensor& fake, SessionMode& mode) {
  const TensorState from = state(source);
  TensorState& to = state(fake);
  to.is_parameter = from.is_parameter;
  to.is_inference = from.is_inference;
  if (!from.grad_fn.empty()) {
    // A view is made again by as_strided; a node that cannot run stands for other history.
    to.grad_fn = source.base != nullptr ? "AsStridedBackward0" : "ErrorBackward";
  }
  if (source.base != nullptr) {
    if (Tensor* base = mode.converter().memo(describe_here(*source.base).id))
      mark_converted(*source.base, *base, mode);
  }
  if (from.grad != nullptr) to.grad = mode.converter().memo(describe_here(*from.grad).id);
}

Tensor* Session::from_tensor(SessionMode& mode, Tensor& tensor, const ConversionOptions& options) {
  const TensorDescription description = describe_here(tensor);
  if (Tensor* known = mode.converter().memo(description.id)) return known;
  const TensorDescription& first = description.base != nullptr ? *description.base : description;
  const bool is_known = mode.converter().memo(first.id) != nullptr;
  Tensor* fake = mode.converter().from_tensor(description, options);
  Tensor& root = fake->base != nullptr ? *fake->base : *fake;
  if (!is_known && mode.converter().is_placed(root)) ++state(root).placements;
  mark_converted(tensor, *fake, mode);
  return fake;
}

Tensor* Session::from_description(SessionMode& mode, const TensorDescription& tensor,
                                  const TensorState& known, const ConversionOptions& options) {
  if (Tensor* fake = mode.converter().memo(tensor.id)) return fake;
  Tensor* fake = mode.converter().from_tensor(tensor, options);
  TensorState& to = state(*fake);
  to.is_parameter = known.is_parameter;
  to.is_inference = known.is_inference;
  to.grad_fn = known.grad_fn;
  if (tensor.grad != nullptr) to.grad = mode.converter().memo(tensor.grad->id);
  return fake;
}

Tensor* Session::from_meta_and_device(SessionMode& mode, Tensor& meta, Device device) {
  if (!meta.device().is_meta())
    throw_error(ErrorKind::kAssertionError,
                format("tensor's device must be `meta`, got {} instead", name(meta.device().type)));
  Tensor*& known = faked_meta_[&meta];
  if (known == nullptr) known = construct(mode, meta, device);
  return known;
}

Tensor* Session::construct(SessionMode& mode, Tensor& meta, Device device) {
  if (!meta.device().is_meta())
    throw_error(ErrorKind::kAssertionError,
                format("elem.device.type must be 'meta', got {}", name(meta.device().type)));
  if (device.is_meta() && !mode.options().allow_meta)
    throw_error(ErrorKind::kAssertionError,
                "device.type must not be 'meta' when allow_meta is False");
  MetaSpec spec = meta.meta->spec();
  spec.device = device.normalized();
  Context& context = mode.context();
  return context.make_tensor(context.metas().intern(spec), meta.storage);
}

Tensor* Session::deepcopy(Tensor& tensor) {
  const SessionMode* mode = mode_of(tensor);
  // Inside a mode the copied storage is a fake's, on the meta device, and a real tensor cannot
  // stand on it.
  if (current_mode() != nullptr && (mode == nullptr || ConstantTracker::real_of(tensor) != nullptr))
    throw_error(ErrorKind::kRuntimeError,
                "Attempted to set the storage of a tensor on device \"meta\" to a storage on "
                "different device \"cpu\".  This is no longer allowed; the devices must match.");
  if (!is_leaf(tensor))
    throw_error(
        ErrorKind::kRuntimeError,
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
        "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
        "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001");
  // Of a subclass Tensor.__deepcopy__ asks data_ptr(), which counts the elements.
  if (mode != nullptr && tensor.meta->has_symbols())
    throw_error(ErrorKind::kRuntimeError,
                "Cannot call numel() on tensor with symbolic sizes/strides");
  if (mode == nullptr)
    return make_real(tensor.meta->spec(),
                     tensor.storage != nullptr ? tensor.storage->nbytes : SymInt(0));
  // The mode is copied with the tensor.
  SessionMode& copy = add_mode(mode->options(), mode->shape_env());
  Context& context = copy.context();
  Storage* storage = tensor.storage == nullptr
                         ? nullptr
                         : context.make_storage(tensor.device(), tensor.storage->nbytes);
  Tensor* copied = context.make_tensor(context.metas().intern(tensor.meta->spec()), storage);
  state(*copied).is_parameter = state(tensor).is_parameter;
  return copied;
}

// Mirrors FakeCopyMode, torch/_subclasses/fake_tensor.py: a parameter is copied by its clone
// (Parameter.__deepcopy__), any other tensor by from_tensor.
std::vector<Tensor*> Session::fake_copy(SessionMode& mode, std::span<Tensor* const> tensors) {
  ConversionOptions options;
  options.static_shapes = true;
  std::unordered_map<const Tensor*, Tensor*> copies;
  std::vector<Tensor*> result;
  for (Tensor* tensor : tensors) {
    Tensor*& copy = copies[tensor];
    if (copy == nullptr) {
      copy = from_tensor(mode, *tensor, options);
      if (state(*tensor).is_parameter) {
        const bool requires_grad = tensor->meta->has(kRequiresGrad);
        Tensor& data = mode.mode().call("aten::detach", std::array<Value, 1>{*copy}).value.tensor();
        copy = &mode.mode().call("aten::clone", std::array<Value, 1>{data}).value.tensor();
        state(*copy).is_parameter = true;
        if (requires_grad) set_requires_grad(*copy, true);
      }
    }
    result.push_back(copy);
  }
  return result;
}

Tensor* Session::load(const TensorMeta& saved, SymInt storage_bytes) {
  SessionMode* mode = current_mode();
  Context& context = mode != nullptr ? mode->context() : real_.context();
  return context.make_tensor(context.metas().intern(saved.spec()),
                             context.make_storage(saved.device(), storage_bytes));
}

int64_t Session::version(const Tensor& tensor) {
  const Tensor& base = tensor.base != nullptr ? *tensor.base : tensor;
  return (tensor.storage == nullptr ? 0 : tensor.storage->version) + state(base).placements;
}

bool Session::is_leaf(const Tensor& tensor) {
  return !tensor.meta->has(kRequiresGrad) || state(tensor).grad_fn.empty();
}

void Session::set_requires_grad(Tensor& tensor, bool value) {
  if (value && state(tensor).is_inference && !is_inside(SessionScope::kInference))
    throw_error(ErrorKind::kRuntimeError,
                "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                "allowed.");
  if (!value && !is_leaf(tensor))
    throw_error(
        ErrorKind::kRuntimeError,
        "you can only change requires_grad flags of leaf variables. If you want to use a "
        "computed variable in a subgraph that doesn't require differentiation use var_no_grad "
        "= var.detach().");
  if (value && !is_float_or_complex(tensor.dtype()))
    throw_error(ErrorKind::kRuntimeError,
                "only Tensors of floating point dtype can require gradients");
  set_flag(tensor, kRequiresGrad, value);
}

void Session::backward(Tensor& result) {
  if (!result.meta->has(kRequiresGrad))
    throw_error(ErrorKind::kRuntimeError,
                "element 0 of tensors does not require grad and does not have a grad_fn");
  if (guard_bool(result.numel() != 1))
    throw_error(ErrorKind::kRuntimeError, "grad can be implicitly created only for scalar outputs");
  std::vector<Tensor*> waiting = {&result};
  std::vector<const Tensor*> seen;
  while (!waiting.empty()) {
    Tensor* tensor = waiting.back();
    waiting.pop_back();
    if (!tensor->meta->has(kRequiresGrad) ||
        std::find(seen.begin(), seen.end(), tensor) != seen.end())
      continue;
    seen.push_back(tensor);
    TensorState& node = state(*tensor);
    waiting.insert(waiting.end(), node.inputs.begin(), node.inputs.end());
    if (!node.grad_fn.empty() || node.grad != nullptr) continue;
    // The gradient of a dense leaf is laid out as the leaf, of others contiguously
    // (AccumulateGrad's layout contract).
    SessionMode* mode = mode_of(*tensor);
    Context& context = mode != nullptr ? mode->context() : real_.context();
    node.grad = context.empty(tensor->sizes(), tensor->dtype(), tensor->device(),
                              tensor->is_non_overlapping_and_dense() ? tensor->strides() : Dims());
  }
}

std::string Session::repr(const Tensor& tensor) {
  const TensorState& known = state(tensor);
  return tensor_text(tensor,
                     {.is_parameter = known.is_parameter,
                      .grad_fn = tensor.meta->has(kRequiresGrad) ? std::string_view(known.grad_fn)
                                                                 : std::string_view(),
                      .default_dtype = default_dtype()});
}

Value Session::tolist(Tensor& tensor) {
  if (tensor.dim() == 0) return call("aten::item", {&tensor});
  const Value parts = call("aten::unbind.int", {&tensor, 0});
  std::vector<Value> values;
  for (size_t i = 0; i < parts.size(); ++i) values.push_back(tolist(parts[i].tensor()));
  return real_.context().make_list(values);
}

}  // namespace faketensor
