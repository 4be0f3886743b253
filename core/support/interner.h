// Interner: each distinct text once, named by a small number.
//
// Names of nodes, module paths and stack traces are kept this way: a stack trace shared by a
// thousand nodes is stored once, and comparing two names is comparing two numbers. Id 0 is always
// the empty text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/support/arena.h"

namespace faketensor {

using StringId = uint32_t;

class Interner {
 public:
  Interner() { intern({}); }

  StringId intern(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    const std::string_view kept = arena_.copy(text);
    const auto id = static_cast<StringId>(texts_.size());
    texts_.push_back(kept);
    ids_.emplace(kept, id);
    return id;
  }

  // The id of a text that was interned before, or `missing`.
  StringId find(std::string_view text, StringId missing) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? missing : found->second;
  }

  std::string_view text(StringId id) const { return texts_[id]; }
  size_t size() const { return texts_.size(); }

 private:
  Arena arena_;
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, StringId> ids_;
};

}  // namespace faketensor
