// Python's operators on numbers that may be symbolic, as they stand in exported graphs
// (`_operator.add`, `torch.sym_min`, `math.trunc`), and operators that read a size or check a
// number.
//
// They are rows in the namespaces `_operator`, `torch` and `math` with schemas of our own, named
// and ordered as torch/_export/serde/serialize.py writes their arguments. Integers are computed as
// SymInts, everything with a float in it as doubles or, with a symbol in it, as expressions.
#include <cmath>

#include "core/ops/call.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

using Tag = Value::Tag;

enum class Binary : uint8_t {
  kAdd,
  kSub,
  kMul,
  kTrueDiv,
  kFloorDiv,
  kMod,
  kPow,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kShiftLeft,
  kShiftRight,
  kMax,
  kMin,
};

bool is_symbolic(const Value& value) {
  if (value.is(Tag::kInt)) return value.as_sym_int().is_symbolic();
  if (value.is(Tag::kBool)) return value.as_sym_bool().is_symbolic();
  return value.is(Tag::kSymFloat);
}
bool is_float(const Value& value) { return value.is(Tag::kFloat) || value.is(Tag::kSymFloat); }

// A bool counts as 0 or 1, as in Python. Sizes are never complex, nor what is made of them.
SymInt to_int(const Value& value) {
  if (!value.is(Tag::kBool) && !value.is(Tag::kInt)) [[unlikely]]
    throw_error(ErrorKind::kTypeError, format("an integer expected, not {}", value));
  return value.is(Tag::kBool) ? sym_ite(value.as_sym_bool(), 1, 0) : value.as_sym_int();
}
double to_double(const Value& value) {
  return value.is(Tag::kFloat) ? value.as_double() : static_cast<double>(to_int(value).as_int());
}

const ExprNode* node_of(const Value& value) {
  if (value.is(Tag::kInt)) return value.as_sym_int().node();
  return value.is(Tag::kBool) ? value.as_sym_bool().node() : value.as_node();
}
// The value as an expression of `pool`; an integer among floats becomes ToFloat of it.
const ExprNode* float_node(ExprPool& pool, const Value& value) {
  if (value.is(Tag::kSymFloat)) return value.as_node();
  if (!is_symbolic(value)) return pool.real(to_double(value));
  return pool.make(ExprKind::kToFloat, pool.node_of(to_int(value)));
}
Value value_of(ExprPool& pool, const ExprNode* node) {
  if (node->type == ExprType::kInt) return pool.sym_int(node);
  if (node->type == ExprType::kBool) return pool.sym_bool(node);
  return node->is_constant() ? Value(node->number.as_double()) : Value::sym_float(node);
}

double floor_mod(double a, double b) {
  const double remainder = std::fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

Value on_doubles(Call& c, Binary op, double a, double b) {
  const bool divides = op == Binary::kTrueDiv || op == Binary::kFloorDiv || op == Binary::kMod;
  c.check_as(ErrorKind::kZeroDivisionError, !divides || b != 0, "float division by zero");
  switch (op) {
    case Binary::kAdd:
      return a + b;
    case Binary::kSub:
      return a - b;
    case Binary::kMul:
      return a * b;
    case Binary::kTrueDiv:
      return a / b;
    case Binary::kFloorDiv:
      return std::floor(a / b);
    case Binary::kMod:
      return floor_mod(a, b);
    case Binary::kPow:
      return std::pow(a, b);
    case Binary::kEq:
      return !(a < b) && !(b < a) && !std::isnan(a) && !std::isnan(b);
    case Binary::kNe:
      return a < b || b < a || std::isnan(a) || std::isnan(b);
    case Binary::kLt:
      return a < b;
    case Binary::kLe:
      return a <= b;
    case Binary::kGt:
      return a > b;
    case Binary::kGe:
      return a >= b;
    case Binary::kMax:
      return b > a ? b : a;
    case Binary::kMin:
      return b < a ? b : a;
    default:
      break;
  }
  c.fail(ErrorKind::kTypeError, "unsupported operand type(s): 'float' and 'float'");
}

Value on_float_nodes(Call& c, Binary op, ExprPool& pool, const ExprNode* a, const ExprNode* b) {
  switch (op) {
    case Binary::kAdd:
      return value_of(pool, pool.add(a, b));
    case Binary::kSub:
      return value_of(pool, pool.subtract(a, b));
    case Binary::kMul:
      return value_of(pool, pool.mul(a, b));
    case Binary::kTrueDiv:
      return value_of(pool, pool.make(ExprKind::kFloatTrueDiv, a, b));
    case Binary::kPow:
      return value_of(pool, pool.make(ExprKind::kFloatPow, a, b));
    case Binary::kEq:
      return value_of(pool, pool.make(ExprKind::kEq, a, b));
    case Binary::kNe:
      return value_of(pool, pool.make(ExprKind::kNe, a, b));
    case Binary::kLt:
      return value_of(pool, pool.make(ExprKind::kLt, a, b));
    case Binary::kLe:
      return value_of(pool, pool.make(ExprKind::kLe, a, b));
    case Binary::kGt:
      return value_of(pool, pool.make(ExprKind::kGt, a, b));
    case Binary::kGe:
      return value_of(pool, pool.make(ExprKind::kGe, a, b));
    case Binary::kMax:
      return value_of(pool, pool.make(ExprKind::kMax, a, b));
    case Binary::kMin:
      return value_of(pool, pool.make(ExprKind::kMin, a, b));
    default:
      break;
  }
  c.fail(ErrorKind::kTypeError, "unsupported operand type(s): 'SymFloat' and 'SymFloat'");
}

// base ** exponent of integers: an integer, or a float where the exponent is negative.
Value power(Call& c, SymInt base, SymInt exponent) {
  if (exponent.is_symbolic()) {
    ExprPool& pool = *exponent.node()->pool;
    return value_of(pool, pool.make(ExprKind::kPowByNatural, pool.node_of(base), exponent.node()));
  }
  const int64_t n = exponent.as_int();
  if (base.is_symbolic() && n >= 0) {
    ExprPool& pool = *base.node()->pool;
    return value_of(pool, pool.pow(base.node(), n));
  }
  if (n < 0)
    return on_doubles(c, Binary::kPow, static_cast<double>(guard_int(base)),
                      static_cast<double>(n));
  // By squaring, so that a large exponent ends quickly: in a result, or in an overflow.
  SymInt result = 1;
  SymInt square = base;
  for (int64_t rest = n; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= square;
    if (rest > 1) square *= square;
  }
  return result;
}

Value true_divide(Call& c, SymInt a, SymInt b) {
  if (!a.is_symbolic() && !b.is_symbolic()) {
    c.check_as(ErrorKind::kZeroDivisionError, b.as_int() != 0, "division by zero");
    return static_cast<double>(a.as_int()) / static_cast<double>(b.as_int());
  }
  ExprPool& pool = *(a.is_symbolic() ? a : b).node()->pool;
  return value_of(pool, pool.make(ExprKind::kIntTrueDiv, pool.node_of(a), pool.node_of(b)));
}

Value bitwise(Binary op, SymInt a, SymInt b) {
  const bool is_and = op == Binary::kAnd;
  if (!a.is_symbolic() && !b.is_symbolic())
    return is_and ? a.as_int() & b.as_int() : a.as_int() | b.as_int();
  ExprPool& pool = *(a.is_symbolic() ? a : b).node()->pool;
  return value_of(pool, pool.make(is_and ? ExprKind::kBitAnd : ExprKind::kBitOr, pool.node_of(a),
                                  pool.node_of(b)));
}

// A shift by n is a product or a floor division by 2 ** n.
Value shift(Call& c, Binary op, SymInt a, SymInt b) {
  c.check_as(ErrorKind::kValueError, guard_bool(b >= 0), "negative shift count");
  const SymInt factor = power(c, 2, b).as_sym_int();
  return op == Binary::kShiftLeft ? a * factor : floor_div(a, factor);
}

Value on_ints(Call& c, Binary op, SymInt a, SymInt b) {
  switch (op) {
    case Binary::kAdd:
      return a + b;
    case Binary::kSub:
      return a - b;
    case Binary::kMul:
      return a * b;
    case Binary::kTrueDiv:
      return true_divide(c, a, b);
    case Binary::kFloorDiv:
      return floor_div(a, b);
    case Binary::kMod:
      return mod(a, b);
    case Binary::kPow:
      return power(c, a, b);
    case Binary::kEq:
      return a == b;
    case Binary::kNe:
      return a != b;
    case Binary::kLt:
      return a < b;
    case Binary::kLe:
      return a <= b;
    case Binary::kGt:
      return a > b;
    case Binary::kGe:
      return a >= b;
    case Binary::kAnd:
    case Binary::kOr:
      return bitwise(op, a, b);
    case Binary::kShiftLeft:
    case Binary::kShiftRight:
      return shift(c, op, a, b);
    case Binary::kMax:
      return sym_max(a, b);
    case Binary::kMin:
      return sym_min(a, b);
  }
  return Value();
}

Value on_bools(Binary op, SymBool a, SymBool b) {
  return op == Binary::kAnd ? sym_and(a, b) : sym_or(a, b);
}

Value binary_number(Call& call, uint64_t params) {
  const auto op = rule_params<Binary>(params);
  const Value a = call.arg(0);
  const Value b = call.arg(1);
  const bool is_logic = op == Binary::kAnd || op == Binary::kOr;
  if (is_logic && a.is(Tag::kBool) && b.is(Tag::kBool))
    return on_bools(op, a.as_sym_bool(), b.as_sym_bool());
  if (!is_float(a) && !is_float(b)) return on_ints(call, op, to_int(a), to_int(b));
  if (!is_symbolic(a) && !is_symbolic(b)) return on_doubles(call, op, to_double(a), to_double(b));
  ExprPool& pool = *node_of(is_symbolic(a) ? a : b)->pool;
  return on_float_nodes(call, op, pool, float_node(pool, a), float_node(pool, b));
}
consteval Rule number(Binary op) { return family_rule(&binary_number, op); }

Value negate(Call&, const Value& a) {
  if (a.is(Tag::kFloat)) return -a.as_double();
  if (!a.is(Tag::kSymFloat)) return -to_int(a);
  ExprPool& pool = *a.as_node()->pool;
  return value_of(pool, pool.negate(a.as_node()));
}
Value same(Call&, const Value& a) { return is_float(a) ? a : Value(to_int(a)); }

Value sym_not_(Call&, const Value& a) {
  if (a.is(Tag::kFloat)) return a.as_double() == 0;
  return a.is(Tag::kBool) ? sym_not(a.as_sym_bool()) : to_int(a) == 0;
}

// torch.sym_int and math.trunc: towards zero.
Value truncate(Call& c, const Value& a) {
  if (a.is(Tag::kSymFloat)) {
    ExprPool& pool = *a.as_node()->pool;
    return value_of(pool, pool.make(ExprKind::kTruncToInt, a.as_node()));
  }
  if (!a.is(Tag::kFloat)) return to_int(a);
  c.check_as(ErrorKind::kOverflowError, std::abs(a.as_double()) < 0x1p62,
             "cannot convert float {} to a size", a.as_double());
  return static_cast<int64_t>(a.as_double());
}

Value sym_float(Call&, const Value& a) {
  if (is_float(a)) return a;
  if (!is_symbolic(a)) return to_double(a);
  ExprPool& pool = *node_of(a)->pool;
  return value_of(pool, float_node(pool, a));
}

Value sym_sqrt(Call& c, const Value& a) {
  if (is_symbolic(a)) {
    ExprPool& pool = *node_of(a)->pool;
    return value_of(pool, pool.make(ExprKind::kSqrt, float_node(pool, a)));
  }
  c.check_as(ErrorKind::kValueError, to_double(a) >= 0, "math domain error");
  return std::sqrt(to_double(a));
}

Value sym_ite_(Call& c, SymBool condition, const Value& if_true, const Value& if_false) {
  if (!condition.is_symbolic()) return condition.as_bool() ? if_true : if_false;
  c.check_as(ErrorKind::kTypeError, if_true.tag() == if_false.tag(),
             "sym_ite needs two values of one type");
  if (if_true.is(Tag::kInt)) return sym_ite(condition, if_true.as_sym_int(), if_false.as_sym_int());
  ExprPool& pool = *condition.node()->pool;
  if (if_true.is(Tag::kBool)) {
    return sym_or(sym_and(condition, if_true.as_sym_bool()),
                  sym_and(sym_not(condition), if_false.as_sym_bool()));
  }
  return value_of(pool, pool.make(ExprKind::kWhere, condition.node(), float_node(pool, if_true),
                                  float_node(pool, if_false)));
}

// --- sizes of tensors as numbers (CompositeImplicit: aten/src/ATen/native/TensorProperties.cpp)
// ---

SymInt sym_size(Call&, const Tensor& self, int64_t dim) { return self.size(dim); }
SymInt sym_stride(Call&, const Tensor& self, int64_t dim) { return self.stride(dim); }
SymInt sym_numel(Call&, const Tensor& self) { return self.numel(); }
SymInt sym_storage_offset(Call&, const Tensor& self) { return self.offset(); }
bool sym_is_contiguous(Call&, const Tensor& self, MemoryFormat format) {
  return self.is_contiguous(format);
}

// --- what is promised of a number ---

// Mirrors _assert_scalar, aten/src/ATen/native/TensorCompare.cpp: a guard, or an assert at run
// time.
void assert_scalar(Call& c, const Value& self, std::string_view message) {
  if (message.empty()) message = "Assertion is failed";
  if (self.is(Tag::kComplex)) {
    c.check(self.as_complex()[0] != 0 || self.as_complex()[1] != 0, "{}", message);
  } else if (is_float(self)) {
    c.check(!self.is(Tag::kFloat) || self.as_double() != 0, "{}", message);
  } else {
    c.check(self.is(Tag::kBool) ? self.as_sym_bool() : to_int(self) != 0, "{}", message);
  }
}
Value functional_assert_scalar(Call& c, const Value& self, std::string_view message,
                               const Tensor& token) {
  assert_scalar(c, self, message);
  return c.call<"aten::clone">(token);
}

// An end of a range as Python prints it; without one, infinity.
std::string bound_text(std::optional<int64_t> bound, std::string_view none) {
  return bound ? format("{}", *bound) : std::string(none);
}

void check_constrainable(const Call& c, const Value& size) {
  c.check_as(ErrorKind::kValueError,
             !is_float(size) && !(size.is(Tag::kBool) && size.as_sym_bool().is_symbolic()),
             "Constraining SymFloat or Symbool is nyi");
}

void check_bounds(const Call& c, std::optional<int64_t> min, std::optional<int64_t> max) {
  c.check_as(ErrorKind::kValueError, !min || !max || *min <= *max,
             "Maximum value to constrain_as_size can't be less than the specified min value, "
             "received min={} and max={}",
             bound_text(min, "-int_oo"), bound_text(max, "int_oo"));
}

// Mirrors sym_constrain_range, torch/_meta_registrations.py, and constrain_range,
// torch/fx/experimental/symbolic_shapes.py.
void sym_constrain_range(Call& c, const Value& value, std::optional<int64_t> min,
                         std::optional<int64_t> max) {
  check_constrainable(c, value);
  check_bounds(c, min, max);
  const SymInt size = to_int(value);
  const int64_t least = min.value_or(-kIntInfinity);
  const int64_t most = max.value_or(kIntInfinity);
  if (size.is_symbolic()) {
    size.node()->pool->shape_env()->constrain_range(size, least, most);
    return;
  }
  c.check_as(ErrorKind::kValueError, least <= size.as_int() && size.as_int() <= most,
             "Invalid value {} for range [{}:{}]", size, bound_text(min, "-int_oo"),
             bound_text(max, "int_oo"));
}

// Mirrors sym_constrain_range_for_size, torch/_meta_registrations.py.
void sym_constrain_range_for_size(Call& c, const Value& value, std::optional<int64_t> min,
                                  std::optional<int64_t> max) {
  constexpr std::string_view kNoWords =
      "Expected cond to be True, but got False. (Could this error message be improved? If so, "
      "please report an enhancement request to PyTorch.)";
  if (!min && !max && !(value.is(Tag::kInt) && value.as_sym_int().is_symbolic())) {
    c.check(is_float(value) ? SymBool(!value.is(Tag::kFloat) || value.as_double() >= 0)
                            : to_int(value) >= 0,
            kNoWords);
    return;
  }
  check_constrainable(c, value);
  c.check_as(ErrorKind::kAssertionError, value.is(Tag::kInt),
             "can only constrain range for SymInt");
  const SymInt size = value.as_sym_int();
  if (!size.is_symbolic()) {
    if (min) c.check(size >= *min, kNoWords);
    if (max) c.check(size <= *max, kNoWords);
    return;
  }
  check_bounds(c, min, max);
  size.node()->pool->shape_env()->constrain_range_for_size(size, min.value_or(0),
                                                           max.value_or(kIntInfinity));
}

// clang-format off
constexpr OpDef kSymbolicScalar[] = {
    {"_operator::add(Scalar a, Scalar b) -> Scalar", number(Binary::kAdd)},
    {"_operator::and_(Scalar a, Scalar b) -> Scalar", number(Binary::kAnd)},
    {"_operator::eq(Scalar a, Scalar b) -> Scalar", number(Binary::kEq)},
    {"_operator::floordiv(Scalar a, Scalar b) -> Scalar", number(Binary::kFloorDiv)},
    {"_operator::ge(Scalar a, Scalar b) -> Scalar", number(Binary::kGe)},
    {"_operator::gt(Scalar a, Scalar b) -> Scalar", number(Binary::kGt)},
    {"_operator::le(Scalar a, Scalar b) -> Scalar", number(Binary::kLe)},
    {"_operator::lshift(Scalar a, Scalar b) -> Scalar", number(Binary::kShiftLeft)},
    {"_operator::lt(Scalar a, Scalar b) -> Scalar", number(Binary::kLt)},
    {"_operator::mod(Scalar a, Scalar b) -> Scalar", number(Binary::kMod)},
    {"_operator::mul(Scalar a, Scalar b) -> Scalar", number(Binary::kMul)},
    {"_operator::ne(Scalar a, Scalar b) -> Scalar", number(Binary::kNe)},
    {"_operator::neg(Scalar a) -> Scalar", rule<&negate>()},
    {"_operator::or_(Scalar a, Scalar b) -> Scalar", number(Binary::kOr)},
    {"_operator::pos(Scalar a) -> Scalar", rule<&same>()},
    {"_operator::pow(Scalar a, Scalar b) -> Scalar", number(Binary::kPow)},
    {"_operator::rshift(Scalar a, Scalar b) -> Scalar", number(Binary::kShiftRight)},
    {"_operator::sub(Scalar a, Scalar b) -> Scalar", number(Binary::kSub)},
    {"_operator::truediv(Scalar a, Scalar b) -> Scalar", number(Binary::kTrueDiv)},
    {"aten::_assert_scalar(Scalar self, str assert_msg) -> ()", rule<&assert_scalar>()},
    {"aten::_functional_assert_scalar(Scalar self, str assert_msg, Tensor dep_token) -> Tensor", rule<&functional_assert_scalar>()},
    {"aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()", rule<&sym_constrain_range>()},
    {"aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()", rule<&sym_constrain_range_for_size>()},
    {"aten::sym_is_contiguous(Tensor self, MemoryFormat memory_format=0) -> SymBool", rule<&sym_is_contiguous>()},
    {"aten::sym_numel(Tensor self) -> SymInt", rule<&sym_numel>()},
    {"aten::sym_size.int(Tensor self, int dim) -> SymInt", rule<&sym_size>()},
    {"aten::sym_storage_offset(Tensor self) -> SymInt", rule<&sym_storage_offset>()},
    {"aten::sym_stride.int(Tensor self, int dim) -> SymInt", rule<&sym_stride>()},
    {"math::trunc(Scalar x) -> Scalar", rule<&truncate>()},
    {"torch::sym_float(Scalar a) -> Scalar", rule<&sym_float>()},
    {"torch::sym_int(Scalar a) -> Scalar", rule<&truncate>()},
    {"torch::sym_ite(SymBool b, Scalar t, Scalar f) -> Scalar", rule<&sym_ite_>()},
    {"torch::sym_max(Scalar a, Scalar b) -> Scalar", number(Binary::kMax)},
    {"torch::sym_min(Scalar a, Scalar b) -> Scalar", number(Binary::kMin)},
    {"torch::sym_not(Scalar a) -> Scalar", rule<&sym_not_>()},
    {"torch::sym_sqrt(Scalar a) -> Scalar", rule<&sym_sqrt>()},
};
// clang-format on
}  // namespace

std::span<const OpDef> symbolic_scalar_rules() { return kSymbolicScalar; }

}  // namespace faketensor
