// What the rows of bodies (bodies.h) answer while a propagation runs their calls.
//
// Sees what the interpreter runs inside of higher-order operators, and keeps for each body the values
// of its first run. An error in a body is that row's; its call, and the calls around that, are not
// reached. Bodies that PyTorch's fake implementation of an operator does not run (the condition of a
// while_loop, the score of flex_attention) are run at the end for their values alone: what they find
// out about symbols is forgotten, and an error in one is no problem of the program's.
#pragma once

#include <memory>
#include <vector>

#include "core/graph/fake_tensor_prop.h"
#include "core/graph/interpreter.h"

namespace faketensor {

class BodyWatcher : public GraphWatcher {
 public:
  // The row that raised in the call begun last, told once; kNoRow where none did.
  virtual Row take_failed() = 0;
  // Runs the bodies that no call has run.
  virtual void run_others() = 0;
};

// Sees what `interpreter` runs from here on. All must outlive it; `records` has one of each row of a
// program that shows bodies.
std::unique_ptr<BodyWatcher> watch_bodies(const Program& program, Interpreter& interpreter,
                                          std::vector<NodeRecord>& records);

}  // namespace faketensor
