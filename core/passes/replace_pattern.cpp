// Subgraphs that look like a pattern are replaced by another. Mirrors torch/fx/subgraph_rewriter.py
// and SubgraphMatcher (torch/fx/passes/utils/matcher_utils.py).
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/formats/json_writer.h"
#include "core/graph/text/read_program_text.h"
#include "core/passes/fuse.h"
#include "core/passes/passes.h"

namespace faketensor {

namespace {

// The nodes of the pattern and what they were found as; a placeholder may be a constant.
using Match = std::unordered_map<NodeId, Value>;

std::vector<NodeId> nodes_of_kind(const Graph& graph, NodeKind kind) {
  std::vector<NodeId> nodes;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    if (graph.node(id).kind == kind) nodes.push_back(id);
  }
  return nodes;
}

std::vector<NodeId> returned_nodes(const Graph& graph) {
  std::vector<NodeId> returned;
  const Node& output = graph.node(graph.last());
  for (const Value& arg : output.args) {
    for_each_node(arg, [&](NodeId id) {
      if (std::find(returned.begin(), returned.end(), id) == returned.end()) returned.push_back(id);
    });
  }
  return returned;
}

class Matcher {
 public:
  Matcher(const Graph& pattern, const Graph& graph)
      : pattern_(pattern), graph_(graph), returned_(returned_nodes(pattern)) {
    for (const NodeId id : returned_) {
      if (pattern.users(id).size() == 1) anchors_.push_back(id);
    }
  }

  const std::vector<NodeId>& anchors() const { return anchors_; }

  // Matches of which no two share a node, the first of those that do.
  std::vector<Match> matches() {
    for (const NodeId anchor : anchors_) {
      std::vector<NodeId>& found = candidates_.emplace_back();
      for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) {
        if (is_same_call(anchor, id)) found.push_back(id);
      }
    }
    if (!candidates_.empty()) match_anchor(0, {});
    std::vector<Match> apart;
    std::unordered_set<NodeId> taken;
    const std::vector<size_t> places = places_of(graph_);
    for (Match& match : found_) {
      const std::vector<NodeId> nodes = computed_nodes(match);
      const bool overlaps =
          std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) { return taken.count(id) != 0; });
      if (overlaps || !is_contained(match) || !validate_partition(graph_, nodes, places)) continue;
      taken.insert(nodes.begin(), nodes.end());
      apart.push_back(std::move(match));
    }
    return apart;
  }

 private:
  void match_anchor(size_t at, const Match& before) {
    if (at == anchors_.size()) {
      found_.push_back(before);
      return;
    }
    for (const NodeId candidate : candidates_[at]) {
      Match match = before;
      if (match_nodes(anchors_[at], candidate, match)) match_anchor(at + 1, match);
    }
  }

  bool is_same_call(NodeId in_pattern, NodeId in_graph) const {
    const Node& wanted = pattern_.node(in_pattern);
    const Node& node = graph_.node(in_graph);
    if (wanted.kind == NodeKind::kPlaceholder) return true;
    return wanted.kind == node.kind && pattern_.text(wanted.target) == graph_.text(node.target);
  }

  // A pattern is small, and so is the depth of this recursion.
  bool match_nodes(NodeId in_pattern, NodeId in_graph, Match& match) const {
    if (const auto known = match.find(in_pattern); known != match.end())
      return known->second.is(Value::Tag::kNodeRef) && node_of(known->second) == in_graph;
    const bool is_taken = std::any_of(match.begin(), match.end(), [&](const auto& entry) {
      return entry.second.is(Value::Tag::kNodeRef) && node_of(entry.second) == in_graph;
    });
    if (is_taken || !is_same_call(in_pattern, in_graph)) return false;
    match.emplace(in_pattern, node_ref(in_graph));
    if (pattern_.node(in_pattern).kind == NodeKind::kPlaceholder) return true;
    std::vector<Value> wanted;
    std::vector<Value> given;
    if (!complete_arguments(in_pattern, in_graph, wanted, given)) return false;
    return match_all(wanted, given, match);
  }

  template <typename Values>
  bool match_all(const Values& wanted, const Values& given, Match& match) const {
    if (wanted.size() != given.size()) return false;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!match_argument(wanted[i], given[i], match)) return false;
    }
    return true;
  }

  bool match_argument(const Value& wanted, const Value& given, Match& match) const {
    const bool is_node = wanted.is(Value::Tag::kNodeRef);
    if (is_node && given.is(Value::Tag::kNodeRef))
      return match_nodes(node_of(wanted), node_of(given), match);
    if (is_node) {
      if (pattern_.node(node_of(wanted)).kind != NodeKind::kPlaceholder) return false;
      const auto [known, is_new] = match.emplace(node_of(wanted), given);
      return is_new || are_equal(known->second, given);
    }
    if (wanted.is_list() && given.is_list()) return match_all(wanted, given, match);
    return are_equal(wanted, given);
  }

  static bool are_equal(const Value& a, const Value& b) {
    if (a.tag() != b.tag()) return false;
    if (a.is(Value::Tag::kNodeRef)) return a.node() == b.node();
    if (a.is_list()) {
      bool equal = a.size() == b.size();
      for (size_t i = 0; equal && i < a.size(); ++i) equal = are_equal(a[i], b[i]);
      return equal;
    }
    std::string texts[2];
    append_text(texts[0], a);
    append_text(texts[1], b);
    return texts[0] == texts[1];
  }

  // The arguments of both, in one order; defaults stand where the two calls are written otherwise.
  bool complete_arguments(NodeId in_pattern, NodeId in_graph, std::vector<Value>& wanted,
                          std::vector<Value>& given) const {
    const Node& a = pattern_.node(in_pattern);
    const Node& b = graph_.node(in_graph);
    bool is_written_alike =
        a.args.size() == b.args.size() && a.keywords.size() == b.keywords.size();
    for (size_t i = 0; is_written_alike && i < a.keywords.size(); ++i)
      is_written_alike = pattern_.text(a.keywords[i]) == graph_.text(b.keywords[i]);
    if (is_written_alike) {
      wanted.assign(a.args.begin(), a.args.end());
      given.assign(b.args.begin(), b.args.end());
      return true;
    }
    const OpId op = graph_.store().op_of(b.target);
    if (op == kNoOp) return false;
    const Schema& schema = Registry::builtin().entry(op).schema;
    return in_schema_order(schema, pattern_, a, wanted) &&
           in_schema_order(schema, graph_, b, given);
  }

  static bool in_schema_order(const Schema& schema, const Graph& graph, const Node& node,
                              std::vector<Value>& args) {
    if (node.positional().size() > schema.arguments.size()) return false;
    for (const Argument& argument : schema.arguments)
      args.push_back(argument.has_default ? argument.default_value : Value());
    std::copy(node.positional().begin(), node.positional().end(), args.begin());
    for (size_t i = 0; i < node.keywords.size(); ++i) {
      const int place = schema.find_argument(graph.text(node.keywords[i]));
      if (place < 0) return false;
      args[static_cast<size_t>(place)] = node.by_keyword()[i];
    }
    return true;
  }

  // In the order of the pattern.
  std::vector<NodeId> computed_nodes(const Match& match) const {
    std::vector<NodeId> nodes;
    for (NodeId id = pattern_.first(); id != kNoNode; id = pattern_.next(id)) {
      const auto found = match.find(id);
      if (found != match.end() && pattern_.node(id).kind != NodeKind::kPlaceholder)
        nodes.push_back(node_of(found->second));
    }
    return nodes;
  }

  // What is not returned is used by nothing outside.
  bool is_contained(const Match& match) const {
    const std::vector<NodeId> nodes = computed_nodes(match);
    const std::unordered_set<NodeId> inside(nodes.begin(), nodes.end());
    for (const auto& [in_pattern, value] : match) {
      const bool may_leave =
          pattern_.node(in_pattern).kind == NodeKind::kPlaceholder ||
          std::find(returned_.begin(), returned_.end(), in_pattern) != returned_.end();
      if (may_leave) continue;
      for (const NodeId user : graph_.users(node_of(value))) {
        if (inside.count(user) == 0) return false;
      }
    }
    return true;
  }

  const Graph& pattern_;
  const Graph& graph_;
  std::vector<NodeId> returned_;
  std::vector<NodeId> anchors_;
  std::vector<std::vector<NodeId>> candidates_;
  std::vector<Match> found_;
};

// Puts the replacement where a match stands.
class Rewriter {
 public:
  Rewriter(const Graph& pattern, const Graph& replacement, Graph& graph)
      : pattern_(pattern),
        replacement_(replacement),
        graph_(graph),
        placeholders_(nodes_of_kind(pattern, NodeKind::kPlaceholder)),
        inputs_(nodes_of_kind(replacement, NodeKind::kPlaceholder)),
        returned_(returned_nodes(pattern)),
        results_(returned_nodes(replacement)) {
    if (placeholders_.size() != inputs_.size() || returned_.size() != results_.size())
      throw_error(ErrorKind::kAssertionError,
                  "a pattern and its replacement have the same inputs and outputs");
    size_t place = 0;
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) place_[id] = place++;
  }

  void replace(const Match& match) {
    std::unordered_map<NodeId, Value> values;
    for (size_t i = 0; i < inputs_.size(); ++i)
      values[inputs_[i]] = current(match.at(placeholders_[i]));
    const NodeId next = insertion_point(match);
    for (NodeId id = replacement_.first(); id != kNoNode; id = replacement_.next(id)) {
      const NodeKind kind = replacement_.node(id).kind;
      if (kind != NodeKind::kPlaceholder && kind != NodeKind::kOutput)
        values[id] = node_ref(insert(next, id, values));
    }
    for (size_t i = 0; i < returned_.size(); ++i) {
      const NodeId old = node_of(match.at(returned_[i]));
      const NodeId made = node_of(values.at(results_[i]));
      graph_.replace_all_uses(old, made);
      replaced_[old] = made;
    }
    for (NodeId id = pattern_.last(); id != kNoNode; id = pattern_.previous(id)) {
      const NodeKind kind = pattern_.node(id).kind;
      if (kind != NodeKind::kPlaceholder && kind != NodeKind::kOutput)
        graph_.erase(node_of(match.at(id)));
    }
  }

 private:
  // What an input is, where an earlier replacement changed it.
  Value current(const Value& value) const {
    if (!value.is(Value::Tag::kNodeRef)) return value;
    const auto found = replaced_.find(node_of(value));
    return found == replaced_.end() ? value : node_ref(found->second);
  }

  // Before the first user of what is returned.
  NodeId insertion_point(const Match& match) const {
    NodeId first = kNoNode;
    for (const NodeId id : returned_) {
      for (const NodeId user : graph_.users(node_of(match.at(id)))) {
        // Users are nodes of the graph as it was, or later replacements of such.
        if (first == kNoNode || is_before(user, first)) first = user;
      }
    }
    if (first != kNoNode) return first;
    NodeId last = kNoNode;
    for (const NodeId id : returned_) {
      const NodeId node = node_of(match.at(id));
      if (last == kNoNode || is_before(last, node)) last = node;
    }
    return graph_.next(last);
  }

  bool is_before(NodeId a, NodeId b) const {
    const auto place_of = [&](NodeId id) {
      const auto found = place_.find(id);
      return found == place_.end() ? size_t{0} : found->second;
    };
    return place_of(a) < place_of(b);
  }

  NodeId insert(NodeId next, NodeId id, const std::unordered_map<NodeId, Value>& values) {
    const Node& node = replacement_.node(id);
    NewNode copy{.kind = node.kind,
                 .name = std::string(replacement_.name_of(id)),
                 .target = std::string(replacement_.target_of(id))};
    for (const Value& arg : node.positional()) copy.args.push_back(copied(arg, values));
    for (size_t i = 0; i < node.keywords.size(); ++i)
      copy.kwargs.emplace_back(std::string(replacement_.text(node.keywords[i])),
                               copied(node.by_keyword()[i], values));
    copy.val = Value::unset();
    const NodeId made = graph_.insert_before(next, copy);
    place_[made] = next == kNoNode ? place_.size() : place_[next];
    return made;
  }

  // Into the memory of this graph's program.
  Value copied(const Value& value, const std::unordered_map<NodeId, Value>& values) {
    Arena& arena = graph_.store().arena;
    if (value.is(Value::Tag::kNodeRef)) return values.at(node_of(value));
    if (value.is(Value::Tag::kString)) return Value::string(arena.copy(value.text()));
    if (value.is(Value::Tag::kIntList)) return Value::ints(arena.copy(value.ints()));
    if (!value.is(Value::Tag::kList)) return value;
    std::vector<Value> elements;
    for (const Value& element : value.values()) elements.push_back(copied(element, values));
    const std::span<const Value> kept = arena.copy(std::span<const Value>(elements));
    return Value::like(value, kept);
  }

  const Graph& pattern_;
  const Graph& replacement_;
  Graph& graph_;
  std::vector<NodeId> placeholders_;
  std::vector<NodeId> inputs_;
  std::vector<NodeId> returned_;
  std::vector<NodeId> results_;
  std::unordered_map<NodeId, NodeId> replaced_;
  std::unordered_map<NodeId, size_t> place_;
};

// Raises Unreadable with the line and column of whatever cannot be read.
Program read_pattern(const std::string& text, std::string_view name) {
  TextProgram read = parse_program_text(text, ReadLimits{});
  if (read.text->error_count() > 0) throw_error(ErrorKind::kUnreadable, read.text->errors(name));
  return std::move(read.program);
}

}  // namespace

PassResult replace_pattern(PassSubject& subject, const PassOptions& options) {
  if (options.pattern.pattern.empty())
    throw_error(ErrorKind::kUsage, "replace_pattern takes a pattern (--replace)");
  const Program pattern = read_pattern(options.pattern.pattern, "pattern");
  const Program replacement = read_pattern(options.pattern.replacement, "replacement");
  Graph& graph = *subject.graph;
  Matcher matcher(pattern.graph(), graph);
  Rewriter rewriter(pattern.graph(), replacement.graph(), graph);
  if (matcher.anchors().empty())
    throw_error(ErrorKind::kUsage, "a pattern returns what nothing else in it uses");
  const std::vector<Match> matches = matcher.matches();
  for (const Match& match : matches) rewriter.replace(match);
  PassResult result{.modified = !matches.empty()};
  JsonWriter json(result.info);
  const auto object = json.object();
  const auto names = json.array("matches");
  for (size_t i = 0; i < matches.size(); ++i)
    json.value(pattern.graph().name_of(matcher.anchors()[0]));
  return result;
}

}  // namespace faketensor
