#include "core/mode/converter.h"

#include <algorithm>
#include <cmath>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/ignore_fresh_symbols.h"
#include "core/symbolic/symbolic_geometry.h"
#include "core/tensor/strides.h"

namespace faketensor {
namespace {

std::vector<int64_t> numbers(std::span<const SymInt> values) {
  std::vector<int64_t> result;
  for (const SymInt value : values) result.push_back(guard_int(value));
  return result;
}

// Mirrors sym_sizes_strides_storage_offset of MetaConverter.meta_tensor.
SymbolicGeometry geometry(const TensorDescription& tensor, const Source& source, ShapeEnv* env,
                          SymbolicContext* context) {
  const auto is_symbolic = [](SymInt value) { return value.is_symbolic(); };
  const bool has_symbols = std::any_of(tensor.sizes.begin(), tensor.sizes.end(), is_symbolic) ||
                           std::any_of(tensor.strides.begin(), tensor.strides.end(), is_symbolic) ||
                           tensor.offset.is_symbolic();
  const bool stays = env == nullptr || (tensor.is_fake && tensor.fake_shape_env == env) ||
                     (tensor.is_fake && !has_symbols && context == nullptr);
  if (stays) return {tensor.sizes, tensor.strides, tensor.offset};
  if (tensor.is_fake) {
    return transfer_geometry(*env, tensor.sizes, tensor.strides, tensor.offset, source, context);
  }
  SymbolicContext all_duck = SymbolicContext::all_duck(tensor.sizes.size());
  return create_symbolic_geometry(*env, numbers(tensor.sizes), numbers(tensor.strides),
                                  guard_int(tensor.offset), source,
                                  context == nullptr ? all_duck : *context);
}

MetaSpec spec_of(const TensorDescription& tensor, const SymbolicGeometry& geometry) {
  MetaSpec spec;
  spec.sizes = geometry.sizes;
  spec.strides = geometry.strides;
  spec.offset = geometry.offset;
  spec.dtype = tensor.dtype;
  spec.device = tensor.device.normalized();
  spec.layout = tensor.layout;
  spec.flags = tensor.flags;
  return spec;
}

bool is_quantized(DType dtype) {
  constexpr DType kQuantized[] = {DType::kQInt8, DType::kQUInt8, DType::kQInt32, DType::kQUInt4x2,
                                  DType::kQUInt2x4};
  return std::find(std::begin(kQuantized), std::end(kQuantized), dtype) != std::end(kQuantized);
}

}  // namespace

TensorDescription describe(const Tensor& tensor) {
  TensorDescription result;
  result.id = tensor.id;
  result.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  result.strides.assign(tensor.strides().begin(), tensor.strides().end());
  result.offset = tensor.offset();
  result.dtype = tensor.dtype();
  result.device = tensor.device();
  result.layout = tensor.layout();
  result.flags = tensor.meta->flags();
  if (tensor.storage != nullptr) result.storage = {tensor.storage->id, tensor.storage->nbytes};
  if (tensor.meta->sparse() != nullptr) result.sparse = *tensor.meta->sparse();
  if (tensor.base != nullptr) {
    result.base = std::make_shared<const TensorDescription>(describe(*tensor.base));
  }
  return result;
}

Tensor* Converter::memo(uint64_t id) const {
  const auto at = fakes_.find(id);
  return at == fakes_.end() ? nullptr : at->second;
}

Tensor* Converter::from_tensor(const TensorDescription& tensor, const ConversionOptions& options) {
  if (options.static_shapes && options.symbolic_context != nullptr) {
    throw_error(ErrorKind::kAssertionError, "cannot set both static_shapes and symbolic_context");
  }
  if (Tensor* known = memo(tensor.id)) return known;
  if (is_quantized(tensor.dtype))
    throw_error(ErrorKind::kUnsupportedFakeTensor, "quantized nyi in meta tensors");
  if (!allow_meta && tensor.device.type == DeviceType::kMeta) {
    throw_error(ErrorKind::kAssertionError,
                "device.type must not be 'meta' when allow_meta is False");
  }
  ShapeEnv* env = options.static_shapes ? nullptr : context_.shape_env();
  const Source source = options.source.value_or(
      Source::constant(format("__meta_utils_unknown_tensor{}", fakes_.size() + other_fakes)));
  Tensor* fake = convert(tensor, source, env, options.symbolic_context);
  if (env != nullptr && options.source) make_item_symbol(*fake, tensor, *options.source);
  return fake;
}

Tensor* Converter::convert(const TensorDescription& tensor, const Source& source, ShapeEnv* env,
                           SymbolicContext* context) {
  if (Tensor* known = memo(tensor.id)) return known;
  Tensor* fake = tensor.layout != Layout::kStrided ? convert_sparse(tensor, source, env, context)
                 : tensor.base != nullptr          ? convert_view(tensor, source, env, context)
                                                   : convert_strided(tensor, source, env, context);
  if (tensor.grad != nullptr) convert(*tensor.grad, source.attribute("grad"), env, context);
  const bool is_empty = !tensor.storage.nbytes.is_symbolic() && tensor.storage.nbytes.as_int() == 0;
  if (fake->storage != nullptr && is_empty) fake->storage->nbytes = 0;
  fakes_[tensor.id] = fake;
  return fake;
}

// A tensor that starts its own storage gets one of as many bytes as its symbols say. Any other (an
// offset, a storage that is taken) stands on one of the real size: what is beside it is not known.
Tensor* Converter::convert_strided(const TensorDescription& tensor, const Source& source,
                                   ShapeEnv* env, SymbolicContext* context) {
  const SymbolicGeometry made = geometry(tensor, source, env, context);
  const SuppressGuards scope(env);
  Storage*& storage = storages_[tensor.storage.id];
  const bool is_own = storage == nullptr && guard_or_false(made.offset == 0);
  if (storage == nullptr) {
    const SymInt bytes =
        is_own ? storage_bytes(made.sizes, made.strides, 0, tensor.dtype) : tensor.storage.nbytes;
    storage = context_.make_storage(tensor.device.normalized(), bytes);
  }
  Tensor* fake = context_.make_tensor(context_.metas().intern(spec_of(tensor, made)), storage);
  // Where no size is unbacked, set_, which places the fake on its storage, decides this. The answer
  // is known from here on, without a guard.
  const bool is_hinted = std::all_of(made.sizes.begin(), made.sizes.end(),
                                     [](SymInt size) { return hint(size).has_value(); });
  if (!is_own && is_hinted) fake->is_contiguous();
  if (!is_own) placed_.insert(fake);
  return fake;
}

// A view's sizes have symbols of their own. That the view lies within its base needs no guard: the
// real one does.
Tensor* Converter::convert_view(const TensorDescription& tensor, const Source& source,
                                ShapeEnv* env, SymbolicContext* context) {
  if (tensor.base->layout != Layout::kStrided) {
    throw_error(ErrorKind::kUnsupportedFakeTensor, "meta converter nyi");
  }
  Tensor* base = nullptr;
  {
    const IgnoreFreshSymbols scope(env);
    base = convert(*tensor.base, source.attribute("_base"), env,
                   context == nullptr ? nullptr : context->view_base.get());
  }
  const SymbolicGeometry made = geometry(tensor, source, env, context);
  ++other_fakes;  // aten::as_strided of the fake base, whose result is noted like that of any call
  const SuppressGuards scope(env);
  return context_.make_tensor(context_.metas().intern(spec_of(tensor, made)), base->storage, base);
}

// Sparse fakes have no elements yet. COO sizes may be symbols, compressed ones stay numbers.
Tensor* Converter::convert_sparse(const TensorDescription& tensor, const Source& source,
                                  ShapeEnv* env, SymbolicContext* context) {
  TensorDescription dense = tensor;
  const DimVector strides = contiguous_strides(tensor.sizes);
  dense.strides.assign(strides.begin(), strides.end());
  const bool symbolic =
      tensor.layout == Layout::kSparseCoo && (context != nullptr || tensor.is_fake);
  SymbolicGeometry made = geometry(dense, source, symbolic ? env : nullptr, context);
  made.strides.clear();
  SparseMeta sparse = tensor.sparse.value_or(SparseMeta());
  sparse.nnz = 0;
  MetaSpec spec = spec_of(tensor, made);
  spec.sparse = &sparse;
  return context_.make_tensor(context_.metas().intern(spec), nullptr);
}

// A number that comes in as a tensor is known when the program starts: item() is a backed symbol.
// Only float64 of the floats, as arithmetic in another would round differently.
void Converter::make_item_symbol(Tensor& fake, const TensorDescription& tensor,
                                 const Source& source) {
  constexpr DType kTypes[] = {DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8,
                              DType::kFloat64};
  const bool is_plain =
      !tensor.is_fake && tensor.sizes.empty() && tensor.device.type == DeviceType::kCPU &&
      std::find(std::begin(kTypes), std::end(kTypes), tensor.dtype) != std::end(kTypes);
  if (is_export || !is_plain || !tensor.item || !std::isfinite(tensor.item->as_double())) return;
  ShapeEnv& env = *context_.shape_env();
  if (tensor.dtype == DType::kFloat64) {
    const ExprNode* symbol =
        env.create_unspecified_float(tensor.item->as_double(), source.item(), DimDynamic::kDynamic);
    context_.memos().set(fake, Memo::kItem, Value::sym_float(symbol));
    return;
  }
  const SymInt symbol =
      env.create_unspecified_symbol(tensor.item->integer, source.item(), DimDynamic::kDynamic);
  if (tensor.dtype == DType::kInt64) context_.memos().set(fake, Memo::kItem, symbol);
}

}  // namespace faketensor
