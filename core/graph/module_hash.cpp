#include "core/graph/module_hash.h"

#include <string>
#include <unordered_map>

#include "core/support/hash.h"

namespace faketensor {
namespace {

// Metas by number in order of appearance: a pointer would make the hash depend on the machine.
class Numbering {
 public:
  uint64_t of(const void* pointer) {
    return numbers_.try_emplace(pointer, numbers_.size() + 1).first->second;
  }

 private:
  std::unordered_map<const void*, uint64_t> numbers_;
};

}  // namespace

std::vector<uint32_t> module_hashes(const Program& program) {
  std::vector<uint64_t> hashes;
  hashes.reserve(program.modules.size());
  for (const Module& module : program.modules) hashes.push_back(module.type + 1);

  Numbering metas;
  const Plan& plan = program.plan();
  for (Row row = 0; row < plan.size(); ++row) {
    const Node& node = plan.node(row);
    if (node.kind == NodeKind::kPlaceholder || node.kind == NodeKind::kOutput ||
        node.module >= hashes.size())
      continue;
    uint64_t& hash = hashes[node.module];
    hash = hash_word(hash, node.target);
    if (node.recorded != nullptr) hash = hash_word(hash, metas.of(node.recorded));
  }
  // A module's number is larger than its parent's.
  for (size_t id = hashes.size(); id-- > 1;) {
    uint64_t& parent = hashes[program.modules[id].parent];
    parent = hash_word(parent, hashes[id]);
  }

  std::vector<uint32_t> result;
  result.reserve(hashes.size());
  for (const uint64_t hash : hashes) {
    const auto folded = static_cast<uint32_t>(hash_finish(hash));
    result.push_back(folded == 0 ? 1 : folded);
  }
  return result;
}

}  // namespace faketensor
