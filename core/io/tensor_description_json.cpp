#include "core/io/tensor_description_json.h"

#include <nlohmann/json.hpp>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

using nlohmann::json;

namespace {

[[noreturn]] void refuse(std::string_view what, const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 80) + "...";
  throw_error(ErrorKind::kUnreadable, format("{}: {}", what, text));
}

int64_t number_of(const json& value) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}))
    refuse("a description of numbers only is read, not", value);
  return value.get<int64_t>();
}

std::vector<SymInt> numbers_of(const json& value) {
  std::vector<SymInt> numbers;
  for (const json& element : value) numbers.emplace_back(number_of(element));
  return numbers;
}

// "torch.float32", or as in FORMAT.md "float32".
template <typename T>
T named(const json& value, std::optional<T> (*parse)(std::string_view)) {
  if (!value.is_string()) refuse("not a name", value);
  std::string_view text = value.get_ref<const std::string&>();
  if (text.starts_with("torch.")) text.remove_prefix(6);
  const std::optional<T> found = parse(text);
  if (!found) refuse("no such name", value);
  return *found;
}

// "device(type='cuda', index=0)", or "cuda:0".
Device device_of(const json& value) {
  if (!value.is_string()) refuse("not a device", value);
  std::string text = value.get<std::string>();
  if (text.starts_with("device(type='")) {
    const size_t quote = text.find('\'', 13);
    const size_t index = text.find("index=");
    std::string name = text.substr(13, quote == std::string::npos ? 0 : quote - 13);
    if (index != std::string::npos) name += ":" + text.substr(index + 6, text.size() - index - 7);
    text = std::move(name);
  }
  const std::optional<Device> device = parse_device(text);
  if (!device) refuse("no such device", value);
  return *device;
}

class DescriptionReader {
 public:
  std::vector<DescribedTensor> read(const json& records) {
    if (!records.is_array()) refuse("not a list of records", records);
    for (const json& record : records) add(record);
    return std::move(tensors_);
  }

 private:
  // Numbers are those of one describer. Real tensors of a session have small ones of their own.
  static uint64_t key(const json& record, int64_t id) {
    const int64_t describer = record.value("describer_id", int64_t{0});
    if (id < 0 || id > INT32_MAX || describer < 0 || describer >= INT32_MAX)
      refuse("a number out of range", record);
    return static_cast<uint64_t>(describer + 1) << 32 | static_cast<uint64_t>(id);
  }

  void add(const json& record) {
    if (!record.is_object()) refuse("not a record", record);
    if (record.contains("describe_storage")) return add_storage(record["describe_storage"]);
    if (record.contains("describe_tensor")) return add_tensor(record["describe_tensor"]);
    return record.contains("dtype") ? add_tensor(record) : add_storage(record);
  }

  void add_storage(const json& record) {
    storages_[key(record, number_of(record.at("id")))] = number_of(record.at("size"));
  }

  void add_tensor(const json& record) {
    for (const char* kind : {"is_mkldnn", "is_functorch_wrapped", "is_nested", "is_functional",
                             "is_traceable_wrapper_subclass", "is_batchedtensor"}) {
      if (record.value(kind, false)) refuse(format("a tensor that {} has no fake", kind), record);
    }
    const uint64_t id = key(record, number_of(record.at("id")));
    if (known_.count(id) != 0) return;
    auto tensor = std::make_shared<TensorDescription>();
    tensor->id = id;
    tensor->sizes = numbers_of(record.at("size"));
    tensor->dtype = named(record.at("dtype"), &parse_dtype);
    tensor->device = device_of(record.at("device"));
    if (record.contains("layout")) tensor->layout = named(record["layout"], &parse_layout);
    if (tensor->layout == Layout::kStrided) {
      read_place(record, *tensor);
    } else {
      tensor->sparse.emplace();
      tensor->sparse->sparse_dim = static_cast<int32_t>(record.value("sparse_dim", 0));
      tensor->sparse->dense_dim = static_cast<int32_t>(record.value("dense_dim", 0));
    }
    read_flags(record, *tensor);
    if (record.contains("base")) tensor->base = described(record, "base");
    if (record.contains("grad")) tensor->grad = described(record, "grad");
    known_[id] = tensor;
    tensors_.push_back({tensor, record.value("is_leaf", false), record.value("is_parameter", false),
                        record.value("is_inference", false)});
  }

  void read_place(const json& record, TensorDescription& tensor) const {
    tensor.strides = numbers_of(record.at("stride"));
    if (tensor.strides.size() != tensor.sizes.size()) refuse("not one stride per size", record);
    tensor.offset = number_of(record.value("storage_offset", json(0)));
    const uint64_t storage = key(record, number_of(record.at("storage")));
    const auto found = storages_.find(storage);
    if (found == storages_.end()) refuse("no record before describes the storage of", record);
    tensor.storage = {storage, found->second};
  }

  static void read_flags(const json& record, TensorDescription& tensor) {
    unsigned flags = 0;
    if (record.value("is_conj", false)) flags |= kConj;
    if (record.value("is_neg", false)) flags |= kNeg;
    if (record.value("requires_grad", false)) flags |= kRequiresGrad;
    const json coalesced = record.value("is_coalesced", json());
    if (coalesced.is_boolean() && coalesced.get<bool>()) flags |= kCoalesced;
    tensor.flags = static_cast<uint16_t>(flags);
  }

  std::shared_ptr<const TensorDescription> described(const json& record, const char* field) const {
    const auto found = known_.find(key(record, number_of(record[field])));
    if (found == known_.end())
      refuse(format("no record before describes the {} of", field), record);
    return found->second;
  }

  std::map<uint64_t, int64_t> storages_;  // bytes
  std::map<uint64_t, std::shared_ptr<const TensorDescription>> known_;
  std::vector<DescribedTensor> tensors_;
};

}  // namespace

std::vector<DescribedTensor> read_tensor_descriptions(const json& records) {
  try {
    return DescriptionReader().read(records);
  } catch (const json::exception& error) {
    throw_error(ErrorKind::kUnreadable, format("not a description of a tensor: {}", error.what()));
  }
}

}  // namespace faketensor
