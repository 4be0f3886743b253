#include "core/mode/grad_fn.h"

#include <algorithm>
#include <iterator>

#include "core/support/format.h"

namespace faketensor {

namespace {

struct FormulaNumber {
  std::string_view op;
  int number;
};

// Overloads whose formula in derivatives.yaml is not the first of their name.
// clang-format off
constexpr FormulaNumber kNumbers[] = {
    {"_ctc_loss.Tensor", 1}, {"_native_batch_norm_legit.no_stats", 1}, {"_to_sparse.default", 1}, {"add.Scalar", 1},
    {"all.dim", 1}, {"all.dims", 2}, {"any.dim", 1}, {"any.dims", 2}, {"as_strided_.default", 1}, {"bernoulli_.float", 2}, {"clamp.default", 1},
    {"clamp_max.Tensor", 1}, {"clamp_min.Tensor", 1}, {"copysign.Scalar", 1}, {"count_nonzero.default", 1},
    {"div.Scalar", 1}, {"div.Scalar_mode", 3}, {"div.Tensor_mode", 2}, {"fill.Tensor", 1}, {"fill_.Tensor", 1},
    {"fmod.Tensor", 1}, {"index_fill.int_Tensor", 1}, {"lerp.Tensor", 1}, {"masked_fill.Tensor", 1}, {"max.default", 1},
    {"mean.dim", 1}, {"median.dim", 1}, {"min.default", 1}, {"mul.Scalar", 1}, {"nanmedian.dim", 1},
    {"norm.ScalarOpt_dim", 1}, {"norm.ScalarOpt_dim_dtype", 3}, {"norm.ScalarOpt_dtype", 2}, {"normal.Tensor_Tensor", 2}, {"normal.Tensor_float", 1},
    {"normal.float_Tensor", 1}, {"pow.Scalar", 2}, {"pow.Tensor_Tensor", 1}, {"prod.dim_int", 1}, {"random_.default", 2},
    {"random_.to", 1}, {"remainder.Tensor", 1}, {"round.decimals", 1}, {"rsub.Scalar", 1}, {"scatter.value", 1},
    {"sort.stable", 1}, {"squeeze.dim", 1}, {"squeeze.dims", 2}, {"squeeze_.default", 3}, {"squeeze_.dim", 4}, {"squeeze_.dims", 5},
    {"sub.Scalar", 1}, {"sum.dim_IntList", 1}, {"transpose_.default", 1}, {"unsqueeze_.default", 1}, {"view.dtype", 1}, {"xlogy.Scalar_Other", 2}, {"xlogy.Scalar_Self", 1},
};
// clang-format on

int formula_number(std::string_view op) {
  const auto* found = std::lower_bound(
      std::begin(kNumbers), std::end(kNumbers), op,
      [](const FormulaNumber& entry, std::string_view name) { return entry.op < name; });
  return found != std::end(kNumbers) && found->op == op ? found->number : 0;
}

// Operators without a formula whose results require grad all the same
// (basicAutogradNotImplementedFallback).
constexpr std::string_view kNotImplemented[] = {
    "aten::floor_divide", "aten::heaviside", "aten::native_channel_shuffle", "aten::randint_like"};

}  // namespace

std::string grad_fn_name(const OpEntry& op) {
  if (op.name == "aten::copy_.default") return "CopyBackwards";
  if (std::find(std::begin(kNotImplemented), std::end(kNotImplemented), op.schema.name) !=
      std::end(kNotImplemented))
    return "NotImplemented";
  std::string name(op.name.substr(op.name.find(':') + 2));
  // In-place operators share the formula of the functional one.
  const size_t dot = name.find('.');
  if (dot > 1 && name[dot - 1] == '_' && formula_number(name) == 0) name.erase(dot - 1, 1);
  std::string camel;
  bool upper = true;
  for (const char c : name.substr(0, name.find('.'))) {
    if (c == '_') {
      upper = true;
      continue;
    }
    camel += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return format("{}Backward{}", camel, formula_number(name));
}

}  // namespace faketensor
