// RandomEdits: damage to a text, the same for the same seed on every machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace faketensor {

class RandomEdits {
 public:
  explicit RandomEdits(uint64_t seed) : state_(seed * 2 + 1) {}

  // A number in [0, bound), 0 for a bound of 0. (splitmix64)
  size_t below(size_t bound) {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    mixed ^= mixed >> 31;
    return bound == 0 ? 0 : static_cast<size_t>(mixed % bound);
  }

  // One to four edits; parts of `other` may be spliced in.
  void apply(std::string& bytes, std::string_view other) {
    for (size_t left = 1 + below(4); left > 0; --left) edit(bytes, other);
  }

 private:
  void edit(std::string& bytes, std::string_view other) {
    const size_t at = below(bytes.size());
    const size_t count = std::min(bytes.size() - at, 1 + below(below(8) == 0 ? 400 : 8));
    switch (below(8)) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        if (!bytes.empty()) bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.erase(at, count);
        break;
      case 3:
        bytes.insert(below(bytes.size() + 1), bytes.substr(at, count));
        break;
      case 4:
        bytes.insert(at, other.substr(below(other.size()), count));
        break;
      case 5:
        bytes.resize(at);
        break;
      case 6:
        replace_word(bytes, at);
        break;
      default:
        replace_number(bytes, at);
        break;
    }
  }

  // The next quoted word becomes another that means something to the reader.
  void replace_word(std::string& bytes, size_t at) {
    static constexpr std::string_view kWords[] = {"as_tensor",
                                                  "as_tensors",
                                                  "as_int",
                                                  "as_ints",
                                                  "as_none",
                                                  "as_graph",
                                                  "as_sym_int",
                                                  "as_name",
                                                  "as_expr",
                                                  "as_float",
                                                  "as_string_to_argument",
                                                  "as_optional_tensors",
                                                  "as_nested_tensors",
                                                  "as_complex",
                                                  "nodes",
                                                  "inputs",
                                                  "outputs",
                                                  "name",
                                                  "graph",
                                                  "tensor_values",
                                                  "x",
                                                  "getitem",
                                                  "output",
                                                  "as_none_1",
                                                  "",
                                                  "torch.ops.higher_order.cond",
                                                  "NaN",
                                                  "Infinity"};
    const size_t open = bytes.find('"', at);
    const size_t close = open == std::string::npos ? open : bytes.find('"', open + 1);
    if (close != std::string::npos)
      bytes.replace(open + 1, close - open - 1, kWords[below(std::size(kWords))]);
  }

  void replace_number(std::string& bytes, size_t at) {
    static constexpr std::string_view kNumbers[] = {"0",
                                                    "-1",
                                                    "1",
                                                    "9223372036854775807",
                                                    "-9223372036854775808",
                                                    "9223372036854775808",
                                                    "1e400",
                                                    "0.5",
                                                    "4294967296",
                                                    "null",
                                                    "true",
                                                    "[]",
                                                    "{}"};
    const size_t first = bytes.find_first_of("0123456789", at);
    if (first == std::string::npos) return;
    const size_t end = std::min(bytes.find_first_not_of("0123456789", first), bytes.size());
    bytes.replace(first, end - first, kNumbers[below(std::size(kNumbers))]);
  }

  uint64_t state_;
};

}  // namespace faketensor
