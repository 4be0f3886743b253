// Python's operators on numbers that may be symbolic, as they stand in exported graphs
// (`_operator.add`, `torch.sym_min`, `math.trunc`), and operators that read a size or check a
// number.
//
// They are rows in the namespaces `_operator`, `torch` and `math` with schemas of our own, named
// and ordered as torch/_export/serde/serialize.py writes their arguments; python_number.h computes.
#include "core/ops/call.h"
#include "core/ops/families/number.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/python_number.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_symbolic_scalar {
namespace {

using Tag = Value::Tag;

Value binary_number(Call& call, uint64_t params) {
  const PythonNumber a = number_of(call.arg(0));
  return value_of(apply(rule_params<PythonBinary>(params), a, number_of(call.arg(1))));
}
consteval Rule number(PythonBinary op) { return family_rule(&binary_number, op); }

Value unary_number(Call& call, uint64_t params) {
  return value_of(apply(rule_params<PythonUnary>(params), number_of(call.arg(0))));
}
consteval Rule number(PythonUnary op) { return family_rule(&unary_number, op); }

// A constant among symbolic values is one of theirs: what folded is not told apart from what was
// plain.
PythonNumber beside(const PythonNumber& other, const PythonNumber& number) {
  if (!other.is_symbolic() || number.is_symbolic()) return number;
  return PythonNumber::symbolic(number.node(*other.pool()), number.type());
}

Value sym_ite_(Call&, SymBool condition, const Value& if_true, const Value& if_false) {
  if (!condition.is_symbolic()) return condition.as_bool() ? if_true : if_false;
  const PythonNumber a = number_of(if_true);
  const PythonNumber b = number_of(if_false);
  return value_of(select(condition, beside(b, a), beside(a, b)));
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
    c.check(self.is(Tag::kBool) ? self.as_sym_bool() : self.to_sym_int() != 0, "{}", message);
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
  const SymInt size = value.to_sym_int();
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
  if (!min && !max && !(value.is(Tag::kInt) && value.as_sym_int().is_symbolic())) {
    c.check(is_float(value) ? SymBool(!value.is(Tag::kFloat) || value.as_double() >= 0)
                            : value.to_sym_int() >= 0,
            kCheckFailedText);
    return;
  }
  check_constrainable(c, value);
  c.check_as(ErrorKind::kAssertionError, value.is(Tag::kInt),
             "can only constrain range for SymInt");
  const SymInt size = value.as_sym_int();
  if (!size.is_symbolic()) {
    if (min) c.check(size >= *min, kCheckFailedText);
    if (max) c.check(size <= *max, kCheckFailedText);
    return;
  }
  check_bounds(c, min, max);
  size.node()->pool->shape_env()->constrain_range_for_size(size, min.value_or(0),
                                                           max.value_or(kIntInfinity));
}

// clang-format off
constexpr OpDef kSymbolicScalar[] = {
    {"_operator::add(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kAdd)},
    {"_operator::and_(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kAnd)},
    {"_operator::eq(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kEq)},
    {"_operator::floordiv(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kFloorDiv)},
    {"_operator::ge(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kGe)},
    {"_operator::gt(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kGt)},
    {"_operator::le(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kLe)},
    {"_operator::lshift(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kShiftLeft)},
    {"_operator::lt(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kLt)},
    {"_operator::mod(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kMod)},
    {"_operator::mul(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kMul)},
    {"_operator::ne(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kNe)},
    {"_operator::neg(Scalar a) -> Scalar", number(PythonUnary::kNeg)},
    {"_operator::or_(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kOr)},
    {"_operator::pos(Scalar a) -> Scalar", number(PythonUnary::kPos)},
    {"_operator::pow(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kPow)},
    {"_operator::rshift(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kShiftRight)},
    {"_operator::sub(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kSub)},
    {"_operator::truediv(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kTrueDiv)},
    {"aten::_assert_scalar(Scalar self, str assert_msg) -> ()", rule<&assert_scalar>(), kByCompositeExplicit},
    {"aten::_functional_assert_scalar(Scalar self, str assert_msg, Tensor dep_token) -> Tensor", rule<&functional_assert_scalar>(), kByCompositeExplicit},
    {"aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()", rule<&sym_constrain_range>()},
    {"aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()", rule<&sym_constrain_range_for_size>()},
    {"aten::sym_is_contiguous(Tensor self, MemoryFormat memory_format=0) -> SymBool", rule<&sym_is_contiguous>(), kByComposite},
    {"aten::sym_numel(Tensor self) -> SymInt", rule<&sym_numel>(), kByComposite},
    {"aten::sym_size.int(Tensor self, int dim) -> SymInt", rule<&sym_size>(), kByComposite},
    {"aten::sym_storage_offset(Tensor self) -> SymInt", rule<&sym_storage_offset>(), kByComposite},
    {"aten::sym_stride.int(Tensor self, int dim) -> SymInt", rule<&sym_stride>(), kByComposite},
    {"math::ceil(Scalar x) -> Scalar", number(PythonUnary::kCeil)},
    {"math::floor(Scalar x) -> Scalar", number(PythonUnary::kFloor)},
    {"math::trunc(Scalar x) -> Scalar", number(PythonUnary::kInt)},
    {"torch::sym_float(Scalar a) -> Scalar", number(PythonUnary::kFloat)},
    {"torch::sym_int(Scalar a) -> Scalar", number(PythonUnary::kInt)},
    {"torch::sym_ite(SymBool b, Scalar t, Scalar f) -> Scalar", rule<&sym_ite_>()},
    {"torch::sym_max(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kMax)},
    {"torch::sym_min(Scalar a, Scalar b) -> Scalar", number(PythonBinary::kMin)},
    {"torch::sym_not(Scalar a) -> Scalar", number(PythonUnary::kNot)},
    {"torch::sym_sqrt(Scalar a) -> Scalar", number(PythonUnary::kSqrt)},
};
// clang-format on
}  // namespace
}  // namespace rules_of_symbolic_scalar

std::span<const OpDef> symbolic_scalar_rules() { return rules_of_symbolic_scalar::kSymbolicScalar; }

}  // namespace faketensor
