#include "core/io/graph_writer.h"

#include <algorithm>

#include "core/ops/registry.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/tensor/schema_numbers.h"

namespace faketensor {

namespace {

bool all_are(const Value& list, const auto& is) {
  for (size_t i = 0; i < list.size(); ++i)
    if (!is(list[i])) return false;
  return true;
}

}  // namespace

std::string_view symbolic_argument(std::string_view target, size_t index) {
  struct NameRow {
    std::string_view target;
    std::string_view names[3];
  };
  static constexpr NameRow kRows[] = {
      {"math.trunc", {"x"}},
      {"torch.sym_int", {"a"}},
      {"torch.sym_float", {"a"}},
      {"torch.sym_not", {"a"}},
      {"torch.sym_max", {"a", "b"}},
      {"torch.sym_min", {"a", "b"}},
      {"torch.sym_ite", {"b", "t", "f"}},
      {"torch._sym_sqrt", {"a"}},
      {"torch.sym_sqrt", {"a"}},
  };
  if (index < 2 && target.starts_with("_operator.")) return index == 0 ? "a" : "b";
  for (const NameRow& row : kRows)
    if (row.target == target && index < std::size(row.names)) return row.names[index];
  return {};
}

std::string node_key(std::string_view graph, std::string_view name, std::string_view target,
                     std::string_view torch_fn) {
  return format("{}\n{}\n{}\n{}", graph, name, target, torch_fn);
}

void GraphWriter::refuse(std::string_view why) const {
  const std::string_view at = at_ == kNoNode ? "the graph" : graph_.name_of(at_);
  throw_error(ErrorKind::kUsage, format("{} is not written: {}", at, why));
}

// In the order of the schema's members (Graph, torch/_export/serde/schema.py), as PyTorch writes them.
void GraphWriter::write(Role role) {
  const auto object = json_.object();
  {
    const auto inputs = json_.array("inputs");
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id))
      if (graph_.node(id).kind == NodeKind::kPlaceholder) write_placeholder(id);
  }
  const NodeId output = graph_.last();
  at_ = output;
  const Value result = graph_.node(output).args.empty() ? Value() : graph_.node(output).args[0];
  {
    const auto outputs = json_.array("outputs");
    if (result.is_list()) {
      for (size_t i = 0; i < result.size(); ++i) write_argument(result[i]);
    } else {
      write_argument(result);
    }
  }
  {
    const auto nodes = json_.array("nodes");
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) write_call(id);
  }
  write_values(role == Role::kSubgraph && result.is(Value::Tag::kNodeRef));
}

void GraphWriter::write_values(bool is_single) {
  {
    const auto values = json_.object("tensor_values");
    for (const auto& [name, meta] : tensors_)
      values_.write_meta(json_.key(name), *meta, (meta->flags() & kRequiresGrad) != 0);
  }
  const auto write_scalars = [&](std::string_view kind, const auto& scalars) {
    const auto values = json_.object(kind);
    for (const auto& [name, value] : scalars) values_.write_scalar(json_.key(name), value);
  };
  write_scalars("sym_int_values", ints_);
  write_scalars("sym_bool_values", bools_);
  json_.field("is_single_tensor_return", is_single);
  {
    const auto objects = json_.object("custom_obj_values");
    for (const std::string& name : custom_objects_) {
      const auto object = json_.object(name);
      json_.field("name", name);
      json_.field("class_fqn", notes_.classes.at(name));
    }
  }
  write_scalars("sym_float_values", floats_);
}

void GraphWriter::write_placeholder(NodeId id) {
  at_ = id;
  const Value& value = value_of(id);
  const std::string name(graph_.name_of(id));
  if (value.is_tensor() || value.is_symbolic()) return write_value(name, value);
  if (notes_.classes.contains(name)) {
    custom_objects_.push_back(name);
    return write_reference(id);
  }
  if (value.is_unset()) refuse("nothing is known of this input");
  write_argument(value);
}

// --- calls ---

void GraphWriter::write_call(NodeId id) {
  at_ = id;
  const Node& node = graph_.node(id);
  if (node.kind == NodeKind::kCallModule)
    refuse("an exported program has no calls of modules; only its FX text can be had");
  if (node.kind == NodeKind::kCallMethod) refuse("an exported program has no calls of methods");
  if (node.kind != NodeKind::kCallFunction) return;
  if (is_getitem(graph_, node)) {
    const Node& container = graph_.node(node_of(node.args[0]));
    if (container.kind == NodeKind::kCallFunction) return;
    refuse("an element of what is no call's result");
  }
  const std::string_view target = graph_.text(node.target);
  const OpId op = graph_.store().op_of(node.target);
  const Schema* schema = op == kNoOp ? nullptr : &Registry::builtin().entry(op).schema;
  const auto object = json_.object();
  json_.field("target", target);
  write_inputs(id, schema);
  write_outputs(id, schema);
  write_metadata(id);
  if (target.starts_with(kHigherOrderOps)) {
    json_.field("is_hop_single_tensor_return", value_of(id).is_tensor());
  } else {
    json_.field("is_hop_single_tensor_return", nullptr);
  }
  json_.field("name", name_of(id));
}

void GraphWriter::write_inputs(NodeId id, const Schema* schema) {
  const auto inputs = json_.array("inputs");
  const Node& node = graph_.node(id);
  const std::string_view target = graph_.text(node.target);
  const std::span<const Value> positional = node.positional();
  const auto keyword_at = [&](std::string_view name) {
    size_t at = 0;
    while (at < node.keywords.size() && graph_.text(node.keywords[at]) != name) ++at;
    return at;
  };
  if (schema != nullptr) {
    if (positional.size() > schema->arguments.size())
      refuse(format("{} arguments for {}", positional.size(), schema->full_name()));
    for (size_t i = 0; i < schema->arguments.size(); ++i) {
      const Argument& argument = schema->arguments[i];
      const size_t keyword = keyword_at(argument.name);
      if (keyword < node.keywords.size()) {
        write_input(argument.name, node.by_keyword()[keyword], &argument.type, true);
      } else if (i < positional.size()) {
        write_input(argument.name, positional[i], &argument.type, false);
      }
    }
    return;
  }
  const auto noted = notes_.operators.find(std::string(target));
  const bool needs_names = is_dispatcher_target(target);
  for (size_t i = 0; i < positional.size(); ++i) {
    std::string_view name = symbolic_argument(target, i);
    if (needs_names) {
      if (noted == notes_.operators.end() || i >= noted->second.arguments.size())
        refuse(format("{} has no schema here, so that its arguments have no names", target));
      name = noted->second.arguments[i];
    }
    write_input(name, positional[i], nullptr, false);
  }
  for (size_t i = 0; i < node.keywords.size(); ++i)
    write_input(graph_.text(node.keywords[i]), node.by_keyword()[i], nullptr, true);
}

void GraphWriter::write_input(std::string_view name, const Value& value, const ArgType* type,
                              bool is_keyword) {
  const auto input = json_.object();
  json_.field("name", name);
  json_.key("arg");
  write_argument(value, type);
  json_.field("kind", is_keyword ? kByKeyword : kPositional);
}

void GraphWriter::write_outputs(NodeId id, const Schema* schema) {
  const auto outputs = json_.array("outputs");
  const Node& node = graph_.node(id);
  const Value& value = node.val;
  bool is_tensor_list = false;
  if (schema != nullptr) {
    if (schema->returns.empty()) return;
    const ArgType& first = schema->returns[0].type;
    is_tensor_list = schema->returns.size() == 1 && first.is_list && first.kind == ArgKind::kTensor;
  } else if (const auto noted = notes_.operators.find(std::string(graph_.text(node.target)));
             noted != notes_.operators.end()) {
    if (noted->second.returns_nothing) return;
    is_tensor_list = noted->second.returns_list;
  }
  if (value.is_list()) {
    if (!is_tensor_list) return write_elements(id, value);
    return write_tensor_list(
        element_names(id, value.size(), format("{}_unused", graph_.name_of(id))), value);
  }
  if (is_tensor_list) refuse("it has no value: the pass fake_tensor_prop computes it");
  if (value.is_unset() && schema != nullptr)
    refuse("it has no value: the pass fake_tensor_prop computes it");
  write_value(graph_.name_of(id), value);
}

void GraphWriter::write_elements(NodeId id, const Value& elements) {
  const std::string unused = format("{}_unused", graph_.name_of(id));
  const std::vector<std::string> names = element_names(id, elements.size(), unused);
  for (size_t i = 0; i < elements.size(); ++i) {
    const Value element = elements[i];
    if (!element.is_list()) {
      write_value(names[i], element);
      continue;
    }
    const NodeId taken = element_node(id, i);
    const std::string inner = format("{}_{}", unused, i);
    std::vector<std::string> of_list;
    if (taken != kNoNode) {
      of_list = element_names(taken, element.size(), format("{}_unused", graph_.name_of(taken)));
    } else {
      for (size_t j = 0; j < element.size(); ++j) of_list.push_back(format("{}_{}", inner, j));
    }
    write_tensor_list(of_list, element);
  }
}

void GraphWriter::write_tensor_list(const std::vector<std::string>& names, const Value& elements) {
  const auto output = json_.object();
  const auto tensors = json_.array("as_tensors");
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].is_none() || elements[i].is_unset()) continue;
    if (!elements[i].is_tensor()) refuse("a list of results that are no tensors");
    const auto tensor = json_.object();
    json_.field("name", names[i]);
    const TensorMeta* meta = elements[i].tensor().meta;
    values_.note(*meta);
    tensors_.emplace_back(names[i], meta);
  }
}

std::vector<std::string> GraphWriter::element_names(NodeId id, size_t count,
                                                    std::string_view unused) {
  std::vector<std::string> names(count);
  std::vector<NodeId> nodes(count, kNoNode);
  for (const NodeId user : graph_.users(id)) {
    const Node& node = graph_.node(user);
    if (!is_getitem(graph_, node))
      refuse(format("{} uses the results as one; an exported program takes them apart first",
                    graph_.name_of(user)));
    const int64_t index = node.args[1].is(Value::Tag::kInt) && !node.args[1].is_symbolic()
                              ? node.args[1].as_sym_int().as_int()
                              : -1;
    if (index < 0 || static_cast<size_t>(index) >= count)
      refuse(format("{} takes an element that there is not", graph_.name_of(user)));
    NodeId& first = nodes[static_cast<size_t>(index)];
    if (first == kNoNode) {
      first = user;
      names[static_cast<size_t>(index)] = graph_.name_of(user);
    } else {
      first_of_.emplace(user, first);
    }
  }
  for (size_t i = 0; i < count; ++i)
    if (names[i].empty()) names[i] = format("{}_{}", unused, i);
  return names;
}

NodeId GraphWriter::element_node(NodeId id, size_t index) {
  for (const NodeId user : graph_.users(id)) {
    const Node& node = graph_.node(user);
    if (is_getitem(graph_, node) &&
        node.args[1].as_sym_int().as_int() == static_cast<int64_t>(index))
      return user;
  }
  return kNoNode;
}

void GraphWriter::write_metadata(NodeId id) {
  const auto metadata = json_.object("metadata");
  const Node& node = graph_.node(id);
  json_.field_if_any("stack_trace", graph_.text(node.stack_trace));
  json_.field_if_any("nn_module_stack", graph_.text(node.module_stack));
  json_.field_if_any("source_fn_stack", graph_.text(node.source_fn));
  json_.field_if_any("torch_fn", graph_.text(node.torch_fn));
  const auto more =
      notes_.metadata.find(node_key(graph_.text(graph_.name), graph_.name_of(id),
                                    graph_.target_of(id), graph_.text(node.torch_fn)));
  if (more == notes_.metadata.end()) return;
  for (const auto& [name, value] : more->second) json_.key(name).raw(value);
}

// --- values ---

void GraphWriter::write_value(std::string_view name, const Value& value) {
  const auto output = json_.object();
  if (value.is_tensor()) {
    const TensorMeta* meta = value.tensor().meta;
    values_.note(*meta);
    tensors_.emplace_back(name, meta);
    const auto tensor = json_.object("as_tensor");
    return json_.field("name", name);
  }
  if (value.is_none() || value.is_unset()) return json_.field("as_none", true);
  values_.note(value);
  const auto write_as = [&](std::string_view kind, auto& scalars) {
    scalars.emplace_back(name, value);
    const auto scalar = json_.object(kind);
    json_.field("as_name", name);
  };
  if (value.is(Value::Tag::kBool)) return write_as("as_sym_bool", bools_);
  if (value.is(Value::Tag::kInt)) return write_as("as_sym_int", ints_);
  if (value.is(Value::Tag::kFloat) || value.is(Value::Tag::kSymFloat))
    return write_as("as_sym_float", floats_);
  refuse("the schema has no form for its value");
}

std::string_view GraphWriter::name_of(NodeId id) const {
  const auto first = first_of_.find(id);
  return graph_.name_of(first == first_of_.end() ? id : first->second);
}

// The value of a node, as an Argument.
void GraphWriter::write_reference(NodeId id) {
  const auto argument = json_.object();
  const Node& node = graph_.node(id);
  const Value& value = node.val;
  if (node.kind == NodeKind::kGetAttr) {
    if (!value.is(Value::Tag::kGraph))
      refuse(format("{} is an attribute; the pass lift_constants makes it an input",
                    graph_.target_of(id)));
    const auto graph = json_.object("as_graph");
    json_.field("name", graph_.target_of(id));
    json_.key("graph");
    return GraphWriter(json_, value.graph(), values_, notes_).write(Role::kSubgraph);
  }
  const std::string name(name_of(id));
  if (const auto found = notes_.classes.find(name);
      found != notes_.classes.end() && !value.is_tensor()) {
    const auto object = json_.object("as_custom_obj");
    json_.field("name", name);
    return json_.field("class_fqn", found->second);
  }
  const auto write_scalar = [&](std::string_view kind) {
    const auto scalar = json_.object(kind);
    json_.field("as_name", name);
  };
  if (value.is(Value::Tag::kInt)) return write_scalar("as_sym_int");
  if (value.is(Value::Tag::kBool)) return write_scalar("as_sym_bool");
  if (value.is(Value::Tag::kFloat) || value.is(Value::Tag::kSymFloat))
    return write_scalar("as_sym_float");
  if (value.is_none() && node.kind != NodeKind::kPlaceholder) return json_.field("as_none", true);
  const auto tensor = json_.object("as_tensor");
  json_.field("name", name);
}

// Text is what it is, but that a custom object goes by its name, and higher-order operators take
// operators.
void GraphWriter::write_text(std::string_view text, const ArgType* type) {
  if (const auto custom = notes_.classes.find(std::string(text)); custom != notes_.classes.end()) {
    const auto object = json_.object("as_custom_obj");
    json_.field("name", text);
    return json_.field("class_fqn", custom->second);
  }
  json_.field(type == nullptr && text.starts_with(kTorchOps) ? "as_operator" : "as_string", text);
}

void GraphWriter::write_argument(const Value& value, const ArgType* type) {
  if (value.is(Value::Tag::kNodeRef)) return write_reference(node_of(value));
  const auto argument = json_.object();
  switch (value.tag()) {
    case Value::Tag::kNone:
    case Value::Tag::kDefault:
      return json_.field("as_none", true);
    case Value::Tag::kBool:
      if (value.is_symbolic()) refuse("a condition that no node gives");
      return json_.field("as_bool", value.to_bool());
    case Value::Tag::kInt:
      return json_.field("as_int", plain_int(value));
    case Value::Tag::kFloat:
      return write_exported_float(json_.key("as_float"), value.as_double());
    case Value::Tag::kComplex: {
      const auto complex = json_.object("as_complex");
      write_exported_float(json_.key("real"), value.as_complex()[0]);
      return write_exported_float(json_.key("imag"), value.as_complex()[1]);
    }
    case Value::Tag::kString:
      return write_text(value.text(), type);
    case Value::Tag::kDType:
      return json_.field("as_scalar_type",
                         number_of(kScalarTypeNumbers, value.dtype()).value_or(0));
    case Value::Tag::kDevice:
      return write_exported_device(json_.key("as_device"), value.device());
    case Value::Tag::kLayout:
      return json_.field("as_layout", number_of(kLayoutNumbers, value.layout()).value_or(0));
    case Value::Tag::kMemoryFormat:
      return json_.field("as_memory_format",
                         number_of(kMemoryFormatNumbers, value.memory_format()).value_or(0));
    case Value::Tag::kList:
    case Value::Tag::kIntList:
      return write_list(value, type);
    default:
      refuse("the schema has no form for one of its arguments");
  }
}

// A list of constants, of whose kind `type` tells where there are none.
bool GraphWriter::write_constants(const Value& list, const ArgType* type) {
  const auto write_each = [&](std::string_view kind, const auto& write) {
    const auto elements = json_.array(kind);
    for (size_t i = 0; i < list.size(); ++i) write(list[i]);
    return true;
  };
  const ArgKind kind = list.size() > 0 ? ArgKind::kOther : type ? type->kind : ArgKind::kTensor;
  const auto is = [&](Value::Tag tag, ArgKind of_none) {
    return list.size() == 0 ? kind == of_none
                            : all_are(list, [&](const Value& v) { return v.is(tag); });
  };
  if (is(Value::Tag::kInt, ArgKind::kInt)) {
    return write_each("as_ints", [&](const Value& v) { json_.value(plain_int(v)); });
  }
  if (is(Value::Tag::kBool, ArgKind::kBool))
    return write_each("as_bools", [&](const Value& v) { json_.value(v.to_bool()); });
  if (is(Value::Tag::kFloat, ArgKind::kFloat))
    return write_each("as_floats",
                      [&](const Value& v) { write_exported_float(json_, v.as_double()); });
  if (is(Value::Tag::kString, ArgKind::kString))
    return write_each("as_strings", [&](const Value& v) { json_.value(v.text()); });
  return list.size() == 0 && write_each("as_tensors", [](const Value&) {});
}

// A list of numbers of which some are the values of nodes.
bool GraphWriter::write_symbolic_numbers(const Value& list) {
  struct NumberRow {
    std::string_view kind;
    std::string_view constant;
    Value::Tag tag;
  };
  constexpr NumberRow kRows[] = {{"as_sym_ints", "as_int", Value::Tag::kInt},
                                 {"as_sym_floats", "as_float", Value::Tag::kFloat},
                                 {"as_sym_bools", "as_bool", Value::Tag::kBool}};
  for (const NumberRow& row : kRows) {
    const auto fits = [&](const Value& element) {
      const Value& v =
          element.is(Value::Tag::kNodeRef) ? graph_.node(node_of(element)).val : element;
      return v.is(row.tag) || (row.tag == Value::Tag::kFloat && v.is(Value::Tag::kSymFloat));
    };
    if (!all_are(list, fits)) continue;
    const auto elements = json_.array(row.kind);
    for (size_t i = 0; i < list.size(); ++i) {
      const Value v = list[i];
      const auto element = json_.object();
      if (v.is(Value::Tag::kNodeRef)) {
        json_.field("as_name", name_of(node_of(v)));
      } else if (v.is(Value::Tag::kInt)) {
        json_.field(row.constant, plain_int(v));
      } else if (v.is(Value::Tag::kBool)) {
        json_.field(row.constant, v.to_bool());
      } else {
        write_exported_float(json_.key(row.constant), v.as_double());
      }
    }
    return true;
  }
  return false;
}

// Tensors, of which some may be None.
bool GraphWriter::write_tensors(const Value& list) {
  const auto is_none = [&](const Value& v) {
    if (!v.is(Value::Tag::kNodeRef)) return v.is_none();
    const Node& node = graph_.node(node_of(v));
    return node.kind == NodeKind::kCallFunction && node.val.is_none();
  };
  if (!all_are(list, [&](const Value& v) { return v.is(Value::Tag::kNodeRef) || v.is_none(); }))
    return false;
  const bool has_none = !all_are(list, [&](const Value& v) { return !is_none(v); });
  const auto elements = json_.array(has_none ? "as_optional_tensors" : "as_tensors");
  for (size_t i = 0; i < list.size(); ++i) {
    const auto element = json_.object();
    if (is_none(list[i])) {
      json_.field("as_none", true);
      continue;
    }
    if (graph_.node(node_of(list[i])).kind == NodeKind::kGetAttr)
      refuse("an attribute in a list; the pass lift_constants makes it an input");
    if (!has_none) {
      json_.field("name", name_of(node_of(list[i])));
      continue;
    }
    const auto tensor = json_.object("as_tensor");
    json_.field("name", name_of(node_of(list[i])));
  }
  return true;
}

bool GraphWriter::write_nested(const Value& list) {
  const auto all_inner = [&](const auto& is_inner) {
    return all_are(list, [&](const Value& v) { return v.is_list() && all_are(v, is_inner); });
  };
  const auto write_inner = [&](std::string_view kind, const auto& write) {
    const auto lists = json_.array(kind);
    for (size_t i = 0; i < list.size(); ++i) {
      const auto elements = json_.array();
      for (size_t j = 0; j < list[i].size(); ++j) write(list[i][j]);
    }
    return true;
  };
  if (all_inner([](const Value& v) { return v.is(Value::Tag::kNodeRef); }))
    return write_inner("as_nested_tensors", [&](const Value& v) {
      const auto tensor = json_.object();
      json_.field("name", name_of(node_of(v)));
    });
  if (all_inner([](const Value& v) { return v.is(Value::Tag::kInt); }))
    return write_inner("as_int_lists", [&](const Value& v) { json_.value(plain_int(v)); });
  return all_inner([](const Value& v) { return v.is(Value::Tag::kFloat); }) &&
         write_inner("as_float_lists",
                     [&](const Value& v) { write_exported_float(json_, v.as_double()); });
}

// Of a dictionary.
bool GraphWriter::write_dictionary(const Value& list) {
  if (!list.is_dict()) return false;
  const auto dictionary = json_.object("as_string_to_argument");
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i][0].is(Value::Tag::kString)) refuse("a dictionary whose keys are no strings");
    json_.key(list[i][0].text());
    write_argument(list[i][1]);
  }
  return true;
}

void GraphWriter::write_list(const Value& list, const ArgType* type) {
  const bool is_written = write_dictionary(list) || write_constants(list, type) ||
                          write_symbolic_numbers(list) || write_tensors(list) || write_nested(list);
  if (!is_written) refuse("the schema has no form for a list of its arguments");
}

int64_t GraphWriter::plain_int(const Value& value) const {
  if (value.is_symbolic()) refuse("a size that no node gives");
  return value.as_sym_int().as_int();
}

}  // namespace faketensor
