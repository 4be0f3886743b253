// Tensors of more than 64 dimensions: where PyTorch refuses them, and where it does not.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "expect_call.h"

namespace faketensor {
namespace {

constexpr std::string_view kReduction =
    "RuntimeError: Received a tensor with 65 dimensions, but only tensors with up to 64 dims are "
    "supported!";
constexpr std::string_view kBitset = "RuntimeError: only tensors with up to 64 dims are supported";

// "f32[2,1,...,1,7]" with `ones` ones.
std::string tensor(size_t ones, std::string_view first = "2", std::string_view last = "7") {
  std::string text = "f32[" + std::string(first);
  for (size_t i = 0; i < ones; ++i) text += ",1";
  return text + "," + std::string(last) + "]";
}

// A result as "65 sizes: 2...7".
std::string shape_of(std::string_view op, const std::vector<std::string>& args) {
  const std::string text = call_text(op, args);
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (text.find("Error") != std::string::npos || open == std::string::npos) return text;
  const std::string sizes = text.substr(open + 1, close - open - 1);
  if (sizes.empty()) return "0 sizes";
  const auto commas = std::count(sizes.begin(), sizes.end(), ',');
  return format("{} sizes: {}...{}", static_cast<int64_t>(commas + 1), sizes.substr(0, 1),
                sizes.substr(sizes.size() - 1));
}

TEST(ManyDims, ReductionsWithMetaFunctionsTakeThem) {
  const std::string x = tensor(63);
  EXPECT_EQ(shape_of("aten::argmax", {x, "64"}), "64 sizes: 2...1");
  EXPECT_EQ(shape_of("aten::argmin", {x, "0"}), "64 sizes: 1...7");
  EXPECT_EQ(shape_of("aten::argmax", {x, "64", "true"}), "65 sizes: 2...1");
  EXPECT_EQ(shape_of("aten::argmax", {x}), "0 sizes");
  EXPECT_EQ(shape_of("aten::argmax", {tensor(128), "129"}), "129 sizes: 2...1");
  EXPECT_EQ(shape_of("aten::max.dim", {x, "64"}), "64 sizes: 2...1");
  EXPECT_EQ(shape_of("aten::median.dim", {x, "64"}), "64 sizes: 2...1");
  EXPECT_EQ(shape_of("aten::kthvalue", {x, "1", "64"}), "64 sizes: 2...1");
  EXPECT_EQ(shape_of("aten::mode", {x, "64"}), "64 sizes: 2...1");
  EXPECT_EQ(shape_of("aten::nansum", {x, "[0,64]", "true"}), "65 sizes: 1...1");
  EXPECT_EQ(shape_of("aten::_softmax", {x, "64", "false"}), "65 sizes: 2...7");
}

TEST(ManyDims, ReferencesRefuseThem) {
  const std::string x = tensor(63);
  expect_call("aten::sum.dim_IntList", {x, "[64]"}, kReduction);
  expect_call("aten::amax", {x, "[64]"}, kReduction);
  expect_call("aten::_log_softmax", {x, "64", "false"}, kReduction);
  // A scan is a reduction of one dimension more.
  expect_call("aten::cumsum", {tensor(62), "63"}, kReduction);
  expect_call("aten::cumprod", {tensor(62), "0"}, kReduction);
  EXPECT_EQ(shape_of("aten::cumsum", {tensor(61), "62"}), "63 sizes: 2...7");
}

TEST(ManyDims, ListsOfDimensionsThatCppTurnsIntoBitsRefuseThem) {
  const std::string x = tensor(63);
  expect_call("aten::hash_tensor", {x, "[64]"}, kBitset);
  EXPECT_EQ(shape_of("aten::hash_tensor", {x}), "0 sizes");
  expect_call("aten::tensordot", {x, tensor(63, "7", "1"), "[64]", "[0]"}, kBitset);
  expect_call("aten::tensordot", {"f32[7,3]", tensor(63, "7", "1"), "[0]", "[0]"}, kBitset);
  EXPECT_EQ(shape_of("aten::tensordot", {tensor(62), "f32[7,3]", "[63]", "[0]"}),
            "64 sizes: 2...3");
  EXPECT_TRUE(call_text("aten::hash_tensor", {x, "[99]"}).starts_with("IndexError: "));
}

// squeeze_ and squeeze_copy without a list have kernels that count no bits.
TEST(ManyDims, SqueezesRefuseThemWhereTheyAreBits) {
  const std::string x = tensor(63);
  expect_call("aten::squeeze", {x}, kBitset);
  expect_call("aten::squeeze.dim", {x, "3"}, kBitset);
  expect_call("aten::squeeze.dim", {x, "99"}, kBitset);
  expect_call("aten::squeeze.dims", {x, "[3]"}, kBitset);
  expect_call("aten::squeeze_.dims", {x, "[3]"}, kBitset);
  expect_call("aten::squeeze_copy.dims", {x, "[3]"}, kBitset);
  EXPECT_EQ(shape_of("aten::squeeze", {tensor(62)}), "2 sizes: 2...7");
  EXPECT_EQ(shape_of("aten::squeeze_", {x}), "2 sizes: 2...7");
  EXPECT_EQ(shape_of("aten::squeeze_.dim", {x, "3"}), "64 sizes: 2...7");
  EXPECT_EQ(shape_of("aten::squeeze_copy", {x}), "2 sizes: 2...7");
  EXPECT_EQ(shape_of("aten::squeeze_copy.dim", {x, "3"}), "64 sizes: 2...7");
}

TEST(ManyDims, EinsumSumsOverAtMost64) {
  expect_call("aten::einsum", {"...i,ij->...j", "[" + tensor(63) + ",f32[7,3]]"}, kBitset);
  EXPECT_EQ(shape_of("aten::einsum", {"...i,ij->...j", "[" + tensor(61) + ",f32[7,3]]"}),
            "63 sizes: 2...3");
  EXPECT_EQ(shape_of("aten::einsum", {"...,...->...", "[" + tensor(63) + "," + tensor(63) + "]"}),
            "65 sizes: 2...7");
}

}  // namespace
}  // namespace faketensor
