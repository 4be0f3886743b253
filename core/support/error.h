// Typed errors: the one way a rule, reader or graph walker says no.
//
// A failing check throws one `Error` by value. It carries PyTorch's exception class (as
// `ErrorKind`), PyTorch's wording, and, as fields, what a program wants to know without parsing
// text: the operator and the argument. Throwing functions are out of line and cold so that rules
// stay small. Errors are caught only at the library's boundary (a mode's call, the interpreter,
// each reader, the command), which turns them into values; nothing leaves the boundary uncaught.
//
//   throw_error(ErrorKind::kIndexError,
//               "Dimension out of range (expected to be in range of [-1, 0], but got 3)");
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace faketensor {

enum class ErrorKind : uint8_t {
  kRuntimeError,           // TORCH_CHECK, torch._check
  kTypeError,              // wrong type of an argument
  kValueError,             // TORCH_CHECK_VALUE
  kIndexError,             // TORCH_CHECK_INDEX, dimension out of range
  kNotImplementedError,    // a dtype or layout that PyTorch refuses
  kAssertionError,         // a Python assert in a reference or meta function
  kZeroDivisionError,      // division of sizes by zero
  kOverflowError,          // a size, stride or byte count that does not fit
  kDataDependentOutput,    // the result is data: item(), equal()
  kDynamicOutputShape,     // the size of the result is data: nonzero() without a ShapeEnv
  kUnsupportedOperator,    // no rule: custom operators without a fake
  kGuardOnDataDependent,   // a decision on an unbacked symbol
  kDeviceMismatch,         // tensors of one call on two devices
  kMissingOpProfile,       // a profiled operator called with inputs no profile matches
  kValueRange,             // facts about a symbol that no value satisfies
  kConstraintViolation,    // an input that is not as its constraint, or a guard beyond it
  kPendingUnbackedSymbol,  // a fresh unbacked symbol that the results do not bind
  kUnsupportedFakeTensor,  // a tensor that no fake can stand for
  kUncapturedHigherOrder,  // a body of a loop whose results are not what it was given
  kKeyError,               // a mapping without the key that is asked for
  kAttributeError,         // a Python value of another type than was expected
  kExportPassBase,         // a graph that no export pass can run, a pass that is used wrongly
  kInternalError,          // torch._export.error.InternalError: a pass met what it cannot change
  kException,              // Python's Exception: a pass manager says which pass raised
  kYamlReaderError,        // PyYAML's: a character that no YAML text has
  kYamlScannerError,       // PyYAML's: no token begins here
  kYamlParserError,        // PyYAML's: a token that may not stand here
  kYamlComposerError,      // PyYAML's: an alias without an anchor
  kYamlConstructorError,   // PyYAML's: a tag that names no value, a key that may be none
  kUnreadable,  // an input file that is not what it claims to be (ours; PyTorch has no name for it)
  kLimitExceeded,  // a stated limit of this library (ours)
  kUsage,          // wrong use of the command or of a method (ours)
};
inline constexpr int kErrorKindCount = 32;

// The name of the Python exception class: "RuntimeError", "DataDependentOutputException", ...
std::string_view class_name(ErrorKind kind);

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  ErrorKind kind() const { return kind_; }
  std::string_view class_name() const { return faketensor::class_name(kind_); }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

  // The full name of the operator overload whose call failed ("aten::mm.default"), empty where no
  // operator is involved.
  const std::string& op() const { return op_; }
  void set_op(std::string op) { op_ = std::move(op); }
  // The argument that is to blame, empty where it is not one.
  const std::string& argument() const { return argument_; }
  void set_argument(std::string argument) { argument_ = std::move(argument); }

 private:
  ErrorKind kind_;
  std::string message_;
  std::string op_;
  std::string argument_;
};

[[noreturn, gnu::cold]] void throw_error(ErrorKind kind, std::string message);

}  // namespace faketensor
