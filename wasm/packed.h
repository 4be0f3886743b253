// PackedBuffer: a structure of arrays as one block of bytes, which JavaScript opens as typed arrays
// without copying per element.
//
//   u32 magic "FTPK" | u32 version | u32 kind | u32 number of sections
//   per section: u32 id | u32 element type | u32 byte offset | u32 number of elements
//   data, each section aligned to 8 bytes, little-endian
//
// A section of strings holds count + 1 u32 offsets into the UTF-8 text that follows them. The other
// side is web/package/src/packed.ts, whose ids and version must be the ones given here.
//
//   PackedBuffer buffer(PackedKind::kTable);
//   buffer.add(TableSection::kStatus, std::span<const uint8_t>(status));
//   const std::vector<uint8_t>& bytes = buffer.finish();
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace faketensor::wasm {

// Changed whenever a section's meaning, type or id changes; a mismatch is refused by JavaScript.
inline constexpr uint32_t kPackedVersion = 2;

enum class PackedKind : uint32_t { kTable = 1, kLayout = 2 };

enum class TableSection : uint32_t {
  kNames = 1,
  kOp,
  kOps,
  kModule,
  kStatus,
  kKind,
  kDType,
  kDTypes,
  kDevice,
  kDevices,
  kDimStart,
  kSize,
  kStride,
  kOffset,
  kNBytes,
  kTensor,
  kStorage,
  kExpressions,
  kInputStart,
  kInputs,
};

enum class LayoutSection : uint32_t {
  kExtent = 1,
  kBoxId,
  kBoxX,
  kBoxY,
  kBoxW,
  kBoxH,
  kBoxParent,
  kBoxDepth,
  kBoxRepeat,
  kEdgeFrom,
  kEdgeTo,
  kEdgeValue,
  kPointStart,
  kPoints,
};

enum class ElementType : uint32_t { kU8 = 1, kU32, kI32, kF32, kF64, kStrings };

class PackedBuffer {
 public:
  explicit PackedBuffer(PackedKind kind) : kind_(kind) {}

  template <typename Section, typename T>
  void add(Section id, const std::vector<T>& values) {
    add_bytes(static_cast<uint32_t>(id), element_type<T>(), values.data(), values.size(),
              values.size() * sizeof(T));
  }
  template <typename Section>
  void add_strings(Section id, std::span<const std::string_view> strings) {
    add_strings(static_cast<uint32_t>(id), strings);
  }

  // The whole buffer; the object is empty afterwards.
  std::vector<uint8_t> finish();

 private:
  struct Entry {
    uint32_t id, type, offset, count;
  };

  template <typename T>
  static constexpr ElementType element_type() {
    if constexpr (std::is_same_v<T, uint8_t>) return ElementType::kU8;
    if constexpr (std::is_same_v<T, uint32_t>) return ElementType::kU32;
    if constexpr (std::is_same_v<T, int32_t>) return ElementType::kI32;
    if constexpr (std::is_same_v<T, float>) return ElementType::kF32;
    if constexpr (std::is_same_v<T, double>) return ElementType::kF64;
  }
  void add_bytes(uint32_t id, ElementType type, const void* data, size_t count, size_t bytes);
  void add_strings(uint32_t id, std::span<const std::string_view> strings);
  void append(const void* data, size_t bytes);

  PackedKind kind_;
  std::vector<Entry> entries_;
  std::vector<uint8_t> data_;  // section offsets count from its beginning until finish()
};

}  // namespace faketensor::wasm
