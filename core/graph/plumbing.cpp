#include "core/graph/plumbing.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/ops/registry.h"

namespace faketensor {

namespace {

// Operators whose result is their argument, as far as a reader of the model is concerned.
constexpr std::string_view kSameValue[] = {"aten::alias", "aten::detach", "aten::detach_",
                                           "aten::lift_fresh_copy", "aten::lift_fresh"};

// No tensor comes out of it, and it changes none: an assertion, a size, arithmetic of sizes.
bool has_no_tensors(const Schema& schema) {
  return std::none_of(schema.returns.begin(), schema.returns.end(),
                      [](const Argument& of) { return of.type.kind == ArgKind::kTensor; }) &&
         std::none_of(schema.arguments.begin(), schema.arguments.end(),
                      [](const Argument& of) { return of.is_written(); });
}

bool hands_on(const Schema& schema) {
  return std::find(std::begin(kSameValue), std::end(kSameValue), schema.name) !=
         std::end(kSameValue);
}

// Note [Preludes]: a module builds its positions and masks in its own forward, beside the submodules
// that do its work. Such rows stand directly in a module that has submodules, and depend on nothing
// but sizes and at most one input of whole numbers: no parameter, buffer or data.
class Plumbing {
 public:
  explicit Plumbing(const Program& program) : program_(program), plan_(program.plan()) {
    has_submodules_.assign(program.modules.size(), 0);
    for (ModuleId id = 1; id < program.modules.size(); ++id)
      has_submodules_[program.modules[id].parent] = 1;
    items_.assign(plan_.size(), 0);
    is_output_.assign(plan_.size(), 0);
    for (Row row = 0; row < plan_.size(); ++row) note(plan_.row(row));
  }

  std::vector<Row> find() {
    shown_.resize(plan_.size());
    for (Row row = 0; row < plan_.size(); ++row) shown_[row] = what_shows(row);
    return std::move(shown_);
  }

 private:
  void note(const PlanRow& of) {
    if (of.kind == RowKind::kGetItem && of.args[0].is(Value::Tag::kNodeRef))
      ++items_[of.args[0].node()];
    if (of.kind != RowKind::kOutput) return;
    for (const Value& arg : of.args)
      for_each_node(arg, [&](NodeId id) { is_output_[index_of(id)] = 1; });
  }

  Row what_shows(Row row) const {
    const PlanRow& of = plan_.row(row);
    const bool reads_first = !of.args.empty() && of.args[0].is(Value::Tag::kNodeRef);
    if (of.kind == RowKind::kGetItem && reads_first && items_[of.args[0].node()] == 1)
      return shown_[of.args[0].node()];
    if (of.kind != RowKind::kCall || of.op == kNoOp) return row;
    const Schema& schema = Registry::builtin().entry(of.op).schema;
    if (has_no_tensors(schema)) return kNoRow;
    if (hands_on(schema) && reads_first && shown_[of.args[0].node()] != kNoRow)
      return shown_[of.args[0].node()];
    const bool may_be_prelude = has_submodules_[plan_.node(row).module] != 0 &&
                                is_output_[row] == 0 && schema.name.substr(0, 10) != "aten::rand";
    return may_be_prelude ? prelude_source(of).value_or(row) : row;
  }

  // What a row of a prelude is made of: an input, or kNoRow for sizes alone. None for other rows.
  std::optional<Row> prelude_source(const PlanRow& of) const {
    Row source = kNoRow;
    bool is_prelude = true;
    for (const Value& arg : of.args) {
      for_each_node(arg, [&](NodeId id) {
        const Row from = shown_[index_of(id)];
        if (from == kNoRow) return;
        is_prelude = is_prelude && is_whole_input(from) && (source == kNoRow || source == from);
        source = from;
      });
    }
    return is_prelude ? std::optional(source) : std::nullopt;
  }

  bool is_whole_input(Row row) const {
    if (row >= program_.inputs.size() || program_.inputs[row].kind != InputSpec::Kind::kUser)
      return false;
    const TensorMeta* meta = plan_.node(row).recorded;
    return meta != nullptr && !is_float_or_complex(meta->dtype());
  }

  const Program& program_;
  const Plan& plan_;
  std::vector<char> has_submodules_;  // per module
  std::vector<uint32_t> items_;       // per row: how many rows take one output out of it
  std::vector<char> is_output_;
  std::vector<Row> shown_;
};

}  // namespace

std::vector<Row> shown_rows(const Program& program) { return Plumbing(program).find(); }

}  // namespace faketensor
