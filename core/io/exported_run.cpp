#include "core/io/exported_run.h"

#include <algorithm>

#include "core/graph/bodies.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/display_order.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/schema_numbers.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

// {"name": name, "arg": {kind: ...}, "kind": 1}, whose argument is written by `write`.
template <typename Write>
void write_input(JsonWriter& json, std::string_view name, int kind, const Write& write) {
  const auto input = json.object();
  json.field("name", name);
  {
    const auto argument = json.object("arg");
    write();
  }
  json.field("kind", kind);
}

// The value of a node: a tensor, or a size.
void write_node_name(JsonWriter& json, bool is_tensor, std::string_view name) {
  const auto named = json.object(is_tensor ? "as_tensor" : "as_sym_int");
  json.field(is_tensor ? "name" : "as_name", name);
}

// A node whose inputs are written by `write_inputs`, and whose one result has its name. Stacks are
// those of the nodes that PyTorch's tracer adds outside of any module.
template <typename WriteInputs>
std::string node_json(std::string_view target, std::string_view name, bool is_tensor,
                      const WriteInputs& write_inputs) {
  constexpr std::string_view kNoModule = "_empty_nn_module_stack_from_metadata_hook";
  std::string text;
  {
    JsonWriter json(text);
    const auto node = json.object();
    json.field("target", target);
    {
      const auto inputs = json.array("inputs");
      write_inputs(json);
    }
    {
      const auto outputs = json.array("outputs");
      const auto output = json.object();
      write_node_name(json, is_tensor, name);
    }
    {
      const auto metadata = json.object("metadata");
      json.field("nn_module_stack", format("{},{},{}", kNoModule, kNoModule, kNoModule));
    }
    json.field("is_hop_single_tensor_return", nullptr);
    json.field("name", name);
  }
  return text;
}

}  // namespace

ExportedRun::ExportedRun(const Run& run, const ArgumentChanges& changes)
    : values_(run.program(), run.mode().context().shape_env()) {
  const Bodies* bodies = run.program().bodies.get();
  std::vector<Row> rows(run.plan().size());
  for (Row row = 0; row < rows.size(); ++row)
    rows[row] = bodies != nullptr && bodies->is_body(row) ? kNoRow : row;
  graphs_.push_back(std::make_unique<ExportedGraph>(run, run.plan(), std::move(rows),
                                                    changes.of(run.plan()), values_));
  if (bodies == nullptr) return;
  std::unordered_map<const Graph*, const Body*> bodies_of;  // a graph's first
  for (const Body& body : bodies->all()) bodies_of.emplace(body.graph, &body);
  for (const std::shared_ptr<Graph>& graph : bodies->original().graphs().subspan(1)) {
    const auto body = bodies_of.find(graph.get());
    graphs_.push_back(body == bodies_of.end()
                          ? nullptr
                          : std::make_unique<ExportedGraph>(run, *graph->plan(), body->second->rows,
                                                            changes.of(*graph->plan()), values_));
  }
}

ExportedGraph::ExportedGraph(const Run& run, const Plan& plan, std::vector<Row> rows,
                             const ArgumentChanges::Rows& changes, ExportedValues& values)
    : run_(run),
      plan_(plan),
      rows_(std::move(rows)),
      env_(*run.mode().context().shape_env()),
      values_(values) {
  for (Row row = 0; row < plan_.size(); ++row) names_.emplace(plan_.name_of(row));
  for (Row row = 0; row < plan_.size(); ++row) {
    if (rows_[row] == kNoRow) continue;
    if (const auto changed = changes.find(row); changed != changes.end())
      edit_row(row, changed->second);
    note_row(row);
  }
}

Row ExportedGraph::row_of(std::string_view name) const {
  const StringId id = run_.program().graph().store().strings.find(name, 0);
  return id == 0 ? kNoRow : plan_.find(id);
}

const ExportedGraph::Edits* ExportedGraph::edits(Row row) const {
  const auto found = edits_.find(row);
  return found == edits_.end() ? nullptr : &found->second;
}

// --- what the rows so far have computed ---

void ExportedGraph::note_row(Row row) {
  const NodeRecord& known = record(row);
  for (const TensorRecord& tensor : known.tensors) values_.note(*tensor.meta);
  const Value& value = known.value;
  values_.note(value);
  if (value.is(Value::Tag::kInt)) {
    const SymInt size = values_.final_size(value.as_sym_int());
    if (size.is_symbolic()) named_.emplace(size.node(), plan_.name_of(row));
  }
  if (!value.is_tensor()) return;
  const Dims sizes = known.tensors[0].meta->sizes();
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    const SymInt size = values_.final_size(sizes[dim]);
    if (size.is_symbolic()) measured_.emplace(size.node(), std::pair(row, dim));
  }
}

// --- arguments ---

void ExportedGraph::edit_row(Row row, std::span<const ArgumentChanges::Change> changes) {
  const PlanRow& at = plan_.row(row);
  const bool is_higher_order = plan_.target_of(row).starts_with(kHigherOrderOps);
  if (at.op == kNoOp && !is_higher_order) {
    throw_error(
        ErrorKind::kUsage,
        format("what has become of the arguments of {} ({}), which has no schema, cannot be "
               "written",
               plan_.name_of(row), plan_.target_of(row)));
  }
  const Schema* schema = is_higher_order ? nullptr : &Registry::builtin().entry(at.op).schema;
  Edits& edits = edits_[row];
  for (const ArgumentChanges::Change& change : changes) {
    std::string text;
    JsonWriter json(text);
    write_argument(json, change, edits);
    const std::string_view name =
        schema == nullptr ? std::string_view() : schema->arguments[change.argument].name;
    edits.arguments.push_back({name, change.argument, std::move(text)});
  }
}

void ExportedGraph::write_argument(JsonWriter& json, const ArgumentChanges::Change& change,
                                   Edits& edits) {
  const Value& value = change.value;
  const auto argument = json.object();
  switch (value.tag()) {
    case Value::Tag::kNone:
      json.field("as_none", true);
      break;
    case Value::Tag::kBool:
      json.field("as_bool", value.to_bool());
      break;
    case Value::Tag::kInt:
      write_number(json, values_.final_size(value.as_sym_int()), edits);
      break;
    case Value::Tag::kFloat:
      write_exported_float(json.key("as_float"), value.as_double());
      break;
    case Value::Tag::kString:
      json.field("as_string", value.text());
      break;
    case Value::Tag::kDType:
      json.field("as_scalar_type", number_of(kScalarTypeNumbers, value.dtype()).value_or(0));
      break;
    case Value::Tag::kDevice:
      write_exported_device(json.key("as_device"), value.device());
      break;
    case Value::Tag::kMemoryFormat:
      json.field("as_memory_format",
                 number_of(kMemoryFormatNumbers, value.memory_format()).value_or(0));
      break;
    case Value::Tag::kNodeRef: {
      const std::string named = change.copy == nullptr ? std::string(plan_.name_of(value.node()))
                                                       : copy_of(value.node(), *change.copy, edits);
      write_node_name(json, record(value.node()).value.is_tensor(), named);
      break;
    }
    case Value::Tag::kIntList:
    case Value::Tag::kList:
      write_list(json, value, edits);
      break;
    default:
      throw_error(ErrorKind::kUsage, "an argument of this kind cannot be written");
  }
}

// An int as an Argument.
void ExportedGraph::write_number(JsonWriter& json, SymInt value, Edits& edits) {
  if (!value.is_symbolic()) return json.field("as_int", value.as_int());
  values_.note(value.node());
  write_node_name(json, false, name_of(value.node(), edits));
}

// Ints, of which some may be the values of nodes: as_ints, or as_sym_ints.
void ExportedGraph::write_list(JsonWriter& json, const Value& list, Edits& edits) {
  bool is_symbolic = false;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is(Value::Tag::kInt) && !list[i].is(Value::Tag::kNodeRef))
      throw_error(ErrorKind::kUsage,
                  "a list that has changed and is not of sizes cannot be written");
    is_symbolic = is_symbolic || list[i].is(Value::Tag::kNodeRef) ||
                  values_.final_size(list[i].as_sym_int()).is_symbolic();
  }
  const auto elements = json.array(is_symbolic ? "as_sym_ints" : "as_ints");
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].is(Value::Tag::kNodeRef)) {
      const auto element = json.object();
      json.field("as_name", plan_.name_of(list[i].node()));
      continue;
    }
    const SymInt size = values_.final_size(list[i].as_sym_int());
    if (!is_symbolic) {
      json.value(size.as_int());
    } else if (!size.is_symbolic()) {
      const auto element = json.object();
      json.field("as_int", size.as_int());
    } else {
      values_.note(size.node());
      const std::string named = name_of(size.node(), edits);
      const auto element = json.object();
      json.field("as_name", named);
    }
  }
}

// --- nodes that compute sizes ---

std::string ExportedGraph::name_of(const ExprNode* node, Edits& edits) {
  const auto known = named_.find(node);
  if (known != named_.end()) return known->second;
  const auto measured = measured_.find(node);
  const std::string named = measured == measured_.end()
                                ? compute(node, edits)
                                : measure(measured->second.first, measured->second.second, edits);
  added_ints_.emplace_back(named, env_.pool().sym_int(node));
  named_.emplace(node, named);
  return named;
}

std::string ExportedGraph::measure(Row row, size_t dim, Edits& edits) {
  const std::string named = fresh_name("sym_size_int");
  const std::string_view tensor = plan_.name_of(row);
  edits.nodes_before.push_back(
      node_json("torch.ops.aten.sym_size.int", named, false, [&](JsonWriter& json) {
        write_input(json, "self", kPositional, [&] { write_node_name(json, true, tensor); });
        write_input(json, "dim", kPositional, [&] { json.field("as_int", dim); });
      }));
  return named;
}

std::string ExportedGraph::compute(const ExprNode* node, Edits& edits) {
  const auto of_all = [&](std::string_view target, std::span<const ExprNode* const> parts) {
    const ExprNode* left = parts[0];
    for (const ExprNode* right : parts.subspan(1, parts.size() - 2)) {
      const ExprNode* so_far = env_.pool().make(node->kind, left, right);
      if (!named_.contains(so_far)) {
        const std::string named = combine(target, left, right, edits);
        added_ints_.emplace_back(named, env_.pool().sym_int(so_far));
        named_.emplace(so_far, named);
      }
      left = so_far;
    }
    return combine(target, left, parts.back(), edits);
  };
  switch (node->kind) {
    case ExprKind::kAdd:
      return of_all("_operator.add", ordered_terms(node));
    case ExprKind::kMul:
      return of_all("_operator.mul", ordered_factors(node));
    case ExprKind::kMax:
      return of_all("torch.sym_max", ordered_by_size(node->args()));
    case ExprKind::kMin:
      return of_all("torch.sym_min", ordered_by_size(node->args()));
    case ExprKind::kPow:
      return combine("_operator.pow", node->arg(0), env_.pool().integer(node->number.integer),
                     edits);
    case ExprKind::kFloorDiv:
    case ExprKind::kCleanDiv:
      return combine("_operator.floordiv", node->arg(0), node->arg(1), edits);
    case ExprKind::kMod:
    case ExprKind::kPythonMod:
      return combine("_operator.mod", node->arg(0), node->arg(1), edits);
    default:
      throw_error(ErrorKind::kUsage,
                  format("no node can be written that computes {}", to_string(node)));
  }
}

// The name of a new node: an operator on two sizes.
std::string ExportedGraph::combine(std::string_view target, const ExprNode* a, const ExprNode* b,
                                   Edits& edits) {
  const auto named_part = [&](const ExprNode* part) {
    return part->kind == ExprKind::kInteger ? std::string() : name_of(part, edits);
  };
  const auto write_part = [](JsonWriter& json, const ExprNode* part, std::string_view named) {
    if (part->kind == ExprKind::kInteger) return json.field("as_int", part->number.integer);
    write_node_name(json, false, named);
  };
  const std::string a_name = named_part(a);
  const std::string b_name = named_part(b);
  const std::string named = fresh_name(target.substr(target.rfind('.') + 1));
  edits.nodes_before.push_back(node_json(target, named, false, [&](JsonWriter& json) {
    write_input(json, "a", kPositional, [&] { write_part(json, a, a_name); });
    write_input(json, "b", kPositional, [&] { write_part(json, b, b_name); });
  }));
  return named;
}

// A view that strides do not allow any more is one of a contiguous copy.
std::string ExportedGraph::copy_of(Row row, const TensorMeta& given, Edits& edits) {
  const std::string named = fresh_name("clone");
  const std::string_view tensor = plan_.name_of(row);
  edits.nodes_before.push_back(
      node_json("torch.ops.aten.clone.default", named, true, [&](JsonWriter& json) {
        write_input(json, "self", kPositional, [&] { write_node_name(json, true, tensor); });
        write_input(json, "memory_format", kByKeyword, [&] {
          json.field("as_memory_format",
                     number_of(kMemoryFormatNumbers, MemoryFormat::kContiguous).value_or(0));
        });
      }));
  MetaSpec spec = given.spec();
  const DimVector strides = contiguous_strides(given.sizes());
  spec.strides = strides.span();
  spec.offset = 0;
  added_tensors_.emplace_back(named, run_.mode().context().metas().intern(spec));
  return named;
}

std::string ExportedGraph::fresh_name(std::string_view base) {
  std::string named(base);
  while (!names_.insert(named).second)
    named = format("{}_{}", base, ++last_numbers_[std::string(base)]);
  return named;
}

}  // namespace faketensor
