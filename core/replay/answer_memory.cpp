#include "core/replay/answer_memory.h"

namespace faketensor {

bool answer_memory(JsonWriter& json, std::string_view kind, const Json& question) {
  if (kind == "memory/allocator") return answer_allocator(json, question), true;
  if (kind == "memory/models") return answer_model(json, question), true;
  return false;
}

}  // namespace faketensor
