#include "core/replay/flop_counter.h"

#include <map>

#include "core/analysis/flops.h"
#include "core/formats/json_writer.h"
#include "core/graph/interpreter.h"
#include "core/ops/dispatch_mode.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

class FlopCounter final : public DispatchMode {
 public:
  bool is_in_module = false;

  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override {
    const Value result = next(op, args);
    const std::optional<SymInt> flops = flops_of(op, args, result);
    if (!flops) return result;
    const std::string name = format("aten.{}", op.packet());
    add(counts_["Global"], name, *flops);
    if (is_in_module) add(counts_["GraphModule"], name, *flops);
    return result;
  }

  std::string text() {
    SymInt total = 0;
    for (const auto& [name, flops] : counts_["Global"]) total = total + flops;
    std::string text;
    JsonWriter json(text);
    const auto object = json.object();
    write_flops(json.key("total"), total);
    const auto counts = json.object("counts");
    for (const auto& [module, by_name] : counts_) {
      const auto of_module = json.object(module);
      for (const auto& [name, flops] : by_name) write_flops(json.key(name), flops);
    }
    return text;
  }

 private:
  using Counts = std::map<std::string, SymInt>;

  static void add(Counts& counts, const std::string& name, SymInt flops) {
    const auto [found, is_new] = counts.emplace(name, flops);
    if (!is_new) found->second = found->second + flops;
  }

  static void write_flops(JsonWriter& json, SymInt flops) {
    if (!flops.is_symbolic()) return json.value(flops.as_int());
    const auto object = json.object();
    json.field("sym", to_string(flops));
  }

  std::map<std::string, Counts> counts_;
};

}  // namespace

std::string count_flops(PassSubject& subject) {
  Context& context = subject.mode.context();
  FlopCounter counter;
  const ModeScope scope(context, counter);
  Interpreter interpreter(context);
  const std::shared_ptr<const Plan> plan = subject.graph->plan();
  std::vector<Value> values(plan->size());
  for (Row row = 0; row < plan->size(); ++row) {
    if (plan->row(row).kind == RowKind::kPlaceholder) {
      values[row] = plan->node(row).val;
    } else {
      counter.is_in_module = plan->target_of(row).starts_with(kHigherOrderOps);
      values[row] = interpreter.run_row(*plan, row, values);
    }
  }
  return counter.text();
}

}  // namespace faketensor
