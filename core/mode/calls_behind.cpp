#include "core/mode/calls_behind.h"

#include <algorithm>

#include "core/mode/cache_key.h"
#include "core/ops/dispatch_cache.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/promotion.h"

namespace faketensor {

namespace {

using Calls = std::vector<CachedCall>;

// Names the operators that PyTorch calls to answer one, for the arguments it has.
class Behind {
 public:
  Behind(const OpEntry& op, std::span<const Value> args, const ArgumentsBefore& before,
         const Value& result, const CacheSurroundings& surroundings)
      : op_(op), args_(args), before_(before), result_(result), surroundings_(surroundings) {
    self_key_ = before.keys.substr(0, before.keys.find(';') + 1);
    for (const Value& arg : args) is_symbolic_ = is_symbolic_ || has_symbol(arg);
  }

  Calls calls() {
    const std::string_view name = op_.name.starts_with("aten::") ? op_.name.substr(6) : op_.name;
    return is_symbolic_ ? symbolic(name) : plain(name);
  }
  // What an operator that raises has called before.
  Calls calls_before_error() const {
    if (!is_symbolic_) return {};
    if (op_.name == "aten::add.out") return add_out();
    if (op_.name == "aten::cat.default") return cat();
    const bool is_mean = op_.name == "aten::mean.default";
    if (!is_mean && op_.name != "aten::var_mean.correction") return {};
    // They look at the dtype of what they have summed.
    Calls calls;
    const std::string made = format("{} [] [] 0 {}", self().dtype(), self().device());
    for (const std::string_view prim : {"prims::var", "prims::sum"}) {
      if (is_mean && prim == "prims::var") continue;
      CachedCall memory = call("empty_strided", made);
      memory.is_symbolic = false;
      calls.push_back(call(prim, all_keys(), {std::move(memory)}));
    }
    return calls;
  }

 private:
  // A call of which nothing but its identity is known.
  CachedCall call(std::string_view name, std::string_view key, Calls calls = {},
                  std::string bypass = {}) const {
    CachedCall made;
    made.key = format("{}({}){}", name, key, surroundings_.settings);
    made.is_symbolic = is_symbolic_;
    made.bypass = std::move(bypass);
    made.calls = std::move(calls);
    return made;
  }
  // The same as when it is called from outside with these arguments and the other ones' defaults.
  CachedCall outer(std::string_view name, std::initializer_list<Value> args,
                   Calls calls = {}) const {
    const OpEntry& op = Registry::builtin().entry(Registry::builtin().find(name));
    std::vector<Value> all(args);
    for (size_t i = all.size(); i < op.schema.arguments.size(); ++i)
      all.push_back(op.schema.arguments[i].default_value);
    std::string keys = argument_keys(all, surroundings_);
    if (!args_.empty() && args_[0].is_tensor() && all[0].is_tensor() &&
        &all[0].tensor() == &args_[0].tensor())
      keys.replace(0, keys.find(';') + 1, self_key_);
    return call(op.name, keys, std::move(calls));
  }

  const Tensor& self() const { return args_[0].tensor(); }
  bool has_result() const { return result_.is_tensor(); }
  // Sizes, strides and offset of a result.
  std::string geometry(const Value& value) const {
    if (!value.is_tensor()) return {};
    const Tensor& tensor = value.tensor();
    return format("{} {} {} {}", tensor.dtype(), dims_key(tensor.sizes()),
                  dims_key(tensor.strides()), dim_key(tensor.offset()));
  }
  std::string sizes_key(const Value& value) const {
    return value.is_tensor()
               ? format("{} {}", value.tensor().dtype(), dims_key(value.tensor().sizes()))
               : std::string();
  }
  CachedCall as_strided() const { return call("as_strided", self_key_ + geometry(result_)); }
  // The reference of view gives no offset, which is another key.
  CachedCall as_strided_in_place() const {
    return call("as_strided", self_key_ + geometry(result_) + " no offset");
  }
  // A new tensor on the permutation, strides or format of the result.
  CachedCall empty(std::string_view how) const {
    CachedCall made = call(how, format("{} {}", geometry(result_), device_text()));
    made.is_symbolic = result_.is_tensor() && has_free_symbol(result_.tensor());
    return made;
  }
  std::string device_text() const {
    return result_.is_tensor() ? format("{}", result_.tensor().device()) : std::string();
  }
  // prims.NAME(self, ...), which makes its result with empty_permuted.
  CachedCall elementwise_prim(std::string_view name) const {
    return call(format("prims::{}", name), all_keys(), {empty("empty_permuted")});
  }
  std::string all_keys() const { return argument_keys(args_, surroundings_); }

  std::string key_of(const Value& operand) const {
    return argument_keys({&operand, 1}, surroundings_);
  }
  // prims.convert_element_type, which makes its result on the operand's strides.
  CachedCall converted(const Value& operand, DType dtype) const {
    const Tensor& from = operand.tensor();
    const std::string made = format("{} {} {} 0 {}", dtype, dims_key(from.sizes()),
                                    dims_key(from.strides()), from.device());
    CachedCall memory = call("empty_strided", made);
    memory.is_symbolic = has_free_symbol(from);
    return call("prims::convert_element_type", key_of(operand) + made, {memory});
  }
  // How references promote an operand: x.to(dtype).
  CachedCall cast(const Value& operand, DType dtype) const {
    return call("aten::to.dtype", format("{}{}", key_of(operand), dtype),
                {outer("aten::_to_copy", {operand, dtype}, {converted(operand, dtype)})},
                "CompositeImplicitAutograd");
  }
  Calls casts(std::initializer_list<Value> operands, DType dtype) const {
    Calls calls;
    for (const Value& operand : operands) {
      if (operand.is_tensor() && operand.tensor().dtype() != dtype)
        calls.push_back(cast(operand, dtype));
    }
    return calls;
  }
  // The dtype that operands are promoted to.
  static DType promoted(std::span<const Value> operands) {
    ResultType type;
    for (const Value& operand : operands) {
      if (!operand.is_tensor()) continue;
      const Tensor& tensor = operand.tensor();
      type.add(tensor.dtype(), tensor.is_wrapped_number ? ResultType::kNumber
                               : tensor.dim() == 0      ? ResultType::kZeroDim
                                                        : ResultType::kDimensioned);
    }
    return type.result();
  }
  // Where the operand is not of the result's dtype (floats of integers).
  Calls with_cast(CachedCall prim) const {
    Calls calls;
    if (has_result() && is_integral_or_bool(self().dtype()) &&
        is_floating(result_.tensor().dtype()))
      calls = casts({args_[0]}, result_.tensor().dtype());
    calls.push_back(std::move(prim));
    return calls;
  }

  Calls to_copy() const {
    const bool moves = has_result() && result_.tensor().device() != self().device();
    const bool casts = has_result() && result_.tensor().dtype() != self().dtype();
    Calls calls;
    if (moves)
      calls.push_back(
          call("prims::device_put", self_key_ + device_text(), {empty("empty_strided")}));
    if (casts) calls.push_back(converted(args_[0], result_.tensor().dtype()));
    if (!moves && !casts) calls.push_back(clone());
    return calls;
  }
  CachedCall clone() const {
    return outer("aten::clone", {args_[0]}, is_symbolic_ ? clone_calls() : Calls());
  }
  Calls clone_calls() const {
    return {call("prims::clone", self_key_ + geometry(result_), {empty("empty_strided")})};
  }

  // Mirrors _reshape_view_helper, torch/_refs/__init__.py: which views make the shape.
  Calls view() const {
    if (!has_result()) return {};
    const Tensor& made = result_.tensor();
    const auto hints = [](Dims dims) {
      std::vector<int64_t> values;
      for (const SymInt dim : dims) values.push_back(hint(dim).value_or(0));
      return values;
    };
    std::vector<int64_t> sizes = hints(self().sizes());
    const std::vector<int64_t> shape = hints(made.sizes());
    const auto is_unknown = [](int64_t size) { return size <= 0; };
    const bool no_elements = std::any_of(sizes.begin(), sizes.end(), is_unknown) ||
                             std::any_of(shape.begin(), shape.end(), is_unknown);
    if (no_elements) return {as_strided_in_place()};
    const CachedCall same =
        call("prims::view_of", self_key_, {call("as_strided", self_key_ + "same")});
    if (sizes.empty() || shape.empty()) {
      if (sizes == shape) return {same};
      Calls calls;
      const size_t steps = std::max(sizes.size(), shape.size());
      for (size_t i = 0; i < steps; ++i)
        calls.push_back(call(sizes.empty() ? "aten::unsqueeze.step" : "aten::squeeze.step",
                             format("{}{}", self_key_, i)));
      return calls;
    }
    if (self().is_contiguous() &&
        ((shape.size() == 1 && sizes.size() > 1) || (shape.size() == 2 && sizes.size() == 1)))
      return {as_strided_in_place()};
    Calls calls;
    const auto step = [&](std::string_view name, size_t at) {
      std::string key = format("{}{}:{}", self_key_, at, calls.size());
      for (const int64_t size : sizes) key += format(",{}", size);
      calls.push_back(call(name, key, {call("as_strided", format("{}{}", name, key))}));
    };
    size_t at = 0;
    for (const int64_t length : shape) {
      if (at >= sizes.size()) {
        sizes.push_back(1);
        step("prims::split_dim", at++);
        continue;
      }
      if (length != sizes[at]) {
        size_t end = at;
        int64_t product = sizes[at];
        while (product % length != 0 && end + 1 < sizes.size()) product *= sizes[++end];
        if (end != at) {
          sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                      sizes.begin() + static_cast<std::ptrdiff_t>(end) + 1);
          sizes[at] = product;
          step("prims::collapse_view", at);
        }
        if (product != length) {
          sizes[at] = length;
          sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at) + 1, product / length);
          step("prims::split_dim", at);
        }
      }
      ++at;
    }
    while (at < sizes.size()) {
      sizes.pop_back();
      // squeeze calls squeeze.dims, which with symbols is a prim.
      std::string key = format("{}{}", self_key_, sizes.size());
      Calls inner;
      if (is_symbolic_)
        inner.push_back(call("prims::squeeze", key, {call("as_strided", "squeeze" + key)}));
      calls.push_back(call("aten::squeeze.dim", key, {call("aten::squeeze.dims", key, inner)}));
    }
    if (calls.empty()) return {same};
    return calls;
  }

  Calls index() const {
    Calls calls;
    if (has_mask_index(args_)) {
      const std::string key = argument_keys(args_, surroundings_);
      calls.push_back(call("aten::nonzero.default", key,
                           {call("new_empty_strided", key, {call("empty_strided", "n" + key)})},
                           "dynamic output shape"));
      const int64_t rank =
          args_[1].values()[0].is_tensor() ? args_[1].values()[0].tensor().dim() : 1;
      for (int64_t i = 0; i < rank; ++i)
        calls.push_back(call("aten::select.int", format("{}{}", key, i),
                             {call("as_strided", format("s{}{}", key, i))}));
    }
    Calls inner;
    if (has_symbol(result_)) inner.push_back(empty("empty.memory_format"));
    CachedCall made = call("aten::new_empty.default", self_key_ + sizes_key(result_), inner);
    made.is_symbolic = is_symbolic_;
    calls.push_back(std::move(made));
    calls.push_back(call("as_strided", self_key_ + "index" + sizes_key(result_)));
    calls.push_back(call("aten::to.dtype_layout", geometry(result_) + device_text(), {},
                         "CompositeImplicitAutograd"));
    return calls;
  }

  // The calls where no size is symbolic.
  Calls plain(std::string_view name) {
    if (name == "sum.default") {
      const Value no_dims = Value::list({});
      return {outer("aten::sum.dim_IntList", {args_[0], no_dims})};
    }
    if (name == "arange.default" || name == "arange.start")
      return {call("aten::arange.start_step", all_keys())};
    if (name == "_to_copy.default") return to_copy();
    if (name == "view.default") return view();
    if (name == "_unsafe_view.default") return {outer("aten::view", {args_[0], args_[1]}, view())};
    if (name == "select.int" || name == "slice.Tensor") return {as_strided()};
    if (name == "index.Tensor") return index();
    if (name == "embedding.default")
      return {call("aten::new_empty.default", self_key_ + sizes_key(result_) + "dtype")};
    if (name == "split.Tensor") return split({});
    if (name == "lift_fresh.default") {
      if (!surroundings_.context.owns(self())) return {};  // a real tensor becomes a fake
      return {outer("aten::alias", {args_[0]})};
    }
    if (name == "squeeze.default" || name == "squeeze.dim")
      return {
          call("aten::squeeze.dims", name == "squeeze.default" ? self_key_ + "all" : all_keys())};
    if (name == "var_mean.dim") return {call("aten::var_mean.correction.dim", all_keys())};
    if (name == "native_layer_norm.default") return layer_norm();
    if (name == "addmm.default") return addmm();
    return {};
  }

  Calls layer_norm() const {
    const std::string key = self_key_;
    Calls calls = {call("aten::var_mean.dim", key, {call("aten::var_mean.correction.dim", key)})};
    for (const std::string_view step :
         {"aten::add.Tensor", "aten::rsqrt.default", "aten::sub.Tensor", "aten::mul.Tensor"})
      calls.push_back(call(step, "layer_norm" + key));
    return calls;
  }

  Calls addmm() const {
    const std::string key = all_keys();
    Calls calls;
    for (const std::string_view step : {"1", "2", "3"})
      calls.push_back(
          call("aten::to.dtype", format("{}{}", step, key), {}, "CompositeImplicitAutograd"));
    calls.push_back(outer("aten::mm", {args_[1], args_[2]}));
    calls.push_back(call("aten::mul.Tensor", geometry(result_) + "1"));
    calls.push_back(call("aten::mul.Tensor", self_key_ + "1"));
    calls.push_back(call("aten::add.Tensor", "addmm" + key));
    calls.push_back(call("aten::to.dtype", "4" + key, {}, "CompositeImplicitAutograd"));
    return calls;
  }

  // References of one operand that are one prim (`return prims.NAME(a)` in torch/_refs).
  // clang-format off
  static constexpr std::string_view kRefs[] = {
      "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_not", "ceil", "cos", "cosh",
      "digamma", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "floor", "i0", "lgamma", "log",
      "log10", "log1p", "log2", "neg", "reciprocal", "rsqrt", "sign", "sin", "sinh",
      "special_bessel_j0", "special_bessel_j1", "special_erfcx", "special_i0e", "special_i1",
      "special_i1e", "special_ndtri", "special_spherical_bessel_j0", "sqrt", "tan", "tanh", "trunc"};
  // clang-format on
  static constexpr std::string_view kComparisons[] = {"eq", "ge", "gt", "le", "lt", "ne"};

  // The calls where a size is symbolic: references in Python answer more.
  Calls symbolic(std::string_view name) {
    const std::string_view base = name.substr(0, name.find('.'));
    if (std::find(std::begin(kRefs), std::end(kRefs), base) != std::end(kRefs))
      return with_cast(elementwise_prim(base));
    if (std::find(std::begin(kComparisons), std::end(kComparisons), base) != std::end(kComparisons))
      return {elementwise_prim(base)};
    if (name == "alias.default")
      return {call("prims::view_of", self_key_, {call("as_strided", self_key_ + "same")})};
    if (name == "lift_fresh.default" && surroundings_.context.owns(self()))
      return {outer("aten::alias", {args_[0]},
                    {call("prims::view_of", self_key_, {call("as_strided", self_key_ + "same")})})};
    if (name == "sum.default" || name == "sum.dim_IntList") {
      Calls sum = {call("prims::sum", all_keys(), {empty("empty_strided")})};
      if (name == "sum.dim_IntList") return sum;
      return {outer("aten::sum.dim_IntList", {args_[0], Value::list({})}, sum)};
    }
    if (name == "nonzero.default") return nonzero();
    if (name == "unsqueeze.default" || name == "expand.default")
      return {call("prims::broadcast_in_dim", all_keys(), {as_strided()})};
    if (name == "var_mean.correction") return var_mean();
    if (name == "arange.default" || name == "arange.start") return plain(name);
    if (name == "t.default") return transposed(2);
    if (name == "transpose.int") return transposed(1);
    if (name == "permute.default") return transposed(0);
    if (name == "add.out") return add_out();
    if (name == "unbind.int") return unbind();
    if (name == "_to_copy.default") return to_copy();
    if (name == "clone.default") return clone_calls();
    if (name == "index.Tensor") return index();
    if (name == "cat.default") return cat();
    if (name == "split.Tensor") return symbolic_split();
    if (name == "view.default") return view();
    if (name == "_unsafe_view.default") return view();
    if (name == "select.int" || name == "slice.Tensor") return {as_strided()};
    if (name == "empty_like.default") return {empty("empty_permuted")};
    if (name == "relu.default") return relu();
    if (name == "where.self") return {elementwise_prim("where")};
    if (name == "new_empty.default") return {empty("empty.memory_format")};
    if (name == "new_zeros.default") return {empty("full")};
    if (name == "amax.default" || name == "amin.default")
      return {call(format("prims::{}", base), all_keys(), {empty("empty_strided")})};
    if (name == "mean.default") return mean();
    if (name == "squeeze.default" || name == "squeeze.dim") return squeeze();
    if (name == "embedding.default")
      return {call("aten::new_empty.default", self_key_ + sizes_key(result_) + "dtype",
                   {empty("empty.memory_format")})};
    return {};
  }

  Calls nonzero() const {
    const std::string key = geometry(result_);
    return {call("new_empty_strided", self_key_ + key, {call("empty_strided", "nonzero" + key)})};
  }

  // empty_strided([], []) in the result's dtype has no symbols in it.
  CachedCall empty_scalar(std::string_view how) const {
    const Value& first = result_.is(Value::Tag::kList) ? result_.values()[0] : result_;
    CachedCall made = call(how, format("{} {}", geometry(first), self().device()));
    made.is_symbolic = has_symbol(first);
    return made;
  }
  Calls mean() const {
    CachedCall divide = call("prims::div", {}, {empty_scalar("empty_permuted")}, "symbolic shape");
    divide.has_key = false;
    return {call("prims::sum", self_key_ + "mean", {empty_scalar("empty_strided")}), divide};
  }
  Calls var_mean() const {
    Calls calls = {call("prims::var", all_keys(), {empty_scalar("empty_strided")})};
    for (CachedCall& step : mean()) calls.push_back(std::move(step));
    return calls;
  }

  // t is transpose.int, that is permute, that is a prim.
  Calls transposed(int above) const {
    Calls calls = {call("prims::transpose", self_key_ + geometry(result_), {as_strided()})};
    if (self().dim() < 2 && above > 0)
      calls = {
          outer("aten::alias", {args_[0]},
                {call("prims::view_of", self_key_, {call("as_strided", self_key_ + "same")})})};
    else if (above > 0)
      calls = {call("aten::permute.default", self_key_ + geometry(result_), calls)};
    if (above > 1) calls = {call("aten::transpose.int", self_key_ + geometry(result_), calls)};
    return calls;
  }

  Calls add_out() const {
    const std::span<const Value> operands = args_.first(2);
    Calls calls = casts({args_[0], args_[1]}, promoted(operands));
    if (!has_result()) return calls;
    const std::string key = all_keys();
    const auto differs = [&](size_t i) {
      const TensorMeta* meta = before_.metas[i];
      if (meta == nullptr) return false;
      const Dims sizes = result_.tensor().sizes();
      return meta->sizes().size() != sizes.size() ||
             !std::equal(sizes.begin(), sizes.end(), meta->sizes().begin(),
                         [](SymInt a, SymInt b) { return hint(a) == hint(b); });
    };
    for (const size_t i : {size_t{0}, size_t{1}}) {
      if (before_.metas[i] == nullptr || before_.metas[i]->rank() == 0 || !differs(i)) continue;
      const std::string expanded = format("{}{}", i, key);
      calls.push_back(call(
          "aten::expand.default", expanded,
          {call("prims::broadcast_in_dim", expanded, {call("as_strided", "expand" + expanded)})}));
    }
    calls.push_back(elementwise_prim("add"));
    // The sum is copied; made from the cache it has a storage of another size (Note [Storages of
    // cached results]).
    CachedCall copy = call("aten::copy_.default", geometry(result_));
    copy.sees_hit = !same_expr(cached_bytes(result_.tensor()),
                               result_.tensor().numel() * itemsize(result_.tensor().dtype()));
    if (differs(args_.size() - 1))
      calls.push_back(call("aten::resize_.default", key, {}, "inplace view"));
    calls.push_back(std::move(copy));
    return calls;
  }

  Calls unbind() const {
    Calls slices;
    Calls squeezes;
    for (size_t i = 0; i < result_.size(); ++i) {
      const std::string key = format("{}{}", self_key_, i);
      slices.push_back(call("aten::slice.Tensor", key, {call("as_strided", "slice" + key)}));
      squeezes.push_back(
          call("aten::squeeze.dim", key,
               {call("aten::squeeze.dims", key,
                     {call("prims::squeeze", key, {call("as_strided", "squeeze" + key)})})}));
    }
    Calls calls = {
        call("aten::tensor_split.sections", self_key_, slices, "CompositeImplicitAutograd")};
    for (CachedCall& squeeze : squeezes) calls.push_back(std::move(squeeze));
    return calls;
  }

  Calls cat() const {
    Calls calls;
    const DType dtype = promoted(args_[0].values());
    for (const Value& part : args_[0].values())
      if (part.tensor().dtype() != dtype) calls.push_back(cast(part, dtype));
    if (!has_result()) return calls;
    const std::string key = geometry(result_);
    calls.push_back(call("prims::cat", all_keys(), {empty("empty_strided")}));
    calls.push_back(
        call("aten::clone.default", "contiguous" + key,
             {call("prims::clone", "contiguous" + key, {empty("empty.memory_format")})}));
    return calls;
  }

  Calls split(Calls parts) const {
    std::string key = self_key_;
    for (size_t i = 0; i < result_.size(); ++i) key += dims_key(result_[i].tensor().sizes());
    key += format("{}", args_[2]);
    return {call("aten::split_with_sizes.default", key, std::move(parts), "non-FakeTensor output")};
  }
  Calls symbolic_split() const {
    Calls parts;
    for (size_t i = 0; i < result_.size(); ++i)
      parts.push_back(call("as_strided", self_key_ + geometry(result_[i])));
    return split(std::move(parts));
  }

  Calls relu() const {
    const std::string key = geometry(result_);
    CachedCall mask = call("empty_permuted", "bool" + key + device_text());
    return {call("aten::le.Scalar", self_key_ + "0", {call("prims::le", self_key_ + "0", {mask})}),
            call("aten::where.ScalarSelf", self_key_,
                 {call("prims::where", "relu" + self_key_, {empty("empty_permuted")})})};
  }

  Calls squeeze() const {
    const bool same = has_result() && result_.tensor().dim() == self().dim();
    return {call("aten::squeeze.dims", all_keys(),
                 {call(same ? "prims::view_of" : "prims::squeeze", self_key_,
                       {call("as_strided", self_key_ + geometry(result_))})})};
  }

  const OpEntry& op_;
  std::span<const Value> args_;
  const ArgumentsBefore& before_;
  const Value& result_;
  const CacheSurroundings& surroundings_;
  std::string self_key_;
  bool is_symbolic_ = false;
};

}  // namespace

std::vector<CachedCall> calls_behind(const OpEntry& op, std::span<const Value> args,
                                     const ArgumentsBefore& before, const Value* result,
                                     const CacheSurroundings& surroundings) {
  if (result == nullptr)
    return Behind(op, args, before, Value(), surroundings).calls_before_error();
  return Behind(op, args, before, *result, surroundings).calls();
}

}  // namespace faketensor
