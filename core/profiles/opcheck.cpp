#include "core/profiles/opcheck.h"

#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

void collect(const Value& value, std::vector<const Tensor*>& tensors) {
  if (value.is_tensor()) tensors.push_back(&value.tensor());
  for (size_t i = 0; value.is(Value::Tag::kList) && i < value.size(); ++i) {
    if (value[i].is_tensor()) tensors.push_back(&value[i].tensor());
  }
}

// Compares one result; symbols take the number they meet first, and must keep it.
class ResultCheck {
 public:
  std::vector<std::string> differences;

  void compare(size_t index, const TensorMeta& fake, const TensorMeta& real) {
    const auto expect = [&](bool same, std::string_view what, const auto& ours,
                            const auto& theirs) {
      if (!same)
        differences.push_back(
            format("result {}: {} {} where the operator gave {}", index, what, ours, theirs));
    };
    expect(fake.dtype() == real.dtype(), "dtype", fake.dtype(), real.dtype());
    expect(fake.device() == real.device().normalized(), "device", fake.device(), real.device());
    expect(fake.layout() == real.layout(), "layout", fake.layout(), real.layout());
    expect(agree(fake.sizes(), real.sizes()), "sizes", fake.sizes(), real.sizes());
    expect(agree(fake.strides(), real.strides()), "strides", fake.strides(), real.strides());
  }

 private:
  bool agree(Dims fake, Dims real) {
    if (fake.size() != real.size()) return false;
    for (size_t i = 0; i < fake.size(); ++i) {
      if (!agree(fake[i], real[i])) return false;
    }
    return true;
  }
  bool agree(SymInt fake, SymInt real) {
    if (!fake.is_symbolic() || real.is_symbolic()) return same_expr(fake, real);
    ExprPool& pool = *fake.node()->pool;
    if (fake.node()->kind == ExprKind::kSymbol && seen_.count(fake.node()) == 0) {
      const ShapeEnv* env = pool.shape_env();
      if (env != nullptr && !env->range(fake.node()).contains(real.as_int())) return false;
      seen_.emplace(fake.node(), pool.integer(real.as_int()));
      return true;
    }
    return same_expr(pool.sym_int(substitute(fake.node(), seen_)), real);
  }

  SymbolMap seen_;
};

}  // namespace

std::vector<std::string> opcheck(FakeTensorMode& mode, std::string_view op,
                                 std::span<const Value> args,
                                 std::span<const TensorMeta* const> real) {
  const Outcome outcome = mode.call(op, args);
  if (outcome.error) {
    return {
        format("the fake raised {}: {}", outcome.error->class_name(), outcome.error->message())};
  }
  std::vector<const Tensor*> tensors;
  collect(outcome.value, tensors);
  ResultCheck check;
  if (tensors.size() != real.size()) {
    check.differences.push_back(
        format("{} tensors where the operator gave {}", tensors.size(), real.size()));
  }
  for (size_t i = 0; i < tensors.size() && i < real.size(); ++i)
    check.compare(i, *tensors[i]->meta, *real[i]);
  return std::move(check.differences);
}

}  // namespace faketensor
