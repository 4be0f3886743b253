// Hashing of small keys made of words. Deterministic: no seeds, no addresses unless the caller puts
// them in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace faketensor {

// Mixes one word into a running hash (multiply-rotate, good enough for open addressing with a final
// `hash_finish`).
constexpr uint64_t hash_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
  return (hash << 23) | (hash >> 41);
}

constexpr uint64_t hash_finish(uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93ull;
  return hash ^ (hash >> 29);
}

// FNV-1a; constexpr so that operator names can be hashed by the compiler.
constexpr uint64_t hash_text(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

}  // namespace faketensor
