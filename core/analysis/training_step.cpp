#include "core/analysis/training_step.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/analysis/backward.h"
#include "core/analysis/forward_pass.h"
#include "core/analysis/optimizer_step.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/scoped_value.h"

namespace faketensor {

namespace {

RetargetedRun run_taped(const Program& program, RetargetOptions options, AutogradTape& tape) {
  tape.attach(options);
  return propagate_retargeted(program, options);
}

bool is_gradient(OutputSpec::Kind kind) {
  return kind == OutputSpec::Kind::kGradientToParameter ||
         kind == OutputSpec::Kind::kGradientToUserInput;
}

}  // namespace

// One step, from what is held before it to what is held after it.
class TrainingStep::Simulation {
 public:
  Simulation(const TrainingStep& step, StorageLedger& ledger)
      : step_(step),
        ledger_(ledger),
        calls_(step.run().mode().context(), ledger),
        graph_(calls_),
        forward_(step.run(), *step.tape_, calls_, graph_, step.checkpointed()) {}

  // The parameters that the loss reaches: those that get a gradient.
  std::set<Row> find_trained() {
    forward_.hold_inputs(true);
    run_forward();
    std::set<Row> trained;
    for (const GradNode* node : reached_from(loss())) {
      if (node->leaf != nullptr) trained.insert(node->call.row);
    }
    return trained;
  }

  void run(const std::set<Row>& trained, std::vector<std::string>& approximated) {
    forward_.hold_inputs(true);
    OptimizerStep optimizer(step_.options(), calls_);
    hold_before(trained, optimizer);
    ledger_.start_peak();
    run_forward();
    const Term loss = this->loss();
    forward_.drop_values();
    drop_unreached(loss);
    backward(loss, approximated);
    optimizer.run(forward_.leaves());
    ledger_.begin(TrainingPhase::kEnd, kNoRow);
    for (GradNode* leaf : forward_.leaves()) leaf->grad.reset();
    finish(loss);
  }

  // Of a program whose outputs are the gradients.
  void run_joint() {
    forward_.hold_inputs(false);
    OptimizerStep optimizer(step_.options(), calls_);
    std::deque<GradNode> parameters;
    add_parameters(parameters);
    for (const GradNode& parameter : parameters) {
      ledger_.begin(TrainingPhase::kForward, parameter.call.row);
      optimizer.add_state(*parameter.leaf);
    }
    ledger_.start_peak();
    run_forward();
    std::vector<GradNode*> leaves;
    take_gradients(parameters, leaves);
    forward_.drop_values();
    optimizer.run(leaves);
    ledger_.begin(TrainingPhase::kEnd, kNoRow);
    for (GradNode* leaf : leaves) leaf->grad.reset();
    ledger_.close();
  }

  const std::vector<GradNode*>& leaves() const { return forward_.leaves(); }

 private:
  std::set<const GradNode*> reached_from(const Term& loss) {
    std::vector<const GradNode*> open;
    std::set<const GradNode*> seen;
    const auto visit = [&](const GradNode* node) {
      if (node != nullptr && seen.insert(node).second) open.push_back(node);
    };
    visit(graph_.edge_of(loss.tensor()).node);
    while (!open.empty()) {
      const GradNode* node = open.back();
      open.pop_back();
      for (const GradInput& input : node->inputs) visit(input.edge.node);
    }
    return seen;
  }

  // Nodes that only dropped outputs lead to go with them, and what they kept.
  void drop_unreached(const Term& loss) {
    const std::set<const GradNode*> reached = reached_from(loss);
    for (GradNode& node : graph_.nodes()) {
      if (!reached.contains(&node)) node.saved.clear();
    }
  }

  void hold_before(const std::set<Row>& trained, OptimizerStep& optimizer) {
    for (GradNode* leaf : forward_.leaves()) {
      if (!trained.contains(leaf->call.row)) continue;
      ledger_.begin(TrainingPhase::kForward, leaf->call.row);
      optimizer.add_state(*leaf->leaf);
      if (step_.options().grad_accumulation == 1) continue;
      calls_.set_kind(MemoryKind::kGradient);
      leaf->grad = calls_.call("empty_like", {Term{*leaf->leaf, {}}}).holds[0];
    }
  }

  void run_forward() {
    for (Row row = 0; row < step_.run().plan().size(); ++row) forward_.run_row(row);
  }

  Term loss() {
    if (step_.loss_kind_ == LossKind::kMeanSquare) return forward_.run_loss();
    return calls_.term(const_cast<Tensor&>(*step_.loss_));
  }

  void backward(const Term& loss, std::vector<std::string>& approximated) {
    ledger_.begin(TrainingPhase::kBackward, kNoRow);
    calls_.set_kind(MemoryKind::kTemporary);
    ScopedValue no_grad(calls_.context().grad_enabled, false);
    const ModeScope scope(calls_.context(), calls_);
    Backward backward(calls_);
    backward.before = [&](GradNode& node) { forward_.recompute(node.call.row); };
    const Term ones =
        calls_.call("ones_like", {loss});  // torch.autograd.backward has it to the end
    backward.run(graph_.edge_of(loss.tensor()), ones);
    std::set<std::string> names(graph_.unknown().begin(), graph_.unknown().end());
    for (const auto& [op, why] : backward.failures()) names.insert(std::string(op) + ": " + why);
    approximated.assign(names.begin(), names.end());
  }

  void add_parameters(std::deque<GradNode>& parameters) {
    const Program& program = step_.run().program();
    for (Row row = 0; row < program.inputs.size(); ++row) {
      const NodeRecord& record = step_.run().record(row);
      const bool has_gradient = std::any_of(
          program.outputs.begin(), program.outputs.end(), [&](const OutputSpec& output) {
            return output.kind == OutputSpec::Kind::kGradientToParameter &&
                   output.target == program.inputs[row].target;
          });
      if (!has_gradient || record.tensors.empty()) continue;
      GradNode& parameter = parameters.emplace_back();
      parameter.call.row = row;
      parameter.leaf = const_cast<Tensor*>(record.tensors[0].tensor);
    }
  }

  void take_gradients(std::deque<GradNode>& parameters, std::vector<GradNode*>& leaves) {
    const Program& program = step_.run().program();
    const Row last = static_cast<Row>(step_.run().plan().size() - 1);
    const std::vector<Tensor*> outputs = tensors_of(step_.run().record(last).value);
    for (GradNode& parameter : parameters) {
      for (size_t i = 0; i < std::min(outputs.size(), program.outputs.size()); ++i) {
        const bool is_its = program.outputs[i].target == program.inputs[parameter.call.row].target;
        if (!is_its || program.outputs[i].kind != OutputSpec::Kind::kGradientToParameter) continue;
        parameter.grad = calls_.hold(*outputs[i]);
        ledger_.become(*outputs[i]->storage, MemoryKind::kGradient);
      }
      leaves.push_back(&parameter);
    }
  }

  // The loss goes with the step's frame.
  void finish(const Term& loss) {
    for (const HeldTensor& hold : loss.holds) ledger_.release(*hold->tensor().storage);
    ledger_.close();
  }

  const TrainingStep& step_;
  StorageLedger& ledger_;
  HeldCalls calls_;
  GradGraph graph_;
  ForwardPass forward_;
};

TrainingStep::TrainingStep(const Program& program, RetargetOptions options,
                           TrainingOptions training)
    : training_(std::move(training)),
      tape_(std::make_unique<AutogradTape>()),
      answer_(run_taped(program, std::move(options), *tape_)),
      ledger_(std::make_unique<StorageLedger>()) {
  const BranchScope env = run().shape_env();
  find_loss();
  if (loss_kind_ == LossKind::kJoint) {
    Simulation(*this, *ledger_).run_joint();
    return;
  }
  std::set<Row> trained;
  {
    StorageLedger scratch;
    trained = Simulation(*this, scratch).find_trained();
  }
  Simulation simulation(*this, *ledger_);
  simulation.run(trained, approximated_);
  for (const GradNode* leaf : simulation.leaves()) {
    if (!trained.contains(leaf->call.row)) untrained_.push_back(leaf->call.row);
  }
}

void TrainingStep::find_loss() {
  const Program& program = run().program();
  const Plan& plan = run().plan();
  if (!run().problems().empty()) {
    const Problem& problem = run().problems().front();
    throw_error(ErrorKind::kUsage,
                format("the program has errors, the first at {}: {}: {}",
                       plan.name_of(problem.node), problem.error_class, problem.message));
  }
  if (std::any_of(program.outputs.begin(), program.outputs.end(),
                  [](const OutputSpec& output) { return is_gradient(output.kind); })) {
    loss_kind_ = LossKind::kJoint;
    return;
  }
  const std::vector<Tensor*> outputs =
      plan.size() == 0 ? std::vector<Tensor*>() : tensors_of(run().records().back().value);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool is_own =
        i < program.outputs.size() && program.outputs[i].kind == OutputSpec::Kind::kLoss;
    if (is_own) {
      loss_kind_ = LossKind::kOwn;
      loss_ = outputs[i];
      return;
    }
  }
  const auto first = std::find_if(outputs.begin(), outputs.end(), [](const Tensor* tensor) {
    return is_floating(tensor->dtype());
  });
  if (first == outputs.end())
    throw_error(ErrorKind::kUsage, "the program has no floating-point output to compute a loss of");
  compute_loss(**first);
}

void TrainingStep::compute_loss(const Tensor& output) {
  Context& context = run().mode().context();
  const ScopedValue grad(context.grad_enabled, true);
  const ModeScope scope(context, *tape_);
  tape_->begin_row(static_cast<Row>(run().plan().size()));
  const auto call = [&](std::string_view op, std::initializer_list<Value> args) {
    return context.call(Registry::builtin().find(op), {args.begin(), args.size()});
  };
  const Value wide = call("aten::to.dtype", {output, DType::kFloat32});
  const Value square = call("aten::pow.Tensor_Scalar", {wide, 2});
  loss_ = &call("aten::mean", {square}).tensor();
}

std::vector<ModuleId> TrainingStep::checkpointed() const {
  const Program& program = run().program();
  std::vector<ModuleId> found;
  for (const std::string& path : training_.checkpoint) {
    const size_t before = found.size();
    for (ModuleId id = 1; id < program.modules.size(); ++id) {
      if (program.text(program.modules[id].path) == path) found.push_back(id);
    }
    if (found.size() == before)
      throw_error(ErrorKind::kUsage, format("checkpoint: the program has no module '{}'", path));
  }
  return found;
}

std::array<SymInt, kMemoryKinds> TrainingStep::by_kind(size_t event) const {
  std::array<SymInt, kMemoryKinds> bytes = {};
  std::vector<MemoryKind> kinds;
  for (size_t i = 0; i <= event && i < events().size(); ++i) {
    const MemoryEvent& each = events()[i];
    if (each.storage >= kinds.size()) kinds.resize(each.storage + 1, MemoryKind::kActivation);
    if (each.what != MemoryEvent::What::kBring)
      bytes[static_cast<size_t>(kinds[each.storage])] -= each.bytes;
    kinds[each.storage] = each.kind;
    if (each.what != MemoryEvent::What::kFree) bytes[static_cast<size_t>(each.kind)] += each.bytes;
  }
  return bytes;
}

}  // namespace faketensor
