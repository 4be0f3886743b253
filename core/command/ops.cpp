// `faketensor ops [PATTERN]`: the operators that have a rule, and where each gets it from.
#include <algorithm>

#include "core/command/options.h"
#include "core/command/subcommands.h"
#include "core/formats/json_writer.h"
#include "core/ops/registry.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// {"op":"aten::add_.Tensor","rule":"derived","from":"aten::add.Tensor","schema":"..."}
void write_operator(JsonWriter& json, const OpEntry& entry) {
  const std::string_view rule = entry.functional != kNoOp        ? "derived"
                                : (entry.tags & kComposite) != 0 ? "composite"
                                                                 : "row";
  const auto object = json.object();
  json.field("op", entry.name);
  json.field("rule", rule);
  if (entry.functional != kNoOp)
    json.field("from", Registry::builtin().entry(entry.functional).name);
  json.field("schema", entry.schema.text);
}

int ops_command(const Options& options, CommandIo& io) {
  if (options.positional().size() > 1)
    throw_error(ErrorKind::kUsage, "ops takes at most one pattern");
  const std::string form = options.choice("--format", {"text", "jsonl"});
  const std::string pattern = options.positional().empty() ? "" : options.positional()[0];
  std::vector<const OpEntry*> found;
  for (const OpEntry& entry : Registry::builtin().entries()) {
    if (entry.schema.text.substr(0, entry.schema.text.find('(')).find(pattern) !=
        std::string_view::npos)
      found.push_back(&entry);
  }
  std::sort(found.begin(), found.end(),
            [](const OpEntry* a, const OpEntry* b) { return a->schema.text < b->schema.text; });
  BufferedOut out(io);
  for (const OpEntry* entry : found) {
    if (form == "jsonl") {
      JsonWriter json(out.text());
      write_operator(json, *entry);
    } else {
      out.text() += entry->schema.text;
    }
    out.line_done();
  }
  return found.empty() ? kExitErrors : kExitFine;
}

constexpr std::string_view kOpsAbout = R"(usage: faketensor ops [PATTERN] [--format F]

Lists the schemas of the operators that have a rule, those whose name contains PATTERN. A jsonl line also says where the
rule comes from: a row of its own, a composite row, or derived from another operator's row.

)";

constexpr OptionRow kOpsOptions[] = {
    {"--format", "F", "text or jsonl"},
};

constexpr std::string_view kOpsMore = R"(
examples:
  faketensor ops
  faketensor ops conv --format jsonl
)";

}  // namespace

const Subcommand kOpsCommand = {"ops",     &ops_command, "the operators that have a rule",
                                kOpsAbout, kOpsOptions,  kOpsMore};

}  // namespace faketensor
