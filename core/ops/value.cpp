#include "core/ops/value.h"

#include "core/support/format.h"
#include "core/symbolic/expr.h"

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

namespace {
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
      out += format("({}+{}j)", value.as_complex()[0], value.as_complex()[1]);
      break;
    case Value::Tag::kSymFloat:
      out += to_string(value.as_node());
      break;
    case Value::Tag::kTensor:
      out += format("<tensor {}>", value.tensor().id);
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
