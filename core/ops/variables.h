// Variables: how long PyTorch's C++ keeps what a composite operator makes on its way.
//
// A rule calls the operators that PyTorch's C++ calls; results live as long as the context. In C++ a
// tensor dies with the last thing that refers to it: the value of an expression with the statement it
// stands in, a variable with its block. What counts memory (VariableWatcher) takes a tensor to die
// with its last reader unless the rule says that a variable keeps it:
//
//   Value kl_div(Call& c, ...) {
//     Variables block(c);
//     const Value output = block.keep(c.call<"aten::mul.Tensor">(...));
//     return c.call<"aten::mean">(output);
//   }                                            // `output` dies here
//
// Blocks nest as those of the C++ do. What an operator returns lives on, whoever kept it.
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// A mode of kPython that is told when variables die.
class VariableWatcher {
 public:
  virtual ~VariableWatcher() = default;
  // Variables of a block that ends: after what was called so far.
  virtual void end_variables(std::span<const Value> variables) = 0;
};

class Variables {
 public:
  explicit Variables(Call& call) : context_(call.context()) {}
  ~Variables();
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  // A tensor, or a list of them, that lives to the end of the block.
  const Value& keep(const Value& value) {
    kept_.push_back(value);
    return kept_.back();
  }

 private:
  Context& context_;
  SmallVector<Value, 4> kept_;
};

// Whether a mode sees the program's calls: a rule that computes what it need not call calls it then.
bool is_watched(const Call& call);

}  // namespace faketensor
