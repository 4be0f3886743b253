// InputGuards: the conditions under which a compiled entry may be used again.
//
// Checked per call, in the order in which TorchDynamo checks them: the program's state; the inputs
// by the length and then the alphabet of their names, those that failed most often first; inputs
// that are one object; what was decided of sizes while the function was traced. The first that
// fails is the reason, in PyTorch's words (TensorCheck::check_verbose in
// torch/csrc/dynamo/guards.cpp, GuardBuilder in torch/_dynamo/guards.py).
//
//   if (std::optional<std::string> reason = guards.check(inputs, state)) ...
//   // "tensor 'x' size mismatch at index 0. expected 4, actual 2"
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/profiler/compile/frame_inputs.h"
#include "core/symbolic/produce_guards.h"

namespace faketensor {

class InputGuards {
 public:
  // After the function was traced with `traced`: what was decided of the symbols is in its mode's
  // ShapeEnv. Raises ConstraintViolationError where that goes beyond what the user marked.
  InputGuards(std::span<const FrameInput> inputs, const TracedInputs& traced, ShapeEnv& env,
              const ProgramState& state);

  // Nothing where all hold, else the reason. `counts`: a failure is remembered, and the input that
  // is to blame is asked first from then on.
  std::optional<std::string> check(std::span<const FrameInput> inputs, const ProgramState& state,
                                   bool counts);

  // Those of sizes, as messages write them.
  std::vector<std::string> size_guards() const;

 private:
  struct TensorGuard {
    DType dtype = DType::kFloat32;
    Device device;
    bool requires_grad = false;
    std::string dispatch_keys;
    std::vector<std::optional<int64_t>> sizes;  // none: dynamic
    std::vector<std::optional<int64_t>> strides;
    std::vector<size_t> dynamic_dims;  // that were marked
    std::vector<size_t> static_dims;
  };
  // One input, or an element of one.
  struct Guard {
    enum class Kind : uint8_t { kTensor, kConstant, kType, kList };
    Kind kind = Kind::kConstant;
    size_t position = 0;  // of the input, or in the list
    std::string name;
    std::string type;  // "int"
    TensorGuard tensor = {};
    std::string constant = {};  // as Python writes it
    std::vector<Guard> elements = {};
    uint32_t failures = 0;
  };
  // What was decided of sizes, and which inputs its numbers are of.
  struct ShapeGuards {
    ProducedGuards produced;
    std::vector<InputPath> paths;  // of each input that produce_guards was given
  };

  Guard guard_of(const FrameInput& input, const Value& value, const Value& traced,
                 const std::string& name, size_t position, ShapeEnv& env);
  static TensorGuard tensor_guard(const FrameInput& input, const Tensor& given,
                                  const Tensor& traced, ShapeEnv& env, const ProgramState& state);
  void add_aliases(std::span<const FrameInput> inputs);

  std::optional<std::string> check_state(const ProgramState& state) const;
  static std::optional<std::string> check_value(const Guard& guard, const FrameInput& input,
                                                const Value& value, const ProgramState& state);
  static std::optional<std::string> check_tensor(const Guard& guard, const FrameInput& input,
                                                 const Value& value, const ProgramState& state);
  static std::optional<std::string> check_list(const Guard& guard, const FrameInput& input,
                                               const Value& value, const ProgramState& state);
  std::optional<std::string> check_aliases(std::span<const FrameInput> inputs) const;
  std::optional<std::string> check_shapes(std::span<const FrameInput> inputs) const;
  Number number_at(const InputNumber& number, std::span<const FrameInput> inputs) const;

  ProgramState state_;
  std::vector<std::string> names_;  // of the inputs
  std::vector<Guard> guards_;
  std::vector<std::pair<size_t, size_t>> same_;  // positions of inputs that are one tensor
  ShapeGuards shape_guards_;
};

// The value as Python writes it, and the name of its type: "'sum'", "str".
std::string python_repr(const Value& value);
std::string_view python_class(const Value& value, bool is_tuple = false);

}  // namespace faketensor
