#include "core/command/fits_context.h"

#include "core/analysis/fit_devices.h"
#include "core/analysis/kv_cache.h"
#include "core/command/propagate_options.h"
#include "core/command/text_table.h"
#include "core/command/value_text.h"
#include "core/formats/json_writer.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

struct TargetContext {
  const DeviceModel* device = nullptr;
  int64_t peak = 0;
  int64_t longest = 0;
};

void print_text(const Run& run, const KvCaches& caches, const std::vector<TargetContext>& targets,
                BufferedOut& out) {
  const auto line = [&](std::string_view text) {
    out.text() += text;
    out.line_done();
  };
  line(format("a token adds {} to {} caches", bytes_text(caches.per_token()),
              caches.caches().size()));
  TextTable table({"cache", ">dimension", ">tokens now", ">a token", "how", ">alive at once"});
  for (const KvCache& cache : caches.caches()) {
    table.add({std::string(run.plan().name_of(cache.row)), format("{}", cache.dim),
               format("{}", cache.length), bytes_text(cache.bytes_per_token),
               cache.grows ? "appended to" : "written at positions", format("{}", cache.copies)});
  }
  table.print(out, "  ");
  TextTable devices({"target", ">usable", ">peak now", ">longest context"});
  for (const TargetContext& target : targets) {
    devices.add({target.device->name, bytes_text(target.device->hardware->usable()),
                 bytes_text(target.peak),
                 target.longest > 0 ? format("{}", target.longest) : std::string("none")});
  }
  devices.print(out);
  line("");
  line(
      "Arithmetic, not propagated: only the caches get longer, all to the same length, the batch "
      "is");
  line("the file's. Masks, tables of scores and copies of a cache are as they are now.");
}

void write_json(const Run& run, const KvCaches& caches, const std::vector<TargetContext>& targets,
                JsonWriter& json) {
  const auto object = json.object();
  json.field("perToken", caches.per_token());
  {
    const auto list = json.array("caches");
    for (const KvCache& cache : caches.caches()) {
      const auto entry = json.object();
      json.field("name", run.plan().name_of(cache.row));
      json.field("dim", static_cast<int64_t>(cache.dim));
      json.field("length", cache.length);
      json.field("perToken", cache.bytes_per_token);
      json.field("grows", cache.grows);
      json.field("copies", cache.copies);
    }
  }
  const auto list = json.array("targets");
  for (const TargetContext& target : targets) {
    const auto entry = json.object();
    json.field("name", target.device->name);
    json.field("usable", target.device->hardware->usable());
    json.field("peak", target.peak);
    json.field("longest", target.longest);
  }
}

}  // namespace

bool asks_for_context(const Options& options) {
  if (!options.has("--context")) return false;
  for (const std::string_view other : {"--over", "--allocator", "--train"}) {
    if (options.has(other))
      throw_error(ErrorKind::kUsage, format("{} does not go with --context", other));
  }
  return true;
}

int fits_context(const Options& options, const std::vector<DeviceModel>& devices, CommandIo& io) {
  const std::string form = options.choice("--format", {"text", "json"});
  const RetargetOptions given = propagate_options(options, io);
  const Program program = open_model(options.positional()[0], options, io);
  std::vector<TargetContext> targets;
  std::unique_ptr<ProgramCosts> first;  // the caches that are printed are of the first device
  bool has_problems = false;
  for (const DeviceModel& device : devices) {
    auto costs = std::make_unique<ProgramCosts>(program, options_on(given, device));
    has_problems = has_problems || !costs->run().problems().empty();
    const KvCaches caches(*costs);
    if (caches.caches().empty())
      throw_error(
          ErrorKind::kUsage,
          "the program has no cache: no input or buffer of rank 3 or more that it appends to or "
          "writes at positions");
    const BranchScope env = costs->run().shape_env();
    targets.push_back({&device, MemoryTimeline::hint(costs->memory().peak()),
                       caches.longest(device.hardware->usable())});
    if (first == nullptr) first = std::move(costs);
  }
  BufferedOut out(io);
  const KvCaches caches(*first);
  if (form == "json") {
    JsonWriter json(out.text());
    write_json(first->run(), caches, targets, json);
    out.line_done();
  } else {
    print_text(first->run(), caches, targets, out);
  }
  return has_problems ? kExitErrors : kExitFine;
}

}  // namespace faketensor
