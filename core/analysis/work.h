// Work of a call: what it computes, and the bytes it reads and writes, whatever device it runs on.
//
//   const Work work = work_of(op, args, result);
//   work.kind, work.flops, work.read + work.written
//
// Note [What is counted]
// Products, convolutions and attention count as torch.utils.flop_counter counts them (flops.h). Of
// the rest an addition, a multiplication, a division, a comparison of two numbers to choose one, and a
// function of the C library (exp, sqrt, erf) count one each, as the operator's formula has them: silu is
// x / (1 + exp(-x)), five with its negation. Only floating point counts: integers, conditions, indices,
// sorting and random numbers are nothing. So are Fourier transforms and linear algebra beyond products:
// their bytes are counted, their operations are not.
//
// Bytes are those of the tensors as the operator sees them: a slice's, not its storage's; an expanded
// dimension's once; of a table that is indexed only what is taken. Nothing is read twice, no cache is
// assumed between operators. Views cost nothing.
#pragma once

#include <span>
#include <string_view>

#include "core/devices/device_model.h"
#include "core/ops/registry.h"
#include "core/ops/value.h"

namespace faketensor {

// What kind of kernel answers: each reaches another share of the device's peaks (roofline.h).
enum class WorkKind : uint8_t {
  kNone,  // a view, metadata, memory that is not written
  kMatrix,
  kConvolution,
  kAttention,
  kElementwise,
  kReduction,
  kNormalisation,
  kPooling,  // and resampling
  kGather,
  kScatter,
  kCopy,
  kFill,
  kSort,
  kOther,
};
inline constexpr size_t kWorkKinds = 14;
std::string_view name(WorkKind kind);  // "matrix", "convolution", ...

struct Work {
  WorkKind kind = WorkKind::kNone;
  Rate rate = Rate::kFloat32;  // of its operands
  SymInt flops = 0;
  SymInt read = 0;     // bytes
  SymInt written = 0;  // bytes
};

// Arguments complete and in schema order, as modes below autograd are given them.
Work work_of(const OpEntry& op, std::span<const Value> args, const Value& result);

// What is known of one operator, all its overloads and its in-place one: a row of work_table.cpp.
struct WorkCall {
  std::span<const Value> args;
  const Value& result;
};
struct WorkRow {
  std::string_view op;
  WorkKind kind = WorkKind::kElementwise;
  // Operations for each element of the result, and of the first argument.
  uint8_t per_result = 0;
  uint8_t per_input = 0;
  // Operations beside those; null for none.
  SymInt (*count)(const WorkCall& call) = nullptr;
};
// Null for an operator without one.
const WorkRow* find_work_row(const OpEntry& op);
// For the test that each is an operator's.
std::span<const WorkRow> work_rows();

// The number of a size: of an expression the one that the example has, 0 where only data tells.
int64_t hinted(SymInt size);

}  // namespace faketensor
