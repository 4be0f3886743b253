#include "core/ops/families/pointwise.h"

#include <algorithm>

#include "core/ops/dispatch_cache.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/factory.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/families/view.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

DTypeCategory category_of(const Value& operand) {
  return category(operand.is_tensor() ? operand.tensor().dtype() : number_dtype(operand));
}

}  // namespace

DType higher_dtype(Call& call, DType a, DType b) {
  if (a == b) return a;
  constexpr DType kOrder[][2] = {
      {DType::kUInt8, DType::kInt8},          {DType::kInt16, DType::kInt16},
      {DType::kInt32, DType::kInt32},         {DType::kInt64, DType::kInt64},
      {DType::kFloat16, DType::kBFloat16},    {DType::kFloat32, DType::kFloat32},
      {DType::kFloat64, DType::kFloat64},     {DType::kComplex32, DType::kComplex32},
      {DType::kComplex64, DType::kComplex64}, {DType::kComplex128, DType::kComplex128},
  };
  for (size_t i = 0; i < std::size(kOrder); ++i) {
    const bool has_a = kOrder[i][0] == a || kOrder[i][1] == a;
    const bool has_b = kOrder[i][0] == b || kOrder[i][1] == b;
    if (has_a && has_b) return kOrder[i + 1][0];
    if (has_a) return b;
    if (has_b) return a;
  }
  call.fail(ErrorKind::kRuntimeError, "Unexpected termination!");
}

namespace {
// The dtype of all tensors among the operands where that is one, which no number outranks.
std::optional<DType> common_dtype(std::span<const Value> operands) {
  std::optional<DType> common;
  for (const Value& operand : operands) {
    if (is_number(operand)) continue;
    const DType dtype = operand.tensor().dtype();
    if (common && *common != dtype) return std::nullopt;
    common = dtype;
  }
  if (!common) return std::nullopt;
  for (const Value& operand : operands) {
    if (operand.is_none() || !is_number(operand)) continue;
    if (category_of(operand) > category(*common)) return std::nullopt;
  }
  return common;
}
}  // namespace

DType promoted_dtype(Call& call, std::span<const Value> operands) {
  if (const std::optional<DType> common = common_dtype(operands)) return *common;
  DTypeCategory highest = DTypeCategory::kBool;
  for (const Value& operand : operands) {
    if (!operand.is_none()) highest = std::max(highest, category_of(operand));
  }
  const bool is_complex_result = highest == DTypeCategory::kComplex;
  std::optional<DType> with_dims;
  std::optional<DType> without_dims;
  for (const Value& operand : operands) {
    if (is_number(operand)) continue;
    const Tensor& tensor = operand.tensor();
    const bool counts =
        category(tensor.dtype()) == highest || (is_complex_result && is_floating(tensor.dtype()));
    if (!counts) continue;
    const DType dtype = is_complex_result ? to_complex(tensor.dtype()) : tensor.dtype();
    std::optional<DType>& found = tensor.dim() == 0 ? without_dims : with_dims;
    found = found ? higher_dtype(call, *found, dtype) : dtype;
  }
  if (with_dims) return *with_dims;
  if (without_dims) return *without_dims;
  const DType default_dtype = call.context().default_dtype;
  if (is_complex_result) return to_complex(default_dtype);
  if (highest == DTypeCategory::kFloating) return default_dtype;
  return highest == DTypeCategory::kIntegral ? DType::kInt64 : DType::kBool;
}

DType result_type(Call& call, std::span<const Value> operands) {
  ResultType type(call.context().default_dtype);
  for (const Value& operand : operands) {
    if (operand.is_none()) continue;
    if (is_number(operand)) {
      const DType dtype =
          operand.is_tensor() ? operand.tensor().dtype() : number_dtype(operand, DType::kFloat64);
      type.add(dtype, ResultType::kNumber);
    } else {
      type.add(operand.tensor().dtype(),
               operand.tensor().dim() == 0 ? ResultType::kZeroDim : ResultType::kDimensioned);
    }
  }
  return type.result();
}

DimVector broadcast_sizes(Call& call, std::span<const Dims> shapes) {
  size_t rank = 0;
  for (const Dims sizes : shapes) rank = std::max(rank, sizes.size());
  DimVector common(rank, SymInt(1));
  for (size_t index = 0; index < shapes.size(); ++index) {
    const Dims sizes = shapes[index];
    for (size_t from_end = 1; from_end <= sizes.size(); ++from_end) {
      const SymInt size = sizes[sizes.size() - from_end];
      SymInt& target = common[rank - from_end];
      if (guard_or_false(size == target)) continue;
      if (guard_or_false(target == 1)) {
        call.check_as(ErrorKind::kValueError, !guard_bool(size < 0),
                      "Attempting to broadcast a dimension with negative length!");
        target = size;
      }
      if (guard_or_false(size == 1) || expect_true(target == size)) continue;
      call.check(false,
                 "Attempting to broadcast a dimension of length {} at -{}! Mismatching argument at "
                 "index {} had {}; but expected shape "
                 "should be broadcastable to {}",
                 size, from_end, index, size_text(sizes), common.span());
    }
  }
  return common;
}

DimVector broadcast_operands(Call& call, std::span<const Value> operands) {
  SmallVector<Dims, 4> shapes;
  for (const Value& operand : operands) {
    if (operand.is_tensor()) shapes.push_back(operand.tensor().sizes());
  }
  return broadcast_sizes(call, shapes.span());
}

namespace {

// The strides of the operands, cast to the computation dtype and expanded to the common shape.
class ExpandedStrides {
 public:
  explicit ExpandedStrides(Dims sizes) : sizes_(sizes) {}

  void add(const Value& operand, std::optional<DType> computation) {
    if (is_number(operand)) return;
    const Tensor& tensor = operand.tensor();
    DimVector dense;
    Dims strides = tensor.strides();
    // A cast keeps dense strides (prims.convert_element_type).
    if (computation && tensor.dtype() != *computation && !tensor.is_non_overlapping_and_dense()) {
      dense = dense_strides_like(tensor.sizes(), strides);
      strides = dense;
    }
    expand(tensor.sizes(), strides);
  }

  Tensor* result(Call& call, DType dtype) const {
    if (count_ == 0) return call.empty(sizes_, dtype);
    SmallVector<Dims, 4> strides;
    for (size_t i = 0; i < count_; ++i) {
      strides.push_back(Dims(room_.data() + i * sizes_.size(), sizes_.size()));
    }
    return call.empty_strided(sizes_, elementwise_strides(sizes_, strides.span()), dtype);
  }

 private:
  // at::inferExpandGeometry: expanded dimensions have stride 0; a new one of size 1 keeps the
  // tensor dense.
  void expand(Dims sizes, Dims strides) {
    const size_t first = room_.size();
    const size_t missing = sizes_.size() - strides.size();
    room_.resize(first + sizes_.size(), 0);
    for (size_t i = sizes_.size(); !strides.empty() && i-- > 0;) {
      const bool is_new = i < missing;
      const SymInt size = is_new ? SymInt(1) : sizes[i - missing];
      if (!guard_or_false(size == sizes_[i])) continue;
      room_[first + i] = is_new ? sizes_[i + 1] * room_[first + i + 1] : strides[i - missing];
    }
    ++count_;
  }

  Dims sizes_;
  size_t count_ = 0;
  SmallVector<SymInt, 24> room_;
};

// Note [Row-major operands]
// Tensors laid out as new ones are give a result laid out so, however they are expanded: where two
// dimensions have different strides in one of them, the outer one's is the larger and a multiple;
// where they have equal ones, the inner dimension is of size 1; and so no operand moves a dimension
// from its place (elementwise_strides). Being in another format as well changes nothing: all
// operands are in it only where none is expanded, and then they are contiguous, too.
bool are_row_major(std::span<const Value> operands) {
  return std::all_of(operands.begin(), operands.end(), [](const Value& operand) {
    return is_number(operand) || operand.tensor().meta->has(kRowMajor);
  });
}

// The sizes of row-major operands: those of one of them where all have the same.
Tensor* row_major_result(Call& call, std::span<const Value> operands, DType dtype) {
  const Tensor* first = nullptr;
  bool is_broadcast = false;
  for (const Value& operand : operands) {
    if (is_number(operand)) continue;
    const Tensor& tensor = operand.tensor();
    if (first == nullptr) first = &tensor;
    is_broadcast =
        is_broadcast || (tensor.meta != first->meta && !same_exprs(tensor.sizes(), first->sizes()));
  }
  if (first == nullptr) return call.empty({}, dtype);
  if (!is_broadcast) return call.empty(first->sizes(), dtype);
  return call.empty(broadcast_operands(call, operands), dtype);
}

}  // namespace

// Note [References on symbolic sizes]
// What a Python reference asks about symbolic sizes, and in which order, decides which guards it
// leaves. So where an operand is symbolic its steps are taken one by one: operands are cast, their
// shapes broadcast, each is expanded if it has to be, and the prim asks whether all are contiguous.
// The layouts are those of the shorter way above.
namespace {

bool any_symbolic(std::span<const Value> operands) {
  return std::any_of(operands.begin(), operands.end(), [](const Value& operand) {
    return operand.is_tensor() && has_symbolic_sizes(operand.tensor());
  });
}

// should_expand of torch._refs._maybe_broadcast: sizes that may be equal are taken to be.
bool should_expand(Call& call, Dims sizes, Dims common) {
  if (sizes.size() != common.size()) return true;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const SymInt x = sizes[i];
    const SymInt y = common[i];
    if (guard_or_false(x != y)) return true;
    if (!guard_or_false(sym_and(x == 1, y == 1)) && guard_or_false(sym_or(x == 1, y == 1)))
      return true;
    call.check(x == y, "sizes assumed to be the same due to unbacked broadcasting semantics");
  }
  return false;
}

bool is_number_by_now(SymInt size) {
  if (!size.is_symbolic()) return true;
  const std::optional<int64_t> value = hint(size);
  return value && statically_known_true(size == *value);
}

// torch._refs._maybe_broadcast inside of a kernel, where every tensor is on the meta device and
// expand is C++'s, which takes numbers only. The dispatcher in Python has an expand of its own.
void broadcast_in_kernel(Call& call, std::span<Value> operands) {
  const DimVector common = broadcast_operands(call, operands);
  for (Value& operand : operands) {
    if (is_number(operand) || !should_expand(call, operand.tensor().sizes(), common)) continue;
    const bool is_known = std::all_of(common.begin(), common.end(), is_number_by_now);
    call.check(is_known || call.context().python_dispatcher,
               "SymIntArrayRef expected to contain only concrete integers");
    operand = call.call<"aten::expand">(operand, common);
  }
}

// tensor.to(dtype) inside of a kernel: C++ asks for strides() and sizes() (_to_copy,
// aten/src/ATen/native/TensorConversions.cpp).
Value cast_in_kernel(Call& call, const Tensor& tensor, DType dtype) {
  if (call.context().python_dispatcher)
    return call.call<"prims::convert_element_type">(tensor, dtype);
  const bool is_dense = tensor.is_non_overlapping_and_dense();
  specialize_sizes(tensor.strides());
  specialize_sizes(tensor);
  const Dims strides = tensor.strides();
  return call.empty_strided(
      tensor.sizes(), is_dense ? DimVector(strides) : dense_strides_like(tensor.sizes(), strides),
      dtype);
}

// torch._refs._maybe_broadcast
void broadcast_in_place(Call& call, std::span<Value> operands) {
  const DimVector common = broadcast_operands(call, operands);
  for (Value& operand : operands) {
    if (is_number(operand) || is_cpu_scalar(operand.tensor())) continue;
    if (should_expand(call, operand.tensor().sizes(), common))
      operand = call.call<"aten::expand">(operand, common);
  }
}

// torch._prims._prim_elementwise_meta
Tensor* elementwise_prim(Call& call, std::span<const Value> operands, DType dtype, bool is_exact) {
  const Tensor* like = nullptr;
  SmallVector<Dims, 4> strides;
  for (const Value& operand : operands) {
    if (is_number(operand) || is_cpu_scalar(operand.tensor())) continue;
    const Tensor& tensor = operand.tensor();
    ask_format(tensor);
    if (like == nullptr) like = &tensor;
    SymBool same = tensor.dim() == like->dim();
    for (size_t i = 0; i < tensor.sizes().size() && !same_expr(same, false); ++i)
      same = sym_and(same, like->sizes()[i] == tensor.sizes()[i]);
    call.check(guard_bool(same), "Shape {} is not the expected shape {}!",
               size_text(tensor.sizes()), size_text(like->sizes()));
    strides.push_back(tensor.strides());
  }
  if (like == nullptr) return call.empty({}, dtype);
  const DimVector permuted = elementwise_strides(like->sizes(), strides.span());
  return is_exact ? call.empty_permuted(like->sizes(), permuted, dtype, call.device())
                  : empty_restrided(call, like->sizes(), permuted, dtype);
}

// The first `uncast` operands keep their dtype. `is_exact`: the step is one of PyTorch's by itself,
// not one that stands for the layout of several.
Tensor* reference(Call& call, std::span<const Value> given, size_t uncast, ElementwiseTypes types,
                  bool is_exact = false) {
  SmallVector<Value, 4> operands;
  for (size_t i = 0; i < given.size(); ++i) {
    const bool casts =
        i >= uncast && !is_number(given[i]) && given[i].tensor().dtype() != types.computation;
    operands.push_back(casts ? call.call<"prims::convert_element_type">(given[i], types.computation)
                             : given[i]);
  }
  if (operands.size() > 1) broadcast_in_place(call, {operands.begin(), operands.size()});
  // A prim answers in bool or in the real type by itself; a narrower type is cast to.
  const bool casts_back =
      types.result != types.computation && category(types.result) == category(types.computation);
  const DType dtype = casts_back ? types.computation : types.result;
  Tensor* result = elementwise_prim(call, operands.span(), dtype, is_exact);
  if (!casts_back) return result;
  return &call.tensor<"prims::convert_element_type">(*result, types.result);
}

}  // namespace

Tensor* elementwise(Call& call, std::span<const Value> operands, DType computation, DType result) {
  if (any_symbolic(operands)) return reference(call, operands, 0, {computation, result});
  if (are_row_major(operands)) return row_major_result(call, operands, result);
  const DimVector sizes = broadcast_operands(call, operands);
  ExpandedStrides strides(sizes);
  for (const Value& operand : operands) strides.add(operand, computation);
  return strides.result(call, result);
}

Tensor* elementwise(Call& call, std::span<const Value> operands, Promotion promote) {
  const ElementwiseTypes types =
      elementwise_types(promoted_dtype(call, operands), promote, call.context().default_dtype);
  return elementwise(call, operands, types.computation, types.result);
}

Tensor* elementwise_step(Call& call, std::span<const Value> operands, Promotion promote) {
  if (!any_symbolic(operands)) return elementwise(call, operands, promote);
  const ElementwiseTypes types =
      elementwise_types(promoted_dtype(call, operands), promote, call.context().default_dtype);
  return reference(call, operands, 0, types, /*is_exact=*/true);
}

Tensor* elementwise_meta(Call& call, std::span<const Value> given, Promotion promote) {
  if (!any_symbolic(given)) return elementwise(call, given, promote);
  const DType dtype =
      elementwise_types(promoted_dtype(call, given), promote, call.context().default_dtype).result;
  SmallVector<Value, 4> operands;
  for (const Value& operand : given) {
    const bool casts = !is_number(operand) && operand.tensor().dtype() != dtype;
    operands.push_back(casts ? cast_in_kernel(call, operand.tensor(), dtype) : operand);
  }
  broadcast_in_kernel(call, {operands.begin(), operands.size()});
  return elementwise_prim(call, operands.span(), dtype, /*is_exact=*/false);
}

Tensor* elementwise_if(Call& call, const Value& condition, std::span<const Value> operands,
                       ElementwiseTypes types) {
  SmallVector<Value, 4> all = {condition};
  all.append(operands);
  if (any_symbolic(all.span())) return reference(call, all.span(), 1, types);
  const DimVector sizes = broadcast_operands(call, all.span());
  ExpandedStrides strides(sizes);
  strides.add(condition, std::nullopt);
  for (const Value& operand : operands) strides.add(operand, types.computation);
  return strides.result(call, types.result);
}

Tensor* elementwise_if(Call& call, const Value& condition, std::span<const Value> operands,
                       Promotion promote) {
  return elementwise_if(
      call, condition, operands,
      elementwise_types(promoted_dtype(call, operands), promote, call.context().default_dtype));
}

ReferenceSteps::ReferenceSteps(Call& call, std::span<const Value> operands, Promotion promote)
    : call_(call),
      types_(elementwise_types(promoted_dtype(call, operands), promote,
                               call.context().default_dtype)) {}

Value ReferenceSteps::step(std::span<const Value> operands, size_t uncast, DType result) const {
  const ElementwiseTypes types = {types_.computation, result};
  if (any_symbolic(operands)) return reference(call_, operands, uncast, types, /*is_exact=*/true);
  return uncast == 0 ? elementwise(call_, operands, types.computation, types.result)
                     : elementwise_if(call_, operands[0], operands.subspan(1), types);
}

Value ReferenceSteps::of(const Value& a) const { return step({&a, 1}, 0, types_.computation); }

Value ReferenceSteps::of(const Value& a, const Value& b) const {
  const Value operands[] = {a, b};
  return step(operands, 0, types_.computation);
}

Value ReferenceSteps::cast(const Value& operand) const {
  if (is_number(operand) || operand.tensor().dtype() == types_.computation) return operand;
  return call_.call<"prims::convert_element_type">(operand, types_.computation);
}

// A number of the lowest category, which never decides the dtype.
Value ReferenceSteps::arithmetic(const Value& a) const { return arithmetic(a, true); }

Value ReferenceSteps::arithmetic(const Value& a, const Value& b) const {
  const Value operands[] = {a, b};
  if (!any_symbolic(operands)) return step(operands, 0, types_.computation);
  const Value first = cast(a);
  return *faketensor::arithmetic(call_, first, cast(b));
}

Value ReferenceSteps::truth(const Value& a) const { return step({&a, 1}, 0, DType::kBool); }

Value ReferenceSteps::truth(const Value& a, const Value& b) const {
  const Value operands[] = {a, b};
  return step(operands, 0, DType::kBool);
}

Value ReferenceSteps::both(const Value& a, const Value& b) const {
  const Value operands[] = {a, b};
  return step(operands, 2, DType::kBool);
}

Value ReferenceSteps::where(const Value& condition, const Value& a, const Value& b) const {
  const Value operands[] = {condition, as_tensor(a), as_tensor(b)};
  return step(operands, 1, types_.computation);
}

Value ReferenceSteps::as_tensor(const Value& operand) const {
  return is_number(operand) ? Value(call_.empty({}, types_.computation)) : operand;
}

void ReferenceSteps::expand(Value& a, Value& b) const {
  Value operands[] = {a, b};
  if (any_symbolic(operands)) {
    for (Value& operand : operands) {
      if (is_number(operand)) continue;
      operand = *cast_to(call_, operand.tensor(), types_.computation);
    }
    broadcast_in_place(call_, operands);
    a = operands[0];
    b = operands[1];
    return;
  }
  const DimVector sizes = broadcast_operands(call_, operands);
  for (Value* operand : {&a, &b}) {
    if (is_number(*operand)) continue;
    const Tensor* cast = cast_to(call_, operand->tensor(), types_.computation);
    *operand = call_.call<"aten::expand">(*cast, sizes);
  }
}

Value ReferenceSteps::result(const Value& value) const {
  const Tensor& tensor = value.tensor();
  if (tensor.dtype() == types_.result) return value;
  return call_.empty_strided(tensor.sizes(), tensor.strides(), types_.result);
}

bool has_plain_layout(const Tensor& tensor) {
  if (!tensor.meta->has_symbols()) return tensor.meta->has(kRowMajor);
  if (!tensor.is_contiguous()) return false;
  // Bytes of what may be empty depend on the steps (Call::empty_permuted).
  const bool is_backed = std::all_of(tensor.sizes().begin(), tensor.sizes().end(),
                                     [](SymInt size) { return hint(size).has_value(); });
  if (!is_backed) return false;
  const DimVector strides = contiguous_strides(tensor.sizes());
  return same_exprs(strides, tensor.strides());
}

std::string_view python_type(DType dtype) {
  if (is_bool(dtype)) return "<class 'bool'>";
  if (is_integral(dtype)) return "<class 'int'>";
  return is_floating(dtype) ? "<class 'float'>" : "<class 'complex'>";
}

void check_number_fits(Call& call, ErrorKind kind, std::string_view name, const Value& number,
                       DType dtype) {
  const DType given = number_dtype(number);
  if (category(given) <= category(dtype)) return;
  call.fail(kind, format("{} argument of type {} cannot be safely cast to type {}!", name,
                         python_type(given), python_type(dtype)));
}

void check_negatable(Call& call, const Tensor& self) {
  call.check(!is_bool(self.dtype()),
             "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
             "invert a mask, use the `~` or `logical_not()` operator instead.");
}

void check_inplace_broadcast(Call& call, const Tensor& self, const Tensor& other) {
  const Value operands[] = {self, other};
  const DimVector sizes = broadcast_operands(call, operands);
  // As tuples are compared: element by element, then their lengths.
  const size_t rank = std::min(sizes.size(), self.sizes().size());
  const bool same = guard_equal(sizes.span().first(rank), self.sizes().first(rank));
  call.check(same && sizes.size() == self.sizes().size(),
             "output with shape {} doesn't match the broadcast shape {}", size_text(self.sizes()),
             tuple_text(sizes));
}

void ask_beside_number(const Tensor& tensor) {
  const Dims sizes = tensor.sizes();
  for (size_t i = sizes.size(); i-- > 0;) (void)guard_or_false(sizes[i] == 1);
}

Value pointwise(Call& call, uint64_t params) {
  const auto given = rule_params<PointwiseParams>(params);
  if (given.begins_with_number) ask_beside_number(call.arg(0).tensor());
  const std::span<const Value> operands = call.args().first(given.operands);
  return given.on_meta ? elementwise_meta(call, operands, given.promote)
                       : elementwise_step(call, operands, given.promote);
}

bool is_pointwise(const Rule& rule) { return rule.function == &pointwise; }

Value like_operand(Call& call, uint64_t params) {
  const Tensor& self = call.arg(0).tensor();
  const Promotion promote = rule_params<PointwiseParams>(params).promote;
  return call.empty_like(
      self, elementwise_types(self.dtype(), promote, call.context().default_dtype).result);
}

}  // namespace faketensor
