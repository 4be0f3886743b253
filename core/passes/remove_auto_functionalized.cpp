// Calls of auto_functionalized and auto_functionalized_v2 become the operators that they call, which
// write to what they are given: functionalization undone, for a backend that wants the writes. Whether
// somebody still needs what is overwritten is not asked, as PyTorch's name for it says. Mirrors
// unsafe_remove_auto_functionalized_pass, torch/export/_remove_auto_functionalized_pass.py.
#include <algorithm>
#include <optional>

#include "core/graph/dead_code.h"
#include "core/passes/passes.h"
#include "core/passes/reachable_graphs.h"
#include "core/passes/split.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

using NamedValues = std::vector<std::pair<std::string, Value>>;

// The keyword arguments of a call, of which those that describe views are taken out.
class CallKeywords {
 public:
  CallKeywords(const Graph& graph, const Node& node) {
    for (size_t i = 0; i < node.keywords.size(); ++i)
      rest_.emplace_back(graph.text(node.keywords[i]), node.by_keyword()[i]);
  }

  std::optional<Value> take(const std::string& name) {
    const auto found = find(name);
    if (found == rest_.end()) return {};
    const Value value = found->second;
    rest_.erase(found);
    return value;
  }
  const Value* get(std::string_view name) {
    const auto found = find(name);
    return found == rest_.end() ? nullptr : &found->second;
  }
  NamedValues& rest() { return rest_; }

 private:
  NamedValues::iterator find(std::string_view name) {
    return std::find_if(rest_.begin(), rest_.end(),
                        [&](const auto& keyword) { return keyword.first == name; });
  }

  NamedValues rest_;
};

class Remover {
 public:
  Remover(PassSubject& subject, Graph& graph) : library_(subject.mode.library()), graph_(graph) {}

  bool run() {
    for (const NodeId id : graph_.order()) {
      const std::string_view target = graph_.target_of(id);
      if (!target.starts_with(kHigherOrderOps)) continue;
      const std::string_view name = target.substr(kHigherOrderOps.size());
      if (name == "auto_functionalized" || name == "auto_functionalized_v2") replace(id);
    }
    if (calls_.empty()) return false;
    remove_copies_to_self();
    eliminate_dead_code(graph_, calls_);
    return true;
  }

 private:
  // Null for an operator that nobody defined.
  const Schema* schema_of(std::string_view target) const {
    const OpId op = library_.find(target);
    return op == kNoOp ? nullptr : &library_.entry(op).schema;
  }

  void replace(NodeId id) {
    const Node node = graph_.node(id);
    if (node.positional().empty() || !node.args[0].is(Value::Tag::kString))
      throw_error(ErrorKind::kTypeError,
                  format("{}: argument 0 must be a string", graph_.name_of(id)));
    const std::string target(node.args[0].text());
    const Schema* schema = schema_of(target);
    CallKeywords keywords(graph_, node);
    std::vector<Value> bases;
    if (const std::optional<Value> given = keywords.take("_all_bases"); given) {
      bases = take_views(id, *given, schema, keywords);
    } else {
      bases = written_arguments(target, schema, keywords);
    }
    const std::vector<Value> results = call(id, target, schema, keywords.rest(), bases.size());
    replace_elements(id, results, bases);
  }

  // Version 1: what is written to is given as it is.
  static std::vector<Value> written_arguments(const std::string& target, const Schema* schema,
                                              CallKeywords& keywords) {
    if (schema == nullptr)
      throw_error(ErrorKind::kUnsupportedOperator, std::string(operator_name(target)));
    std::vector<Value> written;
    for (const Argument& argument : schema->arguments) {
      if (!argument.is_written()) continue;
      const Value* given = keywords.get(argument.name);
      written.push_back(given == nullptr ? Value() : *given);
    }
    return written;
  }

  // Version 2: what is written to is made of its base anew.
  std::vector<Value> take_views(NodeId next, const Value& given, const Schema* schema,
                                CallKeywords& keywords) {
    std::vector<Value> bases;
    for (size_t i = 0; given.is_list() && i < given.size(); ++i) bases.push_back(given[i]);
    for (const std::string& name : written_names(schema, keywords)) {
      const std::string prefix = format("_{}", name);
      const std::optional<Value> length = keywords.take(prefix + "_length");
      const Value value = length ? take_list(next, prefix, *length, bases, keywords)
                                 : take_view(next, prefix, bases, keywords);
      keywords.rest().emplace_back(name, value);
    }
    return bases;
  }

  // The arguments that are written to. Of an operator that nobody defined the keywords tell them:
  // "_x_base_index", and of a list "_x_length", "_x_0_base_index", "_x_1_base_index", ...
  static std::vector<std::string> written_names(const Schema* schema, CallKeywords& keywords) {
    std::vector<std::string> names;
    if (schema != nullptr) {
      for (const Argument& argument : schema->arguments)
        if (argument.is_written()) names.emplace_back(argument.name);
      return names;
    }
    const auto is_element = [&](std::string_view key) {
      return !names.empty() && key.starts_with(format("_{}_", names.back()));
    };
    for (const auto& [key, value] : keywords.rest()) {
      for (const std::string_view suffix : {"_length", "_base_index"}) {
        if (key.starts_with('_') && key.ends_with(suffix) && !is_element(key))
          names.push_back(key.substr(1, key.size() - suffix.size() - 1));
      }
    }
    return names;
  }

  Value take_list(NodeId next, const std::string& prefix, const Value& length,
                  const std::vector<Value>& bases, CallKeywords& keywords) {
    if (!length.is(Value::Tag::kInt)) return {};
    std::vector<Value> elements;
    for (int64_t i = 0; i < length.to_int(); ++i)
      elements.push_back(take_view(next, format("{}_{}", prefix, i), bases, keywords));
    return Value::list(graph_.store().arena.copy(std::span<const Value>(elements)));
  }

  Value take_view(NodeId next, const std::string& prefix, const std::vector<Value>& bases,
                  CallKeywords& keywords) {
    const auto take = [&](const char* what) {
      const std::optional<Value> value = keywords.take(prefix + what);
      if (!value) throw_error(ErrorKind::kKeyError, format("'{}{}'", prefix, what));
      return *value;
    };
    const Value index = take("_base_index");
    if (!index.is(Value::Tag::kInt)) return {};
    const auto at = static_cast<size_t>(index.to_int());
    if (at >= bases.size()) throw_error(ErrorKind::kIndexError, "list index out of range");
    const Value& base = bases[at];
    if (keywords.take(prefix + "_alias")) return view(next, "torch.ops.aten.alias.default", {base});
    if (keywords.get(prefix + "_storage_offset") != nullptr) {
      const Value size = as_list(take("_size"));
      const Value stride = as_list(take("_stride"));
      return view(next, "torch.ops.aten.as_strided.default",
                  {base, size, stride, take("_storage_offset")});
    }
    if (keywords.get(prefix + "_slice_dim") != nullptr) {
      const Value dim = take("_slice_dim");
      const Value start = take("_slice_start");
      return view(next, "torch.ops.aten.slice.Tensor", {base, dim, start, take("_slice_end")});
    }
    return base;
  }

  // Sizes are a tuple in the description, a list in a call.
  static Value as_list(const Value& sizes) {
    return sizes.is(Value::Tag::kList) ? Value::list(sizes.values()) : sizes;
  }

  Value view(NodeId next, std::string_view target, std::vector<Value> args) {
    return node_ref(graph_.insert_before(next, {.name = name_of_target(target),
                                                .target = std::string(target),
                                                .args = std::move(args),
                                                .val = Value::unset()}));
  }

  // The operator itself. What it returns, one each.
  std::vector<Value> call(NodeId id, const std::string& target, const Schema* schema,
                          NamedValues& given, size_t bases) {
    const Value all = graph_.node(id).val;
    const size_t values = all.is_list() ? all.size() : most_elements(id);
    const size_t count =
        schema != nullptr ? schema->returns.size() : values - std::min(values, bases);
    NewNode made{.name = name_of_target(target), .target = target};
    if (schema != nullptr) {
      set_arguments(made, *schema, given);
    } else {
      made.kwargs = given;
    }
    const auto result = [&](size_t i) { return all.is_list() ? all[i] : Value::unset(); };
    made.val = count == 1 ? result(0) : Value::unset();
    if (count > 1 && all.is_list())
      made.val = Value::like(all, graph_.store().arena.copy(all.values().first(count)));
    const NodeId called = graph_.insert_before(id, made);
    NodeMeta& meta = graph_.meta(called);
    const NodeMeta& was = graph_.node(id);
    meta.module_stack = was.module_stack;
    meta.stack_trace = was.stack_trace;
    meta.module = was.module;
    calls_.push_back(called);
    if (count == 1) return {node_ref(called)};
    // An operator without results gives one None before the bases.
    std::vector<Value> results(std::max<size_t>(count, 1));
    for (size_t i = 0; i < count; ++i) {
      results[i] = node_ref(
          graph_.insert_before(id, {.name = "getitem",
                                    .target = "_operator.getitem",
                                    .args = {node_ref(called), Value(static_cast<int64_t>(i))},
                                    .val = result(i)}));
    }
    return results;
  }

  size_t most_elements(NodeId id) const {
    size_t most = 0;
    for (const NodeId user : graph_.users(id)) {
      const Node& node = graph_.node(user);
      if (is_getitem(graph_, node))
        most = std::max(most, static_cast<size_t>(node.args[1].to_int()) + 1);
    }
    return most;
  }

  // As the dispatcher hands them on: by position but for the keyword-only ones, without what is as its
  // schema has it anyway at the end.
  static void set_arguments(NewNode& made, const Schema& schema, const NamedValues& given) {
    for (const Argument& argument : schema.arguments) {
      const auto found = std::find_if(given.begin(), given.end(), [&](const auto& keyword) {
        return keyword.first == argument.name;
      });
      const Value value = found == given.end() ? argument.default_value : found->second;
      if (!argument.is_keyword_only) {
        made.args.push_back(value);
      } else if (!is_default(argument, value)) {
        made.kwargs.emplace_back(argument.name, value);
      }
    }
    while (!made.args.empty() &&
           is_default(schema.arguments[made.args.size() - 1], made.args.back()))
      made.args.pop_back();
  }

  // What was taken out of the call is a result, or the base that was written to.
  void replace_elements(NodeId id, const std::vector<Value>& results,
                        const std::vector<Value>& bases) {
    const std::vector<NodeId> users(graph_.users(id).begin(), graph_.users(id).end());
    for (const NodeId user : users) {
      if (!is_getitem(graph_, graph_.node(user)))
        throw_error(ErrorKind::kRuntimeError, format("{} takes all results of {} at once",
                                                     graph_.name_of(user), graph_.name_of(id)));
      const auto at = static_cast<size_t>(graph_.node(user).args[1].to_int());
      if (at >= results.size() + bases.size())
        throw_error(ErrorKind::kIndexError, "tuple index out of range");
      replace_by(user, at < results.size() ? results[at] : bases[at - results.size()]);
    }
    graph_.erase(id);
  }

  // `value`: a node, None, or the list of nodes that an argument was.
  void replace_by(NodeId user, const Value& value) {
    if (value.is(Value::Tag::kNodeRef)) {
      graph_.replace_all_uses(user, node_of(value));
    } else {
      const std::vector<NodeId> readers(graph_.users(user).begin(), graph_.users(user).end());
      for (const NodeId reader : readers) {
        const Node& node = graph_.node(reader);
        if (value.is_list() && is_getitem(graph_, node)) {
          const auto at = static_cast<size_t>(node.args[1].to_int());
          if (at < value.size()) replace_by(reader, value[at]);
          continue;
        }
        std::vector<Value> args;
        for (const Value& arg : node.args) args.push_back(replaced(arg, user, value));
        graph_.set_arguments(reader, args, node.keywords);
      }
    }
    graph_.erase(user);
  }

  Value replaced(const Value& arg, NodeId from, const Value& to) {
    if (arg.is(Value::Tag::kNodeRef)) return node_of(arg) == from ? to : arg;
    if (!arg.is(Value::Tag::kList)) return arg;
    std::vector<Value> elements;
    for (const Value& element : arg.values()) elements.push_back(replaced(element, from, to));
    return Value::like(arg, graph_.store().arena.copy(std::span<const Value>(elements)));
  }

  // x.copy_(x) is x.
  void remove_copies_to_self() {
    for (const NodeId id : graph_.order()) {
      if (graph_.target_of(id) != "torch.ops.aten.copy_.default") continue;
      const std::span<const Value> args = graph_.node(id).args;
      const bool is_self = args.size() >= 2 && args[0].is(Value::Tag::kNodeRef) &&
                           args[1].is(Value::Tag::kNodeRef) && node_of(args[0]) == node_of(args[1]);
      if (!is_self) continue;
      graph_.replace_all_uses(id, node_of(args[0]));
      graph_.erase(id);
    }
  }

  const Library& library_;
  Graph& graph_;
  std::vector<NodeId> calls_;  // of the operators that write
};

}  // namespace

PassResult remove_auto_functionalized(PassSubject& subject, const PassOptions&) {
  bool modified = false;
  for (Graph* graph : reachable_graphs(subject)) modified |= Remover(subject, *graph).run();
  return {.modified = modified};
}

}  // namespace faketensor
