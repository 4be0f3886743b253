#include "core/layout/graph_layout.h"

#include <algorithm>
#include <unordered_map>

#include "core/layout/links.h"
#include "core/layout/scope.h"
#include "core/layout/visible_tree.h"
#include "core/support/hash.h"

namespace faketensor::layout {
namespace {

// A model's main path is the one through what has parameters, not the one with the most views.
constexpr int32_t kLearnedModuleWeight = 32;
constexpr int32_t kLearnedRowWeight = 8;

int32_t class_width(uint8_t width_class) {
  return metrics::kNarrowest +
         metrics::kWidthStep * std::min<int32_t>(width_class, metrics::kWidthClasses - 1);
}

// The drawings made so far, found again by their problem.
class DrawingStore {
 public:
  int32_t draw(ScopeProblem problem) {
    std::vector<int32_t>& same_hash = by_hash_[problem.hash()];
    for (const int32_t known : same_hash) {
      if (problems_[static_cast<size_t>(known)] == problem) return known;
    }
    same_hash.push_back(static_cast<int32_t>(drawings_.size()));
    drawings_.push_back(draw_scope(problem, drawings_));
    problems_.push_back(std::move(problem));
    return same_hash.back();
  }
  const ScopeDrawing& operator[](int32_t index) const {
    return drawings_[static_cast<size_t>(index)];
  }
  size_t size() const { return drawings_.size(); }

 private:
  std::vector<ScopeDrawing> drawings_;
  std::vector<ScopeProblem> problems_;
  std::unordered_map<uint64_t, std::vector<int32_t>> by_hash_;
};

class Assembler {
 public:
  explicit Assembler(const GraphInput& input)
      : tree_(build_visible_tree(input)), links_(link_boxes(input, tree_)) {}

  GraphLayout assemble() {
    list_children();
    drawing_.assign(tree_.nodes.size(), -1);
    for (uint32_t node = static_cast<uint32_t>(tree_.nodes.size()); node-- > 0;) {
      if (tree_.nodes[node].open) drawing_[node] = store_.draw(problem_of(node));
    }
    place_boxes();
    place_edges();
    result_.width = result_.boxes[0].width;
    result_.height = result_.boxes[0].height;
    result_.distinct_modules = static_cast<uint32_t>(store_.size());
    return std::move(result_);
  }

 private:
  void list_children() {
    const size_t count = tree_.nodes.size();
    child_start_.assign(count + 1, 0);
    for (size_t node = 0; node < count; ++node)
      child_start_[node + 1] = child_start_[node] + tree_.nodes[node].children;
    children_.resize(child_start_[count]);
    for (uint32_t node = 1; node < count; ++node) {
      children_[child_start_[tree_.nodes[node].parent] + tree_.nodes[node].local] = node;
    }
  }

  uint32_t child(uint32_t scope, int32_t local) const {
    return local == kBorder ? scope : children_[child_start_[scope] + static_cast<uint32_t>(local)];
  }

  int32_t weight_of(uint32_t node) const {
    if (!tree_.nodes[node].learned) return 1;
    return tree_.nodes[node].id >= 0 ? kLearnedRowWeight : kLearnedModuleWeight;
  }

  ScopeProblem::Item item_of(uint32_t node) const {
    const int32_t id = tree_.nodes[node].id;
    if (drawing_[node] >= 0) {
      const ScopeDrawing& drawing = store_[drawing_[node]];
      return {drawing.width, drawing.height, drawing_[node], weight_of(node)};
    }
    if (id >= 0)
      return {class_width(tree_.nodes[node].width_class), metrics::kRowHeight, -1, weight_of(node)};
    return {class_width(tree_.nodes[node].width_class), metrics::kClosedModuleHeight, -1,
            weight_of(node)};
  }

  ScopeProblem problem_of(uint32_t scope) const {
    ScopeProblem problem;
    problem.top_ports = links_.top_ports[scope];
    problem.bottom_ports = links_.bottom_ports[scope];
    if (scope != 0) {
      problem.title_width = class_width(tree_.nodes[scope].width_class);
      problem.title_height = metrics::kTitleHeight;
    }
    problem.items.reserve(tree_.nodes[scope].children);
    for (uint32_t i = child_start_[scope]; i < child_start_[scope + 1]; ++i)
      problem.items.push_back(item_of(children_[i]));
    const uint32_t first = links_.scope_start[scope], last = links_.scope_start[scope + 1];
    problem.targets.reserve(last - first);
    for (uint32_t i = first; i < last; ++i) {
      const Link& link = links_.links[i];
      if (i == first || link.source != links_.links[i - 1].source) {
        problem.nets.push_back({link.from, link.from_port, 0});
      }
      problem.targets.push_back({link.to, link.to_port});
      problem.nets.back().target_end = static_cast<int32_t>(problem.targets.size());
    }
    return problem;
  }

  void place_boxes() {
    result_.boxes.reserve(tree_.nodes.size());
    for (uint32_t node = 0; node < tree_.nodes.size(); ++node) {
      const VisibleTree::Node& from = tree_.nodes[node];
      const ScopeProblem::Item item = item_of(node);
      Box box;
      box.id = from.id;
      box.depth = from.depth;
      box.open = from.open;
      box.repeat = from.repeat;
      box.width = item.width;
      box.height = item.height;
      if (from.parent != kNoBox) {
        const Box& around = result_.boxes[from.parent];
        const Point corner = store_[drawing_[from.parent]].corners[from.local];
        box.parent = static_cast<int32_t>(from.parent);
        box.x = around.x + corner.x;
        box.y = around.y + corner.y;
      }
      result_.boxes.push_back(box);
    }
  }

  void place_edges() {
    result_.edges.reserve(links_.links.size());
    for (uint32_t scope = 0; scope < tree_.nodes.size(); ++scope) {
      if (!tree_.nodes[scope].open) continue;
      const ScopeDrawing& drawing = store_[drawing_[scope]];
      const Box& box = result_.boxes[scope];
      const uint32_t first = links_.scope_start[scope];
      size_t point = 0;
      for (uint32_t i = first; i < links_.scope_start[scope + 1]; ++i) {
        const Link& link = links_.links[i];
        for (; point < drawing.point_end[i - first]; ++point) {
          result_.points.push_back(
              {box.x + drawing.points[point].x, box.y + drawing.points[point].y});
        }
        result_.edges.push_back({child(scope, link.from), child(scope, link.to), link.value,
                                 static_cast<uint32_t>(result_.points.size())});
      }
    }
  }

  const VisibleTree tree_;
  const Links links_;
  std::vector<uint32_t> child_start_, children_;  // per node of the tree
  std::vector<int32_t> drawing_;                  // per node of the tree; -1 where it is not open
  DrawingStore store_;
  GraphLayout result_;
};

}  // namespace

uint64_t ScopeProblem::hash() const {
  auto mix = [hash = uint64_t{0}](auto... words) mutable {
    ((hash = hash_word(hash, static_cast<uint64_t>(words))), ...);
    return hash;
  };
  for (const Item& item : items) mix(item.width, item.height, item.drawing, item.weight);
  for (const Net& net : nets) mix(net.item, net.port, net.target_end);
  for (const Target& target : targets) mix(target.item, target.port);
  return hash_finish(
      mix(items.size(), nets.size(), top_ports, bottom_ports, title_width, title_height));
}

GraphLayout lay_out_graph(const GraphInput& input) { return Assembler(input).assemble(); }

}  // namespace faketensor::layout
