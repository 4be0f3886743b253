// auto_functionalized and auto_functionalized_v2: an operator that writes to its arguments, called
// on copies of them.
#include "core/graph/higher_order.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

// Mirrors clone_preserve_strides, torch/_prims_common: the memory up to the last element is copied.
Value clone_preserving_strides(const HigherOrderCall& call, const Value& value) {
  if (!value.is_tensor()) return value;
  const Tensor& tensor = value.tensor();
  Context& context = call.context();
  SymInt numel = 1;
  SymInt length = tensor.offset() + 1;
  for (size_t i = 0; i < tensor.sizes().size(); ++i) {
    numel = numel * tensor.sizes()[i];
    length = length + (tensor.sizes()[i] - 1) * tensor.strides()[i];
  }
  if (guard_or_false(numel == 0)) length = 0;
  const SymInt one[] = {1};
  const SymInt sizes[] = {length};
  const Value memory =
      call.call("aten::as_strided", {value, context.make_ints(sizes), context.make_ints(one), 0});
  const Value copy = call.call("aten::clone", {memory});
  return call.call("aten::as_strided", {copy, context.make_ints(tensor.sizes()),
                                        context.make_ints(tensor.strides()), tensor.offset()});
}

namespace {

Value clone_each(const HigherOrderCall& call, const Value& value) {
  if (!value.is(Value::Tag::kList)) return clone_preserving_strides(call, value);
  std::vector<Value> clones;
  for (const Value& element : value.values())
    clones.push_back(clone_preserving_strides(call, element));
  return call.tuple(clones);
}

// What the operator returns, then the copies.
Value with_copies(const HigherOrderCall& call, const Value& result, bool is_tuple,
                  const std::vector<Value>& copies) {
  std::vector<Value> values;
  for (size_t i = 0; is_tuple && i < result.size(); ++i) values.push_back(result[i]);
  if (!is_tuple) values.push_back(result);
  values.insert(values.end(), copies.begin(), copies.end());
  return call.tuple(values);
}

// --- views of the bases ---

// The keyword arguments of a call of version 2, of which those that describe views are taken out.
class Keywords {
 public:
  explicit Keywords(const HigherOrderCall& call) : rest_(call.keywords()) {}

  const Value* find(const std::string& name) const {
    for (const auto& keyword : rest_)
      if (keyword.name == name) return &keyword.value;
    return nullptr;
  }
  // Raises KeyError where it is not given.
  Value take(const std::string& name) {
    for (auto keyword = rest_.begin(); keyword != rest_.end(); ++keyword) {
      if (keyword->name != name) continue;
      const Value value = keyword->value;
      rest_.erase(keyword);
      return value;
    }
    throw_error(ErrorKind::kKeyError, format("'{}'", name));
  }
  void set(std::string_view name, const Value& value) { rest_.push_back({name, value}); }
  std::span<const HigherOrderCall::Keyword> rest() const { return rest_; }

 private:
  std::vector<HigherOrderCall::Keyword> rest_;
};

// An argument as a view of its base. Mirrors read_view_information_from_args and regenerate_view,
// torch/_higher_order_ops/auto_functionalize.py.
Value regenerate_view(const HigherOrderCall& call, Keywords& keywords, const std::string& prefix,
                      const std::vector<Value>& bases) {
  const Value index = keywords.take(prefix + "_base_index");
  if (!index.is(Value::Tag::kInt)) return Value();
  const auto at = static_cast<size_t>(index.to_int());
  if (at >= bases.size()) throw_error(ErrorKind::kIndexError, "list index out of range");
  const Value& base = bases[at];
  if (keywords.find(prefix + "_alias") != nullptr) {
    keywords.take(prefix + "_alias");
    return call.call("aten::alias", {base});
  }
  if (keywords.find(prefix + "_storage_offset") != nullptr) {
    const Value size = keywords.take(prefix + "_size");
    const Value stride = keywords.take(prefix + "_stride");
    const Value offset = keywords.take(prefix + "_storage_offset");
    return call.call("aten::as_strided", {base, size, stride, offset});
  }
  if (keywords.find(prefix + "_slice_dim") != nullptr) {
    const Value dim = keywords.take(prefix + "_slice_dim");
    const Value start = keywords.take(prefix + "_slice_start");
    const Value end = keywords.take(prefix + "_slice_end");
    return call.call("aten::slice.Tensor", {base, dim, start, end});
  }
  return base;
}

Value regenerate_argument(const HigherOrderCall& call, Keywords& keywords, const Argument& argument,
                          const std::vector<Value>& bases) {
  const std::string prefix = format("_{}", argument.name);
  if (!argument.type.is_list) return regenerate_view(call, keywords, prefix, bases);
  const Value length = keywords.take(prefix + "_length");
  if (!length.is(Value::Tag::kInt)) return Value();
  std::vector<Value> elements;
  for (int64_t i = 0; i < length.to_int(); ++i)
    elements.push_back(regenerate_view(call, keywords, format("{}_{}", prefix, i), bases));
  return call.tuple(elements);
}

// An operator that nobody defined: what it returns is unknown, the copies are not.
Value copies_alone(const HigherOrderCall& call, std::string_view op,
                   const std::vector<Value>& bases) {
  std::vector<Value> values;
  for (size_t i = 0; i + bases.size() < call.output_count(); ++i)
    values.push_back(call.has_recorded_output(i) ? Value::unset() : Value());
  values.insert(values.end(), bases.begin(), bases.end());
  const Value results = call.tuple(values);
  call.interpreter().note_unknown(results, operator_name(op));
  return results;
}

}  // namespace

// auto_functionalized(op, **kwargs): each argument that the operator writes to is copied. Mirrors
// auto_functionalized_dense.
Value auto_functionalized(HigherOrderCall& call) {
  const std::string_view name = call.text(0);
  const OpId op = call.interpreter().find_operator(name);
  if (op == kNoOp) throw_error(ErrorKind::kUnsupportedOperator, std::string(operator_name(name)));
  const Schema& schema = call.interpreter().schema(op);
  std::vector<HigherOrderCall::Keyword> keywords = call.keywords();
  std::vector<Value> copies;
  for (const Argument& argument : schema.arguments) {
    if (!argument.is_written()) continue;
    Value copy;
    for (auto& keyword : keywords)
      if (keyword.name == argument.name) copy = keyword.value = clone_each(call, keyword.value);
    copies.push_back(copy);
  }
  const Value result = call.call_operator(name, {}, keywords);
  return with_copies(call, result, schema.returns.size() > 1, copies);
}

// auto_functionalized_v2(op, _all_bases=[...], **kwargs): the bases are copied, and what the
// operator writes to is made of them anew, as the other arguments say. Mirrors
// auto_functionalized_v2_dense.
Value auto_functionalized_v2(HigherOrderCall& call) {
  const std::string_view name = call.text(0);
  Keywords keywords(call);
  std::vector<Value> bases;
  if (keywords.find("_all_bases") != nullptr) {
    const Value given = keywords.take("_all_bases");
    for (size_t i = 0; given.is_list() && i < given.size(); ++i)
      bases.push_back(clone_preserving_strides(call, given[i]));
  }
  const OpId op = call.interpreter().find_operator(name);
  if (op == kNoOp) return copies_alone(call, name, bases);
  const Schema& schema = call.interpreter().schema(op);
  for (const Argument& argument : schema.arguments) {
    if (!argument.is_written()) continue;
    const Value view = regenerate_argument(call, keywords, argument, bases);
    keywords.set(argument.name, view);
  }
  const Value result = call.call_operator(name, {}, keywords.rest());
  return with_copies(call, result, schema.returns.size() > 1, bases);
}

}  // namespace faketensor
