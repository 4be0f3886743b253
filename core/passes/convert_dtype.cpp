// convert_dtype: the program as its export would be with parameters and inputs of another dtype.
//
// The what-if of dtypes decides (retarget.h): floating-point inputs, parameters and buffers take the
// dtype, casts and factories follow or stay as their lines of code say, and a check of a dtype checks
// what is there. Here its decisions are written into the nodes, and the values computed anew.
#include "core/passes/edited_bodies.h"
#include "core/passes/graph_copy.h"
#include "core/passes/passes.h"
#include "core/passes/propagate.h"
#include "core/passes/reachable_graphs.h"
#include "core/passes/retargeted_run.h"
#include "core/support/format.h"
#include "core/support/scoped_value.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

// What-ifs are asked of the program's own graph: the subject's, where passes have made another,
// takes its place.
Graph& own_graph(PassSubject& subject) {
  Graph& own = subject.program.graph();
  const Graph& from = *subject.graph;
  if (&from == &own) return own;
  while (own.last() != kNoNode) own.erase(own.last());
  GraphCopy copy(from, own);
  for (NodeId id = from.first(); id != kNoNode; id = from.next(id)) {
    const NodeId made = copy.add(id);
    const std::string target(from.target_of(id));
    own.set_name(made, from.node(id).name);
    own.set_target(made, target);
  }
  subject.graph = &own;
  return own;
}

class DtypeConverter {
 public:
  DtypeConverter(PassSubject& subject, DType dtype)
      : subject_(subject), graph_(own_graph(subject)), dtype_(dtype) {}

  bool run() {
    const Recorded recorded(subject_.program, reachable_graphs(subject_));
    ArgumentChanges changes;
    RetargetOptions options;
    options.dtype = dtype_;
    options.changes = &changes;
    const RetargetedRun answer = propagate_retargeted(subject_.program, options);
    bool is_changed = false;
    const Plan& plan = answer.run.plan();
    for (Row row = 0; row < plan.size(); ++row) {
      if (plan.row(row).kind == RowKind::kPlaceholder)
        is_changed |= convert_input(plan.row(row).id, answer.run.record(row));
    }
    if (!changes.contradiction().empty())
      throw_error(
          ErrorKind::kUsage,
          format("{} stands in a body that is run with several dtypes, and would have to be "
                 "another in each",
                 changes.contradiction()));
    for (Graph* graph : reachable_graphs(subject_)) is_changed |= write(*graph, changes);
    if (is_changed) compute_values();
    return is_changed;
  }

 private:
  // For as long as it lives, values are those recorded: what-ifs say what became of these.
  class Recorded {
   public:
    Recorded(Program& program, std::span<Graph* const> graphs) {
      for (Graph* graph : graphs) {
        for (NodeId id = graph->first(); id != kNoNode; id = graph->next(id)) {
          NodeMeta& meta = graph->meta(id);
          was_.emplace_back(graph, id, meta.recorded);
          if (meta.val.is_tensor())
            meta.recorded = program.metas().intern(meta.val.tensor().meta->spec());
        }
      }
    }
    Recorded(const Recorded&) = delete;
    Recorded& operator=(const Recorded&) = delete;
    ~Recorded() {
      for (const auto& [graph, id, meta] : was_) graph->meta(id).recorded = meta;
    }

   private:
    std::vector<std::tuple<Graph*, NodeId, const TensorMeta*>> was_;
  };

  bool convert_input(NodeId id, const NodeRecord& record) {
    const Value was = graph_.node(id).val;
    if (!was.is_tensor() || record.tensors.empty()) return false;
    const DType dtype = record.tensors[0].meta->dtype();
    if (dtype == was.tensor().dtype()) return false;
    Context& context = subject_.mode.context();
    MetaSpec spec = was.tensor().meta->spec();
    spec.dtype = dtype;
    graph_.meta(id).val = Value(context.make_tensor(context.metas().intern(spec), nullptr));
    return true;
  }

  // --- arguments ---

  // Whether anything in a graph was changed.
  bool write(Graph& graph, const ArgumentChanges& changes) {
    const std::shared_ptr<const Plan> plan = graph.plan();  // of before the edits
    const ArgumentChanges::Rows& rows = changes.of(*plan);
    for (const auto& [row, of_row] : rows)
      for (const ArgumentChanges::Change& change : of_row) write(graph, *plan, row, change);
    return !rows.empty();
  }

  void write(Graph& graph, const Plan& plan, Row row, const ArgumentChanges::Change& change) {
    const NodeId id = plan.row(row).id;
    const Node& node = graph.node(id);
    Value value = named(plan, change.value);
    if (change.copy != nullptr) value = node_ref(copied(graph, id, node_of(value)));
    std::vector<Value> args(node.args.begin(), node.args.end());
    std::vector<StringId> keywords(node.keywords.begin(), node.keywords.end());
    const size_t place = place_of(plan.row(row), node, change.argument, keywords);
    if (place == args.size()) args.emplace_back();
    args[place] = value;
    graph.set_arguments(id, args, keywords);
  }

  // Where a row's argument stands in its node; a keyword is added for one that is not given.
  size_t place_of(const PlanRow& row, const Node& node, size_t argument,
                  std::vector<StringId>& keywords) const {
    const size_t positional = node.positional().size();
    if (row.op == kNoOp || argument < positional) return argument;
    const std::string_view name = Registry::builtin().entry(row.op).schema.arguments[argument].name;
    for (size_t i = 0; i < keywords.size(); ++i) {
      if (graph_.text(keywords[i]) == name) return positional + i;
    }
    keywords.push_back(subject_.program.strings().intern(name));
    return node.args.size();
  }

  Value named(const Plan& plan, const Value& value) const {
    Arena& arena = subject_.program.arena();
    if (value.is(Value::Tag::kNodeRef)) return node_ref(plan.row(Row{value.node()}).id);
    if (value.is(Value::Tag::kString)) return Value::string(arena.copy(value.text()));
    if (value.is(Value::Tag::kIntList)) return Value::ints(arena.copy(value.ints()));
    if (!value.is(Value::Tag::kList)) return value;
    std::vector<Value> elements;
    for (const Value& element : value.values()) elements.push_back(named(plan, element));
    const std::span<const Value> kept = arena.copy(std::span<const Value>(elements));
    return Value::like(value, kept);
  }

  static NodeId copied(Graph& graph, NodeId before, NodeId tensor) {
    return graph.insert_before(before,
                               NewNode{.name = "clone",
                                       .target = "torch.ops.aten.clone.default",
                                       .args = {node_ref(tensor)},
                                       .kwargs = {{"memory_format", MemoryFormat::kContiguous}}});
  }

  // --- values ---

  void compute_values() {
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) {
      const Node& node = graph_.node(id);
      const bool is_known = graph_.store().op_of(node.target) != kNoOp ||
                            !is_dispatcher_target(graph_.text(node.target));
      if (node.kind == NodeKind::kCallFunction && is_known) graph_.meta(id).val = Value::unset();
    }
    Context& context = subject_.mode.context();
    const ScopedValue dispatcher(context.python_dispatcher, context.shape_env() != nullptr);
    ValueNotes none;
    EditedBodies bodies(context, reachable_graphs(subject_));
    propagate_edited(subject_.mode, graph_, none, &bodies);
  }

  PassSubject& subject_;
  Graph& graph_;
  DType dtype_;
};

}  // namespace

PassResult convert_dtype(PassSubject& subject, const PassOptions& options) {
  if (!options.dtype || !is_floating(*options.dtype))
    throw_error(ErrorKind::kUsage, "convert_dtype takes a floating-point dtype");
  return modified_result(DtypeConverter(subject, *options.dtype).run());
}

}  // namespace faketensor
