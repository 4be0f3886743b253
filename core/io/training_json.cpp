#include "core/io/training_json.h"

#include "core/io/options_json.h"
#include "core/io/peak_json.h"
#include "core/io/value_json.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

void write_kinds(JsonWriter& json, const std::array<SymInt, kMemoryKinds>& kinds) {
  const auto object = json.object();
  for (size_t i = 0; i < kMemoryKinds; ++i) {
    if (!same_expr(kinds[i], 0)) write_json(json.key(name(static_cast<MemoryKind>(i))), kinds[i]);
  }
}

}  // namespace

TrainingOptions read_training_options(const Json& given) {
  TrainingOptions options;
  bool has_optimizer = false;
  for (const auto& [name, value] : object_of(given, "train", ErrorKind::kUsage).items()) {
    if (name == "optimizer") {
      const std::string& word = text_of(value, "train.optimizer", ErrorKind::kUsage);
      const std::optional<Optimizer> optimizer = optimizer_named(word);
      if (!optimizer)
        throw_error(ErrorKind::kUsage,
                    format("train.optimizer is sgd, momentum, adam or adamw, not '{}'", word));
      options.optimizer = *optimizer;
      has_optimizer = true;
    } else if (name == "gradAccumulation") {
      options.grad_accumulation = integer_of(value, "train.gradAccumulation", ErrorKind::kUsage);
      if (options.grad_accumulation < 1)
        throw_error(ErrorKind::kUsage, "train.gradAccumulation is a positive number");
    } else if (name == "masterWeights") {
      options.master_weights = bool_of(value, "train.masterWeights", ErrorKind::kUsage);
    } else if (name == "checkpoint") {
      options.checkpoint =
          read_texts(list_of(value, "train.checkpoint", ErrorKind::kUsage), "train.checkpoint");
    } else {
      throw_error(ErrorKind::kUsage, format("unknown option 'train.{}'", name));
    }
  }
  if (!has_optimizer) throw_error(ErrorKind::kUsage, "train needs an optimizer");
  return options;
}

void write_training(JsonWriter& json, const TrainingStep& step) {
  const BranchScope env = step.run().shape_env();
  const auto object = json.object();
  json.field("optimizer", kOptimizers[static_cast<size_t>(step.options().optimizer)]);
  {
    const auto peak = json.object("peak");
    const MemoryEvent& event = step.events()[step.peak_index()];
    write_json(json.key("bytes"), step.peak());
    json.field("phase", name(event.phase));
    if (event.row != kNoRow) {
      json.field("row", event.row);
      json.field("name", step.run().plan().name_of(event.row));
    }
    write_kinds(json.key("kinds"), step.by_kind(step.peak_index()));
    const PeakReport report(step);
    write_alive(json.key("holders"), step.run(), report);
    write_peak_report(json, step.run(), report);
  }
  {
    const auto after = json.object("after");
    write_json(json.key("bytes"), step.after());
    write_kinds(json.key("kinds"), step.by_kind(step.events().size() - 1));
  }
  json.field("approximated", step.approximated());
  const auto untrained = json.array("untrained");
  for (const Row row : step.untrained()) json.value(step.run().plan().name_of(row));
}

}  // namespace faketensor
