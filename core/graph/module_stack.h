// The text that a file has of a node's nn_module_stack: "key,path,type;key,path,type;...", from the
// outermost module to the innermost.
//
//   while (!stack.empty()) { const ModuleStackEntry entry = take_entry(stack); ... entry.path }
#pragma once

#include <string_view>

namespace faketensor {

struct ModuleStackEntry {
  std::string_view path;
  std::string_view type;

  // torch.export gives a node that it adds itself, for a symbolic size or an assert, a stack of this
  // entry alone. It is no module: such nodes stand between those of all modules.
  bool is_no_module() const { return path == "_empty_nn_module_stack_from_metadata_hook"; }
};

// The entry at the front of `stack`, which loses it. Types may hold commas inside brackets
// ("Sequential[A, B]"), paths and keys do not.
ModuleStackEntry take_entry(std::string_view& stack);

}  // namespace faketensor
