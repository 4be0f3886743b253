// Expression trees as JSON (tests/conformance/SYMBOLIC.md): ["mul", "s77", 2] is Python's s77 * 2.
#pragma once

#include <functional>

#include <nlohmann/json_fwd.hpp>

#include "core/symbolic/python_number.h"

namespace faketensor {

// What a leaf that is no plain number stands for: the name of a symbol, a reference.
using LeafReader = std::function<PythonNumber(const nlohmann::json& leaf)>;

// The value of a tree. Raises Unreadable for JSON that is none, or too deep, and what Python
// raises.
PythonNumber evaluate_tree(const nlohmann::json& tree, const LeafReader& leaf);

}  // namespace faketensor
