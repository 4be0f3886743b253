// Elementwise operators: unary, binary, comparisons, activations.
#include "core/ops/families/pointwise.h"

#include "core/ops/rules/tables.h"

namespace faketensor {

namespace {
using enum Promotion;

// clang-format off
constexpr OpDef kPointwise[] = {
    {"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", binary(), kInplace},
    {"aten::relu(Tensor self) -> Tensor", unary(), kInplace},
    {"aten::sin(Tensor self) -> Tensor", unary({.promote = kIntToFloat}), kInplace},
};
// clang-format on
}  // namespace

std::span<const OpDef> pointwise_rules() { return kPointwise; }

}  // namespace faketensor
