#include "core/profiles/fake_by_text.h"

#include <cstdlib>
#include <map>
#include <memory>

#include "core/ops/bind.h"
#include "core/profiles/size_expressions.h"
#include "core/support/format.h"

namespace faketensor {

// --- shapes ---

namespace {
const Tensor* first_tensor(FakeCall& call) {
  for (const Value& arg : call.args()) {
    if (arg.is_tensor()) return &arg.tensor();
  }
  return nullptr;
}

Value make_by_rule(FakeCall& call, const ShapeRule& rule) {
  const Tensor* like = first_tensor(call);
  SizeExpressions expressions(call);
  const DimVector sizes = expressions.evaluate(rule.sizes);
  const DimVector strides = rule.strides ? expressions.evaluate(*rule.strides) : DimVector{};
  const DType dtype = rule.dtype.value_or(like != nullptr ? like->dtype() : DType::kFloat32);
  const Device device = rule.device.value_or(like != nullptr ? like->device() : Device{});
  return call.context().empty(sizes, dtype, device.normalized(), strides);
}
}  // namespace

FakeImpl fake_by_shapes(std::vector<ShapeRule> rules) {
  return [rules = std::move(rules)](FakeCall& call) {
    SmallVector<Value, 4> results;
    for (const ShapeRule& rule : rules) results.push_back(make_by_rule(call, rule));
    return results.size() == 1 ? results[0] : call.context().make_list(results.span());
  };
}

// --- bodies ---

namespace {

struct Step {
  std::string op;
  std::vector<Value> args;  // kNodeRef: an earlier step's value
  std::vector<std::pair<std::string, Value>> kwargs;
};

struct Body {
  Arena arena;
  size_t inputs = 0;
  std::vector<Step> steps;  // after the inputs
  Value output;
};

// One line of a body after the other.
class BodyReader {
 public:
  explicit BodyReader(std::string_view text) : rest_(text) {}

  std::shared_ptr<const Body> read() {
    bool has_output = false;
    while (!rest_.empty() && !has_output) {
      line_ = rest_.substr(0, rest_.find('\n'));
      rest_.remove_prefix(std::min(rest_.size(), line_.size() + 1));
      ++number_;
      skip_spaces();
      if (line_.empty() || line_.starts_with("graph(")) continue;
      if (accept("return")) {
        body_->output = value();
        has_output = true;
      } else {
        node();
      }
    }
    if (!has_output) fail("a body ends with its return");
    return body_;
  }

 private:
  static constexpr int kMaxNesting = 8;
  static constexpr std::string_view kCall = "call_function[target=";

  void node() {
    if (!accept("%")) fail("a line of a body is '%name : ...' or 'return ...'");
    const std::string name(word());
    skip_spaces();
    if (!accept(":")) fail("':' expected");
    if (line_.find("placeholder") != std::string_view::npos && line_.find(kCall) == line_.npos) {
      if (!body_->steps.empty()) fail("placeholders come first");
      ++body_->inputs;
    } else {
      const size_t call = line_.find(kCall);
      if (call == std::string_view::npos) fail("a node is a placeholder or a call_function");
      line_.remove_prefix(call + kCall.size());
      body_->steps.push_back(step());
    }
    if (!names_.emplace(name, static_cast<uint32_t>(names_.size())).second)
      fail(format("the name {} a second time", name));
  }

  Step step() {
    Step step;
    step.op = line_.substr(0, line_.find(']'));
    line_.remove_prefix(std::min(line_.size(), step.op.size()));
    if (!accept("](args = (")) fail("'](args = (' expected");
    for (skip_spaces(); !accept(")"); separator()) step.args.push_back(value());
    if (!accept(", kwargs = {")) fail("', kwargs = {' expected");
    for (skip_spaces(); !accept("}"); separator()) {
      std::string name(word());
      if (!accept(":")) fail("':' expected");
      skip_spaces();
      step.kwargs.emplace_back(std::move(name), value());
    }
    return step;
  }

  Value value(int depth = 0) {
    skip_spaces();
    if (depth > kMaxNesting) fail("lists nested too deep");
    if (accept("%")) return reference(word());
    if (accept("[") || accept("(")) return list(depth);
    const std::string_view text = word();
    if (text == "None") return {};
    if (text == "True" || text == "False") return text == "True";
    if (const auto found = names_.find(text); found != names_.end()) return reference(text);
    if (!text.empty() && text.find_first_not_of("+-0123456789.e") == std::string_view::npos)
      return number(std::string(text));
    if (const auto dtype = parse_dtype(text.substr(text.rfind('.') + 1))) return *dtype;
    if (const auto format = parse_memory_format(text.substr(text.rfind('.') + 1))) return *format;
    if (const auto layout = parse_layout(text.substr(text.rfind('.') + 1))) return *layout;
    if (const auto device = parse_device(text)) return *device;
    if (text.empty()) fail("a value expected");
    return Value::string(body_->arena.copy(text));
  }

  Value list(int depth) {
    std::vector<Value> values;
    bool all_ints = true;
    for (skip_spaces(); !accept("]") && !accept(")"); separator()) {
      values.push_back(value(depth + 1));
      all_ints = all_ints && values.back().is(Value::Tag::kInt);
    }
    if (!all_ints || values.empty())
      return Value::list(body_->arena.copy(std::span<const Value>(values)));
    DimVector ints;
    for (const Value& element : values) ints.push_back(element.as_sym_int());
    return Value::ints(body_->arena.copy(ints.span()));
  }

  Value reference(std::string_view name) {
    const auto found = names_.find(name);
    if (found == names_.end()) fail(format("the name {} before its definition", name));
    return Value::node_ref(found->second);
  }

  static Value number(const std::string& text) {
    if (text.find_first_of(".e") != std::string::npos) return std::strtod(text.c_str(), nullptr);
    return static_cast<int64_t>(std::strtoll(text.c_str(), nullptr, 10));
  }

  std::string_view word() {
    const std::string_view text = line_.substr(0, line_.find_first_of(" ,)]}"));
    // A colon ends a keyword, but stands in "cuda:0".
    const size_t colon = text.find(": ");
    const std::string_view found =
        text.ends_with(':') ? text.substr(0, text.size() - 1) : text.substr(0, colon);
    line_.remove_prefix(found.size());
    return found;
  }
  void separator() {
    skip_spaces();
    if (line_.starts_with(")") || line_.starts_with("]") || line_.starts_with("}")) return;
    if (!accept(",")) fail("',' expected");
    skip_spaces();
  }
  bool accept(std::string_view text) {
    if (!line_.starts_with(text)) return false;
    line_.remove_prefix(text.size());
    return true;
  }
  void skip_spaces() {
    while (line_.starts_with(" ") || line_.starts_with("\t")) line_.remove_prefix(1);
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw_error(ErrorKind::kUnreadable, format("line {} of the body: {}", number_, what));
  }

  std::string_view rest_;
  std::string_view line_;
  size_t number_ = 0;
  std::shared_ptr<Body> body_ = std::make_shared<Body>();
  std::map<std::string, uint32_t, std::less<>> names_;
};

// The body's value for references, lists included.
Value resolved(Context& context, const Value& value, std::span<const Value> values) {
  if (value.is(Value::Tag::kNodeRef)) return values[value.node()];
  if (!value.is(Value::Tag::kList)) return value;
  SmallVector<Value, 8> elements;
  for (const Value& element : value.values())
    elements.push_back(resolved(context, element, values));
  return context.make_list(elements.span());
}

Value run_step(FakeCall& call, const Step& step, std::span<const Value> values) {
  Context& context = call.context();
  const Library& library = *context.library();
  const OpId op = library.find(step.op);
  if (op == kNoOp) call.fail(ErrorKind::kUnsupportedOperator, step.op);
  ArgumentBinder binder(library.entry(op).schema);
  for (const Value& arg : step.args) binder.add(resolved(context, arg, values));
  for (const auto& [name, value] : step.kwargs) binder.set(name, resolved(context, value, values));
  return context.call(op, binder.values());
}

}  // namespace

FakeImpl fake_by_body(std::string_view text) {
  return [body = BodyReader(text).read()](FakeCall& call) {
    if (call.args().size() != body->inputs) {
      call.fail(ErrorKind::kTypeError, format("a body with {} inputs was called with {}",
                                              body->inputs, call.args().size()));
    }
    std::vector<Value> values(call.args().begin(), call.args().end());
    for (const Step& step : body->steps) values.push_back(run_step(call, step, values));
    return resolved(call.context(), body->output, values);
  };
}

}  // namespace faketensor
