#include "core/passes/argument_changes.h"

#include <algorithm>

#include "core/symbolic/ignore_fresh_symbols.h"

namespace faketensor {

namespace {

// Whether two arguments are written alike. Tensors are compared by object; a packed list of numbers
// and one of values are one kind of list.
bool is_same(const Value& a, const Value& b) {
  using Tag = Value::Tag;
  if (a.is_list() && b.is_list()) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!is_same(a[i], b[i])) return false;
    return true;
  }
  if (a.tag() != b.tag()) return false;
  switch (a.tag()) {
    case Tag::kBool:
      return a.as_sym_bool().word() == b.as_sym_bool().word();
    case Tag::kInt:
      return same_expr(a.as_sym_int(), b.as_sym_int());
    case Tag::kFloat:
      return a.as_double() == b.as_double() || a.as_double() != a.as_double();
    case Tag::kComplex:
      return a.as_complex()[0] == b.as_complex()[0] && a.as_complex()[1] == b.as_complex()[1];
    case Tag::kSymFloat:
      return a.as_node() == b.as_node();
    case Tag::kTensor:
      return &a.tensor() == &b.tensor();
    case Tag::kString:
      return a.text() == b.text();
    case Tag::kDType:
      return a.dtype() == b.dtype();
    case Tag::kDevice:
    case Tag::kGenerator:
      return a.device() == b.device();
    case Tag::kLayout:
      return a.layout() == b.layout();
    case Tag::kMemoryFormat:
      return a.memory_format() == b.memory_format();
    case Tag::kGraph:
      return &a.graph() == &b.graph();
    case Tag::kNodeRef:
      return a.node() == b.node();
    default:
      return true;  // None, and what is not given
  }
}

}  // namespace

const ArgumentChanges::Rows& ArgumentChanges::of(const Plan& plan) const {
  static const Rows kNone;
  const auto found = plans_.find(&plan);
  return found == plans_.end() ? kNone : found->second.rows;
}

std::span<const ArgumentChanges::Change> ArgumentChanges::of(Row row) const {
  if (plan_ == nullptr) return {};
  const Rows& rows = of(*plan_);
  const auto found = rows.find(row);
  return found == rows.end() ? std::span<const Change>() : found->second;
}

void ArgumentChanges::begin(const Plan& plan) {
  plan_ = &plan;
  plans_.clear();
  contradiction_.clear();
}

void ArgumentChanges::note_arguments(const Plan& plan, Row row, std::span<const Value> was,
                                     std::span<const Value> given) {
  OfPlan& of = plans_[&plan];
  const std::span<const Value> written = plan.row(row).args;
  std::vector<Change> changes;
  for (size_t i = 0; i < given.size() && i < written.size(); ++i) {
    note_sources(of, written[i], was[i]);
    if (is_same(was[i], given[i])) continue;
    changes.push_back(named(of, written[i], was[i], given[i]));
    changes.back().argument = i;
  }
  if (of.seen.insert(row).second) {
    if (!changes.empty()) of.rows[row] = std::move(changes);
    return;
  }
  const auto before = of.rows.find(row);
  const std::span<const Change> known =
      before == of.rows.end() ? std::span<const Change>() : before->second;
  const bool agrees =
      std::equal(known.begin(), known.end(), changes.begin(), changes.end(),
                 [](const Change& a, const Change& b) {
                   return a.argument == b.argument && a.copy == b.copy && is_same(a.value, b.value);
                 });
  if (!agrees && contradiction_.empty()) contradiction_ = plan.name_of(row);
}

void ArgumentChanges::note_sources(OfPlan& of, const Value& written, const Value& was) {
  if (written.is(Value::Tag::kNodeRef)) {
    if (was.is_tensor()) of.row_of.emplace(&was.tensor(), written.node());
  } else if (written.is(Value::Tag::kList) && was.is_list() && was.size() == written.size()) {
    for (size_t i = 0; i < written.size(); ++i) note_sources(of, written[i], was[i]);
  }
}

// An argument as it would be written.
ArgumentChanges::Change ArgumentChanges::named(const OfPlan& of, const Value& written,
                                               const Value& was, const Value& given) {
  if (written.is(Value::Tag::kNodeRef)) {
    if (is_same(was, given)) return {0, written, nullptr};
    if (!given.is_tensor()) return {0, kept(given), nullptr};
    const auto found = of.row_of.find(&given.tensor());
    if (found != of.row_of.end()) return {0, Value::node_ref(found->second), nullptr};
    return {0, written, given.tensor().meta};
  }
  if (!written.is(Value::Tag::kList) || !given.is_list() || given.size() != written.size())
    return {0, kept(given), nullptr};
  const std::span<Value> elements = arena_.make_array<Value>(written.size());
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = named(of, written[i], was[i], given[i]).value;
  return {0, Value::like(written, elements), nullptr};
}

void run_condition(Context& context, RowEditor* editor, GraphWatcher* watcher, const Plan& plan,
                   Row row, std::span<const Value> args) {
  const bool is_loop = plan.target_of(row) == "torch.ops.higher_order.while_loop" &&
                       args.size() >= 4 && args[0].is(Value::Tag::kGraph) && args[2].is_list() &&
                       args[3].is_list();
  if (!is_loop) return;
  std::vector<Value> inputs;
  for (size_t i = 0; i < args[2].size(); ++i) inputs.push_back(args[2][i]);
  for (size_t i = 0; i < args[3].size(); ++i) inputs.push_back(args[3][i]);
  const IgnoreFreshSymbols scope(context.shape_env());
  Interpreter interpreter(context, editor);
  interpreter.watch(watcher);
  try {
    interpreter.run_graph(args[0].graph(), inputs);
  } catch (const Error&) {
    // The loop's own business, which its body says.
  }
}

void NotedEditor::edit(Context& context, const Plan& plan, Row row, std::span<Value> args) {
  if (changes_ == nullptr) return editor_.edit(context, plan, row, args);
  const std::vector<Value> was(args.begin(), args.end());
  editor_.edit(context, plan, row, args);
  changes_->note_arguments(plan, row, was, args);
  run_condition(context, this, nullptr, plan, row, args);
}

// The arguments of a row do not outlive it, so lists and texts are copied.
Value ArgumentChanges::kept(const Value& value) {
  if (value.is(Value::Tag::kString)) return Value::string(arena_.copy(value.text()));
  if (value.is(Value::Tag::kIntList)) return Value::ints(arena_.copy(value.ints()));
  if (!value.is(Value::Tag::kList)) return value;
  const std::span<Value> elements = arena_.make_array<Value>(value.size());
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = kept(value[i]);
  return Value::like(value, elements);
}

}  // namespace faketensor
