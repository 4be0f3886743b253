#include "core/graph/recorded_check.h"

#include <algorithm>
#include <map>

#include "core/graph/bodies.h"
#include "core/graph/explain.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

// Until this release, every storage offset was written as 0.
constexpr TorchVersion kFirstWithOffsets{2, 9};

std::string describe(const TensorMeta& meta) {
  return format("{}{} strides {} offset {} on {}", info(meta.dtype()).short_name, meta.sizes(),
                meta.strides(), meta.offset(), meta.device());
}

// Whether sizes are those that the file records: by what is known in the end, and with the fresh
// unbacked symbols of this run in the place of the file's, in the order in which they are met.
class RecordedSizes {
 public:
  bool are_equal(SymInt ours, SymInt theirs) {
    if (same_expr(ours, theirs)) return true;
    if (!ours.is_symbolic() && !theirs.is_symbolic()) return false;
    const SymInt now = current(ours);
    const SymInt recorded = current(theirs);
    if (same_expr(now, recorded)) return true;
    if (is_unbacked(now) && is_unbacked(recorded)) ours_.emplace(recorded.node(), now.node());
    const SymInt expected = recorded.is_symbolic()
                                ? recorded.node()->pool->sym_int(substitute(recorded.node(), ours_))
                                : recorded;
    // Min(768, 768*s0) is 768 once s0 >= 2 is known.
    return same_expr(now, expected) || statically_known_true(now == expected);
  }
  bool are_equal(Dims ours, Dims theirs) {
    return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                      [&](SymInt a, SymInt b) { return are_equal(a, b); });
  }

 private:
  static bool is_unbacked(SymInt size) {
    return size.is_symbolic() && size.node()->kind == ExprKind::kSymbol &&
           size.node()->has(kHasUnbacked);
  }
  SymbolMap ours_;  // by the file's
};

bool is_symbolic_int(const Value& value) {
  return value.is(Value::Tag::kInt) && value.as_sym_int().is_symbolic();
}

class Checker {
 public:
  explicit Checker(const Run& run)
      : run_(run), program_(run.program()), recorded_by_(exporting_version(program_)) {
    const std::optional<TorchVersion> answers =
        parse_torch_version(run.mode().context().target().torch);
    if (recorded_by_ && answers) changes_ = changes_between(*recorded_by_, *answers);
    answered_as_ = answers.value_or(TorchVersion{});
    has_offsets_ = !recorded_by_ || *recorded_by_ >= kFirstWithOffsets;
    why_.resize(run_.plan().size());
  }

  RecordedCheck check() {
    const BranchScope env = run_.shape_env();
    for (Row id = 0; id < run_.plan().size(); ++id) check_node(id);
    explain_problems();
    describe_skipped();
    return std::move(result_);
  }

 private:
  void check_node(Row id) {
    const Node& node = run_.node(id);
    const NodeRecord& record = run_.record(id);
    const bool has_scalar = is_symbolic_int(node.val);
    if (node.recorded == nullptr && !has_scalar) return;
    // PyTorch does not check them either: a loop's body has sizes of any turn.
    if (program_.bodies != nullptr && program_.bodies->is_body(id)) return;
    if (record.status != NodeStatus::kOk) {
      ++missed_;
    } else if (run_.was_assumed(id)) {
      ++assumed_;
    } else if (has_scalar) {
      check_scalar(id, node.val.as_sym_int(), record.value);
    } else if (record.value.is_tensor()) {
      check_tensor(id, *record.tensors[0].meta, *node.recorded);
    }
  }

  void check_scalar(Row id, SymInt theirs, const Value& value) {
    if (!value.is(Value::Tag::kInt)) return;
    const SymInt ours = value.as_sym_int();
    if (!sizes_.are_equal(ours, theirs))
      differs(id, kInUnbackedSizes,
              format("the file records {}, propagation gives {}", theirs, ours));
  }

  void check_tensor(Row id, const TensorMeta& ours, const TensorMeta& theirs) {
    unsigned aspects = 0;
    if (ours.dtype() != theirs.dtype()) aspects |= kInDType;
    if (ours.device() != theirs.device().normalized()) aspects |= kInDevice;
    if (!sizes_.are_equal(ours.sizes(), theirs.sizes()))
      aspects |=
          of_unbacked(ours.sizes()) || of_unbacked(theirs.sizes()) ? kInUnbackedSizes : kInSizes;
    if (!sizes_.are_equal(ours.strides(), theirs.strides()))
      aspects |= differ_in_ones(ours, theirs) ? kInStridesOfOnes : kInStrides;
    if (!sizes_.are_equal(ours.offset(), theirs.offset())) {
      if (has_offsets_) {
        aspects |= kInOffset;
      } else {
        ++offsets_;
      }
    }
    if (aspects != 0) {
      differs(
          id, aspects,
          format("the file records {}, propagation gives {}", describe(theirs), describe(ours)));
    }
  }

  static bool of_unbacked(Dims sizes) {
    return std::any_of(sizes.begin(), sizes.end(), [](SymInt size) { return has_unbacked(size); });
  }

  bool differ_in_ones(const TensorMeta& ours, const TensorMeta& theirs) {
    if (ours.rank() != theirs.rank()) return false;
    for (size_t i = 0; i < ours.sizes().size(); ++i) {
      if (!sizes_.are_equal(ours.strides()[i], theirs.strides()[i]) &&
          !same_expr(ours.sizes()[i], 1))
        return false;
    }
    return true;
  }

  void differs(Row id, unsigned aspects, std::string_view difference) {
    why_[id] = reason(id, aspects);
    const bool is_explained = !why_[id].empty();
    std::string message(difference);
    if (is_explained) message = format("{}; {}", why_[id], difference);
    (is_explained ? result_.explained : result_.differences).push_back(mismatch(id, message));
  }

  Problem mismatch(Row id, const std::string& message) const {
    const Node& node = run_.node(id);
    Problem problem;
    problem.kind = Problem::Kind::kMismatch;
    problem.node = id;
    if (node.kind != NodeKind::kPlaceholder) problem.op = program_.text(node.target);
    problem.message = message;
    problem.module_path = program_.module_path(node);
    problem.source = program_.source_line(node);
    return problem;
  }

  // The call that a node's value comes from.
  Row call_of(Row id) const {
    while (run_.plan().row(id).kind == RowKind::kGetItem) id = run_.plan().row(id).args[0].node();
    return id;
  }

  // Why a value may differ in these aspects; empty where it may not.
  std::string reason(Row id, unsigned aspects) const {
    const Row call = call_of(id);
    if (const VersionChange* change = change_of(run_.plan().target_of(call), aspects))
      return explanation(*change);
    // A value computed from one that differs for a reason differs for the same reason.
    Row from = kNoRow;
    for (const Value& argument : run_.plan().row(call).args) find_explained(argument, from);
    return from == kNoRow ? std::string() : format("follows from '{}'", run_.plan().name_of(from));
  }

  const VersionChange* change_of(std::string_view target, unsigned aspects) const {
    for (const VersionChange* change : changes_) {
      if (change->covers(aspects) && change->is_about(target)) return change;
    }
    return nullptr;
  }

  std::string explanation(const VersionChange& change) const {
    if (!change.since) return format("recorded otherwise: {}", change.what);
    return format("changed between {} and {}: {}", std::min(*recorded_by_, answered_as_),
                  std::max(*recorded_by_, answered_as_), change.what);
  }

  // Readers nest lists at most a few deep.
  void find_explained(const Value& argument, Row& found) const {
    if (found != kNoRow) return;
    if (argument.is(Value::Tag::kNodeRef)) {
      const Row id = argument.node();
      if (!why_[id].empty()) found = id;
      return;
    }
    if (!argument.is(Value::Tag::kList)) return;
    for (const Value& element : argument.values()) find_explained(element, found);
  }

  // A later PyTorch may answer where ours raises.
  void explain_problems() {
    for (const Problem& problem : run_.problems()) {
      const VersionChange* change =
          problem.kind == Problem::Kind::kError ? change_of(problem.op, kInErrors) : nullptr;
      if (change == nullptr) continue;
      Problem explained = problem;
      explained.message =
          format("{}; {}: {}", explanation(*change), problem.error_class, problem.message);
      result_.explained_problems.push_back(std::move(explained));
    }
  }

  void describe_skipped() {
    const auto counted = [](size_t count, std::string_view one, std::string_view many) {
      return count == 1 ? format("1 {} is", one) : format("{} {} are", count, many);
    };
    if (offsets_ > 0) {
      result_.skipped.push_back(format("{} not compared: PyTorch before {} recorded each as 0",
                                       counted(offsets_, "storage offset", "storage offsets"),
                                       kFirstWithOffsets));
    }
    if (assumed_ > 0) {
      result_.skipped.push_back(
          format("{} not compared: {} without a rule here, so that the "
                 "file's record stands for the answer",
                 counted(assumed_, "value", "values"), unknown_operators()));
    }
    if (missed_ > 0) {
      result_.skipped.push_back(format("{} not compared: the propagation did not get there",
                                       counted(missed_, "value", "values")));
    }
  }

  // "mylib.scale and mylib.two are"
  std::string unknown_operators() const {
    std::vector<std::string> names;
    for (Row id = 0; id < run_.plan().size(); ++id) {
      if (!run_.was_assumed(id)) continue;
      const std::string_view target = short_target(run_.plan().target_of(call_of(id)));
      if (std::find(names.begin(), names.end(), target) == names.end()) names.emplace_back(target);
    }
    std::string text;
    for (size_t i = 0; i < names.size(); ++i)
      text += format("{}{}", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
    return text + (names.size() == 1 ? " is" : " are");
  }

  const Run& run_;
  const Program& program_;
  std::optional<TorchVersion> recorded_by_;
  TorchVersion answered_as_;
  bool has_offsets_ = true;
  std::vector<const VersionChange*> changes_;
  std::vector<std::string> why_;  // by node, of those explained
  RecordedSizes sizes_;
  RecordedCheck result_;
  size_t offsets_ = 0;
  size_t assumed_ = 0;
  size_t missed_ = 0;
};

}  // namespace

std::optional<TorchVersion> exporting_version(const Program& program) {
  if (const auto version = parse_torch_version(program.torch_version)) return version;
  // Schema 5 is of 2.3 and 2.4, which do not name themselves.
  if (program.schema_major == 5) return TorchVersion{2, program.schema_minor <= 1 ? 3 : 4};
  return std::nullopt;
}

bool RecordedCheck::is_explained(const Problem& problem) const {
  return std::any_of(explained_problems.begin(), explained_problems.end(),
                     [&](const Problem& other) { return other.node == problem.node; });
}

RecordedCheck check_recorded(const Run& run) { return Checker(run).check(); }

}  // namespace faketensor
