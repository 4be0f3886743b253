#include "core/mode/autocast.h"

#include <algorithm>

#include "core/support/error.h"

namespace faketensor {

namespace {

// at::autocast::is_eligible
bool is_eligible(const Value& value, DeviceType device) {
  if (!value.is_tensor() || value.tensor().is_wrapped_number) return false;
  const Tensor& tensor = value.tensor();
  return tensor.device().type == device && is_floating(tensor.dtype()) &&
         tensor.dtype() != DType::kFloat64;
}

// at::autocast::prioritize: the wider of a dtype and an operand's.
DType prioritize(DType current, const Value& operand, const Autocast& autocast) {
  if (!is_eligible(operand, autocast.device)) return current;
  const DType next = operand.tensor().dtype();
  if (current == DType::kFloat32 || next == DType::kFloat32) return DType::kFloat32;
  if (current == autocast.lower && next == autocast.lower) return current;
  throw_error(ErrorKind::kRuntimeError,
              "Unexpected floating ScalarType in at::autocast::prioritize");
}

DType widest_of(std::span<const Value> args, const Autocast& autocast) {
  DType widest = autocast.lower;
  for (const Value& arg : args) {
    if (!arg.is(Value::Tag::kList)) {
      widest = prioritize(widest, arg, autocast);
      continue;
    }
    for (const Value& element : arg.values()) widest = prioritize(widest, element, autocast);
  }
  return widest;
}

void cast_to(Context& context, DType target, DeviceType device, SmallVector<Value, 16>& args) {
  static const OpId kTo = Registry::builtin().find("aten::to.dtype");
  const auto casted = [&](const Value& value) {
    if (!is_eligible(value, device) || value.tensor().dtype() == target) return value;
    const Value call[] = {value, target};
    return context.call(kTo, call);
  };
  // The last argument first, as GCC evaluates the casts in a call (WrapFunction_,
  // aten/src/ATen/autocast_mode.h).
  for (size_t i = args.size(); i-- > 0;) {
    Value& arg = args[i];
    if (!arg.is(Value::Tag::kList)) {
      arg = casted(arg);
      continue;
    }
    SmallVector<Value, 8> elements;
    for (const Value& element : arg.values()) elements.push_back(casted(element));
    arg = context.make_list(elements.span());
  }
}

// fp32_set_opt_dtype: a dtype that the caller gives stays.
void set_result_dtype(const OpEntry& op, DeviceType device, SmallVector<Value, 16>& args) {
  if (args.empty() || !is_eligible(args[0], device)) return;
  const auto at = static_cast<size_t>(op.schema.find_argument("dtype"));
  while (args.size() <= at) args.push_back(Value::unset());
  if (args[at].is_unset() || args[at].is_none()) args[at] = DType::kFloat32;
}

// fp32_append_dtype: norm with a dtype, float32 or, for a tensor that is not cast, the tensor's
// own.
AutocastCall overload_with_dtype(const OpEntry& op, std::span<const Value> args,
                                 DeviceType device) {
  static const OpId kScalar = Registry::builtin().find("aten::norm.ScalarOpt_dtype");
  static const OpId kDims = Registry::builtin().find("aten::norm.ScalarOpt_dim_dtype");
  const bool over_all = op.name == "aten::norm.Scalar";
  const Value dtype = is_eligible(args[0], device) ? DType::kFloat32 : args[0].tensor().dtype();
  AutocastCall call{over_all ? kScalar : kDims, SmallVector<Value, 16>(args)};
  if (over_all && (call.args.size() < 2 || call.args[1].is_unset())) {
    while (call.args.size() < 2) call.args.push_back(Value());
    call.args[1] = 2;  // the default of norm.Scalar, which the other overload lacks
  }
  const size_t before = over_all ? 2 : 4;  // arguments
  while (call.args.size() < before) call.args.push_back(false);
  if (!over_all && call.args[3].is_unset()) call.args[3] = false;  // keepdim
  call.args.push_back(dtype);
  return call;
}

}  // namespace

AutocastPolicy autocast_policy(const OpEntry& op, DeviceType device) {
  return device == DeviceType::kCUDA ? op.facts.autocast_cuda : op.facts.autocast_cpu;
}

AutocastCall autocast(Context& context, const OpEntry& op, std::span<const Value> args,
                      Autocast autocast) {
  AutocastCall call{op.id, SmallVector<Value, 16>(args)};
  switch (autocast_policy(op, autocast.device)) {
    case AutocastPolicy::kNone:
      break;
    case AutocastPolicy::kLowerPrecision:
      cast_to(context, autocast.lower, autocast.device, call.args);
      break;
    case AutocastPolicy::kSinglePrecision:
      cast_to(context, DType::kFloat32, autocast.device, call.args);
      break;
    case AutocastPolicy::kSingleResult:
      set_result_dtype(op, autocast.device, call.args);
      break;
    case AutocastPolicy::kSingleOverload:
      return overload_with_dtype(op, args, autocast.device);
    case AutocastPolicy::kWidest:
      cast_to(context, widest_of(args, autocast), autocast.device, call.args);
      break;
    case AutocastPolicy::kBanned:
      throw_error(
          ErrorKind::kRuntimeError,
          "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
          "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
          "In this case, combine the two layers using "
          "torch.nn.functional.binary_cross_entropy_with_logits\n"
          "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
          "safe to autocast.");
  }
  return call;
}

namespace {

// Whether a tensor among the arguments is on the device: then its dispatch key is among the keys.
bool has_tensor_on(DeviceType device, std::span<const Value> args) {
  return std::any_of(args.begin(), args.end(), [device](const Value& arg) {
    if (arg.is(Value::Tag::kList)) return has_tensor_on(device, arg.values());
    return arg.is_tensor() && arg.tensor().device().type == device;
  });
}

}  // namespace

// The keys of the two devices stand one behind the other, CUDA's first.
Value AutocastRegions::dispatch(const OpEntry& op, std::span<const Value> args,
                                const NextMode& next) {
  for (const DeviceType device : {DeviceType::kCUDA, DeviceType::kCPU}) {
    Region& here = region(device);
    if (!here.enabled || autocast_policy(op, device) == AutocastPolicy::kNone ||
        !has_tensor_on(device, args))
      continue;
    const ScopedValue excluded(here.enabled, false);  // its dispatch key
    const AutocastCall cast = autocast(context_, op, args, {device, here.lower});
    return context_.call(cast.op, cast.args.span());
  }
  return next(op, args);
}

}  // namespace faketensor
