// ReadLimits: how much of an untrusted file a reader is willing to take in.
//
// Every limit is checked before the memory it guards is asked for, and passing one is an error of
// kind kLimitExceeded that names the limit. The defaults are far above what PyTorch writes and far
// below what a 64-bit machine can hold; the wasm session lowers `max_text_bytes` to what its heap
// allows.
#pragma once

#include <cstdint>

namespace faketensor {

struct ReadLimits {
  // One JSON text after inflating. Below 4 GiB: positions inside a text are 32-bit.
  uint64_t max_text_bytes = (uint64_t{1} << 32) - 1;
  // The central directory of an archive, and what it lists. A parameter is one entry, so a large
  // model has thousands.
  uint64_t max_directory_bytes = uint64_t{1} << 28;
  uint32_t max_entries = 1u << 20;
  uint32_t max_name_bytes = 4096;
  // Nesting of JSON values; a subgraph of a higher-order operator nests about eight levels deeper
  // than its node.
  uint32_t max_json_depth = 256;
  // Nodes of a program, its subgraphs included.
  uint32_t max_nodes = 1u << 24;
};

}  // namespace faketensor
