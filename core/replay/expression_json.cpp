#include "core/replay/expression_json.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/formats/json_fields.h"
#include "core/support/error.h"

namespace faketensor {

namespace {

constexpr int kMaxTreeDepth = 100;

PythonNumber evaluate_at(const Json& tree, const LeafReader& leaf, int depth) {
  if (depth > kMaxTreeDepth) throw_error(ErrorKind::kUnreadable, "an expression tree is too deep");
  if (tree.is_boolean()) return SymBool(tree.get<bool>());
  if (tree.is_number_integer()) return SymInt(integer_of(tree, "an integer"));
  if (tree.is_number()) return SymFloat(tree.get<double>());
  if (tree.is_string() || tree.is_object()) return leaf(tree);
  if (!tree.is_array() || tree.empty() || !tree[0].is_string())
    throw_error(ErrorKind::kUnreadable, "not an expression tree: " + excerpt(tree));
  const std::string name = tree[0].get<std::string>();
  std::vector<PythonNumber> args;
  for (size_t i = 1; i < tree.size(); ++i) args.push_back(evaluate_at(tree[i], leaf, depth + 1));
  if (name == "ite" && args.size() == 3) return select(args[0], args[1], args[2]);
  const std::optional<PythonUnary> unary = python_unary(name);
  if (unary && args.size() == 1) return apply(*unary, args[0]);
  const std::optional<PythonBinary> binary = python_binary(name);
  if (binary && args.size() == 2) return apply(*binary, args[0], args[1]);
  throw_error(ErrorKind::kUnreadable, "no such function in an expression tree: " + name);
}

}  // namespace

PythonNumber evaluate_tree(const Json& tree, const LeafReader& leaf) {
  return evaluate_at(tree, leaf, 0);
}

}  // namespace faketensor
