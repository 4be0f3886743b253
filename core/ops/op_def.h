// OpDef: one row per operator overload: schema, rule, tags.
//
// Rows live in constexpr tables in core/ops/rules/<family>.cpp and are named once in registry.cpp.
// A malformed schema does not compile. The rule is a plain function with up to eight bytes of
// parameters, so that two hundred pointwise operators share one body; a special operator names its
// own function, typed in schema order (call.h, `rule<&mm>()`).
//
//   constexpr OpDef kMatmul[] = {
//       {"aten::mm(Tensor self, Tensor mat2) -> Tensor", rule<&mm>()},
//   };
#pragma once

#include <cstdint>
#include <string_view>

#include "core/ops/schema.h"
#include "core/ops/value.h"

namespace faketensor {

class Call;

// A rule: how one operator answers. `params` belongs to the family that made the rule.
struct Rule {
  using Function = Value (*)(Call& call, uint64_t params);
  Function function = nullptr;
  uint64_t params = 0;
  // One letter per parameter of a typed rule (call.h, `type_code`), nullptr for families; a test
  // holds it against the schema.
  const char* signature = nullptr;
};

enum OpTag : uint32_t {
  // The in-place overload follows from this row: "aten::add_.Tensor" from "aten::add.Tensor".
  // It keeps the dtype of `self`, to which the result must cast safely.
  kInplace = 1 << 0,
  // The same, but the result is copied into `self`, cast as it may be (register_inplace,
  // torch/_decomp/decompositions.py).
  kInplaceCopies = 1 << 1,
  // A CompositeImplicitAutograd operator: it only calls others, which check devices themselves.
  kComposite = 1 << 2,
  // The result shares the storage of an argument.
  kView = 1 << 3,
  // Random: two calls never give one value (not folded, not cached as a constant).
  kRandom = 1 << 4,
  // The size of the result is data (nonzero, unique) / the result is data (item, equal).
  kDynamicShape = 1 << 5,
  kDataDependent = 1 << 6,
  // The rule knows sparse tensors; without the tag (and unless composite) it is called with strided
  // tensors only, and sparse ones go to the operator's sparse row.
  kAnyLayout = 1 << 7,
  // The Meta kernel asks for the device that a fake tensor stands on (device_hint,
  // torch/_meta_registrations.py), where others see "meta" when called by an out= overload.
  kDeviceHint = 1 << 8,
  // PyTorch's implementation takes no symbolic sizes: those of its tensors are specialised before
  // anything else. A composite's is its C++ one: under the Python dispatcher it has another.
  kSpecializes = 1 << 9,
  // Not for rows: the registry's own. PyTorch has no meta function and runs the real kernel.
  kRealKernel = 1 << 16,
};

struct OpDef {
  std::string_view schema;
  Rule rule;
  uint32_t tags = 0;

  consteval OpDef(const char* schema_text, Rule op_rule, uint32_t op_tags = 0)
      : schema(schema_text), rule(op_rule), tags(op_tags) {
    if (const char* problem = check_schema_text(schema))
      throw problem;  // not a constant expression: the compiler shows the row
  }
};

// How an operator that has a row answers where a tensor among its arguments is sparse
// (rules/sparse_tables.h). `op` is the overload's name: "aten::sin", "aten::add.Tensor".
struct SparseDef {
  std::string_view op;
  Rule rule;
};

}  // namespace faketensor
