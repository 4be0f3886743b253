// Call: the frame of one operator call, which is all that a rule gets.
//
// A rule is short: checks, shape, output. Arguments come typed in schema order (`rule<&f>()`),
// results are returned:
//
//   Value mm(Call& c, const Tensor& self, const Tensor& mat2) {
//     c.check(self.dim() == 2, "self must be a matrix");
//     c.check(mat2.dim() == 2, "mat2 must be a matrix");
//     c.check(self.size(1) == mat2.size(0),
//             "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", ...);
//     return c.empty({self.size(0), mat2.size(1)}, self.dtype());
//   }
//
// Outputs are on the call's common device unless the rule says otherwise; it is computed, and
// "found at least two devices" raised, when the first output is made. Composite operators call
// others: `c.call<"aten::addmm">(bias, input, weight)`.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/ops/context.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

// A list-of-tensors argument; at(i) is null where an element of a Tensor?[] is None.
class TensorList {
 public:
  explicit TensorList(const Value& list)
      : values_(list.is(Value::Tag::kList) ? list.values() : std::span<const Value>()) {}
  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  Tensor& operator[](size_t i) const { return values_[i].tensor(); }
  Tensor* at(size_t i) const { return values_[i].is_tensor() ? &values_[i].tensor() : nullptr; }
  std::span<const Value> values() const { return values_; }

 private:
  std::span<const Value> values_;
};

// A text as a template argument: c.call<"aten::mm">(...).
template <size_t N>
struct FixedString {
  char text[N] = {};
  consteval FixedString(const char (&literal)[N]) {
    for (size_t i = 0; i < N; ++i) text[i] = literal[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

// An operator that rules call, by its name until the first of them does. Atomic because contexts on
// two threads may be the first at once; both find the same.
struct NamedOp {
  std::string_view name;
  std::atomic<OpId> id{kNoOp};
};
template <FixedString name>
inline constinit NamedOp kNamedOp{name.view()};

class Call {
 public:
  Call(Context& context, const OpEntry& op, std::span<const Value> args)
      : context_(context), op_(op), args_(args) {}

  Context& context() const { return context_; }
  const Target& target() const { return context_.target(); }
  const OpEntry& op() const { return op_; }
  std::span<const Value> args() const { return args_; }
  const Value& arg(size_t i) const { return args_[i]; }

  // --- checks: raise PyTorch's class with PyTorch's words; `pattern` takes "{}" for each value ---
  template <typename... Parts>
  void check(bool condition, std::string_view pattern, const Parts&... parts) const {
    if (!condition) [[unlikely]]
      refuse(ErrorKind::kRuntimeError, pattern, parts...);
  }
  // torch._check on symbolic sizes: guards, or becomes a deferred runtime assert.
  template <typename... Parts>
  void check(SymBool condition, std::string_view pattern, const Parts&... parts) const {
    if (!expect_true(condition)) [[unlikely]]
      refuse(ErrorKind::kRuntimeError, pattern, parts...);
  }
  template <typename... Parts>
  void check_as(ErrorKind kind, bool condition, std::string_view pattern,
                const Parts&... parts) const {
    if (!condition) [[unlikely]]
      refuse(kind, pattern, parts...);
  }
  // Raises with a text made of `pattern` and `parts`; a rule holds neither strings nor their frees.
  template <typename... Parts>
  [[noreturn]] static void refuse(ErrorKind kind, std::string_view pattern, const Parts&... parts) {
    if constexpr (sizeof...(Parts) == 0) {
      refuse_parts(kind, pattern, nullptr, 0);
    } else {
      const FormatPart erased[] = {format_part(parts)...};
      refuse_parts(kind, pattern, erased, sizeof...(Parts));
    }
  }
  [[noreturn, gnu::cold]] void fail(ErrorKind kind, std::string message) const {
    throw_error(kind, std::move(message));
  }

  // --- devices ---
  // The device results are on: the common device of all tensor arguments, where 0-dimensional CPU
  // tensors give way (mirrors FakeTensor._find_common_device). Raises
  // FakeTensorDeviceMismatchError. Without tensors: cpu.
  Device device();

  // --- data ---
  // A fresh unbacked integer, for a size or number that is data. Where there is no ShapeEnv, or it
  // may not make one, raises `refusal`: kDynamicOutputShape or kDataDependentOutput, whose message
  // is the operator's name as Python prints it.
  SymInt unbacked_int(ErrorKind refusal);

  // --- outputs ---
  Tensor* empty(Dims sizes, DType dtype) { return context_.empty(sizes, dtype, device()); }
  Tensor* empty(std::initializer_list<SymInt> sizes, DType dtype) {
    return empty(Dims(sizes.begin(), sizes.size()), dtype);
  }
  Tensor* empty_strided(Dims sizes, Dims strides, DType dtype) {
    return context_.empty(sizes, dtype, device(), strides);
  }
  Tensor* empty_on(Device on, Dims sizes, DType dtype) {
    return context_.empty(sizes, dtype, on.normalized());
  }
  // torch.empty_like: preserve_format keeps the strides of a non-overlapping dense tensor.
  Tensor* empty_like(const Tensor& self, std::optional<DType> dtype = {},
                     MemoryFormat format = MemoryFormat::kPreserve);
  // torch.empty_permuted, of which `strides` are the result's: allocated as a contiguous tensor and
  // then given its strides.
  Tensor* empty_permuted(Dims sizes, Dims strides, DType dtype, Device on);
  // A view of `self` on the same storage; `offset` in elements of the storage, not relative to
  // self.
  Tensor* view(const Tensor& self, Dims sizes, Dims strides, SymInt offset) {
    return view_as(self, sizes, strides, offset, self.dtype());
  }
  Tensor* view(const Tensor& self, Dims sizes, Dims strides) {
    return view(self, sizes, strides, self.offset());
  }
  Tensor* view_as(const Tensor& self, Dims sizes, Dims strides, SymInt offset, DType dtype,
                  uint16_t flags);
  Tensor* view_as(const Tensor& self, Dims sizes, Dims strides, SymInt offset, DType dtype);
  // Another tensor object on the same storage with the same meta.
  Tensor* alias(const Tensor& self) {
    return context_.make_tensor(self.meta, self.storage, const_cast<Tensor*>(&self));
  }

  // A list or tuple result. Braces, so that new tensors among the elements are made from the left.
  Value tuple(std::initializer_list<Value> elements) {
    return context_.make_list({elements.begin(), elements.size()});
  }
  Value list(std::span<const Value> values) { return context_.make_list(values); }

  // --- calling other operators ---
  // Arguments in schema order; sizes may be given as DimVector or Dims, none as nullptr, "default"
  // as Value::unset().
  template <FixedString name, typename... Arguments>
  Value call(const Arguments&... arguments) {
    const std::array<Value, sizeof...(Arguments)> values = {to_value(arguments)...};
    return forward<name>(values);
  }
  // The same with arguments that are values already.
  template <FixedString name>
  Value forward(std::span<const Value> arguments) {
    return call_named(kNamedOp<name>, arguments);
  }
  // The same for operators that return one tensor.
  template <FixedString name, typename... Arguments>
  Tensor& tensor(const Arguments&... arguments) {
    return call<name>(arguments...).tensor();
  }

 private:
  template <typename T>
  Value to_value(const T& argument) {
    if constexpr (std::is_same_v<T, std::nullptr_t>) {
      return Value();
    } else if constexpr (std::is_same_v<T, DimVector> || std::is_same_v<T, Dims>) {
      return context_.make_ints(argument);
    } else if constexpr (std::is_same_v<T, TensorList>) {
      return Value::list(argument.values());
    } else if constexpr (requires { argument.has_value(); }) {
      return argument.has_value() ? to_value(*argument) : Value();
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      return Value::string(argument);
    } else if constexpr (std::is_base_of_v<Tensor, T>) {
      return Value(const_cast<Tensor*>(&argument));
    } else {
      return Value(argument);
    }
  }
  // Looks the operator up the first time. Raises UnsupportedOperator where there is none.
  Value call_named(NamedOp& op, std::span<const Value> arguments);
  [[noreturn, gnu::cold]] static void refuse_parts(ErrorKind kind, std::string_view pattern,
                                                   const FormatPart* parts, size_t count);

  Context& context_;
  const OpEntry& op_;
  std::span<const Value> args_;
  std::optional<Device> device_;
};

// --- typed rules ---

namespace detail {

template <typename T>
struct ArgReader;  // no reader for a type: not a parameter a rule may have

template <>
struct ArgReader<Value> {
  static constexpr char kCode = 'v';
  static const Value& read(const Value& value) { return value; }
};
template <>
struct ArgReader<Tensor> {
  static constexpr char kCode = 'T';
  static Tensor& read(const Value& value) { return value.tensor(); }
};
template <>
struct ArgReader<Tensor*> {
  static constexpr char kCode = 't';
  static Tensor* read(const Value& value) { return value.is_tensor() ? &value.tensor() : nullptr; }
};
template <>
struct ArgReader<TensorList> {
  static constexpr char kCode = 'L';
  static TensorList read(const Value& value) { return TensorList(value); }
};
template <>
struct ArgReader<SymInt> {
  static constexpr char kCode = 'S';
  static SymInt read(const Value& value) { return value.as_sym_int(); }
};
template <>
struct ArgReader<SymBool> {
  static constexpr char kCode = 'B';
  static SymBool read(const Value& value) { return value.as_sym_bool(); }
};
template <>
struct ArgReader<int64_t> {
  static constexpr char kCode = 'i';
  static int64_t read(const Value& value) { return guard_int(value.as_sym_int()); }
};
template <>
struct ArgReader<bool> {
  static constexpr char kCode = 'b';
  static bool read(const Value& value) { return guard_bool(value.as_sym_bool()); }
};
template <>
struct ArgReader<double> {
  static constexpr char kCode = 'f';
  static double read(const Value& value) { return value.to_double(); }
};
template <>
struct ArgReader<Dims> {
  static constexpr char kCode = 'D';
  static Dims read(const Value& value) { return value.ints(); }
};
template <>
struct ArgReader<DType> {
  static constexpr char kCode = 'd';
  static DType read(const Value& value) { return value.dtype(); }
};
template <>
struct ArgReader<Device> {
  static constexpr char kCode = 'c';
  static Device read(const Value& value) { return value.device(); }
};
template <>
struct ArgReader<Layout> {
  static constexpr char kCode = 'l';
  static Layout read(const Value& value) { return value.layout(); }
};
template <>
struct ArgReader<MemoryFormat> {
  static constexpr char kCode = 'm';
  static MemoryFormat read(const Value& value) { return value.memory_format(); }
};
template <>
struct ArgReader<std::string_view> {
  static constexpr char kCode = 's';
  static std::string_view read(const Value& value) { return value.text(); }
};
// The letter of a parameter that takes none has this bit.
inline constexpr int kOptionalCode = 0x80;
template <typename T>
struct ArgReader<std::optional<T>> {
  static constexpr char kCode = static_cast<char>(ArgReader<T>::kCode | kOptionalCode);
  static std::optional<T> read(const Value& value) {
    if (value.is_none()) return std::nullopt;
    return ArgReader<T>::read(value);
  }
};

template <typename T>
using Reader = ArgReader<std::remove_cvref_t<T>>;

template <auto function, typename Result, typename... Parameters>
struct TypedRule {
  static constexpr char kSignature[] = {Reader<Parameters>::kCode..., '\0'};

  template <size_t... I>
  static Value run(Call& call, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<Result>) {
      function(call, Reader<Parameters>::read(call.arg(I))...);
      return Value();
    } else {
      return Value(function(call, Reader<Parameters>::read(call.arg(I))...));
    }
  }
  static Value invoke(Call& call, uint64_t) {
    return run(call, std::index_sequence_for<Parameters...>());
  }
};

template <auto function, typename Result, typename... Parameters>
consteval Rule make_rule(Result (*)(Call&, Parameters...)) {
  using Typed = TypedRule<function, Result, Parameters...>;
  return {&Typed::invoke, 0, Typed::kSignature};
}

}  // namespace detail

// The rule that calls `function(Call&, parameters in schema order...)`; a captureless lambda is
// written rule<+[](Call& c, ...) {...}>(). Trailing schema arguments may be left out of the
// parameter list. Parameter types: const Tensor&, Tensor* (Tensor?), TensorList (Tensor[] and
// Tensor?[]), SymInt, int64_t (an int, or a SymInt that PyTorch specialises), bool, double, Dims
// (int[]/SymInt[]), DType, Device, Layout, MemoryFormat, std::string_view, std::optional of these,
// const Value& (Scalar, or anything).
template <auto function>
consteval Rule rule() {
  return detail::make_rule<function>(function);
}

// The rule of a composite operator that only calls another with its own arguments ("absolute" calls
// "abs"): same_as<"aten::abs">(). The other may take more arguments, which get their defaults.
template <FixedString name>
consteval Rule same_as() {
  return {+[](Call& call, uint64_t) { return call.forward<name>(call.args()); }, 0, nullptr};
}

// A family's rule: a shared function and up to eight bytes of parameters, read back with
// `rule_params<Params>(params)`.
template <typename Params>
consteval Rule family_rule(Rule::Function function, Params params) {
  static_assert(sizeof(Params) <= 8 && std::is_trivially_copyable_v<Params>);
  struct Padded {
    Params params;
    unsigned char rest[sizeof(Params) == 8 ? 1 : 8 - sizeof(Params)];
  };
  if constexpr (sizeof(Params) == 8) {
    return {function, __builtin_bit_cast(uint64_t, params), nullptr};
  } else {
    return {function, __builtin_bit_cast(uint64_t, Padded{params, {}}), nullptr};
  }
}
template <typename Params>
Params rule_params(uint64_t params) {
  Params result;
  __builtin_memcpy(static_cast<void*>(&result), &params, sizeof(Params));
  return result;
}

}  // namespace faketensor
