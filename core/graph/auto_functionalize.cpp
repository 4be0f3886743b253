// auto_functionalized and auto_functionalized_v2: an operator that writes to its arguments, called
// on copies of them.
#include "core/graph/functionalized_views.h"
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
  FunctionalizedViews views(
      call.keywords(),
      {.view =
           [&](std::string_view op, const std::vector<Value>& args) {
             return call.context().call(Registry::builtin().find(op), args);
           },
       .list = [&](const std::vector<Value>& elements) { return call.tuple(elements); }});
  if (views.find("_all_bases") != nullptr) {
    const Value given = views.take("_all_bases");
    for (size_t i = 0; given.is_list() && i < given.size(); ++i)
      views.bases.push_back(clone_preserving_strides(call, given[i]));
  }
  const OpId op = call.interpreter().find_operator(name);
  if (op == kNoOp) return copies_alone(call, name, views.bases);
  const Schema& schema = call.interpreter().schema(op);
  for (const Argument& argument : schema.arguments)
    if (argument.is_written()) views.regenerate(argument.name, argument.type.is_list);
  const Value result = call.call_operator(name, {}, views.keywords());
  return with_copies(call, result, schema.returns.size() > 1, views.bases);
}

}  // namespace faketensor
