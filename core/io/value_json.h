// Values as JSON: the text form of tests/conformance/FORMAT.md, both ways.
//
// Writing numbers tensors and storages by first appearance, or by the numbers they were read with;
// keys come in FORMAT.md's order, without spaces, so that equal values are equal bytes. Reading
// makes fakes in a mode: equal "t" are one tensor, equal "storage" one storage. Where the mode has
// a ShapeEnv, text in the place of a size, and {"sym": text}, is an expression in its symbols.
//
//   JsonWriter json(out);
//   ValueWriter().write(json, value);
//   // {"t":0,"size":[2,3],"stride":[3,1],"offset":0,"dtype":"float32","device":"cpu",...}
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <nlohmann/json_fwd.hpp>

#include "core/formats/json_writer.h"
#include "core/graph/fake_tensor_prop.h"

namespace faketensor {

// 3, or "2*s0"
void write_json(JsonWriter& json, SymInt value);
// "cuda:0"
void write_json(JsonWriter& json, Device device);

class ValueWriter {
 public:
  // Gives a tensor and its storage the numbers they were read with.
  void name_tensor(const Tensor* tensor, int64_t number) { tensors_.set(tensor, number); }
  void name_storage(const Storage* storage, int64_t number) { storages_.set(storage, number); }

  // Whether the number of a sparse tensor's elements, and that it is coalesced, is written: the
  // steps of transcripts are recorded without.
  bool sparse_elements = true;

  // A value with its tensors as they are now.
  void write(JsonWriter& json, const Value& value) { write_value(json, value, nullptr); }
  // The value of a node with its tensors as the run recorded them.
  void write(JsonWriter& json, const Run& run, Row node);
  void write(JsonWriter& json, const TensorRecord& record);

 private:
  void write_value(JsonWriter& json, const Value& value, std::span<const TensorRecord>* recorded);

  // Numbers by first appearance, above those that were set.
  template <typename Key>
  class Numbering {
   public:
    void set(const Key* key, int64_t number) {
      numbers_[key] = number;
      if (number >= next_ && number < INT64_MAX) next_ = number + 1;
    }
    int64_t operator()(const Key* key) {
      const auto [found, is_new] = numbers_.emplace(key, next_);
      if (is_new) ++next_;
      return found->second;
    }

   private:
    std::unordered_map<const Key*, int64_t> numbers_;
    int64_t next_ = 0;
  };
  Numbering<Tensor> tensors_;
  Numbering<Storage> storages_;
};

class ValueReader {
 public:
  explicit ValueReader(FakeTensorMode& mode) : mode_(mode) {}

  // Asked first for what an object means. Where it returns nothing, the object means what FORMAT.md
  // says.
  std::function<std::optional<Value>(const nlohmann::json& object)> resolve;

  // Called with a tensor that was made and the data ("const") that it is recorded with.
  std::function<void(Tensor& tensor, const nlohmann::json& data)> on_constant;

  // The tensor that {"t": number} is; null: none was read yet.
  Tensor* tensor(int64_t number) const {
    const auto found = tensors_.find(number);
    return found == tensors_.end() ? nullptr : found->second;
  }
  // Makes {"t": number} mean a tensor that the mode has already.
  void name_tensor(int64_t number, Tensor* tensor) { tensors_[number] = tensor; }

  // Raises Unreadable for JSON that is no value. `writer`, where given, learns the numbers of
  // tensors and storages.
  Value read(const nlohmann::json& json, ValueWriter* writer = nullptr);
  // Tensors read so far, in order, with the meta and storage size that they were made with.
  std::span<const TensorRecord> tensors() const { return made_; }

 private:
  Value read_tensor(const nlohmann::json& json, ValueWriter* writer);
  Value read_list(const nlohmann::json& json, ValueWriter* writer);
  Value read_object(const nlohmann::json& json, ValueWriter* writer);
  SymInt read_dim(const nlohmann::json& whole, const nlohmann::json& json);
  DimVector read_dims(const nlohmann::json& whole, const nlohmann::json& json);
  Value read_symbolic(const nlohmann::json& json);

  FakeTensorMode& mode_;
  std::unordered_map<int64_t, Tensor*> tensors_;
  std::unordered_map<int64_t, Storage*> storages_;
  std::vector<TensorRecord> made_;
  int depth_ = 0;
};

// An override of a placeholder: a T, or the part of one that is to change ({"size": [4, 3]}).
InputOverride read_override(const nlohmann::json& json);
// {"x": T, ...}
std::map<std::string, InputOverride> read_overrides(const nlohmann::json& inputs);

}  // namespace faketensor
