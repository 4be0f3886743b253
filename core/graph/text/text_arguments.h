// Constants as they stand in FX text.
#pragma once

#include <optional>
#include <string_view>

#include "core/ops/value.h"
#include "core/support/arena.h"

namespace faketensor {

// A number as Python prints it ("-3", "1e-05", "inf", "(1+2j)" without its brackets); nothing for
// other text.
std::optional<Value> parse_python_number(Arena& arena, std::string_view text);

// "torch.float32", "torch.strided", "torch.contiguous_format".
std::optional<Value> parse_torch_constant(std::string_view text);

// The spans of lists of integers are packed, as everywhere.
Value make_list(Arena& arena, std::span<const Value> values, bool is_tuple);

// What a dictionary (Value::dict) is made of.
Value make_item(Arena& arena, const Value& key, const Value& value);

}  // namespace faketensor
