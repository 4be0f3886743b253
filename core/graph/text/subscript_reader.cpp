// Indices of ExpressionReader: "x[0]" is Python's getitem, as torch.fx writes it; slices, None and
// several indices are the operators that they stand for.
#include "core/graph/text/expression_reader.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kSlice = ":slice";

}  // namespace

// An index is an operand; a slice one whose path is kSlice and whose pending call has its ends.
ParsedOperand ExpressionReader::read_subscript(ParsedOperand of) {
  expect("[");
  std::vector<ParsedOperand> indices;
  bool is_tuple = false;
  while (!lexer_.token().is("]")) {
    ParsedOperand one;
    one.span = lexer_.token().span;
    if (lexer_.token().is("...")) {
      lexer_.advance();
      one.path = "...";
    } else {
      PendingCall slice;
      bool is_slice = lexer_.token().is(":");
      if (!is_slice) {
        const TextSpan span = one.span;
        one = ParsedOperand{};
        one.value = value_of(read());
        one.span = {span.begin, lexer_.last_end()};
        is_slice = lexer_.token().is(":");
      }
      if (is_slice) {
        slice.args.push_back(one.value);
        for (int part = 0; part < 2 && accept(":"); ++part) {
          const bool is_open =
              lexer_.token().is(":") || lexer_.token().is(",") || lexer_.token().is("]");
          slice.args.push_back(is_open ? Value() : value_of(read()));
        }
        one = ParsedOperand{};
        one.path = kSlice;
        one.pending = std::move(slice);
      }
    }
    indices.push_back(std::move(one));
    if (!accept(",")) break;
    is_tuple = true;
  }
  expect("]");
  if (indices.empty()) fail({lexer_.last_end() - 1, lexer_.last_end()}, "an index expected");
  const bool is_plain = !is_tuple && indices[0].path.empty() && !indices[0].value.is_none();
  if (!is_plain) return index(std::move(of), indices);
  ParsedOperand result;
  result.span = {of.span.begin, lexer_.last_end()};
  if (!of.pending && of.value.is_list() && indices[0].value.is(Value::Tag::kInt)) {
    const int64_t at = indices[0].value.to_int();
    const auto size = static_cast<int64_t>(of.value.size());
    if (at < -size || at >= size) fail(result.span, format("{} is beyond its end", at));
    result.value = of.value[static_cast<size_t>(at < 0 ? at + size : at)];
    return result;
  }
  PendingCall call;
  call.target = "_operator.getitem";
  call.args.push_back(value_of(std::move(of)));
  call.args.push_back(indices[0].value);
  result.pending = std::move(call);
  return result;
}

ParsedOperand ExpressionReader::index(ParsedOperand of, const std::vector<ParsedOperand>& indices) {
  ParsedOperand current = std::move(of);
  const TextSpan span = {current.span.begin, lexer_.last_end()};
  int64_t dim = 0;
  const auto call = [&](std::string_view target, std::vector<Value> rest) {
    PendingCall made;
    made.target = target;
    made.args.push_back(value_of(std::move(current)));
    for (const Value& value : rest) made.args.push_back(value);
    current = ParsedOperand{};
    current.span = span;
    current.pending = std::move(made);
  };
  for (size_t i = 0; i < indices.size(); ++i) {
    const ParsedOperand& one = indices[i];
    if (one.path == "...") {
      // Dimensions behind it are counted from the end.
      dim = 0;
      for (size_t j = i + 1; j < indices.size(); ++j)
        dim -= indices[j].path.empty() && indices[j].value.is_none() ? 0 : 1;
      for (size_t j = i + 1; j < indices.size(); ++j)
        if (indices[j].path.empty())
          fail(indices[j].span, "only slices may stand behind '...' here");
    } else if (one.path == kSlice) {
      const std::vector<Value>& ends = one.pending->args;
      const bool is_all = ends[0].is_none() && ends[1].is_none() && ends.size() == 2;
      if (!is_all)
        call("torch.ops.aten.slice.Tensor",
             {Value(dim), ends[0], ends[1],
              ends.size() > 2 && !ends[2].is_none() ? ends[2] : Value(1)});
      ++dim;
    } else if (one.value.is_none()) {
      call("torch.ops.aten.unsqueeze.default", {Value(dim)});
      ++dim;
    } else if (one.value.is(Value::Tag::kInt) || one.value.is(Value::Tag::kNodeRef)) {
      call("torch.ops.aten.select.int", {Value(dim), one.value});
    } else {
      fail(one.span, "an index is a number, a slice or None");
    }
  }
  if (!current.pending) call("torch.ops.aten.alias.default", {});
  return current;
}

}  // namespace faketensor
