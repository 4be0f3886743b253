// OpFacts: what is known of an operator besides how it answers.
//
// A row says what PyTorch declares at the operator itself (OpTag, Derivative in op_def.h). What
// PyTorch keeps in lists by name (autocast, the conjugate fallback, FakeTensorMode's own lists)
// stands in the tables of facts.cpp and autocast_list.cpp. The registry joins both when it is
// built, so that no call compares names:
//
//   if (op.facts.has(kTakesConjugates)) ...
//   switch (op.facts.autocast_cpu) ...
//
// A table that is not sorted, or names an operator twice, does not compile; facts_test holds that
// each name is an operator's.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ops/name_table.h"
#include "core/ops/op_def.h"

namespace faketensor {

struct OpEntry;

enum OpFact : uint32_t {
  // FakeTensorMode.lift_fns: what torch.tensor calls on the tensor it has made.
  kLift = 1 << 0,
  // It reads the conjugate bit of its arguments, or is a view or composite. Other operators are
  // given clones without the bit (aten/src/ATen/ConjugateFallback.cpp, MathBitFallThroughLists.h).
  kTakesConjugates = 1 << 1,
  // Numbers may stand where tensors are expected (torch._C._should_allow_numbers_as_tensors), and
  // the same for the arguments of a call: operators of prims are called past the parser that asks.
  kNumbersAsTensors = 1 << 2,
  kWrapsNumbers = 1 << 3,
  // Lists inside of FakeTensor._find_common_device: kernels that do not take 0-dimensional CPU
  // tensors beside others, kernels that take tensors made on the meta device.
  kRefusesCpuScalars = 1 << 4,
  kTakesMetaTensors = 1 << 5,
  // It brings a tensor to another device (prims.device_put), or may do so (_to_copy).
  kMovesDevice = 1 << 6,
  kTakesDevice = 1 << 7,
  // The sizes of what it returns are given, whatever its argument's are (resize_, set_, view).
  kSetsSizes = 1 << 8,
  // resize_, which refuses tensors that require grad in words of its own.
  kResizes = 1 << 9,
  // It writes to its first argument, and autograd records that.
  kRecordedWrite = 1 << 10,
  // It is declared to write, and writes no data.
  kWritesNoData = 1 << 11,
  // A list of results is a Python tuple, as decompositions return it.
  kReturnsTuple = 1 << 12,
  // A gradient, each of whose results has a derivative.
  kGradient = 1 << 13,
  // kIntegerHistory of op_def.h, or a functional _foreach_ operator.
  kIntegerResults = 1 << 14,
  // detach and detach_, whose result has no history and is no view to autograd.
  kEndsHistory = 1 << 15,
};

// Why FakeTensorMode._validate_cache_key keeps no answer.
enum class CacheBypass : uint8_t {
  kNone,
  kDataDependent,
  kDynamicShape,
  kDynamicShapeByMask,  // where an index is a mask
  kInplaceView,
  kUnsafeView,
  kLift,
  kNonBuiltin,
  kCompositeView,
};

// What an operator does with tensors that are known to be zero (zero_tensor.h).
enum class ZeroTensors : uint8_t {
  kMaterialized,  // it sees zeros
  kTaken,         // it takes them as they are
  // It sees zeros, and its result is zero where any argument is, the first, or the first two.
  kZeroIfAny,
  kZeroIfFirst,
  kZeroIfBoth,
};

// What an operator becomes inside torch.autocast (core/mode/autocast.h).
enum class AutocastPolicy : uint8_t {
  kNone,
  kLowerPrecision,
  kSinglePrecision,
  kSingleResult,  // computes in float32 where nothing else is asked for: its dtype argument is set
  kSingleOverload,  // the same, by calling the overload that has a dtype argument
  kWidest,
  kBanned,  // raises
};

struct OpFacts {
  // Nodes without a number: "CopyBackwards", and the one of operators without a formula whose
  // results require grad all the same (basicAutogradNotImplementedFallback).
  static constexpr uint8_t kCopyBackwards = 0xFE;
  static constexpr uint8_t kNotImplemented = 0xFF;

  uint32_t flags = 0;  // of OpFact
  CacheBypass cache_bypass = CacheBypass::kNone;
  ZeroTensors zero_tensors = ZeroTensors::kMaterialized;
  AutocastPolicy autocast_cpu = AutocastPolicy::kNone;
  AutocastPolicy autocast_cuda = AutocastPolicy::kNone;
  AnsweredBy answered_by = AnsweredBy::kUnknown;
  // The place of the overload's formula among those of its name in derivatives.yaml: the 0 of
  // "AddBackward0".
  uint8_t formula = 0;
  // Bit i: result i is differentiable / the formula leaves out argument i.
  uint32_t differentiable_results = ~0u;
  uint64_t without_formula = 0;
  const SavedSizes* saved_sizes = nullptr;

  bool has(uint32_t fact) const { return (flags & fact) != 0; }
};

// All that is known of an operator whose schema, name, tags and derivative are set.
OpFacts facts_of(const OpEntry& op);

// A name in one of the tables, for the test that each is in the registry: of an overload
// ("add.Tensor"), or of an operator with all of its overloads ("add").
struct FactKey {
  std::string_view table;
  std::string_view name;
  bool is_overload;
};
std::vector<FactKey> fact_keys();

// One operator in the lists of aten/src/ATen/autocast_mode.{cpp,h}.
struct AutocastRow {
  std::string_view op;
  AutocastPolicy cpu;
  AutocastPolicy cuda;
};
const NameTable<AutocastRow>& autocast_list();

}  // namespace faketensor
