// ConjugateFallback: operators that do not read the conjugate bit of their arguments are given clones
// without it.
//
// Mirrors the fallback of the dispatch key Conjugate (aten/src/ATen/native/MathBitsFallback.h), which
// stands between autograd and Python, so that modes see the clones as calls of their own.
#pragma once

#include "core/ops/context.h"

namespace faketensor {

class ConjugateFallback final : public DispatchMode {
 public:
  explicit ConjugateFallback(Context& context) : context_(context) {}

  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;
  DispatchKey key() const override { return DispatchKey::kConjugate; }
  Sees sees() const override { return Sees::kFakes; }

 private:
  bool is_conjugate(const Value& value) const;

  Context& context_;
};

}  // namespace faketensor
