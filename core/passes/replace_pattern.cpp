// Subgraphs that look like a pattern are replaced by another. Mirrors torch/fx/subgraph_rewriter.py
// and SubgraphMatcher (torch/fx/passes/utils/matcher_utils.py).
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/formats/json_writer.h"
#include "core/graph/text/read_program_text.h"
#include "core/passes/fuse.h"
#include "core/passes/passes.h"
#include "core/support/format.h"

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

// Nodes that an anchor may stand for, in the order of the graph. What can no longer be is passed over
// in a time that does not grow with it.
class Candidates {
 public:
  explicit Candidates(std::vector<NodeId> nodes) : nodes_(std::move(nodes)) {
    next_.resize(nodes_.size() + 1);
    for (size_t i = 0; i < next_.size(); ++i) next_[i] = i;
  }
  size_t size() const { return nodes_.size(); }
  NodeId operator[](size_t i) const { return nodes_[i]; }
  // The first from `i` on that was not removed; size() where there is none.
  size_t from(size_t i) {
    size_t root = i;
    while (next_[root] != root) root = next_[root];
    while (next_[i] != root) i = std::exchange(next_[i], root);
    return root;
  }
  void remove(size_t i) { next_[i] = i + 1; }

 private:
  std::vector<NodeId> nodes_;
  std::vector<size_t> next_;
};

// Note [Patterns of several results]
// PyTorch matches every combination of what the results may be, and of those that overlap keeps the
// first. Here the same first ones are found in that order without the others: a node that a match has
// taken is passed over, as is one that cannot be its result whatever the others are; and where a
// result is connected to one that is matched, by what both are computed of, only users of that are
// looked at. What is left is the search for results that nothing connects and that may not stand
// together, as each would wait for the other: it ends with an error where it takes too long.
class Matcher {
 public:
  Matcher(const Graph& pattern, const Graph& graph)
      : pattern_(pattern),
        graph_(graph),
        returned_(returned_nodes(pattern)),
        places_(places_of(graph)) {
    for (const NodeId id : returned_) {
      if (pattern.users(id).size() == 1) anchors_.push_back(id);
    }
    connect_anchors();
  }

  const std::vector<NodeId>& anchors() const { return anchors_; }

  // Matches of which no two share a node, the first of those that do.
  std::vector<Match> matches() {
    if (!anchors_.empty()) match_anchor(0, {});
    return std::move(found_);
  }

 private:
  // How an anchor is reached from what the anchors before it have matched: the first node is matched
  // then, each is computed of the one before it, the anchor is the last. Empty where nothing connects
  // them.
  using Path = std::vector<NodeId>;

  void connect_anchors() {
    std::unordered_set<NodeId> matched;
    for (const NodeId anchor : anchors_) {
      paths_.push_back(path_to(anchor, matched));
      std::vector<NodeId> open = {anchor};
      while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        if (matched.insert(id).second) visit_inputs(id, [&](NodeId used) { open.push_back(used); });
      }
    }
  }

  template <typename Visit>
  void visit_inputs(NodeId id, const Visit& visit) const {
    for (const Value& arg : pattern_.node(id).args) for_each_node(arg, visit);
  }

  // The nearest matched node that is computed, else an input.
  Path path_to(NodeId anchor, const std::unordered_set<NodeId>& matched) const {
    std::unordered_map<NodeId, NodeId> towards = {{anchor, kNoNode}};
    std::vector<NodeId> order = {anchor};
    for (size_t i = 0; i < order.size(); ++i) {
      visit_inputs(order[i], [&](NodeId used) {
        if (towards.emplace(used, order[i]).second) order.push_back(used);
      });
    }
    NodeId start = kNoNode;
    for (const NodeId id : order) {
      const bool is_input = pattern_.node(id).kind == NodeKind::kPlaceholder;
      if (!matched.contains(id) || (is_input && start != kNoNode)) continue;
      start = id;
      if (!is_input) break;
    }
    Path path;
    for (NodeId id = start; id != kNoNode; id = towards.at(id)) path.push_back(id);
    return path;
  }

  // --- candidates ---

  Candidates& candidates(size_t at, const Match& match) {
    NodeId start = kNoNode;
    if (!paths_[at].empty()) {
      const Value& value = match.at(paths_[at].front());
      if (value.is(Value::Tag::kNodeRef)) start = node_of(value);
    }
    const auto known = candidates_.find({at, start});
    if (known != candidates_.end()) return known->second;
    std::vector<NodeId> nodes = start == kNoNode ? all_nodes() : std::vector<NodeId>{start};
    if (start == kNoNode) {
      std::erase_if(nodes, [&](NodeId id) { return !is_same_call(anchors_[at], id); });
    } else {
      for (size_t step = 1; step < paths_[at].size(); ++step)
        nodes = users_that_are(paths_[at][step], nodes);
    }
    return candidates_.emplace(std::pair(at, start), Candidates(std::move(nodes))).first->second;
  }

  std::vector<NodeId> all_nodes() const { return graph_.order(); }

  std::vector<NodeId> users_that_are(NodeId in_pattern, std::span<const NodeId> nodes) const {
    std::vector<NodeId> found;
    for (const NodeId id : nodes) {
      for (const NodeId user : graph_.users(id))
        if (is_same_call(in_pattern, user)) found.push_back(user);
    }
    std::sort(found.begin(), found.end(),
              [&](NodeId a, NodeId b) { return places_[index_of(a)] < places_[index_of(b)]; });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // Whether it may be the anchor, whatever the other anchors are.
  bool may_be(size_t at, NodeId candidate) {
    const auto [known, is_new] = may_be_.emplace(std::pair(at, candidate), false);
    if (is_new) {
      Match alone;
      known->second = match_nodes(anchors_[at], candidate, alone);
    }
    return known->second && !(is_computed(anchors_[at]) && taken_.contains(candidate));
  }

  // --- combinations ---

  // Whether a match was found with what was matched before.
  bool match_anchor(size_t at, const Match& before) {
    if (at == anchors_.size()) return accept(before);
    bool has_found = false;
    Candidates& all = candidates(at, before);
    for (size_t i = all.from(0); i < all.size(); i = all.from(i + 1)) {
      if (!may_be(at, all[i])) {
        all.remove(i);
        continue;
      }
      Match match = before;
      if (!match_nodes(anchors_[at], all[i], match) || !are_free(match)) continue;
      if (!match_anchor(at + 1, match)) continue;
      has_found = true;
      // What was matched before is taken now.
      if (!are_free(before)) return true;
    }
    return has_found;
  }

  bool accept(const Match& match) {
    constexpr size_t kMostRefused = 1 << 20;
    const std::vector<NodeId> nodes = computed_nodes(match);
    if (!is_contained(match) || !validate_partition(graph_, nodes, places_)) {
      if (++refused_ > kMostRefused)
        throw_error(ErrorKind::kLimitExceeded,
                    format("more than {} combinations of the pattern's results do not stand "
                           "together: nothing in it connects them",
                           kMostRefused));
      return false;
    }
    taken_.insert(nodes.begin(), nodes.end());
    found_.push_back(match);
    return true;
  }

  bool are_free(const Match& match) const {
    return std::none_of(match.begin(), match.end(), [&](const auto& entry) {
      return is_computed(entry.first) && taken_.contains(node_of(entry.second));
    });
  }

  bool is_computed(NodeId in_pattern) const {
    return pattern_.node(in_pattern).kind != NodeKind::kPlaceholder;
  }

  // --- one result ---

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
    if (!is_computed(in_pattern)) return true;
    // What the pattern does not return is used by nothing outside.
    const bool leaks = graph_.users(in_graph).size() > pattern_.users(in_pattern).size();
    if (leaks && !is_returned(in_pattern)) return false;
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

  bool is_returned(NodeId in_pattern) const {
    return std::find(returned_.begin(), returned_.end(), in_pattern) != returned_.end();
  }

  // What is not returned is used by nothing outside.
  bool is_contained(const Match& match) const {
    const std::vector<NodeId> nodes = computed_nodes(match);
    const std::unordered_set<NodeId> inside(nodes.begin(), nodes.end());
    for (const auto& [in_pattern, value] : match) {
      if (!is_computed(in_pattern) || is_returned(in_pattern)) continue;
      for (const NodeId user : graph_.users(node_of(value))) {
        if (inside.count(user) == 0) return false;
      }
    }
    return true;
  }

  const Graph& pattern_;
  const Graph& graph_;
  std::vector<NodeId> returned_;
  std::vector<size_t> places_;  // of the graph's nodes
  std::vector<NodeId> anchors_;
  std::vector<Path> paths_;  // to each
  // By anchor, and by the node that its path begins at (kNoNode: of the whole graph).
  std::map<std::pair<size_t, NodeId>, Candidates> candidates_;
  std::map<std::pair<size_t, NodeId>, bool> may_be_;
  std::unordered_set<NodeId> taken_;
  std::vector<Match> found_;
  size_t refused_ = 0;
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
