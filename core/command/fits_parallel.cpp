#include "core/command/fits_parallel.h"

#include "core/analysis/fit_devices.h"
#include "core/analysis/parallel.h"
#include "core/command/memory_training.h"
#include "core/command/propagate_options.h"
#include "core/command/text_table.h"
#include "core/command/value_text.h"
#include "core/formats/json_writer.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

struct TargetRows {
  DeviceModel device;
  std::vector<ParallelRow> rows;
};

int64_t gpus_option(const Options& options) {
  const std::string text = *options.get("--gpus");
  const std::optional<int64_t> gpus = parse_size(text);
  if (!gpus || *gpus < 2 || *gpus > (1 << 20))
    throw_error(ErrorKind::kUsage, format("--gpus takes a number from 2 on, not '{}'", text));
  return *gpus;
}

// Those of --parallel, each once; none: all that apply.
std::vector<ParallelWay> ways_option(const Options& options) {
  std::vector<ParallelWay> ways;
  for (const std::string& text : options.all("--parallel")) {
    const std::optional<ParallelWay> way = parallel_way_named(text);
    if (!way)
      throw_error(ErrorKind::kUsage,
                  format("--parallel takes dp, zero1, zero2, zero3, tp or pp, not '{}'", text));
    if (std::find(ways.begin(), ways.end(), *way) == ways.end()) ways.push_back(*way);
  }
  return ways;
}

TargetRows rows_on(const Program& program, ParallelQuestion question, const DeviceModel& device,
                   const std::vector<ParallelWay>& ways) {
  question.options = options_on(question.options, device);
  const ParallelStep step(program, std::move(question), device);
  TargetRows answer{device, {}};
  for (const ParallelWay way : ways) answer.rows.push_back(step.on(way));
  if (!ways.empty()) return answer;
  for (size_t i = 0; i < std::size(kParallelWays); ++i) {
    if (step.allows(static_cast<ParallelWay>(i)))
      answer.rows.push_back(step.on(static_cast<ParallelWay>(i)));
  }
  return answer;
}

bool fits(const TargetRows& target, const ParallelRow& row) {
  return row.memory <= target.device.hardware->usable();
}

std::string way_text(const ParallelRow& row) {
  std::string text(kParallelWays[static_cast<size_t>(row.way)]);
  return row.way == ParallelWay::kPipeline ? text + format(" ({} stages)", row.stages) : text;
}

void print_text(const std::vector<TargetRows>& targets, const ParallelQuestion& question,
                BufferedOut& out) {
  const auto line = [&](std::string_view text) {
    out.text() += text;
    out.line_done();
  };
  const bool is_training = question.training.has_value();
  line(format("{} GPUs, {}", question.gpus,
              is_training ? format("a training step with {}",
                                   kOptimizers[static_cast<size_t>(question.training->optimizer)])
                          : "the program's own run"));
  TextTable table({"target", "way", ">usable", ">a rank's peak", "fits", ">sent", ">compute",
                   ">sending", ">step"});
  std::vector<ParallelWay> ways;
  for (const TargetRows& target : targets) {
    for (const ParallelRow& row : target.rows) {
      const auto text = [](std::optional<double> seconds) {
        return seconds ? seconds_text(*seconds) : std::string("-");
      };
      table.add({target.device.name, way_text(row), bytes_text(target.device.hardware->usable()),
                 bytes_text(row.memory), fits(target, row) ? "yes" : "no", bytes_text(row.sent),
                 seconds_text(row.compute), text(row.communication), text(row.seconds())});
      ways.push_back(row.way);
    }
  }
  table.print(out);
  line("");
  line("On paper, not run. Assumed:");
  for (const std::string_view text : parallel_assumptions(ways, is_training)) {
    line(format("- {}", text));
  }
}

void write_json(const std::vector<TargetRows>& targets, const ParallelQuestion& question,
                JsonWriter& json) {
  const auto object = json.object();
  json.field("gpus", question.gpus);
  std::vector<ParallelWay> ways;
  {
    const auto list = json.array("targets");
    for (const TargetRows& target : targets) {
      for (const ParallelRow& row : target.rows) {
        ways.push_back(row.way);
        const auto entry = json.object();
        json.field("target", target.device.name);
        json.field("way", kParallelWays[static_cast<size_t>(row.way)]);
        json.field("usable", target.device.hardware->usable());
        json.field("memory", row.memory);
        json.field("fits", fits(target, row));
        json.field("sent", row.sent);
        json.field("compute", row.compute);
        if (row.communication) json.field("communication", *row.communication);
        if (row.stages > 0) json.field("stages", row.stages);
      }
    }
  }
  const auto list = json.array("assumptions");
  for (const std::string_view text : parallel_assumptions(ways, question.training.has_value()))
    json.value(text);
}

}  // namespace

bool asks_for_gpus(const Options& options) {
  const bool asks = options.has("--gpus");
  if (!asks && options.has("--parallel")) throw_error(ErrorKind::kUsage, "--parallel needs --gpus");
  for (const std::string_view other : {"--over", "--allocator", "--context"}) {
    if (asks && options.has(other))
      throw_error(ErrorKind::kUsage, format("{} is of one GPU, not of --gpus", other));
  }
  return asks;
}

int fits_on_gpus(const Options& options, CommandIo& io) {
  const std::string form = options.choice("--format", {"text", "json"});
  ParallelQuestion question;
  question.gpus = gpus_option(options);
  question.training = training_options(options);
  const std::vector<ParallelWay> ways = ways_option(options);
  if (!options.has("--target")) throw_error(ErrorKind::kUsage, "--gpus needs --target");
  question.options = propagate_options(options, io);
  std::vector<DeviceModel> devices;
  for (const std::string& target : options.all("--target"))
    devices.push_back(open_hardware(target, io));
  const Program program = open_model(options.positional()[0], options, io);
  std::vector<TargetRows> targets;
  for (const DeviceModel& device : devices)
    targets.push_back(rows_on(program, question, device, ways));
  BufferedOut out(io);
  if (form == "json") {
    JsonWriter json(out.text());
    write_json(targets, question, json);
    out.line_done();
  } else {
    print_text(targets, question, out);
  }
  return kExitFine;
}

}  // namespace faketensor
