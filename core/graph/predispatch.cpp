// The functions of torch._functorch.predispatch, which an exported program calls where its model
// uses torch.vmap.
#include <array>

#include "core/graph/interpreter.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// The arguments of one function, which files give by position.
class PredispatchCall {
 public:
  PredispatchCall(Interpreter& interpreter, std::string_view name, std::span<const Value> args)
      : interpreter_(interpreter), name_(name), args_(args) {}

  Vmap& vmap() const { return interpreter_.regions().vmap(); }
  Value tensor(size_t index) const { return at(index, Value::Tag::kTensor, "a tensor"); }
  SymInt size(size_t index) const { return at(index, Value::Tag::kInt, "an int").as_sym_int(); }
  int64_t integer(size_t index) const { return guard_int(size(index)); }
  std::string_view text(size_t index) const {
    return at(index, Value::Tag::kString, "a string").text();
  }

 private:
  const Value& at(size_t index, Value::Tag tag, std::string_view kind) const {
    if (index >= args_.size() || !args_[index].is(tag))
      throw_error(ErrorKind::kTypeError, format("{}: argument {} must be {}", name_, index, kind));
    return args_[index];
  }

  Interpreter& interpreter_;
  std::string_view name_;
  std::span<const Value> args_;
};

}  // namespace

Value call_predispatch(Interpreter& interpreter, std::string_view name,
                       std::span<const Value> args) {
  const PredispatchCall call(interpreter, name, args);
  if (name == "lazy_load_decompositions") return Value();
  if (name == "_vmap_increment_nesting")
    return call.vmap().increment_nesting(call.size(0), call.text(1));
  if (name == "_vmap_decrement_nesting") return call.vmap().decrement_nesting();
  if (name == "_add_batch_dim")
    return call.vmap().add_batch_dim(call.tensor(0), call.integer(1), call.integer(2));
  if (name == "_remove_batch_dim") {
    return call.vmap().remove_batch_dim(call.tensor(0), call.integer(1), call.size(2),
                                        call.integer(3));
  }
  throw_error(ErrorKind::kUnsupportedOperator, format("torch._functorch.predispatch.{}", name));
}

}  // namespace faketensor
