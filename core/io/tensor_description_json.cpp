#include "core/io/tensor_description_json.h"

#include <algorithm>

#include "core/formats/json_fields.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

[[noreturn]] void refuse(std::string_view what, const Json& value) {
  throw_error(ErrorKind::kUnreadable, format("{}: {}", what, excerpt(value)));
}

int64_t number_of(const Json& value) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}))
    refuse("a description of numbers only is read, not", value);
  return value.get<int64_t>();
}

int64_t size_of(const Json& value) {
  const int64_t size = number_of(value);
  if (size < 0) refuse("not a size", value);
  return size;
}

std::vector<SymInt> numbers_of(const Json& value) {
  std::vector<SymInt> numbers;
  for (const Json& element : list_of(value, "a description's sizes"))
    numbers.emplace_back(size_of(element));
  return numbers;
}

// "torch.float32", or as in FORMAT.md "float32".
template <typename T>
T named(const Json& value, std::optional<T> (*parse)(std::string_view)) {
  if (!value.is_string()) refuse("not a name", value);
  std::string_view text = value.get_ref<const std::string&>();
  if (text.starts_with("torch.")) text.remove_prefix(6);
  const std::optional<T> found = parse(text);
  if (!found) refuse("no such name", value);
  return *found;
}

// "device(type='cuda', index=0)", or "cuda:0".
Device device_of(const Json& value) {
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
  std::vector<DescribedTensor> read(const Json& records) {
    if (!records.is_array()) refuse("not a list of records", records);
    for (const Json& record : records) add(record);
    return std::move(tensors_);
  }

 private:
  // Numbers are those of one describer. Real tensors of a session have small ones of their own.
  static uint64_t key(const Json& record, int64_t id) {
    const int64_t describer = integer_member(record, "describer_id", 0);
    if (id < 0 || id > INT32_MAX || describer < 0 || describer >= INT32_MAX)
      refuse("a number out of range", record);
    return static_cast<uint64_t>(describer + 1) << 32 | static_cast<uint64_t>(id);
  }

  void add(const Json& record) {
    if (!record.is_object()) refuse("not a record", record);
    if (const Json* storage = find_member(record, "describe_storage")) return add_storage(*storage);
    if (const Json* tensor = find_member(record, "describe_tensor")) return add_tensor(*tensor);
    return record.contains("dtype") ? add_tensor(record) : add_storage(record);
  }

  void add_storage(const Json& record) {
    storages_[key(record, number_of(member(record, "id")))] = size_of(member(record, "size"));
  }

  // How many of a tensor's dimensions are of a kind; None for those that have none.
  static int32_t rank_of(const Json& record, const char* name, size_t rank) {
    const Json* given = find_member(record, name);
    if (given == nullptr || given->is_null()) return 0;
    const int64_t count = size_of(*given);
    if (count > static_cast<int64_t>(rank)) refuse("more dimensions than sizes", record);
    return static_cast<int32_t>(count);
  }

  void add_tensor(const Json& record) {
    for (const char* kind : {"is_mkldnn", "is_functorch_wrapped", "is_nested", "is_functional",
                             "is_traceable_wrapper_subclass", "is_batchedtensor"}) {
      if (bool_member(record, kind, false))
        refuse(format("a tensor that {} has no fake", kind), record);
    }
    const uint64_t id = key(record, number_of(member(record, "id")));
    if (known_.count(id) != 0) return;
    auto tensor = std::make_shared<TensorDescription>();
    tensor->id = id;
    tensor->sizes = numbers_of(member(record, "size"));
    tensor->dtype = named(member(record, "dtype"), &parse_dtype);
    tensor->device = device_of(member(record, "device"));
    if (record.contains("layout")) tensor->layout = named(record["layout"], &parse_layout);
    if (tensor->layout == Layout::kStrided) {
      read_place(record, *tensor);
    } else {
      tensor->sparse.emplace();
      tensor->sparse->sparse_dim = rank_of(record, "sparse_dim", tensor->sizes.size());
      tensor->sparse->dense_dim = rank_of(record, "dense_dim", tensor->sizes.size());
      const auto rank = static_cast<int32_t>(tensor->sizes.size());
      if (tensor->sparse->sparse_dim + tensor->sparse->dense_dim > rank)
        refuse("more dimensions than sizes", record);
    }
    read_flags(record, *tensor);
    int depth = 0;
    if (record.contains("base")) tensor->base = described(record, "base", depth);
    if (record.contains("grad")) tensor->grad = described(record, "grad", depth);
    known_[id] = {tensor, depth};
    tensors_.push_back({tensor, bool_member(record, "is_leaf", false),
                        bool_member(record, "is_parameter", false),
                        bool_member(record, "is_inference", false)});
  }

  void read_place(const Json& record, TensorDescription& tensor) const {
    tensor.strides = numbers_of(member(record, "stride"));
    if (tensor.strides.size() != tensor.sizes.size()) refuse("not one stride per size", record);
    const Json* offset = find_member(record, "storage_offset");
    if (offset != nullptr) tensor.offset = size_of(*offset);
    const uint64_t storage = key(record, number_of(member(record, "storage")));
    const auto found = storages_.find(storage);
    if (found == storages_.end()) refuse("no record before describes the storage of", record);
    tensor.storage = {storage, found->second};
  }

  static void read_flags(const Json& record, TensorDescription& tensor) {
    unsigned flags = 0;
    if (bool_member(record, "is_conj", false)) flags |= kConj;
    if (bool_member(record, "is_neg", false)) flags |= kNeg;
    if (bool_member(record, "requires_grad", false)) flags |= kRequiresGrad;
    const Json* coalesced = find_member(record, "is_coalesced");  // None for a strided tensor
    if (coalesced != nullptr && !coalesced->is_null() && bool_of(*coalesced, "is_coalesced"))
      flags |= kCoalesced;
    tensor.flags = static_cast<uint16_t>(flags);
  }

  // Descriptions hold one another, and are walked and freed by recursion.
  std::shared_ptr<const TensorDescription> described(const Json& record, const char* field,
                                                     int& depth) const {
    constexpr int kMaxBases = 64;
    const auto found = known_.find(key(record, number_of(record[field])));
    if (found == known_.end())
      refuse(format("no record before describes the {} of", field), record);
    depth = std::max(depth, found->second.depth + 1);
    if (depth > kMaxBases)
      throw_error(ErrorKind::kLimitExceeded,
                  format("bases and gradients more than {} deep", kMaxBases));
    return found->second.tensor;
  }

  struct Known {
    std::shared_ptr<const TensorDescription> tensor;
    int depth = 0;  // of the bases and gradients below it
  };

  std::map<uint64_t, int64_t> storages_;  // bytes
  std::map<uint64_t, Known> known_;
  std::vector<DescribedTensor> tensors_;
};

}  // namespace

std::vector<DescribedTensor> read_tensor_descriptions(const Json& records) {
  return DescriptionReader().read(records);
}

}  // namespace faketensor
