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

// Who answers for an operator in PyTorch's FakeTensorMode (recorded for every overload in
// tests/conformance/data/schemas, which registry_test holds the rows against).
enum class AnsweredBy : uint8_t {
  kUnknown,            // an overload that is derived, a Python function
  kMetaPy,             // torch/_meta_registrations.py, or a Meta kernel made of a C++ function
  kMetaCpp,            // a Meta kernel in C++
  kStructured,         // the meta function of a structured kernel
  kRef,                // torch/_refs
  kDecomp,             // torch/_decomp
  kFakeImpl,           // torch/_subclasses/fake_impls.py
  kPrim,               // torch/_prims
  kComposite,          // CompositeImplicitAutograd: what it calls
  kCompositeExplicit,  // CompositeExplicitAutograd: one kernel for all devices
  kFallback,           // nobody: the CPU's kernel runs on zeros
  kCustomFake,         // torch.library.register_fake
  kTrivial,            // writes to its arguments and returns nothing
  kUnsupported,
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
  // The size of the result is data (nonzero, unique; torch.Tag.dynamic_output_shape) / the result
  // is data (item, equal; torch.Tag.data_dependent_output).
  kDynamicShape = 1 << 5,
  kDataDependent = 1 << 6,
  // The size of the result is data, though PyTorch does not tag the operator so.
  kSizeIsData = 1 << 7,
  // PyTorch tags the operator as kDynamicShape, and it is only where an index is a mask.
  kDynamicShapeByMask = 1 << 8,
  // The rule knows sparse tensors; without the tag (and unless composite) it is called with strided
  // tensors only, and sparse ones go to the operator's sparse row.
  kAnyLayout = 1 << 9,
  // The Meta kernel asks for the device that a fake tensor stands on (device_hint,
  // torch/_meta_registrations.py), where others see "meta" when called by an out= overload.
  kDeviceHint = 1 << 10,
  // PyTorch's implementation takes no symbolic sizes: those of its tensors are specialised before
  // anything else. A composite's is its C++ one: under the Python dispatcher it has another.
  kSpecializes = 1 << 11,
  // PyTorch has no meta function: the CPU's kernel runs on zeros (families/kernel.h), whose sizes
  // have to be numbers; or the operator calls one that is so.
  kRealKernel = 1 << 12,
  // torch.Tag.inplace_view: changes the metadata of its argument and no data.
  kInplaceView = 1 << 13,

  // What tools/autograd/derivatives.yaml says of the operator, with `derivative` of the row.
  // The formula is for real results (it is not in GRADIENT_IMPLEMENTED_FOR_COMPLEX,
  // gen_variable_type.py).
  kRealDerivative = 1 << 16,
  // None of the floating results is differentiable (output_differentiability).
  kNoDerivative = 1 << 17,
  // The results may be integers where the floating arguments require grad, which is refused.
  kIntegerHistory = 1 << 18,
  // The results do not require grad, whatever the arguments do.
  kDetaches = 1 << 19,

  // AnsweredBy, where it is not what a row says already: kComposite, kRealKernel, a prim, or
  // kMetaPy.
  kByMetaCpp = uint32_t{static_cast<uint8_t>(AnsweredBy::kMetaCpp)} << 24,
  kByStructured = uint32_t{static_cast<uint8_t>(AnsweredBy::kStructured)} << 24,
  kByRef = uint32_t{static_cast<uint8_t>(AnsweredBy::kRef)} << 24,
  kByDecomp = uint32_t{static_cast<uint8_t>(AnsweredBy::kDecomp)} << 24,
  kByFakeImpl = uint32_t{static_cast<uint8_t>(AnsweredBy::kFakeImpl)} << 24,
  kByComposite = uint32_t{static_cast<uint8_t>(AnsweredBy::kComposite)} << 24,
  kByCompositeExplicit = uint32_t{static_cast<uint8_t>(AnsweredBy::kCompositeExplicit)} << 24,
  kByFallback = uint32_t{static_cast<uint8_t>(AnsweredBy::kFallback)} << 24,
  kByCustomFake = uint32_t{static_cast<uint8_t>(AnsweredBy::kCustomFake)} << 24,
  kByTrivial = uint32_t{static_cast<uint8_t>(AnsweredBy::kTrivial)} << 24,
  kByUnsupported = uint32_t{static_cast<uint8_t>(AnsweredBy::kUnsupported)} << 24,
};

// Sizes of the first argument that a derivative formula needs and that are read before the operator
// runs, in this order.
struct SavedSizes {
  int8_t dims[3] = {};
  uint8_t count = 0;
  consteval SavedSizes() = default;
  consteval SavedSizes(auto... each)
      : dims{static_cast<int8_t>(each)...}, count(static_cast<uint8_t>(sizeof...(each))) {}
};

// What derivatives.yaml says of an operator beside its tags.
struct Derivative {
  // Tensor arguments that the formula leaves out and that are not declared non-differentiable, by
  // ','.
  char without_formula[72] = "";
  // Bit i: result i is differentiable.
  uint32_t differentiable_results = ~0u;
  SavedSizes saved_sizes = {};
};
// The place of one for a row: derivative<Derivative{.without_formula = "indices"}>.
template <Derivative value>
inline constexpr const Derivative* derivative = &value;

struct OpDef {
  std::string_view schema;
  Rule rule;
  uint32_t tags = 0;
  const Derivative* derivative = nullptr;  // null: there is nothing to say

  consteval OpDef(const char* schema_text, Rule op_rule, uint32_t op_tags = 0,
                  const Derivative* op_derivative = nullptr)
      : schema(schema_text), rule(op_rule), tags(op_tags), derivative(op_derivative) {
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
