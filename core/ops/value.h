// Value: what an operator is called with and what it returns, 16 bytes.
//
// A tagged union of everything a schema can name. Lists and strings are spans into an arena that
// outlives the value (the graph's or the context's). A list of integers without tensors is kept
// packed (kIntList) so that a rule reads it as sizes without copying; every other list is a list of
// Values. kNodeRef stands only in graphs: the interpreter replaces it by the value of that node.
// kDefault stands for "not given"; the dispatcher replaces it by the schema's default.
#pragma once

#include <cassert>
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
    kList,     // of Values; tuples and dictionaries are lists, too
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
  // A list that is printed in round brackets; otherwise a list as any.
  static Value tuple(std::span<const Value> values) {
    Value result = list(values);
    result.sub_ = 1;
    return result;
  }
  // The list of its [key, value] lists, in order; printed as Python's {key: value}.
  static Value dict(std::span<const Value> items) {
    Value result = list(items);
    result.sub_ = 2;
    return result;
  }
  // A list, tuple or dictionary, as `was` is one, of other elements.
  static Value like(const Value& was, std::span<const Value> values) {
    Value result = list(values);
    result.sub_ = was.sub_;
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
  bool is_tuple() const { return tag_ == Tag::kList && sub_ == 1; }
  bool is_dict() const { return tag_ == Tag::kList && sub_ == 2; }
  // A Python number: bool, int, float, complex or a symbolic one.
  bool is_number() const { return tag_ >= Tag::kBool && tag_ <= Tag::kSymFloat; }
  // Whether it is a number that depends on a symbol.
  bool is_symbolic() const {
    return tag_ == Tag::kSymFloat || (tag_ == Tag::kInt && as_sym_int().is_symbolic()) ||
           (tag_ == Tag::kBool && as_sym_bool().is_symbolic());
  }

  // --- conversions, for numbers of any kind: named by what becomes of a symbol ---
  // The number that is meant; a symbolic one is specialized, which leaves a guard. to_bool() takes
  // bools, to_int() bools and ints, to_double() all but complex numbers, for which it raises
  // RuntimeError as c10::Scalar::toDouble does; for the rest they raise TypeError.
  bool to_bool() const;
  int64_t to_int() const;
  double to_double() const;
  // A bool or an int, symbolic as it is: 0 or 1 for a bool. Leaves no guard.
  SymInt to_sym_int() const;

  // --- the payload as it is: each accessor is valid only for its tag, which assertions check ---
  Tensor& tensor() const { return *held(Tag::kTensor).tensor; }
  SymInt as_sym_int() const { return from_word<SymInt>(held(Tag::kInt).word); }
  SymBool as_sym_bool() const { return from_word<SymBool>(held(Tag::kBool).word); }
  double as_double() const { return held(Tag::kFloat).real; }
  const double* as_complex() const { return held(Tag::kComplex).complex; }
  const ExprNode* as_node() const { return held(Tag::kSymFloat).node; }
  DType dtype() const {
    assert(tag_ == Tag::kDType);
    return static_cast<DType>(sub_);
  }
  Device device() const {
    assert(tag_ == Tag::kDevice || tag_ == Tag::kGenerator);
    return {static_cast<DeviceType>(sub_), index_};
  }
  Layout layout() const {
    assert(tag_ == Tag::kLayout);
    return static_cast<Layout>(sub_);
  }
  MemoryFormat memory_format() const {
    assert(tag_ == Tag::kMemoryFormat);
    return static_cast<MemoryFormat>(sub_);
  }
  std::string_view text() const { return {held(Tag::kString).text, length_}; }
  const Graph& graph() const { return *held(Tag::kGraph).graph; }
  uint32_t node() const {
    assert(tag_ == Tag::kNodeRef);
    return length_;
  }
  // Elements of a list of either kind; none has none.
  size_t size() const {
    assert(is_list() || is_none());
    return length_;
  }
  Value operator[](size_t i) const {
    assert(is_list() && i < length_);
    return tag_ == Tag::kIntList ? Value(payload_.ints[i]) : payload_.list[i];
  }
  // Of a list that is not packed, and of an empty one.
  std::span<const Value> values() const {
    assert(tag_ == Tag::kList || size() == 0);
    return {payload_.list, length_};
  }
  Dims ints() const {
    assert(tag_ == Tag::kIntList || tag_ == Tag::kNone || (tag_ == Tag::kList && length_ == 0));
    return tag_ == Tag::kIntList ? Dims(payload_.ints, length_) : Dims();
  }  // of none and of an empty list, none

 private:
  explicit Value(Tag tag) : tag_(tag) {}
  template <typename T>
  static T from_word(int64_t word) {
    return __builtin_bit_cast(T, word);
  }

  union Payload {
    int64_t word;
    double real;
    Tensor* tensor;
    const Value* list;
    const SymInt* ints;
    const char* text;
    const double* complex;
    const ExprNode* node;
    const Graph* graph;
  };
  const Payload& held([[maybe_unused]] Tag tag) const {
    assert(tag_ == tag);
    return payload_;
  }

  Tag tag_ = Tag::kNone;
  uint8_t sub_ = 0;
  int8_t index_ = 0;
  uint32_t length_ = 0;
  Payload payload_ = {0};
};
static_assert(sizeof(Value) == 16);

// The dtype a number has as an operand: bool, int64, the given default for floats, its complex type
// for complex numbers.
DType number_dtype(const Value& number, DType default_dtype = DType::kFloat32);

// Python's repr, for messages: "3", "2.0", "True", "None", "[1, 2]", "torch.float32".
void append_text(std::string& out, const Value& value);

}  // namespace faketensor
