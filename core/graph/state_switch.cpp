// Nodes that switch the grad mode or autocast for those that follow.
#include "core/graph/interpreter.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kSetGradEnabled = "torch._C._set_grad_enabled";
constexpr std::string_view kAutocast = "torch.amp.autocast_mode.";

DeviceType autocast_device(std::string_view name) {
  if (name == "cpu") return DeviceType::kCPU;
  if (name == "cuda") return DeviceType::kCUDA;
  throw_error(ErrorKind::kRuntimeError,
              format("User specified an unsupported autocast device_type '{}'", name));
}

}  // namespace

std::pair<Autocast, bool> autocast_region(const Context& context, std::span<const Value> args) {
  // In str(graph) the name of a device type looks like a device.
  const bool is_device = !args.empty() && args[0].is(Value::Tag::kDevice);
  if (args.size() < 3 || (!is_device && !args[0].is(Value::Tag::kString)) ||
      !args[2].is(Value::Tag::kBool))
    throw_error(ErrorKind::kTypeError, "autocast(device_type, dtype, enabled)");
  const DeviceType device = is_device ? args[0].device().type : autocast_device(args[0].text());
  const bool on_cpu = device == DeviceType::kCPU;
  const DType lower = args[1].is(Value::Tag::kDType)
                          ? args[1].dtype()
                          : (on_cpu ? DType::kBFloat16 : DType::kFloat16);
  const bool supported =
      on_cpu ? lower == DType::kBFloat16 || lower == DType::kFloat16 : context.target().has_gpu();
  return {{device, lower}, args[2].to_bool() && supported};
}

bool is_state_switch(std::string_view target) {
  return target == kSetGradEnabled || target.starts_with(kAutocast);
}

// What the grad mode changes, requires_grad of results, graphs do not tell.
Value call_state_switch(Interpreter& interpreter, std::string_view target,
                        std::span<const Value> args) {
  if (target == kSetGradEnabled) return {};
  target.remove_prefix(kAutocast.size());
  if (target == "_enter_autocast") {
    const auto [autocast, is_on] = autocast_region(interpreter.context(), args);
    interpreter.regions().enter_autocast(autocast, is_on);
  } else if (target == "_exit_autocast") {
    interpreter.regions().exit_autocast();
  } else {
    throw_error(ErrorKind::kUnsupportedOperator, format("{}{}", kAutocast, target));
  }
  return {};
}

}  // namespace faketensor
