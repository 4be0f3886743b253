#include "core/io/serialized_values.h"

#include <algorithm>
#include <limits>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/small_vector.h"

namespace faketensor {
namespace {

constexpr size_t kLargestRank = 64;  // of at::TensorIterator

[[noreturn, gnu::cold]] void throw_unknown(JsonValue value, std::string_view what) {
  throw_at(value.position(), format("{} {} is not known", what, value.integer()));
}

}  // namespace

JsonMember union_member(JsonValue value) {
  const JsonMembers members = value.members();
  if (members.size() != 1) {
    throw_at(value.position(),
             format("expected an object with one member that says its kind, found {} members",
                    members.size()));
  }
  return *members.begin();
}

DType read_scalar_type(JsonValue value) {
  switch (value.integer()) {
    case 1:
      return DType::kUInt8;
    case 2:
      return DType::kInt8;
    case 3:
      return DType::kInt16;
    case 4:
      return DType::kInt32;
    case 5:
      return DType::kInt64;
    case 6:
      return DType::kFloat16;
    case 7:
      return DType::kFloat32;
    case 8:
      return DType::kFloat64;
    case 9:
      return DType::kComplex32;
    case 10:
      return DType::kComplex64;
    case 11:
      return DType::kComplex128;
    case 12:
      return DType::kBool;
    case 13:
      return DType::kBFloat16;
    case 28:
      return DType::kUInt16;
    case 29:
      return DType::kFloat8E4M3FN;
    case 30:
      return DType::kFloat8E5M2;
    case 31:
      return DType::kFloat8E4M3FNUZ;
    case 32:
      return DType::kFloat8E5M2FNUZ;
    case 33:
      return DType::kFloat8E8M0FNU;
    case 34:
      return DType::kUInt32;
    case 35:
      return DType::kUInt64;
    default:
      throw_unknown(value, "scalar type");
  }
}

Layout read_layout(JsonValue value) {
  switch (value.integer()) {
    case 1:
      return Layout::kSparseCoo;
    case 2:
      return Layout::kSparseCsr;
    case 3:
      return Layout::kSparseCsc;
    case 4:
      return Layout::kSparseBsr;
    case 5:
      return Layout::kSparseBsc;
    case 6:
      return Layout::kMkldnn;
    case 7:
      return Layout::kStrided;
    default:
      throw_unknown(value, "layout");
  }
}

MemoryFormat read_memory_format(JsonValue value) {
  switch (value.integer()) {
    case 1:
      return MemoryFormat::kContiguous;
    case 2:
      return MemoryFormat::kChannelsLast;
    case 3:
      return MemoryFormat::kChannelsLast3d;
    case 4:
      return MemoryFormat::kPreserve;
    default:
      throw_unknown(value, "memory format");
  }
}

Device read_device(JsonValue value) {
  JsonFields fields(value);
  const JsonValue type = fields.required("type");
  std::optional<Device> device = parse_device(type.string());
  if (!device) throw_at(type.position(), format("device type '{}' is not known", type.string()));
  const JsonValue index = fields.optional("index");
  if (index.is_null()) return *device;
  if (index.integer() < 0 || index.integer() > std::numeric_limits<int8_t>::max()) {
    throw_at(index.position(), format("a device index of {}", index.integer()));
  }
  device->index = static_cast<int8_t>(index.integer());
  return *device;
}

double read_float(JsonValue value) {
  if (!value.is(JsonKind::kString)) return value.number();
  const std::string_view text = value.string();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  throw_at(value.position(), format("expected a number, found \"{}\"", text));
}

namespace {

using DimList = SmallVector<SymbolReader::Dim, 8>;

DimList read_dims(JsonValue list, std::string_view what, SymbolReader& symbols) {
  if (list.items().size() > kLargestRank) {
    throw_at(list.position(), format("{} {}, the limit is {}", list.size(), what, kLargestRank));
  }
  DimList dims;
  for (const JsonValue item : list.items()) dims.push_back(symbols.read_dim(item));
  return dims;
}

bool is_symbolic(const DimList& dims) {
  return std::any_of(dims.begin(), dims.end(), [](SymbolReader::Dim dim) { return dim < 0; });
}

}  // namespace

Recorded read_tensor_meta(JsonValue value, MetaTable& metas, SymbolReader& symbols) {
  JsonFields fields(value);
  MetaSpec spec;
  spec.dtype = read_scalar_type(fields.required("dtype"));
  const DimList sizes = read_dims(fields.required("sizes"), "sizes", symbols);
  if (fields.required("requires_grad").boolean()) spec.flags |= kRequiresGrad;
  spec.device = read_device(fields.required("device")).normalized();
  const JsonValue stride_list = fields.required("strides");
  const DimList strides = read_dims(stride_list, "strides", symbols);
  if (strides.size() != sizes.size()) {
    throw_at(stride_list.position(),
             format("{} strides for {} sizes", strides.size(), sizes.size()));
  }
  const SymbolReader::Dim offset = symbols.read_dim(fields.required("storage_offset"));
  spec.layout = read_layout(fields.required("layout"));
  if (is_symbolic(sizes) || is_symbolic(strides) || offset < 0) {
    return symbols.defer_meta(spec, sizes, strides, offset);
  }
  DimVector dims;
  for (const SymbolReader::Dim dim : sizes) dims.push_back(dim);
  for (const SymbolReader::Dim dim : strides) dims.push_back(dim);
  spec.sizes = dims.span().first(sizes.size());
  spec.strides = dims.span().subspan(sizes.size());
  spec.offset = offset;
  Recorded recorded;
  recorded.meta = metas.intern(spec);
  return recorded;
}

}  // namespace faketensor
