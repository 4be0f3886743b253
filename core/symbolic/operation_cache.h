// OperationCache: results of operations on symbolic scalars, found again by the words of their
// operands (Note [Operations are remembered] in sym_int.cpp, which alone writes it).
//
// A table with one place for each hash: of operations that share a place the last one is kept. An
// entry tells the state of knowledge that it holds for, so nothing is ever taken out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace faketensor {

class OperationCache {
 public:
  // An operation on two values, given as words, and its result.
  struct Operation {
    int64_t a = 0;
    int64_t b = 0;
    uint64_t asked = 0;
    int64_t result = 0;
  };

  // Which operation (an ExprKind, or a number beyond them), and in which epoch, counted from 1.
  static constexpr uint64_t asked(uint8_t operation, uint32_t epoch) {
    return uint64_t{epoch} << 8 | operation;
  }
  // Null where it is not known.
  const Operation* find(uint64_t asked, int64_t a, int64_t b) const {
    const Operation& known = operations_[place_of(asked, a, b)];
    return known.a == a && known.b == b && known.asked == asked ? &known : nullptr;
  }
  void remember(const Operation& operation);

 private:
  static constexpr size_t kFirst = 64;  // most environments are small

  size_t place_of(uint64_t asked, int64_t a, int64_t b) const {
    const uint64_t hash = (static_cast<uint64_t>(a) + (asked & 0xFF)) * 0x9E3779B97F4A7C15u +
                          static_cast<uint64_t>(b) * 0xD6E8FEB86659FD93u;
    return (hash >> 32) & (operations_.size() - 1);
  }

  std::vector<Operation> operations_ = std::vector<Operation>(kFirst);  // a power of two
  size_t displaced_ = 0;                                                // since it grew
};

}  // namespace faketensor
