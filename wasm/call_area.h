// CallArea: the arguments of one operator call and its answer as a row of doubles in wasm memory.
//
// The quick way across the boundary for programs that call a mode in a loop: no text is written or
// parsed. JavaScript (web/package/src/call_area.ts) writes a count and the arguments, C++ writes
// the answer over them. Whatever does not fit (symbolic sizes, sparse tensors, numbers beyond 2^53,
// a long list) goes as JSON instead, with the same meaning.
//
//   value:   tag, then  nothing | number | id of a tensor | count and values | number of a constant
//   tensor (answers only): id, 1 and nothing else if it is an argument of the call; or
//            id, 0, rank, sizes, strides, offset, dtype, device type, device index, storage, bytes
//   an answer ends with 1 if the call changed what tensors are like, else 0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace faketensor::wasm {

enum class PackedTag : uint8_t {
  kNone,
  kUnset,  // an argument that was not given
  kFalse,
  kTrue,
  kInt,
  kFloat,
  kTensor,
  kList,
  kConstant,  // a value that JavaScript gave as JSON before ("caller.constant")
};

class CallArea {
 public:
  static constexpr size_t kSize = 4096;

  double* data() { return slots_.data(); }
  void rewind() { at_ = 0; }

  // Reading beyond the end gives 0, the tag of None.
  double take() { return at_ < kSize ? slots_[at_++] : 0; }
  PackedTag take_tag() { return static_cast<PackedTag>(static_cast<uint8_t>(take())); }
  // A count of what the rest of the area may hold.
  size_t take_count() {
    const double count = take();
    return count >= 0 && count <= static_cast<double>(kSize - at_) ? static_cast<size_t>(count) : 0;
  }

  // A value that no longer fits is dropped, and is_full() is true from then on.
  void put(double value) {
    if (at_ < kSize) {
      slots_[at_++] = value;
    } else {
      is_full_ = true;
    }
  }
  void put(PackedTag tag) { put(static_cast<double>(tag)); }
  void start_answer() {
    at_ = 0;
    is_full_ = false;
  }
  bool is_full() const { return is_full_; }

 private:
  std::array<double, kSize> slots_ = {};
  size_t at_ = 0;
  bool is_full_ = false;
};

}  // namespace faketensor::wasm
