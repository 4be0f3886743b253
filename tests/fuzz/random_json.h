// RandomJson: JSON as it comes from outside, the same for the same seed on every machine.
//
// `value()` is anything; `or_wild(expected)` is mostly what a reader expects and now and then
// anything. `damaged(text)` is the text with edits, which need not be JSON any more.
//
//   RandomJson random(seed);
//   random.or_wild({{"size", random.sizes()}, {"dtype", random.dtype()}});
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "random_edits.h"

namespace faketensor {

class RandomJson {
 public:
  using json = nlohmann::json;

  // `wild_percent`: how many of the values that `or_wild` sees are replaced.
  explicit RandomJson(uint64_t seed, size_t wild_percent = 6)
      : edits_(seed), wild_percent_(wild_percent) {}

  RandomEdits& edits() { return edits_; }
  size_t below(size_t bound) { return edits_.below(bound); }
  bool chance(size_t percent) { return below(100) < percent; }
  template <typename T, size_t N>
  const T& one_of(const T (&choices)[N]) {
    return choices[below(N)];
  }

  json or_wild(json expected) { return chance(wild_percent_) ? value() : expected; }

  int64_t integer() {
    static constexpr int64_t kEdges[] = {
        -1,        64,        63,        65,        INT64_MAX,       INT64_MIN,
        INT32_MAX, INT32_MIN, 1LL << 31, 1LL << 32, (1LL << 62) - 1, 1LL << 62,
        -2,        -64,       1000000,   1LL << 53, (1LL << 53) + 1, -5};
    return chance(20) ? one_of(kEdges) : static_cast<int64_t>(below(5));
  }
  json number() {
    if (chance(60)) return integer();
    static constexpr double kReals[] = {0.5,   -1.5, 2.0,  1e308, -1e308, 5e-324,
                                        0.125, 1e18, 1e19, -0.0,  2.7,    1e-7};
    return one_of(kReals);
  }
  json sizes() {
    json list = json::array();
    for (size_t left = below(chance(5) ? 70 : 5); left > 0; --left)
      list.push_back(chance(4) ? json(integer()) : json(below(4)));
    return list;
  }
  std::string dtype() {
    static constexpr std::string_view kNames[] = {
        "float32", "float64",       "int64",  "bool",     "float16",       "bfloat16", "int32",
        "uint8",   "complex64",     "int8",   "uint16",   "float8_e4m3fn", "quint8",   "complex32",
        "bits8",   "torch.float32", "double", "nonsense", "uint64",        "int4",     ""};
    return std::string(one_of(kNames));
  }
  std::string device() {
    static constexpr std::string_view kNames[] = {
        "cpu",      "cuda",    "cuda:0",           "cuda:1", "meta", "cpu:0",
        "nonsense", "cuda:-1", "cuda:99999999999", "mps",    "xla",  "cuda:",
        "",         "hpu:3"};
    return std::string(one_of(kNames));
  }
  std::string layout() {
    static constexpr std::string_view kNames[] = {"strided",    "sparse_coo", "sparse_csr",
                                                  "sparse_bsr", "_mkldnn",    "jagged",
                                                  "sparse_csc", "nonsense",   "sparse_bsc"};
    return std::string(one_of(kNames));
  }
  std::string expression() {
    static constexpr std::string_view kTexts[] = {"s0",
                                                  "s0 + 1",
                                                  "2*s0",
                                                  "s0//2",
                                                  "u0",
                                                  "Max(s0, u0)",
                                                  "s0**2",
                                                  "-5",
                                                  "0",
                                                  "s0 - s0",
                                                  "Eq(s0, 2)",
                                                  "ToFloat(s0)",
                                                  "1.5",
                                                  "s0 >",
                                                  "((((s0))))",
                                                  "FloorDiv(s0, 0)",
                                                  "s0**99999",
                                                  "Mod(s0, -1)",
                                                  "",
                                                  "x y",
                                                  "9223372036854775808"};
    return std::string(one_of(kTexts));
  }
  json special() {
    static constexpr std::string_view kNames[] = {"nan", "inf", "-inf", "what"};
    return {{"f", one_of(kNames)}};
  }

  // Anything.
  json value(int depth = 0) {
    switch (below(depth > 3 ? 10 : 22)) {
      case 0:
        return nullptr;
      case 1:
        return chance(50);
      case 2:
      case 3:
        return integer();
      case 4:
        return number();
      case 5:
        return dtype();
      case 6:
        return device();
      case 7:
        return expression();
      case 8:
        return special();
      case 9:
        return uint64_t{1} << 63 | below(3);
      case 10:
        return sizes();
      case 11:
        return {{"dtype", dtype()}};
      case 12:
        return {{"device", device()}};
      case 13:
        return {{"c", json::array({number(), number()})}};
      case 14:
        return {{"sym", expression()}, {"kind", "int"}};
      case 15:
        return {{"layout", layout()}};
      case 16:
        return {{"memory_format", chance(70) ? "channels_last" : "nonsense"}};
      case 17:
        return nested(1 + below(chance(10) ? 300 : 20));
      case 18:
        return {{"ref", "t" + std::to_string(below(4))}};
      default:
        return container(depth);
    }
  }

  // One to four edits of the text, or what is left of it.
  std::string damaged(std::string text, std::string_view other) {
    edits_.apply(text, other);
    return text;
  }

  // Replaces a value somewhere in it.
  void disturb(json& whole) {
    json* at = &whole;
    while (at->is_structured() && !at->empty() && !chance(25)) {
      auto element = at->begin();
      std::advance(element, static_cast<ptrdiff_t>(below(at->size())));
      at = &*element;
    }
    if (at->is_object() && !at->empty() && chance(40)) {
      auto member = at->begin();
      std::advance(member, static_cast<ptrdiff_t>(below(at->size())));
      at->erase(member);
    } else if (at->is_array() && chance(40)) {
      at->push_back(value());
    } else {
      *at = value();
    }
  }

 private:
  json container(int depth) {
    if (chance(50)) {
      json list = json::array();
      for (size_t left = below(4); left > 0; --left) list.push_back(value(depth + 1));
      return list;
    }
    static constexpr std::string_view kKeys[] = {"size",   "stride", "dtype", "device", "t",
                                                 "offset", "layout", "nnz",   "x",      "storage",
                                                 "nbytes", "f",      "c",     "ref",    "expr"};
    json object = json::object();
    for (size_t left = below(4); left > 0; --left)
      object[std::string(one_of(kKeys))] = value(depth + 1);
    return object;
  }
  json nested(size_t depth) {
    json value = chance(50) ? json(1) : json::array();
    for (; depth > 0; --depth) value = json::array({std::move(value)});
    return value;
  }

  RandomEdits edits_;
  size_t wild_percent_;
};

}  // namespace faketensor
