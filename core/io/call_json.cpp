#include "core/io/call_json.h"

#include <nlohmann/json.hpp>

#include "core/io/json_fields.h"
#include "core/support/format.h"

namespace faketensor {

using nlohmann::json;

std::vector<Value> bind_arguments(const Schema& schema, const json& args, const json& kwargs,
                                  ValueReader& reader, ValueWriter* writer) {
  std::vector<Value> values;
  for (const json& arg : list_of(args, "args")) values.push_back(reader.read(arg, writer));
  for (const auto& [name, arg] : object_of(kwargs, "kwargs").items()) {
    const int at = schema.find_argument(name);
    if (at < 0)
      throw_error(ErrorKind::kRuntimeError,
                  format("Unknown keyword argument '{}' for operator '{}'. Schema: {}", name,
                         schema.name, schema.text));
    if (values.size() <= static_cast<size_t>(at))
      values.resize(static_cast<size_t>(at) + 1, Value::unset());
    values[static_cast<size_t>(at)] = reader.read(arg, writer);
  }
  return values;
}

}  // namespace faketensor
