#include "core/command/pass_options.h"

#include <algorithm>

namespace faketensor {

std::vector<std::string> split_options(const Options& options, std::string_view name) {
  std::vector<std::string> parts;
  for (const std::string& list : options.all(name)) {
    for (size_t at = 0; at <= list.size();) {
      const size_t end = std::min(list.find(',', at), list.size());
      if (end > at) parts.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  }
  return parts;
}

std::string told_by(const PassResult& result) {
  return result.info.starts_with("{\"modified\"") ? std::string() : result.info;
}

bool is_error_of_nodes(const Error& error) {
  return error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kUnreadable &&
         error.kind() != ErrorKind::kLimitExceeded;
}

}  // namespace faketensor
