#include "core/ops/registry.h"

#include "core/ops/rules/tables.h"

namespace faketensor {

const Registry& Registry::builtin() {
  static const Registry registry;
  return registry;
}

Registry::Registry() {
  for (const std::span<const OpDef> table : rule_tables()) add_table(table);
  const size_t rows = entries_.size();
  for (size_t i = 0; i < rows; ++i) {
    if ((entries_[i].tags & (kInplace | kInplaceCopies)) != 0) derive_inplace(static_cast<OpId>(i));
  }
  // Last, because entries no longer move.
  ids_.reserve(2 * entries_.size());
  for (const OpEntry& entry : entries_) {
    ids_.emplace(entry.name, entry.id);
    if (entry.schema.overload.empty()) ids_.emplace(entry.schema.name, entry.id);
  }
}

void Registry::add_table(std::span<const OpDef> table) {
  for (const OpDef& def : table) {
    OpEntry entry;
    entry.schema = parse_schema(def.schema, arena_);
    entry.def = &def;
    entry.rule = def.rule;
    entry.tags = def.tags;
    add(std::move(entry));
  }
}

namespace {
std::string inplace_schema_text(const Schema& functional) {
  std::string text(functional.name);
  text += '_';
  if (!functional.overload.empty()) text.append(".").append(functional.overload);
  const size_t open = functional.text.find('(');
  // The first argument is written to and returned.
  text += "(Tensor(a!)";
  text += functional.text.substr(open + 1 + std::string_view("Tensor").size());
  text.replace(text.rfind(" -> ") + 4, std::string::npos, "Tensor(a!)");
  return text;
}
}  // namespace

void Registry::derive_inplace(OpId functional) {
  OpEntry entry = entries_[functional];
  const std::string text = inplace_schema_text(entry.schema);
  entry.schema = parse_schema(arena_.copy(std::string_view(text)), arena_);
  entry.functional = functional;
  entry.derived = OpEntry::Derived::kInplace;
  add(std::move(entry));
}

OpId Registry::add(OpEntry entry) {
  entry.id = static_cast<OpId>(entries_.size());
  entry.name = entry.schema.full_name();
  for (size_t i = 0; i < entry.schema.arguments.size() && i < 64; ++i) {
    if (entry.schema.arguments[i].is_written()) entry.written_arguments |= uint64_t{1} << i;
  }
  entries_.push_back(std::move(entry));
  return entries_.back().id;
}

OpId Registry::find(std::string_view name) const {
  std::string spelled;
  if (name.find("::") == std::string_view::npos) {
    if (name.starts_with("torch.ops.")) name.remove_prefix(10);
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return kNoOp;
    spelled.append(name.substr(0, dot)).append("::").append(name.substr(dot + 1));
    name = spelled;
  }
  const auto found = ids_.find(name);
  return found == ids_.end() ? kNoOp : found->second;
}

}  // namespace faketensor
