#include "core/ops/value.h"

#include <cmath>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/sym_float.h"

namespace faketensor {

DType number_dtype(const Value& number, DType default_dtype) {
  switch (number.tag()) {
    case Value::Tag::kBool:
      return DType::kBool;
    case Value::Tag::kInt:
      return DType::kInt64;
    case Value::Tag::kComplex:
      return to_complex(default_dtype);
    default:
      return default_dtype;
  }
}

bool Value::to_bool() const {
  if (tag_ != Tag::kBool) [[unlikely]]
    throw_error(ErrorKind::kTypeError, format("must be bool, not {}", *this));
  return guard_bool(as_sym_bool());
}

int64_t Value::to_int() const { return tag_ == Tag::kBool ? to_bool() : guard_int(to_sym_int()); }

SymInt Value::to_sym_int() const {
  if (tag_ == Tag::kInt) return as_sym_int();
  if (tag_ == Tag::kBool) return sym_ite(as_sym_bool(), 1, 0);
  throw_error(ErrorKind::kTypeError, format("an integer expected, not {}", *this));
}

double Value::to_double() const {
  switch (tag_) {
    case Tag::kBool:
    case Tag::kInt:
      return static_cast<double>(to_int());
    case Tag::kFloat:
      return as_double();
    case Tag::kSymFloat:
      return guard_float(sym_float_of(as_node()));
    case Tag::kComplex:
      throw_error(ErrorKind::kRuntimeError,
                  "value cannot be converted to type double without overflow");
    default:
      throw_error(ErrorKind::kTypeError, format("must be real number, not {}", *this));
  }
}

namespace {
// "1.5", and "2" for what Python prints as "2.0" but for complex numbers.
std::string complex_part(double number) {
  std::string text;
  append_text(text, number);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}
// "(1+2j)", "2j"
void append_complex(std::string& out, double real, double imaginary) {
  const bool has_real = real != 0 || std::signbit(real);
  if (!has_real) {
    out += complex_part(imaginary) + "j";
    return;
  }
  out += "(" + complex_part(real);
  if (!std::signbit(imaginary)) out += "+";
  out += complex_part(imaginary) + "j)";
}

// "FakeTensor(..., device='cuda:0', size=(2, 3), dtype=torch.bool)"
void append_tensor(std::string& out, const Tensor& tensor) {
  out += "FakeTensor(...";
  if (!tensor.device().is_cpu()) out += format(", device='{}'", tensor.device());
  std::string sizes = format("{}", tensor.sizes());
  sizes.front() = '(';
  sizes.back() = ')';
  if (tensor.dim() == 1) sizes.insert(sizes.size() - 1, ",");
  out += ", size=" + sizes;
  if (tensor.dtype() != DType::kFloat32) out += format(", dtype={}", tensor.dtype());
  if (tensor.meta->has(kRequiresGrad)) out += ", requires_grad=True";
  out += ")";
}

// One level of text; lists of lists do not occur deeper than schemas nest them, so the depth is
// bounded by construction of the reader (core/io limits nesting).
void append_scalar(std::string& out, const Value& value) {
  switch (value.tag()) {
    case Value::Tag::kNone:
      out += "None";
      break;
    case Value::Tag::kDefault:
      out += "<default>";
      break;
    case Value::Tag::kBool:
      value.as_sym_bool().is_symbolic() ? out += to_string(value.as_sym_bool())
                                        : out += value.as_sym_bool().as_bool() ? "True" : "False";
      break;
    case Value::Tag::kInt:
      out += to_string(value.as_sym_int());
      break;
    case Value::Tag::kFloat:
      append_text(out, value.as_double());
      break;
    case Value::Tag::kComplex:
      append_complex(out, value.as_complex()[0], value.as_complex()[1]);
      break;
    case Value::Tag::kSymFloat:
      out += to_string(value.as_node());
      break;
    case Value::Tag::kTensor:
      append_tensor(out, value.tensor());
      break;
    case Value::Tag::kString:
      out.append("'").append(value.text()).append("'");
      break;
    case Value::Tag::kDType:
      append_text(out, value.dtype());
      break;
    case Value::Tag::kDevice:
      append_text(out, value.device());
      break;
    case Value::Tag::kLayout:
      append_text(out, value.layout());
      break;
    case Value::Tag::kMemoryFormat:
      append_text(out, value.memory_format());
      break;
    case Value::Tag::kGenerator:
      out += "<Generator>";
      break;
    case Value::Tag::kGraph:
      out += "<graph>";
      break;
    case Value::Tag::kNodeRef:
      out += format("%{}", value.node());
      break;
    case Value::Tag::kList:
    case Value::Tag::kIntList:
      out += "[...]";
      break;
  }
}
}  // namespace

void append_text(std::string& out, const Value& value) {
  if (!value.is_list()) return append_scalar(out, value);
  out += '[';
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out += ", ";
    append_scalar(out, value[i]);
  }
  out += ']';
}

}  // namespace faketensor
