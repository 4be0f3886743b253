// Calls of auto_functionalized and auto_functionalized_v2 become the operators that they call, which
// write to what they are given: functionalization undone, for a backend that wants the writes. Whether
// somebody still needs what is overwritten is not asked, as PyTorch's name for it says. Mirrors
// unsafe_remove_auto_functionalized_pass, torch/export/_remove_auto_functionalized_pass.py.
#include <algorithm>

#include "core/graph/dead_code.h"
#include "core/graph/functionalized_views.h"
#include "core/passes/passes.h"
#include "core/passes/reachable_graphs.h"
#include "core/passes/split.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

using Keyword = FunctionalizedViews::Keyword;

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
    std::vector<Keyword> keywords;
    for (size_t i = 0; i < node.keywords.size(); ++i)
      keywords.push_back({graph_.text(node.keywords[i]), node.by_keyword()[i]});
    FunctionalizedViews views(
        std::move(keywords),
        {.view = [&](std::string_view op,
                     const std::vector<Value>& args) { return view(id, op, args); },
         .list =
             [&](const std::vector<Value>& elements) {
               return Value::list(graph_.store().arena.copy(std::span<const Value>(elements)));
             }});
    if (views.find("_all_bases") != nullptr) {
      const Value given = views.take("_all_bases");
      for (size_t i = 0; given.is_list() && i < given.size(); ++i) views.bases.push_back(given[i]);
      regenerate(views, schema);
    } else {
      views.bases = written_arguments(target, schema, views);
    }
    const std::vector<Value> results =
        call(id, target, schema, views.keywords(), views.bases.size());
    replace_elements(id, results, views.bases);
  }

  // Version 1: what is written to is given as it is.
  static std::vector<Value> written_arguments(const std::string& target, const Schema* schema,
                                              const FunctionalizedViews& given) {
    if (schema == nullptr)
      throw_error(ErrorKind::kUnsupportedOperator, std::string(operator_name(target)));
    std::vector<Value> written;
    for (const Argument& argument : schema->arguments) {
      if (!argument.is_written()) continue;
      const Value* value = given.find(argument.name);
      written.push_back(value == nullptr ? Value() : *value);
    }
    return written;
  }

  // Version 2: what is written to is made of its base anew. Of an operator that nobody defined the
  // keywords tell which arguments these are.
  static void regenerate(FunctionalizedViews& views, const Schema* schema) {
    if (schema != nullptr) {
      for (const Argument& argument : schema->arguments)
        if (argument.is_written()) views.regenerate(argument.name, argument.type.is_list);
      return;
    }
    const std::vector<Keyword> described = views.keywords();
    for (const auto& [key, value] : described) {
      for (const std::string_view suffix : {"_length", "_base_index"}) {
        // An element's own description has been taken with its list.
        const bool is_description =
            key.starts_with('_') && key.ends_with(suffix) && views.find(key) != nullptr;
        if (is_description)
          views.regenerate(key.substr(1, key.size() - suffix.size() - 1), suffix == "_length");
      }
    }
  }

  Value view(NodeId next, std::string_view target, const std::vector<Value>& args) {
    return node_ref(graph_.insert_before(next, {.name = name_of_target(target),
                                                .target = std::string(target),
                                                .args = args,
                                                .val = Value::unset()}));
  }

  // The operator itself. What it returns, one each.
  std::vector<Value> call(NodeId id, const std::string& target, const Schema* schema,
                          const std::vector<Keyword>& given, size_t bases) {
    const Value all = graph_.node(id).val;
    const size_t values = all.is_list() ? all.size() : most_elements(id);
    const size_t count =
        schema != nullptr ? schema->returns.size() : values - std::min(values, bases);
    NewNode made{.name = name_of_target(target), .target = target};
    if (schema != nullptr) {
      set_arguments(made, *schema, given);
    } else {
      for (const auto& [name, value] : given) made.kwargs.emplace_back(name, value);
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
  static void set_arguments(NewNode& made, const Schema& schema,
                            const std::vector<Keyword>& given) {
    for (const Argument& argument : schema.arguments) {
      const auto found = std::find_if(given.begin(), given.end(), [&](const auto& keyword) {
        return keyword.name == argument.name;
      });
      const Value value = found == given.end() ? argument.default_value : found->value;
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
        for (const Value& arg : node.args) args.push_back(graph_.with_replaced(arg, user, value));
        graph_.set_arguments(reader, args, node.keywords);
      }
    }
    graph_.erase(user);
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
