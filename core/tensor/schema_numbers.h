// The numbers by which torch.export's files and op profiles name dtypes, layouts and memory formats:
// ScalarType, Layout and MemoryFormat of torch/_export/serde/schema.py.
//
//   by_number(kScalarTypeNumbers, 7)                    // DType::kFloat32
//   number_of(kScalarTypeNumbers, DType::kFloat32)      // 7
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/tensor/device.h"
#include "core/tensor/dtype.h"

namespace faketensor {

template <typename Enum>
struct SchemaNumber {
  Enum value;
  int number;
};

inline constexpr SchemaNumber<DType> kScalarTypeNumbers[] = {
    {DType::kUInt8, 1},           {DType::kInt8, 2},
    {DType::kInt16, 3},           {DType::kInt32, 4},
    {DType::kInt64, 5},           {DType::kFloat16, 6},
    {DType::kFloat32, 7},         {DType::kFloat64, 8},
    {DType::kComplex32, 9},       {DType::kComplex64, 10},
    {DType::kComplex128, 11},     {DType::kBool, 12},
    {DType::kBFloat16, 13},       {DType::kUInt16, 28},
    {DType::kFloat8E4M3FN, 29},   {DType::kFloat8E5M2, 30},
    {DType::kFloat8E4M3FNUZ, 31}, {DType::kFloat8E5M2FNUZ, 32},
    {DType::kFloat8E8M0FNU, 33},  {DType::kUInt32, 34},
    {DType::kUInt64, 35},
};

inline constexpr SchemaNumber<Layout> kLayoutNumbers[] = {
    {Layout::kSparseCoo, 1}, {Layout::kSparseCsr, 2}, {Layout::kSparseCsc, 3},
    {Layout::kSparseBsr, 4}, {Layout::kSparseBsc, 5}, {Layout::kMkldnn, 6},
    {Layout::kStrided, 7},
};

inline constexpr SchemaNumber<MemoryFormat> kMemoryFormatNumbers[] = {
    {MemoryFormat::kContiguous, 1},
    {MemoryFormat::kChannelsLast, 2},
    {MemoryFormat::kChannelsLast3d, 3},
    {MemoryFormat::kPreserve, 4},
};

template <typename Enum, size_t count>
constexpr std::optional<Enum> by_number(const SchemaNumber<Enum> (&rows)[count], int64_t number) {
  for (const SchemaNumber<Enum>& row : rows) {
    if (row.number == number) return row.value;
  }
  return std::nullopt;
}

// Nothing for what the schema has no number for.
template <typename Enum, size_t count>
constexpr std::optional<int> number_of(const SchemaNumber<Enum> (&rows)[count], Enum value) {
  for (const SchemaNumber<Enum>& row : rows) {
    if (row.value == value) return row.number;
  }
  return std::nullopt;
}

// ArgumentKind of the same file: how an argument was given.
inline constexpr int kPositional = 1;
inline constexpr int kByKeyword = 2;

}  // namespace faketensor
