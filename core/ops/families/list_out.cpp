#include "core/ops/families/list_out.h"

#include "core/ops/derived.h"
#include "core/ops/families/copy.h"
#include "core/tensor/cpp_type_name.h"

namespace faketensor {

void check_materialized(const Call& call, TensorList written) {
  for (size_t i = 0; i < written.size(); ++i) {
    const bool is_conj = written[i].is_conj();
    if (!is_conj && !written[i].is_neg()) continue;
    const std::string_view bit = is_conj ? "conjugate" : "negation";
    call.fail(ErrorKind::kRuntimeError,
              format(" fallback doesn't currently support mutable TensorLists with {} inputs. "
                     "Please materialize all the {} input tensor(s) in the mutable TensorList "
                     "inputs before calling {}",
                     bit, bit, call.op().schema.name));
  }
}

void write_copies(Call& call, TensorList outs, TensorList results) {
  const size_t count = std::min(outs.size(), results.size());
  for (size_t i = 0; i < count; ++i) resize_output(call.context(), outs[i], results[i].sizes());
  for (size_t i = 0; i < count; ++i) {
    call.check(outs[i].dtype() == results[i].dtype(),
               "Expected out tensor to have dtype {}, but got {} instead",
               cpp_type_name(results[i].dtype()), cpp_type_name(outs[i].dtype()));
    call.call<"aten::copy_">(outs[i], results[i]);
  }
}

Value write_lists(Call& call, OpId functional) {
  const std::span<const Argument> arguments = call.op().schema.arguments;
  const size_t count = Registry::builtin().entry(functional).schema.arguments.size();
  {
    const OnMeta scope(call.context(), call.args());
    const Value results = call.context().call(functional, call.args().first(count));
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].is_written()) continue;
      const Value out = call.arg(i);
      const Value result = results[static_cast<size_t>(arguments[i].alias[0] - 'a')];
      if (!out.is_tensor()) {
        check_materialized(call, TensorList(out));
        write_copies(call, TensorList(out), TensorList(result));
      } else {
        write_copies(call, TensorList(Value::list({&out, 1})),
                     TensorList(Value::list({&result, 1})));
      }
    }
  }
  if (call.op().schema.returns.empty()) return Value();
  return written(call, call.args().back().tensor());
}

}  // namespace faketensor
