// A mode whose tensors JavaScript names by numbers, and calls of operators on them: as numbers in a
// CallArea, or as JSON.
//
// A tensor's number is its id in the mode. An answer describes the tensors that are new to
// JavaScript, and says whether the call changed what earlier ones are like: then JavaScript asks
// for those that it looks at. Each time that a tensor is described JavaScript holds it once more,
// until it releases it; what it no longer holds, and what calls made on their way, is freed after
// some thousand calls.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
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
  explicit ModeSession(const Target& target) : mode_(target) { reader_.emplace(mode_); }

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
  nlohmann::json tensor(double number);
  // JavaScript holds these tensors, `count` numbers in the area, once less each.
  void release(size_t count, CallArea& area);

 private:
  // Counts a call from outside, and frees what is no longer held where it is time to.
  void count_call();
  void free_unheld();
  OpId find(const std::string& name);
  Value run_fake(FakeCall& call, const emscripten::val& fake);
  Value read(CallArea& area, int depth);
  Value read_list(CallArea& area, int depth);
  nlohmann::json reply(const Value& out, bool has_changed);
  std::string text_of(const Value& value);
  void name_known(const nlohmann::json& value, int depth);
  void name_tensors(const Value& value);
  // JavaScript holds the tensors in the value, those among `arguments` apart, once more.
  void hold_tensors(const Value& value, std::span<const Value> arguments = {});
  Tensor* known_tensor(double number) const;

  FakeTensorMode mode_;
  std::optional<ValueReader> reader_;  // always there; it can only be made anew
  ValueWriter writer_;
  struct Held {
    Tensor* tensor = nullptr;
    uint32_t times = 0;
  };
  std::unordered_map<uint32_t, Held> held_;  // by JavaScript, by id
  Arena constants_arena_;                    // what constants_ point into
  std::vector<Value> constants_;
  std::vector<OpId> operators_;               // that JavaScript names by position
  std::map<int, Library::ScopedFake> fakes_;  // goes before the mode's library
  std::map<int, GeneratedFakes> generated_;
  int last_scope_ = 0;
  size_t calls_ = 0;           // since memory was freed
  size_t tensors_before_ = 0;  // made until then
  FakeCall* frame_ = nullptr;  // of the fake that runs
};

}  // namespace faketensor::wasm
