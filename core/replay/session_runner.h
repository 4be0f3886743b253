// SessionRunner: runs the steps of one transcript and keeps what they named.
//
// A step's kind ("do") selects a function; there is a file for the steps of modes, of tensors and
// of symbols. Each returns its result as a Value, or as JSON text where the result is no value.
//
// What a step says to the Session is read where JavaScript's sessions are read (core/io/session_json.h).
//
//   SessionRunner runner;
//   runner.run(json, {"do": "mode", "as": "m", "options": {}});      // writes {"result":null}
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "core/io/value_json.h"
#include "core/mode/session.h"
#include "core/symbolic/python_number.h"

namespace faketensor {

// What torch.save keeps of a tensor.
struct SavedTensor {
  const TensorMeta* meta = nullptr;
  SymInt storage_bytes = 0;
};

// What a step answers.
struct StepResult {
  Value value;
  std::string text;  // JSON, in place of the value where it is not empty

  StepResult() = default;
  StepResult(Value result) : value(result) {}  // NOLINT(google-explicit-constructor)
  // What `write` writes to a JsonWriter.
  template <typename Write>
  static StepResult written(const Write& write) {
    StepResult result;
    JsonWriter json(result.text);
    write(json);
    return result;
  }
  static StepResult null() {
    return written([](JsonWriter& json) { json.value(nullptr); });
  }
  static StepResult string(std::string_view text) {
    return written([&](JsonWriter& json) { json.value(text); });
  }
};

class SessionRunner {
 public:
  using Json = nlohmann::json;

  explicit SessionRunner(const Target& target = {});

  // Writes the answer of one step: {"result": ...} or {"raises": ..., "message": ...}, and what it
  // added to the newest ShapeEnv.
  void run(JsonWriter& json, const Json& step);

 private:
  using Named = std::variant<Value, SessionMode*, SavedTensor>;
  using Handler = StepResult (SessionRunner::*)(const Json& step);
  static Handler handler(std::string_view kind);

  // --- session_modes.cpp ---
  StepResult make_mode(const Json& step);
  StepResult enter(const Json& step);
  StepResult exit(const Json& step);
  StepResult next_epoch(const Json& step);
  StepResult cache_info(const Json& step);
  StepResult cache_clear(const Json& step);
  StepResult detect_fake_mode(const Json& step);
  StepResult define(const Json& step);
  Value run_fake(const Json& fake, FakeCall& frame);
  Value run_fake_steps(const Json& fake, FakeCall& frame);

  // --- session_tensors.cpp ---
  StepResult make_real(const Json& step);
  StepResult make_tensor(const Json& step);
  StepResult from_tensor(const Json& step);
  StepResult from_descriptions(const Json& step);
  StepResult fake_copy(const Json& step);
  StepResult from_meta(const Json& step);
  StepResult construct(const Json& step);
  StepResult wrap_constant(const Json& step);
  StepResult call(const Json& step);
  StepResult deepcopy(const Json& step);
  StepResult pickle(const Json& step);
  StepResult unpickle(const Json& step);
  StepResult forget(const Json& step);
  StepResult backward(const Json& step);

  // --- session_attributes.cpp ---
  StepResult method(const Json& step);
  StepResult get(const Json& step);
  StepResult set(const Json& step);
  StepResult is_same(const Json& step);
  StepResult same_storage(const Json& step);
  StepResult is_fake(const Json& step);
  StepResult class_name(const Json& step);
  StepResult is_parameter(const Json& step);
  StepResult repr(const Json& step);
  StepResult value(const Json& step);
  StepResult get_of_mode(SessionMode& mode, std::string_view name);
  StepResult get_of_tensor(Tensor& tensor, std::string_view name);

  // --- session_symbols.cpp ---
  StepResult symbolic(const Json& step);
  StepResult new_symbol(const Json& step);
  StepResult guard(const Json& step);
  StepResult constrain_by_operator(const Json& step, const PythonNumber& number);
  StepResult query(const Json& step);
  StepResult describe(const Json& step);
  StepResult produce_guards(const Json& step);
  StepResult guards_expression(const Json& step);
  StepResult unbacked_bindings(const Json& step);
  StepResult rename_unbacked(const Json& step);
  StepResult freeze(const Json& step);

  // --- reading ---
  // What a name stands for. Raises Unreadable for one that was never given.
  const Named& named(const Json& name) const;
  SessionMode& mode_named(const Json& name);
  Value value_named(const Json& name) const;
  Tensor& tensor_named(const Json& name) const;
  // Plain values with references, sizes and expressions in them.
  Value read(const Json& value);
  PythonNumber read_number(const Json& tree);
  std::optional<Value> resolve(const Json& object);
  // Elements of a list go by "name[0]", ... as well.
  void bind(const Json& as, const Value& value);
  void bind_name(const std::string& name, const Value& value);
  ShapeEnv& shape_env();
  std::string name_of(const SessionMode* mode) const;

  Session session_;
  FakeTensorMode scratch_;  // owns the lists that arguments are read into
  ValueReader reader_;
  ValueWriter writer_;
  std::map<std::string, Named> names_;
  SessionMode* newest_with_env_ = nullptr;
  int fake_depth_ = 0;  // of custom operators' kernels that call custom operators
};

// Between values of operators and Python's numbers.
PythonNumber to_number(const Value& value);
Value to_value(const PythonNumber& number);

}  // namespace faketensor
