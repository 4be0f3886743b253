// OutDef: one row per `out=` overload, which follows from its functional operator.
//
// "aten::sin.out" takes the arguments of "aten::sin" and the tensors to write to, answers as
// "aten::sin" does, resizes what does not fit and checks the dtype. What is written here is what
// does not follow from the functional row: how PyTorch's kernel writes (OutBy), what autograd holds
// against it (OutGrad), and names that break the rule ("X.Y_out" follows from "X.Y", "X.out" from
// "X" or "X.Tensor"; the tensors are called "out", or "out0", "out1", ...).
//
//   {"aten::sin.out", kWrapper},
//   {"aten::max.dim_max", kStructured, kFormula, "aten::max.dim", "max,max_values"},
#pragma once

#include <cstdint>
#include <string_view>

namespace faketensor {

// How the kernel that answers writes its results, which decides checks, their words, and strides.
enum class OutBy : uint8_t {
  // torch._prims_common.wrappers.out_wrapper around a Meta kernel: safe casts, contiguous when
  // resized.
  kWrapper,
  kExactWrapper,  // with exact_dtype=True
  // A Python kernel that writes any dtype to any.
  kUnchecked,
  // out_wrapper around a decomposition, which sees the tensors' devices.
  kDecomposition,
  kExactDecomposition,
  // A decomposition that writes its results itself, exactly, and leaves alone the outputs of those
  // that a mask leaves out.
  kMasked,
  // The same with its arguments cast to the computation dtype, the output among them: one of
  // another dtype is not written to.
  kOpmath,
  // Generated from the functional operator (torchgen/gen_functionalization_type.py's
  // CompositeExplicitAutograd kernels): resize_out_helper and copy_arg, exact dtypes.
  kCopy,
  // A structured kernel: exact dtypes, strides as the functional operator's when resized.
  kStructured,
  // A structured kernel on TensorIterator: dtypes cast.
  kIterator,
  // A composite operator: the functional result is copied, cast as it may be.
  kComposed,
  // A composite operator whose rule hands the output on (families/into.h).
  kRule,
  // An operator that calls `target` with the same arguments.
  kForward,
  // A factory, to whose arguments FakeTensorMode adds a device that the overload does not take.
  kRefused,
};

// What VariableType's kernel does when gradients are recorded.
enum class OutGrad : uint8_t {
  kFormula,    // refuses arguments and results that require grad
  kNoFormula,  // refuses results that do (basicAutogradNotImplementedFallback)
  kNoGrad,     // composite, or its results are not differentiable
};

struct OutDef {
  std::string_view name;
  OutBy by;
  OutGrad grad;
  std::string_view functional;  // empty: by the rule
  std::string_view outputs;  // names, by ','; "d:out": from alias letter d on; empty: by the rule
  std::string_view target;   // kForward only
  bool unnamed;              // the schema drops the names of the functional results

  consteval OutDef(const char* full_name, OutBy out_by, OutGrad out_grad = OutGrad::kFormula,
                   const char* functional_name = "", const char* output_names = "",
                   const char* target_name = "", bool drops_names = false)
      : name(full_name),
        by(out_by),
        grad(out_grad),
        functional(functional_name),
        outputs(output_names),
        target(target_name),
        unnamed(drops_names) {}
};

}  // namespace faketensor
