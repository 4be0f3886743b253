#include "core/io/serialized_values.h"

#include <algorithm>
#include <limits>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/small_vector.h"
#include "core/tensor/schema_numbers.h"

namespace faketensor {
namespace {

constexpr size_t kLargestRank = 64;  // of at::TensorIterator

template <typename Enum, size_t count>
Enum by_number_or_throw(const SchemaNumber<Enum> (&rows)[count], JsonValue value,
                        std::string_view what) {
  const std::optional<Enum> found = by_number(rows, value.integer());
  if (!found) throw_at(value.position(), format("{} {} is not known", what, value.integer()));
  return *found;
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
  return by_number_or_throw(kScalarTypeNumbers, value, "scalar type");
}

Layout read_layout(JsonValue value) { return by_number_or_throw(kLayoutNumbers, value, "layout"); }

MemoryFormat read_memory_format(JsonValue value) {
  return by_number_or_throw(kMemoryFormatNumbers, value, "memory format");
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
