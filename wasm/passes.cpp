#include "wasm/passes.h"

#include <optional>
#include <vector>

#include "core/formats/byte_sink.h"
#include "core/formats/json_fields.h"
#include "core/formats/zip.h"
#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/io/edited_program.h"
#include "core/io/options_json.h"
#include "core/io/pt2_writer.h"
#include "core/support/text_diff.h"
#include "wasm/js_export_pass.h"
#include "wasm/js_source.h"
#include "wasm/objects.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

using emscripten::val;

namespace {

void keep(std::string_view text) { objects().written.assign(text.begin(), text.end()); }

PassResult run_pass(EditedProgram& edited, const Json& pass, const val& functions) {
  if (pass.is_string()) return edited.run(pass.get<std::string>());
  if (const Json* pattern = find_member(pass, "pattern")) {
    return edited.replace({text_of(*pattern, "pattern", kUsage),
                           text_of(member(pass, "replacement", kUsage), "replacement", kUsage)});
  }
  const int64_t function = integer_of(member(pass, "function", kUsage), "function", kUsage);
  return JsExportPass(edited.subject(), read_texts(member(pass, "methods", kUsage), "methods"),
                      functions[static_cast<int>(function)])
      .run();
}

std::string name_of(const Json& pass) {
  if (pass.is_string()) return pass.get<std::string>();
  return find_member(pass, "pattern") != nullptr ? "replace_pattern" : "export_pass";
}

// Null where `check` raises nothing.
template <typename Check>
void write_refusal(JsonWriter& json, std::string_view key, const Check& check) {
  try {
    check();
    json.field(key, nullptr);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kLimitExceeded) throw;
    const auto refusal = json.object(key);
    json.field("class", error.class_name());
    json.field("message", error.message());
  }
}

// Hands pieces to JavaScript, which copies them.
class JsSink final : public ByteSink {
 public:
  explicit JsSink(const val& write) : write_(write) {}

  void write(std::string_view bytes) override {
    const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
    if (!write_(emscripten::typed_memory_view(bytes.size(), begin)).as<bool>())
      throw_error(ErrorKind::kUnreadable, "the bytes could not be written");
  }
  void finish() override {}

 private:
  val write_;
};

}  // namespace

std::string run_passes(const val& source, const std::string& name, const std::string& passes,
                       const val& functions) {
  return reply([&](JsonWriter& json) {
    EditedProgram edited(JsSource(source), name);
    const std::string before = graph_text(edited.graph());
    const auto object = json.object();
    {
      const auto list = json.array("passes");
      const Json wanted = parse_json(passes, "passes");
      for (const Json& pass : list_of(wanted, "passes", kUsage)) {
        const PassResult result = run_pass(edited, pass, functions);
        const auto row = json.object();
        json.field("name", name_of(pass));
        json.field("modified", result.modified);
        json.field("info", result.info.empty() ? std::nullopt : std::optional(result.info));
      }
    }
    json.field("diff", text_diff(before + "\n", graph_text(edited.graph()) + "\n"));
    write_refusal(json, "refusal", [&] {
      keep(readable_text(edited.graph(), "GraphModule", {.has_source_lines = true}));
      keep(edited.json());
    });
    write_refusal(json, "weights", [&] { edited.check_weights(); });
  });
}

std::string call_base(const std::string& method, const std::string& arguments) {
  return reply([&](JsonWriter& json) {
    JsExportPass::call_base(json, method, parse_json(arguments, "arguments"));
  });
}

std::string write_json_of(const val& source, const std::string& name) {
  return reply([&](JsonWriter& json) {
    keep(program_json(JsSource(source), name));
    const auto empty = json.object();
  });
}

std::string write_archive(const val& source, const std::string& program, const val& sink) {
  return reply([&](JsonWriter& json) {
    const JsSource archive(source);
    JsSink into(sink);
    if (program.empty() && is_zip(archive)) {
      write_pt2(archive, ChangedRun{}, {}, into);
    } else {
      write_pt2(archive, program.empty() ? program_json(archive, "the program") : program, {},
                into);
    }
    const auto empty = json.object();
  });
}

}  // namespace faketensor::wasm
