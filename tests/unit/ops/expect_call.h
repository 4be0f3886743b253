// Calls as text, for tables of operators: expect_call("aten::mm", {"f32[2,3]", "f32[3,4]"},
// "f32[2, 4]").
//
// Arguments are typed as `faketensor call` takes them (core/command/value_text.h); the answer is
// what it prints. "dtype=int64" gives an argument by its name.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/command/value_text.h"
#include "core/support/format.h"

namespace faketensor {

// The answer as text, or "Class: message".
inline std::string call_text(std::string_view op, const std::vector<std::string>& args,
                             const Target& target = {}) {
  FakeTensorMode mode(target);
  mode.attach_shape_env(nullptr);
  const OpId id = Registry::builtin().find(op);
  if (id == kNoOp) return format("no rule for {}", op);
  const std::span<const Argument> arguments = Registry::builtin().entry(id).schema.arguments;
  std::vector<Value> values(arguments.size(), Value::unset());
  for (size_t i = 0; i < args.size(); ++i) {
    size_t position = i;
    std::string_view text = args[i];
    if (const size_t equals = text.find('='); equals != std::string_view::npos) {  // by name
      position = static_cast<size_t>(
          Registry::builtin().entry(id).schema.find_argument(text.substr(0, equals)));
      text.remove_prefix(equals + 1);
    }
    values.at(position) = parse_value(mode, text, arguments[position].type);
  }
  const Outcome outcome = mode.call(id, values);
  if (outcome.error) return format("{}: {}", outcome.error->class_name(), outcome.error->message());
  std::span<const TensorRecord> none;
  return value_text(outcome.value, none);
}

inline void expect_call(std::string_view op, const std::vector<std::string>& args,
                        std::string_view expected) {
  EXPECT_EQ(call_text(op, args), expected) << op;
}

// One line of a table: a call and its answer.
struct CallCase {
  std::string_view op;
  std::vector<std::string> args;
  std::string_view answer;
};

}  // namespace faketensor
