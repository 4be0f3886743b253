#include "core/io/graph_reader.h"

#include "core/io/serialized_values.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/small_vector.h"
#include "core/support/target_name.h"

namespace faketensor {
namespace {

// Adds a place to an error that already names its byte. Errors of deeper layers (a size that
// overflows) become kUnreadable too.
[[noreturn, gnu::cold]] void rethrow_in(std::string_view what, std::string_view name,
                                        const Error& error) {
  const ErrorKind kind = error.kind() == ErrorKind::kLimitExceeded ? ErrorKind::kLimitExceeded
                                                                   : ErrorKind::kUnreadable;
  throw_error(kind, format("{} '{}': {}", what, name, error.message()));
}

// The member of a "Node" that names it, for errors about it: "name", else its target.
std::string_view name_for_errors(JsonValue node) {
  if (!node.is(JsonKind::kObject)) return "?";
  JsonFields fields(node);
  for (const std::string_view member : {"name", "target"}) {
    const JsonValue text = fields.optional(member);
    if (text.is(JsonKind::kString)) return text.string();
  }
  return "?";
}

}  // namespace

StringId ReadState::intern(std::string_view text) {
  Interner& strings = program.strings();
  const size_t known = strings.size();
  const StringId id = strings.intern(text);
  if (strings.size() > known) text_bytes += text.size();
  return id;
}

uint64_t ReadState::memory() const {
  // A vector that grows is held twice or three times for a moment; a text has its place in a table.
  constexpr uint64_t kBytesOfNode = 3 * sizeof(Node) + sizeof(PlanRow);
  constexpr uint64_t kBytesOfText = 3 * sizeof(Name) + 64;
  constexpr uint64_t kBytesOfMeta = 2 * sizeof(TensorMeta);
  return arena_bytes + text_bytes + node_count * kBytesOfNode +
         program.strings().size() * kBytesOfText + program.metas().size() * kBytesOfMeta +
         symbols.memory();
}

GraphReader::GraphReader(ReadState& state, Graph& graph)
    : state_(state), graph_(graph), scope_(++state.scopes_) {}

GraphReader::~GraphReader() {
  for (auto covered = covered_.rbegin(); covered != covered_.rend(); ++covered) {
    state_.names_[covered->first] = covered->second;
  }
}

void GraphReader::read_graph(JsonValue graph) {
  JsonFields fields(graph);
  read_inputs(fields.required("inputs"));
  for (const JsonMember member : graph.members()) {
    if (member.name != "inputs") read_member(member.name, member.value);
  }
  finish(graph.position());
}

void GraphReader::read_member(std::string_view name, JsonValue value) {
  if (name == "inputs") {
    read_inputs(value);
  } else if (name == "nodes") {
    begin_nodes();
    for (const JsonValue node : value.items()) read_node(node);
  } else if (name == "outputs") {
    read_outputs(value);
  } else if (name == "tensor_values") {
    for (const JsonMember member : value.members()) read_tensor_value(member.name, member.value);
  } else if (name == "sym_int_values" || name == "sym_bool_values" || name == "sym_float_values") {
    read_scalar_values(value);
  } else if (name == "is_single_tensor_return") {
    is_single_return_ = value.boolean();
  }
}

// --- names ---

ReadState::Name& GraphReader::entry(StringId name) {
  if (name >= state_.names_.size()) state_.names_.resize(strings().size());
  ReadState::Name& found = state_.names_[name];
  if (found.scope != scope_) {
    if (found.scope != 0) covered_.emplace_back(name, found);
    found = ReadState::Name{};
    found.scope = scope_;
  }
  return found;
}

NodeId GraphReader::define(const Node& node, uint32_t position) {
  if (++state_.node_count > state_.limits.max_nodes) {
    throw_error(ErrorKind::kLimitExceeded,
                format("byte {}: more than {} nodes", position, state_.limits.max_nodes));
  }
  if (node.name != 0) {
    const NodeId other = entry(node.name).node;
    if (other != kNoNode && graph_.node(other).kind == NodeKind::kGetAttr) {
      // The file does not name a subgraph's get_attr, so that it may take another name.
      graph_.set_name(other, free_name(strings().text(node.name)));
    } else if (other != kNoNode) {
      throw_at(position, format("a second definition of '{}'", strings().text(node.name)));
    }
    entry(node.name).node = NodeId{static_cast<uint32_t>(graph_.id_count())};
    const std::string_view text = strings().text(node.name);
    if (text.starts_with("getitem")) note_number(text, "getitem");
  }
  return graph_.append(node);
}

Value GraphReader::reference(JsonValue name) {
  const StringId id = strings().find(name.string(), 0);
  const NodeId node = id == 0 ? kNoNode : entry(id).node;
  if (node == kNoNode) {
    throw_at(name.position(), format("uses '{}', which nothing before it defines", name.string()));
  }
  return node_ref(node);
}

// The number of "getitem_12" is 12, and the next free name of that base comes after it.
void GraphReader::note_number(std::string_view name, std::string_view base) {
  name.remove_prefix(base.size());
  if (name.size() < 2 || name.size() > 10 || name[0] != '_') return;
  int64_t number = 0;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') return;
    number = 10 * number + (c - '0');
  }
  last_numbers_[std::string(base)] = number;
}

StringId GraphReader::free_name(std::string_view base) {
  int64_t& number = last_numbers_[std::string(base)];
  StringId name = state_.intern(base);
  while (is_defined(name)) name = state_.intern(format("{}_{}", base, ++number));
  return name;
}

// --- placeholders and outputs ---

void GraphReader::read_inputs(JsonValue inputs) {
  if (has_nodes_ || graph_.size() > 0) {
    throw_at(inputs.position(), "\"inputs\" of a graph must come once, and before its \"nodes\"");
  }
  has_inputs_ = true;
  for (const JsonValue input : inputs.items()) read_placeholder(input);
}

// A number or text among the inputs is a constant that the caller must pass; the signature names
// it.
void GraphReader::read_placeholder(JsonValue input) {
  const JsonMember member = union_member(input);
  Node node;
  node.kind = NodeKind::kPlaceholder;
  if (member.name == "as_tensor" || member.name == "as_custom_obj") {
    node.name = state_.intern(JsonFields(member.value).required("name").string());
  } else if (is_symbolic_kind(member.name)) {
    node.name = state_.intern(JsonFields(member.value).required("as_name").string());
  } else if (member.name == "as_int" || member.name == "as_float" || member.name == "as_bool" ||
             member.name == "as_none" || member.name == "as_string") {
    node.val = read_argument(input);
  } else {
    throw_at(input.position(), format("an input of kind \"{}\"", member.name));
  }
  node.target = node.name;
  const NodeId placeholder = define(node, input.position());
  if (member.name == "as_tensor") tensor_inputs_.emplace_back(placeholder, input.position());
}

void GraphReader::name_placeholder(NodeId placeholder, StringId name) {
  if (name == 0 || is_defined(name)) return;
  graph_.set_name(placeholder, name);
  entry(name).node = placeholder;
}

void GraphReader::read_outputs(JsonValue outputs) {
  has_outputs_ = true;
  for (const JsonValue output : outputs.items()) {
    const JsonMember member = union_member(output);
    PendingOutput pending;
    pending.position = output.position();
    if (member.name == "as_tensor" || member.name == "as_custom_obj") {
      pending.name = state_.intern(JsonFields(member.value).required("name").string());
    } else if (is_symbolic_kind(member.name) && union_member(member.value).name == "as_name") {
      pending.name = state_.intern(union_member(member.value).value.string());
    } else if (member.name == "as_tensors") {
      pending.is_list = true;
      for (const JsonValue element : member.value.items())
        pending.elements.push_back(state_.intern(JsonFields(element).required("name").string()));
    } else if (member.name == "as_graph") {
      throw_at(output.position(), format("an output of kind \"{}\"", member.name));
    } else {
      pending.constant = read_argument(output);
    }
    outputs_.push_back(std::move(pending));
  }
}

Value GraphReader::output_reference(StringId name, uint32_t position) {
  const NodeId node = entry(name).node;
  if (node == kNoNode) {
    throw_at(position, format("the output uses '{}', which nothing defines", strings().text(name)));
  }
  return node_ref(node);
}

void GraphReader::add_output_node() {
  const std::span<Value> values = arena().make_array<Value>(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const PendingOutput& output = outputs_[i];
    if (output.is_list) {
      const std::span<Value> elements = arena().make_array<Value>(output.elements.size());
      for (size_t at = 0; at < elements.size(); ++at)
        elements[at] = output_reference(output.elements[at], output.position);
      values[i] = Value::list(elements);
    } else if (output.name == 0) {
      values[i] = output.constant;
    } else {
      values[i] = output_reference(output.name, output.position);
    }
  }
  Node node;
  node.kind = NodeKind::kOutput;
  node.name = free_name("output");
  node.target = state_.intern("output");
  if (is_single_return_) {
    if (values.size() != 1) {
      throw_at(outputs_.empty() ? 0 : outputs_[0].position,
               format("a graph that returns a single tensor has {} outputs", values.size()));
    }
    node.args = values;
  } else {
    const Value list = Value::tuple(values);
    node.args = arena().copy(std::span(&list, 1));
  }
  define(node, 0);
}

void GraphReader::read_tensor_value(std::string_view name, JsonValue meta) {
  try {
    // The values stand in the order of the nodes, and calls without one are left out.
    constexpr uint32_t kLookAhead = 4;
    StringId id = 0;
    for (uint32_t at = next_recorded_; at < graph_.id_count() && at < next_recorded_ + kLookAhead;
         ++at) {
      if (graph_.name_of(NodeId{at}) != name) continue;
      id = graph_.node(NodeId{at}).name;
      next_recorded_ = at + 1;
      break;
    }
    if (id == 0) id = state_.intern(name);
    Recorded& recorded = entry(id).recorded;
    if (recorded.meta != nullptr || recorded.deferred != Recorded::kNothing) {
      throw_at(meta.position(), "a second entry of this name");
    }
    recorded = read_tensor_meta(meta, program().metas(), state_.symbols);
  } catch (const Error& error) {
    rethrow_in("tensor value", name, error);
  }
}

void GraphReader::read_scalar_values(JsonValue values) {
  for (const JsonMember member : values.members()) {
    try {
      entry(state_.intern(member.name)).recorded = state_.symbols.read_scalar(member.value);
    } catch (const Error& error) {
      rethrow_in("symbolic value", member.name, error);
    }
  }
}

void GraphReader::join_recorded_values() {
  for (const auto& [placeholder, position] : tensor_inputs_) {
    const StringId name = graph_.node(placeholder).name;
    const Recorded& recorded = entry(name).recorded;
    if (recorded.meta == nullptr && recorded.deferred == Recorded::kNothing) {
      throw_at(position,
               format("input '{}' has no entry in \"tensor_values\"", strings().text(name)));
    }
  }
  for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) {
    if (graph_.node(id).name == 0) {
      graph_.set_name(id, free_name(format("arg{}", index_of(id))));
      entry(graph_.node(id).name).node = id;
      continue;
    }
    const ReadState::Name& name = entry(graph_.node(id).name);
    if (name.node == id) state_.symbols.record(graph_, id, name.recorded);
  }
}

void GraphReader::finish(uint32_t position) {
  const auto require = [&](bool has, std::string_view member) {
    if (!has) throw_at(position, format("the graph lacks its member \"{}\"", member));
  };
  require(has_inputs_, "inputs");
  require(has_nodes_, "nodes");
  require(has_outputs_, "outputs");
  join_recorded_values();
  add_output_node();
}

// --- calls ---

void GraphReader::read_node(JsonValue node) {
  try {
    read_call(node);
  } catch (const Error& error) {
    rethrow_in("node", name_for_errors(node), error);
  }
}

void GraphReader::read_call(JsonValue value) {
  if (!has_inputs_) throw_at(value.position(), "\"nodes\" before the \"inputs\" of the graph");
  JsonFields fields(value);
  Node node;
  node.target = state_.intern(fields.required("target").string());
  const OpId op = program().store().op_of(node.target);
  const JsonValue inputs = fields.required("inputs");
  if (op == kNoOp || !read_known_arguments(inputs, op, node)) read_other_arguments(inputs, node);
  const JsonValue outputs = fields.required("outputs");
  read_metadata(fields.required("metadata"), node);
  const JsonValue single_return = fields.optional("is_hop_single_tensor_return");
  node.name = call_name(fields.optional("name"), node.target, outputs);

  // A higher-order operator says apart whether its one output is the value itself or a tuple of
  // one. Until PyTorch 2.6 it did not: a tensor was the value itself, and a tuple a list.
  const bool is_higher_order = strings().text(node.target).starts_with(kHigherOrderOps);
  const bool is_tuple_of_one =
      is_higher_order && !single_return.is_null() && !single_return.boolean();
  add_results(node, outputs, is_tuple_of_one, value.position());
}

// Files older than schema 8.17 give a call no name of its own.
StringId GraphReader::call_name(JsonValue name, StringId target, JsonValue outputs) {
  if (!name.is_null() && !name.string().empty()) return state_.intern(name.string());
  if (outputs.items().size() == 1) {
    const JsonMember only = union_member(*outputs.items().begin());
    if (only.name == "as_tensor" || is_symbolic_kind(only.name)) return 0;  // add_results names it
  }
  return free_name(name_of_target(strings().text(target)));
}

void GraphReader::read_metadata(JsonValue metadata, Node& node) {
  JsonFields fields(metadata);
  const JsonValue stack_trace = fields.optional("stack_trace");
  if (!stack_trace.is_null()) {
    node.stack_trace = state_.stack_traces_.intern(state_, stack_trace.string());
  }
  const JsonValue module_stack = fields.optional("nn_module_stack");
  if (!module_stack.is_null()) {
    node.module_stack = state_.module_stacks_.intern(state_, module_stack.string());
  }
  const JsonValue torch_fn = fields.optional("torch_fn");
  if (!torch_fn.is_null()) node.torch_fn = state_.intern(torch_fn.string());
  const JsonValue source_fn = fields.optional("source_fn_stack");
  if (!source_fn.is_null()) node.source_fn = state_.intern(source_fn.string());
}

// See Note [Names of nodes].
void GraphReader::add_results(Node node, JsonValue outputs, bool is_tuple_of_one,
                              uint32_t position) {
  const JsonItems items = outputs.items();
  if (items.size() == 0) {
    define(node, position);
    return;
  }
  const JsonMember first = union_member(*items.begin());
  const bool is_one_value = items.size() == 1 && (!is_tuple_of_one || first.name == "as_none");
  if (is_one_value && first.name == "as_tensor") {
    node.name = state_.intern(JsonFields(first.value).required("name").string());
    define(node, position);
  } else if (is_one_value && is_symbolic_kind(first.name)) {
    node.name = state_.intern(JsonFields(first.value).required("as_name").string());
    define(node, position);
  } else if (is_one_value && first.name == "as_none") {
    node.name = free_name(name_of_target(strings().text(node.target)) + "_unused");
    define(node, position);
  } else if (is_one_value && first.name == "as_tensors") {
    const NodeId call = define(node, position);
    int64_t index = 0;
    for (const JsonValue item : first.value.items()) {
      const StringId name = state_.intern(JsonFields(item).required("name").string());
      add_getitem(node, call, index++, name, item.position());
    }
  } else {
    if (node.name == 0) node.name = free_name(name_of_target(strings().text(node.target)));
    const NodeId call = define(node, position);
    int64_t index = 0;
    for (const JsonValue item : items) add_element(node, call, index++, union_member(item));
  }
}

void GraphReader::add_element(const Node& call, NodeId from, int64_t index,
                              const JsonMember& element) {
  const uint32_t position = element.value.position();
  if (element.name == "as_tensor") {
    const std::string_view name = JsonFields(element.value).required("name").string();
    add_getitem(call, from, index, state_.intern(name), position);
  } else if (is_symbolic_kind(element.name)) {
    const std::string_view name = JsonFields(element.value).required("as_name").string();
    add_getitem(call, from, index, state_.intern(name), position);
  } else if (element.name == "as_none") {
    add_getitem(call, from, index, free_name("as_none"), position);
  } else if (element.name == "as_tensors" || element.name == "as_sym_ints" ||
             element.name == "as_sym_floats" || element.name == "as_sym_bools") {
    const NodeId list = add_getitem(call, from, index, free_name("getitem"), position);
    int64_t inner = 0;
    for (const JsonValue item : element.value.items()) {
      const JsonMember name = union_member(item);  // {"name": ...} or {"as_name": ...}
      add_getitem(call, list, inner++, state_.intern(name.value.string()), item.position());
    }
  } else {
    throw_at(position, format("an output of kind \"{}\"", element.name));
  }
}

NodeId GraphReader::add_getitem(const Node& call, NodeId from, int64_t index, StringId name,
                                uint32_t position) {
  Node node;
  node.name = name;
  node.target = state_.intern("_operator.getitem");
  node.module_stack = call.module_stack;
  node.stack_trace = call.stack_trace;
  node.torch_fn = call.torch_fn;
  node.source_fn = call.source_fn;
  const Value args[] = {node_ref(from), Value(index)};
  node.args = arena().copy(std::span<const Value>(args));
  return define(node, position);
}

// --- graphs of higher-order operators ---

Value GraphReader::read_subgraph(JsonValue value) {
  JsonFields fields(value);
  const StringId name = state_.intern(fields.required("name").string());
  Graph& subgraph = program().add_graph();
  subgraph.name = name;
  try {
    GraphReader(state_, subgraph).read_graph(fields.required("graph"));
  } catch (const Error& error) {
    rethrow_in("subgraph", strings().text(name), error);
  }
  return node_ref(add_subgraph(subgraph));
}

// A graph is an attribute of the module: a get_attr node stands for it.
NodeId GraphReader::add_subgraph(const Graph& subgraph) {
  Node node;
  node.kind = NodeKind::kGetAttr;
  node.target = subgraph.name;
  node.name = free_name(strings().text(subgraph.name));
  node.val = Value(&subgraph);
  return define(node, 0);
}

}  // namespace faketensor
