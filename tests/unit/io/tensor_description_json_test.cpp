#include "core/io/tensor_description_json.h"

#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/support/error.h"

namespace faketensor {
namespace {

using nlohmann::json;

json tensor(int id, int storage) {
  return {{"id", id},
          {"describer_id", 0},
          {"dtype", "torch.float32"},
          {"device", "device(type='cuda', index=1)"},
          {"size", {3, 4}},
          {"stride", {4, 1}},
          {"storage", storage}};
}
const json kStorage = {{"id", 0}, {"describer_id", 0}, {"size", 48}};

TEST(TensorDescriptionJson, RecordsOfATraceAreRead) {
  json view = tensor(0, 0);
  view.update({{"base", 1}, {"is_view", true}, {"is_conj", true}, {"storage_offset", 2}});
  const auto read = read_tensor_descriptions(
      json::array({json{{"describe_storage", kStorage}}, json{{"describe_tensor", tensor(1, 0)}},
                   json{{"describe_tensor", view}}}));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].tensor->device, (Device{DeviceType::kCUDA, 1}));
  EXPECT_EQ(read[0].tensor->storage.nbytes.as_int(), 48);
  EXPECT_EQ(read[1].tensor->base, read[0].tensor);
  EXPECT_EQ(read[1].tensor->offset.as_int(), 2);
  EXPECT_NE(read[1].tensor->flags & kConj, 0);
}

TEST(TensorDescriptionJson, ATensorThatIsDescribedTwiceIsOne) {
  EXPECT_EQ(read_tensor_descriptions(json::array({kStorage, tensor(1, 0), tensor(1, 0)})).size(),
            1u);
}

TEST(TensorDescriptionJson, SparseTensorsHaveNoStorage) {
  json sparse = tensor(0, 0);
  sparse.erase("stride");
  sparse.erase("storage");
  sparse.update({{"layout", "torch.sparse_coo"}, {"sparse_dim", 2}, {"is_coalesced", true}});
  const auto read = read_tensor_descriptions(json::array({sparse}));
  EXPECT_EQ(read[0].tensor->sparse->sparse_dim, 2);
  EXPECT_NE(read[0].tensor->flags & kCoalesced, 0);
}

TEST(TensorDescriptionJson, WhatIsNoDescriptionIsRefused) {
  EXPECT_THROW(read_tensor_descriptions(json::array({tensor(1, 0)})), Error);  // of no storage
  EXPECT_THROW(read_tensor_descriptions(json::array({json::object({{"id", 1}})})), Error);
  json nested = tensor(1, 0);
  nested["is_nested"] = true;
  EXPECT_THROW(read_tensor_descriptions(json::array({kStorage, nested})), Error);
  json symbolic = tensor(1, 0);
  symbolic["size"] = json::array({"s0", 4});
  EXPECT_THROW(read_tensor_descriptions(json::array({kStorage, symbolic})), Error);
  json base = tensor(1, 0);
  base["base"] = 7;
  EXPECT_THROW(read_tensor_descriptions(json::array({kStorage, base})), Error);
  json far = tensor(1, 0);
  far["id"] = -1;
  EXPECT_THROW(read_tensor_descriptions(json::array({kStorage, far})), Error);
}

// What walks and frees them does so by recursion.
TEST(TensorDescriptionJson, GradientsOfGradientsAreBounded) {
  json records = json::array({kStorage});
  json record = tensor(1, 0);
  for (int i = 0; i < 100'000; ++i) {
    record["id"] = i + 1;
    if (i > 0) record["grad"] = i;
    records.push_back(record);
  }
  try {
    read_tensor_descriptions(records);
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "bases and gradients more than 64 deep");
  }
}

TEST(TensorDescriptionJson, SizesAreNoLessThanZero) {
  for (const auto& [name, value] : std::map<std::string, json>{
           {"size", {-1, 4}}, {"stride", {4, -1}}, {"storage_offset", -5}, {"size", "a"}}) {
    json record = tensor(1, 0);
    record[name] = value;
    EXPECT_THROW(read_tensor_descriptions(json::array({kStorage, record})), Error) << name;
  }
}

}  // namespace
}  // namespace faketensor
