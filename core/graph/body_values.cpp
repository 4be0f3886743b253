#include "core/graph/body_values.h"

#include <algorithm>
#include <utility>

#include "core/graph/bodies.h"
#include "core/support/target_name.h"
#include "core/symbolic/ignore_fresh_symbols.h"

namespace faketensor {

namespace {

class BodyValues final : public BodyWatcher {
 public:
  BodyValues(const Program& program, Context& context, std::vector<NodeRecord>& records);

  void begin_call(const Plan& plan, Row row, std::span<const Value> args) override;
  void begin_graph(const Graph& graph) override;
  void note_value(Row row, const Value& value) override;
  void note_error(Row row, const Error& error) override;
  void end_graph() override;
  bool is_recording() const override { return next_body() != kNoBody; }
  Row take_failed() override { return std::exchange(failed_, kNoRow); }
  void run_others() override;

 private:
  static constexpr size_t kNoBody = SIZE_MAX;
  struct Running {
    size_t body = kNoBody;
    Row call = kNoRow;  // the one inside of it that runs
  };

  size_t next_body(const Graph* graph = nullptr) const;
  void run_other(size_t body);
  Value input_of(const Body& body, Row row);

  const Program& program_;
  const Bodies& bodies_;
  Context& context_;
  std::vector<NodeRecord>& records_;
  std::vector<Running> running_{Running{}};  // the program's own graph, then those inside
  std::vector<bool> has_run_;                // by body
  Row failed_ = kNoRow;
  bool is_quiet_ = false;
};

BodyValues::BodyValues(const Program& program, Context& context, std::vector<NodeRecord>& records)
    : program_(program),
      bodies_(*program.bodies),
      context_(context),
      records_(records),
      has_run_(bodies_.all().size()) {}

void BodyValues::begin_call(const Plan&, Row row, std::span<const Value>) {
  const size_t body = running_.back().body;
  if (running_.size() == 1) {
    running_.back().call = row;
    failed_ = kNoRow;
  } else {
    running_.back().call = body == kNoBody ? kNoRow : bodies_.all()[body].rows[row];
  }
}

// Of the call that runs, the first body that has not run; of `graph`, where that is asked.
size_t BodyValues::next_body(const Graph* graph) const {
  const Row call = running_.back().call;
  if (call == kNoRow) return kNoBody;
  const auto [first, last] = bodies_.of_call(call);
  for (size_t body = first; body < last; ++body) {
    const bool is_it = graph == nullptr || bodies_.all()[body].graph == graph;
    if (is_it && !has_run_[body]) return body;
  }
  return kNoBody;
}

void BodyValues::begin_graph(const Graph& graph) {
  const size_t body = next_body(&graph);
  if (body != kNoBody) has_run_[body] = true;
  running_.push_back({body, kNoRow});
}

void BodyValues::end_graph() { running_.pop_back(); }

void BodyValues::note_value(Row row, const Value& value) {
  const size_t body = running_.back().body;
  if (body == kNoBody) return;
  records_[bodies_.all()[body].rows[row]] = record_of(value, context_.arena());
}

void BodyValues::note_error(Row row, const Error& error) {
  const size_t body = running_.back().body;
  if (body == kNoBody || failed_ != kNoRow || is_quiet_) return;
  failed_ = bodies_.all()[body].rows[row];
  records_[failed_].status =
      error.kind() == ErrorKind::kUnsupportedOperator ? NodeStatus::kUnknown : NodeStatus::kError;
}

// --- bodies that their operator does not run ---

void BodyValues::run_others() {
  is_quiet_ = true;
  for (size_t body = 0; body < bodies_.all().size(); ++body) {
    const bool is_reached = records_[bodies_.all()[body].call].status == NodeStatus::kOk;
    if (!has_run_[body] && is_reached) run_other(body);
  }
}

void BodyValues::run_other(size_t number) {
  const Body& body = bodies_.all()[number];
  ShapeEnv& env = *context_.shape_env();
  const BranchScope trial(env, env.make_trial());
  const IgnoreFreshSymbols scope(&env);
  running_.assign(1, {kNoBody, body.call});
  try {
    std::vector<Value> inputs;
    for (Row row = 0; row < body.graph->plan()->input_count(); ++row)
      inputs.push_back(input_of(body, row));
    Interpreter interpreter(context_);
    interpreter.watch(this);
    interpreter.run_graph(*body.graph, inputs);
  } catch (const Error&) {  // what depends on it is not reached
  }
}

Value BodyValues::input_of(const Body& body, Row row) {
  const Plan& plan = program_.plan();
  const std::span<const Value> written = plan.row(body.rows[row]).args;
  const std::span<const Value> of_call = plan.row(body.call).args;
  const auto value_of = [&](const Value& given) {
    return given.is(Value::Tag::kNodeRef) ? records_[given.node()].value : given;
  };
  if (written.empty()) {
    // Scores, and gradients of them, are elements of the kind of the query; the rest are indices.
    constexpr Row kScore = 0, kGradient = 5, kOfMask = 4;
    Row unknown = 0;
    while (unknown < body.rows.size() && plan.row(body.rows[unknown]).args.empty()) ++unknown;
    const Value first = value_of(of_call[0]);
    if (!first.is_tensor())
      throw_error(ErrorKind::kTypeError, "nothing says what the graph is given");
    const Tensor& query = first.tensor();
    const bool is_score = unknown > kOfMask && (row == kScore || row == kGradient);
    return context_.empty(Dims(), is_score ? query.dtype() : DType::kInt32, query.device());
  }
  const Value value = value_of(written[0]);
  const bool is_slice =
      plan.target_of(body.call).substr(kHigherOrderOps.size()) == "associative_scan" &&
      row < 2 * of_call[1].size();
  if (!is_slice) return value;
  const Value args[] = {value, 0, 0};
  return context_.call(Registry::builtin().find("aten::select_copy.int"), args);
}

}  // namespace

std::unique_ptr<BodyWatcher> watch_bodies(const Program& program, Interpreter& interpreter,
                                          std::vector<NodeRecord>& records) {
  auto values = std::make_unique<BodyValues>(program, interpreter.context(), records);
  interpreter.watch(values.get());
  return values;
}

}  // namespace faketensor
