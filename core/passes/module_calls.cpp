#include "core/passes/module_calls.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

ModuleCalls parse_module_stack(std::string_view text) {
  ModuleCalls stack;
  while (!text.empty()) {
    const size_t end = text.find(';');
    const std::string_view entry = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const size_t first = entry.find(',');
    const std::string_view key = entry.substr(0, first);
    const std::string_view rest = first == std::string_view::npos ? entry : entry.substr(first + 1);
    const size_t at = key.find('@');
    ModuleCall call;
    call.path = without_call_number(rest.substr(0, rest.find(',')));
    call.instance = without_call_number(key);
    if (at != std::string_view::npos) {
      for (const char c : key.substr(key.rfind('@') + 1))
        if (c >= '0' && c <= '9' && call.number < 100'000'000)
          call.number = call.number * 10 + static_cast<size_t>(c - '0');
    }
    const bool is_inside =
        stack.empty() || (call.path.size() > stack.back().path.size() &&
                          call.path.compare(0, stack.back().path.size(), stack.back().path) == 0);
    if (!is_inside) break;
    stack.push_back(std::move(call));
  }
  return stack;
}

bool is_in_no_module(const ModuleCalls& calls) {
  return calls.size() == 1 && calls[0].instance == "_empty_nn_module_stack_from_metadata_hook";
}

std::string call_name(const std::string& path, size_t number) {
  return number == 0 ? path : format("{}@{}", path, number);
}

std::string_view without_call_number(std::string_view name) {
  return name.substr(0, name.find('@'));
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t end = std::min(path.find('.'), path.size());
    parts.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(path.size(), end + 1));
  }
  return parts;
}

std::string join_path(const std::vector<std::string>& parts, size_t first) {
  std::string path;
  for (size_t i = first; i < parts.size(); ++i) {
    if (i > first) path += '.';
    path += parts[i];
  }
  return path;
}

std::string path_below(const std::string& parent, const std::string& child) {
  if (parent.empty()) return child;
  const std::vector<std::string> above = split_path(parent);
  const std::vector<std::string> parts = split_path(child);
  if (parts.size() < above.size() || !std::equal(above.begin(), above.end(), parts.begin())) {
    throw_error(ErrorKind::kRuntimeError,
                format("Child module '{}' is not a descendant of parent module '{}'.This is "
                       "currently unsupported.Please try to make child module attach to parent "
                       "module directly.",
                       child, parent));
  }
  return join_path(parts, above.size());
}

}  // namespace faketensor
