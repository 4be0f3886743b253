// Registry: every operator that has a rule, by number and by name.
//
// The tables of core/ops/rules/ are named once, in registry.cpp; no static initialisers register
// anything. Numbers (OpId) are positions: first the rows in order of their tables, then the
// overloads derived from them: in-place ones by tag, out= ones by the rows of out_overloads().
// Readers of graphs resolve a name once; loops only see numbers. The registry of built-in operators
// is built on first use and never changes.
//
// Note [Schemas are read when somebody has the number]
// Programs use a few dozen of the 3,337 overloads, and to read the schemas of all takes longer than to
// propagate one. So names are known from the start, and an entry is completed before its number is
// handed out: by find(), by entries(), which completes all, or as the functional or forward operator
// of a complete entry. entry() has nothing to ask then. Any thread may do so.
#pragma once

#include <cassert>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ops/facts.h"
#include "core/ops/op_def.h"
#include "core/ops/out_def.h"
#include "core/support/once_each.h"

namespace faketensor {

using OpId = uint32_t;
inline constexpr OpId kNoOp = 0xFFFFFFFF;
// Built-in operators are numbered below, those of a Library (library.h) from here on.
inline constexpr OpId kFirstCustomOp = 0x80000000;

// An operator as the dispatcher sees it.
struct OpEntry {
  // kListInplace: a list operator's row, which answers for its in-place overload too. kFake: no
  // row answers but the fake that a Library holds for the operator.
  enum class Derived : uint8_t { kNone, kInplace, kListInplace, kOut, kFake };

  Schema schema;
  std::string_view name;  // full: "aten::add.Tensor"
  const OpDef* def = nullptr;
  const OutDef* out = nullptr;  // for Derived::kOut
  Rule rule;                    // for derived entries: the functional row's
  Rule sparse_rule;  // for calls with a sparse tensor; empty where no sparse row names the operator
  OpId id = kNoOp;
  OpId functional = kNoOp;  // for derived entries: the row they follow from
  Derived derived = Derived::kNone;
  uint32_t tags = 0;                       // of OpTag
  const Derivative* derivative = nullptr;  // the row's, for derived entries too; null for none
  OpFacts facts;
  OpId forward = kNoOp;            // for OutBy::kForward: the operator called instead
  uint8_t output_count = 0;        // for Derived::kOut: the last arguments are what is written to
  uint64_t written_arguments = 0;  // bit i: the operator writes to argument i (the first 64)

  bool is_aten() const { return schema.name.starts_with("aten::"); }
  // "add_.Tensor" and "add_" of "aten::add_.Tensor".
  std::string_view local_name() const { return name.substr(name.find("::") + 2); }
  std::string_view packet() const { return schema.name.substr(schema.name.find("::") + 2); }
  // "add", in-place or not: what derivatives.yaml calls the operator.
  std::string_view base_name() const;
  // "aten.add_.Tensor": the overload as Python prints it.
  std::string python_name() const;
};

// Sets what follows from name, schema and tags: what it writes to, its facts.
void complete_entry(OpEntry& entry);

class Registry {
 public:
  // The one whose numbers calls are made by.
  static const Registry& builtin();
  Registry();

  // By "aten::mm", "aten::mm.default", "aten::add.Tensor" or the forms of exported programs
  // "torch.ops.aten.mm.default", "_operator.add"; kNoOp where there is no rule.
  OpId find(std::string_view name) const;
  const OpEntry& entry(OpId id) const {
    assert(is_complete(id));
    return entries_[id];
  }
  // "aten::add.Tensor" of any of those forms; empty for text that is no operator's name.
  static std::string qualified(std::string_view name);
  std::span<const OpEntry> entries() const;
  // What entries() has, and find() without completing the entry: for tables by number.
  size_t size() const { return entries_.size(); }
  OpId number(std::string_view name) const;
  bool is_complete(OpId id) const { return made_.is_made(id); }

 private:
  void add_table(std::span<const OpDef> table);
  void derive_inplace(OpId functional);
  void derive_out(const OutDef& def);
  void add_sparse_rules();
  void add(OpEntry entry, std::string_view name);
  void complete(OpId id) const;
  std::string_view schema_text(OpEntry& entry) const;

  // Completed by const functions; what they see of an entry does not change any more (OnceEach).
  mutable Arena arena_;
  mutable std::vector<OpEntry> entries_;
  mutable OnceEach made_;  // by number; the one after the last: all of them
  std::unordered_map<std::string_view, OpId> ids_;
};

}  // namespace faketensor
