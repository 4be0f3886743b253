// An end of a range of integers.
//
// PyTorch's integers are unbounded, and so are the ends of its ranges: with u0 <= 2^63 - 2 the
// upper end of 4*u0 is 2^65 - 8. Ends are kept exactly below 2^126 and are infinite from there,
// which is wider and so still true. The infinities convert from those of int64_t.
//
//   RangeEnd(kIntInfinity).is_infinite()
//   RangeEnd::wide(4 * RangeEnd(INT64_MAX - 1).value())     // 36893488147419103224
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace faketensor {

inline constexpr int64_t kIntInfinity = INT64_MAX;
inline constexpr int64_t kMinusIntInfinity = INT64_MIN;

class RangeEnd {
 public:
  __extension__ using Wide = __int128;

  constexpr RangeEnd() = default;
  // The extremes of int64_t are the infinities.
  constexpr RangeEnd(int64_t value)  // NOLINT(google-explicit-constructor)
      : value_(value == kIntInfinity        ? kInfinite
               : value == kMinusIntInfinity ? -kInfinite
                                            : value) {}
  static constexpr RangeEnd wide(Wide value) {
    RangeEnd end;
    end.value_ = value > kInfinite ? kInfinite : value < -kInfinite ? -kInfinite : value;
    return end;
  }
  static constexpr RangeEnd infinity(int sign) {
    return sign < 0 ? kMinusIntInfinity : kIntInfinity;
  }

  constexpr bool is_infinite() const { return value_ == kInfinite || value_ == -kInfinite; }
  constexpr int sign() const { return (value_ > 0) - (value_ < 0); }
  // The number; only if it is finite.
  constexpr Wide value() const { return value_; }
  // The number where it is finite and has 64 bits.
  constexpr std::optional<int64_t> as_int64() const {
    if (value_ <= kMinusIntInfinity || value_ >= kIntInfinity) return std::nullopt;
    return static_cast<int64_t>(value_);
  }
  // An infinite double where it is infinite.
  double as_double() const;

  friend constexpr bool operator==(RangeEnd a, RangeEnd b) { return a.value_ == b.value_; }
  friend constexpr std::strong_ordering operator<=>(RangeEnd a, RangeEnd b) {
    if (a.value_ == b.value_) return std::strong_ordering::equal;
    return a.value_ < b.value_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }

 private:
  static constexpr Wide kInfinite = Wide{1} << 126;
  Wide value_ = 0;
};

// int_oo + x is int_oo; 0 * int_oo is 0, for an end is approached, never multiplied.
RangeEnd operator-(RangeEnd a);
RangeEnd operator+(RangeEnd a, RangeEnd b);
inline RangeEnd operator-(RangeEnd a, RangeEnd b) { return a + -b; }
RangeEnd operator*(RangeEnd a, RangeEnd b);
// `b` is not 0.
RangeEnd floor_divide(RangeEnd a, RangeEnd b);

// "36893488147419103224", "int_oo", "-int_oo".
std::string to_string(RangeEnd end);
void append_text(std::string& out, RangeEnd end);

}  // namespace faketensor
