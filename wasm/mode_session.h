// A mode whose tensors JavaScript names by numbers, and calls of operators on them: as numbers in a
// CallArea, or as JSON.
//
// A tensor's number is its id in the mode. An answer describes the tensors that are new to
// JavaScript, and says whether the call changed what earlier ones are like: then JavaScript asks
// for those that it looks at.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <emscripten/val.h>
#include <nlohmann/json.hpp>

#include "core/io/value_json.h"
#include "core/mode/mode.h"
#include "core/ops/library.h"
#include "core/profiles/fake_kernels.h"
#include "wasm/call_area.h"

namespace faketensor::wasm {

class ModeSession {
 public:
  explicit ModeSession(const Target& target) : mode_(target), reader_(mode_) {}

  FakeTensorMode& mode() { return mode_; }

  // See mode_operator and mode_constant of session.h.
  nlohmann::json find_operator(const std::string& name);
  nlohmann::json add_constant(const nlohmann::json& value);
  // See mode_call of session.h. Raises what the operator raises.
  nlohmann::json call(const nlohmann::json& request);
  // The same with arguments in the area, where the answer is left; returns the answer as JSON where
  // it cannot be. Raises what the operator raises.
  nlohmann::json call_packed(size_t number, CallArea& area);
  // See mode_define, mode_push_fake and mode_new_size of session.h.
  void define(const std::string& schema) { mode_.library().define(schema); }
  int push_fake(const std::string& name, const emscripten::val& fake);
  void pop_fake(int number) { fakes_.erase(number); }
  // See mode_push_profiles of session.h.
  nlohmann::json push_profiles(const OpProfiles& profiles);
  void pop_profiles(int scope) { generated_.erase(scope); }
  nlohmann::json new_size(const nlohmann::json& range);
  // A tensor as it is now.
  nlohmann::json tensor(int number);

 private:
  OpId find(const std::string& name);
  Value run_fake(FakeCall& call, const emscripten::val& fake);
  Value read(CallArea& area, int depth);
  Value read_list(CallArea& area, int depth);
  nlohmann::json reply(const Value& out, bool has_changed);
  std::string text_of(const Value& value);
  void name_known(const nlohmann::json& value, int depth);
  void name_tensors(const Value& value);
  void remember_tensors(const Value& value);
  Tensor* known_tensor(double number) const;

  FakeTensorMode mode_;
  ValueReader reader_;
  ValueWriter writer_;
  std::vector<Tensor*> known_;  // to JavaScript, by id
  std::vector<Value> constants_;
  std::vector<OpId> operators_;               // that JavaScript names by position
  std::map<int, Library::ScopedFake> fakes_;  // goes before the mode's library
  std::map<int, GeneratedFakes> generated_;
  int last_scope_ = 0;
  FakeCall* frame_ = nullptr;  // of the fake that runs
};

}  // namespace faketensor::wasm
