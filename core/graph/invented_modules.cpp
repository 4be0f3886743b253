#include "core/graph/invented_modules.h"

#include <algorithm>
#include <map>

#include "core/ops/registry.h"
#include "core/support/format.h"
#include "core/support/hash.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

constexpr Row kSection = 50;         // rows of a section, about
constexpr Row kLongestSection = 75;  // longer runs of rows are parted
constexpr Row kShortestSection = 16;
constexpr Row kMostParts = 16;  // of one module; what is longer has sections of sections
// A repeated run of rows.
constexpr Row kShortestPeriod = 6, kLongestPeriod = 512;
constexpr Row kFewestRepeats = 3;
// Repeats inside what remains beside repeats; each level reads all of it once per period.
constexpr int kDeepestSearch = 4;

// A module to be: the rows [begin, end), inside another.
struct Part {
  Row begin, end;
  int32_t parent;  // index of a part; -1 for the root
  std::string name;
};

// Operators that arrange what others compute, or are everywhere, say nothing about a section.
bool says_little(std::string_view op) {
  constexpr std::string_view kCommon[] = {"view",
                                          "_unsafe_view",
                                          "reshape",
                                          "permute",
                                          "transpose",
                                          "t",
                                          "expand",
                                          "unsqueeze",
                                          "squeeze",
                                          "clone",
                                          "detach",
                                          "alias",
                                          "slice",
                                          "select",
                                          "cat",
                                          "_to_copy",
                                          "copy",
                                          "add",
                                          "sub",
                                          "mul",
                                          "div",
                                          "pow",
                                          "neg",
                                          "sum",
                                          "full",
                                          "fill",
                                          "where",
                                          "bitwise_and",
                                          "_assert_tensor_metadata",
                                          "_assert_scalar"};
  return std::find(std::begin(kCommon), std::end(kCommon), op) != std::end(kCommon);
}

class Inventor {
 public:
  explicit Inventor(Program& program) : program_(program), plan_(program.plan()) {}

  void run() {
    begin_ = static_cast<Row>(plan_.input_count());
    end_ = static_cast<Row>(plan_.size());
    if (end_ > begin_ && plan_.row(end_ - 1).kind == RowKind::kOutput) --end_;
    if (end_ - begin_ <= kLongestSection) return;
    read_rows();
    const Row backward = end_of_forward();
    if (backward == end_) {
      part(begin_, end_, -1, 0);
    } else {
      part_pass("forward", begin_, backward);
      part_pass("backward", backward, end_);
    }
    write_modules();
  }

 private:
  // What makes rows alike, and which row reads each last.
  void read_rows() {
    keys_.assign(plan_.size(), 0);
    readers_.assign(plan_.size(), {});
    for (Row row = 0; row < plan_.size(); ++row) {
      const Node& node = plan_.node(row);
      keys_[row] = hash_word(hash_word(static_cast<uint64_t>(plan_.row(row).kind), node.target),
                             reinterpret_cast<uintptr_t>(node.recorded));
      for (const Value& arg : plan_.row(row).args)
        for_each_node(arg, [&](NodeId id) { readers_[index_of(id)].push_back(row); });
    }
  }

  // The first row of the backward; end_ where the program has none.
  Row end_of_forward() const {
    const std::span<const Value> results = plan_.row(static_cast<Row>(plan_.size() - 1)).args;
    if (results.empty()) return end_;
    std::vector<Row> rows;
    for_each_node(results[0], [&](NodeId id) { rows.push_back(static_cast<Row>(index_of(id))); });
    if (rows.size() != program_.outputs.size()) return end_;
    Row last = 0;
    bool has_gradients = false;
    for (size_t i = 0; i < rows.size(); ++i) {
      const OutputSpec::Kind kind = program_.outputs[i].kind;
      if (kind == OutputSpec::Kind::kGradientToParameter ||
          kind == OutputSpec::Kind::kGradientToUserInput) {
        has_gradients = true;
      } else if (kind == OutputSpec::Kind::kUser || kind == OutputSpec::Kind::kLoss) {
        last = std::max(last, rows[i]);
      }
    }
    const bool is_joint = has_gradients && last > begin_ && last + 1 < end_;
    return is_joint ? last + 1 : end_;
  }

  void part_pass(const char* name, Row begin, Row end) {
    const int32_t pass = add({begin, end, -1, name});
    part(begin, end, pass, 0);
  }

  int32_t add(Part made) {
    parts_.push_back(std::move(made));
    return static_cast<int32_t>(parts_.size() - 1);
  }

  // Parts the rows [begin, end) of a module: what repeats, and what is left before and after it.
  void part(Row begin, Row end, int32_t parent, int depth) {
    if (end - begin <= kLongestSection && depth == 0) return;
    const Repeat found = depth < kDeepestSearch ? longest_repeat(begin, end) : Repeat{};
    if (found.times == 0) {
      part_evenly(begin, end, parent);
      return;
    }
    part(begin, found.begin, parent, depth + 1);
    const std::string list = list_name("block", parent);
    const size_t first = parts_.size();
    for (Row i = 0; i < found.times; ++i) {
      const Row at = found.begin + i * found.period;
      const int32_t block = add({at, at + found.period, parent, format("{}.{}", list, i)});
      if (i == 0) {
        part(at, at + found.period, block, 0);
      } else {
        repeat_parts(first, block, i * found.period);
      }
    }
    part(found.begin + found.times * found.period, end, parent, depth + 1);
  }

  // The parts of the first block, in another block.
  void repeat_parts(size_t first, int32_t block, Row distance) {
    const int32_t offset = block - static_cast<int32_t>(first);
    for (size_t i = first + 1; i < parts_.size() && parts_[i].begin < parts_[first].end; ++i) {
      if (parts_[i].end > parts_[first].end) break;
      Part copy = parts_[i];
      copy.begin += distance;
      copy.end += distance;
      copy.parent += offset;
      add(std::move(copy));
    }
  }

  struct Repeat {
    Row begin = 0, period = 0, times = 0;
    Row rows() const { return period * times; }
  };

  // The repeat that covers most rows; of equal ones the shortest period.
  Repeat longest_repeat(Row begin, Row end) const {
    Repeat best;
    Row slack = 0;
    const Row longest = std::min((end - begin) / kFewestRepeats, kLongestPeriod);
    for (Row period = kShortestPeriod; period <= longest; ++period) {
      Row alike = 0;
      for (Row row = begin; row + period <= end; ++row) {
        if (row + period < end && keys_[row] == keys_[row + period]) {
          ++alike;
          continue;
        }
        const Repeat found{row - alike, period, alike / period + 1};
        if (found.times >= kFewestRepeats && found.rows() > best.rows()) {
          best = found;
          slack = alike + period - found.rows();
        }
        alike = 0;
      }
    }
    if (best.rows() < kShortestSection) return {};
    if (slack > 0) best.begin = best_cut(best.begin, best.begin + slack + 1, begin, end);
    return best;
  }

  // Of the places [first, last) to part the rows [begin, end) the one that fewest values cross.
  Row best_cut(Row first, Row last, Row begin, Row end) const {
    std::vector<int32_t> change(last - first + 1, 0);
    int32_t crossing = 0;
    for (Row row = begin; row < last; ++row) {
      Row reader = row;
      for (const Row reads : readers_[row]) {
        if (reads < end) reader = std::max(reader, reads);
      }
      // The value crosses every place in (row, reader].
      const Row from = std::max(row + 1, first), to = std::min(reader + 1, last);
      if (from >= to) continue;
      ++change[from - first];
      --change[to - first];
    }
    Row best = first;
    int32_t fewest = -1;
    for (Row place = first; place < last; ++place) {
      crossing += change[place - first];
      if (fewest < 0 || crossing < fewest) best = place;
      fewest = fewest < 0 ? crossing : std::min(fewest, crossing);
    }
    return best;
  }

  void part_evenly(Row begin, Row end, int32_t parent) {
    const Row rows = end - begin;
    if (rows < kShortestSection) return;
    const Row count = rows <= kLongestSection ? 1 : std::clamp(rows / kSection, Row{2}, kMostParts);
    const std::string list = list_name("section", parent);
    Row from = begin;
    for (Row i = 1; i <= count; ++i) {
      const Row middle = begin + static_cast<Row>(uint64_t{rows} * i / count),
                room = rows / count / 4;
      const Row to = i == count ? end : best_cut(middle - room, middle + room + 1, begin, end);
      const int32_t section = add({from, to, parent, format("{}.{}", list, i - 1)});
      if (to - from > 2 * kLongestSection) part_evenly(from, to, section);
      from = to;
    }
  }

  // "block", or "block_2" for the second group of blocks of one module.
  std::string list_name(std::string_view word, int32_t parent) {
    const int count = ++lists_[{parent, std::string(word)}];
    return count == 1 ? std::string(word) : format("{}_{}", word, count);
  }

  void write_modules() {
    std::vector<ModuleId> ids;
    std::vector<ModuleId> of(plan_.size(), 0);
    for (const Part& made : parts_) {
      Module module;
      module.parent = made.parent < 0 ? 0 : ids[static_cast<size_t>(made.parent)];
      const std::string_view around = program_.text(program_.modules[module.parent].path);
      module.path = program_.strings().intern(around.empty() ? made.name
                                                             : format("{}.{}", around, made.name));
      module.type = program_.strings().intern(type_of(made));
      module.depth = program_.modules[module.parent].depth + 1;
      ids.push_back(static_cast<ModuleId>(program_.modules.size()));
      program_.modules.push_back(module);
      std::fill(of.begin() + made.begin, of.begin() + made.end, ids.back());
    }
    for (Row row = begin_; row < end_; ++row) {
      program_.graph().meta(plan_.row(row).id).module = of[row];
      if (plan_.row(row).kind == RowKind::kCall) count(of[row], row);
    }
  }

  void count(ModuleId module, Row row) {
    for (; module != 0; module = program_.modules[module].parent) {
      Module& entry = program_.modules[module];
      if (entry.first == kNoRow) entry.first = row;
      entry.last = row;
      ++entry.nodes;
    }
  }

  // "invented (mm, gelu)": what it calls most, but for what is everywhere.
  std::string type_of(const Part& made) const {
    std::map<std::string_view, int> calls;
    for (Row row = made.begin; row < made.end; ++row) {
      if (plan_.row(row).kind != RowKind::kCall) continue;
      std::string_view op = operator_name(plan_.target_of(row));
      op.remove_prefix(op.find('.') + 1);  // of the namespace
      op = op.substr(0, op.find('.'));
      if (!says_little(op)) ++calls[op];
    }
    std::vector<std::pair<int, std::string_view>> most;
    for (const auto& [op, times] : calls) most.emplace_back(-times, op);
    std::sort(most.begin(), most.end());
    if (most.empty()) return "invented";
    return most.size() == 1 ? format("invented ({})", most[0].second)
                            : format("invented ({}, {})", most[0].second, most[1].second);
  }

  Program& program_;
  const Plan& plan_;
  Row begin_ = 0, end_ = 0;
  std::vector<uint64_t> keys_;
  std::vector<std::vector<Row>> readers_;
  std::vector<Part> parts_;
  std::map<std::pair<int32_t, std::string>, int> lists_;
};

}  // namespace

void invent_modules(Program& program) {
  if (program.modules.size() == 1) Inventor(program).run();
}

}  // namespace faketensor
