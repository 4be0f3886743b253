#include "core/analysis/formula_functions.h"

#include <algorithm>
#include <vector>

#include "core/ops/name_table.h"

namespace faketensor {

namespace {

using Terms = std::span<const Term>;

// None of None.
Term sizes(HeldCalls& calls, Terms args) {
  if (!args[0].is_tensor()) return {};
  return {calls.context().make_ints(args[0].tensor().sizes()), {}};
}
Term strides(HeldCalls& calls, Terms args) {
  return {calls.context().make_ints(args[0].tensor().strides()), {}};
}
Term offset(HeldCalls&, Terms args) { return {args[0].tensor().offset(), {}}; }
Term dim(HeldCalls&, Terms args) { return {args[0].tensor().dim(), {}}; }
Term dtype(HeldCalls&, Terms args) { return {args[0].tensor().dtype(), {}}; }
Term numel(HeldCalls&, Terms args) { return {args[0].tensor().numel(), {}}; }
Term size(HeldCalls&, Terms args) { return {args[0].tensor().size(args[1].value.to_int()), {}}; }

// Dimensions of a reduction as it was given them: a number, a list, none for all.
std::vector<int64_t> reduced_dims(const Value& dims, int64_t rank) {
  std::vector<int64_t> found;
  const auto add = [&](const Value& dim) {
    const int64_t number = dim.to_int();
    found.push_back(number < 0 ? number + rank : number);
  };
  if (dims.is(Value::Tag::kInt)) {
    add(dims);
  } else if (dims.is_list()) {
    for (size_t i = 0; i < dims.size(); ++i) add(dims[i]);
  }
  if (found.empty()) {
    for (int64_t i = 0; i < rank; ++i) found.push_back(i);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// count(self, dims): how many elements a reduction makes one of.
Term count(HeldCalls&, Terms args) {
  const Tensor& self = args[0].tensor();
  SymInt elements = 1;
  for (const int64_t dim : reduced_dims(args[1].value, self.dim())) elements *= self.size(dim);
  return {elements, {}};
}

// unreduced(x, dims, keepdim, rank): with the dimensions that a reduction took away.
Term unreduced(HeldCalls& calls, Terms args) {
  const int64_t rank = args[3].value.to_int();
  Term x = args[0];
  if (args[2].value.to_bool() || rank == 0) return x;
  for (const int64_t dim : reduced_dims(args[1].value, rank))
    x = calls.call("unsqueeze", {x, {dim, {}}});
  return x;
}

// permuted_back(x, dims): permute undone.
Term permuted_back(HeldCalls& calls, Terms args) {
  const auto rank = static_cast<int64_t>(args[1].value.size());
  std::vector<SymInt> back(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t from = args[1].value[static_cast<size_t>(i)].to_int();
    back[static_cast<size_t>(from < 0 ? from + rank : from)] = i;
  }
  return calls.call("permute", {args[0], {calls.context().make_ints(back), {}}});
}

// pieces(grad, tensors, dim): the part of a concatenation's gradient that is each tensor's.
Term pieces(HeldCalls& calls, Terms args) {
  std::vector<Term> parts;
  SymInt at = 0;
  for (const Value& tensor : args[1].value.values()) {
    const SymInt length = tensor.tensor().size(args[2].value.to_int());
    parts.push_back(calls.call("narrow", {args[0], args[2], {at, {}}, {length, {}}}));
    at += length;
  }
  return calls.list(parts);
}

// filled(grads, results): zeros for results without a gradient.
Term filled(HeldCalls& calls, Terms args) {
  std::vector<Term> all;
  const Value& grads = args[0].value;
  for (size_t i = 0; i < grads.size(); ++i) {
    const Value grad = grads[i];
    if (grad.is_tensor()) {
      all.push_back(calls.term(grad.tensor()));
    } else {
      const Value result = args[1].value[i];
      all.push_back(calls.call("zeros_like", {Term{result, {}}}));
    }
  }
  return calls.list(all);
}

Term sum_to(HeldCalls& calls, Terms args) {
  return faketensor::sum_to(calls, args[0], args[1].value.ints());
}

// scaled(x, factor): x itself where the factor is 1 (maybe_multiply).
Term scaled(HeldCalls& calls, Terms args) {
  if (!args[1].value.is_number() || args[1].value.to_double() == 1) return args[0];
  return calls.call("mul.Tensor", {args[0], args[1]});
}

Term transposed(HeldCalls& calls, const Term& x) { return calls.call("t", {x}); }

// Whether a matrix lies by columns, as a transposed one does.
bool is_by_columns(const Value& sizes, const Value& strides) {
  return same_expr(strides.ints()[0], 1) && same_expr(strides.ints()[1], sizes.ints()[0]);
}

// mm_left(grad, right, sizes, strides): the gradient of the left factor, which lies as that does
// (mm_mat1_backward, torch/csrc/autograd/FunctionsManual.cpp).
Term mm_left(HeldCalls& calls, Terms args) {
  if (is_by_columns(args[2].value, args[3].value))
    return transposed(calls, calls.call("mm", {args[1], transposed(calls, args[0])}));
  return calls.call("mm", {args[0], transposed(calls, args[1])});
}
// mm_right(grad, left, sizes, strides): that of the right one.
Term mm_right(HeldCalls& calls, Terms args) {
  if (is_by_columns(args[2].value, args[3].value))
    return transposed(calls, calls.call("mm", {transposed(calls, args[0]), args[1]}));
  return calls.call("mm", {transposed(calls, args[1]), args[0]});
}

// given(x, otherwise)
Term given(HeldCalls&, Terms args) { return args[0].value.is_none() ? args[1] : args[0]; }

Term negated(HeldCalls& calls, Terms args) {
  std::vector<SymInt> numbers;
  for (const SymInt number : args[0].value.ints()) numbers.push_back(-number);
  return {calls.context().make_ints(numbers), {}};
}

// unsqueezed_to(x, sizes): squeeze undone.
Term unsqueezed_to(HeldCalls& calls, Terms args) {
  Term x = args[0];
  const Dims sizes = args[1].value.ints();
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool is_there =
        i < x.tensor().sizes().size() && same_expr(x.tensor().sizes()[i], sizes[i]);
    if (same_expr(sizes[i], 1) && !is_there)
      x = calls.call("unsqueeze", {x, {static_cast<int64_t>(i), {}}});
  }
  return x;
}

// within(x, min, max): where x is not clamped; either may be none.
Term within(HeldCalls& calls, Terms args) {
  if (args[2].value.is_none()) return calls.call("ge.Scalar", {args[0], args[1]});
  const Term below = calls.call("le.Scalar", {args[0], args[2]});
  if (args[1].value.is_none()) return below;
  return calls.call("logical_and_", {calls.call("ge.Scalar", {args[0], args[1]}), below});
}

struct FunctionRow {
  std::string_view op;
  FormulaFunction function;
};

constexpr FunctionRow kFunctions[] = {
    {"count", &count},
    {"dim", &dim},
    {"dtype", &dtype},
    {"filled", &filled},
    {"given", &given},
    {"mm_left", &mm_left},
    {"mm_right", &mm_right},
    {"negated", &negated},
    {"numel", &numel},
    {"offset", &offset},
    {"permuted_back", &permuted_back},
    {"pieces", &pieces},
    {"scaled", &scaled},
    {"size", &size},
    {"sizes", &sizes},
    {"strides", &strides},
    {"sum_to", &sum_to},
    {"unreduced", &unreduced},
    {"unsqueezed_to", &unsqueezed_to},
    {"within", &within},
};
constexpr NameTable kFunctionTable(kFunctions);

}  // namespace

Term sum_to(HeldCalls& calls, const Term& x, Dims sizes) {
  const Dims from = x.tensor().sizes();
  if (from.size() < sizes.size()) return x;
  const size_t front = from.size() - sizes.size();
  std::vector<SymInt> dims;
  for (size_t i = 0; i < from.size(); ++i) {
    const bool is_new = i < front;
    if (is_new || (same_expr(sizes[i - front], 1) && !same_expr(from[i], 1)))
      dims.push_back(static_cast<int64_t>(i));
  }
  Term term = x;
  Context& context = calls.context();
  if (!dims.empty())
    term = calls.call("sum.dim_IntList", {term, {context.make_ints(dims), {}}, {true, {}}, {}});
  return front == 0 ? term : calls.call("view", {term, {context.make_ints(sizes), {}}});
}

FormulaFunction formula_function(std::string_view name) {
  const FunctionRow* row = kFunctionTable.find(name);
  return row == nullptr ? nullptr : row->function;
}

}  // namespace faketensor
