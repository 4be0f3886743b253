// `faketensor ops [PATTERN]`: the operators that have a rule, and where each gets it from.
#include <algorithm>

#include "core/command/options.h"
#include "core/command/subcommands.h"
#include "core/io/value_json.h"
#include "core/ops/registry.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// {"op":"aten::add_.Tensor","rule":"derived","from":"aten::add.Tensor","schema":"..."}
void append_line(std::string& out, const OpEntry& entry) {
  const Registry& registry = Registry::builtin();
  const std::string_view rule = entry.functional != kNoOp        ? "derived"
                                : (entry.tags & kComposite) != 0 ? "composite"
                                                                 : "row";
  out += format("{\"op\":\"{}\",\"rule\":\"{}\"", entry.name, rule);
  if (entry.functional != kNoOp)
    out += format(",\"from\":\"{}\"", registry.entry(entry.functional).name);
  out += ",\"schema\":";
  append_json_string(out, entry.schema.text);
  out += '}';
}

}  // namespace

int ops_command(const std::vector<std::string>& args, CommandIo& io) {
  const Options options(args, {{"--format", true}});
  if (options.positional().size() > 1)
    throw_error(ErrorKind::kUsage, "ops takes at most one pattern");
  const std::string form = options.get("--format").value_or("text");
  if (form != "text" && form != "jsonl")
    throw_error(ErrorKind::kUsage, format("--format is text or jsonl, not '{}'", form));
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
      append_line(out.text(), *entry);
    } else {
      out.text() += entry->schema.text;
    }
    out.line_done();
  }
  return found.empty() ? kExitErrors : kExitFine;
}

}  // namespace faketensor
