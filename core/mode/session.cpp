#include "core/mode/session.h"

#include <algorithm>
#include <utility>

#include "core/mode/autocast.h"
#include "core/mode/find_tensor.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

SessionMode::SessionMode(Session& session, SessionModeOptions options,
                         std::shared_ptr<ShapeEnv> env)
    : session_(session),
      options_(options),
      env_(std::move(env)),
      mode_(session.target()),
      constants_(mode_.context(), session.real()),
      dispatch_(mode_.context(), constants_, *this,
                {.allow_non_fake_inputs = options.allow_non_fake_inputs,
                 .avoid_device_init = !session.target().has_gpu()}),
      counting_(mode_.context(), *this, session.cache(), options.cache_crosscheck),
      conjugate_(mode_.context()),
      entered_{{mode_.context(), dispatch_},
               {mode_.context(), counting_},
               {mode_.context(), conjugate_}},
      converter_(mode_.context()) {
  Context& context = mode_.context();
  if (env_ != nullptr) {
    mode_.attach_shape_env(env_);
    context.allow_scalar_outputs = env_->options().allow_scalar_outputs;
    context.allow_dynamic_shapes = env_->options().allow_dynamic_output_shape_ops;
  }
  context.set_library(&session.library());
  context.checks_leaves = false;
  converter_.is_export = options.is_export;
  converter_.allow_meta = options.allow_meta;
}

bool SessionMode::is_fake(const Tensor& tensor) const {
  return session_.mode_of(tensor) != nullptr;
}

bool SessionMode::is_inference(const Tensor& tensor) const { return session_.is_inference(tensor); }

bool SessionMode::in_inference_mode() const { return session_.is_inside(SessionScope::kInference); }

Tensor* SessionMode::convert(Tensor& tensor) {
  ConversionOptions plain;
  plain.static_shapes = true;
  return session_.from_tensor(*this, tensor, plain);
}

// The parts of FakeTensorMode._cache_key that are not the call's own.
std::string SessionMode::cache_settings() const {
  std::string settings =
      format(" {} {}", session_.default_dtype(), session_.is_inside(SessionScope::kInference));
  if (env_ == nullptr) return settings;
  const ShapeEnvOptions& options = env_->options();
  for (const bool option :
       {options.allow_scalar_outputs, options.allow_dynamic_output_shape_ops,
        options.assume_static_by_default, options.specialize_zero_one, options.duck_shape,
        options.prefer_deferred_runtime_asserts_over_guards, options.trace_asserts})
    settings += option ? '1' : '0';
  return settings + format(" {}", epoch_);
}

void SessionMode::next_epoch() {
  ++epoch_;
  mode_.context().memos().next_epoch();
}

Session::Session(const Target& target) : target_(target), real_(target) {
  real_.context().set_library(&library_);
}

SessionMode& Session::add_mode(SessionModeOptions options, std::shared_ptr<ShapeEnv> env) {
  return modes_.emplace_back(*this, options, std::move(env));
}

// --- scopes ---

void Session::enter(SessionMode& mode) { entered_.push_back({SessionScope::kMode, &mode}); }

void Session::enter(SessionScope scope) {
  entered_.push_back({scope});
  tell_environments();
}

void Session::enter_in_kernel_invocation(SessionMode& mode) {
  entered_.push_back({SessionScope::kInKernelInvocation, &mode});
}

void Session::enter_default_dtype(DType dtype) {
  entered_.push_back({.scope = SessionScope::kDefaultDtype, .dtype = dtype});
}

void Session::enter_default_device(Device device) {
  entered_.push_back({.scope = SessionScope::kDefaultDevice, .device = device});
}

void Session::exit() {
  if (entered_.empty()) throw_error(ErrorKind::kRuntimeError, "no context to exit");
  entered_.pop_back();
  tell_environments();
}

void Session::tell_environments() {
  for (SessionMode& mode : modes_) {
    if (mode.shape_env() == nullptr) continue;
    mode.shape_env()->set_recording(!is_inside(SessionScope::kSuppressGuards));
    mode.shape_env()->ignore_fresh_unbacked_symbols(is_inside(SessionScope::kIgnoreFreshUnbacked));
  }
}

SessionMode* Session::current_mode() const {
  for (size_t i = entered_.size(); i-- > 0;) {
    if (entered_[i].scope == SessionScope::kMode) return entered_[i].mode;
    if (entered_[i].scope == SessionScope::kUnsetFake) return nullptr;
  }
  return nullptr;
}

bool Session::is_inside(SessionScope scope) const {
  return std::any_of(entered_.begin(), entered_.end(),
                     [&](const Entered& entered) { return entered.scope == scope; });
}

bool Session::in_kernel_invocation(const SessionMode& mode) const {
  return std::any_of(entered_.begin(), entered_.end(), [&](const Entered& entered) {
    return entered.scope == SessionScope::kInKernelInvocation && entered.mode == &mode;
  });
}

DType Session::default_dtype() const {
  for (size_t i = entered_.size(); i-- > 0;)
    if (entered_[i].scope == SessionScope::kDefaultDtype) return entered_[i].dtype;
  return DType::kFloat32;
}

// --- modes of tensors ---

SessionMode* Session::mode_of(const Tensor& tensor) {
  for (SessionMode& mode : modes_)
    if (mode.context().owns(tensor)) return &mode;
  return nullptr;
}

SessionMode* Session::detect_fake_mode(std::span<const Value> args) {
  SessionMode* found = current_mode();
  std::string source = found != nullptr ? "active fake mode 0" : "";
  for (size_t i = 0; i < args.size(); ++i) {
    SessionMode* mode = args[i].is_tensor() ? mode_of(args[i].tensor()) : nullptr;
    if (mode == nullptr) continue;
    const std::string here = format("fake tensor input {}", i);
    if (found != nullptr && found != mode) {
      constexpr std::string_view kMode = "<torch._subclasses.fake_tensor.FakeTensorMode object>";
      throw_error(ErrorKind::kAssertionError,
                  format("fake mode ({}) from {} doesn't match mode ({}) from {}\n\n", kMode,
                         source, kMode, here));
    }
    found = mode;
    if (source.empty()) source = here;
  }
  return found;
}

// --- operators ---

SessionMode* Session::mode_for(std::span<const Value> args) {
  if (SessionMode* mode = current_mode()) return mode;
  const Tensor* fake =
      find_tensor(args, [&](const Tensor& tensor) { return mode_of(tensor) != nullptr; });
  return fake != nullptr ? mode_of(*fake) : nullptr;
}

// c10::InferenceMode: tensors made in it have no version and may be changed in it alone.
void Session::check_inference(const OpEntry& op, std::span<const Value> args) {
  if (is_inside(SessionScope::kInference)) return;
  for (size_t i = 0; i < args.size(); ++i) {
    if (i >= op.schema.arguments.size() || !op.schema.arguments[i].is_written()) continue;
    if (!args[i].is_tensor() || !state(args[i].tensor()).is_inference) continue;
    throw_error(ErrorKind::kRuntimeError,
                "Inplace update to inference tensor outside InferenceMode is not allowed.You can "
                "make a clone to get a normal tensor before doing inplace update.See "
                "https://github.com/pytorch/rfcs/pull/17 for more details.");
  }
}

// A tensor of a mode as a tensor without one; what was passed stays what it is.
Value Session::as_plain(const Value& result, std::span<const Value> args) {
  if (result.is(Value::Tag::kList)) {
    SmallVector<Value, 4> parts;
    for (const Value& part : result.values()) parts.push_back(as_plain(part, args));
    return real_.context().make_list(parts.span());
  }
  if (!result.is_tensor()) return result;
  Tensor& tensor = result.tensor();
  if (find_tensor(args, [&](const Tensor& arg) { return &arg == &tensor; }) != nullptr)
    return result;
  Context& plain = real_.context();
  Tensor* made = plain.make_tensor(plain.metas().intern(tensor.meta->spec()), tensor.storage);
  made->base = tensor.base;
  return Value(made);
}

namespace {

// While it lives, the fakes among the arguments are the meta tensors that kernels see.
class AsMetaTensors {
 public:
  AsMetaTensors(Context& context, std::span<const Value> args) : context_(context) {
    find_tensor(args, [this](const Tensor& tensor) {
      if (context_.owns(tensor) && !tensor.device().is_meta()) {
        moved_.emplace_back(const_cast<Tensor*>(&tensor), tensor.device());
        place(*moved_.back().first, Device{DeviceType::kMeta});
      }
      return false;
    });
  }
  ~AsMetaTensors() {
    for (const auto& [tensor, device] : moved_) place(*tensor, device);
  }
  AsMetaTensors(const AsMetaTensors&) = delete;
  AsMetaTensors& operator=(const AsMetaTensors&) = delete;

 private:
  void place(Tensor& tensor, Device device) {
    MetaSpec spec = tensor.meta->spec();
    spec.device = device;
    tensor.meta = context_.metas().intern(spec);
  }

  Context& context_;
  std::vector<std::pair<Tensor*, Device>> moved_;
};

}  // namespace

// In in_kernel_invocation_manager Python is not asked: Meta kernels answer, with plain tensors.
Value Session::call_below_dispatch(SessionMode& mode, OpId id, std::span<const Value> args) {
  const AsMetaTensors scope(mode.context(), args);
  const KernelScope kernel(mode.context());
  return as_plain(mode.context().call(id, args), args);
}

Value Session::call_in_region(Context& context, OpId id, std::span<const Value> args) {
  if (!is_inside(SessionScope::kAutocastCpu)) return context.call(id, args);
  AutocastRegions regions(context);
  const ModeScope entered(context, regions);
  const auto inside = regions.enter({DeviceType::kCPU, DType::kBFloat16}, true);
  return context.call(id, args);
}

Value Session::call(OpId id, std::span<const Value> args) {
  SessionMode* mode = mode_for(args);
  Context& context = mode != nullptr ? mode->context() : real_.context();
  context.grad_enabled = records_history();
  context.default_dtype = default_dtype();
  const OpEntry& op = library_.entry(id);
  check_inference(op, args);
  check_inplace(op, args);
  const auto kernel = std::find_if(entered_.rbegin(), entered_.rend(), [](const Entered& entered) {
    return entered.scope == SessionScope::kInKernelInvocation;
  });
  const Value result = kernel != entered_.rend() ? call_below_dispatch(*kernel->mode, id, args)
                                                 : call_in_region(context, id, args);
  record(op, args, result);
  return result;
}

Value Session::call(std::string_view op, std::initializer_list<Value> args) {
  return call(library_.find(op), {args.begin(), args.size()});
}

}  // namespace faketensor
