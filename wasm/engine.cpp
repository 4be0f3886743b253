#include "wasm/engine.h"

#include <memory>
#include <utility>

#include "core/formats/json_fields.h"
#include "core/graph/bodies.h"
#include "core/graph/invented_modules.h"
#include "core/io/open_text.h"
#include "core/io/options_json.h"
#include "wasm/js_source.h"
#include "wasm/objects.h"
#include "wasm/program_view.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

using emscripten::val;

namespace {

// TextProblem of web/package/src/types.ts.
void write_text_problems(JsonWriter& json, const ProgramText& text) {
  const auto list = json.array("textProblems");
  for (const TextProblem& problem : text.problems()) {
    const TextPlace place = text.place(problem.span);
    const auto row = json.object();
    json.field("severity", problem.severity == TextProblem::Severity::kError ? "error" : "warning");
    json.field("line", place.line);
    json.field("column", place.column);
    json.field("length", place.length);
    json.field("message", problem.message);
  }
}

}  // namespace

std::string open_program(const val& source, const std::string& name, double memory_limit,
                         bool keep_going, bool sections, bool bodies) {
  return reply([&](JsonWriter& json) {
    ReadLimits limits;
    limits.max_memory_bytes = static_cast<uint64_t>(memory_limit);
    TextProgram opened = open_with_text(JsSource(source), name, limits);
    if (!keep_going && opened.text != nullptr && opened.text->error_count() > 0)
      throw_error(ErrorKind::kUnreadable, opened.text->errors(name));
    if (sections && opened.program.modules.size() == 1) invent_modules(opened.program);
    auto program = std::make_shared<const Program>(std::move(opened.program));
    if (bodies && has_bodies(*program))
      program = std::make_shared<const Program>(with_bodies(std::move(program)));
    const auto object = json.object();
    json.field("program", objects().programs.add(program));
    write_program(json.key("info"), *program);
    if (opened.text == nullptr) return;
    write_text_problems(json, *opened.text);
    objects().texts.emplace(program.get(), std::move(opened.text));
  });
}

void close_program(int program) {
  reply([&](JsonWriter&) { objects().texts.erase(objects().programs.at(program).get()); });
  objects().programs.remove(program);
}

namespace {

// Whether the program is propagated as it was recorded, so that the values should be the recorded
// ones. With profiles they are not: profiles know ranks only.
bool changes_nothing(const PropagateOptions& options) {
  return !options.prepare && options.dims.empty() && options.dynamic.empty() &&
         options.inputs.empty() && !options.dtype && !options.device && !options.memory_format;
}

}  // namespace

std::string propagate(int program, const std::string& options, const val& progress) {
  return reply([&](JsonWriter& json) {
    const std::shared_ptr<const Program> of = objects().programs.at(program);
    RetargetOptions what_if = read_propagate_options(parse_json(options, "options"));
    what_if.values_of_bodies = true;
    what_if.progress = [&](size_t done, size_t total) {
      return progress(static_cast<double>(done), static_cast<double>(total)).as<bool>();
    };
    RetargetedRun answered = propagate_retargeted(*of, what_if);
    what_if.progress = {};  // which is of this call
    const Run& run = answered.run;
    const auto answer = json.object();
    json.field("ok", run.problems().empty() && !run.was_cancelled());
    {
      const auto problems = json.array("problems");
      for (const Problem& problem : run.problems()) write_problem(json, *of, problem);
      if (changes_nothing(what_if)) {
        for (const Problem& mismatch : run.compare_with_recorded())
          write_problem(json, *of, mismatch);
      }
    }
    {
      const auto assumed = json.object("assumed");
      json.field("assumptions", answered.assumptions.size());
      json.field("guesses", answered.guesses());
    }
    json.field("run", objects().runs.add(std::make_shared<OpenRun>(
                          OpenRun{of, RunView(std::move(answered.run)),
                                  std::move(answered.assumptions), what_if, nullptr})));
  });
}

void close_run(int run) { objects().runs.remove(run); }

val call_area() {
  return val(emscripten::typed_memory_view(CallArea::kSize, objects().area.data()));
}

std::string call_packed(int caller, int op) {
  return guarded(
      [&]() -> std::string {
        const std::shared_ptr<Caller> of = objects().callers.at(caller);
        return of->call_packed(static_cast<size_t>(op), objects().area);
      },
      [](std::string text) { return text; });
}

std::string push_fake(int caller, const std::string& name, const val& fake) {
  return reply([&](JsonWriter& json) {
    const std::shared_ptr<Caller> of = objects().callers.at(caller);
    const auto object = json.object();
    json.field("fake", of->push_fake(name, fake));
  });
}

std::string open_profile(int mode, const std::string& options, const val& clock) {
  return reply([&](JsonWriter& json) {
    auto of = std::dynamic_pointer_cast<ModeCaller>(objects().callers.at(mode));
    if (of == nullptr) throw_error(ErrorKind::kUsage, "a profile is of a mode");
    const auto profile =
        std::make_shared<ModeProfile>(std::move(of), parse_json(options, "options"), clock);
    json.value(objects().profiles.add(profile));
  });
}

void release(int caller, int count) {
  reply([&](JsonWriter&) {
    objects().callers.at(caller)->release(static_cast<size_t>(count), objects().area);
  });
}

void close_caller(int caller) { objects().callers.remove(caller); }

}  // namespace faketensor::wasm
