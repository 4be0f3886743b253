#include "wasm/queries.h"

#include <map>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/analysis/fit_devices.h"
#include "core/devices/presets.h"
#include "core/formats/json_fields.h"
#include "core/graph/bodies.h"
#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/io/allocator_json.h"
#include "core/io/assumption_json.h"
#include "core/io/cost_json.h"
#include "core/io/device_json.h"
#include "core/io/draft_json.h"
#include "core/io/explain_json.h"
#include "core/io/options_json.h"
#include "core/io/profile_json.h"
#include "core/io/training_json.h"
#include "core/passes/pass.h"
#include "core/profiles/program_profiles.h"
#include "core/support/format.h"
#include "core/support/version.h"
#include "wasm/compiled.h"
#include "wasm/mode_profile.h"
#include "wasm/objects.h"
#include "wasm/packed.h"
#include "wasm/profile_queries.h"
#include "wasm/program_view.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

namespace {

const std::string& text_argument(const Json& given, std::string_view name) {
  return text_of(member(given, name, kUsage), name, kUsage);
}
int64_t integer_argument(const Json& given, std::string_view name) {
  return integer_of(member(given, name, kUsage), name, kUsage);
}
double tensor_argument(const Json& given) {
  return number_of(member(given, "tensor", kUsage), "tensor", kUsage);
}
const Json& mode_argument(const Json& given) { return member(given, "mode", kUsage); }

void nothing(JsonWriter& json) { const auto empty = json.object(); }

// --- the engine ---

// By number, as packed values have them.
template <typename Enum>
void write_names(JsonWriter& json, std::string_view key, int count) {
  const auto names = json.array(key);
  for (int i = 0; i < count; ++i) json.value(name(static_cast<Enum>(i)));
}

void info(JsonWriter& json, const Json&) {
  const auto object = json.object();
  json.field("version", version());
  json.field("torch", Target{}.torch);
  json.field("packedVersion", kPackedVersion);
  write_names<DType>(json, "dtypes", kDTypeCount);
  write_names<DeviceType>(json, "deviceTypes", kDeviceTypeCount);
}

// The operators whose name contains the pattern, sorted by name.
void operators(JsonWriter& json, const Json& given) {
  const std::string& pattern = text_argument(given, "pattern");
  std::map<std::string_view, std::string_view> found;
  for (const OpEntry& entry : Registry::builtin().entries()) {
    if (entry.name.find(pattern) != std::string::npos) found.emplace(entry.name, entry.schema.text);
  }
  const auto list = json.array();
  for (const auto& [name, schema] : found) {
    const auto entry = json.object();
    json.field("name", name);
    json.field("schema", schema);
  }
}

void list_passes(JsonWriter& json, const Json&) {
  const auto list = json.array();
  for (const PassRow& pass : passes()) {
    const auto row = json.object();
    json.field("name", pass.name);
    json.field("argument", pass.argument);
    json.field("about", pass.about);
  }
}

// What was written last (passes.h), which is not kept.
std::vector<uint8_t> written_program(const Json&) { return std::exchange(objects().written, {}); }

// Op profiles: YAML to JSON (core/io/profile_json.h), and back.
void parse_profiles(JsonWriter& json, const Json& given) {
  write_profiles(json, read_profiles_or_yaml(member(given, "yaml", kUsage)));
}

void format_profiles(JsonWriter& json, const Json& given) {
  json.value(generate_yaml_from_profiles(read_profiles_or_yaml(member(given, "profiles", kUsage))));
}

void open_mode(JsonWriter& json, const Json& given) {
  const ModeOptions options = read_mode_options(member(given, "options", kUsage));
  json.value(objects().callers.add(std::make_shared<ModeCaller>(options)));
}

void open_session(JsonWriter& json, const Json& given) {
  const Target target = read_session_options(member(given, "options", kUsage));
  json.value(objects().callers.add(std::make_shared<SessionCaller>(target)));
}

// --- a program ---

// The profiles of the program's unknown operators as the file records them.
void record_profiles(JsonWriter& json, const Program& program, const Json&) {
  write_profiles(json, faketensor::record_profiles(without_bodies(program), {}));
}

void draft_report(JsonWriter& json, const Program& program, const Json&) {
  write_draft_report(json, DraftReport(without_bodies(program)));
}

// {"form": "graph"}
void program_text(JsonWriter& json, const Program& shown, const Json& given) {
  const Program& program = without_bodies(shown);
  const std::string& form = text_argument(given, "form");
  if (form == "graph") return json.value(graph_text(program.graph()) + "\n");
  if (form == "code") return json.value(code_text(program.graph()));
  if (form != "readable")
    throw_error(kUsage, format("a program's text is readable, graph or code, not '{}'", form));
  json.value(readable_program(program).text());
}

// ProgramSource of types.ts: the text that was opened, or the readable one.
void program_source(JsonWriter& json, const Program& program, const Json&) {
  const auto opened = objects().texts.find(&program);
  const ProgramText text =
      opened == objects().texts.end() ? readable_program(without_bodies(program)) : *opened->second;
  const auto object = json.object();
  json.field("text", text.text());
  const auto lines = json.array("lines");
  for (Row row = 0; row < program.plan().size(); ++row) {
    const TextSpan span = text.span_of(
        program.bodies == nullptr ? program.plan().row(row).id : program.bodies->original_id(row));
    json.value(span.is_somewhere() ? text.place(span).line : 0U);
  }
}

// `expanded`: the modules that are drawn open. `plumbing`: whether sizes, assertions and aliases are.
std::vector<uint8_t> layout(const Program& program, const Json& given) {
  return pack_layout(program, read_indices(member(given, "expanded", kUsage), "expanded"),
                     bool_member(given, "plumbing", true));
}

// --- a run ---

// {"val": Value}, or {} where there is no such value.
void value(JsonWriter& json, OpenRun& run, const Json& given) {
  const auto object = json.object();
  const Row row = run.view.find(text_argument(given, "name"));
  if (row != kNoRow) run.view.write_value(json.key("val"), row);
}

void node(JsonWriter& json, OpenRun& run, const Json& given) {
  const int64_t row = integer_argument(given, "index");
  const bool is_row = row >= 0 && row <= int64_t{UINT32_MAX};
  run.view.write_detail(json, is_row ? static_cast<Row>(row) : kNoRow);
}

// Why the run has the symbols and guards that it has (core/io/explain_json.h).
void symbols(JsonWriter& json, OpenRun& run, const Json&) { write_symbols(json, run.view.run()); }
void guards(JsonWriter& json, OpenRun& run, const Json&) { write_guards(json, run.view.run()); }

// What was taken for part of the example that the program was exported with.
void assumptions(JsonWriter& json, OpenRun& run, const Json&) {
  write_assumptions(json, run.view.run().plan(), run.assumptions);
}

// What running the program costs: it is propagated once more when that is first asked for.
const ProgramCosts& costs_of(OpenRun& run) {
  if (run.costs == nullptr)
    run.costs = std::make_unique<const ProgramCosts>(*run.program, run.options);
  return *run.costs;
}

// {"options": {"train": {"optimizer": "adam"}, "range": true}}: with "train", of a training step too; with "range", between which bytes
// the peak lies over the ranges of symbols.
void memory(JsonWriter& json, OpenRun& run, const Json& given) {
  const Json* options = find_member(given, "options");
  std::optional<TrainingOptions> training;
  MemoryAsked asked;
  if (options != nullptr) {
    for (const auto& [name, value] : object_of(*options, "options", kUsage).items()) {
      if (name == "range") {
        asked.range = bool_of(value, "range", kUsage);
        continue;
      }
      if (name != "train") throw_error(kUsage, format("unknown option '{}'", name));
      training = read_training_options(value);
    }
  }
  if (!training) return write_memory(json, costs_of(run), asked);
  const TrainingStep step(*run.program, run.options, *training);
  asked.training = &step;
  write_memory(json, costs_of(run), asked);
}
void flops(JsonWriter& json, OpenRun& run, const Json&) { write_flops(json, costs_of(run)); }
// `symbols`: settings as whatIf takes them.
void costs(JsonWriter& json, OpenRun& run, const Json& given) {
  write_costs(json, costs_of(run), read_symbol_settings(member(given, "symbols", kUsage)));
}

// --- a run on devices ---

void work(JsonWriter& json, OpenRun& run, const Json&) {
  write_work(json, ProgramWork(*run.program, run.options));
}

void step_time(JsonWriter& json, OpenRun& run, const Json& given) {
  const DeviceModel device = hardware_of(member(given, "target", kUsage));
  const ProgramWork of(*run.program, options_on(run.options, device));
  write_time(json, of, StepTime(of, *device.hardware), device);
}

// {"options": {"targets": ["h100"], "over": "batch"}}
void fits(JsonWriter& json, OpenRun& run, const Json& given) {
  FitQuestion question{.options = run.options};
  std::vector<DeviceModel> devices;
  bool is_over_given = false;
  for (const auto& [name, value] :
       object_of(member(given, "options", kUsage), "options", kUsage).items()) {
    if (name == "targets") {
      for (const Json& target : list_of(value, name, kUsage))
        devices.push_back(hardware_of(target));
    } else if (name == "over") {
      question.over = text_of(value, name, kUsage);
      is_over_given = true;
    } else if (name == "allocator") {
      question.allocator = text_of(value, name, kUsage);
      allocator_config(*question.allocator);
    } else if (name == "train") {
      question.training = read_training_options(value);
    } else {
      throw_error(kUsage, format("unknown option '{}'", name));
    }
  }
  if (question.training && question.allocator)
    throw_error(kUsage, "allocator is of the program's own run, not of train");
  if (devices.empty()) {
    for (const Preset& preset : device_presets()) devices.push_back(*device_preset(preset.name));
  }
  if (!is_over_given && !has_dim(*run.program, question.over)) question.over.clear();
  write_fits(json, *run.program, question, fit_devices(*run.program, question, devices));
}

// {"other": 2, "target": null or a target}: against another run.
void diff(JsonWriter& json, OpenRun& run, const Json& given) {
  const std::shared_ptr<OpenRun> other =
      objects().runs.at(static_cast<int>(integer_argument(given, "other")));
  const Json& target = member(given, "target", kUsage);
  DiffSide a{*run.program, run.options};
  DiffSide b{*other->program, other->options};
  if (target.is_null()) {
    write_diff(json, ProgramDiff(a, b));
    return;
  }
  const DeviceModel device = hardware_of(target);
  for (DiffSide* side : {&a, &b}) {
    side->options = options_on(side->options, device);
    side->hardware = &*device.hardware;
  }
  write_diff(json, ProgramDiff(a, b));
}

// What PyTorch's caching allocator makes of it: {"settings": [texts], "deviceMemory": bytes, 0: endless}
void allocator(JsonWriter& json, OpenRun& run, const Json& given) {
  const int64_t bytes = integer_argument(given, "deviceMemory");
  if (bytes < 0) throw_error(kUsage, "deviceMemory is to be above 0");
  const uint64_t device = bytes == 0 ? kEndlessDevice : static_cast<uint64_t>(bytes);
  const AllocationSequence sequence(costs_of(run));
  std::vector<AllocatorReport> reports;
  for (const std::string& settings : read_texts(member(given, "settings", kUsage), "settings"))
    reports.push_back(run_allocator(sequence, settings, device));
  const auto list = json.array();
  for (const AllocatorReport& report : reports)
    write_allocator_report(json, costs_of(run).run(), report);
}

// The pickle that memory_viz reads.
std::vector<uint8_t> allocator_snapshot(OpenRun& run, const Json& given) {
  const ProgramCosts& costs = costs_of(run);
  AllocatorRecord record;
  const AllocatorReport report = run_allocator(
      AllocationSequence(costs), text_argument(given, "settings"), kEndlessDevice, &record);
  const std::string pickle = faketensor::allocator_snapshot(costs.run(), report, record);
  return {pickle.begin(), pickle.end()};
}

void why(JsonWriter& json, OpenRun& run, const Json& given) {
  const Run& of = run.view.run();
  const std::string& name = text_argument(given, "node");
  const Row id = of.program().find(name);
  if (id == kNoRow) throw_error(kUsage, format("the program has no node '{}'", name));
  write_why(json, of, why_dimension(of, id, integer_argument(given, "dim")));
}

// What other sizes break: {"symbols": {"s77": 4, "s31": [2, 9]}, "nodes": [names]}
void what_if(JsonWriter& json, OpenRun& run, const Json& given) {
  const Run& of = run.view.run();
  const WhatIfQuestion question = read_what_if(given);
  write_what_if(json, of, WhatIf(of, question.symbols), question.nodes);
}

// `symbols`: settings as whatIf takes them, for sizes by what the run knows at its end; null for
// each as its node answered it.
std::vector<uint8_t> table(OpenRun& run, const Json& given) {
  const Json& symbols = member(given, "symbols", kUsage);
  if (symbols.is_null()) return run.view.pack_table();
  const std::vector<SymbolSetting> settings = read_symbol_settings(symbols);
  const WhatIf what_if(run.view.run(), settings);
  return run.view.pack_table(&what_if);
}

// --- what calls operators: a mode, a session (caller.h, session_caller.h) ---

void find_operator(JsonWriter& json, Caller& of, const Json& given) {
  of.find_operator(json, text_argument(given, "name"));
}
void add_constant(JsonWriter& json, Caller& of, const Json& given) { of.add_constant(json, given); }
void call(JsonWriter& json, Caller& of, const Json& given) { of.call(json, given); }
void define(JsonWriter& json, Caller& of, const Json& given) {
  of.define(text_argument(given, "schema"));
  nothing(json);
}
void push_profiles(JsonWriter& json, Caller& of, const Json& given) {
  of.push_profiles(json, read_profiles_or_yaml(member(given, "profiles", kUsage)));
}
void pop_profiles(JsonWriter& json, Caller& of, const Json& given) {
  of.pop_profiles(static_cast<int>(integer_argument(given, "scope")));
  nothing(json);
}
void pop_fake(JsonWriter& json, Caller& of, const Json& given) {
  of.pop_fake(static_cast<int>(integer_argument(given, "fake")));
  nothing(json);
}
void new_size(JsonWriter& json, Caller& of, const Json& given) { of.new_size(json, given); }
void tensor(JsonWriter& json, Caller& of, const Json& given) {
  of.tensor(json, tensor_argument(given));
}

void mode_guards(JsonWriter& json, ModeCaller& of, const Json&) { json.value(of.guards()); }
void decide(JsonWriter& json, ModeCaller& of, const Json& given) {
  json.value(of.decide(text_argument(given, "condition")));
}

// --- a session ---

void add_mode(JsonWriter& json, SessionCaller& of, const Json& given) { of.add_mode(json, given); }
void enter(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.enter(given);
  nothing(json);
}
void exit(JsonWriter& json, SessionCaller& of, const Json&) {
  of.exit();
  nothing(json);
}
void detect_fake_mode(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.detect_fake_mode(json, member(given, "args", kUsage));
}
void cache_info(JsonWriter& json, SessionCaller& of, const Json&) { of.cache_info(json); }
void clear_cache(JsonWriter& json, SessionCaller& of, const Json&) {
  of.clear_cache();
  nothing(json);
}
void mode_facts(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.mode_facts(json, mode_argument(given));
}
void next_epoch(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.next_epoch(mode_argument(given));
  nothing(json);
}
void shape_env(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.shape_env(json, mode_argument(given));
}
void session_guards(JsonWriter& json, SessionCaller& of, const Json& given) {
  json.value(of.guards(mode_argument(given)));
}
void real(JsonWriter& json, SessionCaller& of, const Json& given) { of.real(json, given); }
void torch_tensor(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.torch_tensor(json, given);
}
void constant(JsonWriter& json, SessionCaller& of, const Json& given) { of.constant(json, given); }
void from_tensor(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.from_tensor(json, given);
}
void from_descriptions(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.from_descriptions(json, given);
}
void fake_copy(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.fake_copy(json, given);
}
void facts(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.facts(json, tensor_argument(given));
}
void grad(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.grad(json, tensor_argument(given));
}
void item(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.item(json, tensor_argument(given));
}
void tolist(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.tolist(json, tensor_argument(given));
}
void backward(JsonWriter& json, SessionCaller& of, const Json& given) {
  of.backward(tensor_argument(given));
  nothing(json);
}
void repr(JsonWriter& json, SessionCaller& of, const Json& given) {
  json.value(of.repr(tensor_argument(given)));
}

// --- the table ---

// What a question is about follows from the function that answers it.
template <typename Of>
using About = void (*)(JsonWriter&, Of&, const Json&);

struct Question {
  std::string_view name;
  std::variant<void (*)(JsonWriter&, const Json&), About<const Program>, About<OpenRun>,
               About<Caller>, About<ModeCaller>, About<SessionCaller>>
      answer;
};

constexpr Question kQuestions[] = {
    {"engine.info", &info},
    {"engine.operators", &operators},
    {"engine.passes", &list_passes},
    {"engine.parseProfiles", &parse_profiles},
    {"engine.formatProfiles", &format_profiles},
    {"engine.openMode", &open_mode},
    {"engine.openSession", &open_session},
    {"profile.step", &step_profile},
    {"profile.stop", &stop_profile},
    {"profile.close", &close_profile},
    {"profile.begin", &begin_span},
    {"profile.end", &end_span},
    {"profile.events", &profile_events},
    {"profile.keyAverages", &profile_averages},
    {"profile.chromeTrace", &profile_chrome_trace},
    {"program.recordProfiles", &record_profiles},
    {"program.draftReport", &draft_report},
    {"program.text", &program_text},
    {"program.source", &program_source},
    {"run.value", &value},
    {"run.node", &node},
    {"run.symbols", &symbols},
    {"run.guards", &guards},
    {"run.assumptions", &assumptions},
    {"run.memory", &memory},
    {"run.flops", &flops},
    {"run.costs", &costs},
    {"run.work", &work},
    {"run.time", &step_time},
    {"run.fits", &fits},
    {"run.diff", &diff},
    {"run.allocator", &allocator},
    {"run.trace", &trace},
    {"run.keyAverages", &key_averages},
    {"run.chromeTrace", &chrome_trace},
    {"run.memoryTimeline", &memory_timeline},
    {"run.why", &why},
    {"run.whatIf", &what_if},
    {"caller.operator", &find_operator},
    {"caller.constant", &add_constant},
    {"caller.call", &call},
    {"caller.define", &define},
    {"caller.pushProfiles", &push_profiles},
    {"caller.popProfiles", &pop_profiles},
    {"caller.popFake", &pop_fake},
    {"caller.newSize", &new_size},
    {"caller.tensor", &tensor},
    {"mode.guards", &mode_guards},
    {"mode.decide", &decide},
    {"compiled.call", &run_compiled},
    {"compiled.entries", &compiled_entries},
    {"compiled.close", &close_compiled},
    {"compiler.state", &compiler_state},
    {"session.mode", &add_mode},
    {"session.enter", &enter},
    {"session.exit", &exit},
    {"session.detectFakeMode", &detect_fake_mode},
    {"session.cacheInfo", &cache_info},
    {"session.clearCache", &clear_cache},
    {"session.modeFacts", &mode_facts},
    {"session.nextEpoch", &next_epoch},
    {"session.shapeEnv", &shape_env},
    {"session.guards", &session_guards},
    {"session.real", &real},
    {"session.tensor", &torch_tensor},
    {"session.constant", &constant},
    {"session.fromTensor", &from_tensor},
    {"session.fromDescriptions", &from_descriptions},
    {"session.fakeCopy", &fake_copy},
    {"session.facts", &facts},
    {"session.grad", &grad},
    {"session.item", &item},
    {"session.tolist", &tolist},
    {"session.backward", &backward},
    {"session.repr", &repr},
};

// The questions that are answered with a packed buffer.
struct Columns {
  std::string_view name;
  std::variant<std::vector<uint8_t> (*)(const Json&),
               std::vector<uint8_t> (*)(const Program&, const Json&),
               std::vector<uint8_t> (*)(OpenRun&, const Json&)>
      answer;
};

constexpr Columns kColumns[] = {
    {"engine.written", &written_program},
    {"program.layout", &layout},
    {"run.table", &table},
    {"run.allocatorSnapshot", &allocator_snapshot},
};

template <typename Row, size_t kCount>
const Row& row_of(const Row (&table)[kCount], std::string_view question) {
  for (const Row& row : table) {
    if (row.name == question) return row;
  }
  throw_error(kUsage, format("there is no question '{}'", question));
}

// Holds what a question is asked of: a fake written in JavaScript may close it meanwhile.
template <typename Of>
std::shared_ptr<Of> object_at(int number) {
  if constexpr (std::is_same_v<Of, const Program>) {
    return objects().programs.at(number);
  } else if constexpr (std::is_same_v<Of, OpenRun>) {
    return objects().runs.at(number);
  } else {
    auto known = std::dynamic_pointer_cast<Of>(objects().callers.at(number));
    if (known == nullptr) throw_error(kUsage, format("{} is another kind of mode", number));
    return known;
  }
}

struct Asked {
  JsonWriter& json;
  int of;
  const Json& arguments;

  void operator()(void (*answer)(JsonWriter&, const Json&)) const { answer(json, arguments); }
  template <typename Of>
  void operator()(About<Of> answer) const {
    const std::shared_ptr<Of> object = object_at<Of>(of);
    answer(json, *object, arguments);
  }
};

struct AskedForColumns {
  int of;
  const Json& arguments;

  std::vector<uint8_t> operator()(std::vector<uint8_t> (*answer)(const Json&)) const {
    return answer(arguments);
  }
  template <typename Of>
  std::vector<uint8_t> operator()(std::vector<uint8_t> (*answer)(Of&, const Json&)) const {
    const std::shared_ptr<Of> object = object_at<Of>(of);
    return answer(*object, arguments);
  }
};

}  // namespace

std::string ask(const std::string& question, int of, const std::string& arguments) {
  return reply([&](JsonWriter& json) {
    const Question& row = row_of(kQuestions, question);
    const Json given = parse_json(arguments, "arguments");
    std::visit(Asked{json, of, given}, row.answer);
  });
}

emscripten::val columns(const std::string& question, int of, const std::string& arguments) {
  using emscripten::val;
  return guarded(
      [&] {
        const Columns& row = row_of(kColumns, question);
        const Json given = parse_json(arguments, "arguments");
        std::vector<uint8_t>& buffer = objects().buffer;
        buffer = std::visit(AskedForColumns{of, given}, row.answer);
        return val(emscripten::typed_memory_view(buffer.size(), buffer.data()));
      },
      [](const std::string& text) { return val(text); });
}

}  // namespace faketensor::wasm
