// Converter: real tensors, by their descriptions, become fakes.
//
// Mirrors FakeTensorConverter (torch/_subclasses/fake_tensor.py) and MetaConverter
// (meta_utils.py). A real tensor is what a TensorDescription says of it. The same tensor (its id)
// always becomes the same fake; tensors on one storage become fakes on one storage; a view is made
// from the fake of its base. With a ShapeEnv, sizes become symbols as the SymbolicContext asks.
//
//   TensorDescription x{.id = 0, .sizes = {5, 3}, .strides = {3, 1}};
//   x.storage = {.id = 0, .nbytes = 60};
//   Tensor* fake = converter.from_tensor(x, {.source = Source::local("x")});   // [s77, s27]
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ops/context.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

struct StorageDescription {
  uint64_t id = 0;
  SymInt nbytes = 0;
};

// What MetaTensorDesc tells of a tensor, as far as a fake has it.
struct TensorDescription {
  uint64_t id = 0;
  std::vector<SymInt> sizes = {};  // numbers, but for fakes that are converted again
  std::vector<SymInt> strides = {};
  SymInt offset = 0;
  DType dtype = DType::kFloat32;
  Device device = {};
  Layout layout = Layout::kStrided;
  uint16_t flags = 0;  // MetaFlags: kConj, kNeg, kRequiresGrad, kCoalesced
  StorageDescription storage = {};
  std::optional<SparseMeta> sparse = {};               // of a sparse layout
  std::shared_ptr<const TensorDescription> base = {};  // what it is a view of
  std::shared_ptr<const TensorDescription> grad = {};  // becomes a fake, too
  std::optional<Number> item = {};                     // the number in a 0-dimensional tensor
  bool is_fake = false;                                // of whichever mode
  const ShapeEnv* fake_shape_env = nullptr;            // whose symbols a fake's sizes have
};

// The description of a tensor, with its base's; ids are the tensors' and storages' own.
TensorDescription describe(const Tensor& tensor);

struct ConversionOptions {
  std::optional<Source> source = {};
  SymbolicContext* symbolic_context = nullptr;  // of a dimension with one allowed size: made static
  bool static_shapes = false;
};

class Converter {
 public:
  // The symbols are made in the context's ShapeEnv; without one all sizes stay numbers.
  explicit Converter(Context& context) : context_(context) {}

  // torch.export: a tensor of one number does not get a symbol for it.
  bool is_export = false;
  // torch._functorch.config.fake_tensor_allow_meta.
  bool allow_meta = true;
  // Fakes alive that are not conversions: PyTorch numbers tensors without a source by how many
  // there are.
  size_t other_fakes = 0;

  // Mirrors FakeTensorMode.from_tensor. Raises AssertionError for a context beside static shapes,
  // UnsupportedFakeTensorException for a view of a sparse tensor.
  Tensor* from_tensor(const TensorDescription& tensor, const ConversionOptions& options = {});

  // The fake that a tensor became; null if it was not converted, or is forgotten.
  Tensor* memo(uint64_t id) const;
  // Whether set_ placed the fake on its storage, which was not its own: this counts as a write to
  // it and its views.
  bool is_placed(const Tensor& fake) const { return placed_.count(&fake) != 0; }
  // Forgets the fake: the next conversion makes a new one.
  void forget(uint64_t id) { fakes_.erase(id); }

 private:
  Tensor* convert(const TensorDescription& tensor, const Source& source, ShapeEnv* env,
                  SymbolicContext* context);
  Tensor* convert_strided(const TensorDescription& tensor, const Source& source, ShapeEnv* env,
                          SymbolicContext* context);
  Tensor* convert_view(const TensorDescription& tensor, const Source& source, ShapeEnv* env,
                       SymbolicContext* context);
  Tensor* convert_sparse(const TensorDescription& tensor, const Source& source, ShapeEnv* env,
                         SymbolicContext* context);
  void make_item_symbol(Tensor& fake, const TensorDescription& tensor, const Source& source);

  Context& context_;
  std::unordered_map<uint64_t, Tensor*> fakes_;      // by tensor id
  std::unordered_map<uint64_t, Storage*> storages_;  // by storage id
  std::unordered_set<const Tensor*> placed_;
};

}  // namespace faketensor
