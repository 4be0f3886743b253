#include "core/ops/autograd.h"

#include <algorithm>
#include <bit>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/cpp_type_name.h"

namespace faketensor {

namespace {

bool requires_grad(const Value& value) {
  return value.is_tensor() && value.tensor().meta->has(kRequiresGrad);
}
bool any_requires_grad(const Value& value) {
  if (!value.is(Value::Tag::kList)) return requires_grad(value);
  return std::any_of(value.values().begin(), value.values().end(), requires_grad);
}
bool any_requires_grad(std::span<const Value> args) {
  return std::any_of(args.begin(), args.end(),
                     [](const Value& value) { return any_requires_grad(value); });
}

// Every result of a gradient has a derivative. Of other operators only the first is certain to have
// one: those that follow are declared to have none (indices, saved statistics).
std::span<const Value> differentiable(const Value& result, bool is_gradient) {
  if (!result.is(Value::Tag::kList)) return {&result, 1};
  return result.values().first(is_gradient ? result.size() : std::min<size_t>(result.size(), 1));
}

// The results on which a history is set, which autograd refuses for integer ones.
std::span<const Value> recorded_results(const OpEntry& op, const Value& result) {
  if (!result.is(Value::Tag::kList)) return {&result, 1};
  const auto count = static_cast<size_t>(std::popcount(op.facts.differentiable_results));
  return result.values().first(std::min(result.size(), count));
}

bool is_differentiable_result(const OpEntry& op, size_t i) {
  return i >= 32 || (op.facts.differentiable_results >> i & 1) != 0;
}

// The first tensor of these that has this property.
template <typename Property>
const Tensor* first_result(std::span<const Value> results, Property has_property) {
  for (const Value& result : results) {
    if (result.is_tensor() && has_property(result.tensor())) return &result.tensor();
  }
  return nullptr;
}

// They are read where any argument requires grad.
void read_saved_sizes(const OpEntry& op, std::span<const Value> args) {
  const SavedSizes* saved = op.facts.saved_sizes;
  if (saved == nullptr || !any_requires_grad(args)) return;
  for (size_t i = 0; i < saved->count; ++i) args[0].tensor().size(saved->dims[i]);
}

}  // namespace

void check_differentiable(const OpEntry& op, std::span<const Value> args) {
  read_saved_sizes(op, args);
  for (uint64_t rest = op.facts.without_formula; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(rest));
    if (!any_requires_grad(args[i])) continue;
    throw_error(ErrorKind::kRuntimeError,
                format("The function '{}' is not differentiable with respect to argument '{}'. "
                       "This input cannot have requires_grad True.",
                       op.packet(), op.schema.arguments[i].name));
  }
}

namespace {
// Whether a differentiable argument or output requires grad. The noise of rrelu_with_noise is
// written to, and not asked.
bool refuses_grad(const OpEntry& op, std::span<const Value> args) {
  const size_t inputs = args.size() - op.output_count;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_asked = i < inputs ? op.schema.arguments[i].name != "noise"
                                     : is_differentiable_result(op, i - inputs);
    if (is_asked && any_requires_grad(args[i])) return true;
  }
  return false;
}
}  // namespace

void check_out_grad(const OpEntry& op, std::span<const Value> args) {
  if (op.out->grad == OutGrad::kNoGrad) return;
  const bool formula = op.out->grad == OutGrad::kFormula;
  if (!(formula ? refuses_grad(op, args) : any_requires_grad(args.last(op.output_count)))) return;
  const std::string_view name = formula ? op.packet() : op.schema.name;
  throw_error(ErrorKind::kRuntimeError,
              format("{}(): functions with out=... arguments don't support automatic "
                     "differentiation, but one of the arguments requires grad.",
                     name));
}

void check_differentiable_results(const OpEntry& op, std::span<const Value> args,
                                  const Value& result) {
  const bool is_gradient = op.facts.has(kGradient);
  const std::span<const Value> results = differentiable(result, is_gradient);
  const auto is_not_real = [](const Tensor& tensor) { return !is_floating(tensor.dtype()); };
  const bool sets_history = op.facts.has(kIntegerResults);
  const std::span<const Value> recorded = sets_history ? recorded_results(op, result) : results;
  if (first_result(recorded, is_not_real) == nullptr || !any_requires_grad(args)) return;
  const bool is_real_formula = (op.tags & kRealDerivative) != 0;
  if (!is_real_formula && !sets_history) return;
  const auto is_integer = [](const Tensor& tensor) { return is_integral_or_bool(tensor.dtype()); };
  const Tensor* integer = first_result(recorded, is_integer);
  if (integer != nullptr && (is_gradient || sets_history)) {
    throw_error(ErrorKind::kRuntimeError,
                format("Autograd not support dtype: {}", info(integer->dtype()).cpp_name));
  }
  if (!is_real_formula) return;
  const auto is_of_complex = [](const Tensor& tensor) { return is_complex(tensor.dtype()); };
  if (first_result(results, is_of_complex) == nullptr) return;
  throw_error(ErrorKind::kRuntimeError,
              format("{} does not support automatic differentiation for outputs with complex "
                     "dtype.",
                     op.base_name()));
}

namespace {
void set_requires_grad(Context& context, const Value& value, bool required) {
  if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) set_requires_grad(context, element, required);
    return;
  }
  if (!value.is_tensor()) return;
  Tensor& tensor = value.tensor();
  const bool can_require = is_floating(tensor.dtype()) || is_complex(tensor.dtype());
  if (!can_require || tensor.meta->has(kRequiresGrad) == required) return;
  MetaSpec spec = tensor.meta->spec();
  spec.flags ^= kRequiresGrad;
  tensor.meta = context.metas().intern(spec);
}
}  // namespace

void record_history(Context& context, const OpEntry& op, std::span<const Value> args,
                    const Value& result) {
  if (!any_requires_grad(args)) return;
  if (op.out != nullptr && op.out->grad == OutGrad::kNoGrad) return;
  if ((op.tags & kNoDerivative) != 0) return;
  const bool required = (op.tags & kDetaches) == 0;
  if (op.schema.returns.empty()) {  // lists that are written in place
    for (size_t j = 0; j < args.size(); ++j) {
      if (op.schema.arguments[j].is_written()) set_requires_grad(context, args[j], required);
    }
  }
  if (!result.is(Value::Tag::kList)) return set_requires_grad(context, result, required);
  // basicAutogradNotImplementedFallback marks all.
  const bool falls_back = op.out != nullptr && op.out->grad == OutGrad::kNoFormula;
  const std::span<const Value> values = result.values();
  for (size_t i = 0; i < values.size(); ++i) {
    if (falls_back || is_differentiable_result(op, i))
      set_requires_grad(context, values[i], required);
  }
}

void record_unknown(Context& context, std::span<const Value> args, const Value& result) {
  if (any_requires_grad(args)) set_requires_grad(context, result, true);
}

}  // namespace faketensor
