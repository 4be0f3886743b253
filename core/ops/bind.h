// ArgumentBinder: arguments that a call gives by position and by name, in the order of a schema.
//
// All callers with names bind here: files, JSON, the command line, graphs. An error about a name
// has PyTorch's words (FunctionSchema::findErrorInKwargs,
// aten/src/ATen/core/function_schema_inl.h). Arguments that are missing, too many or of another
// type are found by complete_arguments (arguments.h), for calls without names as well.
//
//   ArgumentBinder binder(schema);
//   binder.add(x);
//   binder.set("keepdim", true);
//   context.call(op, binder.values());   // {x, unset, true}
#pragma once

#include <span>
#include <string_view>

#include "core/ops/schema.h"
#include "core/ops/value.h"
#include "core/support/small_vector.h"

namespace faketensor {

class ArgumentBinder {
 public:
  explicit ArgumentBinder(const Schema& schema) : schema_(schema) {}

  // The next argument by position. Positional arguments come before those by name.
  void add(const Value& value) {
    values_.push_back(value);
    positional_ = values_.size();
  }
  void set(std::string_view name, const Value& value) { set(position_of(name), value); }
  void set(size_t position, const Value& value) {
    while (values_.size() <= position) values_.push_back(Value::unset());
    values_[position] = value;
  }

  // Where the argument of that name stands. Raises RuntimeError for a name that the schema lacks,
  // or whose argument was given by position.
  size_t position_of(std::string_view name) const;
  // One after the last argument that was given.
  size_t size() const { return values_.size(); }
  // Value::unset() where nothing was given; arguments after the last that was are left out.
  std::span<const Value> values() const { return values_.span(); }

 private:
  const Schema& schema_;
  SmallVector<Value, 16> values_;
  size_t positional_ = 0;
};

}  // namespace faketensor
