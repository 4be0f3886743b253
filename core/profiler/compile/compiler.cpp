#include "core/profiler/compile/compiler.h"

#include <algorithm>

#include "core/mode/find_tensor.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// What tells compilers of one function apart, and how PyTorch writes it.
std::string backend_text(const CompileOptions& options) {
  const std::string_view dynamic = !options.dynamic ? "None" : *options.dynamic ? "True" : "False";
  return format("_TorchCompileWrapper(compiler='{}', dynamic={})", options.backend, dynamic);
}

std::string backend_mismatch(const std::string& cached, const std::string& wanted) {
  return format(
      "BACKEND_MATCH failure: torch.compile detected different backend callables. Cached backend: "
      "{} (id=0x...). New backend: {} (id=0x...). If this is unexpected, wrap your backend in "
      "functools.partial (or reuse the same cached backend) to avoid creating a new backend "
      "function each time. More details: https://github.com/pytorch/pytorch/issues/168373",
      cached, wanted);
}

// Each line with `prefix` before it.
std::string indented(std::string_view text, std::string_view prefix) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    (out += prefix) += text.substr(0, end);
    text.remove_prefix(end);
  }
  return out;
}

template <typename Visit>
void visit_values(const std::string& name, const Value& value, const Visit& visit) {
  visit(name, value);
  for (size_t i = 0; value.is_list() && i < value.size(); ++i)
    visit_values(format("{}[{}]", name, i), value[i], visit);
}

std::optional<double> number_of(const Value& value) {
  if (value.is(Value::Tag::kInt)) return static_cast<double>(value.to_int());
  if (value.is(Value::Tag::kFloat)) return value.as_double();
  return std::nullopt;
}

}  // namespace

void Compiler::reset() {
  codes_.clear();
  frames_ = 0;
}

const std::list<CacheEntry>& Compiler::entries(const std::string& key) const {
  static const std::list<CacheEntry> none;
  const auto found = codes_.find(key);
  return found == codes_.end() ? none : found->second.entries;
}

void Compiler::call(const std::string& key, FunctionPart& part, const CompileOptions& options,
                    const ProgramState& state, EventRecorder* recorder) {
  call(codes_[key], part, {options, state, recorder, backend_text(options)});
}

void Compiler::run_eagerly(FunctionPart& part) {
  for (FunctionPart* each = &part; each != nullptr; each = each->next()) {
    each->run(nullptr);
    if (each->next() != nullptr) each->run_break();
  }
}

void Compiler::call(Code& code, FunctionPart& part, const Call& call) {
  if (code.is_skipped) return run_eagerly(part);
  const std::vector<FrameInput> inputs = part.inputs();
  CacheEntry* entry = look_up(code, inputs, part.path(), call);
  if (entry == nullptr && !code.is_run_only) {
    if (!code.entries.empty()) log_reasons(code, part, inputs, call);
    if (code.entries.size() >= recompile_limit) {
      code.is_run_only = true;
    } else {
      entry = compile(code, part, inputs, call);
    }
  }
  if (entry == nullptr) return run_eagerly(part);
  run_compiled(code, *entry, part, call);
}

// The graph of a backend that traces below autograd (AOTAutograd) holds what composites call.
void Compiler::run_graph(const CacheEntry& entry, FunctionPart& part, const Call& call) {
  const std::string& backend = call.options.backend;
  const bool is_traced_below = backend.starts_with("aot") || backend == "inductor";
  if (call.recorder != nullptr) call.recorder->set_flattening(is_traced_below);
  struct Restore {
    EventRecorder* recorder;
    ~Restore() {
      if (recorder != nullptr) recorder->set_flattening(false);
    }
  };
  const Restore restore{call.recorder};
  part.run(&entry);
}

void Compiler::run_compiled(Code& code, const CacheEntry& entry, FunctionPart& part,
                            const Call& call) {
  const SpanScope region(call.recorder, entry.region(), SpanKind::kSpan);
  run_graph(entry, part, call);
  FunctionPart* const rest = part.next();
  if (rest == nullptr) return;
  part.run_break();
  std::unique_ptr<Code>& rest_code = code.rests[entry.path_];
  if (rest_code == nullptr) rest_code = std::make_unique<Code>();
  this->call(*rest_code, *rest, call);
}

// A frame without entries of this backend is not looked through.
CacheEntry* Compiler::look_up(Code& code, std::span<const FrameInput> inputs,
                              const std::string& path, const Call& call) {
  const auto is_of_backend = [&](const CacheEntry& entry) {
    return entry.backend_ == call.backend;
  };
  if (std::none_of(code.entries.begin(), code.entries.end(), is_of_backend)) return nullptr;
  const SpanScope span(call.recorder, "TorchDynamo Cache Lookup", SpanKind::kSpan);
  for (auto entry = code.entries.begin(); entry != code.entries.end(); ++entry) {
    if (!is_of_backend(*entry)) continue;
    if (entry->guards_->check(inputs, call.state, true) || entry->path_ != path) continue;
    code.entries.splice(code.entries.begin(), code.entries, entry);
    return &code.entries.front();
  }
  return nullptr;
}

std::string Compiler::reason_of(CacheEntry& entry, std::span<const FrameInput> inputs,
                                const Call& call) {
  if (auto reason = entry.guards_->check(inputs, call.state, false)) return *reason;
  if (entry.backend_ != call.backend) return backend_mismatch(entry.backend_, call.backend);
  // The function goes another way. Where a dynamic number has changed, it is taken to be why: the
  // trace is specialised to it.
  for (const auto& [name, before] : entry.numbers_) {
    for (const FrameInput& input : inputs) {
      const std::optional<double> now = number_of(input.value);
      if (input.name == name && now && *now != before)
        return format("{} == {}", name, static_cast<int64_t>(before));
    }
  }
  return "another way through the function";
}

void Compiler::log_reasons(Code& code, const FunctionPart& part, std::span<const FrameInput> inputs,
                           const Call& call) {
  std::string reasons;
  for (CacheEntry& entry : code.entries) {
    if (!reasons.empty()) reasons += '\n';
    reasons += format("{}: {}", entry.id_, reason_of(entry, inputs, call));
  }
  const std::string details =
      "triggered by the following guard failure(s):\n" + indented(reasons, "- ");
  recompiles_.push_back(
      format("Recompiling function {}\n{}", part.name(), indented(details, "    ")));
}

void Compiler::note_inputs(Code& code, std::span<const FrameInput> inputs) {
  for (const FrameInput& input : inputs) {
    if (input.use == FrameInput::kUnused || input.is_parameter) continue;
    visit_values(input.name, input.value, [&](const std::string& name, const Value& value) {
      if (value.is_tensor()) return code.seen.note(name, value.tensor());
      if (const auto number = number_of(value)) code.seen.note(name, *number);
    });
  }
}

// The function's operators on symbols, and the guards that come of it.
void Compiler::trace(CacheEntry& entry, FunctionPart& part, std::span<const FrameInput> inputs,
                     const AutomaticDynamic& seen, const Call& call) {
  entry.mode_ = std::make_unique<FakeTensorMode>(call.state.target);
  entry.mode_->attach_shape_env(nullptr);
  Context& context = entry.mode_->context();
  context.grad_enabled = call.state.grad_enabled;
  context.default_dtype = call.state.default_dtype;
  const TracedInputs traced(*entry.mode_, inputs, seen, call.options.dynamic);
  std::vector<std::pair<const Tensor*, const TensorMeta*>> metas;
  for_each_tensor(traced.values(),
                  [&](const Tensor& tensor) { metas.emplace_back(&tensor, tensor.meta); });
  {
    const SpanScope span(call.recorder, dynamo_timed("bytecode_tracing"), SpanKind::kSpan);
    try {
      entry.results_ = part.trace(*entry.mode_, traced.values());
      const auto is_as_before = [](const auto& each) { return each.first->meta == each.second; };
      entry.is_replayable_ =
          part.may_replay() && std::all_of(metas.begin(), metas.end(), is_as_before);
    } catch (const Error&) {
      // What raised raises again when the function runs; what was decided until then is guarded.
    }
  }
  entry.inputs_.assign(traced.values().begin(), traced.values().end());
  {
    const SpanScope span(call.recorder, dynamo_timed("OutputGraph.call_user_compiler"),
                         SpanKind::kSpan);
    const SpanScope backend(call.recorder, dynamo_timed(call.options.backend), SpanKind::kSpan);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::optional<double> number = number_of(inputs[i].value);
      if (number && entry.inputs_[i].is_symbolic())
        entry.numbers_.emplace_back(inputs[i].name, *number);
    }
  }
  const SpanScope span(call.recorder, dynamo_timed("build_guards"), SpanKind::kSpan);
  entry.guards_.emplace(inputs, traced, *context.shape_env(), call.state);
}

CacheEntry* Compiler::compile(Code& code, FunctionPart& part, std::span<const FrameInput> inputs,
                              const Call& call) {
  if (code.id < 0) code.id = frames_++;
  if (call.options.fullgraph && part.next() != nullptr)
    throw_error(ErrorKind::kRuntimeError, part.break_reason());
  if (!part.calls_operators() && part.next() == nullptr) {
    code.is_skipped = true;
    return nullptr;
  }
  const SpanScope whole(call.recorder, dynamo_timed("_compile.compile_inner"), SpanKind::kSpan);
  const SpanScope attempt(call.recorder, dynamo_timed("compile_attempt_0"), SpanKind::kSpan);
  note_inputs(code, inputs);
  CacheEntry entry;
  entry.id_ = format("{}/{}", code.id, code.compiled++);
  entry.backend_ = call.backend;
  entry.path_ = part.path();
  trace(entry, part, inputs, code.seen, call);
  code.entries.push_front(std::move(entry));
  return &code.entries.front();
}

}  // namespace faketensor
