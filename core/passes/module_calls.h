// Module calls: which modules' calls a node ran in, and paths of modules.
//
// A node's nn_module_stack lists the calls from the outermost to the innermost; "mid@1" is the second
// call of mid. For unflatten.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace faketensor {

// One call on the way to a node: of which module, and the how many-th of its instance.
struct ModuleCall {
  std::string path;
  std::string instance;  // the key of nn_module_stack without the number of the call
  size_t number = 0;
  bool operator==(const ModuleCall& other) const {
    return path == other.path && number == other.number;
  }
};
using ModuleCalls = std::vector<ModuleCall>;

// The calls in an nn_module_stack, up to the first that is not inside of the one before it.
ModuleCalls parse_module_stack(std::string_view text);
// Whether a stack is the one of nodes that PyTorch adds outside of any module.
bool is_in_no_module(const ModuleCalls& calls);

// "mid", "mid@1"
std::string call_name(const std::string& path, size_t number);
std::string_view without_call_number(std::string_view name);

std::vector<std::string> split_path(std::string_view path);
// Of the parts from `first` on.
std::string join_path(const std::vector<std::string>& parts, size_t first);
// The path of a module below its parent. Raises PyTorch's RuntimeError for one that is not.
std::string path_below(const std::string& parent, const std::string& child);

}  // namespace faketensor
