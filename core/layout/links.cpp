#include "core/layout/links.h"

#include <algorithm>

namespace faketensor::layout {
namespace {

class Linker {
 public:
  Linker(const GraphInput& input, const VisibleTree& tree)
      : input_(input),
        tree_(tree),
        last_reader_(tree.nodes.size(), kNoBox),
        entered_(tree.nodes.size(), kNoBox),
        exited_(tree.nodes.size(), kNoBox) {
    result_.top_ports.assign(tree.nodes.size(), 0);
    result_.bottom_ports.assign(tree.nodes.size(), 0);
  }

  Links link() {
    // Readers come in pre-order, which is what `entered_` relies on.
    for (uint32_t row = 0; row < input_.module.size(); ++row) {
      const uint32_t reader = tree_.row_node[row];
      if (reader == kNoBox) continue;
      for (uint32_t i = input_.input_start[row]; i < input_.input_start[row + 1]; ++i) {
        const uint32_t value = input_.inputs[i];
        if (value >= row) continue;
        const uint32_t source = tree_.row_node[value];
        if (source == kNoBox || source == reader || last_reader_[source] == reader) continue;
        last_reader_[source] = reader;
        trace(source, reader, value);
      }
    }
    group();
    return std::move(result_);
  }

 private:
  // A border that a value has crossed; crossings of one source are a linked list.
  struct Crossing {
    uint32_t node;
    int32_t port;
    uint32_t previous;
  };

  uint32_t parent(uint32_t node) const { return tree_.nodes[node].parent; }
  int32_t local(uint32_t node) const { return static_cast<int32_t>(tree_.nodes[node].local); }

  uint32_t push(uint32_t node, int32_t port, uint32_t previous) {
    crossings_.push_back({node, port, previous});
    return static_cast<uint32_t>(crossings_.size() - 1);
  }

  void trace(uint32_t source, uint32_t reader, uint32_t value) {
    uint32_t& entered = entered_[source];
    while (entered != kNoBox && !tree_.contains(crossings_[entered].node, reader)) {
      entered = crossings_[entered].previous;
    }
    uint32_t above_source = source;
    uint32_t above_reader = reader;
    while (parent(above_source) != parent(above_reader)) {
      const int source_depth = tree_.nodes[above_source].depth;
      const int reader_depth = tree_.nodes[above_reader].depth;
      if (source_depth >= reader_depth) above_source = parent(above_source);
      if (reader_depth >= source_depth) above_reader = parent(above_reader);
    }
    const uint32_t common = parent(above_source);
    const uint32_t stop = entered == kNoBox ? common : crossings_[entered].node;

    uint32_t inner = reader;
    int32_t inner_port = 0;
    fresh_.clear();
    while (parent(inner) != stop) {
      const uint32_t scope = parent(inner);
      const int32_t port = result_.top_ports[scope]++;
      legs_.push_back({scope, source, value, kBorder, local(inner), port, inner_port});
      fresh_.push_back({scope, port, kNoBox});
      inner = scope;
      inner_port = port;
    }
    if (stop == common) {
      const int32_t port = leave(source, above_source, value);
      legs_.push_back({common, source, value, local(above_source), local(inner), port, inner_port});
    } else {
      legs_.push_back(
          {stop, source, value, kBorder, local(inner), crossings_[entered].port, inner_port});
    }
    for (size_t i = fresh_.size(); i-- > 0;)
      entered = push(fresh_[i].node, fresh_[i].port, entered);
  }

  // The port by which values of `source` leave its ancestor `outermost`, with the legs that lead
  // there.
  int32_t leave(uint32_t source, uint32_t outermost, uint32_t value) {
    if (outermost == source) return 0;
    uint32_t& exited = exited_[source];
    uint32_t node = exited == kNoBox ? source : crossings_[exited].node;
    int32_t port = exited == kNoBox ? 0 : crossings_[exited].port;
    while (tree_.nodes[node].depth > tree_.nodes[outermost].depth) {
      const uint32_t scope = parent(node);
      const int32_t next = result_.bottom_ports[scope]++;
      legs_.push_back({scope, source, value, local(node), kBorder, port, next});
      exited = push(scope, next, exited);
      node = scope;
      port = next;
    }
    uint32_t crossing = exited;
    while (crossings_[crossing].node != outermost) crossing = crossings_[crossing].previous;
    return crossings_[crossing].port;
  }

  // Sorts the legs by scope and net: two counting sorts, so that time stays linear.
  void group() {
    const size_t nodes = tree_.nodes.size();
    std::vector<uint32_t>& start = result_.scope_start;
    start.assign(nodes + 1, 0);
    for (const Link& leg : legs_) ++start[leg.scope + 1];
    for (size_t i = 0; i < nodes; ++i) start[i + 1] += start[i];
    std::vector<uint32_t> next(start.begin(), start.end() - 1);
    std::vector<Link> by_scope(legs_.size());
    for (const Link& leg : legs_) by_scope[next[leg.scope]++] = leg;

    result_.links.resize(legs_.size());
    std::vector<uint32_t> net_of(nodes, 0), stamp(nodes, kNoBox), net_start;
    for (uint32_t scope = 0; scope < nodes; ++scope) {
      net_start.assign(1, start[scope]);
      for (uint32_t i = start[scope]; i < start[scope + 1]; ++i) {
        const uint32_t source = by_scope[i].source;
        if (stamp[source] != scope) {
          stamp[source] = scope;
          net_of[source] = static_cast<uint32_t>(net_start.size() - 1);
          net_start.push_back(0);
        }
        ++net_start[net_of[source] + 1];
      }
      for (size_t i = 1; i < net_start.size(); ++i) net_start[i] += net_start[i - 1];
      for (uint32_t i = start[scope]; i < start[scope + 1]; ++i) {
        result_.links[net_start[net_of[by_scope[i].source]]++] = by_scope[i];
      }
    }
  }

  const GraphInput& input_;
  const VisibleTree& tree_;
  Links result_;
  std::vector<Link> legs_;
  std::vector<Crossing> crossings_, fresh_;
  std::vector<uint32_t> last_reader_;  // per source: the reader traced last
  // Per source: upper borders crossed around its last reader, innermost first.
  std::vector<uint32_t> entered_;
  std::vector<uint32_t> exited_;  // per source: lower borders crossed so far, outermost first
};

}  // namespace

Links link_boxes(const GraphInput& input, const VisibleTree& tree) {
  return Linker(input, tree).link();
}

}  // namespace faketensor::layout
