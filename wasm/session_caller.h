// SessionCaller: `ft.session()`, PyTorch's scopes around modes and real tensors (core/mode/session.h).
//
// Its calls, custom operators, fakes and profiles are those of a mode (caller.h), asked of the
// innermost mode that is entered. Modes are numbered as they are made. A symbolic number is told by a
// number too, {"number": 3}: the modes have ShapeEnvs of their own, in which its text means different
// things.
//
//   SessionCaller session(target);
//   const int mode = session.add_mode({{"shape_env", true}})["mode"];
//   session.enter({{"mode", mode}});
#pragma once

#include <unordered_map>
#include <vector>

#include "core/mode/session.h"
#include "wasm/caller.h"

namespace faketensor::wasm {

class SessionCaller final : public Caller {
 public:
  explicit SessionCaller(const Target& target) : Caller(target), session_(target) {}
  ~SessionCaller() override { forget_fakes(); }

  // --- modes and scopes ---
  // {"mode": 0}; options of FakeTensorMode by PyTorch's names, and "shape_env": true, options of a
  // ShapeEnv, or {"of": 0} for the one of another mode.
  void add_mode(JsonWriter& json, const Json& options);
  // {"mode": 0}, {"scope": "no_grad"}, {"default_dtype": "float16"} or {"device": "cuda"}
  void enter(const Json& scope);
  void exit() { session_.exit(); }
  // The number of the mode that answers for these values, or null.
  void detect_fake_mode(JsonWriter& json, const Json& args);
  // {"epoch": 0, "allowNonFakeInputs": false, ...}
  void mode_facts(JsonWriter& json, const Json& mode);
  void next_epoch(const Json& mode) { mode_at(mode).next_epoch(); }
  // What its ShapeEnv knows (core/io/shape_env_description.h); null for none.
  void shape_env(JsonWriter& json, const Json& mode);
  std::vector<std::string> guards(const Json& mode);
  void cache_info(JsonWriter& json);
  void clear_cache() { session_.cache().clear(); }

  // --- tensors; replies are those of `call` ---
  // What core/io/session_json.h reads.
  void real(JsonWriter& json, const Json& given);
  void torch_tensor(JsonWriter& json, const Json& given);
  // {"mode": 0, "data": 3}
  void constant(JsonWriter& json, const Json& given);
  // {"mode": 0, "tensor": 5, "source": "x", ...}
  void from_tensor(JsonWriter& json, const Json& given);
  void from_descriptions(JsonWriter& json, const Json& given);
  // {"mode": 0, "tensors": [5, 6]}
  void fake_copy(JsonWriter& json, const Json& given);

  // --- of one tensor ---
  // {"isLeaf": true, "isFake": true, "isParameter": false, "mode": 0, "gradFn": null}
  void facts(JsonWriter& json, double tensor);
  void grad(JsonWriter& json, double tensor);
  void item(JsonWriter& json, double tensor);
  void tolist(JsonWriter& json, double tensor);
  void backward(double tensor) { session_.backward(*known_tensor(tensor)); }
  std::string repr(double tensor) { return session_.repr(*known_tensor(tensor)); }

 private:
  Library& library() override { return session_.library(); }
  Value run(OpId op, std::span<const Value> args) override;
  uint32_t number_of(const Tensor& tensor) override;
  uint32_t number_of(const Storage& storage) override;
  std::optional<Value> resolve(const Json& object) override;
  std::optional<std::vector<uint32_t>> numbers_in(const Value& value) override;
  void collect_numbers(std::vector<uint32_t>& numbers, const Value& value);
  SessionMode& mode_at(const Json& mode);
  std::optional<size_t> number_of_mode(const SessionMode* mode) const;

  Session session_;
  std::vector<SessionMode*> modes_;
  // Tensors and storages of all modes and outside of them, by first appearance.
  std::unordered_map<const Tensor*, uint32_t> tensor_numbers_;
  std::unordered_map<const Storage*, uint32_t> storage_numbers_;
  std::vector<Value> numbers_;  // symbolic ones
  std::unordered_map<const ExprNode*, uint32_t> number_numbers_;
};

}  // namespace faketensor::wasm
