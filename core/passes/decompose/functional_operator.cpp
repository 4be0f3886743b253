#include "core/passes/decompose/functional_operator.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/support/format.h"

namespace faketensor {

namespace {

bool same_type(const ArgType& a, const ArgType& b) {
  return a.kind == b.kind && a.is_list == b.is_list;
}

bool takes(const OpEntry& op, std::span<const Argument> arguments) {
  const auto& own = op.schema.arguments;
  return own.size() == arguments.size() &&
         std::equal(own.begin(), own.end(), arguments.begin(),
                    [](const Argument& a, const Argument& b) { return same_type(a.type, b.type); });
}

// The operators without outputs or writes, by "aten::add".
const std::unordered_map<std::string_view, std::vector<const OpEntry*>>& functional_overloads() {
  static const auto overloads = [] {
    std::unordered_map<std::string_view, std::vector<const OpEntry*>> by_name;
    for (const OpEntry& op : Registry::builtin().entries())
      if (op.written_arguments == 0) by_name[op.schema.name].push_back(&op);
    return by_name;
  }();
  return overloads;
}

const OpEntry* find_overload(const std::string& name, std::string_view overload,
                             std::span<const Argument> arguments) {
  const auto found = functional_overloads().find(name);
  if (found == functional_overloads().end()) return nullptr;
  const OpEntry* fitting = nullptr;
  for (const OpEntry* op : found->second) {
    if (!takes(*op, arguments)) continue;
    if (op->schema.overload == overload) return op;
    if (fitting == nullptr) fitting = op;
  }
  return fitting;
}

}  // namespace

FunctionalOperator functional_operator(const OpEntry& op) {
  const Registry& registry = Registry::builtin();
  if (op.derived == OpEntry::Derived::kFake) return {};
  const std::span<const Argument> all = op.schema.arguments;
  const size_t count =
      op.derived == OpEntry::Derived::kOut ? all.size() - op.output_count : all.size();
  if (op.functional != kNoOp && op.derived != OpEntry::Derived::kListInplace)
    return {&registry.entry(op.functional), count};
  std::string name(op.schema.name);
  if (name.ends_with('_')) name.pop_back();
  for (const std::string& wished : {name, name + "_functional"}) {
    const OpEntry* found = find_overload(wished, op.schema.overload, all.first(count));
    if (found != nullptr) return {found, count};
  }
  return {};
}

}  // namespace faketensor
