#include "core/io/exported_run.h"

#include <algorithm>

#include "core/support/format.h"
#include "core/symbolic/display_order.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/schema_numbers.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

// ArgumentKind, torch/_export/serde/schema.py
constexpr int kPositional = 1;
constexpr int kByKeyword = 2;

void write_device(JsonWriter& json, Device device) {
  const auto object = json.object();
  json.field("type", name(device.type));
  json.field("index", device.index < 0 ? std::optional<int>() : std::optional<int>(device.index));
}

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

bool is_known_to(const Program& program, std::string_view symbol) {
  return std::any_of(program.symbols.begin(), program.symbols.end(),
                     [&](const SymbolSpec& spec) { return spec.name == symbol; });
}

}  // namespace

ExportedRun::ExportedRun(const Run& run, const ArgumentChanges& changes)
    : run_(run), plan_(run.plan()), env_(*run.mode().context().shape_env()) {
  for (Row row = 0; row < plan_.size(); ++row) names_.emplace(plan_.name_of(row));
  for (Row row = 0; row < plan_.size(); ++row) {
    if (const auto changed = changes.of(row); !changed.empty()) edit_row(row, changed);
    note_row(row);
  }
}

const ExportedRun::Edits* ExportedRun::edits(Row row) const {
  const auto found = edits_.find(row);
  return found == edits_.end() ? nullptr : &found->second;
}

// --- what the rows so far have computed ---

const ExprNode* ExportedRun::final_node(const ExprNode* node) const { return env_.replace(node); }

SymInt ExportedRun::final_size(SymInt size) const {
  return size.is_symbolic() ? env_.pool().sym_int(final_node(size.node())) : size;
}

void ExportedRun::note_symbols(SymInt size) {
  size = final_size(size);
  if (size.is_symbolic()) note_symbols(size.node());
}

// A symbol that the file does not have gets a name by which PyTorch tells a size: one that begins
// with "u" would be unbacked to it.
void ExportedRun::note_symbols(const ExprNode* node) {
  for (const ExprNode* symbol : free_symbols(node)) {
    if (renamed_.contains(symbol)) continue;
    const SymbolInfo& info = env_.pool().symbol_info(symbol);
    std::string written = info.name;
    if (!info.unbacked && !is_known_to(run_.program(), written)) {
      size_t number = 0;
      do {
        written = format("s{}", number++);
      } while (symbols_.contains(written) || is_known_to(run_.program(), written));
    }
    renamed_.emplace(symbol, written);
    symbols_.emplace(written, symbol);
  }
}

void ExportedRun::note_row(Row row) {
  const NodeRecord& record = run_.record(row);
  for (const TensorRecord& tensor : record.tensors) {
    for (const SymInt size : tensor.meta->sizes()) note_symbols(size);
    for (const SymInt stride : tensor.meta->strides()) note_symbols(stride);
    note_symbols(tensor.meta->offset());
  }
  const Value& value = record.value;
  if (value.is(Value::Tag::kInt) && value.is_symbolic()) {
    note_symbols(value.as_sym_int());
    const SymInt size = final_size(value.as_sym_int());
    if (size.is_symbolic()) named_.emplace(size.node(), plan_.name_of(row));
  } else if (value.is(Value::Tag::kBool) && value.is_symbolic()) {
    note_symbols(value.as_sym_bool().node());
  } else if (value.is(Value::Tag::kSymFloat)) {
    note_symbols(final_node(value.as_node()));
  }
  if (!value.is_tensor()) return;
  const Dims sizes = record.tensors[0].meta->sizes();
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    const SymInt size = final_size(sizes[dim]);
    if (size.is_symbolic()) measured_.emplace(size.node(), std::pair(row, dim));
  }
}

// --- arguments ---

void ExportedRun::edit_row(Row row, std::span<const ArgumentChanges::Change> changes) {
  const PlanRow& at = plan_.row(row);
  if (at.op == kNoOp) {
    throw_error(
        ErrorKind::kUsage,
        format("what has become of the arguments of {} ({}), which has no schema, cannot be "
               "written",
               plan_.name_of(row), plan_.target_of(row)));
  }
  const Schema& schema = Registry::builtin().entry(at.op).schema;
  Edits& edits = edits_[row];
  for (const ArgumentChanges::Change& change : changes) {
    std::string text;
    JsonWriter json(text);
    write_argument(json, change, edits);
    edits.arguments.emplace_back(schema.arguments[change.argument].name, std::move(text));
  }
}

void ExportedRun::write_argument(JsonWriter& json, const ArgumentChanges::Change& change,
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
      write_number(json, final_size(value.as_sym_int()), edits);
      break;
    case Value::Tag::kFloat:
      json.field("as_float", value.as_double());
      break;
    case Value::Tag::kString:
      json.field("as_string", value.text());
      break;
    case Value::Tag::kDType:
      json.field("as_scalar_type", number_of(kScalarTypeNumbers, value.dtype()).value_or(0));
      break;
    case Value::Tag::kDevice:
      write_device(json.key("as_device"), value.device());
      break;
    case Value::Tag::kMemoryFormat:
      json.field("as_memory_format",
                 number_of(kMemoryFormatNumbers, value.memory_format()).value_or(0));
      break;
    case Value::Tag::kNodeRef: {
      const std::string named = change.copy == nullptr ? std::string(plan_.name_of(value.node()))
                                                       : copy_of(value.node(), *change.copy, edits);
      write_node_name(json, run_.record(value.node()).value.is_tensor(), named);
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
void ExportedRun::write_number(JsonWriter& json, SymInt value, Edits& edits) {
  if (!value.is_symbolic()) return json.field("as_int", value.as_int());
  note_symbols(value.node());
  write_node_name(json, false, name_of(value.node(), edits));
}

// Ints, of which some may be the values of nodes: as_ints, or as_sym_ints.
void ExportedRun::write_list(JsonWriter& json, const Value& list, Edits& edits) {
  bool is_symbolic = false;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is(Value::Tag::kInt) && !list[i].is(Value::Tag::kNodeRef))
      throw_error(ErrorKind::kUsage,
                  "a list that has changed and is not of sizes cannot be written");
    is_symbolic = is_symbolic || list[i].is(Value::Tag::kNodeRef) ||
                  final_size(list[i].as_sym_int()).is_symbolic();
  }
  const auto elements = json.array(is_symbolic ? "as_sym_ints" : "as_ints");
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].is(Value::Tag::kNodeRef)) {
      const auto element = json.object();
      json.field("as_name", plan_.name_of(list[i].node()));
      continue;
    }
    const SymInt size = final_size(list[i].as_sym_int());
    if (!is_symbolic) {
      json.value(size.as_int());
    } else if (!size.is_symbolic()) {
      const auto element = json.object();
      json.field("as_int", size.as_int());
    } else {
      note_symbols(size.node());
      const std::string named = name_of(size.node(), edits);
      const auto element = json.object();
      json.field("as_name", named);
    }
  }
}

// --- nodes that compute sizes ---

std::string ExportedRun::name_of(const ExprNode* node, Edits& edits) {
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

std::string ExportedRun::measure(Row row, size_t dim, Edits& edits) {
  const std::string named = fresh_name("sym_size_int");
  const std::string_view tensor = plan_.name_of(row);
  edits.nodes_before.push_back(
      node_json("torch.ops.aten.sym_size.int", named, false, [&](JsonWriter& json) {
        write_input(json, "self", kPositional, [&] { write_node_name(json, true, tensor); });
        write_input(json, "dim", kPositional, [&] { json.field("as_int", dim); });
      }));
  return named;
}

std::string ExportedRun::compute(const ExprNode* node, Edits& edits) {
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
std::string ExportedRun::combine(std::string_view target, const ExprNode* a, const ExprNode* b,
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
std::string ExportedRun::copy_of(Row row, const TensorMeta& given, Edits& edits) {
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

std::string ExportedRun::fresh_name(std::string_view base) {
  std::string named(base);
  while (!names_.insert(named).second)
    named = format("{}_{}", base, ++last_numbers_[std::string(base)]);
  return named;
}

// --- values ---

void ExportedRun::write_meta(JsonWriter& json, const TensorMeta& meta, bool requires_grad) const {
  const auto object = json.object();
  json.field("dtype", number_of(kScalarTypeNumbers, meta.dtype()).value_or(0));
  const auto write_sizes = [&](std::string_view name, Dims sizes) {
    const auto list = json.array(name);
    for (const SymInt size : sizes) write_size(json, size);
  };
  write_sizes("sizes", meta.sizes());
  json.field("requires_grad", requires_grad);
  write_device(json.key("device"), meta.device());
  write_sizes("strides", meta.strides());
  write_size(json.key("storage_offset"), meta.offset());
  json.field("layout", number_of(kLayoutNumbers, meta.layout()).value_or(0));
}

void ExportedRun::write_size(JsonWriter& json, SymInt size) const {
  size = final_size(size);
  const auto object = json.object();
  if (size.is_symbolic()) {
    write_expression(json, size.node());
  } else {
    json.field("as_int", size.as_int());
  }
}

void ExportedRun::write_scalar(JsonWriter& json, const Value& value) const {
  if (value.is(Value::Tag::kInt)) return write_size(json, value.as_sym_int());
  const auto object = json.object();
  if (value.is(Value::Tag::kSymFloat)) return write_expression(json, final_node(value.as_node()));
  if (value.is(Value::Tag::kFloat)) return json.field("as_float", value.as_double());
  const SymBool condition = value.as_sym_bool();
  if (condition.is_symbolic()) return write_expression(json, condition.node());
  json.field("as_bool", condition.as_bool());
}

void ExportedRun::write_expression(JsonWriter& json, const ExprNode* node) const {
  const auto object = json.object("as_expr");
  json.field("expr_str", expression_text(node));
  const std::optional<Number> hint = env_.hint(node);
  if (!hint) return json.field("hint", nullptr);
  const auto hint_object = json.object("hint");
  if (node->type == ExprType::kBool) {
    json.field("as_bool", hint->integer != 0);
  } else if (node->type == ExprType::kFloat) {
    json.field("as_float", hint->as_double());
  } else {
    json.field("as_int", hint->integer);
  }
}

// In constructor form, symbols by the names they are written with.
std::string ExportedRun::expression_text(const ExprNode* node) const {
  std::string text = to_constructor_string(node);
  for (const ExprNode* symbol : free_symbols(node)) {
    const std::string from = format("Symbol('{}'", env_.pool().symbol_info(symbol).name);
    const std::string to = format("Symbol('{}'", renamed_.at(symbol));
    if (from == to) continue;
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace faketensor
