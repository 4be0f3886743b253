#include "core/ops/derived.h"

#include <algorithm>

#include "core/ops/families/kernel.h"
#include "core/ops/families/list_out.h"
#include "core/ops/families/memory_overlap.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/sparse.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/promotion.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {
bool are_numbers(Dims sizes) {
  return std::none_of(sizes.begin(), sizes.end(), [](SymInt size) { return size.is_symbolic(); });
}
}  // namespace

bool resize_output(Context& context, Tensor& out, Dims sizes, Dims strides) {
  const bool same = guard_equal(sizes, out.sizes());
  if (same) return false;
  if (out.meta->has_symbols() && are_numbers(sizes)) [[unlikely]]
    throw_error(ErrorKind::kRuntimeError, "tried to directly modify sizes for customized tensor");
  const DimVector contiguous = strides.empty() ? contiguous_strides(sizes) : DimVector(strides);
  MetaSpec spec = out.meta->spec();
  spec.sizes = sizes;
  spec.strides = contiguous;
  out.meta = context.metas().intern(spec);
  if (out.storage == nullptr) return true;
  const SymInt needed = storage_bytes(sizes, contiguous, out.offset(), out.dtype());
  if (guard_or_true(needed > out.storage->nbytes)) out.storage->nbytes = needed;
  return true;
}

namespace {

void check_safe_cast(const Call& call, DType from, DType to) {
  call.check(can_cast(from, to),
             "Attempting to cast from {} to out tensor with dtype {}, but this can't be cast "
             "because it is not safe!",
             from, to);
}

// FakeTensorMode.wrap_meta_outputs_with_default_device_logic for a tensor that was passed in.
void check_wrapped_device(Call& call, const Tensor& out) {
  call.check(out.device() == call.device(),
             "FakeTensor is wrapped to wrong device, found {}, expected {}", out.device(),
             call.device());
}

}  // namespace

Value run_inplace(Call& call) {
  Tensor& self = call.arg(0).tensor();
  const Value result = call.op().rule.function(call, call.op().rule.params);
  if ((call.op().tags & kInplaceCopies) != 0) return call.call<"aten::copy_">(self, result);
  return write_result(call, self, result.tensor());
}

Value write_result(Call& call, Tensor& self, const Tensor& result) {
  check_safe_cast(call, result.dtype(), self.dtype());
  resize_output(call.context(), self, result.sizes());
  Call wrapping(call.context(), call.op(), call.args());
  check_wrapped_device(wrapping, self);
  return self;
}

// Note [Writing to out]
// An out= overload is answered by one of a few wrappers that PyTorch puts around the functional
// kernel, and they differ in what a user sees:
//   - out_wrapper (Python) resizes to contiguous, then checks that the cast is safe, or with
//     exact_dtype that there is none.
//   - Wrappers around a Meta kernel see every tensor as if it were on "meta": the functional rule
//     is asked with such twins of the arguments (but for kDeviceHint), and devices are only
//     compared when FakeTensorMode wraps the results. A decomposition sees the devices, and
//     compares them first.
//   - Generated kernels and structured ones want the same dtype, in C++'s names. Structured kernels
//     give a resized `out` the strides that the functional result has.
//   - Results that are lists are written one by one.
//   - Where the functional operator has no Meta kernel, FakeTensorMode runs the real kernel of the
//     overload itself on zeros (families/kernel.h): it writes to what stands for `out`, which stays
//     as it is.
namespace {

// Kernels that make sparse tensors are called by the overload, and it writes what they return.
bool runs_on_zeros(const OpEntry& functional) {
  return (functional.tags & (kRealKernel | kAnyLayout)) == kRealKernel;
}

class OutWriter {
 public:
  explicit OutWriter(Call& call) : OutWriter(call, call.op().out->by) {}
  OutWriter(Call& call, OutBy by)
      : call_(call),
        op_(call.op()),
        by_(by),
        outs_(call.args().last(op_.output_count)),
        on_zeros_(runs_on_zeros(Registry::builtin().entry(op_.functional))) {}

  Value run() {
    if (sees_devices() && !writes_itself() && !on_zeros_) check_devices_of_arguments();
    if (by_ == OutBy::kUnchecked) check_reduction_dtype();
    if (op_.output_count == 1 && outs_[0].is_tensor()) {
      const OpEntry& functional = Registry::builtin().entry(op_.functional);
      check_sparse_unary_output(call_, functional.sparse_rule, outs_[0].tensor());
    }
    const Value result = functional_result();
    return write_all(op_.output_count == 1 ? std::span(&result, 1) : result.values());
  }

  Value write_all(std::span<const Value> results) {
    for (size_t i = 0; i < outs_.size(); ++i) write_value(results[i], outs_[i]);
    if (op_.schema.returns.empty()) return Value();
    if (!sees_devices() && !on_zeros_) {
      for (const Value& out : outs_) check_devices(out);
    }
    return op_.output_count == 1 ? outs_[0] : call_.list(outs_);
  }

  // out_wrapper's maybe_check_copy_devices.
  void check_devices_of_arguments() const {
    if (call_.args().empty() || !call_.arg(0).is_tensor()) return;
    for (const Value& out : outs_) {
      if (out.is_tensor()) check_same_device(call_.arg(0).tensor().device(), out.tensor().device());
    }
  }

 private:
  bool writes_itself() const { return by_ == OutBy::kMasked || by_ == OutBy::kOpmath; }
  bool is_decomposition() const {
    return by_ == OutBy::kDecomposition || by_ == OutBy::kExactDecomposition || writes_itself();
  }
  bool sees_devices() const { return is_decomposition() || by_ == OutBy::kComposed; }

  // The functional operator's arguments are this one's but the outputs; a factory's options are
  // those of the output.
  Value functional_result() {
    const OpEntry& functional = Registry::builtin().entry(op_.functional);
    const bool as_is = sees_devices() || on_zeros_ || (functional.tags & kDeviceHint) != 0;
    SmallVector<Value, 16> args;
    for (const Argument& argument : functional.schema.arguments) {
      const int position = op_.schema.find_argument(argument.name);
      const Value value =
          position >= 0 ? call_.arg(static_cast<size_t>(position)) : option_of_output(argument);
      args.push_back(as_is ? value : on_meta(value));
    }
    return call_.context().call(op_.functional, args);
  }
  // torch._refs._reduction computes in the dtype of `out`; one that is given may not differ.
  void check_reduction_dtype() const {
    const int position = op_.schema.find_argument("dtype");
    if (position < 0 || !call_.arg(static_cast<size_t>(position)).is(Value::Tag::kDType)) return;
    call_.check(call_.arg(static_cast<size_t>(position)).dtype() == outs_[0].tensor().dtype(),
                "dtype argument and out dtype must match in reduction");
  }
  // The value as a Meta kernel sees it.
  Value on_meta(const Value& value) {
    static const Device kMeta{DeviceType::kMeta};
    if (value.is(Value::Tag::kDevice)) return kMeta;
    if (value.is_tensor()) {
      const Tensor& tensor = value.tensor();
      if (tensor.device() == kMeta) return value;
      MetaSpec spec = tensor.meta->spec();
      spec.device = kMeta;
      Tensor* twin = call_.context().make_tensor(call_.context().metas().intern(spec), nullptr);
      twin->is_wrapped_number = tensor.is_wrapped_number;
      return Value(twin);
    }
    if (!value.is(Value::Tag::kList)) return value;
    SmallVector<Value, 8> elements;
    for (const Value& element : value.values()) elements.push_back(on_meta(element));
    return call_.context().make_list(elements);
  }
  Value option_of_output(const Argument& argument) const {
    const Tensor& out = outs_[0].tensor();
    switch (argument.type.kind) {
      case ArgKind::kDType:
        return by_ == OutBy::kUnchecked ? Value::unset() : Value(out.dtype());
      case ArgKind::kLayout:
        return out.layout();
      case ArgKind::kDevice:
        return out.device();
      default:
        return Value::unset();
    }
  }

  void check_same_device(Device from, Device to) const {
    call_.check(from == to,
                "Attempting to copy from device {} to device {}, but cross-device copies are not "
                "allowed!",
                from, to);
  }
  void check_devices(const Value& out) {
    if (out.is_tensor()) return check_wrapped_device(call_, out.tensor());
    for (const Value& element : TensorList(out).values())
      check_wrapped_device(call_, element.tensor());
  }

  void write_value(const Value& result, const Value& out) {
    if (result.is_none()) return by_ == OutBy::kMasked ? void() : refuse_undefined(out);
    if (out.is_tensor()) return write(result.tensor(), out.tensor());
    const TensorList results(result), outs(out);
    if (by_ == OutBy::kCopy) {
      check_materialized(call_, outs);
      const std::string kernel = format("{}_{}", op_.packet(), op_.schema.overload);
      call_.check(results.size() == outs.size(),
                  "{}() expected an out= argument of size {}, got size {}", kernel, results.size(),
                  outs.size());
    }
    call_.check_as(ErrorKind::kTypeError, results.size() == outs.size(),
                   "expected tuple of {} elements but got {}", results.size(), outs.size());
    if (by_ == OutBy::kCopy) return write_copies(call_, outs, results);
    for (size_t i = 0; i < outs.size(); ++i) write(results[i], outs[i]);
  }

  // A result that is not computed (output_mask) is an undefined tensor, which has no dtype.
  void refuse_undefined(const Value& out) const {
    if (!out.is_tensor()) return;
    call_.fail(ErrorKind::kRuntimeError,
               format("Expected out tensor to have dtype nullptr (uninitialized), but got {} "
                      "instead",
                      cpp_type_name(out.tensor().dtype())));
  }

  void write(const Tensor& result, Tensor& out) {
    const bool becomes_dense = result.meta->sparse() != nullptr && out.meta->sparse() == nullptr;
    if (becomes_dense && by_ != OutBy::kUnchecked) refuse_sparse_result(result, out);
    if (on_zeros_) {
      if (by_ == OutBy::kCopy) check_type_meta(result, out);
      return;
    }
    switch (by_) {
      case OutBy::kWrapper:
      case OutBy::kExactWrapper:
      case OutBy::kDecomposition:
      case OutBy::kExactDecomposition:
      case OutBy::kMasked:
        return write_wrapped(result, out);
      case OutBy::kOpmath:
        if (out.dtype() == computation_dtype()) write_wrapped(result, out);
        return;
      case OutBy::kStructured:
        check_type_meta(result, out);
        resize_in_kernel(result, out);
        check_scatter_overlap(call_, out);
        return;
      case OutBy::kIterator:
        call_.check(can_cast(result.dtype(), out.dtype()),
                    "result type {} can't be cast to the desired output type {}",
                    info(result.dtype()).cpp_name, info(out.dtype()).cpp_name);
        resize_in_kernel(result, out);
        return;
      case OutBy::kUnchecked:
        resize_output(call_.context(), out, result.sizes());
        return;
      case OutBy::kComposed:
        resize_output(call_.context(), out, result.sizes());
        call_.call<"aten::copy_">(out, result);
        return;
      default:
        resize_output(call_.context(), out, result.sizes());
        check_type_meta(result, out);
        return;
    }
  }
  // Kernels in C++ compare sizes(), and count elements to warn of the change (resize_output_check,
  // aten/src/ATen/native/Resize.cpp).
  void resize_in_kernel(const Tensor& result, Tensor& out) {
    if (out.meta->has_symbols() && are_numbers(result.sizes())) {
      specialize_sizes(out);
      const bool same = guard_equal(result.sizes(), out.sizes());
      call_.check(same, "Cannot call numel() on tensor with symbolic sizes/strides");
    }
    resize_output(call_.context(), out, result.sizes(), result.strides());
  }
  // pw_cast_for_opmath's, over all tensors of the call.
  DType computation_dtype() const {
    SmallVector<Value, 8> tensors;
    for (const Value& value : call_.args())
      if (value.is_tensor()) tensors.push_back(value);
    return elementwise_types(promoted_dtype(call_, tensors.span()), Promotion::kDefault,
                             call_.context().default_dtype)
        .computation;
  }
  // copy_ from a sparse tensor to a strided one.
  [[noreturn]] void refuse_sparse_result(const Tensor& result, const Tensor& out) const {
    if (is_compressed(result)) {
      call_.fail(
          ErrorKind::kRuntimeError,
          "copy_sparse_compressed_ expected sparse compressed tensor layout but got Strided");
    }
    call_.fail(
        ErrorKind::kRuntimeError,
        format("copy_() between dense and sparse Tensors is not implemented! Found self type = "
               "torch.{}Tensor and src type = torch.sparse.{}Tensor",
               info(out.dtype()).cpp_name, info(result.dtype()).cpp_name));
  }
  void write_wrapped(const Tensor& result, Tensor& out) {
    resize_output(call_.context(), out, result.sizes());
    const bool is_cpu_scalar = result.dim() == 0 && result.device().is_cpu();
    if (is_decomposition() && !is_cpu_scalar) check_same_device(result.device(), out.device());
    if (by_ == OutBy::kExactWrapper || by_ == OutBy::kExactDecomposition || writes_itself()) {
      call_.check(result.dtype() == out.dtype(),
                  "Expected out tensor to have dtype {} but got {} instead", result.dtype(),
                  out.dtype());
    } else {
      check_safe_cast(call_, result.dtype(), out.dtype());
    }
  }
  void check_type_meta(const Tensor& result, const Tensor& out) const {
    call_.check(result.dtype() == out.dtype(),
                "Expected out tensor to have dtype {}, but got {} instead",
                cpp_type_name(result.dtype()), cpp_type_name(out.dtype()));
  }

  Call& call_;
  const OpEntry& op_;
  const OutBy by_;
  std::span<const Value> outs_;
  const bool on_zeros_;  // the real kernel answers
};

}  // namespace

Value write_copies(Call& call, std::span<const Value> results) {
  return OutWriter(call).write_all(results);
}

void check_output_devices(Call& call) {
  OutWriter(call, OutBy::kDecomposition).check_devices_of_arguments();
}

Value write_results(Call& call, std::span<const Value> results, OutBy by) {
  return OutWriter(call, by).write_all(results);
}

Value run_out(Call& call) {
  const OpEntry& op = call.op();
  if (op.out->by == OutBy::kForward) return call.context().call(op.forward, call.args());
  if (op.out->by == OutBy::kRule) {
    const OpEntry& functional = Registry::builtin().entry(op.functional);
    constexpr uint32_t kTakesSparse = kAnyLayout | kComposite;
    const std::span<const Value> inputs = call.args().first(call.args().size() - op.output_count);
    if ((functional.tags & kTakesSparse) == 0 && first_sparse(inputs) != nullptr)
      refuse_sparse(functional, inputs);
    return functional.rule.function(call, functional.rule.params);
  }
  if (op.out->by == OutBy::kRefused) {
    const size_t count = op.schema.arguments.size();
    call.fail(ErrorKind::kRuntimeError,
              format("{}() expected at most {} argument(s) but received {} argument(s). "
                     "Declaration: {}",
                     op.schema.name, count, count + 1, op.schema.text));
  }
  return OutWriter(call).run();
}

}  // namespace faketensor
