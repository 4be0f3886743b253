#include "core/passes/operator_rules.h"

#include <algorithm>

#include "core/passes/export_pass.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

std::string target_of(std::string_view op) { return std::string(kTorchOps).append(op); }

bool has(const std::vector<std::string>& list, std::string_view op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

class RulesPass final : public ExportPass {
 public:
  RulesPass(PassSubject& subject, const OperatorRules& rules)
      : ExportPass(subject), rules_(rules) {}

 private:
  ProxyValue placeholder(std::string_view name, const Value& value,
                         const NodeMetadata& meta) override {
    const ProxyValue made =
        ExportPass::placeholder(std::string(name) + rules_.placeholder_suffix, value, meta);
    const bool goes_through = rules_.placeholder_dtype && made.is_tensor() &&
                              made.to_tensor().dtype() == *rules_.placeholder_dtype;
    if (!goes_through) return made;
    std::vector<Keyword> kwargs;
    for (const auto& [keyword, constant] : rules_.placeholder_keywords)
      kwargs.push_back({keyword, constant});
    return ExportPass::call_operator(target_of(rules_.placeholder_op), {&made, 1}, kwargs, meta);
  }

  ProxyValue call_operator(std::string_view target, Args given, Keywords kwargs,
                           const NodeMetadata& meta) override {
    const std::string op(operator_name(target));
    if (has(rules_.drop, op)) return given[rules_.kept_argument];
    if (const auto steps = rules_.expand.find(op); steps != rules_.expand.end())
      return expand(steps->second, given, meta);
    std::vector<ProxyValue> args(given.begin(), given.end());
    if (has(rules_.before, op)) {
      ProxyValue& changed = args[rules_.before_argument];
      changed = ExportPass::call_operator(target_of(rules_.before_op), {&changed, 1}, {}, meta);
    }
    if (!rules_.operands.empty()) {
      args.clear();
      for (const StepOperand& operand : rules_.operands) args.push_back(read(operand, given, {}));
    }
    const auto replaced = rules_.replace.find(op);
    const ProxyValue result = ExportPass::call_operator(
        replaced == rules_.replace.end() ? std::string(target) : target_of(replaced->second), args,
        kwargs, meta);
    if (!has(rules_.after, op)) return result;
    return ExportPass::call_operator(target_of(rules_.after_op), {&result, 1}, {}, meta);
  }

  using Made = std::map<std::string, ProxyValue>;

  static ProxyValue read(const StepOperand& operand, Args given, const Made& made) {
    switch (operand.kind) {
      case StepOperand::Kind::kArgument:
        return operand.argument < given.size() ? given[operand.argument] : ProxyValue();
      case StepOperand::Kind::kStep:
        if (const auto found = made.find(operand.step); found != made.end()) return found->second;
        throw_error(ErrorKind::kUsage, "no step before is called '" + operand.step + "'");
      case StepOperand::Kind::kConstant:
        break;
    }
    return operand.constant;
  }

  ProxyValue expand(const std::vector<ExpansionStep>& steps, Args given, const NodeMetadata& meta) {
    Made made;
    ProxyValue last;
    for (const ExpansionStep& step : steps) {
      const bool is_given = !step.if_argument || (*step.if_argument < given.size() &&
                                                  !given[*step.if_argument].data.is_none());
      if (!is_given) continue;
      std::vector<ProxyValue> args;
      for (const StepOperand& operand : step.operands) args.push_back(read(operand, given, made));
      last = ExportPass::call_operator(target_of(step.op), args, {}, meta);
      made[step.name] = last;
    }
    return last;
  }

  ProxyValue output(const ProxyValue& results, const NodeMetadata& meta) override {
    if (rules_.output_op.empty()) return ExportPass::output(results, meta);
    const auto through = [&](const ProxyValue& result) {
      if (!result.is_tensor()) return result;
      std::vector<ProxyValue> args = {result};
      for (const Value& operand : rules_.output_operands) args.emplace_back(operand);
      return ExportPass::call_operator(target_of(rules_.output_op), args, {}, meta);
    };
    if (!results.data.is_list()) return ExportPass::output(through(results), meta);
    std::vector<ProxyValue> changed;
    for (const ProxyValue& result : elements_of(results)) changed.push_back(through(result));
    return ExportPass::output(make_list(changed), meta);
  }

  const OperatorRules& rules_;
};

}  // namespace

PassResult apply_operator_rules(PassSubject& subject, const OperatorRules& rules) {
  return RulesPass(subject, rules).run();
}

}  // namespace faketensor
