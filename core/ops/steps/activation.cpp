// Activations and other elementwise functions of several steps: torch/_refs/__init__.py,
// torch/_refs/nn/functional/__init__.py, torch/_decomp/decompositions.py.
#include <cmath>

#include "core/ops/families/operand.h"
#include "core/ops/families/view.h"
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace steps_of_activation {
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

Operand neg(const Operand& a) { return a.op<"prims::neg">(); }
Value sigmoid(Call& c, const Tensor& self) {
  const Promoted types(c, {self}, kIntToFloat);
  const Value power = c.call<"prims::exp">(c.call<"prims::neg">(types.cast(self)));
  return types.back(c.call<"prims::div">(1.0, c.call<"prims::add">(1.0, power)));
}
Operand relu(const Operand& a) { return where(a <= 0, 0, a); }
Operand mish(const Operand& a) { return a * a.op<"aten::softplus">().op<"aten::tanh">(); }
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
  const Operand is_zero = size.op<"aten::eq.Scalar">(0);
  return where(is_zero, 0, self / size);
}
Value isinf(Call& c, const Tensor& a) {
  const Operand self(c, a);
  if (!is_float_or_complex(a.dtype())) return self.op<"aten::zeros_like">(DType::kBool);
  return self.op<"aten::abs">().op<"aten::eq.Scalar">(HUGE_VAL);
}
Value isposinf(Call& c, const Tensor& a) { return Operand(c, a).op<"aten::eq.Scalar">(HUGE_VAL); }
Value isneginf(Call& c, const Tensor& a) { return Operand(c, a).op<"aten::eq.Scalar">(-HUGE_VAL); }

Value gelu(Call& c, const Tensor& self, std::string_view approximate) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  if (approximate == "none") {
    const Operand half = a * 0.5;
    return types.back(half * ((a * 0.70710678118654752440).op<"aten::erf">() + 1));
  }
  const Operand cube = a * a * a;
  const Operand inner = (a + cube * 0.044715) * 0.79788456080286535588;
  const Operand half = a * 0.5;
  return types.back(half * (inner.op<"aten::tanh">() + 1));
}

Value elu(Call& c, const Tensor& self, const Value& alpha, const Value& scale,
          const Value& input_scale) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  const Operand is_positive = a > 0;
  const Operand scaled = a * scale.to_double();
  const Operand exponent = (a * input_scale.to_double()).op<"aten::expm1">();
  return types.back(where(is_positive, scaled, exponent * (alpha.to_double() * scale.to_double())));
}
Value celu(Call& c, const Tensor& self, const Value& alpha) {
  const Promoted types(c, {self}, kDefault);
  const Operand a(c, types.cast(self));
  // The default is left out on the way to the reference, whose own is None.
  if (alpha.to_double() == 1.0) {
    const Operand rest = a.op<"aten::expm1">();
    return types.back(where(a > 0, a, rest));
  }
  const Operand ratio = a.op<"aten::true_divide.Tensor">(alpha);
  const Operand rest = ratio.op<"aten::expm1">().op<"aten::mul.Tensor">(alpha);
  return types.back(where(a > 0, a, rest));
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
  // The default is left out on the way to the reference, whose own is None.
  const bool is_scaled = beta.to_double() != 1.0;
  const Operand input = is_scaled ? a.op<"aten::mul.Tensor">(beta) : a;
  const Operand log = input.op<"aten::exp">().op<"aten::log1p">();
  const Operand rest = is_scaled ? log.op<"aten::true_divide.Tensor">(beta) : log;
  return types.back(where(input.op<"aten::gt.Scalar">(threshold), a, rest));
}
Value hardshrink(Call& c, const Tensor& self, const Value& lambd) {
  const Operand a(c, self);
  return where(a.op<"aten::abs">().op<"aten::le.Scalar">(lambd), 0, a);
}
Value softshrink(Call& c, const Tensor& self, const Value& lambd) {
  const Operand a(c, self);
  const Operand is_far = a.op<"aten::abs">().op<"aten::gt.Scalar">(lambd);
  const Operand shrunk = a - a.op<"aten::sign">().op<"aten::mul.Tensor">(lambd);
  return where(is_far, shrunk, a * 0);
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
  const Value halves = c.call<"aten::tensor_split.sections">(self, 2, wrap_dim(dim, self.dim()));
  const Operand gate(c, halves.values()[1]);
  return Operand(c, halves.values()[0]) * gate.op<"aten::sigmoid">();
}
Value logit(Call& c, const Tensor& self, const Value& eps) {
  const Promoted types(c, {self}, kIntToFloat);
  Operand a(c, types.cast(self));
  if (!eps.is_none()) {
    const double low = eps.to_double();
    const double high = 1 - low;
    const Operand is_low = a < low;
    a = where(is_low, low, where(a > high, high, a));
  }
  const Operand complement(c, c.call<"aten::sub.Tensor">(1, a.value()));
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
        is_tensor
            ? (is_low ? c.call<"aten::ge.Tensor">(a, limit) : c.call<"aten::le.Tensor">(a, limit))
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
  if ((c.op().tags & kComposite) != 0 && !takes_references(c))
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
  // Quotients are rounded to zero: one is taken off where the signs differ and a rest remains.
  const bool is_number = !b.is_tensor() || b.tensor().is_wrapped_number;
  const Value divisor = is_number ? c.call<"prims::scalar_tensor">(
                                        plain_number(b), a.tensor().dtype(), a.tensor().device())
                                  : b;
  const Value sign_a = c.call<"aten::signbit">(a);
  const Value sign_b = c.call<"aten::signbit">(divisor);
  const Value differ = c.call<"aten::ne.Tensor">(sign_a, sign_b);
  const Value rest = c.call<"aten::fmod.Tensor">(a, divisor);
  const Value remains = c.call<"aten::ne.Scalar">(rest, 0);
  const Value offset = c.call<"aten::logical_and">(differ, remains);
  const Value quotient = c.call<"prims::div">(a, divisor);
  return c.call<"aten::sub.Tensor">(quotient, cast_to(c, offset, a.tensor().dtype()));
}
// Mirrors _floor_divide_float: the quotient of what the remainder leaves, rounded to a whole number,
// with the sign and the infinities of the true one.
Value floor_divide_floats(Call& c, const Value& a, const Value& given) {
  const bool is_number = !given.is_tensor() || given.tensor().is_wrapped_number;
  const DType dtype = a.tensor().dtype();
  const Value b =
      is_number ? c.call<"prims::scalar_tensor">(plain_number(given), dtype, a.tensor().device())
                : given;
  const auto choose = [&](const Value& mask, Value x, Value y) {
    Value operands[] = {mask, x, y};
    return c.forward<"prims::where">(operands);
  };
  const Value rest = c.call<"prims::fmod">(a, b);
  const Value exact = c.call<"prims::div">(c.call<"prims::sub">(a, rest), b);
  const Value is_below = c.call<"prims::lt">(a, 0.0);
  const Value differ = c.call<"prims::bitwise_xor">(is_below, c.call<"prims::lt">(b, 0.0));
  const Value off = c.call<"prims::bitwise_and">(c.call<"prims::ne">(rest, 0.0), differ);
  const Value quotient = choose(off, c.call<"prims::sub">(exact, 1.0), exact);
  const Value floor = c.call<"prims::floor">(quotient);
  const Value is_far = c.call<"prims::gt">(c.call<"prims::sub">(quotient, floor), 0.5);
  const Value whole = choose(is_far, c.call<"prims::add">(floor, 1.0), floor);
  const Value basic = c.call<"prims::div">(a, b);
  const Value zero = c.call<"prims::scalar_tensor">(0, dtype, basic.tensor().device());
  const Value is_nonzero = c.call<"prims::ne">(quotient, 0.0);
  const Value sign = cast_to(c, c.call<"prims::signbit">(basic), DType::kBool);
  const Value negative = c.call<"prims::neg">(c.call<"prims::abs">(zero));
  const Value signed_zero = choose(sign, negative, c.call<"prims::abs">(zero));
  const Value result = choose(is_nonzero, whole, signed_zero);
  return choose(c.call<"prims::ne">(b, 0.0), result, basic);
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
  return pair.types.back(floor_divide_floats(c, pair.a.value(), pair.b.value()));
}
Value floor_divide(Call& c, const Value& self, const Value& other) {
  return c.call<"aten::div.Tensor_mode">(self, other, "floor");
}

// Squares and roots are operators of their own.
Value pow(Call& c, const Value& base, const Value& exponent) {
  const Value given[] = {base, exponent};
  const Promoted types(c, given, kBoolToLong);
  const Value a = types.cast(base);
  const Value b = types.cast(exponent);
  const auto is_plain = [](const Value& value) {
    return value.is(Value::Tag::kInt) ? !value.as_sym_int().is_symbolic()
                                      : value.is(Value::Tag::kFloat);
  };
  if (is_plain(b)) {
    const double power = b.to_double();
    if (power == 1.0) return types.back(c.call<"aten::clone">(a));
    if (power == 2.0) return types.back(c.call<"aten::mul.Tensor">(a, a));
    if (power == 0.5) return types.back(c.call<"aten::sqrt">(a));
  } else if (is_plain(a) && a.to_double() == 2.0 && is_float_or_complex(b.tensor().dtype())) {
    return types.back(c.call<"aten::exp2">(b));
  }
  return types.back(c.call<"prims::pow">(a, b));
}

Value logaddexp(Call& c, const Value&, const Value&) {
  const auto [types, a, b] = Pair::of(c, kIntToFloat);
  const auto real = [](const Operand& x) { return x.op<"aten::real">(); };
  const Operand left = real(a);
  const Operand mask = left.op<"aten::ge.Tensor">(real(b));
  const Operand most = where(mask, a, b);
  const Operand least = where(mask, b, a);
  const Operand infinite = real(a).op<"aten::isfinite">().op<"aten::logical_not">();
  const Operand again = real(a);
  const Operand both = infinite.op<"aten::logical_and">(again.op<"aten::eq.Tensor">(real(b)));
  const auto added = [&] { return most + (least - most).op<"aten::exp">().op<"aten::log1p">(); };
  if (!is_complex(types.computation())) return types.back(where(both, a, added()));
  const Operand is_negative = real(least) < 0;
  const Operand power = least.op<"aten::exp">();
  const Operand sum = (power + most.op<"aten::exp">()).op<"aten::log">();
  const Operand at_infinity = where(is_negative, least, sum);
  const Operand values = where(both, at_infinity, added());
  const Operand is_nan = least.op<"aten::isnan">();
  return types.back(where(is_nan, std::nan(""), values));
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
    a = c.call<"prims::scalar_tensor">(plain_number(a), b.tensor().dtype(), b.tensor().device());
  if (is_number(b))
    b = c.call<"prims::scalar_tensor">(plain_number(b), a.tensor().dtype(), a.tensor().device());
  const Operand first(c, a);
  const Operand second(c, b);
  const Operand is_zero = first.op<"aten::eq.Scalar">(0);
  const Operand product = first * second.op<logarithm>();
  const Operand rest = where(is_zero, 0, product);
  return types.back(where(second.op<"aten::isnan">(), std::nan(""), rest));
}

// Whether make_fast_binary_impl (torch/_subclasses/fake_impls.py) answers, which calls nothing: the
// result has the shape of an operand, and all are in one memory format.
bool is_fast(Call& c) {
  const DimVector common = broadcast_operands(c, c.args().first(2));
  bool is_shaped = false;
  bool is_contiguous = true;
  bool is_channels_last = true;
  for (const Value& operand : c.args().first(2)) {
    if (!operand.is_tensor() || operand.tensor().is_wrapped_number) continue;
    const Tensor& tensor = operand.tensor();
    is_shaped = is_shaped || equal_or_false(tensor.sizes(), common);
    is_contiguous = is_contiguous && tensor.is_contiguous();
    is_channels_last = is_channels_last && tensor.is_contiguous(MemoryFormat::kChannelsLast);
  }
  return is_shaped && (is_contiguous || is_channels_last);
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
  return c.call<"aten::sub.Tensor">(other, self, alpha);
}

template <FixedString prim>
Value sum_of(Call& c, const Value& self, const Value& other, const Value& alpha) {
  return is_fast(c) ? c.op().rule.function(c, c.op().rule.params)
                    : scaled_sum<prim>(c, self, other, alpha);
}
// An out= overload takes the reference whatever the operands are.
template <FixedString prim>
Value sum_out(Call& c, const Value& self, const Value& other, const Value& alpha) {
  return write_outs(c, scaled_sum<prim>(c, self, other, alpha));
}
Value product(Call& c) {
  return elementwise_reference(c, 2, kDefault, [](Call& call, std::span<const Value> operands) {
    return call.forward<"prims::mul">(operands);
  });
}
Value multiply(Call& c, const Value&, const Value&) {
  return is_fast(c) ? c.op().rule.function(c, c.op().rule.params) : product(c);
}
Value multiply_out(Call& c, const Value&, const Value&) { return write_outs(c, product(c)); }
Value divide_out(Call& c, const Value& self, const Value& other) {
  return write_outs(c, true_divide(c, self, other));
}
Value divide(Call& c, const Value& self, const Value& other) {
  return is_fast(c) ? c.op().rule.function(c, c.op().rule.params) : true_divide(c, self, other);
}

Value prelu(Call& c, const Tensor& self, const Tensor& weight) {
  const Operand a(c, self);
  const Operand is_positive = a > 0;
  return where(is_positive, a, Operand(c, weight) * a);
}
Value ldexp(Call& c, const Tensor& self, const Value& other) {
  const Operand a(c, self);
  const Operand two = a.op<"aten::new_full">(DimVector(), 2, nullptr, nullptr, nullptr, false);
  return a * two.op<"aten::pow.Tensor_Tensor">(other);
}
Value log_sigmoid(Call& c, const Tensor& self) {
  const OpmathCast cast(c, {self});
  const Operand a = cast(self);
  const auto zeros = [&](const DimVector& sizes) {
    return a.op<"aten::new_zeros">(sizes, nullptr, nullptr, nullptr, false);
  };
  const Operand least = zeros({}).op<"aten::minimum">(a);
  const Operand z = (-a.op<"aten::abs">()).op<"aten::exp">();
  const Operand buffer = self.device().is_cuda() ? zeros({0}) : z;
  const Operand result = least - z.op<"aten::log1p">();
  const Value first = cast.back(result);
  return c.tuple({first, cast.back(buffer)});
}

Value addcmul(Call& c, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
              const Value& value) {
  const Promoted types(c, {self, tensor1, tensor2}, kDefault);
  const Operand a(c, types.cast(self));
  const Operand b(c, types.cast(tensor1));
  const Operand d(c, types.cast(tensor2));
  const Operand scaled = b.op<"aten::mul.Tensor">(value);
  return types.back(a + scaled * d);
}
Value frexp(Call& c, const Tensor& self) { return c.call<"prims::frexp">(self); }

// clang-format off
constexpr StepsDef kActivationSteps[] = {
    {"aten::_prelu_kernel", rule<&prelu>()},
    {"aten::abs_", copied_steps_of<"aten::abs">(), Taken::kSymbols},
    {"aten::add.Scalar_out", rule<&sum_out<"prims::add">>(), Taken::kSymbols},
    {"aten::add.Tensor", rule<&sum_of<"prims::add">>(), Taken::kSymbols},
    {"aten::add.out", rule<&sum_out<"prims::add">>(), Taken::kSymbols},
    {"aten::add_.Tensor", {}, Taken::kNobody},
    {"aten::addbmm_", copied_call_of<"aten::addbmm">(), Taken::kSymbols},
    {"aten::addcmul", rule<&addcmul>(), Taken::kNobody},
    {"aten::baddbmm_", copied_call_of<"aten::baddbmm">(), Taken::kSymbols},
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
    {"aten::div.Tensor", rule<&divide>(), Taken::kSymbols},
    {"aten::div.Tensor_mode", rule<&divide_by_mode>()},
    {"aten::div.out", rule<&divide_out>(), Taken::kSymbols},
    {"aten::div_.Tensor", {}, Taken::kNobody},
    {"aten::elu", rule<&elu>()},
    {"aten::floor_divide", rule<&floor_divide>()},
    {"aten::floor_divide.Scalar", rule<&floor_divide>()},
    {"aten::frac", rule<&unary<kDefault, frac>>()},
    {"aten::frexp.Tensor", rule<&frexp>()},
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
    {"aten::ldexp.Tensor", rule<&ldexp>()},
    {"aten::ldexp_", copied_call_of<"aten::ldexp.Tensor">(), Taken::kSymbols},
    {"aten::leaky_relu", rule<&leaky_relu>()},
    {"aten::log_sigmoid_forward", rule<&log_sigmoid>()},
    {"aten::logaddexp", rule<&logaddexp>()},
    {"aten::logaddexp2", rule<&logaddexp2>()},
    {"aten::logical_and", {&logical_pair<"aten::__and__.Tensor">}},
    {"aten::logical_or", {&logical_pair<"prims::bitwise_or">}},
    {"aten::logical_xor", {&logical_pair<"aten::__xor__.Tensor">}},
    {"aten::logit", rule<&logit>()},
    {"aten::masked_fill.Scalar", rule<&masked_fill_scalar>()},
    {"aten::masked_fill.Tensor", rule<&masked_fill_tensor>()},
    {"aten::masked_fill_.Tensor", copied_call_of<"aten::masked_fill.Tensor">(), Taken::kSymbols},
    {"aten::mish", rule<&unary<kDefault, mish>>()},
    {"aten::mul.Tensor", rule<&multiply>(), Taken::kSymbols},
    {"aten::mul.out", rule<&multiply_out>(), Taken::kSymbols},
    {"aten::mul_.Tensor", {}, Taken::kNobody},
    {"aten::neg", rule<&unary<kDefault, neg>>()},
    {"aten::pow.Scalar", rule<&pow>()},
    {"aten::pow.Tensor_Scalar", rule<&pow>()},
    {"aten::pow.Tensor_Tensor", reference<"prims::pow">(kBoolToLong, 2)},
    {"aten::rad2deg", rule<&unary<kIntToFloat, rad2deg>>()},
    {"aten::relu", rule<&unary<kDefault, relu>>()},
    {"aten::round_", copied_call_of<"aten::round">(), Taken::kSymbols},
    {"aten::round_.decimals", copied_call_of<"aten::round.decimals">(), Taken::kSymbols},
    {"aten::rsub.Scalar", rule<&rsub>()},
    {"aten::rsub.Tensor", rule<&rsub>()},
    {"aten::sgn", rule<&sgn>()},
    {"aten::sigmoid", rule<&sigmoid>(), Taken::kNobody},
    {"aten::sigmoid_", copied_steps_of<"aten::sigmoid">(), Taken::kSymbols},
    {"aten::silu", rule<&opmath<silu>>()},
    {"aten::silu_", copied_call_of<"aten::silu">(), Taken::kSymbols},
    {"aten::sinc", rule<&unary<kIntToFloat, sinc>>()},
    {"aten::softplus", rule<&softplus>()},
    {"aten::softshrink", rule<&softshrink>()},
    {"aten::special_entr", rule<&unary<kIntToFloat, entropy>>()},
    {"aten::special_xlog1py", rule<&product_with_log<"aten::log1p">>()},
    {"aten::special_xlog1py.other_scalar", rule<&product_with_log<"aten::log1p">>()},
    {"aten::special_xlog1py.self_scalar", rule<&product_with_log<"aten::log1p">>()},
    {"aten::sub.Scalar_out", rule<&sum_out<"prims::sub">>(), Taken::kSymbols},
    {"aten::sub.Tensor", rule<&sum_of<"prims::sub">>(), Taken::kSymbols},
    {"aten::sub.out", rule<&sum_out<"prims::sub">>(), Taken::kSymbols},
    {"aten::sub_.Tensor", {}, Taken::kNobody},
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
}  // namespace steps_of_activation

std::span<const StepsDef> activation_steps() { return steps_of_activation::kActivationSteps; }

}  // namespace faketensor
