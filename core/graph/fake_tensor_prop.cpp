#include "core/graph/fake_tensor_prop.h"

#include <algorithm>

#include "core/graph/explain.h"
#include "core/graph/interpreter.h"
#include "core/graph/placeholders.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

constexpr size_t kProgressInterval = 4096;  // nodes

TensorRecord record_of(const Tensor& tensor) {
  return {&tensor, tensor.meta, tensor.storage,
          tensor.storage == nullptr ? SymInt(0) : tensor.storage->nbytes};
}

// The tensors in a value, in order. Values nest at most as deep as an operator returns them: a list
// in a list.
void collect(const Value& value, SmallVector<TensorRecord, 4>& out) {
  if (value.is_tensor()) {
    out.push_back(record_of(value.tensor()));
  } else if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) {
      if (element.is_tensor()) out.push_back(record_of(element.tensor()));
      if (!element.is(Value::Tag::kList)) continue;
      for (const Value& inner : element.values()) {
        if (inner.is_tensor()) out.push_back(record_of(inner.tensor()));
      }
    }
  }
}

// Whether an argument refers to a node without a value.
bool depends_on_missing(const Value& argument, std::span<const NodeRecord> records) {
  if (argument.is(Value::Tag::kNodeRef)) return records[argument.node()].status != NodeStatus::kOk;
  if (!argument.is(Value::Tag::kList)) return false;
  const std::span<const Value> elements = argument.values();
  return std::any_of(elements.begin(), elements.end(),
                     [&](const Value& element) { return depends_on_missing(element, records); });
}

Problem problem_at(const Program& program, NodeId id, const Error& error) {
  const Node& node = program.graph().node(id);
  Problem problem;
  problem.kind = error.kind() == ErrorKind::kUnsupportedOperator ? Problem::Kind::kUnknown
                                                                 : Problem::Kind::kError;
  problem.node = id;
  problem.op = program.text(node.target);
  problem.error_class = error.class_name();
  problem.message = error.message();
  problem.argument = error.argument();
  problem.module_path = program.module_path(node);
  problem.source = program.source_line(node);
  return problem;
}

std::string hint_for(ShapeEnv* env) {
  const ExprNode* undecided = env == nullptr ? nullptr : env->last_undecided();
  return undecided == nullptr ? std::string() : env->suggest_fix(undecided);
}

std::string describe(const TensorMeta& meta) {
  return format("{}{} strides {} offset {} on {}", info(meta.dtype()).short_name, meta.sizes(),
                meta.strides(), meta.offset(), meta.device());
}

// Whether sizes are those that the file records: by what is known in the end, and with the fresh
// unbacked symbols of this run in the place of the file's, in the order in which they are met.
class RecordedSizes {
 public:
  bool are_equal(SymInt ours, SymInt theirs) {
    if (same_expr(ours, theirs)) return true;
    if (!ours.is_symbolic() && !theirs.is_symbolic()) return false;
    const SymInt now = current(ours);
    const SymInt recorded = current(theirs);
    if (same_expr(now, recorded)) return true;
    if (is_unbacked(now) && is_unbacked(recorded)) ours_.emplace(recorded.node(), now.node());
    const SymInt expected = recorded.is_symbolic()
                                ? recorded.node()->pool->sym_int(substitute(recorded.node(), ours_))
                                : recorded;
    // Min(768, 768*s0) is 768 once s0 >= 2 is known.
    return same_expr(now, expected) || statically_known_true(now == expected);
  }

 private:
  static bool is_unbacked(SymInt size) {
    return size.is_symbolic() && size.node()->kind == ExprKind::kSymbol &&
           size.node()->has(kHasUnbacked);
  }
  SymbolMap ours_;  // by the file's
};

}  // namespace

size_t Run::count(NodeStatus status) const {
  return static_cast<size_t>(std::count_if(
      records_.begin(), records_.end(), [&](const NodeRecord& r) { return r.status == status; }));
}

std::vector<Problem> Run::compare_with_recorded() const {
  shape_env();
  std::vector<Problem> mismatches;
  RecordedSizes sizes;
  for (NodeId i = 0; i < records_.size(); ++i) {
    const Node& node = program_->graph().node(i);
    if (node.recorded == nullptr || records_[i].status != NodeStatus::kOk ||
        !records_[i].value.is_tensor())
      continue;
    const TensorMeta& ours = *records_[i].tensors[0].meta;
    const TensorMeta& theirs = *node.recorded;
    const auto same = [&](SymInt a, SymInt b) { return sizes.are_equal(a, b); };
    if (ours.dtype() == theirs.dtype() && ours.device() == theirs.device().normalized() &&
        same(ours.offset(), theirs.offset()) &&
        std::equal(ours.sizes().begin(), ours.sizes().end(), theirs.sizes().begin(),
                   theirs.sizes().end(), same) &&
        std::equal(ours.strides().begin(), ours.strides().end(), theirs.strides().begin(),
                   theirs.strides().end(), same)) {
      continue;
    }
    Problem problem =
        problem_at(*program_, i,
                   Error(ErrorKind::kValueError, format("the file records {}, propagation gives {}",
                                                        describe(theirs), describe(ours))));
    problem.kind = Problem::Kind::kMismatch;
    problem.error_class.clear();
    mismatches.push_back(std::move(problem));
  }
  return mismatches;
}

Run::Branch::Branch(std::shared_ptr<ShapeEnv> shape_env)
    : env(std::move(shape_env)), number(env->begin_branch()) {}

Run::Branch::~Branch() { env->end_branch(number); }

ShapeEnv* Run::shape_env() const {
  if (branch_ != nullptr) branch_->env->take_up(branch_->number);
  return mode_->context().shape_env();
}

// Errors that a propagation as tracing does it has not: they come of C++ kernels that make numbers
// of symbols, which the Python dispatcher keeps from being called.
void Run::propose_python_dispatcher(const PropagateOptions& options) {
  const auto is_error = [](const Problem& p) { return p.kind == Problem::Kind::kError; };
  if (options.python_dispatcher || program_->shape_env == nullptr || cancelled_ ||
      std::none_of(problems_.begin(), problems_.end(), is_error))
    return;
  PropagateOptions under_dispatcher = options;
  under_dispatcher.python_dispatcher = true;
  under_dispatcher.progress = {};
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
  if (program.shape_env != nullptr) run.branch_ = std::make_unique<Run::Branch>(program.shape_env);
  run.mode_ = std::make_unique<FakeTensorMode>(options.target);
  FakeTensorMode& mode = *run.mode_;
  mode.attach_shape_env(program.shape_env);
  mode.context().python_dispatcher = options.python_dispatcher;
  if (options.prepare) options.prepare(mode);
  const Graph& graph = program.graph();
  const Placeholders placeholders(program, options);
  Interpreter interpreter(program, mode);
  if (options.device) {
    const NodeId first = first_user_tensor(program);
    const Device from = first == kNoNode ? Device{} : graph.node(first).recorded->device();
    interpreter.replace_device(from.normalized(), options.device->normalized());
  }
  run.records_.resize(graph.size());
  std::vector<Value> values(graph.size());
  for (NodeId i = 0; i < graph.size(); ++i) {
    if (i % kProgressInterval == 0 && options.progress && !options.progress(i, graph.size())) {
      run.cancelled_ = true;
      return run;
    }
    const Node& node = graph.node(i);
    NodeRecord& record = run.records_[i];
    // What is decided about symbols from here on is this node's doing (see explain.h), and this
    // run's: a callback (progress, the fake of a custom operator) may have asked about another one.
    if (ShapeEnv* env = run.shape_env()) env->set_origin(i + 1);
    if (std::any_of(node.args.begin(), node.args.end(),
                    [&](const Value& arg) { return depends_on_missing(arg, run.records_); }))
      continue;
    try {
      values[i] = node.kind == NodeKind::kPlaceholder ? placeholders.make(mode, i)
                                                      : interpreter.run_node(node, values);
      record.value = values[i];
      record.status = NodeStatus::kOk;
      SmallVector<TensorRecord, 4> tensors;
      collect(record.value, tensors);
      record.tensors = mode.context().arena().copy(tensors.span());
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kUsage) throw;
      run.problems_.push_back(problem_at(program, i, error));
      if (error.kind() == ErrorKind::kGuardOnDataDependent)
        run.problems_.back().hint = hint_for(mode.context().shape_env());
      record.status = run.problems_.back().kind == Problem::Kind::kUnknown ? NodeStatus::kUnknown
                                                                           : NodeStatus::kError;
      if (options.stop_at_first_error) return run;
    }
  }
  if (options.progress) options.progress(graph.size(), graph.size());
  run.propose_python_dispatcher(options);
  return run;
}

}  // namespace faketensor
