#include "core/devices/version_changes.h"

#include <algorithm>

#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {
namespace {

constexpr uint16_t kInLayout = kInStrides | kInOffset;

constexpr VersionChange kChanges[] = {
    {"aten.native_layer_norm", TorchVersion{2, 6}, kInDType,
     "mean and rstd of a bfloat16 or float16 input on the CPU were float32, and are of its dtype"},
    {"aten.nonzero aten.argwhere aten.nonzero_numpy aten.where.default", TorchVersion{2, 7},
     kInLayout,
     "the indices were contiguous (strides [2, 1]), and are the transpose of such (strides [1, "
     "u0])"},
    {"aten._scaled_dot_product_flash_attention aten._flash_attention_forward", TorchVersion{2, 7},
     kInDType | kInSizes | kInStrides,
     "the random state was two int64 numbers, and is uint64[2] and a uint64"},
    {"aten.einsum", TorchVersion{2, 9}, kInStridesOfOnes,
     "strides of dimensions of size 1 were those of the product, and are contiguous"},
    {"higher_order.map_impl", TorchVersion{2, 9}, kInStrides,
     "results were one slice, expanded (stride 0), and are contiguous"},
    {"aten.linalg_eig aten._linalg_eigh", TorchVersion{2, 10}, kInStrides,
     "eigenvectors were row-major, and are column-major"},
    {"aten._scaled_dot_product_cudnn_attention", TorchVersion{2, 11}, kInSizes | kInStridesOfOnes,
     "logsumexp had no last dimension, and dimensions of size 1 had other strides"},
    {"aten._scaled_dot_product_flash_attention "
     "aten._scaled_dot_product_fused_attention_overrideable",
     TorchVersion{2, 11}, kInStridesOfOnes, "dimensions of size 1 had the query's strides"},
    {"aten._fft_c2c aten._fft_r2c aten.fft_fft aten.fft_ifft aten.fft_rfft aten.fft_ihfft "
     "aten.fft_fft2 aten.fft_ifft2 aten.fft_rfft2 aten.fft_ihfft2 aten.fft_fftn aten.fft_ifftn "
     "aten.fft_rfftn aten.fft_ihfftn aten.stft",
     TorchVersion{2, 12}, kInStrides,
     "results were contiguous, and have the dimensions that were transformed last innermost"},
    {"aten._unique2 aten._unique aten.unique_dim aten.unique_dim_consecutive "
     "aten.unique_consecutive",
     TorchVersion{2, 12}, kInDType,
     "inverse indices and counts were of the input's dtype, and are int64"},
    {"aten.quantile aten.nanquantile", TorchVersion{2, 12}, kInErrors,
     "a quantile that is given as a number raised, as a decision on data"},
    {"aten.slice", TorchVersion{2, 13}, kInUnbackedSizes,
     "what an unbacked bound leaves was a new symbol, and is Min(size, bound)"},
    {"aten.reflection_pad2d aten.replication_pad2d", TorchVersion{2, 13}, kInStridesOfOnes,
     "dimensions of size 1 of a channels-last result had other strides"},
    {"aten.randint_like", TorchVersion{2, 13}, kInStrides,
     "with a bound that is a tensor, the result was contiguous, and is laid out as the input"},
    {"aten.index_fill aten.diagonal_scatter", TorchVersion{2, 13}, kInStrides,
     "the result for an input that overlaps itself had other strides"},
    {"aten.lstm", TorchVersion{2, 13}, kInSizes | kInStrides,
     "exports recorded the hidden state of several layers with a dimension of 1 too many"},
    {"aten.istft", std::nullopt, kInErrors,
     "an export gets past the check of the window's values, which fake tensors alone do not"},
    {"higher_order.wrap_with_autocast", std::nullopt, kInDType,
     "a strict export records what runs under autocast as it is without"},
    {"higher_order.while_loop", std::nullopt, kInOffset,
     "an export under autograd records results as the last of all iterations', which are stacked"},
};

}  // namespace

std::optional<TorchVersion> parse_torch_version(std::string_view text) {
  constexpr int kMost = 1000;
  const auto number = [&]() -> std::optional<int> {
    int value = 0;
    size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && value < kMost)
      value = 10 * value + (text[digits++] - '0');
    if (digits == 0) return std::nullopt;
    text.remove_prefix(digits);
    return value;
  };
  const std::optional<int> major = number();
  if (!major || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const std::optional<int> minor = number();
  if (!minor) return std::nullopt;
  return TorchVersion{*major, *minor};
}

void append_text(std::string& out, TorchVersion version) {
  out += format("{}.{}", version.major, version.minor);
}

bool VersionChange::is_about(std::string_view target) const {
  target = operator_name(target);
  // "aten.nonzero.default" is an overload of "aten.nonzero".
  std::string_view rest = operators;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (target.starts_with(name) && (target.size() == name.size() || target[name.size()] == '.'))
      return true;
  }
  return false;
}

bool VersionChange::covers(unsigned differing) const {
  unsigned covered = aspects;
  if ((covered & kInSizes) != 0) covered |= kInUnbackedSizes | kInStrides;
  if ((covered & kInStrides) != 0) covered |= kInStridesOfOnes;
  return (differing & ~covered) == 0;
}

std::span<const VersionChange> version_changes() { return kChanges; }

std::vector<const VersionChange*> changes_between(TorchVersion one, TorchVersion other) {
  const TorchVersion earlier = std::min(one, other);
  const TorchVersion later = std::max(one, other);
  std::vector<const VersionChange*> changes;
  for (const VersionChange& change : kChanges) {
    if (!change.since || (earlier < *change.since && *change.since <= later))
      changes.push_back(&change);
  }
  return changes;
}

}  // namespace faketensor
