// Session: what a Python process is to its fake tensors.
//
// Which mode answers depends on what was entered and on whose tensors are passed; whether autograd
// records, what a new tensor's dtype is and on which device torch.tensor puts it depend on the
// contexts around. PyTorch keeps all that in thread-local state; here it is an object. A Session
// has modes, a stack of scopes, and the real tensors that were made outside all modes, and knows of
// each tensor what its metadata does not tell: whether it is a leaf, a parameter, an inference
// tensor, what its gradient is.
//
//   Session session;
//   SessionMode& m = session.add_mode({}, nullptr);
//   session.enter(m);
//   Tensor* four = session.tensor({}, DType::kInt64, {&element, 1});    // torch.tensor(4)
//   session.call(item, {{four}});                                       // 4
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/mode/cache_counting.h"
#include "core/mode/conjugate_fallback.h"
#include "core/mode/constants.h"
#include "core/mode/converter.h"
#include "core/mode/dispatch_cache.h"
#include "core/mode/fake_dispatch.h"
#include "core/mode/mode.h"
#include "core/mode/repr.h"
#include "core/ops/library.h"

namespace faketensor {

// The arguments of FakeTensorMode(...).
struct SessionModeOptions {
  bool allow_non_fake_inputs = false;
  bool allow_meta = true;  // torch._functorch.config.fake_tensor_allow_meta
  bool is_export = false;
  bool cache_crosscheck = false;  // torch._dynamo.config.fake_tensor_cache_crosscheck_enabled
  std::optional<bool> static_shapes = {};  // absent: where the mode has no ShapeEnv
};

class Session;

// A FakeTensorMode of a session: its constants and its part in the dispatch cache are modes of its
// context, below any that are entered there later (dispatch_mode.h).
class SessionMode : private ModeSurroundings {
 public:
  SessionMode(Session& session, SessionModeOptions options, std::shared_ptr<ShapeEnv> env);

  Context& context() { return mode_.context(); }
  FakeTensorMode& mode() { return mode_; }
  Converter& converter() { return converter_; }
  ConstantTracker& constants() { return constants_; }
  const std::shared_ptr<ShapeEnv>& shape_env() const { return env_; }
  bool static_shapes() const { return options_.static_shapes.value_or(env_ == nullptr); }
  const SessionModeOptions& options() const { return options_; }
  // mode.epoch += 1: symbols that stand for data are forgotten.
  void next_epoch();
  int64_t epoch() const { return epoch_; }

 private:
  bool is_fake(const Tensor& tensor) const override;
  bool is_inference(const Tensor& tensor) const override;
  bool in_inference_mode() const override;
  Tensor* convert(Tensor& tensor) override;
  std::string cache_settings() const override;

  Session& session_;
  SessionModeOptions options_;
  std::shared_ptr<ShapeEnv> env_;
  FakeTensorMode mode_;
  ConstantTracker constants_;
  FakeDispatch dispatch_;
  CacheCounting counting_;
  ConjugateFallback conjugate_;
  const ModeScope entered_[3];
  Converter converter_;
  int64_t epoch_ = 0;
};

// What a session knows of a tensor beside its metadata.
struct TensorState {
  bool is_parameter = false;
  bool is_inference = false;
  std::string grad_fn;  // the name of its autograd node's class; empty for a leaf
  int64_t part = -1;    // of a view that an operator returned in a list: its number there
  std::string view_fn;  // of a view: the name of the node that it has where its base has history
  Tensor* grad = nullptr;
  std::vector<Tensor*> inputs;  // that its autograd node leads to
  int64_t placements = 0;       // on storages that it did not bring: writes to it and its views
};

enum class SessionScope : uint8_t {
  kMode,
  kUnsetFake,           // unset_fake_temporarily
  kInKernelInvocation,  // in_kernel_invocation_manager
  kInference,           // torch.inference_mode
  kNoGrad,
  kDefaultDtype,   // torch.set_default_dtype
  kDefaultDevice,  // with torch.device(...): of torch.tensor, not of operators
  kAutocastCpu,    // torch.autocast("cpu", torch.bfloat16)
  kSuppressGuards,
  kIgnoreFreshUnbacked,
};

class Session {
 public:
  explicit Session(const Target& target = {});

  SessionMode& add_mode(SessionModeOptions options, std::shared_ptr<ShapeEnv> env);

  // --- scopes ---
  void enter(SessionMode& mode);
  void enter(SessionScope scope);
  void enter_in_kernel_invocation(SessionMode& mode);
  void enter_default_dtype(DType dtype);
  void enter_default_device(Device device);
  // Leaves the innermost scope. Raises RuntimeError where there is none.
  void exit();
  // The mode that answers next; null outside of all.
  SessionMode* current_mode() const;
  bool is_inside(SessionScope scope) const;
  bool in_kernel_invocation(const SessionMode& mode) const;
  DType default_dtype() const;

  // --- tensors ---
  RealTensors& real() { return real_; }
  const Target& target() const { return target_; }
  // The mode of a fake; null for a real tensor.
  SessionMode* mode_of(const Tensor& tensor);
  // tensor.grad = grad, or None where it is null.
  void set_grad(Tensor& tensor, Tensor* grad);
  TensorState& state(const Tensor& tensor) { return states_[&tensor]; }
  bool is_inference(const Tensor& tensor) const {
    const auto known = states_.find(&tensor);
    return known != states_.end() && known->second.is_inference;
  }
  // torch.empty_strided outside of all modes: a real tensor of zeros with these sizes, strides,
  // offset, dtype and device. Raises RuntimeError for a geometry that no tensor has.
  Tensor* empty_strided(const MetaSpec& spec);
  // The same on a storage of so many bytes, unchecked.
  Tensor* make_real(const MetaSpec& spec, SymInt storage_bytes);
  // torch.tensor(data) outside of all modes.
  Tensor* real_from_elements(Dims sizes, DType dtype, std::span<const Element> data);
  // torch.tensor(data), in the current modes.
  Tensor* tensor(Dims sizes, DType dtype, std::span<const Element> data,
                 std::optional<Device> device = {});
  // mode.from_tensor(tensor, ...)
  Tensor* from_tensor(SessionMode& mode, Tensor& tensor, const ConversionOptions& options);
  // The fake of a described tensor, marked as `known` says. converter.memo finds it by the
  // description's id later.
  Tensor* from_description(SessionMode& mode, const TensorDescription& tensor,
                           const TensorState& known, const ConversionOptions& options);
  // FakeTensorConverter.from_meta_and_device
  Tensor* from_meta_and_device(SessionMode& mode, Tensor& meta, Device device);
  // FakeTensor(mode, meta, device)
  Tensor* construct(SessionMode& mode, Tensor& meta, Device device);
  // copy.deepcopy of a module's tensors in FakeCopyMode(mode): plain tensors become fakes that
  // alias as they do, parameters clones of them; the same tensor twice is one copy.
  std::vector<Tensor*> fake_copy(SessionMode& mode, std::span<Tensor* const> tensors);
  // copy.deepcopy, and torch.load of what torch.save wrote.
  Tensor* deepcopy(Tensor& tensor);
  Tensor* load(const TensorMeta& saved, SymInt storage_bytes);
  // Tensor.backward: gradients for the leaves that a result was computed from.
  void backward(Tensor& result);
  // Tensor.requires_grad_(value)
  void set_requires_grad(Tensor& tensor, bool value);
  // Tensor._version
  int64_t version(const Tensor& tensor);
  // Tensor.is_leaf
  bool is_leaf(const Tensor& tensor);
  std::string repr(const Tensor& tensor);
  // Tensor.tolist(): its elements one by one, in lists as deep as it has dimensions.
  Value tolist(Tensor& tensor);

  // torch._guards.detect_fake_mode. Raises AssertionError for tensors of two modes.
  SessionMode* detect_fake_mode(std::span<const Value> args);

  // FakeTensorMode's dispatch cache is one for all modes.
  DispatchCache& cache() { return cache_; }

  // --- operators ---
  // The custom operators, for all modes and outside of them.
  Library& library() { return library_; }
  // The mode that would answer: the innermost, else that of the first fake; null for real tensors.
  SessionMode* mode_for(std::span<const Value> args);
  // An operator called from outside. Throws Error.
  Value call(OpId op, std::span<const Value> args);
  // kNoOp for a name that nothing answers to.
  OpId find_operator(std::string_view name) const { return library_.find(name); }
  const OpEntry& operator_entry(OpId op) const { return library_.entry(op); }
  Value call(std::string_view op, std::initializer_list<Value> args);

 private:
  struct Entered {
    SessionScope scope = SessionScope::kMode;
    SessionMode* mode = nullptr;
    DType dtype = DType::kFloat32;
    Device device = {};
  };
  Value call_in_region(Context& context, OpId op, std::span<const Value> args);
  Value call_below_dispatch(SessionMode& mode, OpId op, std::span<const Value> args);
  Value as_plain(const Value& result, std::span<const Value> args);
  void check_inference(const OpEntry& op, std::span<const Value> args);
  void check_inplace(const OpEntry& op, std::span<const Value> args);
  void record(const OpEntry& op, std::span<const Value> args, const Value& result);
  void record_write(const OpEntry& op, Tensor& tensor);
  void set_flag(Tensor& tensor, uint16_t flag, bool value);
  bool records_history() const;
  TensorDescription describe_here(const Tensor& tensor, int depth = 0);
  void mark_converted(const Tensor& source, Tensor& fake, SessionMode& mode);
  uint64_t context_number(const Tensor& tensor);
  // After a change of scopes: what they mean to the ShapeEnvs.
  void tell_environments();

  Target target_;
  Library library_;
  DispatchCache cache_;
  RealTensors real_;
  std::deque<SessionMode> modes_;
  std::vector<Entered> entered_;
  std::unordered_map<const Tensor*, TensorState> states_;
  std::unordered_map<const Tensor*, Tensor*> faked_meta_;  // from_meta_and_device's memo
};

}  // namespace faketensor
