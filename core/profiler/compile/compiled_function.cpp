#include "core/profiler/compile/compiled_function.h"

#include <algorithm>
#include <utility>

#include "core/graph/interpreter.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/evaluate.h"

namespace faketensor {

namespace {

// The symbols of an entry by the inputs of a call.
class Bindings {
 public:
  void bind(const Value& traced, const Value& given) {
    if (traced.is(Value::Tag::kInt) && given.is(Value::Tag::kInt)) {
      bind(traced.as_sym_int(), given.as_sym_int());
    } else if (traced.is_tensor() && given.is_tensor()) {
      bind(traced.tensor(), given.tensor());
    } else if (traced.is_list() && given.is_list()) {
      for (size_t i = 0; i < traced.size(); ++i) bind(traced[i], given[i]);
    }
  }

  std::optional<SymInt> value(SymInt size) const {
    if (!size.is_symbolic()) return size;
    const std::optional<Number> number = evaluate(size.node(), values_);
    if (!number || number->is_float) return std::nullopt;
    return SymInt(number->integer);
  }

  const std::vector<std::pair<const Tensor*, Tensor*>>& tensors() const { return tensors_; }

 private:
  void bind(SymInt symbol, SymInt number) {
    if (!symbol.is_symbolic() || symbol.node()->kind != ExprKind::kSymbol) return;
    if (const auto known = hint(number)) values_[symbol.node()] = Number::of(*known);
  }
  void bind(const Tensor& traced, Tensor& given) {
    for (size_t i = 0; i < traced.sizes().size(); ++i) {
      bind(traced.sizes()[i], given.sizes()[i]);
      bind(traced.strides()[i], given.strides()[i]);
    }
    bind(traced.offset(), given.offset());
    tensors_.emplace_back(&traced, &given);
  }

  Assignment values_;
  std::vector<std::pair<const Tensor*, Tensor*>> tensors_;
};

// Makes the results of an entry anew. Tensors on one storage stay so.
class Instantiation {
 public:
  Instantiation(FakeTensorMode& mode, const Bindings& bindings) : mode_(mode), bindings_(bindings) {
    for (const auto& [traced, given] : bindings.tensors())
      storages_.emplace_back(traced->storage, given->storage);
  }

  std::optional<Value> value(const Value& traced) {
    if (traced.is_tensor()) return tensor(traced.tensor());
    if (traced.is(Value::Tag::kInt)) {
      const std::optional<SymInt> number = bindings_.value(traced.as_sym_int());
      return number ? std::optional(Value(*number)) : std::nullopt;
    }
    if (!traced.is_list()) return traced.is_symbolic() ? std::nullopt : std::optional(traced);
    std::vector<Value> elements;
    for (size_t i = 0; i < traced.size(); ++i) {
      const std::optional<Value> element = value(traced[i]);
      if (!element) return std::nullopt;
      elements.push_back(*element);
    }
    return mode_.context().make_list(elements);
  }

 private:
  std::optional<Value> tensor(const Tensor& traced) {
    for (const auto& [input, given] : bindings_.tensors()) {
      if (input == &traced) return Value(given);
    }
    DimVector sizes;
    DimVector strides;
    if (!values(traced.sizes(), sizes) || !values(traced.strides(), strides)) return std::nullopt;
    const std::optional<SymInt> offset = bindings_.value(traced.offset());
    if (!offset) return std::nullopt;
    MetaSpec spec = traced.meta->spec();
    spec.sizes = sizes.span();
    spec.strides = strides.span();
    spec.offset = *offset;
    Storage* storage = nullptr;
    for (const auto& [from, to] : storages_) {
      if (from == traced.storage) storage = to;
    }
    Context& context = mode_.context();
    Tensor* const made = context.make_tensor(context.metas().intern(spec), storage);
    if (storage == nullptr) storages_.emplace_back(traced.storage, made->storage);
    return Value(made);
  }
  bool values(Dims traced, DimVector& out) const {
    for (const SymInt each : traced) {
      const std::optional<SymInt> value = bindings_.value(each);
      if (!value) return false;
      out.push_back(*value);
    }
    return true;
  }

  FakeTensorMode& mode_;
  const Bindings& bindings_;
  std::vector<std::pair<const Storage*, Storage*>> storages_;
};

struct RunGraph {
  const Graph& graph;
  std::vector<Value> operator()(Frame& frame, std::span<const Value> inputs) const {
    return {Interpreter(frame.mode().context()).run_graph(graph, inputs)};
  }
};

}  // namespace

std::optional<std::vector<Value>> results_for(const CacheEntry& entry, FakeTensorMode& mode,
                                              std::span<const Value> inputs) {
  Bindings bindings;
  for (size_t i = 0; i < inputs.size(); ++i) bindings.bind(entry.inputs()[i], inputs[i]);
  Instantiation instantiation(mode, bindings);
  std::vector<Value> results;
  for (const Value& each : entry.results()) {
    const std::optional<Value> result = instantiation.value(each);
    if (!result) return std::nullopt;
    results.push_back(*result);
  }
  return results;
}

Value Frame::call(std::string_view op, std::span<const Value> args) const {
  Context& context = mode_.context();
  const Library* library = context.library();
  const OpId id = library != nullptr ? library->find(op) : Registry::builtin().find(op);
  if (id == kNoOp) throw_error(ErrorKind::kUnsupportedOperator, std::string(op));
  return context.call(id, args);
}

// A stage of one call, and those after it.
class StagePart final : public FunctionPart {
 public:
  StagePart(const CompiledFunction& function, FakeTensorMode& mode, EventRecorder* recorder,
            std::vector<FrameInput> inputs, size_t stage)
      : function_(function),
        mode_(mode),
        recorder_(recorder),
        inputs_(std::move(inputs)),
        stage_(stage) {
    if (stage + 1 < function.stages_.size())
      rest_ = std::make_unique<StagePart>(function, mode, recorder, std::vector<FrameInput>(),
                                          stage + 1);
  }

  std::string name() const override {
    return stage_ == 0 ? function_.name_ : "torch_dynamo_resume_in_" + function_.name_;
  }
  std::vector<FrameInput> inputs() const override { return inputs_; }
  std::string break_reason() const override {
    const std::string& reason = function_.stages_[stage_].break_reason;
    return reason.empty() ? "graph break" : reason;
  }

  std::vector<Value> trace(FakeTensorMode& mode, std::span<const Value> inputs) override {
    Frame frame(mode, nullptr);
    std::vector<Value> results = function_.stages_[stage_].function(frame, inputs);
    may_replay_ = frame.is_replayable();
    return results;
  }
  bool may_replay() const override { return may_replay_; }

  void run(const CacheEntry* entry) override {
    std::vector<Value> values;
    for (const FrameInput& input : inputs_) values.push_back(input.value);
    std::optional<std::vector<Value>> results;
    if (entry != nullptr && recorder_ == nullptr && entry->is_replayable())
      results = results_for(*entry, mode_, values);
    Frame frame(mode_, recorder_);
    results_ = results ? std::move(*results) : function_.stages_[stage_].function(frame, values);
    if (rest_ == nullptr) return;
    for (size_t i = 0; i < results_.size(); ++i)
      rest_->inputs_.push_back(
          {.name = format("t{}", i), .value = results_[i], .use = static_cast<int>(i)});
  }

  FunctionPart* next() override { return rest_.get(); }
  const std::vector<Value>& results() const {
    return rest_ == nullptr ? results_ : rest_->results();
  }

 private:
  const CompiledFunction& function_;
  FakeTensorMode& mode_;
  EventRecorder* recorder_;
  std::vector<FrameInput> inputs_;
  size_t stage_;
  bool may_replay_ = true;
  std::vector<Value> results_;
  std::unique_ptr<StagePart> rest_;
};

CompiledFunction::CompiledFunction(Compiler& compiler, std::string name,
                                   std::vector<std::string> params, std::vector<Stage> stages,
                                   CompileOptions options)
    : compiler_(compiler),
      name_(std::move(name)),
      stages_(std::move(stages)),
      options_(std::move(options)) {
  for (std::string& param : params)
    params_.push_back({.name = std::move(param), .use = static_cast<int>(params_.size())});
}

CompiledFunction::CompiledFunction(Compiler& compiler, const Program& program,
                                   CompileOptions options)
    : compiler_(compiler), name_(program.name), options_(std::move(options)) {
  const Plan& plan = program.plan();
  for (Row row = 0; row < plan.size(); ++row) {
    if (plan.row(row).kind != RowKind::kPlaceholder) continue;
    const size_t place = params_.size();
    const bool is_input =
        place >= program.inputs.size() || program.inputs[place].kind == InputSpec::Kind::kUser;
    params_.push_back({.name = std::string(plan.name_of(row)),
                       .is_parameter = !is_input,
                       .use = static_cast<int>(place)});
  }
  stages_.push_back({RunGraph{program.graph()}});
}

std::vector<Value> CompiledFunction::call(FakeTensorMode& mode, std::span<const Value> args,
                                          EventRecorder* recorder) {
  if (args.size() != params_.size())
    throw_error(ErrorKind::kTypeError, format("{}() takes {} arguments but {} were given", name_,
                                              params_.size(), args.size()));
  std::vector<FrameInput> inputs = params_;
  for (size_t i = 0; i < args.size(); ++i) {
    inputs[i].value = args[i];
    params_[i].dynamic_dims.clear();
    params_[i].static_dims.clear();
  }
  const Context& context = mode.context();
  const ProgramState state{.grad_enabled = context.grad_enabled,
                           .default_dtype = context.default_dtype,
                           .target = context.target()};
  StagePart part(*this, mode, recorder, std::move(inputs), 0);
  compiler_.call(key(), part, options_, state, recorder);
  return part.results();
}

}  // namespace faketensor
