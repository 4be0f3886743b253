#include "core/ops/facts.h"

#include <algorithm>

#include "core/ops/registry.h"

namespace faketensor {

namespace {

// Facts that stand only in these tables; others follow from them.
// Autograd does not record that the operator writes to its first argument.
constexpr uint32_t kUnrecordedWrite = 1u << 29;
// There is no formula, and the results require grad all the same
// (basicAutogradNotImplementedFallback).
constexpr uint32_t kNoFormula = 1u << 30;
// The mode keeps no answer (FakeTensorMode._validate_cache_key).
constexpr uint32_t kUnsafeView = 1u << 31;

struct Row {
  std::string_view op;
  uint32_t flags;
  ZeroTensors zero_tensors = ZeroTensors::kMaterialized;
};

// Operators with all their overloads, names without "aten::".
// kNumbersAsTensors: torch/csrc/utils/python_arg_parser.cpp, in-place forms too.
// kTakesConjugates: aten/src/ATen/ConjugateFallback.cpp and MathBitFallThroughLists.h, without views.
// clang-format off
constexpr Row kOperators[] = {
    {"_conj", kNumbersAsTensors}, {"_conj_physical", kTakesConjugates},
    {"_to_copy", kNumbersAsTensors}, {"add", kNumbersAsTensors}, {"add_", kNumbersAsTensors},
    {"addmm", kTakesConjugates}, {"addmm_", kTakesConjugates}, {"baddbmm", kTakesConjugates},
    {"bmm", kTakesConjugates}, {"clone", kTakesConjugates}, {"conj_physical", kTakesConjugates},
    {"conj_physical_", kTakesConjugates}, {"copy", kNumbersAsTensors},
    {"copy_", kTakesConjugates | kNumbersAsTensors}, {"div", kNumbersAsTensors},
    {"div_", kNumbersAsTensors}, {"divide", kNumbersAsTensors}, {"divide_", kNumbersAsTensors},
    {"dot", kTakesConjugates}, {"empty_like", kTakesConjugates},
    {"floor_divide", kNumbersAsTensors | kNoFormula}, {"floor_divide_", kNumbersAsTensors},
    {"full_like", kTakesConjugates}, {"heaviside", kNoFormula}, {"linalg_svd", kTakesConjugates},
    {"mm", kTakesConjugates}, {"mul", kNumbersAsTensors}, {"mul_", kNumbersAsTensors},
    {"multiply", kNumbersAsTensors}, {"multiply_", kNumbersAsTensors},
    {"native_channel_shuffle", kNoFormula}, {"new_empty", kTakesConjugates},
    {"new_empty_strided", kTakesConjugates}, {"new_full", kTakesConjugates},
    {"new_ones", kTakesConjugates}, {"new_zeros", kTakesConjugates},
    {"ones_like", kTakesConjugates}, {"rand_like", kTakesConjugates}, {"randint_like", kNoFormula},
    {"randn_like", kTakesConjugates}, {"resize_", kTakesConjugates},
    {"resize_as_", kTakesConjugates}, {"resolve_conj", kTakesConjugates},
    {"resolve_neg", kTakesConjugates}, {"set_", kTakesConjugates}, {"sub", kNumbersAsTensors},
    {"sub_", kNumbersAsTensors}, {"subtract", kNumbersAsTensors}, {"subtract_", kNumbersAsTensors},
    {"to", kNumbersAsTensors}, {"true_divide", kNumbersAsTensors},
    {"true_divide_", kNumbersAsTensors}, {"vdot", kTakesConjugates},
    {"zeros_like", kTakesConjugates},
};

// Overloads.
// ZeroTensors: aten/src/ATen/ZeroTensorFallback.cpp, native/BinaryOps.cpp.
// kRefusesCpuScalars, kTakesMetaTensors, kMovesDevice, kLift: torch/_subclasses/fake_tensor.py.
constexpr Row kOverloads[] = {
    {"_to_copy.default", kTakesDevice},
    {"_unsafe_view.default", kUnsafeView},
    {"add.Scalar", 0, ZeroTensors::kTaken},
    {"add.Tensor", 0, ZeroTensors::kZeroIfBoth},
    {"add_.Tensor", kTakesMetaTensors},
    {"clone.default", 0, ZeroTensors::kTaken},
    {"copy_.default", 0, ZeroTensors::kTaken},
    {"detach.default", kEndsHistory},
    {"detach_.default", kEndsHistory | kUnrecordedWrite},
    {"div.Tensor", 0, ZeroTensors::kZeroIfFirst},
    {"dot.default", 0, ZeroTensors::kTaken},
    {"empty_like.default", 0, ZeroTensors::kTaken},
    {"full_like.default", 0, ZeroTensors::kTaken},
    {"lift_fresh.default", kLift},
    {"lift_fresh_copy.default", kLift},
    {"logical_and_.default", kUnrecordedWrite},
    {"logical_not_.default", kUnrecordedWrite},
    {"logical_or_.default", kUnrecordedWrite},
    {"logical_xor_.default", kUnrecordedWrite},
    {"mul.Scalar", 0, ZeroTensors::kTaken},
    {"mul.Tensor", 0, ZeroTensors::kZeroIfAny},
    {"nextafter.default", kRefusesCpuScalars},
    {"prims::device_put.default", kMovesDevice},
    {"requires_grad_.default", kUnrecordedWrite | kWritesNoData, ZeroTensors::kTaken},
    {"resize_.default", kResizes | kSetsSizes},
    {"resize_as_.default", kSetsSizes},
    {"set_.default", kSetsSizes},
    {"set_.source_Tensor", kSetsSizes},
    {"set_.source_Tensor_storage_offset", kSetsSizes},
    {"split.Tensor", kReturnsTuple},
    {"sub.Tensor", 0, ZeroTensors::kZeroIfBoth},
    {"vdot.default", 0, ZeroTensors::kTaken},
    {"view.default", kSetsSizes},
    {"zeros_like.default", 0, ZeroTensors::kTaken},
};

// Overloads whose formula in derivatives.yaml is not the first of their name.
struct Formula {
  std::string_view op;
  uint8_t number;
};
constexpr Formula kFormulas[] = {
    {"_ctc_loss.Tensor", 1}, {"_native_batch_norm_legit.no_stats", 1}, {"_to_sparse.default", 1},
    {"add.Scalar", 1}, {"all.dim", 1}, {"all.dims", 2}, {"any.dim", 1}, {"any.dims", 2},
    {"as_strided_.default", 1}, {"bernoulli_.float", 2}, {"clamp.default", 1},
    {"clamp_max.Tensor", 1}, {"clamp_min.Tensor", 1}, {"copy_.default", OpFacts::kCopyBackwards}, {"copysign.Scalar", 1},
    {"count_nonzero.default", 1}, {"div.Scalar", 1}, {"div.Scalar_mode", 3}, {"div.Tensor_mode", 2},
    {"fill.Tensor", 1}, {"fill_.Tensor", 1}, {"fmod.Tensor", 1}, {"index_fill.int_Tensor", 1},
    {"lerp.Tensor", 1}, {"masked_fill.Tensor", 1}, {"max.default", 1}, {"mean.dim", 1},
    {"median.dim", 1}, {"min.default", 1}, {"mul.Scalar", 1}, {"nanmedian.dim", 1},
    {"norm.ScalarOpt_dim", 1}, {"norm.ScalarOpt_dim_dtype", 3}, {"norm.ScalarOpt_dtype", 2},
    {"normal.Tensor_Tensor", 2}, {"normal.Tensor_float", 1}, {"normal.float_Tensor", 1},
    {"pow.Scalar", 2}, {"pow.Tensor_Tensor", 1}, {"prod.dim_int", 1}, {"random_.default", 2},
    {"random_.to", 1}, {"remainder.Tensor", 1}, {"round.decimals", 1}, {"rsub.Scalar", 1},
    {"scatter.value", 1}, {"sort.stable", 1}, {"squeeze.dim", 1}, {"squeeze.dims", 2},
    {"squeeze_.default", 3}, {"squeeze_.dim", 4}, {"squeeze_.dims", 5}, {"sub.Scalar", 1},
    {"sum.dim_IntList", 1}, {"transpose_.default", 1}, {"unsqueeze_.default", 1}, {"view.dtype", 1},
    {"xlogy.Scalar_Other", 2}, {"xlogy.Scalar_Self", 1},
};
// clang-format on

constexpr NameTable<Row> kOperatorTable(kOperators);
constexpr NameTable<Row> kOverloadTable(kOverloads);
constexpr NameTable<Formula> kFormulaTable(kFormulas);

// The names by which an operator stands in the tables, looked up once.
struct Names {
  explicit Names(const OpEntry& op)
      : is_aten(op.is_aten()),
        packet(op.packet()),
        local(op.local_name()),
        overload(is_aten ? local : op.name) {}

  bool is_aten;
  std::string_view packet;    // "add_"
  std::string_view local;     // "add_.Tensor"
  std::string_view overload;  // the same, with its namespace where that is not aten
};

uint8_t formula(const Names& names, uint32_t flags) {
  if ((flags & kNoFormula) != 0) return OpFacts::kNotImplemented;
  const Formula* own = kFormulaTable.find(names.local);
  if (own == nullptr && names.packet.ends_with('_')) {
    // In-place operators share the formula of the functional one.
    std::string functional(names.packet.substr(0, names.packet.size() - 1));
    own = kFormulaTable.find(functional.append(names.local.substr(names.packet.size())));
  }
  return own == nullptr ? 0 : own->number;
}

// OpOverload.is_view: a result shares the memory of an argument, and none is written to.
bool is_view(const Schema& schema) {
  const auto is_aliased = [](const Argument& argument) { return !argument.alias.empty(); };
  const auto is_written = [](const Argument& argument) { return argument.is_written(); };
  return std::any_of(schema.arguments.begin(), schema.arguments.end(), is_aliased) &&
         std::none_of(schema.arguments.begin(), schema.arguments.end(), is_written);
}

// In the order of FakeTensorMode._validate_cache_key.
CacheBypass cache_bypass(const OpEntry& op, const Names& names, uint32_t flags) {
  // The out= overloads that torchgen makes have no tags, and no formulas.
  const bool is_tagged = op.out == nullptr || op.out->grad != OutGrad::kNoFormula;
  if ((op.tags & kDataDependent) != 0) return CacheBypass::kDataDependent;
  if ((op.tags & kDynamicShape) != 0 && is_tagged) return CacheBypass::kDynamicShape;
  if ((op.tags & kDynamicShapeByMask) != 0) return CacheBypass::kDynamicShapeByMask;
  if ((op.tags & kInplaceView) != 0) return CacheBypass::kInplaceView;
  if ((flags & kUnsafeView) != 0) return CacheBypass::kUnsafeView;
  if ((flags & kLift) != 0) return CacheBypass::kLift;
  if (!names.is_aten && !op.name.starts_with("prim")) return CacheBypass::kNonBuiltin;
  if ((op.tags & kComposite) != 0 && is_view(op.schema)) return CacheBypass::kCompositeView;
  return CacheBypass::kNone;
}

AnsweredBy answered_by(const OpEntry& op, const Names& names) {
  const auto own = static_cast<AnsweredBy>(op.tags >> 24);
  if (op.derived != OpEntry::Derived::kNone) return AnsweredBy::kUnknown;
  if (own != AnsweredBy::kUnknown) return own;
  if ((op.tags & kComposite) != 0) return AnsweredBy::kComposite;
  if ((op.tags & kRealKernel) != 0) return AnsweredBy::kFallback;
  if (names.is_aten) return AnsweredBy::kMetaPy;
  if (op.name.starts_with("prims::")) return AnsweredBy::kPrim;
  // Functions of Python that exported programs call, and what the transformers library registers.
  for (const std::string_view space : {"_operator::", "math::", "torch::", "transformers::"}) {
    if (op.name.starts_with(space)) return AnsweredBy::kUnknown;
  }
  return AnsweredBy::kMetaPy;
}

// The generated kernels of _foreach_ operators set a history on whatever they return.
bool is_functional_foreach(const OpEntry& op, const Names& names) {
  return op.written_arguments == 0 && names.packet.starts_with("_foreach_") &&
         names.packet != "_foreach_powsum";
}

uint64_t without_formula(const OpEntry& op) {
  uint64_t left_out = 0;
  std::string_view names = op.derivative == nullptr ? "" : op.derivative->without_formula;
  while (!names.empty()) {
    const size_t end = std::min(names.find(','), names.size());
    const int argument = op.schema.find_argument(names.substr(0, end));
    if (argument >= 0) left_out |= uint64_t{1} << argument;  // facts_test finds others
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return left_out;
}

}  // namespace

OpFacts facts_of(const OpEntry& op) {
  const Names names(op);
  OpFacts facts;
  const auto set_if = [&](bool holds, uint32_t flag) { facts.flags |= holds ? flag : 0; };
  if (names.is_aten) {
    if (const Row* row = kOperatorTable.find(names.packet)) facts.flags |= row->flags;
    if (const AutocastRow* row = autocast_list().find(names.overload)) {
      facts.autocast_cpu = row->cpu;
      facts.autocast_cuda = row->cuda;
    }
  }
  if (const Row* row = kOverloadTable.find(names.overload)) {
    facts.flags |= row->flags;
    facts.zero_tensors = row->zero_tensors;
  }
  if ((op.tags & kView) != 0) facts.zero_tensors = ZeroTensors::kTaken;
  set_if((op.tags & (kView | kComposite)) != 0, kTakesConjugates);
  set_if(facts.has(kNumbersAsTensors) || (!names.is_aten && op.name.starts_with("prims::")),
         kWrapsNumbers);
  const bool writes_first = (op.written_arguments & 1) != 0 && names.packet.ends_with('_');
  set_if(writes_first && !facts.has(kUnrecordedWrite), kRecordedWrite);
  const std::string_view base = op.base_name();
  set_if(base.ends_with("_backward") || base.ends_with("_backward_data"), kGradient);
  set_if((op.tags & kIntegerHistory) != 0 || is_functional_foreach(op, names), kIntegerResults);
  facts.cache_bypass = cache_bypass(op, names, facts.flags);
  facts.formula = formula(names, facts.flags);
  facts.answered_by = answered_by(op, names);
  if (op.derivative != nullptr) {
    facts.differentiable_results = op.derivative->differentiable_results;
    facts.without_formula = op.out == nullptr ? without_formula(op) : 0;
    if (op.derivative->saved_sizes.count != 0) facts.saved_sizes = &op.derivative->saved_sizes;
  }
  return facts;
}

std::vector<FactKey> fact_keys() {
  std::vector<FactKey> keys;
  for (const Row& row : kOperators) keys.push_back({"kOperators", row.op, false});
  for (const Row& row : kOverloads) keys.push_back({"kOverloads", row.op, true});
  for (const Formula& row : kFormulas) keys.push_back({"kFormulas", row.op, true});
  for (const AutocastRow& row : autocast_list().rows()) keys.push_back({"kAutocast", row.op, true});
  return keys;
}

}  // namespace faketensor
