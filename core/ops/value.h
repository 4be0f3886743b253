// Value: what an operator is called with and what it returns, 16 bytes.
//
// A tagged union of everything a schema can name. Lists and strings are spans into an arena that
// outlives the value (the graph's or the context's). A list of integers without tensors is kept
// packed (kIntList) so that a rule reads it as sizes without copying; every other list is a list of
// Values. kNodeRef stands only in graphs: the interpreter replaces it by the value of that node.
// kDefault stands for "not given"; the dispatcher replaces it by the schema's default.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/support/arena.h"
#include "core/symbolic/sym_bool.h"
#include "core/symbolic/sym_int.h"
#include "core/tensor/tensor.h"

namespace faketensor {

class Graph;
class SymFloat;

class Value {
 public:
  enum class Tag : uint8_t {
    kNone,
    kDefault,
    kBool,  // a bool or SymBool
    kInt,   // an int or SymInt
    kFloat,
    kComplex,
    kSymFloat,  // a symbolic float: an expression node
    kTensor,
    kList,     // of Values; a tuple is a list
    kIntList,  // of SymInts
    kString,
    kDType,
    kDevice,
    kLayout,
    kMemoryFormat,
    kGenerator,  // on a device
    kGraph,      // the body of a higher-order operator
    kNodeRef,    // the value of a node of the graph this stands in
  };

  Value() = default;
  Value(std::nullptr_t) {}
  Value(Tensor* tensor) : tag_(tensor == nullptr ? Tag::kNone : Tag::kTensor) {
    payload_.tensor = tensor;
  }
  Value(const Tensor& tensor) : Value(const_cast<Tensor*>(&tensor)) {}
  Value(SymInt value) : tag_(Tag::kInt) { payload_.word = value.word(); }
  Value(int64_t value) : Value(SymInt(value)) {}
  Value(int value) : Value(SymInt(value)) {}
  Value(SymBool value) : tag_(Tag::kBool) { payload_.word = value.word(); }
  // Nothing but a bool: a pointer that becomes one would be a silent `True`.
  template <std::same_as<bool> Bool>
  Value(Bool value) : Value(SymBool(value)) {}
  Value(double value) : tag_(Tag::kFloat) { payload_.real = value; }
  Value(DType value) : tag_(Tag::kDType), sub_(static_cast<uint8_t>(value)) {}
  Value(Device value)
      : tag_(Tag::kDevice), sub_(static_cast<uint8_t>(value.type)), index_(value.index) {}
  Value(Layout value) : tag_(Tag::kLayout), sub_(static_cast<uint8_t>(value)) {}
  Value(MemoryFormat value) : tag_(Tag::kMemoryFormat), sub_(static_cast<uint8_t>(value)) {}
  Value(const Graph* graph) : tag_(Tag::kGraph) { payload_.graph = graph; }

  static Value unset() { return Value(Tag::kDefault); }
  // The spans must outlive the value.
  static Value list(std::span<const Value> values) {
    Value result(Tag::kList);
    result.length_ = static_cast<uint32_t>(values.size());
    result.payload_.list = values.data();
    return result;
  }
  static Value ints(Dims values) {
    Value result(Tag::kIntList);
    result.length_ = static_cast<uint32_t>(values.size());
    result.payload_.ints = values.data();
    return result;
  }
  static Value string(std::string_view text) {
    Value result(Tag::kString);
    result.length_ = static_cast<uint32_t>(text.size());
    result.payload_.text = text.data();
    return result;
  }
  static Value generator(Device device) {
    Value result(device);
    result.tag_ = Tag::kGenerator;
    return result;
  }
  static Value node_ref(uint32_t node) {
    Value result(Tag::kNodeRef);
    result.length_ = node;
    return result;
  }
  // {re, im}; must outlive the value.
  static Value complex(const double* parts) {
    Value result(Tag::kComplex);
    result.payload_.complex = parts;
    return result;
  }
  static Value sym_float(const ExprNode* node) {
    Value result(Tag::kSymFloat);
    result.payload_.node = node;
    return result;
  }

  Tag tag() const { return tag_; }
  bool is(Tag tag) const { return tag_ == tag; }
  bool is_none() const { return tag_ == Tag::kNone; }
  bool is_unset() const { return tag_ == Tag::kDefault; }
  bool is_tensor() const { return tag_ == Tag::kTensor; }
  bool is_list() const { return tag_ == Tag::kList || tag_ == Tag::kIntList; }
  // A Python number: bool, int, float, complex or a symbolic one.
  bool is_number() const { return tag_ >= Tag::kBool && tag_ <= Tag::kSymFloat; }

  // Each accessor is valid only for its tag.
  Tensor& tensor() const { return *payload_.tensor; }
  SymInt as_sym_int() const { return from_word<SymInt>(payload_.word); }
  SymBool as_sym_bool() const { return from_word<SymBool>(payload_.word); }
  double as_double() const { return payload_.real; }
  const double* as_complex() const { return payload_.complex; }
  const ExprNode* as_node() const { return payload_.node; }
  DType dtype() const { return static_cast<DType>(sub_); }
  Device device() const { return {static_cast<DeviceType>(sub_), index_}; }
  Layout layout() const { return static_cast<Layout>(sub_); }
  MemoryFormat memory_format() const { return static_cast<MemoryFormat>(sub_); }
  std::string_view text() const { return {payload_.text, length_}; }
  const Graph& graph() const { return *payload_.graph; }
  uint32_t node() const { return length_; }
  // Elements of a list of either kind.
  size_t size() const { return length_; }
  Value operator[](size_t i) const {
    return tag_ == Tag::kIntList ? Value(payload_.ints[i]) : payload_.list[i];
  }
  std::span<const Value> values() const { return {payload_.list, length_}; }  // kList
  Dims ints() const {
    return tag_ == Tag::kIntList ? Dims(payload_.ints, length_) : Dims();
  }  // kIntList, or an empty list

 private:
  explicit Value(Tag tag) : tag_(tag) {}
  template <typename T>
  static T from_word(int64_t word) {
    return __builtin_bit_cast(T, word);
  }

  Tag tag_ = Tag::kNone;
  uint8_t sub_ = 0;
  int8_t index_ = 0;
  uint32_t length_ = 0;
  union {
    int64_t word;
    double real;
    Tensor* tensor;
    const Value* list;
    const SymInt* ints;
    const char* text;
    const double* complex;
    const ExprNode* node;
    const Graph* graph;
  } payload_ = {0};
};
static_assert(sizeof(Value) == 16);

// The dtype a number has as an operand: bool, int64, the given default for floats, its complex type
// for complex numbers.
DType number_dtype(const Value& number, DType default_dtype = DType::kFloat32);

// The number that a bool, an int or a float is; a symbolic one is specialised, which leaves a guard
// (c10::Scalar::toDouble). Raises for any other value.
double to_double(const Value& number);

// Python's repr, for messages: "3", "2.0", "True", "None", "[1, 2]", "torch.float32".
void append_text(std::string& out, const Value& value);

}  // namespace faketensor
