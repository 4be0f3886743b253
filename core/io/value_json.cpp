#include "core/io/value_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/formats/json_fields.h"
#include "core/support/format.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

using nlohmann::json;

void append_json_string(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += kHex[(c >> 4) & 0xF];
          out += kHex[c & 0xF];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void append_json(std::string& out, SymInt value) {
  if (value.is_symbolic()) {
    ShapeEnv* env = value.node()->pool->shape_env();
    const ExprNode* node = env == nullptr ? value.node() : env->replace(value.node());
    if (node->kind != ExprKind::kInteger) return append_json_string(out, to_string(node));
    value = SymInt(node->number.integer);
  }
  append_text(out, value.as_int());
}

void append_json(std::string& out, Dims values) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    append_json(out, values[i]);
  }
  out += ']';
}

void append_json_float(std::string& out, double value) {
  if (std::isfinite(value)) {
    append_text(out, value);
  } else {
    out.append("{\"f\":\"")
        .append(std::isnan(value) ? "nan"
                : value < 0       ? "-inf"
                                  : "inf")
        .append("\"}");
  }
}

namespace {

// {"key":"text"}
void append_named(std::string& out, std::string_view key, std::string_view text) {
  out.append("{\"").append(key).append("\":");
  append_json_string(out, text);
  out += '}';
}

std::string device_text(Device device) { return format("{}", device); }

void append_sparse(std::string& out, const TensorMeta& meta, bool with_elements) {
  const SparseMeta& sparse = *meta.sparse();
  out += format(",\"sparse_dim\":{},\"dense_dim\":{}", sparse.sparse_dim, sparse.dense_dim);
  if (with_elements) {
    out += ",\"nnz\":";
    append_json(out, sparse.nnz);
    if (meta.has(kCoalesced)) out += ",\"coalesced\":true";
  }
  if (sparse.index_dtype != DType::kInt64)
    out.append(",\"index_dtype\":\"").append(name(sparse.index_dtype)).append("\"");
  if (meta.layout() == Layout::kSparseBsr || meta.layout() == Layout::kSparseBsc) {
    out += ",\"blocksize\":";
    append_json(out, Dims(sparse.block_size));
  }
}

}  // namespace

void ValueWriter::append_tensor(std::string& out, const TensorRecord& record) {
  const TensorMeta& meta = *record.meta;
  out += "{\"t\":";
  append_text(out, tensors_(record.tensor));
  out += ",\"size\":";
  append_json(out, meta.sizes());
  const bool strided = meta.layout() == Layout::kStrided;
  if (strided) {
    out += ",\"stride\":";
    append_json(out, meta.strides());
    out += ",\"offset\":";
    append_json(out, meta.offset());
  }
  out.append(",\"dtype\":\"").append(name(meta.dtype())).append("\",\"device\":\"");
  append_text(out, meta.device());
  out += '"';
  if (strided && record.storage != nullptr) {
    out += ",\"storage\":";
    append_text(out, storages_(record.storage));
    out += ",\"nbytes\":";
    append_json(out, record.nbytes);
  }
  if (!strided) out.append(",\"layout\":\"").append(name(meta.layout())).append("\"");
  if (meta.sparse() != nullptr) append_sparse(out, meta, sparse_elements);
  if (meta.has(kRequiresGrad)) out += ",\"requires_grad\":true";
  if (meta.has(kConj)) out += ",\"conj\":true";
  if (meta.has(kNeg)) out += ",\"neg\":true";
  out += '}';
}

void ValueWriter::append_value(std::string& out, const Value& value,
                               std::span<const TensorRecord>* recorded) {
  switch (value.tag()) {
    case Value::Tag::kNone:
    case Value::Tag::kDefault:
    case Value::Tag::kGraph:
    case Value::Tag::kNodeRef:
      out += "null";
      break;
    case Value::Tag::kBool:
      if (value.as_sym_bool().is_symbolic()) {
        out += "{\"sym\":";
        append_json_string(out, to_string(value.as_sym_bool()));
        out += ",\"kind\":\"bool\"}";
      } else {
        out += value.as_sym_bool().as_bool() ? "true" : "false";
      }
      break;
    case Value::Tag::kInt:
      if (value.as_sym_int().is_symbolic()) {
        append_named(out, "sym", to_string(value.as_sym_int()));
      } else {
        append_json(out, value.as_sym_int());
      }
      break;
    case Value::Tag::kFloat:
      append_json_float(out, value.as_double());
      break;
    case Value::Tag::kComplex:
      out += "{\"c\":[";
      append_json_float(out, value.as_complex()[0]);
      out += ',';
      append_json_float(out, value.as_complex()[1]);
      out += "]}";
      break;
    case Value::Tag::kSymFloat:
      out += "{\"sym\":";
      append_json_string(out, to_string(value.as_node()));
      out += ",\"kind\":\"float\"}";
      break;
    case Value::Tag::kTensor: {
      const Tensor& tensor = value.tensor();
      if (recorded != nullptr && !recorded->empty()) {
        append_tensor(out, recorded->front());
        *recorded = recorded->subspan(1);
      } else {
        append_tensor(out, {&tensor, tensor.meta, tensor.storage,
                            tensor.storage == nullptr ? SymInt(0) : tensor.storage->nbytes});
      }
      break;
    }
    case Value::Tag::kList:
      out += '[';
      for (size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out += ',';
        append_value(out, value.values()[i], recorded);
      }
      out += ']';
      break;
    case Value::Tag::kIntList:
      out += '[';
      for (size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out += ',';
        append_value(out, value[i], nullptr);
      }
      out += ']';
      break;
    case Value::Tag::kString:
      append_json_string(out, value.text());
      break;
    case Value::Tag::kDType:
      append_named(out, "dtype", name(value.dtype()));
      break;
    case Value::Tag::kDevice:
      append_named(out, "device", device_text(value.device()));
      break;
    case Value::Tag::kLayout:
      append_named(out, "layout", name(value.layout()));
      break;
    case Value::Tag::kMemoryFormat:
      append_named(out, "memory_format", name(value.memory_format()));
      break;
    case Value::Tag::kGenerator:
      append_named(out, "generator", device_text(value.device()));
      break;
  }
}

void ValueWriter::append(std::string& out, const Value& value) {
  append_value(out, value, nullptr);
}

void ValueWriter::append(std::string& out, const Run& run, NodeId node) {
  const BranchScope env = run.shape_env();
  const NodeRecord& record = run.record(node);
  std::span<const TensorRecord> tensors = record.tensors;
  append_value(out, record.value, &tensors);
}

// --- reading ---

std::optional<double> special_float(std::string_view text) {
  if (text == "nan") return std::nan("");
  if (text == "inf") return INFINITY;
  if (text == "-inf") return -INFINITY;
  return std::nullopt;
}

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

[[noreturn]] void not_a_value(const json& value) {
  throw_error(ErrorKind::kUnreadable, format("not a value: {}", excerpt(value)));
}

template <typename T>
T parsed(const json& whole, std::optional<T> value) {
  if (!value) not_a_value(whole);
  return *value;
}

// These say of the whole that it is not a value, whatever is wrong in it.
std::string_view text_in(const json& whole, const json& value) {
  if (!value.is_string()) not_a_value(whole);
  return value.get_ref<const std::string&>();
}

int64_t int_in(const json& whole, const json& value) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}))
    not_a_value(whole);
  return value.get<int64_t>();
}

// Sizes, strides, offsets and numbers of bytes are no less than 0.
int64_t size_in(const json& whole, const json& value) {
  const int64_t size = int_in(whole, value);
  if (size < 0) not_a_value(whole);
  return size;
}

bool flag_in(const json& whole, const char* name) {
  const json* flag = find_member(whole, name);
  if (flag != nullptr && !flag->is_boolean()) not_a_value(whole);
  return flag != nullptr && flag->get<bool>();
}

std::vector<SymInt> sizes_in(const json& whole, const json& value) {
  if (!value.is_array()) not_a_value(whole);
  std::vector<SymInt> sizes;
  for (const json& element : value) sizes.emplace_back(size_in(whole, element));
  return sizes;
}

double double_in(const json& whole, const json& value) {
  if (value.is_number()) return value.get<double>();
  const json* special = find_member(value, "f");
  if (special == nullptr) not_a_value(whole);
  const std::optional<double> known = special_float(text_in(whole, *special));
  if (!known) not_a_value(whole);
  return *known;
}

// How many of a tensor's dimensions are of a kind.
int32_t rank_in(const json& value, const char* name) {
  const json* given = find_member(value, name);
  if (given == nullptr) return 0;
  const int64_t rank = size_in(value, *given);
  if (rank > static_cast<int64_t>(value["size"].size())) not_a_value(value);
  return static_cast<int32_t>(rank);
}

SparseMeta sparse_of(const json& value) {
  SparseMeta sparse;
  sparse.sparse_dim = rank_in(value, "sparse_dim");
  sparse.dense_dim = rank_in(value, "dense_dim");
  if (sparse.sparse_dim + sparse.dense_dim > static_cast<int32_t>(value["size"].size()))
    not_a_value(value);
  if (const json* nnz = find_member(value, "nnz")) sparse.nnz = size_in(value, *nnz);
  if (const json* dtype = find_member(value, "index_dtype")) {
    const json* name = dtype->is_object() ? find_member(*dtype, "dtype") : dtype;
    if (name == nullptr) not_a_value(value);
    sparse.index_dtype = parsed(value, parse_dtype(text_in(value, *name)));
  }
  if (const json* blocks = find_member(value, "blocksize")) {
    const std::vector<SymInt> block = sizes_in(value, *blocks);
    if (block.size() != 2) not_a_value(value);
    sparse.block_size[0] = block[0];
    sparse.block_size[1] = block[1];
  }
  return sparse;
}

}  // namespace

Value ValueReader::read(const json& value, ValueWriter* writer) {
  switch (value.type()) {
    case json::value_t::null:
      return Value();
    case json::value_t::boolean:
      return value.get<bool>();
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return int_in(value, value);
    case json::value_t::number_float:
      return value.get<double>();
    case json::value_t::string:
      return Value::string(mode_.context().arena().copy(text_in(value, value)));
    case json::value_t::array:
      return read_list(value, writer);
    case json::value_t::object:
      return read_object(value, writer);
    default:
      not_a_value(value);
  }
}

Value ValueReader::read_list(const json& value, ValueWriter* writer) {
  if (depth_ >= kMaxDepth)
    throw_error(ErrorKind::kLimitExceeded, format("a value nested more than {} deep", kMaxDepth));
  // Left when an element raises too: the reader goes on with the next value.
  const Nested nested(depth_);
  SmallVector<Value, 8> values;
  bool all_ints = !value.empty();
  for (const json& element : value) {
    values.push_back(read(element, writer));
    all_ints = all_ints && values.back().is(Value::Tag::kInt);
  }
  if (!all_ints) return mode_.context().make_list(values.span());
  DimVector ints;
  for (const Value& element : values) ints.push_back(element.as_sym_int());
  return mode_.context().make_ints(ints);
}

Value ValueReader::read_object(const json& value, ValueWriter* writer) {
  if (resolve != nullptr) {
    if (const std::optional<Value> known = resolve(value)) return *known;
  }
  if (value.contains("t")) return read_tensor(value, writer);
  if (value.empty()) not_a_value(value);
  const std::string& key = value.begin().key();
  const json& content = value.begin().value();
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

SymInt ValueReader::read_dim(const json& whole, const json& value) {
  ShapeEnv* env = mode_.context().shape_env();
  if (!value.is_string() || env == nullptr) return size_in(whole, value);
  const ExprNode* node = parse_expr(env->pool(), text_in(whole, value));
  if (node->type != ExprType::kInt) not_a_value(whole);
  const SymInt size = env->pool().sym_int(node);
  if (!size.is_symbolic() && size.as_int() < 0) not_a_value(whole);
  return size;
}

DimVector ValueReader::read_dims(const json& whole, const json& value) {
  if (!value.is_array()) not_a_value(whole);
  DimVector dims;
  for (const json& element : value) dims.push_back(read_dim(whole, element));
  return dims;
}

Value ValueReader::read_symbolic(const json& value) {
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

Value ValueReader::read_tensor(const json& value, ValueWriter* writer) {
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
  made_.push_back({tensor, tensor->meta, tensor->storage,
                   tensor->storage == nullptr ? SymInt(0) : tensor->storage->nbytes});
  return Value(tensor);
}

InputOverride read_override(const json& value) {
  if (!value.is_object()) not_a_value(value);
  InputOverride result;
  if (const json* sizes = find_member(value, "size")) result.sizes = sizes_in(value, *sizes);
  if (const json* strides = find_member(value, "stride"))
    result.strides = sizes_in(value, *strides);
  if (const json* dtype = find_member(value, "dtype"))
    result.dtype = parsed(value, parse_dtype(text_in(value, *dtype)));
  if (const json* device = find_member(value, "device"))
    result.device = parsed(value, parse_device(text_in(value, *device))).normalized();
  return result;
}

std::map<std::string, InputOverride> read_overrides(const json& inputs) {
  std::map<std::string, InputOverride> overrides;
  for (const auto& [name, value] : object_of(inputs, "inputs").items())
    overrides[name] = read_override(value);
  return overrides;
}

}  // namespace faketensor
