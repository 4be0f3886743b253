// Calls of operators as JSON: positional and keyword arguments brought into schema order.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/io/value_json.h"
#include "core/ops/schema.h"

namespace faketensor {

// `args` is a list of values, `kwargs` an object of values by name; what is given neither way is
// Value::unset(). Raises RuntimeError, as PyTorch's argument parser does, for a name that the
// schema does not have, and Unreadable for JSON that is no value.
std::vector<Value> bind_arguments(const Schema& schema, const nlohmann::json& args,
                                  const nlohmann::json& kwargs, ValueReader& reader,
                                  ValueWriter* writer = nullptr);

}  // namespace faketensor
