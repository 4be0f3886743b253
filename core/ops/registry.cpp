#include "core/ops/registry.h"

#include "core/ops/rules/out_overloads.h"
#include "core/ops/rules/sparse_tables.h"
#include "core/ops/rules/tables.h"
#include "core/support/format.h"

namespace faketensor {

std::string_view OpEntry::base_name() const {
  std::string_view base = packet();
  if (base.size() > 1 && base.ends_with('_')) base.remove_suffix(1);
  return base;
}

std::string OpEntry::python_name() const {
  std::string text(name);
  return text.replace(text.find("::"), 2, ".");
}

void complete_entry(OpEntry& entry) {
  for (size_t i = 0; i < entry.schema.arguments.size() && i < 64; ++i) {
    if (entry.schema.arguments[i].is_written()) entry.written_arguments |= uint64_t{1} << i;
  }
  entry.facts = facts_of(entry);
}

const Registry& Registry::builtin() {
  static const Registry kRegistry;
  return kRegistry;
}

namespace {
bool has_inplace(uint32_t tags) { return (tags & (kInplace | kInplaceCopies)) != 0; }

// Some rows of out_overloads() have no operator to follow from.
size_t at_most() {
  size_t count = out_overloads().size();
  for (const std::span<const OpDef> table : rule_tables())
    for (const OpDef& def : table) count += has_inplace(def.tags) ? 2 : 1;
  return count;
}
}  // namespace

Registry::Registry() : made_(at_most() + 1) {
  entries_.reserve(at_most());
  ids_.reserve(2 * at_most());  // "aten::mm" and "aten::mm.default"
  for (const std::span<const OpDef> table : rule_tables()) add_table(table);
  const size_t rows = entries_.size();
  for (size_t i = 0; i < rows; ++i) {
    if (has_inplace(entries_[i].tags)) derive_inplace(static_cast<OpId>(i));
  }
  for (const OutDef& def : out_overloads()) derive_out(def);
  add_sparse_rules();
}

void Registry::add_table(std::span<const OpDef> table) {
  for (const OpDef& def : table) {
    OpEntry entry;
    entry.def = &def;
    entry.rule = def.rule;
    entry.tags = def.tags;
    entry.derivative = def.derivative;
    add(std::move(entry), def.schema.substr(0, def.schema.find('(')));
  }
}

namespace {
bool takes_list(const Schema& schema) {
  return !schema.arguments.empty() && schema.arguments[0].type.is_list;
}

std::string inplace_schema_text(const Schema& functional) {
  std::string text(functional.name);
  text += '_';
  if (!functional.overload.empty()) text.append(".").append(functional.overload);
  const size_t open = functional.text.find('(');
  // The first argument is written to and returned.
  text += "(Tensor(a!)";
  text += functional.text.substr(open + 1 + std::string_view("Tensor").size());
  text.replace(text.rfind(" -> ") + 4, std::string::npos,
               takes_list(functional) ? "()" : "Tensor(a!)");
  return text;
}
}  // namespace

void Registry::derive_inplace(OpId functional) {
  OpEntry entry = entries_[functional];
  entry.functional = functional;
  entry.derived = OpEntry::Derived::kInplace;
  // What a tensor held before it is written to has a derivative, which is zero.
  entry.tags &= ~uint32_t{kNoDerivative};
  std::string name(entry.name);
  add(std::move(entry), arena_.copy(std::string_view(name.insert(name.rfind('.'), "_"))));
}

namespace {

// The functional operator of "aten::X.Y_out" is "aten::X.Y", that of "aten::X.out" is "aten::X" or
// "aten::X.Tensor".
OpId functional_of(const Registry& registry, const OutDef& def) {
  if (!def.functional.empty()) return registry.number(def.functional);
  const std::string_view stem = def.name.substr(0, def.name.rfind('.'));
  if (def.name.ends_with("_out")) return registry.number(def.name.substr(0, def.name.size() - 4));
  const OpId plain = registry.number(stem);
  return plain != kNoOp ? plain : registry.number(std::string(stem) + ".Tensor");
}

bool is_factory_option(const Argument& argument) {
  return (argument.type.kind == ArgKind::kDType && argument.name == "dtype") ||
         (argument.type.kind == ArgKind::kLayout && argument.name == "layout") ||
         argument.type.kind == ArgKind::kDevice || argument.name == "pin_memory";
}

// Whether out= takes the place of dtype, layout, device and pin_memory, which are keywords then.
bool is_factory(const Schema& schema) {
  const auto is_keyword = [&](std::string_view name) {
    const int at = schema.find_argument(name);
    return at >= 0 && schema.arguments[static_cast<size_t>(at)].is_keyword_only;
  };
  return is_keyword("pin_memory") || (is_keyword("device") && is_keyword("layout"));
}

// The text of an out= overload, made from the functional schema.
class OutSchemaText {
 public:
  OutSchemaText(const Schema& functional, const OutDef& def) : functional_(functional), def_(def) {
    text_ = def.name;
    if (text_.ends_with(".default"))
      text_.resize(text_.size() - std::string_view(".default").size());
    text_ += '(';
    add_arguments();
    if (!keyword_only_) separate("*");
    add_outputs();
  }
  const std::string& text() const { return text_; }
  size_t output_count() const { return functional_.returns.size(); }

 private:
  void separate(std::string_view next) {
    if (!text_.ends_with('(')) text_ += ", ";
    text_ += next;
  }
  void add_arguments() {
    const bool factory = is_factory(functional_);
    for (const Argument& argument : functional_.arguments) {
      if (factory && is_factory_option(argument)) continue;
      if (argument.is_keyword_only && !keyword_only_) {
        keyword_only_ = true;
        separate("*");
      }
      separate(argument.type.text);
      text_.append(" ").append(argument.name);
      if (argument.has_default) text_.append("=").append(argument.default_text);
      if (argument.is_written()) ++next_letter_;
    }
  }
  // "Tensor" of the functional result is "Tensor(a!)", the next letter for the next.
  static std::string written(const Argument& result, char letter) {
    std::string type(result.type.text.substr(std::string_view("Tensor").size()));
    if (type.starts_with('(')) type.erase(0, type.find(')') + 1);
    return format("Tensor({}!){}", std::string_view(&letter, 1), type);
  }
  void add_outputs() {
    std::string results;
    std::string_view names = def_.outputs;
    bool lists = false;
    const size_t count = functional_.returns.size();
    for (size_t i = 0; i < count; ++i) {
      const Argument& result = functional_.returns[i];
      const size_t comma = names.find(',');
      std::string name(names.substr(0, comma));
      names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
      if (name.find(':') == 1) {
        next_letter_ = name[0];
        name.erase(0, 2);
      }
      const std::string type = written(result, next_letter_++);
      if (name.empty()) name = count == 1 ? std::string("out") : format("out{}", i);
      separate(type);
      text_.append(" ").append(name);
      lists = lists || result.type.is_list;
      if (i > 0) results += ", ";
      results += type;
      if (!result.name.empty() && !def_.unnamed) results.append(" ").append(result.name);
    }
    text_ += ") -> ";
    if (lists) results.clear();
    text_ += lists || count != 1 ? "(" + results + ")" : results;
  }

  const Schema& functional_;
  const OutDef& def_;
  std::string text_;
  bool keyword_only_ = false;
  char next_letter_ = 'a';
};

}  // namespace

void Registry::derive_out(const OutDef& def) {
  const OpId functional = functional_of(*this, def);
  if (functional == kNoOp) return;  // listed in core/ops/STATUS.md
  OpEntry entry;
  entry.out = &def;
  entry.functional = functional;
  entry.derived = OpEntry::Derived::kOut;
  constexpr uint32_t kOwn =
      kInplace | kInplaceCopies | kComposite | kInplaceView | kDynamicShapeByMask;
  const uint32_t tags = entries_[functional].tags;
  entry.tags = tags & ~kOwn;
  // What the real kernel of an overload does to zeros depends on who writes (derived.cpp).
  if ((tags & kAnyLayout) == 0) entry.tags &= ~uint32_t{kRealKernel};
  entry.derivative = entries_[functional].derivative;
  if ((tags & kComposite) != 0) entry.tags |= kAnyLayout;  // what it calls decides
  const bool calls_only =
      def.by == OutBy::kForward || def.by == OutBy::kComposed || def.by == OutBy::kRule;
  if (calls_only && def.grad == OutGrad::kNoGrad) entry.tags |= kComposite;
  add(std::move(entry), def.name);
}

// A row that names no operator is found by registry_test.
void Registry::add_sparse_rules() {
  for (const std::span<const SparseDef> table : sparse_tables()) {
    for (const SparseDef& row : table) {
      if (const OpId id = number(row.op); id != kNoOp) entries_[id].sparse_rule = row.rule;
    }
  }
}

// `name`: with ".default" or without.
void Registry::add(OpEntry entry, std::string_view name) {
  constexpr std::string_view kDefault = ".default";
  const bool has_overload = name.find('.') != std::string_view::npos;
  entry.id = static_cast<OpId>(entries_.size());
  entry.name = has_overload ? name : arena_.copy(std::string_view(std::string(name) += kDefault));
  ids_.emplace(entry.name, entry.id);
  if (entry.name.ends_with(kDefault))
    ids_.emplace(entry.name.substr(0, entry.name.size() - kDefault.size()), entry.id);
  entries_.push_back(std::move(entry));
}

// A derived entry's is made from that of its functional operator, which is complete; what else is known by then is set in the entry.
std::string_view Registry::schema_text(OpEntry& entry) const {
  if (entry.derived == OpEntry::Derived::kNone) return entry.def->schema;
  const Schema& functional = entries_[entry.functional].schema;
  if (entry.out != nullptr) {
    const OutSchemaText made(functional, *entry.out);
    entry.output_count = static_cast<uint8_t>(made.output_count());
    return arena_.copy(std::string_view(made.text()));
  }
  if (takes_list(functional)) entry.derived = OpEntry::Derived::kListInplace;
  return arena_.copy(std::string_view(inplace_schema_text(functional)));
}

void Registry::complete(OpId id) const {
  made_.once(id, [&] {
    OpEntry& entry = entries_[id];
    if (entry.functional != kNoOp) complete(entry.functional);
    entry.schema = parse_schema(schema_text(entry), arena_);
    complete_entry(entry);
    if (entry.out != nullptr) entry.forward = find(entry.out->target);
  });
}

std::span<const OpEntry> Registry::entries() const {
  made_.once(entries_.size(), [&] {
    for (OpId id = 0; id < entries_.size(); ++id) complete(id);
  });
  return entries_;
}

std::string Registry::qualified(std::string_view name) {
  if (name.find("::") != std::string_view::npos) return std::string(name);
  if (name.starts_with("torch.ops.")) name.remove_prefix(10);
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {};
  std::string spelled(name.substr(0, dot));
  return spelled.append("::").append(name.substr(dot + 1));
}

OpId Registry::find(std::string_view name) const {
  const OpId id = number(name);
  if (id != kNoOp) complete(id);
  return id;
}

OpId Registry::number(std::string_view name) const {
  std::string spelled;
  if (name.find("::") == std::string_view::npos) {
    spelled = qualified(name);
    name = spelled;
  }
  const auto found = ids_.find(name);
  return found == ids_.end() ? kNoOp : found->second;
}

}  // namespace faketensor
