#include "core/layout/visible_tree.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/hash.h"

namespace faketensor::layout {
namespace {

// Fewer equal neighbours than this are drawn one by one: a pair is read faster than a count.
constexpr uint32_t kShortestRun = 3;

void check(const GraphInput& input) {
  const size_t rows = input.module.size();
  const auto need = [](bool holds, const char* what) {
    if (!holds) throw_error(ErrorKind::kUsage, what);
  };
  need(input.input_start.size() == rows + 1,
       "layout: input_start needs one entry more than there are rows");
  need(input.flags.size() == rows && input.width_class.size() == rows &&
           input.row_key.size() == rows,
       "layout: every array of rows needs the same length");
  need(!input.module_parent.empty(), "layout: there must be a root module");
  need(input.module_width_class.size() == input.module_parent.size(),
       "layout: every array of modules needs the same length");
  for (size_t row = 0; row < rows; ++row) {
    need(input.input_start[row] <= input.input_start[row + 1], "layout: input_start must not fall");
    need(input.module[row] < input.module_parent.size(),
         "layout: a row names a module that is not there");
  }
  need(input.input_start[rows] <= input.inputs.size(),
       "layout: input_start points past the inputs");
  for (size_t module = 1; module < input.module_parent.size(); ++module) {
    need(input.module_parent[module] < module, "layout: a module must come after its parent");
  }
}

// Per module: what stands for it in the drawing.
struct ShownModules {
  // The outermost closed module around it (itself included), or itself if all are open.
  std::vector<uint32_t> shown;
  std::vector<uint32_t> parent;  // the module around it, by way of kDeepestModule
  std::vector<uint8_t> open, depth;
};

ShownModules find_shown_modules(const GraphInput& input) {
  const size_t count = input.module_parent.size();
  std::vector<uint8_t> expanded(count, 0);
  expanded[0] = 1;
  for (const uint32_t module : input.expanded) {
    if (module < count) expanded[module] = 1;
  }
  ShownModules modules;
  modules.shown.assign(count, 0);
  modules.parent.assign(count, 0);
  modules.depth.assign(count, 0);
  modules.open.assign(count, 0);
  modules.open[0] = 1;
  for (uint32_t module = 1; module < count; ++module) {
    const uint32_t around = modules.shown[input.module_parent[module]];
    const bool visible = modules.open[around] && modules.depth[around] < metrics::kDeepestModule;
    modules.shown[module] = visible ? module : around;
    modules.parent[module] = around;
    modules.depth[module] = static_cast<uint8_t>(modules.depth[around] + (visible ? 1 : 0));
    modules.open[module] = visible && expanded[module];
  }
  return modules;
}

// Builds the boxes in one pass over the rows, keeping the chain of boxes around the current row.
class TreeBuilder {
 public:
  explicit TreeBuilder(const GraphInput& input)
      : input_(input), modules_(find_shown_modules(input)) {
    tree_.row_node.assign(input.module.size(), kNoBox);
  }

  VisibleTree build() {
    push(~0, kNoBox, true);
    for (uint32_t row = 0; row < input_.module.size(); ++row) {
      if (input_.flags[row] & kRowFolded) continue;
      const uint32_t shown = modules_.shown[input_.module[row]];
      enter(shown);
      if (modules_.open[shown]) {
        tree_.row_node[row] = push(static_cast<int32_t>(row), chain_.back(), false);
      } else {
        const uint32_t node = chain_.back();
        if (first_row_.back() == kNoBox) first_row_.back() = row;
        tree_.row_node[row] = node;
        hashes_[node] = hash_row(hashes_[node], row, shown, first_row_.back());
        ++closed_rows_[node];
      }
      if (reads_parameter(row)) tree_.nodes[tree_.row_node[row]].learned = true;
    }
    leave(0);
    number_children();
    merge_runs();
    mark_learned();
    return std::move(tree_);
  }

 private:
  uint32_t push(int32_t id, uint32_t parent, bool open) {
    const uint32_t index = static_cast<uint32_t>(tree_.nodes.size());
    VisibleTree::Node node;
    node.id = id;
    node.parent = parent;
    node.end = index + 1;
    node.open = open;
    node.width_class = id < 0 ? input_.module_width_class[static_cast<size_t>(~id)]
                              : input_.width_class[static_cast<size_t>(id)];
    node.depth =
        parent == kNoBox ? uint8_t{0} : static_cast<uint8_t>(tree_.nodes[parent].depth + 1);
    tree_.nodes.push_back(node);
    hashes_.push_back(0);
    closed_rows_.push_back(0);
    if (id < 0) {
      chain_.push_back(index);
      first_row_.push_back(kNoBox);
    }
    return index;
  }

  uint32_t module_of(uint32_t node) const { return static_cast<uint32_t>(~tree_.nodes[node].id); }

  // Makes `module` the innermost module of the chain: leaves what is not around it, opens what is
  // missing.
  void enter(uint32_t module) {
    missing_.clear();
    uint32_t around = module;
    while (modules_.depth[around] >= chain_.size()) {
      missing_.push_back(around);
      around = modules_.parent[around];
    }
    size_t keep = modules_.depth[around] + size_t{1};
    while (module_of(chain_[keep - 1]) != around) {
      missing_.push_back(around);
      around = modules_.parent[around];
      --keep;
    }
    leave(keep);
    for (size_t i = missing_.size(); i-- > 0;) {
      push(~static_cast<int32_t>(missing_[i]), chain_.back(), modules_.open[missing_[i]] != 0);
    }
  }

  void leave(size_t keep) {
    const uint32_t end = static_cast<uint32_t>(tree_.nodes.size());
    for (size_t level = keep; level < chain_.size(); ++level) tree_.nodes[chain_[level]].end = end;
    chain_.resize(keep);
    first_row_.resize(keep);
  }

  bool reads_parameter(uint32_t row) const {
    for (uint32_t i = input_.input_start[row]; i < input_.input_start[row + 1]; ++i) {
      const uint32_t source = input_.inputs[i];
      if (source < row && (input_.flags[source] & kRowParameter)) return true;
    }
    return false;
  }

  // Rows are compared by what they do and by where their inputs stand relative to the module's
  // first row.
  uint64_t hash_row(uint64_t hash, uint32_t row, uint32_t shown, uint32_t first) const {
    constexpr uint64_t kFromOutside = ~uint64_t{0}, kFolded = ~uint64_t{1};
    hash = hash_word(hash, input_.row_key[row]);
    hash = hash_word(hash, input_.width_class[row]);
    hash = hash_word(hash, input_.module[row] - shown);
    for (uint32_t i = input_.input_start[row]; i < input_.input_start[row + 1]; ++i) {
      const uint32_t source = input_.inputs[i];
      const bool folded = source < row && (input_.flags[source] & kRowFolded);
      hash = hash_word(hash, folded                            ? kFolded
                             : source >= row || source < first ? kFromOutside
                                                               : row - source);
    }
    return hash_word(hash, row - first);
  }

  void number_children() {
    for (uint32_t index = 1; index < tree_.nodes.size(); ++index) {
      tree_.nodes[index].local = tree_.nodes[tree_.nodes[index].parent].children++;
    }
  }

  void mark_learned() {
    for (size_t index = tree_.nodes.size(); index-- > 1;) {
      if (tree_.nodes[index].learned) tree_.nodes[tree_.nodes[index].parent].learned = true;
    }
  }

  bool alike(uint32_t a, uint32_t b) const {
    const VisibleTree::Node& first = tree_.nodes[a];
    const VisibleTree::Node& second = tree_.nodes[b];
    return first.id < 0 && second.id < 0 && !first.open && !second.open &&
           first.parent == second.parent && closed_rows_[a] > 1 &&
           closed_rows_[a] == closed_rows_[b] && hashes_[a] == hashes_[b];
  }

  // Replaces runs of equal closed neighbours by their first. A closed module has no nodes inside,
  // so neighbours are adjacent.
  void merge_runs() {
    const uint32_t count = static_cast<uint32_t>(tree_.nodes.size());
    std::vector<uint32_t> moved(count);
    std::vector<VisibleTree::Node> kept;
    kept.reserve(count);
    for (uint32_t index = 0; index < count;) {
      uint32_t end = index + 1;
      while (end < count && alike(index, end)) ++end;
      if (end - index < kShortestRun) end = index + 1;
      for (uint32_t i = index; i < end; ++i) moved[i] = static_cast<uint32_t>(kept.size());
      kept.push_back(tree_.nodes[index]);
      if (end - index > 1) {
        kept.back().repeat = end - index;
        kept.back().end = end;
        for (uint32_t i = index; i < end; ++i) {
          kept.back().width_class = std::max(kept.back().width_class, tree_.nodes[i].width_class);
        }
      }
      index = end;
    }
    if (kept.size() == count) return;
    for (VisibleTree::Node& node : kept) {
      if (node.parent != kNoBox) node.parent = moved[node.parent];
      node.end = node.end == count ? static_cast<uint32_t>(kept.size()) : moved[node.end];
      node.children = 0;
    }
    tree_.nodes = std::move(kept);
    number_children();
    for (uint32_t& node : tree_.row_node) {
      if (node != kNoBox) node = moved[node];
    }
  }

  const GraphInput& input_;
  const ShownModules modules_;
  VisibleTree tree_;
  std::vector<uint64_t> hashes_;       // per node: of the rows in a closed module
  std::vector<uint32_t> closed_rows_;  // per node: how many rows a closed module hides
  // The module boxes around the current row, outermost first; chain_[d] has depth d.
  std::vector<uint32_t> chain_;
  std::vector<uint32_t> first_row_;  // per entry of chain_
  std::vector<uint32_t> missing_;
};

}  // namespace

VisibleTree build_visible_tree(const GraphInput& input) {
  check(input);
  return TreeBuilder(input).build();
}

}  // namespace faketensor::layout
