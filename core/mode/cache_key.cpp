#include "core/mode/cache_key.h"

#include <algorithm>
#include <cmath>

#include "core/mode/constants.h"
#include "core/ops/constant.h"
#include "core/ops/dispatch_cache.h"
#include "core/ops/steps/steps.h"
#include "core/ops/zero_tensor.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

bool has_symbol(Dims dims) {
  return std::any_of(dims.begin(), dims.end(), [](SymInt dim) { return dim.is_symbolic(); });
}

}  // namespace

bool has_symbol(const Tensor& tensor) {
  return has_symbol(tensor.sizes()) || has_symbol(tensor.strides()) ||
         tensor.offset().is_symbolic();
}

bool has_symbol(const Value& value) {
  if (value.is_tensor() && value.tensor().is_wrapped_number)
    return has_symbol(value.tensor().constant->number());
  if (value.is_tensor()) return has_symbol(value.tensor());
  if (value.is(Value::Tag::kInt)) return value.as_sym_int().is_symbolic();
  if (value.is(Value::Tag::kIntList)) return has_symbol(value.ints());
  if (!value.is(Value::Tag::kList)) return false;
  return std::any_of(value.values().begin(), value.values().end(),
                     [](const Value& element) { return has_symbol(element); });
}

bool has_free_symbol(const Tensor& tensor) {
  const auto is_free = [](SymInt dim) {
    return dim.is_symbolic() && !shape_env_of(dim.node()).replace(dim.node())->is_constant();
  };
  return std::any_of(tensor.sizes().begin(), tensor.sizes().end(), is_free) ||
         std::any_of(tensor.strides().begin(), tensor.strides().end(), is_free);
}

// A symbolic size is keyed by its expression as it was made: PyTorch compares what a SymNode was
// given, not what later guards made of it (_DeconstructedSymNode._value_eq).
std::string dim_key(SymInt dim) {
  return dim.is_symbolic() ? format("#{}", dim.node()->id) : format("{}", dim.as_int());
}

std::string dims_key(Dims dims) {
  std::string key = "[";
  for (const SymInt dim : dims) key += dim_key(dim) + ",";
  return key + "]";
}

namespace {

// TensorMetadata, as far as it is not a function of the rest.
std::string tensor_key(const Tensor& tensor, bool is_inference) {
  const TensorMeta& meta = *tensor.meta;
  std::string key = format("<{} {} {} {} {} {} {}", meta.dtype(), dims_key(meta.sizes()),
                           dims_key(meta.strides()), meta.device(), meta.layout(),
                           dim_key(meta.offset()), static_cast<int>(meta.flags() & kGivenFlags));
  if (tensor.storage != nullptr) key += " " + dim_key(tensor.storage->nbytes);
  if (is_inference) key += " inference";
  return key + ">";
}

// Python compares numbers with ==: 0.0 is -0.0, and nan is nothing but itself.
void append_float_key(std::string& key, double number, const CacheSurroundings& surroundings) {
  if (std::isnan(number)) {
    key += format("nan {}", surroundings.context.tensor_count());
  } else {
    append_text(key, number + 0.0);
  }
}

void append_key(std::string& key, const Value& value, const CacheSurroundings& surroundings) {
  if (value.is_tensor() && value.tensor().is_wrapped_number) {
    append_key(key, value.tensor().constant->number(), surroundings);
    return;
  }
  if (value.is(Value::Tag::kFloat)) {
    append_float_key(key, value.as_double(), surroundings);
  } else if (value.is_tensor()) {
    key += tensor_key(value.tensor(), surroundings.is_inference(value.tensor()));
  } else if (value.is(Value::Tag::kList)) {
    key += '[';
    for (const Value& element : value.values()) append_key(key, element, surroundings);
    key += ']';
  } else if (value.is(Value::Tag::kIntList)) {
    key += dims_key(value.ints());
  } else if (value.is(Value::Tag::kInt)) {
    key += dim_key(value.as_sym_int());
  } else {
    // 1 and 1.0 are two keys: the text tells them apart.
    append_text(key, value);
  }
  key += ';';
}

}  // namespace

std::string argument_keys(std::span<const Value> args, const CacheSurroundings& surroundings) {
  std::string keys;
  for (const Value& arg : args) append_key(keys, arg, surroundings);
  return keys;
}

// Why no key can be made of an argument: _prep_args_for_hash.
std::string argument_bypass(const Value& value, const CacheSurroundings& surroundings) {
  if (value.is(Value::Tag::kSymFloat) ||
      (value.is(Value::Tag::kBool) && value.as_sym_bool().is_symbolic()))
    return "symbolic shape";
  if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) {
      std::string reason = argument_bypass(element, surroundings);
      if (!reason.empty()) return reason;
    }
    return {};
  }
  if (!value.is_tensor()) return {};
  const Tensor& tensor = value.tensor();
  if (tensor.is_wrapped_number) return argument_bypass(tensor.constant->number(), surroundings);
  if (!surroundings.context.owns(tensor))
    return surroundings.is_fake(tensor) ? "not our fake" : "non-fake tensor";
  if (ConstantTracker::real_of(tensor) != nullptr) return "constant attribute";
  if (tensor.layout() != Layout::kStrided) return format("{} tensor", tensor.layout());
  return {};
}

// Why a call is not cached although it has a key: _validate_cache_key.
std::string operator_bypass(const OpEntry& op, std::span<const Value> args) {
  switch (op.facts.cache_bypass) {
    case CacheBypass::kNone:
      return {};
    case CacheBypass::kDataDependent:
      return "data dependent output";
    case CacheBypass::kDynamicShape:
      return "dynamic output shape";
    case CacheBypass::kDynamicShapeByMask:
      return has_mask_index(args) ? "dynamic output shape" : "";
    case CacheBypass::kInplaceView:
      return "inplace view";
    case CacheBypass::kUnsafeView:
      return "unsafe view";
    case CacheBypass::kLift:
      return "lift";
    case CacheBypass::kNonBuiltin:
      return "non-builtin";
    case CacheBypass::kCompositeView:
      return "CompositeImplicitAutograd";
  }
  return {};
}

void add_symbols(const Value& value, bool with_replaced, std::vector<const ExprNode*>& symbols) {
  const auto add = [&](SymInt dim) {
    if (!dim.is_symbolic()) return;
    ShapeEnv& env = shape_env_of(dim.node());
    for (const ExprNode* symbol : free_symbols(env.replace(dim.node()))) symbols.push_back(symbol);
    if (!with_replaced) return;
    for (const ExprNode* symbol : free_symbols(dim.node())) symbols.push_back(symbol);
  };
  if (value.is_tensor()) {
    for (const SymInt size : value.tensor().sizes()) add(size);
    for (const SymInt stride : value.tensor().strides()) add(stride);
    add(value.tensor().offset());
  } else if (value.is(Value::Tag::kInt)) {
    add(value.as_sym_int());
  } else if (value.is(Value::Tag::kIntList)) {
    for (const SymInt dim : value.ints()) add(dim);
  } else if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) add_symbols(element, with_replaced, symbols);
  }
}

namespace {

// Whether operators with a list of results return it as a Python list, which is not cached, or a
// tuple: that of a decomposition is a tuple.
bool returns_python_list(const OpEntry& op, bool is_symbolic) {
  if (op.schema.returns.size() != 1 || !op.schema.returns[0].type.is_list) return false;
  if (!is_symbolic) return !op.facts.has(kReturnsTuple);
  const Steps* steps = steps_of(op.id);
  return steps != nullptr && steps->returns_list;
}

// Why a tensor among the results is not kept.
std::string tensor_bypass(const OpEntry& op, std::span<const Value> args, const Tensor& tensor) {
  if (ConstantTracker::real_of(tensor) != nullptr) return "constant attribute";
  if (is_zero_tensor(tensor)) return "dispatch_key_set mismatch";
  if (tensor.layout() == Layout::kSparseCoo) return "sparse output";
  if (tensor.layout() != Layout::kStrided) return "sparse compressed output";
  for (size_t i = 0; i < args.size(); ++i)
    if (op.schema.arguments[i].is_keyword_only && args[i].is_tensor() &&
        &args[i].tensor() == &tensor)
      return "kwarg aliases output";
  return {};
}

}  // namespace

// _validate_output_for_cache_entry
std::string result_bypass(const OpEntry& op, std::span<const Value> args,
                          const std::vector<const ExprNode*>& known, const Value& result,
                          bool is_symbolic) {
  if (result.is_none() || result.is(Value::Tag::kInt) || result.is(Value::Tag::kBool)) return {};
  std::vector<const ExprNode*> found;
  add_symbols(result, false, found);
  for (const ExprNode* symbol : found)
    if (std::find(known.begin(), known.end(), symbol) == known.end())
      return "unrepresented symbol in output";
  if (returns_python_list(op, is_symbolic)) return "non-FakeTensor output";
  if (result.is_list()) {
    std::string bypass;
    for (size_t i = 0; i < result.size() && bypass.empty(); ++i) {
      if (result[i].is_tensor()) bypass = tensor_bypass(op, args, result[i].tensor());
    }
    return bypass;
  }
  return result.is_tensor() ? tensor_bypass(op, args, result.tensor()) : "non-FakeTensor output";
}

}  // namespace faketensor
