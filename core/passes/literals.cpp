#include "core/passes/literals.h"

#include "core/ops/name_table.h"

namespace faketensor {

namespace {

using enum LiteralKind;

constexpr LiteralRow kRows[] = {
    {"_unsafe_view.default", kReshape, 1},
    {"affine_grid_generator.default", kSizes, 1},
    {"arange.default", kLength, 0},
    {"arange.start", kLength, 1},
    {"arange.start_step", kLength, 1},
    {"avg_pool1d.default", kWindow, 1},
    {"avg_pool2d.default", kWindow, 1},
    {"avg_pool3d.default", kWindow, 1},
    {"broadcast_to.default", kExpand, 1},
    {"empty.memory_format", kSizes, 0},
    {"expand.default", kExpand, 1},
    {"expand_copy.default", kExpand, 1},
    {"eye.default", kLength, 0},
    {"eye.m", kLength, 0},
    {"full.default", kSizes, 0},
    {"linspace.default", kLength, 2},
    {"max_pool1d.default", kWindow, 1},
    {"max_pool2d.default", kWindow, 1},
    {"max_pool3d.default", kWindow, 1},
    {"narrow.default", kEnd, 3, 1},
    {"new_empty.default", kSizes, 1},
    {"new_full.default", kSizes, 1},
    {"new_ones.default", kSizes, 1},
    {"new_zeros.default", kSizes, 1},
    {"ones.default", kSizes, 0},
    {"rand.default", kSizes, 0},
    {"randint.default", kSizes, 1},
    {"randint.low", kSizes, 2},
    {"randn.default", kSizes, 0},
    {"repeat.default", kRepeats, 1},
    {"repeat_interleave.self_int", kRepeats, 1},
    {"reshape.default", kReshape, 1},
    {"slice.Tensor", kEnd, 3, 1},
    {"slice_copy.Tensor", kEnd, 3, 1},
    {"split.Tensor", kPieces, 1, 2},
    {"split_with_sizes.default", kPieces, 1, 2},
    {"tile.default", kRepeats, 1},
    {"unflatten.int", kUnflatten, 2, 1},
    {"upsample_bicubic2d.default", kOutputSize, 1},
    {"upsample_bicubic2d.vec", kOutputSize, 1},
    {"upsample_bilinear2d.default", kOutputSize, 1},
    {"upsample_bilinear2d.vec", kOutputSize, 1},
    {"upsample_linear1d.default", kOutputSize, 1},
    {"upsample_linear1d.vec", kOutputSize, 1},
    {"upsample_nearest1d.default", kOutputSize, 1},
    {"upsample_nearest1d.vec", kOutputSize, 1},
    {"upsample_nearest2d.default", kOutputSize, 1},
    {"upsample_nearest2d.vec", kOutputSize, 1},
    {"upsample_nearest3d.default", kOutputSize, 1},
    {"upsample_nearest3d.vec", kOutputSize, 1},
    {"upsample_trilinear3d.default", kOutputSize, 1},
    {"upsample_trilinear3d.vec", kOutputSize, 1},
    {"view.default", kReshape, 1},
    {"view_copy.default", kReshape, 1},
    {"zeros.default", kSizes, 0},
};
constexpr NameTable kLiterals(kRows);

struct Broadcasting {
  std::string_view op;
};
constexpr Broadcasting kBroadcasting[] = {
    {"__and__"},      {"__or__"},       {"__xor__"},     {"add"},         {"add_"},
    {"addcdiv"},      {"addcmul"},      {"atan2"},       {"bitwise_and"}, {"bitwise_or"},
    {"bitwise_xor"},  {"clamp"},        {"copy_"},       {"div"},         {"div_"},
    {"eq"},           {"floor_divide"}, {"fmax"},        {"fmin"},        {"fmod"},
    {"ge"},           {"gt"},           {"le"},          {"lerp"},        {"logaddexp"},
    {"logical_and"},  {"logical_or"},   {"logical_xor"}, {"lt"},          {"masked_fill"},
    {"masked_fill_"}, {"maximum"},      {"minimum"},     {"mul"},         {"mul_"},
    {"ne"},           {"pow"},          {"remainder"},   {"rsub"},        {"sub"},
    {"sub_"},         {"where"},        {"xlogy"},
};
constexpr NameTable kBroadcastingTable(kBroadcasting);

}  // namespace

const LiteralRow* find_literals(std::string_view local_name) { return kLiterals.find(local_name); }

bool is_broadcasting(std::string_view packet) { return kBroadcastingTable.find(packet) != nullptr; }

}  // namespace faketensor
