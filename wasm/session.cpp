#include "wasm/session.h"

#include <functional>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/command/command.h"
#include "core/io/call_json.h"
#include "core/io/explain_json.h"
#include "core/io/open.h"
#include "core/io/options_json.h"
#include "core/io/profile_json.h"
#include "core/profiles/program_profiles.h"
#include "core/replay/answer.h"
#include "core/replay/session_runner.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "wasm/js_source.h"
#include "wasm/mode_session.h"
#include "wasm/packed.h"
#include "wasm/program_view.h"
#include "wasm/run_view.h"

namespace faketensor::wasm {
namespace {

using emscripten::val;
using nlohmann::json;

// Objects that JavaScript names by numbers.
template <typename T>
class Handles {
 public:
  explicit Handles(std::string_view what) : what_(what) {}

  int add(std::shared_ptr<T> object) {
    objects_.emplace(++last_, std::move(object));
    return last_;
  }
  const std::shared_ptr<T>& at(int handle) const {
    const auto found = objects_.find(handle);
    if (found == objects_.end())
      throw_error(ErrorKind::kUsage, format("there is no {} {}", what_, handle));
    return found->second;
  }
  void remove(int handle) { objects_.erase(handle); }

 private:
  std::string_view what_;
  std::unordered_map<int, std::shared_ptr<T>> objects_;
  int last_ = 0;
};

// A run reads its program, which may be closed before it.
struct OpenRun {
  std::shared_ptr<const Program> program;
  RunView view;
};

struct Session {
  Handles<const Program> programs{"program"};
  Handles<OpenRun> runs{"run"};
  Handles<ModeSession> modes{"mode"};
  Handles<SessionRunner> sessions{"session"};
  std::vector<uint8_t> buffer;  // what the last call for a packed buffer made
  CallArea area;
};

Session& session() {
  static Session instance;
  return instance;
}

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json error_json(const Error& error) {
  json fields{{"class", error.class_name()}, {"message", error.message()}};
  if (!error.op().empty()) fields["operator"] = error.op();
  if (!error.argument().empty()) fields["argument"] = error.argument();
  return {{"error", std::move(fields)}};
}

// The boundary: whatever `body` throws becomes a reply.
template <typename Result>
Result guarded(const std::function<Result()>& body, Result (*from_text)(const std::string&)) {
  try {
    return body();
  } catch (const Error& error) {
    return from_text(dump(error_json(error)));
  } catch (const std::bad_alloc&) {
    return from_text(dump(error_json(Error(ErrorKind::kLimitExceeded, "out of memory"))));
  } catch (const std::exception& error) {
    // A length that no container has; JSON is read by functions that raise Errors.
    return from_text(dump(error_json(Error(ErrorKind::kLimitExceeded, error.what()))));
  }
}

std::string reply(const std::function<json()>& body) {
  return guarded<std::string>([&] { return dump(body()); },
                              [](const std::string& text) { return text; });
}

// A reply that is JSON text already.
std::string reply_text(const std::function<std::string()>& body) {
  return guarded<std::string>(body, [](const std::string& text) { return text; });
}

// Keeps the bytes until the next call and gives JavaScript a view of them.
val buffer_reply(const std::function<std::vector<uint8_t>()>& body) {
  return guarded<val>(
      [&] {
        session().buffer = body();
        return val(emscripten::typed_memory_view(session().buffer.size(), session().buffer.data()));
      },
      [](const std::string& text) { return val(text); });
}

bool report(const val& progress, size_t done, size_t total) {
  return progress(static_cast<double>(done), static_cast<double>(total)).as<bool>();
}

json profiles_json(const OpProfiles& profiles) {
  std::string text;
  append_profiles(text, profiles);
  return json::parse(text);
}

// Whether the program is propagated as it was recorded, so that the recorded values are what is to
// come out. Profiles know ranks only.
bool changes_nothing(const PropagateOptions& options) {
  return !options.prepare && options.dims.empty() && options.inputs.empty() && !options.dtype &&
         !options.device && !options.memory_format;
}

}  // namespace

namespace {
// By number, as packed values have them.
template <typename Enum>
json names_of(int count) {
  json names = json::array();
  for (int i = 0; i < count; ++i) names.push_back(name(static_cast<Enum>(i)));
  return names;
}
}  // namespace

std::string engine_info() {
  return dump({{"version", version()},
               {"torch", Target{}.torch},
               {"packedVersion", kPackedVersion},
               {"dtypes", names_of<DType>(kDTypeCount)},
               {"deviceTypes", names_of<DeviceType>(kDeviceTypeCount)}});
}

std::string open_program(const val& source, const std::string& name, double memory_limit) {
  return reply([&]() -> json {
    ReadLimits limits;
    limits.max_memory_bytes = static_cast<uint64_t>(memory_limit);
    auto program =
        std::make_shared<const Program>(faketensor::open_program(JsSource(source), name, limits));
    json info = program_info(*program);
    return {{"program", session().programs.add(std::move(program))}, {"info", std::move(info)}};
  });
}

void close_program(int program) { session().programs.remove(program); }

val layout(int program, const std::string& expanded) {
  return buffer_reply([&] {
    const std::vector<uint32_t> modules = read_indices(parse_json(expanded, "modules"), "modules");
    return pack_layout(*session().programs.at(program), modules);
  });
}

std::string propagate(int program, const std::string& options, const val& progress) {
  return reply([&]() -> json {
    const std::shared_ptr<const Program> of = session().programs.at(program);
    PropagateOptions what_if = read_propagate_options(parse_json(options, "options"));
    what_if.progress = [&](size_t done, size_t total) { return report(progress, done, total); };
    Run run = faketensor::propagate(*of, what_if);
    json problems = problems_json(*of, run.problems());
    const bool ok = run.problems().empty() && !run.was_cancelled();
    if (changes_nothing(what_if)) {
      for (json& mismatch : problems_json(*of, run.compare_with_recorded()))
        problems.push_back(std::move(mismatch));
    }
    const int handle =
        session().runs.add(std::make_shared<OpenRun>(OpenRun{of, RunView(std::move(run))}));
    return {{"run", handle}, {"ok", ok}, {"problems", std::move(problems)}};
  });
}

std::string record_profiles(int program) {
  return reply([&]() -> json {
    const std::shared_ptr<const Program> of = session().programs.at(program);
    return {{"profiles", profiles_json(faketensor::record_profiles(*of, {}))}};
  });
}

std::string parse_profiles(const std::string& yaml) {
  return reply([&]() -> json {
    return {{"profiles", profiles_json(read_profiles_or_yaml(yaml))}};
  });
}

std::string format_profiles(const std::string& profiles) {
  return reply([&]() -> json {
    return {{"yaml",
             generate_yaml_from_profiles(read_profiles_or_yaml(parse_json(profiles, "profiles")))}};
  });
}

void close_run(int run) { session().runs.remove(run); }

val run_table(int run, const std::string& symbols) {
  return buffer_reply([&] {
    const RunView& view = session().runs.at(run)->view;
    const json given = parse_json(symbols, "symbols");
    if (given.is_null()) return view.pack_table();
    const std::vector<SymbolSetting> settings = read_symbol_settings(given);
    const WhatIf what_if(view.run(), settings);
    return view.pack_table(&what_if);
  });
}

std::string run_value(int run, const std::string& name) {
  return reply([&]() -> json {
    const std::optional<std::string> value = session().runs.at(run)->view.value(name);
    if (!value) return json::object();
    return {{"val", json::parse(*value)}};
  });
}

std::string run_node(int run, int row) {
  return reply([&] { return session().runs.at(run)->view.node_detail(static_cast<NodeId>(row)); });
}

std::string run_symbols(int run) {
  return reply_text([&] {
    std::string text = "{\"symbols\":";
    append_symbols(text, session().runs.at(run)->view.run());
    return text + "}";
  });
}

std::string run_guards(int run) {
  return reply_text([&] {
    std::string text = "{\"guards\":";
    append_guards(text, session().runs.at(run)->view.run());
    return text + "}";
  });
}

std::string run_why(int run, const std::string& node, int dim) {
  return reply_text([&] {
    const Run& of = session().runs.at(run)->view.run();
    const NodeId id = of.program().find(node);
    if (id == kNoNode) throw_error(ErrorKind::kUsage, format("the program has no node '{}'", node));
    std::string text = "{\"steps\":";
    append_why(text, of, why_dimension(of, id, dim));
    return text + "}";
  });
}

std::string run_what_if(int run, const std::string& settings) {
  return reply_text([&] {
    const Run& of = session().runs.at(run)->view.run();
    const WhatIfQuestion question = read_what_if(parse_json(settings, "settings"));
    std::string text;
    append_what_if(text, of, WhatIf(of, question.symbols), question.nodes);
    return text;
  });
}

std::string operators(const std::string& pattern) {
  return reply([&] {
    std::map<std::string_view, std::string_view> found;
    for (const OpEntry& entry : Registry::builtin().entries()) {
      if (entry.name.find(pattern) != std::string::npos)
        found.emplace(entry.name, entry.schema.text);
    }
    json result = json::array();
    for (const auto& [name, schema] : found) result.push_back({{"name", name}, {"schema", schema}});
    return result;
  });
}

std::string open_mode(const std::string& options) {
  return reply([&]() -> json {
    const ModeOptions given = read_mode_options(parse_json(options, "options"));
    auto mode = std::make_shared<ModeSession>(given.target);
    if (given.shape_env) {
      Context& context = mode->mode().context();
      mode->mode().attach_shape_env(std::make_shared<ShapeEnv>(*given.shape_env));
      context.allow_scalar_outputs = given.shape_env->allow_scalar_outputs;
      context.allow_dynamic_shapes = given.shape_env->allow_dynamic_output_shape_ops;
    }
    return {{"mode", session().modes.add(std::move(mode))}};
  });
}

namespace {
// Runs `body` on a mode, which may be closed meanwhile: by a fake that JavaScript wrote.
template <typename Body>
std::string on_mode(int number, const Body& body) {
  return reply([&]() -> json {
    const std::shared_ptr<ModeSession> mode = session().modes.at(number);
    return body(*mode);
  });
}
}  // namespace

std::string mode_call(int mode, const std::string& request) {
  return on_mode(mode, [&](ModeSession& of) { return of.call(parse_json(request, "a call")); });
}

std::string mode_operator(int mode, const std::string& name) {
  return on_mode(mode, [&](ModeSession& of) { return of.find_operator(name); });
}

std::string mode_constant(int mode, const std::string& value) {
  return on_mode(mode,
                 [&](ModeSession& of) { return of.add_constant(parse_json(value, "a value")); });
}

std::string mode_define(int mode, const std::string& schema) {
  return on_mode(mode, [&](ModeSession& of) {
    of.define(schema);
    return json::object();
  });
}

std::string mode_push_fake(int mode, const std::string& name, const val& fake) {
  return on_mode(mode, [&](ModeSession& of) { return json{{"fake", of.push_fake(name, fake)}}; });
}

void mode_pop_fake(int mode, int fake) {
  on_mode(mode, [&](ModeSession& of) {
    of.pop_fake(fake);
    return json();
  });
}

std::string mode_push_profiles(int mode, const std::string& profiles) {
  return on_mode(mode, [&](ModeSession& of) -> json {
    return of.push_profiles(read_profiles_or_yaml(parse_json(profiles, "profiles")));
  });
}

void mode_pop_profiles(int mode, int scope) {
  on_mode(mode, [&](ModeSession& of) {
    of.pop_profiles(scope);
    return json();
  });
}

std::string mode_new_size(int mode, const std::string& range) {
  return on_mode(mode, [&](ModeSession& of) { return of.new_size(parse_json(range, "a range")); });
}

std::string mode_guards(int mode) {
  return on_mode(mode, [](ModeSession& of) {
    json texts = json::array();
    const ShapeEnv* env = of.mode().context().shape_env();
    if (env == nullptr) return texts;
    for (const Guard& guard : env->guards()) texts.push_back(to_string(guard.condition));
    for (const RuntimeAssert& deferred : env->deferred_runtime_asserts())
      texts.push_back(to_string(deferred.condition));
    return texts;
  });
}

val call_area() {
  return val(emscripten::typed_memory_view(CallArea::kSize, session().area.data()));
}

std::string mode_call_packed(int mode, int op) {
  return guarded<std::string>(
      [&]() -> std::string {
        const std::shared_ptr<ModeSession> of = session().modes.at(mode);
        const json text = of->call_packed(static_cast<size_t>(op), session().area);
        return text.is_null() ? std::string() : dump(text);
      },
      [](const std::string& text) { return text; });
}

std::string mode_tensor(int mode, double tensor) {
  return on_mode(mode, [&](ModeSession& of) { return of.tensor(tensor); });
}

void mode_release(int mode, int count) {
  on_mode(mode, [&](ModeSession& of) {
    of.release(static_cast<size_t>(count), session().area);
    return json();
  });
}

void close_mode(int mode) { session().modes.remove(mode); }

std::string open_session(const std::string& options) {
  return reply([&]() -> json {
    const Target target = read_session_options(parse_json(options, "options"));
    return {{"session", session().sessions.add(std::make_shared<SessionRunner>(target))}};
  });
}

std::string session_step(int number, const std::string& step) {
  return reply_text([&] {
    const std::shared_ptr<SessionRunner> of = session().sessions.at(number);
    std::string text;
    JsonWriter json(text);
    of->run(json, parse_json(step, "a step"));
    return text;
  });
}

void close_session(int number) { session().sessions.remove(number); }

namespace {

// A JavaScript host's files and streams.
class JsIo final : public CommandIo {
 public:
  explicit JsIo(const val& host) : host_(host) {}

  std::unique_ptr<ByteSource> open(const std::string& path) override {
    const val opened = host_.call<val>("open", path);
    if (opened.isString())
      throw_error(ErrorKind::kUnreadable, format("{}: {}", path, opened.as<std::string>()));
    return std::make_unique<JsSource>(opened);
  }
  void write_error(std::string_view text) override { write(2, text); }
  bool out_is_terminal() const override { return host_["outIsTerminal"].as<bool>(); }
  bool error_is_terminal() const override { return host_["errorIsTerminal"].as<bool>(); }
  int terminal_columns() const override {
    const int columns = host_["columns"].as<int>();
    return columns > 0 ? columns : CommandIo::terminal_columns();
  }

 private:
  std::string put_out(std::string_view text) override { return write(1, text); }
  std::string write(int stream, std::string_view text) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    return host_.call<std::string>("write", stream,
                                   val(emscripten::typed_memory_view(text.size(), bytes)));
  }

  val host_;
};

}  // namespace

int run_command(const std::string& argv, const val& host) {
  JsIo io(host);
  return faketensor::run_command(read_texts(parse_json(argv, "arguments"), "arguments"), io,
                                 {&kAnswer, 1});
}

}  // namespace faketensor::wasm
