#include "core/mode/unbacked_bindings.h"

#include <algorithm>

#include "core/mode/rebind_unbacked.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/tensor.h"

namespace faketensor {
namespace {

class BindingSearch {
 public:
  BindingSearch(ShapeEnv& env, std::vector<const ExprNode*> pending)
      : env_(env), pending_(std::move(pending)) {}

  // Lists are as deep as a schema allows: two levels. Paths are texts: none is made where nothing is looked for any more.
  void visit(const Value& value, const std::string& path) {
    if (pending_.empty()) return;
    if (value.is_tensor()) {
      visit_meta(*value.tensor().meta, path);
    } else if (value.is_list()) {
      for (size_t i = 0; i < value.size(); ++i) {
        const Value element = value[i];
        const bool is_plain = element.is(Value::Tag::kInt) && !element.as_sym_int().is_symbolic();
        if (!is_plain) visit(element, format("{}[{}]", path, i));
      }
    } else if (value.is(Value::Tag::kInt) && value.as_sym_int().is_symbolic()) {
      visit_number(value.as_sym_int().node(), path);
    } else if (value.is(Value::Tag::kSymFloat)) {
      visit_number(value.as_node(), path);
    } else if (value.is(Value::Tag::kBool) && value.as_sym_bool().is_symbolic()) {
      visit_condition(value.as_sym_bool().node(), path);
    }
  }

  void visit_meta(const TensorMeta& meta, const std::string& path) {
    if (pending_.empty() || !meta.has_symbols()) return;
    visit(Value::ints(meta.sizes()), path + ".size()");
    visit(Value::ints(meta.strides()), path + ".stride()");
    visit(meta.offset(), path + ".storage_offset()");
  }

  const std::vector<const ExprNode*>& pending() const { return pending_; }
  std::vector<UnbackedBinding> take_bindings() { return std::move(bindings_); }

 private:
  bool is_pending(const ExprNode* node) const {
    return std::find(pending_.begin(), pending_.end(), node) != pending_.end();
  }

  void bind(const ExprNode* symbol, std::string path) {
    pending_.erase(std::find(pending_.begin(), pending_.end(), symbol));
    bindings_.push_back({symbol, std::move(path)});
  }

  void visit_number(const ExprNode* node, const std::string& path) {
    if (is_pending(node)) bind(node, path);
    if (node->kind == ExprKind::kMul) visit_multiple(node, path);
  }

  // k*u0 binds u0 by division, where k is a number or a symbol with a hint.
  void visit_multiple(const ExprNode* product, const std::string& path) {
    const bool by_number = product->arg_count == 1;
    const bool by_symbol = product->arg_count == 2 && product->number.is_integer(1);
    if (!by_number && !by_symbol) return;
    const ExprNode* first = product->arg(0);
    const ExprNode* second = by_number ? env_.pool().number(product->number) : product->arg(1);
    if (is_pending(first) == is_pending(second)) return;
    const ExprNode* symbol = is_pending(first) ? first : second;
    const ExprNode* divisor = is_pending(first) ? second : first;
    if (by_symbol && !env_.hint_of_symbol(divisor)) return;
    bind(symbol, format("{}.__floordiv__({})", path, to_string(divisor)));
  }

  // A fresh unbacked boolean is Eq(u, 1), see ShapeEnv::create_unbacked_bool.
  void visit_condition(const ExprNode* node, const std::string& path) {
    if (node->kind != ExprKind::kEq) return;
    for (size_t i = 0; i < 2; ++i) {
      if (!is_pending(node->arg(i)) || !node->arg(1 - i)->is_integer(1)) continue;
      bind(node->arg(i), path + ".cast_symbool_to_symint_guardless()");
      return;
    }
  }

  ShapeEnv& env_;
  std::vector<const ExprNode*> pending_;
  std::vector<UnbackedBinding> bindings_;
};

// A tensor's repr does not show strides and offset, which may bind symbols, too.
std::string geometry_text(const Value& value) {
  if (!value.is_tensor()) return {};
  std::string strides = format("{}", value.tensor().strides());
  strides.front() = '(';
  strides.back() = ')';
  if (value.tensor().dim() == 1) strides.insert(strides.size() - 1, ",");
  return format("({}, {})", strides, value.tensor().offset());
}

}  // namespace

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void throw_not_found(
    const std::vector<const ExprNode*>& pending, const Value& result,
    std::string_view result_text) {
  std::string missing;
  for (const ExprNode* symbol : pending) {
    missing += (missing.empty() ? "" : ", ") + to_string(symbol);
  }
  throw_error(
      ErrorKind::kPendingUnbackedSymbol,
      format("Pending unbacked symbols {{}} not in returned outputs {} {}.\nDid you accidentally "
             "call new_dynamic_size() or item() more times than you needed to in your fake "
             "implementation?\nFor more help, see "
             "https://docs.google.com/document/d/1RWrH-3wLEpzR9kCS6gGBNen_-Fs-8PVbWWFE5AcgeWE/edit",
             missing, result_text, geometry_text(result)));
}

}  // namespace

std::vector<UnbackedBinding> compute_unbacked_bindings(ShapeEnv& env, const Value& result,
                                                       std::string_view result_text) {
  std::vector<const ExprNode*> pending = env.take_pending_unbacked();
  if (pending.empty()) return {};  // after nearly every node
  BindingSearch search(env, std::move(pending));
  search.visit(result, "");
  if (!search.pending().empty()) throw_not_found(search.pending(), result, result_text);
  return search.take_bindings();
}

std::vector<UnbackedBinding> find_unbacked(ShapeEnv& env, std::vector<const ExprNode*>& pending,
                                           const Value& value, const std::string& path) {
  BindingSearch search(env, std::move(pending));
  search.visit(value, path);
  pending = search.pending();
  return search.take_bindings();
}

std::vector<UnbackedBinding> find_unbacked(ShapeEnv& env, std::vector<const ExprNode*>& pending,
                                           const TensorMeta& meta, const std::string& path) {
  BindingSearch search(env, std::move(pending));
  search.visit_meta(meta, path);
  pending = search.pending();
  return search.take_bindings();
}

std::vector<UnbackedBinding> rebind_unbacked(ShapeEnv& env, std::span<const UnbackedBinding> known,
                                             const Value& result) {
  std::vector<UnbackedBinding> bindings = compute_unbacked_bindings(env, result, "");
  for (UnbackedBinding& made : bindings) {
    for (const UnbackedBinding& old : known) {
      if (old.path != made.path || old.symbol == made.symbol) continue;
      env.rename_unbacked_to(made.symbol, old.symbol);
      made.symbol = old.symbol;
      break;
    }
  }
  return bindings;
}

}  // namespace faketensor
