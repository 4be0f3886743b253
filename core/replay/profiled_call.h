// A call of a compiled function as a transcript records it: its arguments, and the operators that it
// runs for them, with breaks where tracing stops.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/formats/json_fields.h"
#include "core/io/value_json.h"
#include "core/profiler/compile/compiler.h"
#include "core/replay/sizes_of_arguments.h"

namespace faketensor {

// What all parts of one call share.
struct ProfiledCall {
  // `before`: the last call of the function, null where there was none.
  ProfiledCall(FakeTensorMode& mode, const Json& step, const Json* before,
               std::vector<size_t> dynamic_dims, std::function<void(const Json&)> run_operator);

  const Json& step;
  const Json* before;
  ValueReader reader;                 // of the call's arguments
  std::vector<FrameInput> arguments;  // by the function's parameters
  std::vector<const Json*> body;
  std::map<int64_t, std::string> names;           // of arguments that are tensors, by their number
  std::function<void(const Json&)> run_operator;  // as the program runs it
};

// The operators from one break to the next.
class ProfiledPart final : public FunctionPart {
 public:
  // The part that begins with `first`, and those after it.
  ProfiledPart(ProfiledCall& call, size_t first, int number = 0);

  std::string name() const override;
  std::vector<FrameInput> inputs() const override { return inputs_; }
  std::string path() const override;
  bool calls_operators() const override { return end_ > first_; }
  std::vector<Value> trace(FakeTensorMode& mode, std::span<const Value> inputs) override;
  void run(const CacheEntry* entry) override;
  FunctionPart* next() override { return rest_.get(); }
  void run_break() override;

 private:
  void find_inputs();
  const Json* arguments_before(size_t position) const;
  void name_inputs(ValueReader& reader, std::span<const Value> inputs) const;
  SizesOfArguments sizes_of_arguments(std::span<const Value> inputs) const;
  Value trace_operator(size_t position, FakeTensorMode& mode, ValueReader& reader,
                       const SizesOfArguments& sizes) const;
  void note_uses();

  ProfiledCall& call_;
  size_t first_;
  size_t end_;  // the break, or behind the last operator
  int number_;
  std::vector<FrameInput> inputs_;
  std::vector<const Json*> recorded_inputs_;  // of a later part, as they are recorded
  std::map<int64_t, int> uses_;  // by tensor number: when the part first reads what it did not make
  std::vector<std::pair<int64_t, const Json*>> read_;  // those tensors, in that order
  std::unique_ptr<ProfiledPart> rest_;
};

}  // namespace faketensor
