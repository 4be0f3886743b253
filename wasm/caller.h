// Caller: what calls operators from JavaScript, a mode or a session: arguments and answers, tensors
// by number, custom operators and their fakes.
//
// Tensors are passed by numbers, {"t": 3}: what a reply gave may be an argument of the next call.
// Arguments and answers are numbers in the call area (call_area.h) where they fit, JSON else.
//
//   auto mode = std::make_shared<ModeCaller>(options);
//   mode->call(json, {{"op", "aten::relu"}, {"args", ...}, {"kwargs", ...}});
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <emscripten/val.h>

#include "core/formats/json_fields.h"
#include "core/io/options_json.h"
#include "core/io/value_json.h"
#include "core/mode/mode.h"
#include "core/ops/library.h"
#include "core/profiler/profile.h"
#include "core/profiles/fake_kernels.h"
#include "wasm/call_area.h"

namespace faketensor::wasm {

class Caller {
 public:
  virtual ~Caller() = default;
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // {"op": 17, "arguments": ["self", "other", "alpha"]}: what call_packed takes for that name.
  void find_operator(JsonWriter& json, const std::string& name);
  // The number of a value that is given again and again (a dtype, a string), or null where there are
  // too many of them.
  void add_constant(JsonWriter& json, const Json& value);
  // {"out": Value, "changed": whether tensors are not what they were}; request {"op": "aten::mm",
  // "args": [...], "kwargs": {...}}. Raises what the operator raises.
  void call(JsonWriter& json, const Json& request);
  // The same with arguments in the area, where the answer is left; returns the answer as JSON text
  // where it cannot be, else nothing.
  std::string call_packed(size_t number, CallArea& area);

  // Defines a custom operator, "mylib::foo(Tensor x, int n) -> Tensor".
  void define(const std::string& schema) { library().define(schema); }
  // Registers a fake, which answers for the operator until it is popped. `fake` is called with the
  // arguments as a JSON object by name, and the numbers of the symbolic ones among them (as in a
  // reply's "numbers"); it gives the result as JSON, or null where it failed. Or it is a fake without
  // code, as JSON.
  int push_fake(const std::string& name, const emscripten::val& fake);
  void pop_fake(int number) { fakes_.erase(number); }
  // Fakes made from profiles until they are popped: {"scope": 1, "warnings": [...]}.
  void push_profiles(JsonWriter& json, const OpProfiles& profiles);
  void pop_profiles(int scope) { generated_.erase(scope); }
  // Only while a fake runs: a fresh size in the range {"min": 0, "max": 9}, as a reply of `call`.
  void new_size(JsonWriter& json, const Json& range);

  // A tensor as it is now.
  void tensor(JsonWriter& json, double number);
  // JavaScript no longer needs `count` tensors, whose numbers lie in the area. It says so once for
  // each time that a reply gave it the tensor.
  void release(size_t count, CallArea& area);

 protected:
  explicit Caller(const Target& target)
      : own_(std::make_unique<FakeTensorMode>(target)), mode_(*own_) {
    start_reader();
  }
  // In another's mode, of whose tensors none is freed.
  explicit Caller(FakeTensorMode& mode) : keepers_(1), mode_(mode) { start_reader(); }

  virtual Library& library() = 0;
  virtual Value run(OpId op, std::span<const Value> args) = 0;
  // The numbers that JavaScript knows them by.
  virtual uint32_t number_of(const Tensor& tensor) { return tensor.id; }
  virtual uint32_t number_of(const Storage& storage) { return storage.id; }
  // What an object among the arguments means. Nothing: what FORMAT.md says.
  virtual std::optional<Value> resolve(const Json&) { return std::nullopt; }
  // The numbers of the symbolic numbers in a value, in their order, for a reply's "numbers"; none
  // where JavaScript knows them by their texts.
  virtual std::optional<std::vector<uint32_t>> numbers_in(const Value&) { return std::nullopt; }

  void reply(JsonWriter& json, const Value& out, bool has_changed);
  Tensor* known_tensor(double number) const;
  // Reads a value in which {"t": 3} is a tensor that JavaScript knows.
  Value read(const Json& value);
  ValueReader& reader() { return *reader_; }
  // To be called before the library is destroyed.
  void forget_fakes() {
    fakes_.clear();
    generated_.clear();
  }

  bool is_in_fake() const { return frame_ != nullptr; }

  // Counts a call from outside that is made by `run`, and replies.
  template <typename Run>
  void call_by(JsonWriter& json, const Json& args, const Run& run) {
    count_call();
    ++keepers_;
    struct Kept {
      int& count;
      ~Kept() { --count; }
    };
    const Kept kept{keepers_};
    name_known(args);
    reply(json, run(), false);
  }
  // Writes a value whose tensors JavaScript then holds.
  void tell(JsonWriter& json, const Value& value) {
    hold_tensors(value);
    write(json, value);
  }

  int keepers_ = 0;  // while there are any nothing is freed: profiles, compiled functions that run

 private:
  std::unique_ptr<FakeTensorMode> own_;

 protected:
  FakeTensorMode& mode_;  // a mode's own; a session's, in which lists of arguments are made

 private:
  void start_reader();
  // Tells the reader of the tensors that a request names.
  void name_known(const Json& value, int depth = 0);
  // Counts a call from outside, and from time to time frees what JavaScript no longer holds.
  void count_call();
  void free_unheld();
  OpId find(const std::string& name);
  Value run_fake(FakeCall& call, const emscripten::val& fake);
  Value read(CallArea& area, int depth);
  Value read_list(CallArea& area, int depth);
  bool write_answer(CallArea& area, const Value& out, std::span<const Value> args);
  bool write_tensor(CallArea& area, const Tensor& tensor, std::span<const Value> args);
  void write(JsonWriter& json, const Value& value);
  void name_tensors(const Value& value);
  // Counts that JavaScript holds each tensor in the value once more, but for those among
  // `arguments`.
  void hold_tensors(const Value& value, std::span<const Value> arguments = {});

  std::optional<ValueReader> reader_;  // always there; it can only be made anew
  ValueWriter writer_;
  struct Held {
    Tensor* tensor = nullptr;
    uint32_t times = 0;
  };
  std::unordered_map<uint32_t, Held> held_;  // by JavaScript, by number
  Arena constants_arena_;                    // what constants_ point into
  std::vector<Value> constants_;
  std::vector<OpId> operators_;  // that JavaScript names by position
  std::map<int, Library::ScopedFake> fakes_;
  std::map<int, GeneratedFakes> generated_;
  int last_scope_ = 0;
  size_t calls_ = 0;           // since memory was freed
  size_t tensors_before_ = 0;  // made until then
  FakeCall* frame_ = nullptr;  // of the fake that runs
};

// `ft.mode()`: one FakeTensorMode, whose calls run with nothing around them.
class ModeCaller final : public Caller {
 public:
  explicit ModeCaller(const ModeOptions& options);

  // Guards and deferred runtime asserts so far, as PyTorch prints them.
  std::vector<std::string> guards();

  // What a condition over sizes decides, "2*s77 > 10": a guard, where it has symbols.
  bool decide(const std::string& condition);

  // For a profile (mode_profile.h). begin_profile() raises RuntimeError while another runs, and
  // UsageError inside a fake and while a function is traced.
  Context& context() { return mode_.context(); }
  void begin_profile(const Profile& profile);
  void end_profile();
  void check_between_calls() const;

  // For compiled functions (compiled.h), which are traced in modes of their own.
  explicit ModeCaller(FakeTensorMode& traced) : Caller(traced), is_traced_(true) {}
  FakeTensorMode& mode() { return mode_; }
  bool is_traced() const { return is_traced_; }
  // Of the profile that records; null for none.
  EventRecorder* recorder() const { return profile_ == nullptr ? nullptr : profile_->recorder(); }
  Value read_value(const Json& value) { return read(value); }
  void tell_value(JsonWriter& json, const Value& value) { tell(json, value); }
  template <typename Run>
  void call_outside(JsonWriter& json, const Json& args, const Run& run) {
    call_by(json, args, run);
  }

 private:
  Library& library() override { return mode_.library(); }
  Value run(OpId op, std::span<const Value> args) override {
    return mode_.context().call(op, args);
  }

  bool is_traced_ = false;
  const Profile* profile_ = nullptr;  // that runs
};

std::vector<std::string> guards_of(const ShapeEnv* env);

}  // namespace faketensor::wasm
