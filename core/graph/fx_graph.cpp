#include "core/graph/fx_graph.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>

#include "core/ops/registry.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// Names that torch.fx gives no node: Python's keywords and builtins that operators are called, and
// its own few.
constexpr std::string_view kTakenNames[] = {
    "abs",    "all",   "and",    "any",   "as",     "bin",   "bool",   "bytes", "complex", "del",
    "device", "dict",  "divmod", "float", "format", "hash",  "hex",    "id",    "if",      "in",
    "inf",    "input", "int",    "is",    "len",    "list",  "map",    "max",   "min",     "nan",
    "next",   "not",   "object", "or",    "pow",    "print", "pytree", "range", "repr",    "round",
    "set",    "slice", "sorted", "str",   "sum",    "torch", "tuple",  "type",  "vars",    "zip",
};

struct NameParts {
  std::string base;
  std::optional<uint32_t> number;
};

// "relu_1" is "relu" and 1; the number has eight digits at most.
NameParts parts_of(const std::string& name) {
  size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
  const bool has_number =
      digits < name.size() && name.size() - digits <= 8 && digits > 1 && name[digits - 1] == '_';
  if (!has_number) return {name, {}};
  uint32_t number = 0;
  for (size_t i = digits; i < name.size(); ++i)
    number = number * 10 + static_cast<uint32_t>(name[i] - '0');
  return {name.substr(0, digits - 1), number};
}

std::string identifier(std::string_view wish) {
  std::string name;
  for (const char c : wish) {
    const bool is_fine = c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_fine || name.empty() || name.back() != '_' || c == '_') name += is_fine ? c : '_';
  }
  if (name.empty()) name = "_unnamed";
  if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "_");
  return name;
}

}  // namespace

std::string FxGraph::take_name(std::string_view wish) {
  std::string name = identifier(wish);
  const NameParts parts = parts_of(name);
  uint32_t number = parts.number.value_or(0);
  if (!parts.number || names_.count(name) != 0) {
    number = counts_[parts.base];
    if (std::find(std::begin(kTakenNames), std::end(kTakenNames), name) != std::end(kTakenNames))
      name = format("{}_{}", parts.base, ++number);
  }
  while (names_.count(name) != 0) name = format("{}_{}", parts.base, ++number);
  names_.insert(name);
  counts_[parts.base] = number;
  return name;
}

FxGraph::Id FxGraph::insert_before(Id next, FxNode node) {
  const Id id = static_cast<Id>(nodes_.size());
  node.name = take_name(node.name);
  nodes_.push_back(std::move(node));
  const Id previous = next == kEnd ? last_ : links_[next].previous;
  links_.push_back({previous, next});
  (previous == kEnd ? first_ : links_[previous].next) = id;
  (next == kEnd ? last_ : links_[next].previous) = id;
  return id;
}

void FxGraph::erase(Id id) {
  const Links links = links_[id];
  (links.previous == kEnd ? first_ : links_[links.previous].next) = links.next;
  (links.next == kEnd ? last_ : links_[links.next].previous) = links.previous;
}

Value FxGraph::with_replaced(const Value& value) {
  if (value.is(Value::Tag::kNodeRef)) {
    Id id = value.node();
    for (auto found = replaced_.find(id); found != replaced_.end(); found = replaced_.find(id))
      id = found->second;
    return Value::node_ref(id);
  }
  if (!value.is(Value::Tag::kList)) return value;
  std::vector<Value> elements;
  for (const Value& element : value.values()) elements.push_back(with_replaced(element));
  return Value::list(arena_->copy(std::span<const Value>(elements)));
}

void FxGraph::resolve_uses() {
  if (replaced_.empty()) return;
  for (Id id = first_; id != kEnd; id = next(id)) {
    for (Value& arg : nodes_[id].args) arg = with_replaced(arg);
    for (auto& [name, arg] : nodes_[id].kwargs) arg = with_replaced(arg);
  }
  replaced_.clear();
}

std::vector<uint32_t> FxGraph::user_counts() const {
  std::vector<uint32_t> counts(nodes_.size());
  std::vector<Id> last_user(nodes_.size(), kEnd);  // a node that uses another twice is one user
  for (Id id = first_; id != kEnd; id = next(id)) {
    const auto use = [&](Id used) {
      if (last_user[used] != id) ++counts[used];
      last_user[used] = id;
    };
    for (const Value& arg : nodes_[id].args) for_each_node(arg, use);
    for (const auto& [name, arg] : nodes_[id].kwargs) for_each_node(arg, use);
  }
  return counts;
}

namespace {

// node.py's _format_arg: str() of what is no node; lists as lists.
void append_argument(std::string& out, const FxGraph& graph, const Value& value) {
  if (value.is(Value::Tag::kNodeRef)) {
    out.append("%").append(graph.node(value.node()).name);
  } else if (value.is(Value::Tag::kString)) {
    out += value.text();
  } else if (value.is(Value::Tag::kDevice)) {
    out += format("{}", value.device());
  } else if (value.is(Value::Tag::kList)) {
    out += '[';
    for (size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ", ";
      append_argument(out, graph, value[i]);
    }
    out += ']';
  } else {
    append_text(out, value);
  }
}

void append_call(std::string& out, const FxGraph& graph, const FxNode& node) {
  const bool is_python = node.target.starts_with("_operator.");
  const bool is_operator = std::count(node.target.begin(), node.target.end(), '.') == 2;
  out.append("call_function[target=").append(is_operator ? "torch.ops." : "");
  out.append(is_python ? node.target.substr(1) : node.target).append("](args = (");
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (i > 0) out += ", ";
    append_argument(out, graph, node.args[i]);
  }
  out += node.args.size() == 1 ? ",), kwargs = {" : "), kwargs = {";
  for (size_t i = 0; i < node.kwargs.size(); ++i) {
    if (i > 0) out += ", ";
    out.append(node.kwargs[i].first).append(": ");
    append_argument(out, graph, node.kwargs[i].second);
  }
  out += "})";
}

// "(a, b)": the output's tuple, whose nodes stand without their sign.
void append_output(std::string& out, const FxGraph& graph, const Value& value) {
  if (value.is(Value::Tag::kNodeRef)) {
    out += graph.node(value.node()).name;
  } else if (value.is(Value::Tag::kList)) {
    out += '(';
    for (size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ", ";
      append_output(out, graph, value[i]);
    }
    out += value.size() == 1 ? ",)" : ")";
  } else {
    append_argument(out, graph, value);
  }
}

}  // namespace

std::string FxGraph::text() const {
  const std::vector<uint32_t> users = user_counts();
  std::string out = "graph():";
  for (Id id = first_; id != kEnd; id = next(id)) {
    const FxNode& node = nodes_[id];
    out += "\n    ";
    if (node.kind == FxNode::Kind::kOutput) {
      out += "return ";
      append_output(out, *this, node.args.empty() ? Value() : node.args[0]);
      continue;
    }
    out += format("%{} : [num_users={}] = ", node.name, users[id]);
    if (node.kind == FxNode::Kind::kPlaceholder) {
      out.append("placeholder[target=").append(node.target).append("]");
    } else {
      append_call(out, *this, node);
    }
  }
  return out;
}

std::string name_of_target(std::string_view target) {
  const size_t dot = target.find('.');
  std::string name;
  for (const char c : target.substr(dot == std::string_view::npos ? 0 : dot + 1)) {
    const bool is_upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (is_upper && !name.empty() && std::islower(static_cast<unsigned char>(name.back())) != 0)
      name += '_';
    name += c == '.' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

namespace {

// torch._library.utils.is_impure: what checks, what writes, and what draws random numbers.
bool is_impure(const FxNode& node) {
  constexpr std::string_view kChecks[] = {"aten._assert_async.msg", "aten._assert_scalar.default",
                                          "aten._assert_tensor_metadata.default",
                                          "aten.sym_constrain_range.default",
                                          "aten.sym_constrain_range_for_size.default"};
  if (node.kind != FxNode::Kind::kCall) return true;
  if (std::find(std::begin(kChecks), std::end(kChecks), node.target) != std::end(kChecks))
    return true;
  const Registry& registry = Registry::builtin();
  const OpId op = registry.find(Registry::qualified(node.target));
  if (op == kNoOp) return false;
  return registry.entry(op).written_arguments != 0 || (registry.entry(op).tags & kRandom) != 0;
}

}  // namespace

void eliminate_dead_code(FxGraph& graph) {
  std::vector<uint32_t> users = graph.user_counts();
  std::vector<FxGraph::Id> order;
  for (auto id = graph.first(); id != FxGraph::kEnd; id = graph.next(id)) order.push_back(id);
  std::vector<FxGraph::Id> used_by(users.size(), FxGraph::kEnd);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const FxNode& node = graph.node(*at);
    if (users[*at] > 0 || is_impure(node)) continue;
    const auto release = [&](FxGraph::Id id) {
      if (used_by[id] != *at) --users[id];
      used_by[id] = *at;
    };
    for (const Value& arg : node.args) for_each_node(arg, release);
    for (const auto& [name, arg] : node.kwargs) for_each_node(arg, release);
    graph.erase(*at);
  }
}

}  // namespace faketensor
