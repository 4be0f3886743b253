#include "core/ops/bind.h"

#include <type_traits>

#include <gtest/gtest.h>

#include "core/ops/registry.h"
#include "core/support/error.h"

namespace faketensor {
namespace {

// std::vector<Value>{begin, end} of pointers once made a list of two `True` where the library's iterators are pointers.
static_assert(!std::is_constructible_v<Value, const Value*>);

const Schema& schema_of(std::string_view op) {
  const Registry& registry = Registry::builtin();
  return registry.entry(registry.find(op)).schema;
}

std::string raised(const ArgumentBinder& binder, std::string_view name) {
  try {
    return std::to_string(binder.position_of(name));
  } catch (const Error& error) {
    return std::string(error.class_name()) + ": " + error.message();
  }
}

TEST(ArgumentBinder, NamesFindTheirPlaceAndLeaveTheOthersUnset) {
  ArgumentBinder binder(schema_of("aten::sum.dim_IntList"));
  binder.add(1);
  binder.set("keepdim", true);
  ASSERT_EQ(binder.values().size(), 3u);
  EXPECT_TRUE(binder.values()[1].is_unset());
  EXPECT_TRUE(binder.values()[2].is(Value::Tag::kBool));
}

TEST(ArgumentBinder, WhatIsWrongWithANameIsSaidAsPyTorchSaysIt) {
  ArgumentBinder binder(schema_of("aten::mm"));
  binder.add(1);
  EXPECT_EQ(raised(binder, "mat2"), "1");
  EXPECT_EQ(raised(binder, "other"),
            "RuntimeError: Unknown keyword argument 'other' for operator 'aten::mm'. Schema: "
            "aten::mm(Tensor self, Tensor mat2) -> Tensor");
  EXPECT_EQ(raised(binder, "self"),
            "RuntimeError: Argument 'self' specified both as positional and keyword argument. "
            "Schema: aten::mm(Tensor self, Tensor mat2) -> Tensor");
}

}  // namespace
}  // namespace faketensor
