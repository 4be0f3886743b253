#include "core/profiler/compile/frame_inputs.h"

#include <algorithm>
#include <cmath>

#include "core/support/format.h"
#include "core/symbolic/symbolic_geometry.h"

namespace faketensor {

std::string source_name(const std::string& input) {
  const size_t end = std::min(input.find_first_of("[."), input.size());
  return format("L['{}']{}", input.substr(0, end), input.substr(end));
}

std::string without_local_scope(std::string text) {
  for (size_t at = text.find("L['"); at != std::string::npos; at = text.find("L['", at)) {
    const size_t end = text.find("']", at);
    if (end == std::string::npos) break;
    text.erase(end, 2);
    text.erase(at, 3);
  }
  return text;
}

TracedInputs::TracedInputs(FakeTensorMode& mode, std::span<const FrameInput> inputs,
                           const AutomaticDynamic& seen, std::optional<bool> dynamic)
    : mode_(mode), seen_(seen), dynamic_(dynamic) {
  std::vector<size_t> order;
  for (size_t i = 0; i < inputs.size(); ++i) {
    values_.push_back(inputs[i].value);
    if (inputs[i].use != FrameInput::kUnused) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return inputs[a].use < inputs[b].use; });
  for (const size_t i : order) {
    path_ = {i};
    values_[i] = trace(inputs[i], inputs[i].name, inputs[i].value);
  }
}

void TracedInputs::guard(GuardedInput input) {
  guarded_.push_back(std::move(input));
  paths_.push_back(path_);
}

Value TracedInputs::trace(const FrameInput& input, const std::string& name, const Value& value) {
  if (value.is_tensor()) return trace_tensor(input, name, value.tensor());
  if (value.is(Value::Tag::kInt)) return trace_integer(name, value.to_int());
  if (value.is(Value::Tag::kFloat)) return trace_float(name, value.as_double());
  if (!value.is_list()) return value;
  std::vector<Value> elements;
  for (size_t i = 0; i < value.size(); ++i) {
    path_.push_back(i);
    elements.push_back(trace(input, format("{}[{}]", name, i), value[i]));
    path_.pop_back();
  }
  return mode_.context().make_list(elements);
}

// Mirrors _automatic_dynamic (torch/_dynamo/variables/builder.py).
SymbolicContext TracedInputs::context_of(const FrameInput& input, const std::string& name,
                                         const Tensor& tensor) const {
  const auto is_marked = [](const std::vector<size_t>& dims, size_t dim) {
    return std::find(dims.begin(), dims.end(), dim) != dims.end();
  };
  const auto rank = static_cast<size_t>(tensor.dim());
  SymbolicContext context(std::vector<DimDynamic>(rank, DimDynamic::kStatic));
  if (input.is_parameter) return context;
  DimConstraint expected = DimConstraint::unspecified();
  expected.warn_only = true;
  for (size_t dim = 0; dim < rank; ++dim) {
    const bool is_static = is_marked(input.static_dims, dim);
    const bool changes = dynamic_ != false && !is_static && seen_.is_size_dynamic(name, dim);
    if (is_marked(input.dynamic_dims, dim)) {
      context.dynamic_sizes[dim] = DimDynamic::kDynamic;
      context.constraint_sizes[dim] = DimConstraint::unspecified();
    } else if (changes) {
      context.dynamic_sizes[dim] = DimDynamic::kDynamic;
      context.constraint_sizes[dim] = expected;
    } else if (dynamic_ == true && !is_static) {
      context.dynamic_sizes[dim] = DimDynamic::kDuck;
    }
    if (dynamic_ != false && !is_static && seen_.is_stride_dynamic(name, dim)) {
      context.dynamic_strides[dim] = DimDynamic::kDynamic;
      context.constraint_strides[dim] = expected;
    }
  }
  return context;
}

Value TracedInputs::trace_tensor(const FrameInput& input, const std::string& name,
                                 const Tensor& tensor) {
  for (const auto& [given, traced] : tensors_) {
    if (given == &tensor) return Value(traced);
  }
  const TensorMeta& meta = *tensor.meta;
  const Source source = Source::constant(source_name(name));
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  for (const SymInt size : meta.sizes()) sizes.push_back(hint(size).value_or(0));
  for (const SymInt stride : meta.strides()) strides.push_back(hint(stride).value_or(0));
  contexts_.push_back(std::make_unique<SymbolicContext>(context_of(input, name, tensor)));
  const SymbolicGeometry geometry =
      create_symbolic_geometry(*mode_.context().shape_env(), sizes, strides,
                               hint(meta.offset()).value_or(0), source, *contexts_.back());
  GuardedInput guarded{.source = source, .sizes = geometry.sizes};
  if (meta.layout() == Layout::kStrided) {
    guarded.strides = geometry.strides;
    guarded.offset = geometry.offset;
  }
  guarded.context = contexts_.back().get();
  guard(std::move(guarded));

  MetaSpec spec = meta.spec();
  spec.sizes = geometry.sizes;
  spec.strides = geometry.strides;
  spec.offset = geometry.offset;
  Storage* storage = nullptr;
  for (const auto& [given, traced] : storages_) {
    if (given == tensor.storage) storage = traced;
  }
  Context& context = mode_.context();
  Tensor* const traced = context.make_tensor(context.metas().intern(spec), storage);
  traced->is_wrapped_number = tensor.is_wrapped_number;
  if (storage == nullptr) storages_.emplace_back(tensor.storage, traced->storage);
  tensors_.emplace_back(&tensor, traced);
  return Value(traced);
}

Value TracedInputs::trace_integer(const std::string& name, int64_t value) {
  const bool is_dynamic = dynamic_ == true || (dynamic_ != false && seen_.is_number_dynamic(name));
  if (!is_dynamic) return Value(value);
  const Source source = Source::constant(source_name(name));
  const SymInt symbol =
      mode_.context().shape_env()->create_unspecified_symbol(value, source, DimDynamic::kDynamic);
  GuardedInput guarded{.source = source};
  guarded.number = symbol.is_symbolic() ? symbol.node() : nullptr;
  if (guarded.number != nullptr) guard(std::move(guarded));
  return Value(symbol);
}

// A float that is dynamic is given as a tensor of one number, of which nothing is decided.
Value TracedInputs::trace_float(const std::string& name, double value) {
  const bool is_dynamic = dynamic_ == true || (dynamic_ != false && seen_.is_number_dynamic(name));
  if (!is_dynamic || !std::isfinite(value)) return Value(value);
  return Value(mode_.context().wrap_number(Value(value)));
}

}  // namespace faketensor
