// What changed from one PyTorch to the next: the operators whose fake answers are not what an
// earlier (or later) release gave, and what exporters recorded otherwise.
//
// We answer as one PyTorch (Target::torch). A file was exported by another, and records what that
// one saw. Where the two differ, the row of this table says why, so that a difference from the
// file's record is told from a mistake of ours (core/graph/recorded_check.h), and so that the
// operators of a program whose answers changed can be listed. The releases in the rows are those
// between which the same call was seen to be answered differently.
//
//   for (const VersionChange& change : changes_between(*parse_torch_version("2.8.0"), now)) ...
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace faketensor {

struct TorchVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const TorchVersion&) const = default;
};

// "2.8" of "2.8.0+cu126"; nothing where the text begins otherwise.
std::optional<TorchVersion> parse_torch_version(std::string_view text);
void append_text(std::string& out, TorchVersion version);

// In what two releases differ: in a part of a value, or in that one raises where the other answers.
enum Aspect : uint16_t {
  kInSizes = 1,
  kInUnbackedSizes = 2,  // of which one is an unbacked symbol or made of such
  kInStrides = 4,
  kInStridesOfOnes = 8,  // of dimensions of size 1 alone, where they mean nothing
  kInOffset = 16,
  kInDType = 32,
  kInDevice = 64,
  kInErrors = 128,
};

struct VersionChange {
  // Separated by spaces, without "torch.ops." and overload: "aten.nonzero aten.argwhere".
  std::string_view operators;
  // The first release that answers as later ones do. None: exporters of any release record what
  // propagation does not give.
  std::optional<TorchVersion> since;
  uint16_t aspects;
  std::string_view what;

  // Whether it accounts for a difference in these aspects; a stronger one covers the weaker.
  bool covers(unsigned differing) const;
  // Whether it is about this target of a node ("torch.ops.aten.nonzero.default").
  bool is_about(std::string_view target) const;
};

// The changes between two releases, whichever is the later.
std::vector<const VersionChange*> changes_between(TorchVersion one, TorchVersion other);

// All rows.
std::span<const VersionChange> version_changes();

}  // namespace faketensor
