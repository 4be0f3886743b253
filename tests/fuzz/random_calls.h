// RandomCalls: operator calls made up from schemas, the same for the same seed and number on every
// machine.
//
// Each call has a temper. A tame one gives every argument the type its schema asks for, and tensors
// that mostly fit together (one shape, dtype and device for all, or broadcastable ones), so that
// rules get past their checks; a wild one gives anything: huge and negative numbers, overlapping
// strides, sparse layouts, mixed devices, values of other types, too few or too many of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "core/mode/mode.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"
#include "random_edits.h"

namespace faketensor {

class RandomCall {
 public:
  // `symbolic`: whether some calls get sizes that are symbols, in a ShapeEnv of the mode.
  RandomCall(uint64_t seed, uint64_t number, bool symbolic)
      : random_(seed * 0x9E3779B97F4A7C15u ^ number * 0xD1B54A32D192ED03u), symbolic_(symbolic) {
    const std::span<const OpEntry> entries = Registry::builtin().entries();
    op_ = &entries[below(entries.size())];
    const size_t temper = below(8);
    wildness_ = temper < 4 ? 0 : temper < 7 ? 3 : 30;
  }

  const OpEntry& op() const { return *op_; }

  // The arguments, made in `mode`. May raise what the mode raises for sizes that do not fit.
  std::vector<Value> arguments(FakeTensorMode& mode) {
    mode_ = &mode;
    mode.context().grad_enabled = chance(50);
    if (symbolic_ && chance(12)) make_symbols();
    plan();
    std::vector<Value> values;
    for (const Argument& argument : op_->schema.arguments) {
      if (wild() && chance(10)) break;
      const bool leave_out = argument.has_default && chance(wildness_ > 3 ? 20 : 50);
      values.push_back(leave_out ? Value::unset() : value(argument.type));
    }
    if (wild() && chance(10)) values.push_back(anything());
    return values;
  }

 private:
  static constexpr int64_t kHuge[] = {1 << 16,
                                      int64_t{1} << 31,
                                      (int64_t{1} << 31) - 1,
                                      int64_t{1} << 32,
                                      int64_t{1} << 40,
                                      int64_t{1} << 62,
                                      std::numeric_limits<int64_t>::max(),
                                      std::numeric_limits<int64_t>::max() - 1,
                                      -(int64_t{1} << 62),
                                      -(int64_t{1} << 31),
                                      -1};

  size_t below(size_t bound) { return random_.below(bound); }
  bool chance(size_t percent) { return below(100) < percent; }
  bool wild() { return chance(wildness_); }
  Context& context() { return mode_->context(); }

  void make_symbols() {
    auto env = std::make_shared<ShapeEnv>();
    mode_->attach_shape_env(env);
    symbols_.push_back(env->create_backed("s0", 3, ValueRange::ints(0, kIntInfinity)));
    symbols_.push_back(env->create_backed("s1", 4, ValueRange::ints(2, kIntInfinity)));
    symbols_.push_back(env->create_unbacked_int());
    env->constrain_range_for_size(symbols_.back());
    symbols_.push_back(env->create_unbacked_int());
    symbols_.push_back(symbols_[0] * symbols_[1]);
    symbols_.push_back(symbols_[2] + 1);
    bool_symbols_.push_back(env->create_unbacked_bool());
  }

  // --- what the tensors of the call have in common ---

  void plan() {
    const size_t rank = below(8) == 0 ? below(9) : below(6);
    const bool equal = chance(30);
    const SymInt one_size = size();
    for (size_t i = 0; i < rank; ++i) shape_.push_back(equal ? one_size : size());
    static constexpr DType kUsual[] = {DType::kFloat32, DType::kFloat32,   DType::kFloat64,
                                       DType::kFloat16, DType::kBFloat16,  DType::kInt64,
                                       DType::kInt32,   DType::kBool,      DType::kUInt8,
                                       DType::kInt8,    DType::kComplex64, DType::kComplex128};
    dtype_ = chance(80) ? kUsual[below(std::size(kUsual))] : any_dtype();
    device_ = any_device();
  }

  SymInt size() {
    if (!symbols_.empty() && chance(50)) return symbols_[below(symbols_.size())];
    if (wild() && chance(50)) return std::max<int64_t>(0, kHuge[below(std::size(kHuge))]);
    static constexpr int64_t kSizes[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 16, 17, 32};
    return kSizes[below(std::size(kSizes))];
  }

  DType any_dtype() { return static_cast<DType>(below(kDTypeCount)); }
  Device any_device() {
    static constexpr DeviceType kTypes[] = {DeviceType::kCPU, DeviceType::kCPU, DeviceType::kCUDA,
                                            DeviceType::kMeta};
    return Device{kTypes[below(std::size(kTypes))], -1}.normalized();
  }

  // --- tensors ---

  Value tensor() {
    if (!tensors_.empty() && chance(10)) return Value(tensors_[below(tensors_.size())]);
    DimVector sizes = tensor_sizes();
    MetaSpec spec{.sizes = sizes};
    spec.dtype = chance(75) ? dtype_ : chance(40) ? DType::kInt64 : any_dtype();
    spec.device = wild() ? any_device() : device_;
    DimVector strides;
    if (chance(35)) strides = tensor_strides(sizes);
    spec.strides = strides;
    if (chance(10)) spec.offset = std::max<int64_t>(0, integer(16));
    unsigned flags = 0;
    if (is_complex(spec.dtype) && chance(20)) flags |= kConj;
    if (chance(3)) flags |= kNeg;
    if (is_float_or_complex(spec.dtype) && chance(15)) flags |= kRequiresGrad;
    spec.flags = static_cast<uint16_t>(flags);
    SparseMeta sparse;
    if (chance(wildness_ > 3 ? 15 : 1)) make_sparse(spec, sparse);
    const TensorMeta* meta = context().metas().intern(spec);
    Storage* storage = nullptr;
    if (spec.layout == Layout::kStrided && !tensors_.empty() && chance(8))
      storage = tensors_[below(tensors_.size())]->storage;
    if (storage != nullptr && storage->device != spec.device) storage = nullptr;
    tensors_.push_back(context().make_tensor(meta, storage));
    return Value(tensors_.back());
  }

  DimVector tensor_sizes() {
    DimVector sizes;
    switch (below(wildness_ > 3 ? 8 : 12)) {
      case 0: {  // another shape
        const size_t rank = below(6);
        for (size_t i = 0; i < rank; ++i) sizes.push_back(size());
        break;
      }
      case 1:  // broadcastable to the common one
        for (size_t i = below(shape_.size() + 1); i < shape_.size(); ++i)
          sizes.push_back(chance(50) ? SymInt(1) : shape_[i]);
        break;
      case 2:  // transposed
        for (size_t i = shape_.size(); i-- > 0;) sizes.push_back(shape_[i]);
        break;
      case 3:  // one dimension: a bias, an index
        sizes.push_back(shape_.empty() ? size() : shape_[below(shape_.size())]);
        break;
      case 4:  // none
        break;
      default:
        sizes = shape_;
    }
    return sizes;
  }

  DimVector tensor_strides(const DimVector& sizes) {
    DimVector strides;
    switch (below(5)) {
      case 0: {  // permuted
        SmallVector<int64_t, 8> order;
        for (size_t i = 0; i < sizes.size(); ++i) order.push_back(static_cast<int64_t>(i));
        for (size_t i = sizes.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
        return permuted_strides(sizes, order.span());
      }
      case 1:
        if (sizes.size() == 4) return channels_last_strides(sizes);
        if (sizes.size() == 5) return channels_last_3d_strides(sizes);
        break;
      case 2:  // expanded and sliced
        strides = contiguous_strides(sizes);
        for (SymInt& stride : strides) {
          if (chance(30)) stride = stride * static_cast<int64_t>(below(3));
        }
        return strides;
      default:
        break;
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      const int64_t stride = integer(16);
      strides.push_back(stride < 0 ? 0 : stride);
    }
    return strides;
  }

  void make_sparse(MetaSpec& spec, SparseMeta& sparse) {
    static constexpr Layout kLayouts[] = {Layout::kSparseCoo, Layout::kSparseCsr,
                                          Layout::kSparseCsc, Layout::kSparseBsr,
                                          Layout::kSparseBsc, Layout::kMkldnn};
    spec.layout = kLayouts[below(std::size(kLayouts))];
    spec.strides = {};
    spec.offset = 0;
    if (spec.layout == Layout::kMkldnn) return;
    const auto rank = static_cast<int32_t>(spec.sizes.size());
    const bool is_coo = spec.layout == Layout::kSparseCoo;
    sparse.sparse_dim = is_coo ? static_cast<int32_t>(below(spec.sizes.size() + 1)) : 2;
    sparse.dense_dim = std::max(0, rank - sparse.sparse_dim);
    sparse.nnz = static_cast<int64_t>(below(9));
    if (chance(30)) sparse.index_dtype = DType::kInt32;
    sparse.block_size[0] = sparse.block_size[1] = static_cast<int64_t>(1 + below(3));
    if (is_coo && chance(50)) spec.flags |= kCoalesced;
    spec.sparse = &sparse;
  }

  // --- other values ---

  // Mostly small: dimensions, sizes, counts.
  int64_t integer(int64_t usual) {
    if (wild()) return kHuge[below(std::size(kHuge))];
    if (chance(50)) return static_cast<int64_t>(below(static_cast<size_t>(usual)));
    if (chance(50))
      return static_cast<int64_t>(below(2 * shape_.size() + 1)) -
             static_cast<int64_t>(shape_.size());
    return chance(50) ? 1 : 0;
  }

  Value integer_value() {
    if (!symbols_.empty() && chance(30)) return symbols_[below(symbols_.size())];
    return SymInt(std::max(integer(6), -(int64_t{1} << 62)));
  }

  double real() {
    static constexpr double kReals[] = {0.0, 1.0,   -1.0, 0.5,  2.0,   1e-5,
                                        3.7, -0.25, 1e10, 1e19, 1e300, -1e300};
    if (wild()) {
      const double odd[] = {std::nan(""), std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(), -0.0, 5e-324};
      return odd[below(std::size(odd))];
    }
    return kReals[below(std::size(kReals) - (wildness_ > 0 ? 0 : 4))];
  }

  Value number() {
    switch (below(8)) {
      case 0:
        return chance(50);
      case 1: {
        const double parts[] = {real(), real()};
        return Value::complex(context().arena().copy(std::span<const double>(parts)).data());
      }
      case 2:
      case 3:
      case 4:
        return real();
      default:
        return integer_value();
    }
  }

  Value string() {
    static constexpr std::string_view kWords[] = {"mean",
                                                  "sum",
                                                  "none",
                                                  "constant",
                                                  "reflect",
                                                  "replicate",
                                                  "circular",
                                                  "prod",
                                                  "amax",
                                                  "amin",
                                                  "bilinear",
                                                  "nearest",
                                                  "valid",
                                                  "same",
                                                  "tanh",
                                                  "floor",
                                                  "trunc",
                                                  "reduced",
                                                  "full",
                                                  "complete",
                                                  "ij",
                                                  "xy",
                                                  "i,j->ij",
                                                  "bij,bjk",
                                                  "...ij->ji",
                                                  "nuc",
                                                  "fro",
                                                  "L",
                                                  "U",
                                                  "avg",
                                                  "max",
                                                  "0",
                                                  "r",
                                                  "linear",
                                                  "cuda",
                                                  "cpu:99",
                                                  "gelsd",
                                                  "left",
                                                  "right",
                                                  "ortho",
                                                  "forward",
                                                  "float16",
                                                  "",
                                                  "\xF0\x9F\x98\x80",
                                                  "a,b,c,d,e,f,g,h,i,j->",
                                                  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    return Value::string(kWords[below(std::size(kWords))]);
  }

  Value integers(const ArgType& type) {
    DimVector ints;
    if (type.list_size > 0 && chance(15)) return integer_value();  // stands for the whole list
    if (type.list_size <= 0 && chance(35)) {
      ints = tensor_sizes();
    } else {
      const size_t count = type.list_size > 0 && chance(85) ? static_cast<size_t>(type.list_size)
                                                            : below(shape_.size() + 2);
      for (size_t i = 0; i < count; ++i) ints.push_back(integer_value().as_sym_int());
    }
    return context().make_ints(ints);
  }

  Value list(const ArgType& type) {
    if (type.kind == ArgKind::kInt) return integers(type);
    ArgType element = type;
    element.is_list = element.is_optional = false;
    const size_t count =
        type.list_size > 0 && chance(80) ? static_cast<size_t>(type.list_size) : below(5);
    SmallVector<Value, 8> values;
    for (size_t i = 0; i < count; ++i) {
      const bool none = type.is_element_optional && chance(30);
      values.push_back(none ? Value() : value(element));
    }
    return context().make_list(values.span());
  }

  Value value(const ArgType& type) {
    if (wild() && chance(15)) return anything();
    if (type.is_optional && chance(40)) return Value();
    if (type.is_list) return list(type);
    return scalar(type.kind);
  }

  Value scalar(ArgKind kind) {
    switch (kind) {
      case ArgKind::kTensor:
        return chance(3) ? number() : tensor();
      case ArgKind::kInt:
        return integer_value();
      case ArgKind::kFloat:
        return chance(20) ? integer_value() : Value(real());
      case ArgKind::kBool:
        if (!bool_symbols_.empty() && chance(10)) return bool_symbols_[0];
        return chance(50);
      case ArgKind::kScalar:
      case ArgKind::kComplex:
        return number();
      case ArgKind::kDType:
        return chance(50) ? Value(dtype_) : Value(any_dtype());
      case ArgKind::kLayout:
        return chance(80) ? Value(Layout::kStrided)
                          : Value(static_cast<Layout>(below(kLayoutCount)));
      case ArgKind::kDevice:
        return wild() ? Value(Device{static_cast<DeviceType>(below(kDeviceTypeCount)),
                                     static_cast<int8_t>(below(3))})
                      : Value(any_device());
      case ArgKind::kMemoryFormat:
        return static_cast<MemoryFormat>(below(kMemoryFormatCount));
      case ArgKind::kString:
        return string();
      case ArgKind::kGenerator:
        return Value::generator(any_device());
      case ArgKind::kGraph:
        return Value();
      case ArgKind::kOther:
        return chance(50) ? string() : anything();
    }
    return Value();
  }

  // A value of any type.
  Value anything() {
    if (chance(10)) return Value();
    ArgType type;
    type.kind = static_cast<ArgKind>(below(static_cast<size_t>(ArgKind::kGenerator) + 1));
    type.is_list = chance(30);
    type.is_element_optional = chance(30);
    return type.is_list ? list(type) : scalar(type.kind);
  }

  RandomEdits random_;
  const bool symbolic_;
  const OpEntry* op_ = nullptr;
  size_t wildness_ = 0;  // percent
  FakeTensorMode* mode_ = nullptr;
  DimVector shape_;
  DType dtype_ = DType::kFloat32;
  Device device_;
  std::vector<Tensor*> tensors_;
  std::vector<SymInt> symbols_;
  std::vector<SymBool> bool_symbols_;
};

}  // namespace faketensor
