// Activations and other elementwise functions of several steps: torch/_refs/__init__.py,
// torch/_refs/nn/functional/__init__.py, torch/_decomp/decompositions.py.
#include <cmath>

#include "core/ops/families/operand.h"
#include "core/ops/families/view.h"
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"

namespace faketensor {

namespace {

using enum Promotion;
using Taken = StepsDef::Taken;

// A reference of one tensor inside of elementwise_type_promotion_wrapper: `body` of the cast operand.
template <Promotion kind, auto body>
Value unary(Call& c, const Tensor& a) {
  const Promoted types(c, {a}, kind);
  return types.back(body(Operand(c, types.cast(a))));
}
// A decomposition of one tensor inside of pw_cast_for_opmath, which casts whatever the dtype is.
template <auto body>
Value opmath(Call& c, const Tensor& self) {
  const OpmathCast cast(c, {self});
  return cast.back(body(cast(self)));
}

Operand relu(const Operand& a) { return where(a <= 0, 0, a); }
Operand mish(const Operand& a) {
  return a * a.op<"aten::softplus">().op<"aten::tanh">();
}
Operand silu(const Operand& a) { return a * a.op<"aten::sigmoid">(); }
Operand frac(const Operand& a) { return a - a.op<"aten::trunc">(); }
Operand sinc(const Operand& given) {
  const Operand a = given * 3.14159265358979323846;
  const Operand is_zero = a.op<"aten::eq.Scalar">(0);
  const Operand sine = a.op<"aten::sin">();
  return where(is_zero, 1, sine / a);
}
Operand entropy(const Operand& a) {
  const Operand is_nan = a.op<"aten::isnan">();
  const Operand positive = a > 0;
  const Operand negated = -a;
  const Operand product = negated * a.op<"aten::log">();
  const Operand beside = where(a.op<"aten::eq.Scalar">(0), 0, -HUGE_VAL);
  return where(is_nan, a, where(positive, product, beside));
}
Operand clamped(const Operand& a) {
  const Operand from_zero = (a + 3).op<"aten::clamp">(0, nullptr);
  return from_zero.op<"aten::clamp">(nullptr, 6);
}
Operand hardsigmoid(const Operand& a) { return clamped(a) / 6; }
Operand hardswish(const Operand& a) { return a * clamped(a) / 6; }
Operand scaled(const Operand& a, double factor) { return a * factor; }
Operand rad2deg(const Operand& a) { return scaled(a, 180.0 / 3.14159265358979323846); }
Operand deg2rad(const Operand& a) { return scaled(a, 3.14159265358979323846 / 180.0); }

Value sgn(Call& c, const Tensor& a) {
  const Operand self(c, a);
  if (!is_complex(a.dtype())) return self.op<"aten::sign">();
  const Operand size = self.op<"aten::abs">();
  return where(size.op<"aten::eq.Scalar">(0), 0, self / size);
}
Value isinf(Call& c, const Tensor& a) {
  const Operand self(c, a);
  if (!is_float_or_complex(a.dtype())) return self.op<"aten::zeros_like">(DType::kBool);
  return self.op<"aten::abs">().op<"aten::eq.Scalar">(HUGE_VAL);
}
Value isposinf(Call& c, const Tensor& a) {
  return Operand(c, a).op<"aten::eq.Scalar">(HUGE_VAL);
}
Value isneginf(Call& c, const Tensor& a) {
  return Operand(c, a).op<"aten::eq.Scalar">(-HUGE_VAL);
}

Value gelu(Call& c, const Tensor& self, std::string_view approximate) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  if (approximate == "none")
    return types.back(a * 0.5 * ((a * 0.70710678118654752440).op<"aten::erf">() + 1));
  const Operand cube = a * a * a;
  const Operand inner = (a + cube * 0.044715) * 0.79788456080286535588;
  return types.back(a * 0.5 * (inner.op<"aten::tanh">() + 1));
}

Value elu(Call& c, const Tensor& self, const Value& alpha, const Value& scale,
          const Value& input_scale) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  const Operand is_positive = a > 0;
  const Operand scaled = a.op<"aten::mul.Tensor">(scale);
  const Operand exponent = a.op<"aten::mul.Tensor">(input_scale).op<"aten::expm1">();
  return types.back(where(is_positive, scaled, exponent * (alpha.to_double() * scale.to_double())));
}
Value celu(Call& c, const Tensor& self, const Value& alpha) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  const Operand ratio = a.op<"aten::true_divide.Scalar">(alpha);
  return types.back(where(a > 0, a, ratio.op<"aten::expm1">().op<"aten::mul.Tensor">(alpha)));
}
Value leaky_relu(Call& c, const Tensor& self, const Value& slope) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  const Operand is_positive = a > 0;
  return types.back(where(is_positive, a, a.op<"aten::mul.Tensor">(slope)));
}
Value softplus(Call& c, const Tensor& self, const Value& beta, const Value& threshold) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  const Operand input = a.op<"aten::mul.Tensor">(beta);
  const Operand rest =
      input.op<"aten::exp">().op<"aten::log1p">().op<"aten::true_divide.Tensor">(beta);
  return types.back(where(input.op<"aten::gt.Scalar">(threshold), a, rest));
}
Value hardshrink(Call& c, const Tensor& self, const Value& lambd) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  return types.back(where(a.op<"aten::abs">().op<"aten::le.Scalar">(lambd), 0, a));
}
Value softshrink(Call& c, const Tensor& self, const Value& lambd) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  const Operand is_far = a.op<"aten::abs">().op<"aten::gt.Scalar">(lambd);
  const Operand shrunk = a - a.op<"aten::sign">().op<"aten::mul.Tensor">(lambd);
  return types.back(where(is_far, shrunk, a * 0));
}
Value threshold(Call& c, const Tensor& self, const Value& limit, const Value& value) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  const Value result =
      c.call<"aten::where.ScalarSelf">(a.op<"aten::le.Scalar">(limit), value, a.value());
  return types.back(result);
}
Value hardtanh(Call& c, const Tensor& self, const Value& least, const Value& most) {
  return c.call<"aten::clamp">(self, least, most);
}
Value glu(Call& c, const Tensor& self, int64_t dim) {
  const Value halves =
      c.call<"aten::tensor_split.sections">(self, 2, dim < 0 ? dim + self.dim() : dim);
  const Operand gate(c, halves.values()[1]);
  return Operand(c, halves.values()[0]) * gate.op<"aten::sigmoid">();
}
Value logit(Call& c, const Tensor& self, const Value& eps) {
  const Promoted types(c, {self}, kIntToFloat);
  Operand a(c, types.cast(self));
  if (!eps.is_none()) {
    const double low = eps.to_double();
    const double high = 1 - low;
    a = where(a < low, low, where(a > high, high, a));
  }
  const Operand complement(c, c.call<"aten::rsub.Scalar">(a.value(), 1));
  return types.back(a.op<"aten::true_divide.Tensor">(complement).op<"aten::log">());
}

// --- limits ---

Value clamp(Call& c, const Tensor& self, const Value& least, const Value& most) {
  Value operands[] = {self, least, most};
  const Promoted types(c, operands, kDefault);
  Value a = types.cast(self);
  const Value low = types.cast(least);
  const Value high = types.cast(most);
  const auto bound = [&](const Value& limit, bool is_low) {
    const Value is_nan = c.call<"aten::isnan">(a);
    const bool is_tensor = limit.is_tensor() && !limit.tensor().is_wrapped_number;
    const Value within =
        is_tensor ? (is_low ? c.call<"aten::ge.Tensor">(a, limit) : c.call<"aten::le.Tensor">(a, limit))
                  : (is_low ? c.call<"aten::ge.Scalar">(a, limit) : c.call<"aten::le.Scalar">(a, limit));
    const Value stays = c.call<"aten::bitwise_or.Tensor">(within, is_nan);
    a = is_tensor ? c.call<"aten::where.self">(stays, a, limit)
                  : c.call<"aten::where.ScalarOther">(stays, a, limit);
  };
  if (!low.is_none()) bound(low, true);
  if (!high.is_none()) bound(high, false);
  return types.back(a);
}
Value clamp_min(Call& c, const Tensor& self, const Value& least) {
  return c.call<"aten::clamp">(self, least);
}
Value clamp_max(Call& c, const Tensor& self, const Value& most) {
  return c.call<"aten::clamp">(self, nullptr, most);
}
Value clamp_min_tensor(Call& c, const Tensor& self, const Value& least) {
  return c.call<"aten::clamp.Tensor">(self, least);
}
Value clamp_max_tensor(Call& c, const Tensor& self, const Value& most) {
  return c.call<"aten::clamp.Tensor">(self, nullptr, most);
}

// --- choices ---

// torch._refs.where, which composites with numbers for branches take where sizes are symbolic.
Value where_ref(Call& c, const Value& condition, const Value& a, const Value& b) {
  if ((c.op().tags & kComposite) != 0 && !has_symbolic_sizes(c))
    return c.op().rule.function(c, c.op().rule.params);
  const Value branches[] = {a, b};
  const Promoted types(c, branches, kNoOpmath);
  Value operands[] = {condition, types.cast(a), types.cast(b)};
  broadcast(c, operands);
  return types.back(c.forward<"prims::where">(operands));
}

Value contiguous(Call& c, const Value& value) {
  return value.tensor().is_contiguous() ? value : c.call<"aten::contiguous">(value);
}
Value masked_fill_scalar(Call& c, const Tensor& a, const Tensor& mask, const Value& value) {
  return contiguous(c, c.call<"aten::where.ScalarSelf">(mask, value, a));
}
Value masked_fill_tensor(Call& c, const Tensor& a, const Tensor& mask, const Value& value) {
  return contiguous(c, c.call<"aten::where.self">(mask, cast_to(c, value, a.dtype()), a));
}

// --- two operands ---

// The operands of a reference, cast and broadcast.
struct Pair {
  Promoted types;
  Operand a;
  Operand b;
  static Pair of(Call& c, Promotion kind) {
    const std::span<const Value> given = c.args().first(2);
    Promoted types(c, given, kind);
    Value a = types.cast(given[0]);
    Value b = types.cast(given[1]);
    broadcast(c, a, b);
    return {types, Operand(c, a), Operand(c, b)};
  }
};

Value logical(Call& c, const Value& a) {
  return is_bool(a.tensor().dtype()) ? a : c.call<"aten::ne.Scalar">(a, 0);
}
template <FixedString prim>
Value logical_pair(Call& c, uint64_t) {
  Value a = c.arg(0);
  Value b = c.arg(1);
  broadcast(c, a, b);
  a = logical(c, a);
  return c.call<prim>(a, logical(c, b));
}

// torch._refs.true_divide and the two that round.
Value true_divide(Call& c, const Value&, const Value&) {
  return elementwise_reference(c, 2, kIntToFloat, [](Call& call, std::span<const Value> operands) {
    return call.forward<"prims::div">(operands);
  });
}
Value floor_divide_integers(Call& c, const Value& a, const Value& b) {
  const auto prim = [&](auto name, const Value& x, const Value& y) { return name(x, y); };
  (void)prim;
  // Quotients are rounded to zero: one is taken off where the signs differ and a rest remains.
  const auto is_negative = [&](const Value& x) {
    return x.is_tensor() && !x.tensor().is_wrapped_number ? c.call<"aten::signbit">(x)
                                                          : c.call<"aten::signbit">(x);
  };
  const bool is_number = !b.is_tensor() || b.tensor().is_wrapped_number;
  const Value divisor =
      is_number ? c.call<"prims::scalar_tensor">(b, a.tensor().dtype(), a.tensor().device()) : b;
  const Value sign_a = is_negative(a);
  const Value sign_b = is_negative(divisor);
  const Value differ = c.call<"aten::ne.Tensor">(sign_a, sign_b);
  const Value rest = c.call<"aten::fmod.Tensor">(a, divisor);
  const Value remains = c.call<"aten::ne.Scalar">(rest, 0);
  const Value offset = c.call<"aten::logical_and">(differ, remains);
  const Value quotient = c.call<"prims::div">(a, divisor);
  return c.call<"aten::sub.Tensor">(quotient, cast_to(c, offset, a.tensor().dtype()));
}
Value divide_by_mode(Call& c, const Value&, const Value&, std::optional<std::string_view> mode) {
  if (!mode) return true_divide(c, c.arg(0), c.arg(1));
  if (*mode == "trunc") {
    const Pair pair = Pair::of(c, kDefault);
    const Value quotient = c.call<"prims::div">(pair.a.value(), pair.b.value());
    const bool is_whole = is_integral_or_bool(quotient.tensor().dtype());
    return pair.types.back(is_whole ? quotient : c.call<"prims::trunc">(quotient));
  }
  const Pair pair = Pair::of(c, kDefault);
  if (is_integral_or_bool(pair.types.computation()))
    return pair.types.back(floor_divide_integers(c, pair.a.value(), pair.b.value()));
  return c.op().rule.function(c, c.op().rule.params);
}

Value logaddexp2(Call& c, const Value&, const Value&) {
  const auto [types, a, b] = Pair::of(c, kIntToFloat);
  const Operand mask = a.op<"aten::ge.Tensor">(b);
  const Operand most = where(mask, a, b);
  const Operand least = where(mask, b, a);
  const Operand infinite = a.op<"aten::isinf">();
  const Operand both = infinite.op<"aten::logical_and">(a.op<"aten::eq.Tensor">(b));
  const Operand power = (least - most).op<"aten::exp2">().op<"aten::log1p">();
  return types.back(where(both, a, most + power * (1 / std::log(2.0))));
}

Value heaviside(Call& c, const Value&, const Value&) {
  const auto [types, input, values] = Pair::of(c, kDefault);
  const Operand is_zero = input.op<"aten::eq.Scalar">(0);
  const Operand below = input < 0;
  const Operand chosen = below.op<"aten::logical_or">(input.op<"aten::isnan">());
  return types.back(where(is_zero, values, where(chosen, 0, 1)));
}

template <FixedString logarithm>
Value product_with_log(Call& c, const Value& x, const Value& y) {
  const Value given[] = {x, y};
  const Promoted types(c, given, kIntToFloat);
  Value a = types.cast(x);
  Value b = types.cast(y);
  const auto is_number = [](const Value& v) {
    return !v.is_tensor() || v.tensor().is_wrapped_number;
  };
  if (is_number(a))
    a = c.call<"prims::scalar_tensor">(a, b.tensor().dtype(), b.tensor().device());
  if (is_number(b))
    b = c.call<"prims::scalar_tensor">(b, a.tensor().dtype(), a.tensor().device());
  const Operand first(c, a);
  const Operand second(c, b);
  const Operand is_zero = first.op<"aten::eq.Scalar">(0);
  const Operand product = first * second.op<logarithm>();
  const Operand rest = where(is_zero, 0, product);
  return types.back(where(second.op<"aten::isnan">(), std::nan(""), rest));
}

// The scale of `other` is a step of its own.
template <FixedString prim>
Value scaled_sum(Call& c, const Value&, const Value&, const Value& alpha) {
  auto [types, a, b] = Pair::of(c, kDefault);
  Value scaled = b.value();
  if (!alpha.is_none() && alpha.to_double() != 1.0 && scaled.is_tensor())
    scaled = c.call<"prims::mul">(scaled, alpha);
  return types.back(c.call<prim>(a.value(), scaled));
}
Value rsub(Call& c, const Value& self, const Value& other, const Value& alpha) {
  if (!self.is_tensor()) return c.call<"aten::sub.Tensor">(other, self, alpha);
  return other.is_tensor() && !other.tensor().is_wrapped_number
             ? c.call<"aten::sub.Tensor">(other, self, alpha)
             : c.call<"aten::sub.Tensor">(other, self, alpha);
}

// clang-format off
constexpr StepsDef kActivationSteps[] = {
    {"aten::add.Tensor", rule<&scaled_sum<"prims::add">>(), Taken::kNobody},
    {"aten::add.out", {&out_steps}, Taken::kSymbols},
    {"aten::celu", rule<&celu>()},
    {"aten::clamp", rule<&clamp>()},
    {"aten::clamp.Tensor", rule<&clamp>()},
    {"aten::clamp_max", rule<&clamp_max>()},
    {"aten::clamp_max.Tensor", rule<&clamp_max_tensor>()},
    {"aten::clamp_min", rule<&clamp_min>()},
    {"aten::clamp_min.Tensor", rule<&clamp_min_tensor>()},
    {"aten::deg2rad", rule<&unary<kIntToFloat, deg2rad>>()},
    {"aten::div.Scalar", rule<&true_divide>()},
    {"aten::div.Scalar_mode", rule<&divide_by_mode>()},
    {"aten::div.Tensor", rule<&true_divide>(), Taken::kNobody},
    {"aten::div.Tensor_mode", rule<&divide_by_mode>()},
    {"aten::div.out", {&out_steps}, Taken::kSymbols},
    {"aten::elu", rule<&elu>()},
    {"aten::frac", rule<&unary<kDefault, frac>>()},
    {"aten::gelu", rule<&gelu>()},
    {"aten::glu", rule<&glu>()},
    {"aten::hardshrink", rule<&hardshrink>()},
    {"aten::hardsigmoid", rule<&opmath<hardsigmoid>>()},
    {"aten::hardswish", rule<&opmath<hardswish>>()},
    {"aten::hardtanh", rule<&hardtanh>()},
    {"aten::heaviside", rule<&heaviside>()},
    {"aten::isinf", rule<&isinf>()},
    {"aten::isneginf", rule<&isneginf>()},
    {"aten::isposinf", rule<&isposinf>()},
    {"aten::leaky_relu", rule<&leaky_relu>()},
    {"aten::logaddexp2", rule<&logaddexp2>()},
    {"aten::logical_and", {&logical_pair<"aten::__and__.Tensor">}},
    {"aten::logical_or", {&logical_pair<"prims::bitwise_or">}},
    {"aten::logical_xor", {&logical_pair<"aten::__xor__.Tensor">}},
    {"aten::logit", rule<&logit>()},
    {"aten::masked_fill.Scalar", rule<&masked_fill_scalar>()},
    {"aten::masked_fill.Tensor", rule<&masked_fill_tensor>()},
    {"aten::mish", rule<&unary<kDefault, mish>>()},
    {"aten::mul.Tensor", reference<"prims::mul">(kDefault, 2), Taken::kNobody},
    {"aten::mul.out", {&out_steps}, Taken::kSymbols},
    {"aten::rad2deg", rule<&unary<kIntToFloat, rad2deg>>()},
    {"aten::relu", rule<&unary<kDefault, relu>>()},
    {"aten::rsub.Scalar", rule<&rsub>()},
    {"aten::rsub.Tensor", rule<&rsub>()},
    {"aten::sgn", rule<&sgn>()},
    {"aten::silu", rule<&opmath<silu>>()},
    {"aten::sinc", rule<&unary<kIntToFloat, sinc>>()},
    {"aten::softplus", rule<&softplus>()},
    {"aten::softshrink", rule<&softshrink>()},
    {"aten::special_entr", rule<&unary<kIntToFloat, entropy>>()},
    {"aten::special_xlog1py", rule<&product_with_log<"aten::log1p">>()},
    {"aten::special_xlog1py.other_scalar", rule<&product_with_log<"aten::log1p">>()},
    {"aten::special_xlog1py.self_scalar", rule<&product_with_log<"aten::log1p">>()},
    {"aten::sub.Tensor", rule<&scaled_sum<"prims::sub">>(), Taken::kNobody},
    {"aten::sub.out", {&out_steps}, Taken::kSymbols},
    {"aten::threshold", rule<&threshold>()},
    {"aten::where.Scalar", rule<&where_ref>()},
    {"aten::where.ScalarOther", rule<&where_ref>()},
    {"aten::where.ScalarSelf", rule<&where_ref>()},
    {"aten::where.self", rule<&where_ref>()},
    {"aten::xlogy.Scalar_Other", rule<&product_with_log<"aten::log">>()},
    {"aten::xlogy.Scalar_Self", rule<&product_with_log<"aten::log">>()},
    {"aten::xlogy.Tensor", rule<&product_with_log<"aten::log">>()},
};
// clang-format on

}  // namespace

std::span<const StepsDef> activation_steps() { return kActivationSteps; }

}  // namespace faketensor
