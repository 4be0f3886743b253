#include "core/graph/rebinding.h"

#include <algorithm>

#include "core/graph/bodies.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

bool is_unbacked_symbol(const ExprNode* node) {
  return node->kind == ExprKind::kSymbol && node->has(kHasUnbacked);
}

std::vector<const ExprNode*> unbacked_symbols(const Program& program, ShapeEnv& env) {
  std::vector<const ExprNode*> symbols;
  for (const SymbolSpec& spec : program.symbols) {
    if (spec.hint) continue;
    const ExprNode* symbol = parse_expr(env.pool(), spec.name);
    if (is_unbacked_symbol(symbol)) symbols.push_back(symbol);
  }
  return symbols;
}

// A value with symbols replaced in its tensors, which stay the same objects, and in numbers. Other
// values go by the replacement alone, as whoever asks for them does.
class Renaming {
 public:
  Renaming(Context& context, const SymbolMap& names) : context_(context), names_(names) {}

  Value of(const Value& value) {
    if (value.is(Value::Tag::kInt)) return of(value.as_sym_int());
    if (value.is_tensor()) describe_anew(value.tensor());
    return value.is(Value::Tag::kList) ? of_list(value) : value;
  }

 private:
  // The same list where no number in it has another name.
  Value of_list(const Value& list) {
    SmallVector<Value, 8> elements;
    bool is_renamed = false;
    for (const Value& element : list.values()) {
      elements.push_back(of(element));
      is_renamed = is_renamed || (element.is(Value::Tag::kInt) &&
                                  !same_expr(element.as_sym_int(), elements.back().as_sym_int()));
    }
    return is_renamed ? context_.make_list(elements.span()) : list;
  }
  SymInt of(SymInt size) {
    return size.is_symbolic()
               ? context_.shape_env()->pool().sym_int(substitute(size.node(), names_))
               : size;
  }
  DimVector of(Dims sizes) {
    DimVector renamed;
    for (const SymInt size : sizes) renamed.push_back(of(size));
    return renamed;
  }

  void describe_anew(Tensor& tensor) {
    if (!tensor.meta->has_symbols()) return;
    MetaSpec spec = tensor.meta->spec();
    const DimVector sizes = of(tensor.meta->sizes());
    const DimVector strides = of(tensor.meta->strides());
    spec.sizes = sizes;
    spec.strides = strides;
    spec.offset = of(tensor.meta->offset());
    tensor.meta = context_.metas().intern(spec);
    if (tensor.storage != nullptr) tensor.storage->nbytes = of(tensor.storage->nbytes);
  }

  Context& context_;
  const SymbolMap& names_;
};

}  // namespace

UnbackedNames::UnbackedNames(const Program& program, Context& context) : context_(context) {
  ShapeEnv& env = *context.shape_env();
  std::vector<const ExprNode*> pending = unbacked_symbols(program, env);
  const Plan& plan = program.plan();
  if (!pending.empty()) bound_.resize(plan.size());
  for (Row row = 0; row < plan.size() && !pending.empty(); ++row) {
    if (program.bodies != nullptr && program.bodies->is_body(row)) continue;
    const Node& node = plan.node(row);
    // The values of a list are those of the nodes that take its elements.
    const bool is_element = plan.row(row).kind == RowKind::kGetItem;
    const Row binder = is_element ? plan.row(row).args[0].node() : row;
    const std::string path =
        is_element ? format("[{}]", plan.row(row).args[1].as_sym_int()) : std::string();
    std::vector<UnbackedBinding> found = node.recorded != nullptr
                                             ? find_unbacked(env, pending, *node.recorded, path)
                                             : find_unbacked(env, pending, node.val, path);
    for (UnbackedBinding& binding : found) bound_[binder].push_back(std::move(binding));
  }
}

// The range is that of the new symbol, and the file's symbol goes by it too.
void UnbackedNames::rename(const UnbackedBinding& made, const UnbackedBinding& known) {
  ShapeEnv& env = *context_.shape_env();
  if (known.symbol->type == ExprType::kInt)
    env.create_unbacked_int(to_string(known.symbol), env.range(made.symbol));
  env.rename_unbacked_to(made.symbol, known.symbol);
}

Value UnbackedNames::rebind(Row row, const Value& value) {
  const std::vector<UnbackedBinding> made =
      compute_unbacked_bindings(*context_.shape_env(), value, "");
  if (made.empty() || bound_.empty()) return value;
  SymbolMap names;
  for (const UnbackedBinding& fresh : made) {
    for (const UnbackedBinding& old : bound_[row]) {
      const bool is_same = old.path == fresh.path && old.symbol->type == fresh.symbol->type;
      if (!is_same || old.symbol == fresh.symbol) continue;
      rename(fresh, old);
      names[fresh.symbol] = old.symbol;
      break;
    }
  }
  return names.empty() ? value : Renaming(context_, names).of(value);
}

bool is_renamed(const Program& program, const ExprNode* symbol, const ExprNode* by) {
  if (!is_unbacked_symbol(symbol) || !is_unbacked_symbol(by)) return false;
  const auto is_of_file = [&](const ExprNode* node) {
    const std::string name = to_string(node);
    return std::any_of(program.symbols.begin(), program.symbols.end(),
                       [&](const SymbolSpec& spec) { return spec.name == name; });
  };
  return is_of_file(by) && !is_of_file(symbol);
}

}  // namespace faketensor
