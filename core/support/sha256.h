// SHA-256, for names that PyTorch derives from a hash: a symbol's number is the digest of its
// source's name modulo 100.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace faketensor {

// The digest, most significant byte first (FIPS 180-4).
std::array<uint8_t, 32> sha256(std::string_view text);

// The digest read as one big-endian number, modulo `modulus`.
uint32_t sha256_modulo(std::string_view text, uint32_t modulus);

}  // namespace faketensor
