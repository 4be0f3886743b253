#include "core/passes/argument_changes.h"

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

std::span<const ArgumentChanges::Change> ArgumentChanges::of(Row row) const {
  const auto found = changes_.find(row);
  return found == changes_.end() ? std::span<const Change>() : found->second;
}

void ArgumentChanges::begin(const Plan& plan) {
  plan_ = &plan;
  values_.assign(plan.size(), Value());
  row_of_.clear();
  changes_.clear();
}

void ArgumentChanges::note_value(Row row, const Value& value) {
  values_[row] = value;
  if (value.is_tensor()) row_of_.emplace(&value.tensor(), row);
}

void ArgumentChanges::note_arguments(const Plan& plan, Row row, std::span<const Value> given) {
  if (&plan != plan_) return;
  const std::span<const Value> written = plan.row(row).args;
  for (size_t i = 0; i < given.size() && i < written.size(); ++i) {
    Change change = named(written[i], given[i]);
    if (change.copy == nullptr && is_same(written[i], change.value)) continue;
    change.argument = i;
    changes_[row].push_back(change);
  }
}

// An argument as it would be written.
ArgumentChanges::Change ArgumentChanges::named(const Value& written, const Value& given) {
  if (written.is(Value::Tag::kNodeRef)) {
    if (is_same(values_[written.node()], given)) return {0, written, nullptr};
    if (!given.is_tensor()) return {0, kept(given), nullptr};
    const auto found = row_of_.find(&given.tensor());
    if (found != row_of_.end()) return {0, Value::node_ref(found->second), nullptr};
    return {0, written, given.tensor().meta};
  }
  if (!written.is(Value::Tag::kList) || !given.is_list() || given.size() != written.size())
    return {0, kept(given), nullptr};
  const std::span<Value> elements = arena_.make_array<Value>(written.size());
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = named(written[i], given[i]).value;
  return {0, Value::list(elements), nullptr};
}

// The arguments of a row do not outlive it, so lists and texts are copied.
Value ArgumentChanges::kept(const Value& value) {
  if (value.is(Value::Tag::kString)) return Value::string(arena_.copy(value.text()));
  if (value.is(Value::Tag::kIntList)) return Value::ints(arena_.copy(value.ints()));
  if (!value.is(Value::Tag::kList)) return value;
  const std::span<Value> elements = arena_.make_array<Value>(value.size());
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = kept(value[i]);
  return Value::list(elements);
}

}  // namespace faketensor
