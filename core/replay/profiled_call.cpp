#include "core/replay/profiled_call.h"

#include <algorithm>
#include <set>

#include "core/io/call_json.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

bool is_tensor(const Json& json) { return json.is_object() && json.contains("t"); }

template <typename Visit>
void visit_tensors(const Json& json, const Visit& visit) {
  if (is_tensor(json)) return visit(integer_of(json.at("t"), "t"), json);
  if (!json.is_array()) return;
  for (const Json& element : json) visit_tensors(element, visit);
}

// A Python number stands as a tensor without dimensions.
bool is_number(const Json& tensor) { return list_member(tensor, "size").empty(); }

// Where TorchDynamo stops tracing: a break of the program, an operator whose result, or its size, is
// data.
bool breaks_graph(const Json& step) {
  if (text_member(step, "do") == "break") return true;
  const std::string& name = text_member(step, "op");
  if (name == "aten::item" || name == "aten::_local_scalar_dense") return true;
  const OpId op = Registry::builtin().find(name);
  constexpr uint32_t kData = kDynamicShape | kDataDependent | kSizeIsData;
  return op != kNoOp && (Registry::builtin().entry(op).tags & kData) != 0;
}

const Json& results_of(const Json& step) { return list_member_or_empty(step, "result"); }

template <typename Visit>
void visit_results(const Value& value, const Visit& visit) {
  if (value.is_tensor()) return visit(value.tensor());
  for (size_t i = 0; value.is(Value::Tag::kList) && i < value.size(); ++i)
    visit_results(value[i], visit);
}

// Whether a tensor of the trace is the one that is recorded: numbers of tensors are used again.
bool is_same(const Tensor& tensor, const Json& recorded) {
  const Json& sizes = list_member(recorded, "size");
  if (sizes.size() != static_cast<size_t>(tensor.dim())) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (hint(tensor.sizes()[i]) != integer_of(sizes[i], "size")) return false;
  }
  return name(tensor.dtype()) == text_member(recorded, "dtype");
}

// What says which way the function went: arguments but for numbers, of which guards are.
void append_way(std::string& out, const Json& arg) {
  if (is_tensor(arg)) {
    out += is_number(arg) ? "number" : "tensor";
  } else if (arg.is_array()) {
    out += '[';
    for (const Json& element : arg) append_way(out, element);
    out += ']';
  } else if (!arg.is_number_integer()) {
    out += arg.dump();
  }
  out += ' ';
}

}  // namespace

ProfiledCall::ProfiledCall(FakeTensorMode& mode, const Json& call, const Json* call_before,
                           std::vector<size_t> dynamic_dims,
                           std::function<void(const Json&)> runner)
    : step(call), before(call_before), reader(mode), run_operator(std::move(runner)) {
  const Json& args = list_member(call, "args");
  const Json& params = list_member(call, "params");
  for (size_t i = 0; i < params.size(); ++i) {
    FrameInput argument{.name = text_of(params[i], "params")};
    if (i < args.size()) {
      argument.value = reader.read(args[i]);
      if (is_tensor(args[i])) names.emplace(integer_of(args[i].at("t"), "t"), argument.name);
    }
    if (argument.value.is_tensor()) argument.dynamic_dims = std::exchange(dynamic_dims, {});
    arguments.push_back(std::move(argument));
  }
  for (const Json& each : list_member(call, "body")) body.push_back(&each);
}

ProfiledPart::ProfiledPart(ProfiledCall& call, size_t first, int number)
    : call_(call), first_(first), end_(first), number_(number) {
  while (end_ < call.body.size() && !breaks_graph(*call.body[end_])) ++end_;
  note_uses();
  find_inputs();
  if (end_ < call.body.size()) rest_ = std::make_unique<ProfiledPart>(call, end_ + 1, number + 1);
}

std::string ProfiledPart::name() const {
  const std::string& name = text_member(call_.step, "name");
  return number_ == 0 ? name : "torch_dynamo_resume_in_" + name;
}

// What the part reads and did not make itself.
void ProfiledPart::note_uses() {
  std::set<int64_t> made;
  for (size_t i = first_; i < end_; ++i) {
    visit_tensors(list_member(*call_.body[i], "args"), [&](int64_t number, const Json& tensor) {
      if (made.count(number) != 0) return;
      if (uses_.emplace(number, static_cast<int>(uses_.size())).second)
        read_.emplace_back(number, &tensor);
    });
    for (const Json& result : results_of(*call_.body[i])) made.insert(integer_of(result, "result"));
  }
}

// The first part has the function's arguments. A later one has those tensors that it reads and that
// were there before: arguments, and results of the parts before it.
void ProfiledPart::find_inputs() {
  if (number_ == 0) {
    const Json& args = list_member(call_.step, "args");
    for (size_t i = 0; i < call_.arguments.size(); ++i) {
      FrameInput input = call_.arguments[i];
      int use = FrameInput::kUnused;
      bool has_tensors = false;
      if (i < args.size()) {
        visit_tensors(args[i], [&](int64_t number, const Json&) {
          has_tensors = true;
          const auto found = uses_.find(number);
          if (found != uses_.end() && (use < 0 || found->second < use)) use = found->second;
        });
      }
      input.use = has_tensors ? use : static_cast<int>(uses_.size() + i);
      inputs_.push_back(std::move(input));
    }
    return;
  }
  std::set<int64_t> before;
  for (const auto& [number, argument] : call_.names) before.insert(number);
  for (size_t i = 0; i < first_; ++i) {
    for (const Json& result : results_of(*call_.body[i]))
      before.insert(integer_of(result, "result"));
  }
  for (const auto& [number, tensor] : read_) {
    if (before.count(number) == 0 || is_number(*tensor)) continue;
    const auto name = call_.names.find(number);
    recorded_inputs_.push_back(tensor);
    inputs_.push_back(
        {.name = name == call_.names.end() ? format("t{}", inputs_.size()) : name->second,
         .value = call_.reader.read(*tensor),
         .use = static_cast<int>(inputs_.size())});
  }
}

std::string ProfiledPart::path() const {
  std::string way;
  for (size_t i = first_; i < end_; ++i) {
    (way += text_member(*call_.body[i], "op")) += '(';
    for (const Json& arg : list_member(*call_.body[i], "args")) append_way(way, arg);
    way += ')';
  }
  if (end_ < call_.body.size()) way += "break";
  return way;
}

// The arguments of the operator in the call before, where that went the same way so far.
const Json* ProfiledPart::arguments_before(size_t position) const {
  if (call_.before == nullptr || number_ != 0) return nullptr;
  const Json& body = list_member(*call_.before, "body");
  if (body.size() != call_.body.size()) return nullptr;
  const Json& step = body[position];
  const bool is_same_step =
      text_member(step, "do") == text_member(*call_.body[position], "do") &&
      text_member(step, "op", "") == text_member(*call_.body[position], "op", "");
  return is_same_step ? &list_member_or_empty(step, "args") : nullptr;
}

// Gives the traced inputs the numbers by which the body names them.
void ProfiledPart::name_inputs(ValueReader& reader, std::span<const Value> inputs) const {
  const auto name = [&](const Json& recorded, const Value& value) {
    if (is_tensor(recorded) && value.is_tensor())
      reader.name_tensor(integer_of(recorded.at("t"), "t"), &value.tensor());
  };
  if (number_ != 0) {
    for (size_t i = 0; i < inputs.size(); ++i) name(*recorded_inputs_[i], inputs[i]);
    return;
  }
  const Json& args = list_member(call_.step, "args");
  for (size_t i = 0; i < args.size() && i < inputs.size(); ++i) {
    name(args[i], inputs[i]);
    for (size_t k = 0; args[i].is_array() && inputs[i].is_list() && k < args[i].size(); ++k)
      name(args[i][k], inputs[i][k]);
  }
}

SizesOfArguments ProfiledPart::sizes_of_arguments(std::span<const Value> inputs) const {
  SizesOfArguments sizes;
  if (call_.before == nullptr || number_ != 0) return sizes;
  const Json& before = list_member(*call_.before, "args");
  const Json& args = list_member(call_.step, "args");
  for (size_t i = 0; i < args.size() && i < before.size() && i < inputs.size(); ++i)
    sizes.add(before[i], args[i], inputs[i]);
  return sizes;
}

Value ProfiledPart::trace_operator(size_t position, FakeTensorMode& mode, ValueReader& reader,
                                   const SizesOfArguments& sizes) const {
  const Json& step = *call_.body[position];
  const OpId op = Registry::builtin().find(text_member(step, "op"));
  if (op == kNoOp) throw_error(ErrorKind::kUnsupportedOperator, text_member(step, "op"));
  const Json& now = list_member(step, "args");
  // A tensor that is not there, or is another one by now, is the program's own: its sizes are
  // numbers.
  visit_tensors(now, [&](int64_t number, const Json& recorded) {
    const Tensor* known = reader.tensor(number);
    if (known != nullptr && is_same(*known, recorded)) return;
    ValueReader fresh(mode);
    const Value made = fresh.read(recorded);
    made.tensor().is_wrapped_number = is_number(recorded);
    reader.name_tensor(number, &made.tensor());
  });
  std::vector<Value> args =
      bind_arguments(Registry::builtin().entry(op).schema, now, Json::object(), reader);
  const Json* before = arguments_before(position);
  for (size_t k = 0; before != nullptr && k < now.size() && k < before->size(); ++k)
    args[k] = sizes.argument(mode.context(), (*before)[k], now[k], args[k]);
  const Value result = mode.context().call(op, args);
  size_t at = 0;
  const Json& numbers = results_of(step);
  visit_results(result, [&](Tensor& tensor) {
    if (at < numbers.size()) reader.name_tensor(integer_of(numbers[at++], "result"), &tensor);
  });
  return result;
}

std::vector<Value> ProfiledPart::trace(FakeTensorMode& mode, std::span<const Value> inputs) {
  ValueReader reader(mode);
  name_inputs(reader, inputs);
  const SizesOfArguments sizes = sizes_of_arguments(inputs);
  std::vector<Value> results;
  for (size_t i = first_; i < end_; ++i) results.assign(1, trace_operator(i, mode, reader, sizes));
  return results;
}

void ProfiledPart::run(const CacheEntry*) {
  for (size_t i = first_; i < end_; ++i) call_.run_operator(*call_.body[i]);
}

void ProfiledPart::run_break() {
  if (end_ < call_.body.size() && text_member(*call_.body[end_], "do") != "break")
    call_.run_operator(*call_.body[end_]);
}

}  // namespace faketensor
