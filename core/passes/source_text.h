// What the line of Python that a node comes from says of casts and devices.
//
// A node's stack trace ends in that line, as it stood in the file (one line of a call that may have
// more). In a float32 export `x.to(torch.float32)` and `x.to(y.dtype)` are the same node; the line
// tells them apart. It is read as text: words that can only mean one of both.
#pragma once

#include <string_view>

namespace faketensor {

// The last line of a stack trace that is code; empty where there is none.
std::string_view code_line(std::string_view stack_trace);

enum class Says : uint8_t { kNothing, kKeeps, kFollows, kBoth };

// Of dtypes: a constant (".float()", "torch.float32") keeps, a tensor's (".dtype", "type_as")
// follows.
Says said_of_dtype(std::string_view line);
// Of the device of what a call of `function` makes: without a device among its arguments it keeps to
// the CPU; of casts and other calls, a device on the line follows.
Says said_of_device(std::string_view line, std::string_view function);

// The element of the sizes that `line` hands to a function of that name, as written: "1" and
// "x.size(0)" of "h = torch.zeros(1, x.size(0))", "-1" of "t.expand(n, -1)". Empty where the line does
// not tell.
std::string_view written_size(std::string_view line, std::string_view function, size_t element);

// What a size that is written so is: a number, an attribute of the module ("self.heads"), a dimension
// of a value ("x.shape[1]", "x.size(1)"), or another expression.
struct WrittenSize {
  enum class Kind : uint8_t { kNothing, kNumber, kAttribute, kDimension, kExpression };
  Kind kind = Kind::kNothing;
  std::string_view value = {};  // of a dimension: "x"
  int64_t dim = 0;
};
WrittenSize read_size(std::string_view text);

// What the slices of a line begin and end with: one of both a half of a dimension, as in
// "x[..., : x.shape[-1] // 2]", an expression that is no number, as in "x[:, start:]", or the number
// that was asked for.
struct SliceText {
  bool is_there = false;
  bool has_half = false;
  bool ends_at_number = false;
  bool begins_at_expression = false;
};
SliceText read_slices(std::string_view line, int64_t number);

// The cast of that number on a line, by the order in which they are done: kKeeps and kFollows are the
// casts of "softmax(x.float(), -1).to(y.dtype)". kBoth for a line that has not as many of them.
Says read_nth_cast(std::string_view line, size_t nth, size_t count);

// "y" and "x" of "y = x.float()": what is cast, and what the cast is called. Empty for other lines.
struct CastLine {
  std::string_view result;
  std::string_view operand;
};
CastLine read_cast(std::string_view line);
// "File "model.py", line 12," of the innermost frame of a trace; empty where there is none.
std::string_view innermost_place(std::string_view stack_trace);
// Whether the line is a statement from its beginning to its end.
bool is_statement(std::string_view line);
// Whether the name stands in the line as a word of its own, not as an attribute.
bool mentions(std::string_view line, std::string_view name);

}  // namespace faketensor
