// The columns that a chart of memory is drawn of.
#include "core/io/cost_json.h"

#include <gtest/gtest.h>

#include "../graph/program_builder.h"
#include "core/formats/json_writer.h"

namespace faketensor {
namespace {

TEST(CostColumns, HaveEveryStorageWithItsLifetimeAndWhatAnOperatorHoldsInside) {
  ProgramBuilder b;
  const Row x = b.input("x", {1, 1, 4, 4});
  const Row y = b.call("aten.max_pool2d.default", {ref(x), b.ints({2, 2})});
  const Row z = b.call("aten.relu.default", {ref(y)});
  b.output({z});
  const ProgramCosts costs(b.program, {});
  std::string text;
  JsonWriter json(text);
  write_costs(json, costs, {});
  EXPECT_EQ(
      text,
      R"({"kinds":["parameters","buffers","constants","inputs","outputs","activations",)"
      R"("gradients","optimizer","temporaries"],"storages":{"row":[0,1,2],"until":[-1,2,-1],"kind":[3,5,4],)"
      R"("bytes":[64,16,16]},"temporaries":{"row":[1],"bytes":[32]},)"
      R"("flops":{"row":[],"flops":[]},"unknown":0})");
}

}  // namespace
}  // namespace faketensor
