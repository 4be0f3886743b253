#include "wasm/engine.h"

#include <memory>
#include <utility>

#include "core/formats/json_fields.h"
#include "core/io/open.h"
#include "core/io/options_json.h"
#include "wasm/js_source.h"
#include "wasm/objects.h"
#include "wasm/program_view.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

using emscripten::val;
using nlohmann::json;

std::string open_program(const val& source, const std::string& name, double memory_limit) {
  return reply([&] {
    ReadLimits limits;
    limits.max_memory_bytes = static_cast<uint64_t>(memory_limit);
    auto program =
        std::make_shared<const Program>(faketensor::open_program(JsSource(source), name, limits));
    json info = program_info(*program);
    return json{{"program", objects().programs.add(std::move(program))}, {"info", std::move(info)}};
  });
}

void close_program(int program) { objects().programs.remove(program); }

namespace {

// Whether the program is propagated as it was recorded, so that the recorded values are what is to
// come out. Profiles know ranks only.
bool changes_nothing(const PropagateOptions& options) {
  return !options.prepare && options.dims.empty() && options.inputs.empty() && !options.dtype &&
         !options.device && !options.memory_format;
}

}  // namespace

std::string propagate(int program, const std::string& options, const val& progress) {
  return reply([&] {
    const std::shared_ptr<const Program> of = objects().programs.at(program);
    PropagateOptions what_if = read_propagate_options(parse_json(options, "options"));
    what_if.progress = [&](size_t done, size_t total) {
      return progress(static_cast<double>(done), static_cast<double>(total)).as<bool>();
    };
    Run run = faketensor::propagate(*of, what_if);
    json problems = problems_json(*of, run.problems());
    const bool ok = run.problems().empty() && !run.was_cancelled();
    if (changes_nothing(what_if)) {
      for (json& mismatch : problems_json(*of, run.compare_with_recorded()))
        problems.push_back(std::move(mismatch));
    }
    const int handle =
        objects().runs.add(std::make_shared<OpenRun>(OpenRun{of, RunView(std::move(run))}));
    return json{{"run", handle}, {"ok", ok}, {"problems", std::move(problems)}};
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
        const json text = of->call_packed(static_cast<size_t>(op), objects().area);
        return text.is_null() ? std::string() : Answer(text).take();
      },
      [](std::string text) { return text; });
}

std::string push_fake(int caller, const std::string& name, const val& fake) {
  return reply([&] {
    const std::shared_ptr<Caller> of = objects().callers.at(caller);
    return json{{"fake", of->push_fake(name, fake)}};
  });
}

void release(int caller, int count) {
  reply([&] {
    objects().callers.at(caller)->release(static_cast<size_t>(count), objects().area);
    return json();
  });
}

void close_caller(int caller) { objects().callers.remove(caller); }

}  // namespace faketensor::wasm
