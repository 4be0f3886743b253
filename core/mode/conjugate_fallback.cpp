#include "core/mode/conjugate_fallback.h"

#include <algorithm>

#include "core/support/small_vector.h"

namespace faketensor {

bool ConjugateFallback::is_conjugate(const Value& value) const {
  return value.is_tensor() && context_.owns(value.tensor()) && value.tensor().meta->has(kConj);
}

// What the operator only reads is cloned.
Value ConjugateFallback::dispatch(const OpEntry& op, std::span<const Value> args,
                                  const NextMode& next) {
  const bool any =
      std::any_of(args.begin(), args.end(), [this](const Value& arg) { return is_conjugate(arg); });
  if (!any || op.facts.has(kTakesConjugates)) return next(op, args);
  static const OpEntry& clone = Registry::builtin().entry(Registry::builtin().find("aten::clone"));
  SmallVector<Value, 16> resolved;
  for (size_t i = 0; i < args.size(); ++i) {
    const Value complete[] = {args[i], clone.schema.arguments[1].default_value};
    const bool is_read = is_conjugate(args[i]) && !op.schema.arguments[i].is_written();
    resolved.push_back(is_read ? next(clone, complete) : args[i]);
  }
  return next(op, resolved.span());
}

}  // namespace faketensor
