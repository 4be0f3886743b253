// A mode whose tensors JavaScript names by numbers, and calls of operators on them as JSON.
#pragma once

#include <string>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "core/io/value_json.h"
#include "core/mode/mode.h"

namespace faketensor::wasm {

class ModeSession {
 public:
  explicit ModeSession(const Target& target) : mode_(target), reader_(mode_) {}

  // See mode_empty of session.h.
  nlohmann::json empty(const nlohmann::json& tensor);
  // See mode_call of session.h. Raises what the operator raises.
  nlohmann::json call(const nlohmann::json& request);
  // Forgets a tensor's number. The mode keeps the tensor itself until it goes, because others may
  // be views of it.
  void release(int tensor) { known_.erase(tensor); }

 private:
  nlohmann::json reply(const Value& out, nlohmann::json after);
  std::string text_of(const Value& value);
  void name_tensors(const Value& value);
  nlohmann::json changed_tensors();

  FakeTensorMode mode_;
  ValueReader reader_;
  ValueWriter writer_;
  std::unordered_map<int64_t, TensorRecord> known_;  // by number, as JavaScript last saw them
};

}  // namespace faketensor::wasm
