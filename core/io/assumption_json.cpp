#include "core/io/assumption_json.h"

namespace faketensor {

void write_assumptions(JsonWriter& json, const Plan& plan,
                       std::span<const Assumption> assumptions) {
  const auto list = json.array();
  for (const Assumption& assumption : assumptions) {
    const auto object = json.object();
    json.field("site", assumption.site);
    if (assumption.row != kNoRow) {
      json.field("node", plan.name_of(assumption.row));
      json.field("row", static_cast<int64_t>(assumption.row));
    }
    json.field("from", assumption.from);
    json.field("to", assumption.to);
    json.field("reason", assumption.reason);
    if (assumption.is_guess) json.field("guess", true);
    json.field_if_any("source", assumption.source);
  }
}

}  // namespace faketensor
