// Short-time Fourier transforms: aten/src/ATen/native/SpectralOps.cpp.
#include "core/ops/families/linalg.h"
#include "core/ops/families/unallocated.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_spectrogram {
namespace {

using OptionalInt = std::optional<SymInt>;
using OptionalBool = std::optional<bool>;

template <typename T>
std::string option_text(const std::optional<T>& option) {
  if (!option) return "None";
  if constexpr (std::is_same_v<T, bool>) {
    return *option ? "1" : "0";
  } else {
    return to_string(*option);
  }
}

// What both transforms say of themselves in an error: "stft(torch.FloatTensor[2], n_fft=4, ...".
std::string common_text(std::string_view name, const Tensor& self, SymInt n_fft, SymInt hop_length,
                        SymInt win_length, const Tensor* window) {
  const std::string head = format("{}({}{}, n_fft={}, hop_length={}, win_length={}, window=", name,
                                  class_text(self), self.sizes(), n_fft, hop_length, win_length);
  if (window == nullptr) return head + "None";
  return head + class_text(*window) + "{" + format("{}", window->sizes()) + "}";
}

void check_window_device(Call& c, std::string_view name, const Tensor& self, const Tensor* window) {
  c.check(window == nullptr || window->device() == self.device(),
          "{} input and window must be on the same device but got self on {} and window on {}",
          name, self.device(), window == nullptr ? self.device() : window->device());
}

// Pads the last dimension of a batch of signals, as an image of one row.
Value padded_signal(Call& c, const Value& signal, SymInt amount, std::string_view mode) {
  DimVector image = {1};
  image.append(signal.tensor().sizes());
  const Value padded =
      c.call<"aten::pad">(c.call<"aten::view">(signal, image), DimVector{amount, amount}, mode);
  return c.call<"aten::view">(padded, DimVector(padded.tensor().sizes().subspan(1)));
}

constexpr std::string_view kComplexOnesided =
    "Cannot have onesided output if window or input is complex";

struct Stft {
  SymInt n_fft, hop_length, win_length;
  Tensor* window;
  bool center;
  std::string_view mode;
  bool normalized;
  OptionalBool onesided, return_complex, align_to_window;
};

[[noreturn]] void fail_stft(Call& c, const Tensor& self, const Stft& given,
                            const std::string& reason) {
  c.fail(ErrorKind::kRuntimeError,
         format("{}, normalized={}, onesided={}, return_complex={}, align_to_window={}) : {}",
                common_text("stft", self, given.n_fft, given.hop_length, given.win_length,
                            given.window),
                given.normalized ? 1 : 0, option_text(given.onesided),
                option_text(given.return_complex), option_text(given.align_to_window), reason));
}

void check_stft_lengths(Call& c, const Tensor& self, const Stft& given, SymInt length) {
  const auto require = [&](bool condition, const std::string& reason) {
    if (!condition) fail_stft(c, self, given, reason);
  };
  require(guard_bool(given.n_fft > 0) && guard_bool(given.n_fft <= length),
          format("expected 0 < n_fft < {}, but got n_fft={}", length, given.win_length));
  require(guard_bool(given.hop_length > 0),
          format("expected hop_length > 0, but got hop_length={}", given.hop_length));
  require(guard_bool(given.win_length > 0) && guard_bool(given.win_length <= given.n_fft),
          format("expected 0 < win_length <= n_fft, but got win_length={}", given.win_length));
  if (given.window == nullptr) return;
  require(given.window->dim() == 1 && guard_bool(given.window->size(0) == given.win_length),
          format("expected a 1D window tensor of size equal to win_length={}, but got window with "
                 "size {}",
                 given.win_length, given.window->sizes()));
}

// The window in the middle of n_fft points; none where nothing is multiplied.
Value stft_window(Call& c, const Tensor& self, const Stft& given) {
  const bool is_short = guard_bool(given.win_length < given.n_fft);
  if (!is_short) return given.window == nullptr ? Value() : Value(given.window);
  const Tensor& like = given.window == nullptr ? self : *given.window;
  return c.call<"aten::new_zeros">(like, DimVector{given.n_fft});
}

Value stft(Call& c, const Tensor& self, const Stft& given) {
  check_window_device(c, "stft", self, given.window);
  c.check(!given.center || !given.align_to_window,
          "stft align_to_window should only be set when center = false.");
  const bool is_complex_window = given.window != nullptr && is_complex(given.window->dtype());
  const bool return_complex =
      given.return_complex.value_or(is_complex(self.dtype()) || is_complex_window);
  c.check(return_complex || given.return_complex,
          "stft requires the return_complex parameter be given for real inputs, and will further "
          "require that return_complex=True in a future PyTorch release.");
  if (!is_float_or_complex(self.dtype()))
    fail_stft(c, self, given, "expected a tensor of floating point or complex values");
  if (self.dim() < 1 || self.dim() > 2) fail_stft(c, self, given, "expected a 1D or 2D tensor");
  Value input = self.dim() == 1 ? c.call<"aten::unsqueeze">(self, 0) : Value(self);
  if (given.center) input = padded_signal(c, input, floor_div(given.n_fft, 2), given.mode);
  check_stft_lengths(c, self, given, input.tensor().size(1));
  const Value window = stft_window(c, self, given);
  if (!given.center && given.align_to_window.value_or(false))
    input = padded_signal(c, input, floor_div(given.n_fft - given.win_length, 2), given.mode);
  const Tensor& signal = input.tensor();
  const SymInt frames = floor_div(signal.size(1) - given.n_fft, given.hop_length) + 1;
  const SymInt step = signal.stride(1);
  input = c.call<"aten::as_strided">(input, DimVector{signal.size(0), frames, given.n_fft},
                                     DimVector{signal.stride(0), step * given.hop_length, step});
  if (!window.is_none()) input = c.call<"aten::mul.Tensor">(input, window);
  const bool is_complex_fft = is_complex(input.tensor().dtype());
  const bool onesided = given.onesided.value_or(!is_complex_fft);
  c.check(!is_complex_fft || !onesided, kComplexOnesided);
  const DimVector last = {2};
  const int64_t norm = given.normalized ? 1 : 0;
  const Value out = is_complex_fft ? c.call<"aten::_fft_c2c">(input, last, norm, true)
                                   : c.call<"aten::_fft_r2c">(input, last, norm, onesided);
  c.call<"aten::transpose_">(out, 1, 2);
  if (self.dim() == 1) c.call<"aten::squeeze_.dim">(out, 0);
  return return_complex ? out : c.call<"aten::view_as_real">(out);
}

Value stft_center(Call& c, const Tensor& self, SymInt n_fft, OptionalInt hop_length,
                  OptionalInt win_length, Tensor* window, bool center, std::string_view pad_mode,
                  bool normalized, OptionalBool onesided, OptionalBool return_complex,
                  OptionalBool align_to_window) {
  return stft(c, self,
              {n_fft, hop_length.value_or(floor_div(n_fft, 4)), win_length.value_or(n_fft), window,
               center, pad_mode, normalized, onesided, return_complex, align_to_window});
}
Value stft_default(Call& c, const Tensor& self, SymInt n_fft, OptionalInt hop_length,
                   OptionalInt win_length, Tensor* window, bool normalized, OptionalBool onesided,
                   OptionalBool return_complex, OptionalBool align_to_window) {
  return stft_center(c, self, n_fft, hop_length, win_length, window, false, "constant", normalized,
                     onesided, return_complex, align_to_window);
}

struct Istft {
  SymInt n_fft;
  SymInt hop_length;
  SymInt win_length;
  Tensor* window;
  bool center;
  bool normalized;
  OptionalBool onesided;
  OptionalInt length;
  bool return_complex;
};

bool check_istft_reference(Call& c, const Tensor& self, const Istft& given) {
  const SymInt fft_size = self.size(-2);
  c.check(given.window == nullptr || given.window->device() == self.device(),
          "istft input and window must be on the same device but got self on {} and window on {}",
          self.device(), given.window == nullptr ? self.device() : given.window->device());
  c.check(is_complex(self.dtype()),
          "istft input and window must be on the same device but got self on {} and window on {}",
          self.device(), given.window == nullptr ? self.device() : given.window->device());
  c.check(self.numel() > 0, "istft input tensor cannot be empty");
  c.check(self.dim() == 2 || self.dim() == 3,
          "istft expected a tensor with 2 or 3 dimensions, but got {}", self.dim());
  const bool onesided = given.onesided ? *given.onesided : guard_bool(fft_size != given.n_fft);
  c.check(onesided ? floor_div(given.n_fft, 2) + 1 == fft_size : given.n_fft == fft_size,
          "istft expected the frequency dimension (3rd to the last) of the input tensor to match "
          "n_fft{} when onesided={}, but got {}",
          onesided ? " / 2 + 1" : "", onesided ? "True" : "False", fft_size);
  c.check(guard_bool(given.hop_length > 0) && guard_bool(given.hop_length <= given.win_length),
          "istft expected 0 < hop_length <= win_length");
  c.check(guard_bool(given.win_length > 0) && guard_bool(given.win_length <= given.n_fft),
          "istft expected 0 < win_length <= n_fft");
  c.check(given.window == nullptr ||
              (given.window->dim() == 1 && guard_bool(given.window->size(0) == given.win_length)),
          "Invalid window shape. window has to be 1D and length of `win_length`");
  return onesided;
}

// The frames in time, and before that whether they and the window may be complex.
Value istft_frames(Call& c, const Tensor& self, const Istft& given, bool onesided) {
  Value input = self.dim() == 2 ? c.call<"aten::unsqueeze">(self, 0) : Value(self);
  input = c.call<"aten::transpose.int">(input, 1, 2);
  const Value norm = given.normalized ? Value::string("ortho") : Value();
  if (given.return_complex) {
    c.check(!onesided, kComplexOnesided);
    return c.call<"aten::fft_ifft">(input, nullptr, -1, norm);
  }
  c.check(given.window == nullptr || !is_complex(given.window->dtype()),
          "Complex windows are incompatible with return_complex=False");
  if (!onesided) input = c.call<"aten::narrow">(input, -1, 0, floor_div(given.n_fft, 2) + 1);
  return c.call<"aten::fft_irfft">(input, nullptr, -1, norm);
}

// Mirrors istft, torch/_refs/__init__.py, which the Python dispatcher calls: nothing of it is data.
Value istft_reference(Call& c, const Tensor& self, const Istft& given) {
  const bool onesided = check_istft_reference(c, self, given);
  const SymInt frames = self.size(-1);
  const SymInt expected = given.n_fft + given.hop_length * (frames - 1);
  Value window = given.window == nullptr
                     ? c.call<"aten::ones">(DimVector{given.win_length}, to_real(self.dtype()),
                                            nullptr, self.device())
                     : Value(given.window);
  if (guard_bool(given.win_length != given.n_fft)) {
    const SymInt left = floor_div(given.n_fft - given.win_length, 2);
    window = c.call<"aten::constant_pad_nd">(
        window, DimVector{left, given.n_fft - given.win_length - left}, 0);
  }
  const Value input = istft_frames(c, self, given, onesided);
  const Value row = c.call<"aten::view">(window, DimVector{1, 1, given.n_fft});
  const Value weighted = c.call<"aten::mul.Tensor">(input, row);
  const DimVector sizes = {weighted.tensor().size(0), expected};
  Value signal = c.call<"aten::unfold_backward">(weighted, sizes, 1, given.n_fft, given.hop_length);
  const Value squares = c.call<"aten::pow.Tensor_Scalar">(window, 2);
  const Value repeated = c.call<"aten::expand">(squares, DimVector{1, frames, given.n_fft});
  Value envelop =
      c.call<"aten::unfold_backward">(repeated, sizes, 1, given.n_fft, given.hop_length);
  const SymInt start = given.center ? floor_div(given.n_fft, 2) : SymInt(0);
  const SymInt end = given.length   ? start + *given.length
                     : given.center ? expected - floor_div(given.n_fft, 2)
                                    : expected;
  signal = c.call<"aten::slice.Tensor">(signal, 1, start, end, 1);
  envelop = c.call<"aten::slice.Tensor">(envelop, 1, start, end, 1);
  signal = c.call<"aten::div.Tensor">(signal, envelop);
  if (self.dim() == 2) signal = c.call<"aten::squeeze.dim">(signal, 0);
  if (guard_bool(end > expected))
    signal = c.call<"aten::constant_pad_nd">(signal, DimVector{0, end - expected}, 0);
  return signal;
}

// Mirrors istft. Whether the windows cover the signal is data, which is asked before there is a
// result.
Value istft(Call& c, const Tensor& self, SymInt n_fft, OptionalInt hop, OptionalInt win,
            Tensor* window, bool center, bool normalized, OptionalBool onesided_option,
            OptionalInt length, bool return_complex) {
  const SymInt hop_length = hop.value_or(floor_div(n_fft, 4));
  const SymInt win_length = win.value_or(n_fft);
  if (c.context().python_dispatcher) {
    return istft_reference(c, self,
                           {n_fft, hop_length, win_length, window, center, normalized,
                            onesided_option, length, return_complex});
  }
  const auto require = [&](bool condition, std::string_view pattern, const auto&... parts) {
    if (condition) return;
    c.fail(ErrorKind::kRuntimeError,
           format("{}, center={}, normalized={}, onesided={}, length={}, return_complex={}) : {}",
                  common_text("istft", self, n_fft, hop_length, win_length, window), center ? 1 : 0,
                  normalized ? 1 : 0, option_text(onesided_option), option_text(length),
                  return_complex ? 1 : 0, format(pattern, parts...)));
  };
  check_window_device(c, "istft", self, window);
  c.check(is_complex(self.dtype()),
          "istft requires a complex-valued input tensor matching the output from stft with "
          "return_complex=True.");
  const Tensor& pairs = c.tensor<"aten::view_as_real">(c.tensor<"aten::resolve_conj">(self));
  pairs.size(-2);
  const SymInt fft_size = pairs.size(-3);
  require(guard_bool(self.numel() != 0), "input tensor cannot be empty.");
  require(pairs.dim() == 3 || pairs.dim() == 4,
          "expected a tensor with 3 or 4 dimensions, but got {}", pairs.dim());
  const bool onesided = onesided_option ? *onesided_option : guard_bool(fft_size != n_fft);
  require(!onesided || guard_bool(floor_div(n_fft, 2) + 1 == fft_size),
          "expected the frequency dimension (3rd to the last) of the input tensor to match n_fft "
          "/ 2 + 1 when onesided=True, but got {}",
          fft_size);
  require(onesided || guard_bool(n_fft == fft_size),
          "expected the frequency dimension (3rd to the last) of the input tensor to match n_fft "
          "when onesided=False, but got {}",
          fft_size);
  require(guard_bool(hop_length > 0) && guard_bool(hop_length <= win_length),
          "expected 0 < hop_length <= win_length");
  require(guard_bool(win_length > 0) && guard_bool(win_length <= n_fft),
          "expected 0 < win_length <= n_fft");
  require(window == nullptr || (window->dim() == 1 && guard_bool(window->size(0) == win_length)),
          "Invalid window shape. window has to be 1D and length of `win_length`");
  c.check(!return_complex || !onesided, kComplexOnesided);
  c.check(return_complex || window == nullptr || !is_complex(window->dtype()),
          "Complex windows are incompatible with return_complex=False");
  return c.call<"aten::equal">(self, self);
}

// clang-format off
constexpr OpDef kSpectrogramRules[] = {
    {"aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor", rule<&istft>(), kComposite | kDataDependent | kSpecializes},
    {"aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor", rule<&stft_default>(), kComposite | kSpecializes},
    {"aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor", rule<&stft_center>(), kComposite | kSpecializes},
};
// clang-format on
}  // namespace
}  // namespace rules_of_spectrogram

std::span<const OpDef> spectrogram_rules() { return rules_of_spectrogram::kSpectrogramRules; }

}  // namespace faketensor
