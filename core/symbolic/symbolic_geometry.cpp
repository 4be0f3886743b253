#include "core/symbolic/symbolic_geometry.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// Note [Inferred strides]
// Strides are looked at in ascending order, of equals the rightmost first. A stride that equals a
// smaller one times its size is that product, so a contiguous tensor has no symbols for strides;
// any other is a symbol of its own. A stride of 0 or 1 stays a number, except where it is what the
// next dimension makes it by its size.
std::vector<SymInt> symbolic_strides(ShapeEnv& env, std::span<const int64_t> sizes,
                                     std::span<const int64_t> strides,
                                     std::span<const SymInt> symbolic_sizes, const Source& source,
                                     const SymbolicContext& context) {
  const size_t rank = sizes.size();
  std::vector<size_t> order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  const bool all_static =
      std::all_of(context.dynamic_sizes.begin(), context.dynamic_sizes.end(),
                  [](DimDynamic dynamic) { return dynamic == DimDynamic::kStatic; });
  std::vector<SymInt> result(rank);
  std::unordered_map<int64_t, SymInt> products;
  for (const size_t i : order) {
    const int64_t stride = strides[i];
    const bool is_contiguous =
        i + 1 < rank && stride == checked_multiply(sizes[i + 1], strides[i + 1]);
    const bool infer = context.dynamic_strides[i] == DimDynamic::kInferStride;
    const auto product = products.find(stride);
    if ((stride == 0 || stride == 1) && !is_contiguous) {
      result[i] = stride;
    } else if (infer && product != products.end()) {
      result[i] = product->second;
    } else {
      const DimDynamic inferred = all_static ? DimDynamic::kStatic : DimDynamic::kDuck;
      result[i] = env.create_symbol_in(context, stride, source.stride(i),
                                       infer ? inferred : context.dynamic_strides[i],
                                       context.constraint_strides[i]);
    }
    products[checked_multiply(sizes[i], stride)] = symbolic_sizes[i] * result[i];
  }
  return result;
}

}  // namespace

void check_rank(const SymbolicContext& context, size_t rank) {
  const size_t least =
      std::min({context.dynamic_sizes.size(), context.dynamic_strides.size(),
                context.constraint_sizes.size(), context.constraint_strides.size()});
  if (least < rank) throw_error(ErrorKind::kIndexError, "list index out of range");
}

SymbolicGeometry create_symbolic_geometry(ShapeEnv& env, std::span<const int64_t> sizes,
                                          std::span<const int64_t> strides, int64_t offset,
                                          const Source& source, SymbolicContext& context) {
  const size_t rank = sizes.size();
  if (context.dynamic_sizes.size() != rank) {
    throw_error(ErrorKind::kAssertionError, format("{} != {}", context.dynamic_sizes.size(), rank));
  }
  check_rank(context, rank);
  const SymbolicContext asked = context;
  SymbolicGeometry result;
  bool all_static = true;
  for (size_t i = 0; i < rank; ++i) {
    DimConstraint& constraint = context.constraint_sizes[i];
    all_static &= asked.dynamic_sizes[i] == DimDynamic::kStatic;
    result.sizes.push_back(
        env.create_symbol_in(asked, sizes[i], source.size(i), asked.dynamic_sizes[i], constraint));
    if (constraint.kind == DimConstraint::Kind::kMinMax && constraint.range.is_singleton()) {
      context.dynamic_sizes[i] = DimDynamic::kStatic;
      constraint = {};
    }
  }
  result.strides = symbolic_strides(env, sizes, strides, result.sizes, source, asked);
  result.offset = env.create_symbol_in(asked, offset, source.storage_offset(),
                                       all_static ? DimDynamic::kStatic : DimDynamic::kDuck, {});
  return result;
}

namespace {

// The expression in another pool, each symbol as `translated` has it; null if it has not all. Parts
// are remembered there, so that each is looked at once.
const ExprNode* translate(ExprPool& pool, const ExprNode* node, SymbolMap& translated) {
  const auto known = translated.find(node);
  if (known != translated.end()) return known->second;
  if (node->kind == ExprKind::kSymbol) return nullptr;
  if (node->is_number()) return pool.number(node->number);
  if (node->kind == ExprKind::kBoolean) return pool.boolean(node->is_true());
  std::vector<const ExprNode*> args;
  for (const ExprNode* arg : node->args()) {
    args.push_back(translate(pool, arg, translated));
    if (args.back() == nullptr) return nullptr;
  }
  // The number of a sum or product is an argument that stands apart.
  if (node->kind == ExprKind::kAdd || node->kind == ExprKind::kMul)
    args.push_back(pool.number(node->number));
  return translated[node] = node->kind == ExprKind::kPow ? pool.pow(args[0], node->number.integer)
                                                         : pool.make(node->kind, args);
}

DimDynamic dynamic_like(SymInt foreign) {
  if (!foreign.is_symbolic()) return DimDynamic::kStatic;
  return hint(foreign) ? DimDynamic::kDuck : DimDynamic::kUnbacked;
}

}  // namespace

SymbolicGeometry transfer_geometry(ShapeEnv& env, std::span<const SymInt> sizes,
                                   std::span<const SymInt> strides, SymInt offset,
                                   const Source& source, SymbolicContext* context) {
  std::vector<DimDynamic> dynamic;
  for (const SymInt size : sizes) dynamic.push_back(dynamic_like(size));
  SymbolicContext own(std::move(dynamic));
  if (context == nullptr) context = &own;
  const bool has_unbacked = std::count(context->dynamic_sizes.begin(), context->dynamic_sizes.end(),
                                       DimDynamic::kUnbacked) != 0;
  if (!has_unbacked) {
    const auto hints = [](std::span<const SymInt> values) {
      std::vector<int64_t> numbers;
      for (const SymInt value : values) numbers.push_back(hint(value).value_or(0));
      return numbers;
    };
    return create_symbolic_geometry(env, hints(sizes), hints(strides), hint(offset).value_or(0),
                                    source, *context);
  }
  check_rank(*context, sizes.size());
  SymbolMap translated;
  SymbolicGeometry result;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].is_symbolic()) {
      result.sizes.push_back(sizes[i]);
      continue;
    }
    const ExprNode* known = translate(env.pool(), sizes[i].node(), translated);
    if (known == nullptr) {
      const SymInt size =
          env.create_symbol(hint(sizes[i]).value_or(0), source.size(i), context->dynamic_sizes[i],
                            context->constraint_sizes[i]);
      known = translated[sizes[i].node()] = env.pool().node_of(size);
    }
    result.sizes.push_back(env.pool().sym_int(known));
  }
  const auto moved = [&](SymInt value) {
    if (!value.is_symbolic()) return value;
    const ExprNode* known = translate(env.pool(), value.node(), translated);
    return known == nullptr ? env.create_unbacked_int() : env.pool().sym_int(known);
  };
  for (const SymInt stride : strides) result.strides.push_back(moved(stride));
  result.offset = moved(offset);
  return result;
}

}  // namespace faketensor
