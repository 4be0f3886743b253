// ReadLimits: how much of an untrusted file a reader is willing to take in.
//
// Every limit is checked before the memory it guards is asked for, and passing one is an error of
// kind kLimitExceeded that names the limit. The defaults are far above what PyTorch writes and far
// below what a 64-bit machine can hold.
//
// Note [Memory of reading]
// A few kilobytes can inflate to gigabytes, and a few bytes of JSON become many in memory. So what
// is held at once while a file is read (texts, the values that they are taken apart into, the
// program made of those) stays below `max_memory_bytes`: by default 256 MB and 20 times the file,
// of which a reader uses seven eighths, the rest being for what it does not count. The command's
// option --memory-limit and `memoryLimit` in JavaScript say otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace faketensor {

struct ReadLimits {
  static constexpr uint64_t kMemoryBase = 256'000'000;
  static constexpr uint64_t kMemoryPerByte = 20;

  // One JSON text after inflating. Below 4 GiB: positions inside a text are 32-bit.
  uint64_t max_text_bytes = (uint64_t{1} << 32) - 1;
  // See Note [Memory of reading]; 0: it follows from the size of the file.
  uint64_t max_memory_bytes = 0;
  // How many of these bytes the callers of a reader hold already.
  uint64_t held_bytes = 0;
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

  // These limits with the memory that a file of so many bytes may take, where none was set.
  ReadLimits for_file(uint64_t bytes) const;
  // These limits when `bytes` more are held.
  ReadLimits holding(uint64_t bytes) const;
  // How many bytes may still be asked for.
  uint64_t memory_left() const;
  // The longest text that may be made.
  uint64_t max_text() const;
  // "the limit of 1000 bytes", or the words for the memory limit where that is what bounds texts.
  std::string max_text_in_words() const;
};

// Raises LimitExceeded: `what` "is larger than ", and the limit of a text.
[[noreturn, gnu::cold]] void throw_too_large(std::string_view what, const ReadLimits& limits);
// Raises LimitExceeded: `what` "needs more than the memory limit of ...", and how it is raised.
[[noreturn, gnu::cold]] void throw_memory_limit(std::string_view what, const ReadLimits& limits);

}  // namespace faketensor
