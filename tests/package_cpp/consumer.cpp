// A program of a user of the installed library: what does a product of two matrices look like?
#include <cstdio>

#include "core/mode/mode.h"

int main() {
  using namespace faketensor;
  FakeTensorMode mode;
  const DimVector left{2, 3}, right{3, 4};
  const Value arguments[] = {mode.empty(left, DType::kFloat32), mode.empty(right, DType::kFloat32)};
  const Outcome product = mode.call("aten::mm", arguments);
  if (product.error) return std::puts(product.error->what()), 1;
  const Dims sizes = product.value.tensor().meta->sizes();
  std::printf("%s x %s\n", to_string(sizes[0]).c_str(), to_string(sizes[1]).c_str());
  return sizes[0].as_int() == 2 && sizes[1].as_int() == 4 ? 0 : 1;
}
