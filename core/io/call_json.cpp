#include "core/io/call_json.h"

#include "core/formats/json_fields.h"
#include "core/ops/arguments.h"
#include "core/ops/bind.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// An integer that a SymInt has no room for: near the ends of int64, or beyond them. Rules read of a
// Scalar its type, and of an `int` as large as this that it is far off: the nearest integer with
// room stands for it. The length of a range follows from the number itself, for which no other can
// stand: there the reader refuses it.
std::optional<Value> far_integer(const Schema& schema, size_t position, const Json& number) {
  if (!number.is_number_integer() || position >= schema.arguments.size()) return std::nullopt;
  const Argument& argument = schema.arguments[position];
  const bool is_int = argument.type.kind == ArgKind::kInt;
  const bool is_number =
      argument.type.kind == ArgKind::kScalar || argument.type.kind == ArgKind::kTensor;
  const bool is_range = schema.name == "aten::arange" || schema.name == "aten::range";
  if (argument.type.is_list || (!is_int && !is_number) || is_range) return std::nullopt;
  if (number.is_number_unsigned()) {
    if (number.get<uint64_t>() <= uint64_t{INT64_MAX}) return std::nullopt;
    if (is_number) return Value(INT64_MAX);
    refuse_far_integer(schema, position, number.get<uint64_t>());
  }
  constexpr int64_t kLeast = -(int64_t{1} << 62);
  if (number.get<int64_t>() >= kLeast || argument.type.is_symbolic_int) return std::nullopt;
  return Value(kLeast);
}

}  // namespace

std::vector<Value> bind_arguments(const Schema& schema, const Json& args, const Json& kwargs,
                                  ValueReader& reader, ValueWriter* writer) {
  ArgumentBinder binder(schema);
  const auto read = [&](size_t position, const Json& arg) {
    const std::optional<Value> far = far_integer(schema, position, arg);
    return far ? *far : reader.read(arg, writer);
  };
  for (const Json& arg : list_of(args, "args")) binder.add(read(binder.size(), arg));
  for (const auto& [name, arg] : object_of(kwargs, "kwargs").items()) {
    const size_t position = binder.position_of(name);
    binder.set(position, read(position, arg));
  }
  const std::span<const Value> values = binder.values();
  return std::vector<Value>(values.begin(), values.end());
}

}  // namespace faketensor
