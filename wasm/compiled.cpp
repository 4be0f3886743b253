#include "wasm/compiled.h"

#include <algorithm>
#include <utility>

#include "core/graph/interpreter.h"
#include "core/mode/find_tensor.h"
#include "core/support/format.h"
#include "wasm/objects.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

namespace {

int number_argument(const Json& given, std::string_view name) {
  return static_cast<int>(integer_of(member(given, name, kUsage), name, kUsage));
}
std::shared_ptr<JsCompiled> compiled_at(const Json& given) {
  return objects().compiled.at(number_argument(given, "compiled"));
}

// For as long as a call runs.
class Running {
 public:
  Running() { ++objects().compiled_calls; }
  ~Running() { --objects().compiled_calls; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

void check_no_call() {
  if (objects().compiled_calls > 0)
    throw_error(kUsage, "a compiled function runs: the compiler cannot forget it");
}

// An entry is of numbers: what the caller's own ShapeEnv knows of a symbol is nothing to it.
void check_numbers(const std::vector<Value>& values) {
  for_each_tensor(values, [](const Tensor& tensor) {
    const auto is_symbolic = [](SymInt each) { return each.is_symbolic(); };
    if (std::any_of(tensor.sizes().begin(), tensor.sizes().end(), is_symbolic) ||
        std::any_of(tensor.strides().begin(), tensor.strides().end(), is_symbolic))
      throw_error(kUsage, "arguments of a compiled function have numbers as sizes, not symbols");
  });
  for (const Value& value : values) {
    if (value.is_symbolic())
      throw_error(kUsage, "arguments of a compiled function are numbers, not symbols");
  }
}

// A parameter or a buffer, as the file has it.
Value module_tensor(const Program& program, Row row, FakeTensorMode& mode) {
  const Node& node = program.node(row);
  if (node.recorded == nullptr) return node.val;
  MetaSpec spec = node.recorded->spec();
  spec.offset = 0;
  spec.flags = 0;
  return mode.context().make_tensor(mode.context().metas().intern(spec), nullptr);
}

bool is_user_input(const Program& program, Row row) {
  return row >= program.inputs.size() || program.inputs[row].kind == InputSpec::Kind::kUser;
}

std::vector<std::string> input_names(const Program& program) {
  std::vector<std::string> names;
  for (Row row = 0; row < program.plan().size(); ++row) {
    if (program.plan().row(row).kind == RowKind::kPlaceholder)
      names.emplace_back(program.plan().name_of(row));
  }
  return names;
}

}  // namespace

struct RunStage {
  JsCompiled& of;
  size_t stage;
  std::vector<Value> operator()(Frame& frame, std::span<const Value> inputs) const {
    return of.run_stage(stage, frame, inputs);
  }
};

JsCompiled::JsCompiled(int program, const Json& given, const emscripten::val& run)
    : name_(text_member(given, "name")),
      stages_(static_cast<size_t>(integer_of(member(given, "stages"), "stages", kUsage))),
      run_(run) {
  options_.key = text_member(given, "key");
  options_.backend = text_member(given, "backend");
  options_.fullgraph = bool_member(given, "fullgraph", false);
  if (const Json& dynamic = member(given, "dynamic"); !dynamic.is_null())
    options_.dynamic = bool_of(dynamic, "dynamic", kUsage);
  if (program == 0) return;
  program_ = objects().programs.at(program);
  names_ = input_names(*program_);
  function_.emplace(objects().compiler, *program_, options_);
}

// Another of the key may be there; while one is called, its entries are.
JsCompiled::~JsCompiled() {
  const auto& others = objects().compiled;
  const bool is_last = !others.any(
      [&](const JsCompiled& each) { return &each != this && each.options_.key == options_.key; });
  if (is_last && objects().compiled_calls == 0) objects().compiler.forget(options_.key);
}

// The arguments by the names of the first call; a program's module tensors are not given.
std::vector<Value> JsCompiled::bind(ModeCaller& mode, const std::vector<std::string>& names,
                                    const Json& args) const {
  for (const std::string& name : names) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end())
      throw_error(ErrorKind::kTypeError,
                  format("{}() got an unexpected argument '{}'", name_, name));
  }
  std::vector<Value> values;
  for (Row row = 0; row < names_.size(); ++row) {
    const auto given =
        static_cast<size_t>(std::find(names.begin(), names.end(), names_[row]) - names.begin());
    if (given < names.size()) {
      values.push_back(mode.read_value(element(args, given, "args")));
    } else if (program_ != nullptr && !is_user_input(*program_, row)) {
      values.push_back(module_tensor(*program_, row, mode.mode()));
    } else {
      throw_error(ErrorKind::kTypeError, format("{}() missing argument: '{}'", name_, names_[row]));
    }
  }
  return values;
}

void JsCompiled::mark(const Json& marks) {
  for (const auto& [name, dims] : marks.items()) {
    const auto place =
        static_cast<size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    for (const Json& dim : list_member_or_empty(dims, "dynamic"))
      function_->mark_dynamic(place, static_cast<size_t>(integer_of(dim, "dim", kUsage)));
    for (const Json& dim : list_member_or_empty(dims, "static"))
      function_->mark_static(place, static_cast<size_t>(integer_of(dim, "dim", kUsage)));
  }
}

std::vector<Value> JsCompiled::run_stage(size_t stage, Frame& frame,
                                         std::span<const Value> inputs) {
  const bool is_traced = &frame.mode() != &mode_->mode();
  const std::shared_ptr<ModeCaller> mode =
      is_traced ? std::make_shared<ModeCaller>(frame.mode()) : mode_;
  struct Added {
    int number;
    ~Added() {
      if (number != 0) objects().callers.remove(number);
    }
  };
  const Added added{is_traced ? objects().callers.add(mode) : 0};
  const std::string args = written([&](JsonWriter& json) {
    const auto object = json.object();
    for (size_t i = 0; i < inputs.size(); ++i)
      mode->tell_value(json.key(stage == 0 ? names_[i] : format("t{}", i)), inputs[i]);
  });
  const emscripten::val answer = run_(static_cast<int>(stage), added.number, args);
  if (!answer.isString()) throw_error(kUsage, format("the compiled function {} failed", name_));
  const Json result = parse_json(answer.as<std::string>(), "a compiled function's result");
  if (!bool_member(result, "replays", false)) frame.forbid_replay();
  const Value out = mode->read_value(member(result, "out"));
  if (stage + 1 == stages_ || !out.is_list()) return {out};
  std::vector<Value> values;
  for (size_t i = 0; i < out.size(); ++i) values.push_back(out[i]);
  return values;
}

std::vector<Value> JsCompiled::run_inline(ModeCaller& mode, std::vector<Value> values) {
  Frame frame(mode.mode(), nullptr);
  if (program_ != nullptr)
    return {Interpreter(mode.context()).run_graph(program_->graph(), values)};
  for (size_t stage = 0; stage < stages_; ++stage) values = run_stage(stage, frame, values);
  return values;
}

void JsCompiled::call(JsonWriter& json, const std::shared_ptr<ModeCaller>& mode,
                      const Json& given) {
  const std::vector<std::string> names = read_texts(member(given, "names", kUsage), "names");
  const Json& args = list_of(member(given, "args", kUsage), "args", kUsage);
  if (!function_) {
    names_ = names;
    std::vector<Stage> stages;
    for (size_t stage = 0; stage < stages_; ++stage) stages.push_back({RunStage{*this, stage}});
    function_.emplace(objects().compiler, name_, names_, std::move(stages), options_);
  }
  const Running running;
  struct Within {
    Within(std::shared_ptr<ModeCaller>& at, std::shared_ptr<ModeCaller> mode)
        : place(at), before(std::exchange(at, std::move(mode))) {}
    ~Within() { place = std::move(before); }
    std::shared_ptr<ModeCaller>& place;
    std::shared_ptr<ModeCaller> before;
  };
  const Within within(mode_, mode);
  mode->call_outside(json, args, [&]() -> Value {
    std::vector<Value> values = bind(*mode, names, args);
    std::vector<Value> results;
    if (mode->is_traced()) {
      results = run_inline(*mode, std::move(values));
    } else {
      check_numbers(values);
      mark(object_of(member(given, "marks", kUsage), "marks", kUsage));
      results = function_->call(mode->mode(), values, mode->recorder());
    }
    return results.size() == 1 ? results[0] : mode->context().make_list(results);
  });
}

void JsCompiled::write_entries(JsonWriter& json) const {
  const auto list = json.array();
  for (const CacheEntry& entry : objects().compiler.entries(options_.key)) {
    const auto object = json.object();
    json.field("id", entry.id());
    json.field("backend", entry.backend());
    json.field("sizeGuards", entry.size_guards());
    json.field("isReplayed", entry.is_replayable());
  }
}

// --- questions ---

std::string compile_function(int program, const std::string& given, const emscripten::val& run) {
  return reply([&](JsonWriter& json) {
    json.value(objects().compiled.add(
        std::make_shared<JsCompiled>(program, parse_json(given, "what is compiled"), run)));
  });
}

void run_compiled(JsonWriter& json, const Json& given) {
  const auto mode =
      std::dynamic_pointer_cast<ModeCaller>(objects().callers.at(number_argument(given, "mode")));
  if (mode == nullptr) throw_error(kUsage, "compiled functions are called in a mode");
  const std::shared_ptr<JsCompiled> compiled = compiled_at(given);
  compiled->call(json, mode, given);
}

void compiled_entries(JsonWriter& json, const Json& given) {
  compiled_at(given)->write_entries(json);
}

void close_compiled(JsonWriter& json, const Json& given) {
  objects().compiled.remove(number_argument(given, "compiled"));
  json.value(nullptr);
}

void compiler_state(JsonWriter& json, const Json& given) {
  Compiler& compiler = objects().compiler;
  if (const Json* limit = find_member(given, "limit"))
    compiler.recompile_limit = static_cast<size_t>(integer_of(*limit, "limit", kUsage));
  if (bool_member(given, "reset", false)) {
    check_no_call();
    compiler.reset();
  }
  const auto object = json.object();
  json.field("recompiles", compiler.recompiles());
  json.field("recompileLimit", compiler.recompile_limit);
}

}  // namespace faketensor::wasm
