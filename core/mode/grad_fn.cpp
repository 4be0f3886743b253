#include "core/mode/grad_fn.h"

#include "core/support/format.h"

namespace faketensor {

std::string grad_fn_name(const OpEntry& op) {
  if (op.facts.formula == OpFacts::kCopyBackwards) return "CopyBackwards";
  if (op.facts.formula == OpFacts::kNotImplemented) return "NotImplemented";
  std::string camel;
  bool upper = true;
  for (const char c : op.packet()) {
    if (c == '_') {
      upper = true;
      continue;
    }
    camel += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return format("{}Backward{}", camel, int{op.facts.formula});
}

}  // namespace faketensor
