// Numbers in the recorded body of a function, as sizes of its arguments.
//
// Note [Sizes in a body]
// A body is recorded in numbers, where the function has sizes of its arguments: view(x, [4, 2]) may be
// view(x, [x.size(0), 2]). A number that changed from one call to the next together with a dimension
// that is a symbol now is taken for that dimension, a multiple or part of it, or one that is as far
// from it; what stayed is a number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/formats/json_fields.h"
#include "core/ops/context.h"

namespace faketensor {

class SizesOfArguments {
 public:
  // The dimensions of an argument in both calls, with the symbols that they are now.
  void add(const Json& before, const Json& now, const Value& traced);

  // What an argument of an operator is, given what it was in the call before.
  Value argument(Context& context, const Json& before, const Json& now, const Value& value) const;

 private:
  struct Dim {
    SymInt symbol;
    int64_t before;
    int64_t now;
  };
  SymInt size(int64_t before, int64_t now) const;

  std::vector<Dim> dims_;
};

}  // namespace faketensor
