#include "core/formats/copy_json.h"

#include <cmath>

namespace faketensor {

void copy_json(JsonWriter& json, JsonValue value) { copy_json(json, value, nullptr); }

void copy_json(JsonWriter& json, JsonValue value,
               const std::function<bool(const JsonMember& member)>& write_instead) {
  switch (value.kind()) {
    case JsonKind::kNull:
      return json.value(nullptr);
    case JsonKind::kBool:
      return json.value(value.boolean());
    case JsonKind::kInteger:
      return json.value(value.integer());
    case JsonKind::kReal: {
      const double number = value.number();
      if (std::isfinite(number)) return json.value(number);
      return json.raw(std::isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity");
    }
    case JsonKind::kString:
      return json.value(value.string());
    case JsonKind::kArray: {
      const auto list = json.array();
      for (const JsonValue item : value.items()) copy_json(json, item, write_instead);
      return;
    }
    case JsonKind::kObject: {
      const auto object = json.object();
      for (const JsonMember member : value.members()) {
        json.key(member.name);
        if (write_instead == nullptr || !write_instead(member))
          copy_json(json, member.value, write_instead);
      }
      return;
    }
  }
}

}  // namespace faketensor
