#include "core/support/error.h"

#include <array>
#include <utility>

namespace faketensor {

namespace {
constexpr std::array<std::string_view, kErrorKindCount> kClassNames = {
    "RuntimeError",
    "TypeError",
    "ValueError",
    "IndexError",
    "NotImplementedError",
    "AssertionError",
    "ZeroDivisionError",
    "OverflowError",
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "UnsupportedOperatorException",
    "GuardOnDataDependentSymNode",
    "FakeTensorDeviceMismatchError",
    "MissingOpProfile",
    "ValueRangeError",
    "ConstraintViolationError",
    "PendingUnbackedSymbolNotFound",
    "UnsupportedFakeTensorException",
    "UncapturedHigherOrderOpError",
    "KeyError",
    "AttributeError",
    "ExportPassBaseError",
    "InternalError",
    "Exception",
    "ReaderError",
    "ScannerError",
    "ParserError",
    "ComposerError",
    "ConstructorError",
    "UnreadableInput",
    "LimitExceeded",
    "UsageError",
};
static_assert(!kClassNames.back().empty(), "every ErrorKind has a class name");
}  // namespace

std::string_view class_name(ErrorKind kind) { return kClassNames[static_cast<size_t>(kind)]; }

void throw_error(ErrorKind kind, std::string message) { throw Error(kind, std::move(message)); }

}  // namespace faketensor
