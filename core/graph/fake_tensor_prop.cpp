#include "core/graph/fake_tensor_prop.h"

#include <algorithm>

#include "core/graph/bodies.h"
#include "core/graph/body_values.h"
#include "core/graph/explain.h"
#include "core/graph/interpreter.h"
#include "core/graph/placeholders.h"
#include "core/graph/rebinding.h"
#include "core/graph/recorded_check.h"
#include "core/support/format.h"
#include "core/symbolic/suggest_fix.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

constexpr size_t kProgressInterval = 4096;  // nodes

// The tensors in a value, in order. Values nest at most as deep as an operator returns them: a list
// in a list.
std::span<const TensorRecord> records_of(const Value& value, Arena& arena) {
  if (value.is_tensor()) {
    const TensorRecord one[] = {TensorRecord::of(value.tensor())};
    return arena.copy(std::span<const TensorRecord>(one));
  }
  if (!value.is(Value::Tag::kList)) return {};
  SmallVector<TensorRecord, 4> records;
  for (const Value& element : value.values()) {
    if (element.is_tensor()) records.push_back(TensorRecord::of(element.tensor()));
    if (!element.is(Value::Tag::kList)) continue;
    for (const Value& inner : element.values()) {
      if (inner.is_tensor()) records.push_back(TensorRecord::of(inner.tensor()));
    }
  }
  return arena.copy(records.span());
}

// Whether an argument refers to a node without a value: there is none before the first problem.
bool depends_on_missing(const Value& argument, std::span<const NodeRecord> records) {
  if (argument.is(Value::Tag::kNodeRef)) return records[argument.node()].status != NodeStatus::kOk;
  if (!argument.is(Value::Tag::kList)) return false;
  const std::span<const Value> elements = argument.values();
  return std::any_of(elements.begin(), elements.end(),
                     [&](const Value& element) { return depends_on_missing(element, records); });
}

}  // namespace

NodeRecord record_of(const Value& value, Arena& arena) {
  return {NodeStatus::kOk, value, records_of(value, arena)};
}

Problem problem_at(const Program& program, Row row, const Error& error) {
  const Node& node = program.node(row);
  Problem problem;
  problem.kind = error.kind() == ErrorKind::kUnsupportedOperator ? Problem::Kind::kUnknown
                                                                 : Problem::Kind::kError;
  problem.node = row;
  if (node.kind != NodeKind::kPlaceholder) problem.op = program.text(node.target);
  problem.error_class = error.class_name();
  problem.message = error.message();
  problem.argument = error.argument();
  problem.module_path = program.module_path(node);
  problem.source = program.source_line(node);
  return problem;
}

namespace {

std::string hint_for(ShapeEnv& env) {
  const ExprNode* undecided = env.last_undecided();
  return undecided == nullptr ? std::string() : suggest_fix(env, undecided);
}

// What the file records of a node, as a tensor of its own; None where it records nothing (a tuple,
// of whose elements it does).
Value recorded_value(FakeTensorMode& mode, const Node& node) {
  if (node.recorded == nullptr) return node.val;
  Context& context = mode.context();
  return context.make_tensor(context.metas().intern(node.recorded->spec()), nullptr);
}

}  // namespace

size_t Run::count(NodeStatus status) const {
  return static_cast<size_t>(std::count_if(
      records_.begin(), records_.end(), [&](const NodeRecord& r) { return r.status == status; }));
}

void Run::add_error(Problem problem) {
  records_[problem.node].status = NodeStatus::kError;
  const auto after = std::find_if(problems_.begin(), problems_.end(),
                                  [&](const Problem& p) { return p.node > problem.node; });
  problems_.insert(after, std::move(problem));
}

std::vector<Problem> Run::compare_with_recorded() const {
  return check_recorded(*this).differences;
}

BranchScope Run::shape_env() const { return {*mode_->context().shape_env(), branch_}; }

// Errors that a propagation as tracing does it has not: they come of C++ kernels that make numbers
// of symbols, which the Python dispatcher keeps from being called.
void Run::propose_python_dispatcher(const PropagateOptions& options) {
  const auto is_error = [](const Problem& p) { return p.kind == Problem::Kind::kError; };
  if (options.python_dispatcher || options.editor != nullptr || program_->shape_env == nullptr ||
      cancelled_ || std::none_of(problems_.begin(), problems_.end(), is_error))
    return;
  PropagateOptions under_dispatcher = options;
  under_dispatcher.python_dispatcher = true;
  under_dispatcher.progress = {};
  under_dispatcher.watcher = nullptr;
  under_dispatcher.graphs = nullptr;
  const Run other = propagate(*program_, under_dispatcher);
  for (Problem& problem : problems_) {
    if (!is_error(problem) || other.record(problem.node).status != NodeStatus::kOk) continue;
    problem.python_dispatcher_answers = true;
    problem.hint =
        "under the Python dispatcher (--python-dispatcher, pythonDispatcher) it is answered, as "
        "when programs are traced";
  }
}

Run propagate(const Program& program, const PropagateOptions& options) {
  Run run;
  run.program_ = &program;
  if (program.shape_env != nullptr) run.branch_ = program.shape_env->make_branch();
  run.mode_ = std::make_unique<FakeTensorMode>(options.target);
  FakeTensorMode& mode = *run.mode_;
  mode.attach_shape_env(program.shape_env);
  const BranchScope env = run.shape_env();
  mode.context().python_dispatcher = options.python_dispatcher;
  if (options.prepare) options.prepare(program, mode);
  std::optional<ModeScope> watching;
  if (options.watcher != nullptr) {
    options.watcher->begin_run();
    watching.emplace(mode.context(), *options.watcher);
  }
  run.plan_ = program.graph().plan();
  const Plan& plan = *run.plan_;
  const Placeholders placeholders(program, options, *mode.context().shape_env());
  Interpreter interpreter(mode.context(), options.editor);
  if (options.device && options.editor == nullptr) {
    const Row first = first_user_tensor(program);
    const Device from = first == kNoRow ? Device{} : plan.node(first).recorded->device();
    interpreter.replace_device(from.normalized(), options.device->normalized());
  }
  std::optional<UnbackedNames> names;
  if (program.shape_env != nullptr) names.emplace(program, mode.context());
  run.records_.resize(plan.size());
  if (options.assume_recorded) run.assumed_.resize(plan.size());
  std::unique_ptr<BodyWatcher> bodies;
  if (options.values_of_bodies && program.bodies != nullptr && options.watcher == nullptr)
    bodies = watch_bodies(program, interpreter, run.records_);
  if (options.graphs != nullptr) interpreter.watch(options.graphs);
  std::vector<Value> values(plan.size());
  for (Row i = 0; i < plan.size(); ++i) {
    if (i % kProgressInterval == 0 && options.progress && !options.progress(i, plan.size())) {
      run.cancelled_ = true;
      return run;
    }
    const PlanRow& row = plan.row(i);
    NodeRecord& record = run.records_[i];
    // What is decided about symbols from here on is this node's doing (see explain.h).
    env->set_origin(i + 1);
    if (options.watcher != nullptr) options.watcher->begin_row(i);
    if (program.bodies != nullptr && program.bodies->is_body(i)) continue;
    const auto keep = [&](const Value& answer) {
      const Value value = names ? names->rebind(i, answer) : answer;
      values[i] = value;
      if (options.watcher != nullptr) options.watcher->end_row(i, value);
      record = record_of(value, mode.context().arena());
      if (options.editor != nullptr) options.editor->note_value(i, value);
    };
    // An element of what was taken from the file is taken from it too.
    if (row.kind == RowKind::kGetItem && run.was_assumed(row.args[0].node())) {
      run.assumed_[i] = true;
      keep(recorded_value(mode, plan.node(i)));
      continue;
    }
    if (!run.problems_.empty() &&
        std::any_of(row.args.begin(), row.args.end(),
                    [&](const Value& arg) { return depends_on_missing(arg, run.records_); }))
      continue;
    try {
      keep(row.kind == RowKind::kPlaceholder ? placeholders.make(mode, i)
                                             : interpreter.run_row(plan, i, values));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kUsage) throw;
      const Row inner = bodies == nullptr ? kNoRow : bodies->take_failed();
      if (options.assume_recorded && error.kind() == ErrorKind::kUnsupportedOperator) {
        run.assumed_[i] = true;
        keep(recorded_value(mode, plan.node(i)));
        continue;
      }
      run.problems_.push_back(problem_at(program, inner == kNoRow ? i : inner, error));
      if (error.kind() == ErrorKind::kGuardOnDataDependent)
        run.problems_.back().hint = hint_for(*env);
      if (inner == kNoRow)
        record.status = run.problems_.back().kind == Problem::Kind::kUnknown ? NodeStatus::kUnknown
                                                                             : NodeStatus::kError;
      if (options.stop_at_first_error) return run;
    }
    if (options.editor != nullptr && options.editor->is_finished()) {
      run.cancelled_ = true;
      return run;
    }
  }
  if (bodies != nullptr) bodies->run_others();
  if (options.progress) options.progress(plan.size(), plan.size());
  run.propose_python_dispatcher(options);
  return run;
}

}  // namespace faketensor
