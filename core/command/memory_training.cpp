#include "core/command/memory_training.h"

#include <cstdlib>

#include "core/command/peak_text.h"
#include "core/formats/json_writer.h"
#include "core/io/training_json.h"
#include "core/io/value_json.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

int64_t positive_option(const Options& options, std::string_view name, int64_t otherwise) {
  const std::optional<std::string> text = options.get(name);
  if (!text) return otherwise;
  char* end = nullptr;
  const int64_t number = std::strtoll(text->c_str(), &end, 10);
  if (text->empty() || *end != '\0' || number < 1)
    throw_error(ErrorKind::kUsage, format("{} takes a positive number, not '{}'", name, *text));
  return number;
}

void print_report(const TrainingStep& step, BufferedOut& out) {
  const auto line = [&](std::string_view text) {
    out.text() += text;
    out.line_done();
  };
  line(format("a training step with {}, after the first",
              kOptimizers[static_cast<size_t>(step.options().optimizer)]));
  line(format("peak: {} at {}", size_text(step.peak()),
              place_text(step, step.events()[step.peak_index()])));
  const PeakReport report(step);
  print_alive(step.run(), report, out);
  print_shares(step.run(), report, out);
  line(format("after the step: {}", size_text(step.after())));
  for (const std::string& op : step.approximated())
    line(format("approximated, its derivative is not known: {}", op));
  line("");
  line("Bytes of storages, on all devices; no allocator's rounding, no workspaces of libraries.");
}

}  // namespace

std::string place_text(const TrainingStep& step, const MemoryEvent& event) {
  if (event.row == kNoRow) return std::string(name(event.phase));
  const std::string_view module = step.run().program().module_path(step.run().node(event.row));
  return format("{} of {}{}{}", name(event.phase), step.run().plan().name_of(event.row),
                module.empty() ? "" : " in ", module);
}

std::optional<TrainingOptions> training_options(const Options& options) {
  if (!options.has("--train")) {
    for (const std::string_view other :
         {"--grad-accumulation", "--master-weights", "--checkpoint"}) {
      if (options.has(other)) throw_error(ErrorKind::kUsage, format("{} needs --train", other));
    }
    return std::nullopt;
  }
  for (const std::string_view other : {"--allocator", "--snapshot", "--csv", "--chrome-trace"}) {
    if (options.has(other))
      throw_error(ErrorKind::kUsage,
                  format("{} is of the program's own run, not of --train", other));
  }
  TrainingOptions training;
  const std::string optimizer = options.choice("--train", {"sgd", "momentum", "adam", "adamw"});
  training.optimizer = *optimizer_named(optimizer);
  training.grad_accumulation = positive_option(options, "--grad-accumulation", 1);
  training.master_weights = options.has("--master-weights");
  training.checkpoint = options.all("--checkpoint");
  return training;
}

void print_training(const TrainingStep& step, bool as_lines, CommandIo& io) {
  const BranchScope env = step.run().shape_env();
  BufferedOut out(io);
  if (!as_lines) return print_report(step, out);
  JsonWriter json(out.text());
  write_training(json, step);
  out.line_done();
}

}  // namespace faketensor
