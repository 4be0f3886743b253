#include "core/ops/families/foreach.h"

#include "core/ops/arguments.h"
#include "core/ops/families/list_out.h"
#include "core/ops/families/on_meta.h"

namespace faketensor {

namespace {

bool is_list_of_tensors(const Argument& argument) {
  return argument.type.is_list && argument.type.kind == ArgKind::kTensor;
}

using Elements = SmallVector<Value, 8>;

// The arguments for element i.
Elements elements_at(const Call& call, size_t i) {
  const std::span<const Argument> arguments = call.op().schema.arguments;
  Elements elements;
  for (size_t k = 0; k < arguments.size(); ++k) {
    elements.push_back(arguments[k].type.is_list ? call.arg(k)[i] : call.arg(k));
  }
  return elements;
}

// Of the lists only: a lone tensor takes no part in choosing the device of a result.
Device device_of_lists(const Call& call, size_t i) {
  const std::span<const Argument> arguments = call.op().schema.arguments;
  Elements elements;
  for (size_t k = 0; k < arguments.size(); ++k) {
    if (is_list_of_tensors(arguments[k])) elements.push_back(call.arg(k)[i]);
  }
  return Call(call.context(), call.op(), elements.span()).device();
}

}  // namespace

std::string inplace_name(std::string_view functional) {
  std::string name(functional);
  return name.insert(std::min(name.find('.'), name.size()), "_");
}

size_t check_lists(const Call& call) {
  const std::span<const Argument> arguments = call.op().schema.arguments;
  SmallVector<size_t, 4> tensors;  // lengths of lists
  SmallVector<size_t, 4> numbers;
  for (size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k].type.is_list) {
      (is_list_of_tensors(arguments[k]) ? tensors : numbers).push_back(call.arg(k).size());
    } else if (arguments[k].type.kind == ArgKind::kTensor) {
      const Tensor& scalar = call.arg(k).tensor();
      call.check(scalar.dim() == 0,
                 "scalar tensor expected to be 0 dim but it has {} dimensions and {} elements.",
                 scalar.dim(), scalar.numel());
    }
  }
  const size_t count = tensors[0];
  for (const size_t size : tensors) {
    call.check(size == count, "Tensor lists must have the same number of tensors, got {} and {}",
               count, size);
  }
  check_written_list(call);
  call.check(count > 0, "Tensor list must have at least one tensor.");
  for (const size_t size : numbers) {
    call.check(size == count, "Tensor list must have same number of elements as scalar list.");
  }
  return count;
}

void check_written_list(const Call& call) {
  if (call.op().derived != OpEntry::Derived::kListInplace) return;
  const TensorList self(call.arg(0));
  for (size_t i = 0; call.context().grad_enabled && i < self.size(); ++i) check_leaf(self[i]);
  check_materialized(call, self);
}

Value foreach_element(Call& call, const ForeachElement& element) {
  const size_t count = check_lists(call);
  const bool is_inplace = call.op().derived == OpEntry::Derived::kListInplace;
  const OpId op = is_inplace ? element.inplace : element.functional;
  if (op == kNoOp) call.fail(ErrorKind::kUnsupportedOperator, std::string(call.op().name));
  std::vector<Value> results;
  std::vector<size_t> mixed;
  for (size_t i = 0; i < count; ++i) {
    const Elements elements = elements_at(call, i);
    const OnMeta scope(call.context(), elements.span());
    if (scope.is_needed()) mixed.push_back(i);
    results.push_back(call.context().call(op, elements.span()));
  }
  if (is_inplace) return Value();
  for (const size_t i : mixed) {
    const Tensor& result = results[i].tensor();
    results[i] = call.context().empty(result.sizes(), result.dtype(), device_of_lists(call, i),
                                      result.strides());
  }
  return call.list(results);
}

}  // namespace faketensor
