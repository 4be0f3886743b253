// Interner: each distinct text once, named by a small number.
//
// Names of nodes, module paths and stack traces are kept this way: a stack trace shared by a
// thousand nodes is stored once, and comparing two names is comparing two numbers. Id 0 is always
// the empty text. Open addressing with the hash kept beside the id, because opening a large program
// is mostly looking up names.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/arena.h"

namespace faketensor {

using StringId = uint32_t;

class Interner {
 public:
  Interner() : slots_(kFirstSlots) { intern({}); }

  StringId intern(std::string_view text) {
    const uint32_t hash = hash_of(text);
    size_t at = slot_of(text, hash);
    if (slots_[at].id != kFree) return slots_[at].id;
    const auto id = static_cast<StringId>(texts_.size());
    texts_.push_back(arena_.copy(text));
    slots_[at] = {hash, id};
    if (2 * texts_.size() > slots_.size()) grow();
    return id;
  }

  // The id of a text that was interned before, or `missing`.
  StringId find(std::string_view text, StringId missing) const {
    const Slot& slot = slots_[slot_of(text, hash_of(text))];
    return slot.id == kFree ? missing : slot.id;
  }

  std::string_view text(StringId id) const { return texts_[id]; }
  size_t size() const { return texts_.size(); }

 private:
  static constexpr size_t kFirstSlots = 64;
  static constexpr StringId kFree = 0xFFFFFFFF;
  struct Slot {
    uint32_t hash = 0;
    StringId id = kFree;
  };

  static uint32_t hash_of(std::string_view text) {
    const uint64_t hash = std::hash<std::string_view>()(text) * 0x9E3779B97F4A7C15u;
    return static_cast<uint32_t>(hash >> 32);
  }
  // Where the text is, or where it would go.
  size_t slot_of(std::string_view text, uint32_t hash) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.id == kFree || (slot.hash == hash && texts_[slot.id] == text)) return at;
    }
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kFree) continue;
      size_t at = slot.hash & mask;
      while (slots_[at].id != kFree) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  Arena arena_;
  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

}  // namespace faketensor
