#include "core/graph/plan.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

class PlanCompiler {
 public:
  explicit PlanCompiler(Plan& plan)
      : plan_(plan), graph_(plan.graph_), store_(graph_.store()), registry_(Registry::builtin()) {}

  void run() {
    plan_.rows_.reserve(graph_.size());
    plan_.row_of_.assign(graph_.id_count(), kNoRow);
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) {
      const Node& node = graph_.node(id);
      const bool is_subgraph = node.kind == NodeKind::kGetAttr && node.val.is(Value::Tag::kGraph);
      if (!is_subgraph) add(id, node);
      is_dense_ = is_dense_ && plan_.row_of(id) == index_of(id);
    }
    while (plan_.input_count_ < plan_.size() &&
           plan_.row(static_cast<Row>(plan_.input_count_)).kind == RowKind::kPlaceholder)
      ++plan_.input_count_;
  }

 private:
  void add(NodeId id, const Node& node) {
    PlanRow row;
    row.id = id;
    row.kind = kind_of(node);
    at_ = &node;
    const bool is_call = row.kind == RowKind::kCall && node.kind == NodeKind::kCallFunction;
    if (!is_call || !bind(row, node)) {
      row.args = with_rows(node.args);
      row.arg_names = names_of(node);
    }
    plan_.row_of_[index_of(id)] = static_cast<Row>(plan_.rows_.size());
    plan_.rows_.push_back(row);
  }

  RowKind kind_of(const Node& node) const {
    if (node.kind == NodeKind::kPlaceholder) return RowKind::kPlaceholder;
    if (node.kind == NodeKind::kOutput) return RowKind::kOutput;
    return is_getitem(graph_, node) ? RowKind::kGetItem : RowKind::kCall;
  }

  // The arguments in the order of the operator's schema. False for a target without a rule, and
  // where the node has an argument that our schema does not: a later PyTorch's operator, which is
  // then one that we do not know.
  bool bind(PlanRow& row, const Node& node) {
    const OpId op = store_.op_of(node.target);
    if (op == kNoOp || is_operator_of_tensors(op, node)) return false;
    const Schema& schema = registry_.entry(op).schema;
    const size_t count = schema.arguments.size();
    const std::span<const Value> positional = node.positional();
    if (positional.size() > count) return false;
    if (positional.size() == count) {
      row.op = op;
      row.args = with_rows(node.args);  // complete as it was written
      return true;
    }
    places_.clear();
    for (const StringId keyword : node.keywords) {
      const int place = schema.find_argument(store_.text(keyword));
      if (place < static_cast<int>(positional.size())) return false;
      places_.push_back(static_cast<uint32_t>(place));
    }
    const std::span<Value> args = plan_.arena_.make_array<Value>(count);
    std::fill(args.begin(), args.end(), Value::unset());
    for (size_t i = 0; i < positional.size(); ++i) args[i] = with_rows(positional[i]);
    for (size_t i = 0; i < places_.size(); ++i) args[places_[i]] = with_rows(node.by_keyword()[i]);
    row.op = op;
    row.args = args;
    return true;
  }

  // Whether Python's operator may have a tensor on one side, so that what it calls is found when it
  // runs (packet_call.h). In exported programs it has numbers only.
  bool is_operator_of_tensors(OpId op, const Node& node) const {
    if (!registry_.entry(op).name.starts_with("_operator::")) return false;
    return std::any_of(node.args.begin(), node.args.end(), [&](const Value& arg) {
      return arg.is(Value::Tag::kNodeRef) && may_be_tensor(plan_.row_of(node_of(arg)));
    });
  }

  bool may_be_tensor(Row at) const {
    if (at == kNoRow) return false;
    const PlanRow& row = plan_.row(at);
    const Node& node = graph_.node(row.id);
    if (row.kind == RowKind::kPlaceholder) return node.recorded != nullptr || node.val.is_tensor();
    if (row.op == kNoOp) return !node.val.is_number();
    const std::span<const Argument> returns = registry_.entry(row.op).schema.returns;
    return !returns.empty() && returns[0].type.kind == ArgKind::kTensor;
  }

  std::span<const StringId> names_of(const Node& node) {
    if (node.keywords.empty()) return {};
    const std::span<StringId> names = plan_.arena_.make_array<StringId>(node.args.size());
    std::copy(node.keywords.begin(), node.keywords.end(),
              names.begin() + static_cast<std::ptrdiff_t>(node.positional().size()));
    return names;
  }

  std::span<const Value> with_rows(std::span<const Value> values) {
    const bool is_same = is_dense_ && std::none_of(values.begin(), values.end(), [&](auto& value) {
                           return refers_beyond(value);
                         });
    if (is_same) return values;
    const std::span<Value> result = plan_.arena_.make_array<Value>(values.size());
    for (size_t i = 0; i < values.size(); ++i) result[i] = with_rows(values[i]);
    return result;
  }

  // Readers nest lists at most a few deep.
  Value with_rows(const Value& value) {
    if (value.is(Value::Tag::kNodeRef)) {
      const NodeId id = node_of(value);
      const Row row = plan_.row_of(id);
      if (row != kNoRow) return Value::node_ref(row);
      const bool is_known = index_of(id) < graph_.id_count() && !graph_.is_erased(id);
      if (!is_known || !graph_.node(id).val.is(Value::Tag::kGraph)) refuse();
      return graph_.node(id).val;
    }
    if (!value.is(Value::Tag::kList)) return value;
    return Value::like(value, with_rows(value.values()));
  }

  // Whether a value refers to this row or a later one, given that ids are rows.
  bool refers_beyond(const Value& value) const {
    bool is_beyond = false;
    for_each_node(value,
                  [&](NodeId id) { is_beyond = is_beyond || index_of(id) >= plan_.rows_.size(); });
    return is_beyond;
  }

  [[noreturn]] void refuse() const {
    throw_error(
        ErrorKind::kValueError,
        format("node '{}' uses a value that is not computed before it", store_.text(at_->name)));
  }

  Plan& plan_;
  const Graph& graph_;
  GraphStore& store_;
  const Registry& registry_;
  const Node* at_ = nullptr;  // whose arguments are worked on
  bool is_dense_ = true;      // ids are rows so far, so that arguments stand as they are
  SmallVector<uint32_t, 8> places_;
};

Plan::Plan(const Graph& graph) : graph_(graph) { PlanCompiler(*this).run(); }

Row Plan::find(StringId name) const {
  if (by_name_.empty()) {
    by_name_.assign(graph_.store().strings.size(), kNoRow);
    for (Row row = 0; row < rows_.size(); ++row) {
      Row& first = by_name_[node(row).name];
      if (first == kNoRow) first = row;
    }
  }
  return name < by_name_.size() ? by_name_[name] : kNoRow;
}

}  // namespace faketensor
