#include "wasm/queries.h"

#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/formats/json_fields.h"
#include "core/io/explain_json.h"
#include "core/io/options_json.h"
#include "core/io/profile_json.h"
#include "core/profiles/program_profiles.h"
#include "core/support/format.h"
#include "core/support/version.h"
#include "wasm/objects.h"
#include "wasm/packed.h"
#include "wasm/program_view.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

namespace {

using nlohmann::json;

constexpr ErrorKind kUsage = ErrorKind::kUsage;

const std::string& text_argument(const json& given, std::string_view name) {
  return text_of(member(given, name, kUsage), name, kUsage);
}
int64_t integer_argument(const json& given, std::string_view name) {
  return integer_of(member(given, name, kUsage), name, kUsage);
}
double tensor_argument(const json& given) {
  return number_of(member(given, "tensor", kUsage), "tensor", kUsage);
}
const json& mode_argument(const json& given) { return member(given, "mode", kUsage); }

// What a text is whose characters append_* writes.
template <typename Append>
std::string written(const Append& append) {
  std::string text;
  append(text);
  return text;
}

json nothing() { return json::object(); }

// --- the engine ---

// By number, as packed values have them.
template <typename Enum>
json names_of(int count) {
  json names = json::array();
  for (int i = 0; i < count; ++i) names.push_back(name(static_cast<Enum>(i)));
  return names;
}

Answer info(const json&) {
  return json{{"version", version()},
              {"torch", Target{}.torch},
              {"packedVersion", kPackedVersion},
              {"dtypes", names_of<DType>(kDTypeCount)},
              {"deviceTypes", names_of<DeviceType>(kDeviceTypeCount)}};
}

// The operators whose name contains the pattern, sorted by name.
Answer operators(const json& given) {
  const std::string& pattern = text_argument(given, "pattern");
  std::map<std::string_view, std::string_view> found;
  for (const OpEntry& entry : Registry::builtin().entries()) {
    if (entry.name.find(pattern) != std::string::npos) found.emplace(entry.name, entry.schema.text);
  }
  json result = json::array();
  for (const auto& [name, schema] : found) result.push_back({{"name", name}, {"schema", schema}});
  return result;
}

// Op profiles: YAML to JSON (core/io/profile_json.h), and back.
Answer parse_profiles(const json& given) {
  const OpProfiles profiles = read_profiles_or_yaml(member(given, "yaml", kUsage));
  return written([&](std::string& out) { append_profiles(out, profiles); });
}

Answer format_profiles(const json& given) {
  return json(
      generate_yaml_from_profiles(read_profiles_or_yaml(member(given, "profiles", kUsage))));
}

Answer open_mode(const json& given) {
  const ModeOptions options = read_mode_options(member(given, "options", kUsage));
  return json(objects().callers.add(std::make_shared<ModeCaller>(options)));
}

Answer open_session(const json& given) {
  const Target target = read_session_options(member(given, "options", kUsage));
  return json(objects().callers.add(std::make_shared<SessionCaller>(target)));
}

// --- a program ---

// The profiles of the program's unknown operators as the file records them.
Answer record_profiles(const Program& program, const json&) {
  const OpProfiles profiles = faketensor::record_profiles(program, {});
  return written([&](std::string& out) { append_profiles(out, profiles); });
}

// `expanded`: the modules that are drawn open.
std::vector<uint8_t> layout(const Program& program, const json& given) {
  return pack_layout(program, read_indices(member(given, "expanded", kUsage), "expanded"));
}

// --- a run ---

// {"val": Value}, or {} where there is no such value.
Answer value(OpenRun& run, const json& given) {
  const std::optional<std::string> value = run.view.value(text_argument(given, "name"));
  return value ? format("{\"val\":{}}", *value) : std::string("{}");
}

Answer node(OpenRun& run, const json& given) {
  const int64_t row = integer_argument(given, "index");
  const bool is_row = row >= 0 && row <= int64_t{UINT32_MAX};
  return run.view.node_detail(is_row ? static_cast<NodeId>(row) : kNoNode);
}

Answer symbols(OpenRun& run, const json&) {
  return written([&](std::string& out) { append_symbols(out, run.view.run()); });
}

// Why the run has the guards and sizes that it has (core/io/explain_json.h).
Answer guards(OpenRun& run, const json&) {
  return written([&](std::string& out) { append_guards(out, run.view.run()); });
}

Answer why(OpenRun& run, const json& given) {
  const Run& of = run.view.run();
  const std::string& name = text_argument(given, "node");
  const NodeId id = of.program().find(name);
  if (id == kNoNode) throw_error(kUsage, format("the program has no node '{}'", name));
  const int64_t dim = integer_argument(given, "dim");
  return written([&](std::string& out) { append_why(out, of, why_dimension(of, id, dim)); });
}

// What other sizes break: {"symbols": {"s77": 4, "s31": [2, 9]}, "nodes": [names]}
Answer what_if(OpenRun& run, const json& given) {
  const Run& of = run.view.run();
  const WhatIfQuestion question = read_what_if(given);
  return written([&](std::string& out) {
    append_what_if(out, of, WhatIf(of, question.symbols), question.nodes);
  });
}

// `symbols`: settings as whatIf takes them, for sizes by what the run knows at its end; null for
// each as its node answered it.
std::vector<uint8_t> table(OpenRun& run, const json& given) {
  const json& symbols = member(given, "symbols", kUsage);
  if (symbols.is_null()) return run.view.pack_table();
  const std::vector<SymbolSetting> settings = read_symbol_settings(symbols);
  const WhatIf what_if(run.view.run(), settings);
  return run.view.pack_table(&what_if);
}

// --- what calls operators: a mode, a session (caller.h, session_caller.h) ---

Answer find_operator(Caller& of, const json& given) {
  return of.find_operator(text_argument(given, "name"));
}
Answer add_constant(Caller& of, const json& given) { return of.add_constant(given); }
Answer call(Caller& of, const json& given) { return of.call(given); }
Answer define(Caller& of, const json& given) {
  of.define(text_argument(given, "schema"));
  return nothing();
}
Answer push_profiles(Caller& of, const json& given) {
  return of.push_profiles(read_profiles_or_yaml(member(given, "profiles", kUsage)));
}
Answer pop_profiles(Caller& of, const json& given) {
  of.pop_profiles(static_cast<int>(integer_argument(given, "scope")));
  return nothing();
}
Answer pop_fake(Caller& of, const json& given) {
  of.pop_fake(static_cast<int>(integer_argument(given, "fake")));
  return nothing();
}
Answer new_size(Caller& of, const json& given) { return of.new_size(given); }
Answer tensor(Caller& of, const json& given) { return of.tensor(tensor_argument(given)); }

Answer mode_guards(ModeCaller& of, const json&) { return json(of.guards()); }

// --- a session ---

Answer add_mode(SessionCaller& of, const json& given) { return of.add_mode(given); }
Answer enter(SessionCaller& of, const json& given) {
  of.enter(given);
  return nothing();
}
Answer exit(SessionCaller& of, const json&) {
  of.exit();
  return nothing();
}
Answer detect_fake_mode(SessionCaller& of, const json& given) {
  return of.detect_fake_mode(member(given, "args", kUsage));
}
Answer cache_info(SessionCaller& of, const json&) { return of.cache_info(); }
Answer clear_cache(SessionCaller& of, const json&) {
  of.clear_cache();
  return nothing();
}
Answer mode_facts(SessionCaller& of, const json& given) {
  return of.mode_facts(mode_argument(given));
}
Answer next_epoch(SessionCaller& of, const json& given) {
  of.next_epoch(mode_argument(given));
  return nothing();
}
Answer shape_env(SessionCaller& of, const json& given) {
  return of.shape_env(mode_argument(given));
}
Answer session_guards(SessionCaller& of, const json& given) {
  return json(of.guards(mode_argument(given)));
}
Answer real(SessionCaller& of, const json& given) { return of.real(given); }
Answer torch_tensor(SessionCaller& of, const json& given) { return of.torch_tensor(given); }
Answer constant(SessionCaller& of, const json& given) { return of.constant(given); }
Answer from_tensor(SessionCaller& of, const json& given) { return of.from_tensor(given); }
Answer from_descriptions(SessionCaller& of, const json& given) {
  return of.from_descriptions(given);
}
Answer fake_copy(SessionCaller& of, const json& given) { return of.fake_copy(given); }
Answer facts(SessionCaller& of, const json& given) { return of.facts(tensor_argument(given)); }
Answer grad(SessionCaller& of, const json& given) { return of.grad(tensor_argument(given)); }
Answer item(SessionCaller& of, const json& given) { return of.item(tensor_argument(given)); }
Answer tolist(SessionCaller& of, const json& given) { return of.tolist(tensor_argument(given)); }
Answer backward(SessionCaller& of, const json& given) {
  of.backward(tensor_argument(given));
  return nothing();
}
Answer repr(SessionCaller& of, const json& given) { return json(of.repr(tensor_argument(given))); }

// --- the table ---

template <typename Result, typename Of>
using About = Result (*)(Of&, const json&);

// What a question is about follows from the function that answers it.
template <typename Result>
struct Question {
  std::string_view name;
  std::variant<Result (*)(const json&), About<Result, const Program>, About<Result, OpenRun>,
               About<Result, Caller>, About<Result, ModeCaller>, About<Result, SessionCaller>>
      answer;
};

constexpr Question<Answer> kQuestions[] = {
    {"engine.info", &info},
    {"engine.operators", &operators},
    {"engine.parseProfiles", &parse_profiles},
    {"engine.formatProfiles", &format_profiles},
    {"engine.openMode", &open_mode},
    {"engine.openSession", &open_session},
    {"program.recordProfiles", &record_profiles},
    {"run.value", &value},
    {"run.node", &node},
    {"run.symbols", &symbols},
    {"run.guards", &guards},
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

constexpr Question<std::vector<uint8_t>> kColumns[] = {
    {"program.layout", &layout},
    {"run.table", &table},
};

// Asks the object of that number, which may be closed meanwhile: by a fake that JavaScript wrote.
template <typename Result>
struct Asked {
  int of;
  const json& arguments;

  Result operator()(Result (*answer)(const json&)) const { return answer(arguments); }
  Result operator()(About<Result, const Program> answer) const {
    const std::shared_ptr<const Program> program = objects().programs.at(of);
    return answer(*program, arguments);
  }
  Result operator()(About<Result, OpenRun> answer) const {
    const std::shared_ptr<OpenRun> run = objects().runs.at(of);
    return answer(*run, arguments);
  }
  template <typename Of>
  Result operator()(About<Result, Of> answer) const {
    const std::shared_ptr<Caller> caller = objects().callers.at(of);
    Of* const known = dynamic_cast<Of*>(caller.get());
    if (known == nullptr) throw_error(kUsage, format("{} is another kind of mode", of));
    return answer(*known, arguments);
  }
};

template <typename Result, size_t kCount>
Result answer_to(const Question<Result> (&table)[kCount], const std::string& question, int of,
                 const std::string& arguments) {
  for (const Question<Result>& row : table) {
    if (row.name != question) continue;
    const json given = parse_json(arguments, "arguments");
    return std::visit(Asked<Result>{of, given}, row.answer);
  }
  throw_error(kUsage, format("there is no question '{}'", question));
}

}  // namespace

std::string ask(const std::string& question, int of, const std::string& arguments) {
  return reply([&] { return answer_to(kQuestions, question, of, arguments); });
}

emscripten::val columns(const std::string& question, int of, const std::string& arguments) {
  using emscripten::val;
  return guarded(
      [&] {
        std::vector<uint8_t>& buffer = objects().buffer;
        buffer = answer_to(kColumns, question, of, arguments);
        return val(emscripten::typed_memory_view(buffer.size(), buffer.data()));
      },
      [](const std::string& text) { return val(text); });
}

}  // namespace faketensor::wasm
