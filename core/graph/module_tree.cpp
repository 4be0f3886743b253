// The module tree of a program, from the nodes' nn_module_stack texts.
#include <unordered_map>

#include "core/graph/module_stack.h"
#include "core/graph/program.h"

namespace faketensor {

ModuleStackEntry take_entry(std::string_view& stack) {
  const size_t end = stack.find(';');
  std::string_view entry = stack.substr(0, end);
  stack = end == std::string_view::npos ? std::string_view() : stack.substr(end + 1);
  const size_t first = entry.find(',');
  if (first == std::string_view::npos) return {entry, {}};
  const size_t second = entry.find(',', first + 1);
  if (second == std::string_view::npos) return {entry.substr(first + 1), {}};
  return {entry.substr(first + 1, second - first - 1), entry.substr(second + 1)};
}

namespace {

class Builder {
 public:
  explicit Builder(Program& program) : program_(program) {}

  void run() {
    program_.modules.assign(1, Module{});
    const Plan& plan = program_.plan();
    for (Row row = 0; row < plan.size(); ++row) {
      NodeMeta& meta = program_.graph().meta(plan.row(row).id);
      const RowKind kind = plan.row(row).kind;
      meta.module = kind == RowKind::kCall ? module_of(meta.module_stack) : 0;
      if (kind == RowKind::kGetItem) meta.module = plan.node(plan.row(row).args[0].node()).module;
      if (kind == RowKind::kCall) count(meta.module, row);
    }
  }

 private:
  // Each distinct stack text is taken apart once.
  ModuleId module_of(StringId stack) {
    if (stack == 0) return 0;
    const auto [found, is_new] = by_stack_.emplace(stack, 0);
    if (!is_new) return found->second;
    std::string_view text = program_.text(stack);
    ModuleId module = 0;
    while (!text.empty()) {
      const ModuleStackEntry entry = take_entry(text);
      if (entry.is_no_module()) continue;
      if (entry.path.empty()) {
        program_.modules[0].type = program_.strings().intern(entry.type);
        continue;
      }
      module = child(module, entry);
    }
    by_stack_[stack] = module;
    return module;
  }

  ModuleId child(ModuleId parent, const ModuleStackEntry& entry) {
    const StringId path = program_.strings().intern(entry.path);
    const auto [found, is_new] = by_path_.emplace(uint64_t{parent} << 32 | path, 0);
    if (is_new) {
      Module module;
      module.parent = parent;
      module.path = path;
      module.type = program_.strings().intern(entry.type);
      module.depth = program_.modules[parent].depth + 1;
      found->second = static_cast<ModuleId>(program_.modules.size());
      program_.modules.push_back(module);
    }
    return found->second;
  }

  void count(ModuleId module, Row row) {
    while (true) {
      Module& entry = program_.modules[module];
      if (entry.first == kNoRow) entry.first = row;
      entry.last = row;
      ++entry.nodes;
      if (module == 0) return;
      module = entry.parent;
    }
  }

  Program& program_;
  std::unordered_map<StringId, ModuleId> by_stack_;
  std::unordered_map<uint64_t, ModuleId> by_path_;
};

}  // namespace

void build_module_tree(Program& program) { Builder(program).run(); }

}  // namespace faketensor
