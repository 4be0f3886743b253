// The programs that tests of memory, costs and training measure: a layer of 64 weights over 4 rows of 8 numbers.
#pragma once

#include <string>
#include <string_view>

#include "../graph/program_builder.h"

namespace faketensor {

// activation(x @ weight)
struct Layer : ProgramBuilder {
  Row weight = input("weight", {8, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  Row x = input("x", {4, 8});
  Row product = call("aten.mm.default", {ref(x), ref(weight)});

  explicit Layer(const std::string& activation = "aten.relu.default") {
    output({call(activation, {ref(product)})});
  }
};

// relu(x @ weight).view(32), with the modules of the product and of the activation
struct ViewedLayer : ProgramBuilder {
  Row weight = input("weight", {8, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  Row x = input("x", {4, 8});
  Row product, relu, view;

  explicit ViewedLayer(std::string_view linear_module = {}, std::string_view relu_module = {})
      : product(call("aten.mm.default", {ref(x), ref(weight)}, linear_module)),
        relu(call("aten.relu.default", {ref(product)}, relu_module)),
        view(call("aten.view.default", {ref(relu), ints({32})})) {
    output({view});
  }
};

}  // namespace faketensor
