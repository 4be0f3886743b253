#include "core/io/value_json.h"

#include <cmath>

#include "core/formats/json_fields.h"
#include "core/support/format.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

void write_json(JsonWriter& json, SymInt value) {
  if (value.is_symbolic()) {
    ShapeEnv* env = value.node()->pool->shape_env();
    const ExprNode* node = env == nullptr ? value.node() : env->replace(value.node());
    if (node->kind != ExprKind::kInteger) return json.value(to_string(node));
    value = SymInt(node->number.integer);
  }
  json.value(value.as_int());
}

void write_json(JsonWriter& json, Device device) { json.value(format("{}", device)); }

namespace {

// {"dtype":"float32"}
template <typename T>
void write_named(JsonWriter& json, std::string_view key, const T& value) {
  const auto named = json.object();
  json.field(key, value);
}

// {"sym":"s0 > 2","kind":"bool"}; an int's kind is left out.
void write_symbolic(JsonWriter& json, std::string_view expression, std::string_view kind) {
  const auto symbolic = json.object();
  json.field("sym", expression);
  json.field_if_any("kind", kind);
}

void write_sparse_members(JsonWriter& json, const TensorMeta& meta, bool with_elements) {
  const SparseMeta& sparse = *meta.sparse();
  json.field("sparse_dim", sparse.sparse_dim);
  json.field("dense_dim", sparse.dense_dim);
  if (with_elements) {
    json.field("nnz", sparse.nnz);
    json.flag_if("coalesced", meta.has(kCoalesced));
  }
  if (sparse.index_dtype != DType::kInt64) json.field("index_dtype", name(sparse.index_dtype));
  if (meta.layout() == Layout::kSparseBsr || meta.layout() == Layout::kSparseBsc)
    json.field("blocksize", Dims(sparse.block_size));
}

}  // namespace

void ValueWriter::write(JsonWriter& json, const TensorRecord& record) {
  const TensorMeta& meta = *record.meta;
  const auto tensor = json.object();
  json.field("t", tensors_(record.tensor));
  json.field("size", meta.sizes());
  const bool strided = meta.layout() == Layout::kStrided;
  if (strided) {
    json.field("stride", meta.strides());
    json.field("offset", meta.offset());
  }
  json.field("dtype", name(meta.dtype()));
  json.field("device", meta.device());
  if (strided && record.storage != nullptr) {
    json.field("storage", storages_(record.storage));
    json.field("nbytes", record.nbytes);
  }
  if (!strided) json.field("layout", name(meta.layout()));
  if (meta.sparse() != nullptr) write_sparse_members(json, meta, sparse_elements);
  json.flag_if("requires_grad", meta.has(kRequiresGrad));
  json.flag_if("conj", meta.has(kConj));
  json.flag_if("neg", meta.has(kNeg));
}

void ValueWriter::write_value(JsonWriter& json, const Value& value,
                              std::span<const TensorRecord>* recorded) {
  switch (value.tag()) {
    case Value::Tag::kNone:
    case Value::Tag::kDefault:
    case Value::Tag::kGraph:
    case Value::Tag::kNodeRef:
      return json.value(nullptr);
    case Value::Tag::kBool:
      if (value.as_sym_bool().is_symbolic())
        return write_symbolic(json, to_string(value.as_sym_bool()), "bool");
      return json.value(value.as_sym_bool().as_bool());
    case Value::Tag::kInt:
      if (value.as_sym_int().is_symbolic())
        return write_symbolic(json, to_string(value.as_sym_int()), "");
      return json.value(value.as_sym_int());
    case Value::Tag::kFloat:
      return json.value(value.as_double());
    case Value::Tag::kComplex: {
      const auto complex = json.object();
      return json.field("c", std::span(value.as_complex(), 2));
    }
    case Value::Tag::kSymFloat:
      return write_symbolic(json, to_string(value.as_node()), "float");
    case Value::Tag::kTensor:
      if (recorded == nullptr || recorded->empty())
        return write(json, TensorRecord::of(value.tensor()));
      write(json, recorded->front());
      *recorded = recorded->subspan(1);
      return;
    case Value::Tag::kList: {
      const auto list = json.array();
      for (const Value& element : value.values()) write_value(json, element, recorded);
      return;
    }
    case Value::Tag::kIntList: {
      const auto list = json.array();
      for (size_t i = 0; i < value.size(); ++i) write_value(json, value[i], nullptr);
      return;
    }
    case Value::Tag::kString:
      return json.value(value.text());
    case Value::Tag::kDType:
      return write_named(json, "dtype", name(value.dtype()));
    case Value::Tag::kDevice:
      return write_named(json, "device", value.device());
    case Value::Tag::kLayout:
      return write_named(json, "layout", name(value.layout()));
    case Value::Tag::kMemoryFormat:
      return write_named(json, "memory_format", name(value.memory_format()));
    case Value::Tag::kGenerator:
      return write_named(json, "generator", value.device());
  }
}

void ValueWriter::write(JsonWriter& json, const Run& run, Row node) {
  const BranchScope env = run.shape_env();
  const NodeRecord& record = run.record(node);
  std::span<const TensorRecord> tensors = record.tensors;
  write_value(json, record.value, &tensors);
}

// --- reading ---

namespace {

constexpr int kMaxDepth = 16;  // of lists; no schema nests deeper than lists of lists

// One level deeper while it lives.
class Nested {
 public:
  explicit Nested(int& depth) : depth_(depth) { ++depth_; }
  ~Nested() { --depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  int& depth_;
};

[[noreturn]] void not_a_value(const Json& value) {
  throw_error(ErrorKind::kUnreadable, format("not a value: {}", excerpt(value)));
}

template <typename T>
T parsed(const Json& whole, std::optional<T> value) {
  if (!value) not_a_value(whole);
  return *value;
}

// The errors of these functions are about the whole: that it is no value, whatever is wrong in it.
std::string_view text_in(const Json& whole, const Json& value) {
  if (!value.is_string()) not_a_value(whole);
  return value.get_ref<const std::string&>();
}

int64_t int_in(const Json& whole, const Json& value) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}))
    not_a_value(whole);
  return value.get<int64_t>();
}

// Sizes, strides, offsets and numbers of bytes are no less than 0.
int64_t size_in(const Json& whole, const Json& value) {
  const int64_t size = int_in(whole, value);
  if (size < 0) not_a_value(whole);
  return size;
}

bool flag_in(const Json& whole, const char* name) {
  const Json* flag = find_member(whole, name);
  if (flag != nullptr && !flag->is_boolean()) not_a_value(whole);
  return flag != nullptr && flag->get<bool>();
}

std::vector<SymInt> sizes_in(const Json& whole, const Json& value) {
  if (!value.is_array()) not_a_value(whole);
  std::vector<SymInt> sizes;
  for (const Json& element : value) sizes.emplace_back(size_in(whole, element));
  return sizes;
}

double double_in(const Json& whole, const Json& value) { return parsed(whole, float_of(value)); }

// How many of a tensor's dimensions are of a kind.
int32_t rank_in(const Json& value, const char* name) {
  const Json* given = find_member(value, name);
  if (given == nullptr) return 0;
  const int64_t rank = size_in(value, *given);
  if (rank > static_cast<int64_t>(value["size"].size())) not_a_value(value);
  return static_cast<int32_t>(rank);
}

SparseMeta sparse_of(const Json& value) {
  SparseMeta sparse;
  sparse.sparse_dim = rank_in(value, "sparse_dim");
  sparse.dense_dim = rank_in(value, "dense_dim");
  if (sparse.sparse_dim + sparse.dense_dim > static_cast<int32_t>(value["size"].size()))
    not_a_value(value);
  if (const Json* nnz = find_member(value, "nnz")) sparse.nnz = size_in(value, *nnz);
  if (const Json* dtype = find_member(value, "index_dtype")) {
    const Json* name = dtype->is_object() ? find_member(*dtype, "dtype") : dtype;
    if (name == nullptr) not_a_value(value);
    sparse.index_dtype = parsed(value, parse_dtype(text_in(value, *name)));
  }
  if (const Json* blocks = find_member(value, "blocksize")) {
    const std::vector<SymInt> block = sizes_in(value, *blocks);
    if (block.size() != 2) not_a_value(value);
    sparse.block_size[0] = block[0];
    sparse.block_size[1] = block[1];
  }
  return sparse;
}

}  // namespace

Value ValueReader::read(const Json& value, ValueWriter* writer) {
  switch (value.type()) {
    case Json::value_t::null:
      return Value();
    case Json::value_t::boolean:
      return value.get<bool>();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return int_in(value, value);
    case Json::value_t::number_float:
      return value.get<double>();
    case Json::value_t::string:
      return Value::string(mode_.context().arena().copy(text_in(value, value)));
    case Json::value_t::array:
      return read_list(value, writer);
    case Json::value_t::object:
      return read_object(value, writer);
    default:
      not_a_value(value);
  }
}

Value ValueReader::read_list(const Json& value, ValueWriter* writer) {
  if (depth_ >= kMaxDepth)
    throw_error(ErrorKind::kLimitExceeded, format("a value nested more than {} deep", kMaxDepth));
  // Left when an element raises too: the reader goes on with the next value.
  const Nested nested(depth_);
  SmallVector<Value, 8> values;
  bool all_ints = !value.empty();
  for (const Json& element : value) {
    values.push_back(read(element, writer));
    all_ints = all_ints && values.back().is(Value::Tag::kInt);
  }
  if (!all_ints) return mode_.context().make_list(values.span());
  DimVector ints;
  for (const Value& element : values) ints.push_back(element.as_sym_int());
  return mode_.context().make_ints(ints);
}

Value ValueReader::read_object(const Json& value, ValueWriter* writer) {
  if (resolve != nullptr) {
    if (const std::optional<Value> known = resolve(value)) return *known;
  }
  if (value.contains("t")) return read_tensor(value, writer);
  if (value.empty()) not_a_value(value);
  const std::string& key = value.begin().key();
  const Json& content = value.begin().value();
  if (key == "dtype") return parsed(value, parse_dtype(text_in(value, content)));
  if (key == "device") return parsed(value, parse_device(text_in(value, content)));
  if (key == "layout") return parsed(value, parse_layout(text_in(value, content)));
  if (key == "memory_format") return parsed(value, parse_memory_format(text_in(value, content)));
  if (key == "generator")
    return Value::generator(parsed(value, parse_device(text_in(value, content))));
  if (key == "sym" || key == "kind") return read_symbolic(value);
  if (key == "f") return double_in(value, value);
  if (key == "c" && content.is_array() && content.size() == 2) {
    const double parts[] = {double_in(value, content[0]), double_in(value, content[1])};
    return Value::complex(mode_.context().arena().copy(std::span<const double>(parts)).data());
  }
  not_a_value(value);
}

SymInt ValueReader::read_dim(const Json& whole, const Json& value) {
  ShapeEnv* env = mode_.context().shape_env();
  if (!value.is_string() || env == nullptr) return size_in(whole, value);
  const ExprNode* node = parse_expr(env->pool(), text_in(whole, value));
  if (node->type != ExprType::kInt) not_a_value(whole);
  const SymInt size = env->pool().sym_int(node);
  if (!size.is_symbolic() && size.as_int() < 0) not_a_value(whole);
  return size;
}

DimVector ValueReader::read_dims(const Json& whole, const Json& value) {
  if (!value.is_array()) not_a_value(whole);
  DimVector dims;
  for (const Json& element : value) dims.push_back(read_dim(whole, element));
  return dims;
}

Value ValueReader::read_symbolic(const Json& value) {
  ShapeEnv* env = mode_.context().shape_env();
  if (env == nullptr || !value.contains("sym")) not_a_value(value);
  ExprPool& pool = env->pool();
  const ExprNode* node = parse_expr(pool, text_in(value, value["sym"]));
  switch (node->type) {
    case ExprType::kInt:
      return pool.sym_int(node);
    case ExprType::kBool:
      return pool.sym_bool(node);
    default:
      return Value::sym_float(node);
  }
}

Value ValueReader::read_tensor(const Json& value, ValueWriter* writer) {
  const int64_t number = int_in(value, value["t"]);
  const auto found = tensors_.find(number);
  if (found != tensors_.end()) return Value(found->second);

  if (!value.contains("size") || !value.contains("dtype")) not_a_value(value);
  const DimVector sizes = read_dims(value, value["size"]);
  const DimVector strides =
      value.contains("stride") ? read_dims(value, value["stride"]) : DimVector();
  MetaSpec spec{.sizes = sizes, .strides = strides};
  spec.dtype = parsed(value, parse_dtype(text_in(value, value["dtype"])));
  if (value.contains("device"))
    spec.device = parsed(value, parse_device(text_in(value, value["device"]))).normalized();
  if (value.contains("offset")) spec.offset = read_dim(value, value["offset"]);
  if (value.contains("layout"))
    spec.layout = parsed(value, parse_layout(text_in(value, value["layout"])));
  unsigned flags = 0;
  if (flag_in(value, "conj")) flags |= kConj;
  if (flag_in(value, "neg")) flags |= kNeg;
  if (flag_in(value, "requires_grad")) flags |= kRequiresGrad;
  if (flag_in(value, "coalesced")) flags |= kCoalesced;
  spec.flags = static_cast<uint16_t>(flags);
  SparseMeta sparse;
  if (spec.layout != Layout::kStrided) {
    sparse = sparse_of(value);
    spec.sparse = &sparse;
  } else if (spec.strides.size() != spec.sizes.size() && !spec.strides.empty()) {
    not_a_value(value);
  }

  Storage* storage = nullptr;
  if (spec.layout == Layout::kStrided && value.contains("storage")) {
    const int64_t storage_number = int_in(value, value["storage"]);
    Storage*& known = storages_[storage_number];
    if (known == nullptr) {
      const SymInt bytes = value.contains("nbytes") ? read_dim(value, value["nbytes"]) : SymInt(0);
      known = mode_.context().make_storage(spec.device, bytes);
      known->version = 1;  // set_ placed the tensor on it, which counts as a write
      if (writer != nullptr) writer->name_storage(known, storage_number);
    }
    storage = known;
  }
  Tensor* tensor = mode_.context().make_tensor(mode_.context().metas().intern(spec), storage);
  // The converter placed it on its storage by set_, which asks whether it is contiguous; what that
  // decides is no guard (MetaConverter, torch/_subclasses/meta_utils.py).
  if (ShapeEnv* env = mode_.context().shape_env()) {
    const SuppressGuards suppressed(env);
    tensor->is_contiguous();
  }
  tensors_.emplace(number, tensor);
  if (on_constant && value.contains("const")) on_constant(*tensor, value["const"]);
  if (writer != nullptr) writer->name_tensor(tensor, number);
  made_.push_back(TensorRecord::of(*tensor));
  return Value(tensor);
}

InputOverride read_override(const Json& value) {
  if (!value.is_object()) not_a_value(value);
  InputOverride result;
  if (const Json* sizes = find_member(value, "size")) result.sizes = sizes_in(value, *sizes);
  if (const Json* strides = find_member(value, "stride"))
    result.strides = sizes_in(value, *strides);
  if (const Json* dtype = find_member(value, "dtype"))
    result.dtype = parsed(value, parse_dtype(text_in(value, *dtype)));
  if (const Json* device = find_member(value, "device"))
    result.device = parsed(value, parse_device(text_in(value, *device))).normalized();
  return result;
}

std::map<std::string, InputOverride> read_overrides(const Json& inputs) {
  std::map<std::string, InputOverride> overrides;
  for (const auto& [name, value] : object_of(inputs, "inputs").items())
    overrides[name] = read_override(value);
  return overrides;
}

}  // namespace faketensor
