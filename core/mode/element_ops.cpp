#include "core/mode/element_ops.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "core/support/error.h"
#include "core/symbolic/arithmetic.h"
#include "core/tensor/promotion.h"

namespace faketensor {

namespace {

using Complex = std::complex<double>;
using Kind = ElementOperand::Kind;

Complex complex_of(Element x) {
  return x.kind == Element::Kind::kComplex ? Complex(x.re, x.im) : Complex(x.as_double(), 0);
}
Element element_of(Complex x) { return Element::complex(x.real(), x.imag()); }

// Integers wrap as the hardware's do.
int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrap_subtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t wrap_multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == -1) return wrap_subtract(0, a);
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
// c10::div_floor_floating
double floor_quotient(double a, double b) {
  if (b == 0) return a / b;
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}
double floor_modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  int64_t power = 1;
  for (; exponent != 0; exponent >>= 1, base = wrap_multiply(base, base))
    if ((exponent & 1) != 0) power = wrap_multiply(power, base);
  return power;
}
int64_t shift_left(int64_t a, int64_t b) {
  return b < 0 || b > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
}
int64_t shift_right(int64_t a, int64_t b) { return a >> (b < 0 || b > 63 ? 63 : b); }
int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = b == -1 ? 0 : a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? wrap_subtract(0, a) : a;
}
int64_t common_multiple(int64_t a, int64_t b) {
  const int64_t divisor = common_divisor(a, b);
  return divisor == 0 ? 0 : std::abs(wrap_multiply(a / divisor, b));
}
double sign_of(double x) { return std::isnan(x) ? x : x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double nan_greater(double a, double b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
}
double nan_lesser(double a, double b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b);
}

// `integer` absent: integers become the default dtype first (INT_TO_FLOAT).
struct UnaryOp {
  std::string_view name;
  double (*real)(double);
  int64_t (*integer)(int64_t) = nullptr;
  Complex (*complex)(const Complex&) = nullptr;
};

int64_t same(int64_t x) { return x; }
int64_t never(int64_t) { return 0; }
#define OF_REAL +[](double x) -> double
#define OF_INT +[](int64_t x) -> int64_t
#define OF_COMPLEX +[](const Complex& x) -> Complex

// clang-format off
constexpr UnaryOp kUnary[] = {
    {"abs", OF_REAL { return std::fabs(x); }, OF_INT { return x == kLeast ? x : std::abs(x); }, OF_COMPLEX { return std::abs(x); }},
    {"acos", OF_REAL { return std::acos(x); }, nullptr, OF_COMPLEX { return std::acos(x); }},
    {"acosh", OF_REAL { return std::acosh(x); }, nullptr, OF_COMPLEX { return std::acosh(x); }},
    {"angle", OF_REAL { return std::isnan(x) ? x : x < 0 ? 3.14159265358979323846 : 0.0; }, nullptr, OF_COMPLEX { return std::arg(x); }},
    {"asin", OF_REAL { return std::asin(x); }, nullptr, OF_COMPLEX { return std::asin(x); }},
    {"asinh", OF_REAL { return std::asinh(x); }, nullptr, OF_COMPLEX { return std::asinh(x); }},
    {"atan", OF_REAL { return std::atan(x); }, nullptr, OF_COMPLEX { return std::atan(x); }},
    {"atanh", OF_REAL { return std::atanh(x); }, nullptr, OF_COMPLEX { return std::atanh(x); }},
    {"bitwise_not", OF_REAL { return x; }, OF_INT { return ~x; }},
    {"ceil", OF_REAL { return std::ceil(x); }, &same},
    {"conj_physical", OF_REAL { return x; }, &same, OF_COMPLEX { return std::conj(x); }},
    {"cos", OF_REAL { return std::cos(x); }, nullptr, OF_COMPLEX { return std::cos(x); }},
    {"cosh", OF_REAL { return std::cosh(x); }, nullptr, OF_COMPLEX { return std::cosh(x); }},
    {"deg2rad", OF_REAL { return x * 3.14159265358979323846 / 180; }},
    {"erf", OF_REAL { return std::erf(x); }},
    {"erfc", OF_REAL { return std::erfc(x); }},
    {"exp", OF_REAL { return std::exp(x); }, nullptr, OF_COMPLEX { return std::exp(x); }},
    {"exp2", OF_REAL { return std::exp2(x); }},
    {"expm1", OF_REAL { return std::expm1(x); }},
    {"floor", OF_REAL { return std::floor(x); }, &same},
    {"frac", OF_REAL { return x - std::trunc(x); }},
    {"isinf", OF_REAL { return std::isinf(x); }, &never},
    {"isnan", OF_REAL { return std::isnan(x); }, &never},
    {"isneginf", OF_REAL { return std::isinf(x) && x < 0; }, &never},
    {"isposinf", OF_REAL { return std::isinf(x) && x > 0; }, &never},
    {"lgamma", OF_REAL { return std::lgamma(x); }},
    {"log", OF_REAL { return std::log(x); }, nullptr, OF_COMPLEX { return std::log(x); }},
    {"log10", OF_REAL { return std::log10(x); }, nullptr, OF_COMPLEX { return std::log10(x); }},
    {"log1p", OF_REAL { return std::log1p(x); }},
    {"log2", OF_REAL { return std::log2(x); }},
    {"logical_not", OF_REAL { return x == 0; }, OF_INT { return x == 0 ? 1 : 0; }, OF_COMPLEX { return x == Complex(0, 0) ? 1.0 : 0.0; }},
    {"neg", OF_REAL { return -x; }, OF_INT { return wrap_subtract(0, x); }, OF_COMPLEX { return -x; }},
    {"rad2deg", OF_REAL { return x * 180 / 3.14159265358979323846; }},
    {"reciprocal", OF_REAL { return 1 / x; }, nullptr, OF_COMPLEX { return 1.0 / x; }},
    {"relu", OF_REAL { return x < 0 ? 0 : x; }, OF_INT { return std::max<int64_t>(x, 0); }},
    {"round", OF_REAL { return std::nearbyint(x); }, &same},
    {"rsqrt", OF_REAL { return 1 / std::sqrt(x); }, nullptr, OF_COMPLEX { return 1.0 / std::sqrt(x); }},
    {"sgn", OF_REAL { return sign_of(x); }, OF_INT { return x > 0 ? 1 : x < 0 ? -1 : 0; }, OF_COMPLEX { return x == Complex(0, 0) ? x : x / std::abs(x); }},
    {"sigmoid", &sigmoid, nullptr, OF_COMPLEX { return 1.0 / (1.0 + std::exp(-x)); }},
    {"sign", OF_REAL { return sign_of(x); }, OF_INT { return x > 0 ? 1 : x < 0 ? -1 : 0; }},
    {"signbit", OF_REAL { return std::signbit(x); }, OF_INT { return x < 0 ? 1 : 0; }},
    {"silu", OF_REAL { return x * sigmoid(x); }},
    {"sin", OF_REAL { return std::sin(x); }, nullptr, OF_COMPLEX { return std::sin(x); }},
    {"sinh", OF_REAL { return std::sinh(x); }, nullptr, OF_COMPLEX { return std::sinh(x); }},
    {"sqrt", OF_REAL { return std::sqrt(x); }, nullptr, OF_COMPLEX { return std::sqrt(x); }},
    {"tan", OF_REAL { return std::tan(x); }, nullptr, OF_COMPLEX { return std::tan(x); }},
    {"tanh", OF_REAL { return std::tanh(x); }, nullptr, OF_COMPLEX { return std::tanh(x); }},
    {"trunc", OF_REAL { return std::trunc(x); }, &same},
};

struct BinaryOp {
  std::string_view name;
  double (*real)(double, double);
  int64_t (*integer)(int64_t, int64_t) = nullptr;
  Complex (*complex)(const Complex&, const Complex&) = nullptr;
};
#define OF_REALS +[](double x, double y) -> double
#define OF_INTS +[](int64_t x, int64_t y) -> int64_t
#define OF_COMPLEXES +[](const Complex& x, const Complex& y) -> Complex
#define COMPARISON(name, op) {name, OF_REALS { return x op y; }, OF_INTS { return x op y; }}

constexpr BinaryOp kBinary[] = {
    {"atan2", OF_REALS { return std::atan2(x, y); }},
    {"bitwise_and", OF_REALS { return x + y; }, OF_INTS { return x & y; }},
    {"bitwise_left_shift", OF_REALS { return x * std::exp2(y); }, &shift_left},
    {"bitwise_or", OF_REALS { return x + y; }, OF_INTS { return x | y; }},
    {"bitwise_right_shift", OF_REALS { return x / std::exp2(y); }, &shift_right},
    {"bitwise_xor", OF_REALS { return x + y; }, OF_INTS { return x ^ y; }},
    {"copysign", OF_REALS { return std::copysign(x, y); }},
    {"eq", OF_REALS { return x == y; }, OF_INTS { return x == y; }, OF_COMPLEXES { return x == y ? 1.0 : 0.0; }},
    {"floor_divide", OF_REALS { return floor_quotient(x, y); }, OF_INTS { return floor_quotient(x, y); }},
    {"fmax", OF_REALS { return std::fmax(x, y); }, OF_INTS { return std::max(x, y); }},
    {"fmin", OF_REALS { return std::fmin(x, y); }, OF_INTS { return std::min(x, y); }},
    {"fmod", OF_REALS { return std::fmod(x, y); }, OF_INTS { return y == -1 ? 0 : x % y; }},
    {"gcd", OF_REALS { return x + y; }, &common_divisor},
    COMPARISON("ge", >=),
    COMPARISON("gt", >),
    {"hypot", OF_REALS { return std::hypot(x, y); }},
    {"lcm", OF_REALS { return x + y; }, &common_multiple},
    COMPARISON("le", <=),
    {"logical_and", OF_REALS { return x != 0 && y != 0; }, OF_INTS { return x != 0 && y != 0; }},
    {"logical_or", OF_REALS { return x != 0 || y != 0; }, OF_INTS { return x != 0 || y != 0; }},
    {"logical_xor", OF_REALS { return (x != 0) != (y != 0); }, OF_INTS { return (x != 0) != (y != 0); }},
    COMPARISON("lt", <),
    {"maximum", &nan_greater, OF_INTS { return std::max(x, y); }},
    {"minimum", &nan_lesser, OF_INTS { return std::min(x, y); }},
    {"mul", OF_REALS { return x * y; }, &wrap_multiply, OF_COMPLEXES { return x * y; }},
    {"ne", OF_REALS { return x != y; }, OF_INTS { return x != y; }, OF_COMPLEXES { return x != y ? 1.0 : 0.0; }},
    {"pow", OF_REALS { return std::pow(x, y); }, &integer_power, OF_COMPLEXES { return std::pow(x, y); }},
    {"remainder", OF_REALS { return floor_modulo(x, y); }, OF_INTS { return floor_modulo(x, y); }},
};
// clang-format on
#undef COMPARISON
#undef OF_REAL
#undef OF_INT
#undef OF_COMPLEX
#undef OF_REALS
#undef OF_INTS
#undef OF_COMPLEXES

template <typename Op, size_t N>
const Op* find_op(const Op (&table)[N], std::string_view name) {
  const Op* found = std::lower_bound(std::begin(table), std::end(table), name,
                                     [](const Op& op, std::string_view n) { return op.name < n; });
  return found != std::end(table) && found->name == name ? found : nullptr;
}

// The type that operands are cast to.
DType common_type(const ElementCall& call) {
  ResultType type(call.default_dtype);
  for (const ElementOperand& operand : call.operands) {
    if (operand.kind == Kind::kTensor)
      type.add(operand.dtype, operand.rank == 0 ? ResultType::kZeroDim : ResultType::kDimensioned);
    else if (operand.kind == Kind::kNumber)
      type.add(operand.dtype, ResultType::kNumber);
  }
  return type.empty() ? call.result : type.result();
}

// Kernels of half types compute in float32 and round at the end.
Element in_opmath(DType common, Element value) { return rounded(to_opmath(common), value); }

// One operand's only number, in the type computed in.
std::optional<Element> single(const ElementOperand& operand, DType type) {
  if (operand.elements.size() != 1) return std::nullopt;
  return rounded(type, operand.elements.front());
}

std::optional<Element> apply(const UnaryOp& op, DType type, Element x) {
  if (is_complex(type)) {
    if (op.complex == nullptr) return std::nullopt;
    return element_of(op.complex(complex_of(x)));
  }
  if (is_integral_or_bool(type) && op.integer != nullptr) return Element::of(op.integer(x.integer));
  return in_opmath(type, Element::real(op.real(x.as_double())));
}

std::optional<Element> apply(const BinaryOp& op, DType type, Element x, Element y) {
  if (is_complex(type)) {
    if (op.complex == nullptr) return std::nullopt;
    return element_of(op.complex(complex_of(x), complex_of(y)));
  }
  if (is_integral_or_bool(type) && op.integer != nullptr)
    return Element::of(op.integer(x.integer, y.integer));
  return in_opmath(type, Element::real(op.real(x.as_double(), y.as_double())));
}

Element plus(DType type, Element x, Element y) {
  if (is_complex(type)) return element_of(complex_of(x) + complex_of(y));
  if (is_integral_or_bool(type)) return Element::of(wrap_add(x.integer, y.integer));
  return in_opmath(type, Element::real(x.as_double() + y.as_double()));
}
Element times(DType type, Element x, Element y) {
  if (is_complex(type)) return element_of(complex_of(x) * complex_of(y));
  if (is_integral_or_bool(type)) return Element::of(wrap_multiply(x.integer, y.integer));
  return in_opmath(type, Element::real(x.as_double() * y.as_double()));
}
Element minus(DType type, Element x, Element y) {
  if (is_complex(type)) return element_of(complex_of(x) - complex_of(y));
  if (is_integral_or_bool(type)) return Element::of(wrap_subtract(x.integer, y.integer));
  return in_opmath(type, Element::real(x.as_double() - y.as_double()));
}

// Integers where the operator divides, or has no form for integers.
DType computing_type(const ElementCall& call, DType common, bool has_integer) {
  return is_integral_or_bool(common) && !has_integer ? call.default_dtype : common;
}

std::string_view text_of(const ElementOperand* operand) {
  return operand != nullptr && operand->value.is(Value::Tag::kString) ? operand->value.text() : "";
}

// add, sub and rsub, with alpha.
std::optional<Element> add_scaled(const ElementCall& call, DType type, Element x, Element y) {
  Element scale = Element::of(1);
  if (const ElementOperand* alpha = call.find("alpha");
      alpha != nullptr && alpha->kind == Kind::kNumber)
    scale = rounded(to_opmath(type), alpha->elements.front());
  if (call.name == "rsub") std::swap(x, y);
  const Element scaled = times(type, y, scale);
  if (call.name == "add") {
    // Booleans add as "or".
    const Element sum = plus(type, x, scaled);
    return is_bool(type) ? Element::of(sum.is_zero() ? 0 : 1) : sum;
  }
  return minus(type, x, scaled);
}

std::optional<Element> divide(const ElementCall& call, DType common, const ElementOperand& a,
                              const ElementOperand& b) {
  const std::string_view mode = text_of(call.find("rounding_mode"));
  const DType type = computing_type(call, common, !mode.empty());
  const std::optional<Element> x = single(a, type);
  const std::optional<Element> y = single(b, type);
  if (!x || !y) return std::nullopt;
  if (is_complex(type)) return element_of(complex_of(*x) / complex_of(*y));
  if (is_integral_or_bool(type)) {
    if (y->integer == 0) throw_error(ErrorKind::kRuntimeError, "ZeroDivisionError");
    if (mode == "floor") return Element::of(floor_quotient(x->integer, y->integer));
    return Element::of(y->integer == -1 ? wrap_subtract(0, x->integer) : x->integer / y->integer);
  }
  const double quotient = mode == "floor" ? floor_quotient(x->as_double(), y->as_double())
                                          : x->as_double() / y->as_double();
  return in_opmath(type, Element::real(mode == "trunc" ? std::trunc(quotient) : quotient));
}

bool divides_integers(std::string_view name) {
  return name == "floor_divide" || name == "fmod" || name == "remainder";
}

std::optional<Element> binary(const ElementCall& call, const ElementOperand& a,
                              const ElementOperand& b) {
  const DType common = common_type(call);
  if (call.name == "div" || call.name == "true_divide" || call.name == "divide")
    return divide(call, common, a, b);
  const bool is_sum = call.name == "add" || call.name == "sub" || call.name == "rsub";
  const BinaryOp* op = is_sum ? nullptr : find_op(kBinary, call.name);
  if (!is_sum && op == nullptr) return std::nullopt;
  const DType type = computing_type(call, common, is_sum || op->integer != nullptr);
  const std::optional<Element> x = single(a, type);
  const std::optional<Element> y = single(b, type);
  if (!x || !y) return std::nullopt;
  if (is_sum) return add_scaled(call, type, *x, *y);
  if (divides_integers(call.name) && is_integral_or_bool(type) && y->integer == 0)
    throw_error(ErrorKind::kRuntimeError, "ZeroDivisionError");
  return apply(*op, type, *x, *y);
}

// x + value * t1 * t2, x + value * t1 / t2, start + weight * (end - start)
std::optional<Element> ternary(const ElementCall& call, const ElementOperand& a,
                               const ElementOperand& b, const ElementOperand& c) {
  const DType type = common_type(call);
  const std::optional<Element> x = single(a, type);
  const std::optional<Element> y = single(b, type);
  const std::optional<Element> z = single(c, type);
  if (!x || !y || !z || is_complex(type)) return std::nullopt;
  Element scale = Element::of(1);
  if (const ElementOperand* value = call.find("value");
      value != nullptr && value->kind == Kind::kNumber)
    scale = rounded(type, value->elements.front());
  if (call.name == "addcmul") return plus(type, *x, times(type, scale, times(type, *y, *z)));
  if (call.name == "addcdiv")
    return in_opmath(
        type, Element::real(x->as_double() + scale.as_double() * y->as_double() / z->as_double()));
  const double weight = z->as_double();
  const double distance = y->as_double() - x->as_double();
  return in_opmath(
      type, Element::real(std::fabs(weight) < 0.5 ? x->as_double() + weight * distance
                                                  : y->as_double() - distance * (1 - weight)));
}

std::optional<Element> clamp(const ElementCall& call, const ElementOperand& self) {
  const DType type = common_type(call);
  std::optional<Element> x = single(self, type);
  const auto bound = [&](std::string_view name, std::string_view keeps) {
    const ElementOperand* limit = call.find(name);
    if (!x || limit == nullptr || limit->kind == Kind::kOther) return;
    const std::optional<Element> end = single(*limit, type);
    x = end ? apply(*find_op(kBinary, keeps), type, *x, *end) : std::nullopt;
  };
  if (call.name != "clamp_max") bound("min", "maximum");
  if (call.name != "clamp_min") bound("max", "minimum");
  return x;
}

std::optional<Element> select(const ElementOperand& condition, const ElementOperand& yes,
                              const ElementOperand& no) {
  if (condition.elements.size() != 1) return std::nullopt;
  const ElementOperand& chosen = condition.elements.front().is_zero() ? no : yes;
  if (chosen.elements.size() != 1) return std::nullopt;
  return chosen.elements.front();
}

// --- reductions: every element of the operand goes into the one result ---

std::optional<Element> fold(const ElementCall& call, const ElementOperand& self) {
  const std::span<const Element> all = self.elements;
  const DType type = call.result;
  const auto folded = [&](Element first, auto&& join) {
    for (const Element& x : all) first = join(first, rounded(type, x));
    return first;
  };
  if (call.name == "sum")
    return folded(rounded(type, Element::of(0)),
                  [&](Element a, Element b) { return plus(type, a, b); });
  if (call.name == "prod")
    return folded(rounded(type, Element::of(1)),
                  [&](Element a, Element b) { return times(type, a, b); });
  if (call.name == "mean" && !is_complex(type)) {
    double sum = 0;
    for (const Element& x : all) sum += x.as_double();
    return in_opmath(type, Element::real(sum / static_cast<double>(all.size())));
  }
  if (call.name == "any" || call.name == "all") {
    const bool wanted = call.name == "any";
    for (const Element& x : all)
      if (x.is_zero() != wanted) return Element::of(wanted ? 1 : 0);
    return Element::of(wanted ? 0 : 1);
  }
  if (all.empty() || is_complex(self.dtype)) return std::nullopt;
  const bool greatest = call.name == "amax" || call.name == "max" || call.name == "argmax";
  const bool least = call.name == "amin" || call.name == "min" || call.name == "argmin";
  if (!greatest && !least) return std::nullopt;
  size_t best = 0;
  for (size_t i = 1; i < all.size(); ++i) {
    const bool better =
        all[i].is_int()
            ? (greatest ? all[i].integer > all[best].integer : all[i].integer < all[best].integer)
            : (greatest ? all[i].re > all[best].re : all[i].re < all[best].re);
    if (better || (std::isnan(all[i].re) && !std::isnan(all[best].re))) best = i;
  }
  if (call.name.starts_with("arg")) return Element::of(static_cast<int64_t>(best));
  return all[best];
}

// The element that an operator gives which only moves or makes data.
std::optional<Element> moved(const ElementCall& call) {
  const auto from = [&](std::string_view argument) -> std::optional<Element> {
    const ElementOperand* operand = call.find(argument);
    if (operand == nullptr || operand->elements.size() != 1) return std::nullopt;
    return operand->elements.front();
  };
  static constexpr std::string_view kCopies[] = {"_to_copy",
                                                 "clone",
                                                 "contiguous",
                                                 "expand_copy",
                                                 "lift_fresh_copy",
                                                 "repeat",
                                                 "view_copy",
                                                 "squeeze_copy",
                                                 "unsqueeze_copy",
                                                 "_unsafe_view",
                                                 "resolve_conj",
                                                 "resolve_neg",
                                                 "flip",
                                                 "roll"};
  if (std::find(std::begin(kCopies), std::end(kCopies), call.name) != std::end(kCopies))
    return from("self");
  if (call.name == "copy" || call.name == "lift") return from(call.name == "copy" ? "src" : "self");
  if (call.name == "fill") return from("value");
  if (call.name == "full_like" || call.name == "new_full") return from("fill_value");
  if (call.name == "zero" || call.name == "zeros_like" || call.name == "new_zeros")
    return Element::of(0);
  if (call.name == "ones_like" || call.name == "new_ones") return Element::of(1);
  if (call.name == "cat" || call.name == "stack") return from("tensors");
  return std::nullopt;
}

}  // namespace

const ElementOperand* ElementCall::find(std::string_view argument) const {
  for (size_t i = 0; i < arguments.size() && i < operands.size(); ++i)
    if (arguments[i].name == argument) return &operands[i];
  return nullptr;
}

std::optional<Element> evaluate(const ElementCall& call) {
  if (const std::optional<Element> element = moved(call)) return element;
  const std::span<const ElementOperand> operands = call.operands;
  if (operands.empty()) return std::nullopt;
  if (const UnaryOp* op = find_op(kUnary, call.name)) {
    if (call.find("decimals") != nullptr) return std::nullopt;
    const DType type = computing_type(call, operands[0].dtype, op->integer != nullptr);
    const std::optional<Element> x = single(operands[0], type);
    return x ? apply(*op, type, *x) : std::nullopt;
  }
  if (call.name.starts_with("clamp")) return clamp(call, operands[0]);
  if (operands.size() >= 3 && call.name == "where")
    return select(operands[0], operands[1], operands[2]);
  if (operands.size() >= 3 && call.name == "masked_fill")
    return select(operands[1], operands[2], operands[0]);
  if (operands.size() >= 3 &&
      (call.name == "addcmul" || call.name == "addcdiv" || call.name == "lerp"))
    return ternary(call, operands[0], operands[1], operands[2]);
  const bool has_second = operands.size() >= 2 &&
                          (operands[1].kind == Kind::kTensor ||
                           (operands[1].kind == Kind::kNumber && call.arguments[1].name != "dim"));
  if (has_second) {
    if (std::optional<Element> result = binary(call, operands[0], operands[1])) return result;
  }
  return fold(call, operands[0]);
}

}  // namespace faketensor
