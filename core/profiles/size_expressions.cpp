#include "core/profiles/size_expressions.h"

#include <algorithm>

#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

SizeExpressions::SizeExpressions(FakeCall& call) : call_(call), pool_(&own_) {
  if (ShapeEnv* env = call.context().shape_env()) pool_ = &env->pool();
  for (size_t i = 0; i < call.args().size(); ++i) {
    if (!call.arg(i).is_tensor()) continue;
    const Tensor& tensor = call.arg(i).tensor();
    for (int64_t d = 0; d < tensor.dim(); ++d) {
      const ExprNode* name = pool_->symbol({format("x{}_{}", i, d), ExprType::kInt, false, false});
      sizes_[name] = pool_->node_of(tensor.size(d));
    }
  }
}

DimVector SizeExpressions::evaluate(const std::vector<std::string>& texts) {
  DimVector values;
  for (const std::string& text : texts) values.push_back(evaluate(text));
  return values;
}

SymInt SizeExpressions::evaluate(const std::string& text) {
  const ExprNode* parsed = parse_expr(*pool_, text);
  for (const ExprNode* symbol : free_symbols(parsed)) {
    if (sizes_.count(symbol) != 0) continue;
    call_.fail(ErrorKind::kValueError,
               format("the size '{}' names {}, which no argument has", text, to_string(symbol)));
  }
  return pool_->sym_int(substitute(parsed, sizes_));
}

}  // namespace faketensor
