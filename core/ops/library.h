// Library: the custom operators of one mode or run, and fakes that stand in for rules.
//
// Mirrors torch.library: an operator is defined by its schema, its fake is a function from fake
// arguments to fake results. Fakes of one operator stack: the newest answers, and taking one away
// brings the one before it back. A fake registered for a built-in operator answers in place of the
// rule. A Library belongs to who made it and acts on the contexts it is attached to
// (Context::set_library, FakeTensorMode::library); nothing is global.
//
//   Library library;
//   library.define("mylib::nonzeros(Tensor x) -> Tensor");
//   library.register_fake("mylib::nonzeros", [](FakeCall& c) {
//     const SymInt count = c.new_dynamic_size();
//     return c.empty({count, c.arg(0).tensor().dim()}, DType::kInt64);
//   });
//   context.set_library(&library);
//   context.call(library.find("mylib::nonzeros"), {&x, 1});
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ops/call.h"
#include "core/ops/registry.h"
#include "core/support/small_vector.h"

namespace faketensor {

// The frame of a fake: a rule's frame, and fresh sizes (torch._library.fake_impl.FakeImplCtx).
class FakeCall : public Call {
 public:
  using Call::Call;

  // A fresh unbacked size in [min, max]. Raises DynamicOutputShapeException where there is no
  // ShapeEnv, ValueError for a range of sizes that there is not.
  SymInt new_dynamic_size(int64_t min = 0, std::optional<int64_t> max = {});

  struct KeywordArgument {
    std::string_view name;
    Value value;
  };
  // The arguments as a fake written in Python gets them (parseIValuesToPyArgsKwargs): positional
  // ones without trailing defaults, and those keyword-only ones that are not their defaults.
  std::span<const Value> positional() const;
  SmallVector<KeywordArgument, 4> keywords() const;
  // "((FakeTensor(..., size=(2,)), 3), {'m': None})"
  std::string arguments_text() const;
};

using FakeImpl = std::function<Value(FakeCall& call)>;

// What a definition says of a custom operator besides its schema.
struct OperatorTraits {
  // Declared by torch.library.custom_op: there is one fake, which another replaces, and without one
  // the error names this function of the user's. Empty: declared by Library.define.
  std::string custom_op_function;
  // torch.Tag.inplace, torch.Tag.out: the arguments that are written to are the results.
  bool returns_first_argument = false;
  bool returns_out_arguments = false;
};

class Library {
 public:
  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Defines an operator: "mylib::foo(Tensor x, int n=1) -> Tensor", or its name and the rest.
  // Raises ValueError for a name without a namespace or a schema without its brackets, RuntimeError
  // for a schema that does not parse and for a name that is taken.
  OpId define(std::string_view schema, OperatorTraits traits = {});
  OpId define(std::string_view name, std::string_view signature, OperatorTraits traits = {});
  // Takes an operator away; its fakes go with it.
  void remove(std::string_view name);

  // By a name in any form that Registry::find knows; built-in operators are found, too.
  OpId find(std::string_view name) const;
  // Of an operator defined here, of an overridden built-in one, or the built-in table's.
  const OpEntry& entry(OpId id) const;

  // Registers a fake: above those that are there, or in place of a custom_op's. Raises RuntimeError
  // for an operator that does not exist, or that PyTorch composes of others.
  void register_fake(std::string_view name, FakeImpl fake) { push(name, std::move(fake)); }
  // What answers where the operator has no fake: a kernel of PyTorch's that runs on any device
  // (CompositeExplicitAutograd), and so on fakes.
  void register_kernel(std::string_view name, FakeImpl kernel);
  bool has_fake(std::string_view name) const;
  bool is_custom_op(OpId id) const {
    const Operator* op = own(id);
    return op != nullptr && !op->traits.custom_op_function.empty();
  }

  // Runs the newest fake; what PyTorch says where there is none.
  Value run_fake(FakeCall& call) const;

  // A fake that was registered, and the fake of a custom_op that it replaced.
  struct Pushed {
    OpId op;
    uint64_t number;
    std::shared_ptr<const FakeImpl> replaced;
  };
  // A fake that is there until the scope ends. As in PyTorch, the fake of a custom_op that had none
  // before stays.
  class ScopedFake {
   public:
    ScopedFake(Library& library, std::string_view name, FakeImpl fake)
        : library_(&library), pushed_(library.push(name, std::move(fake))) {}
    ScopedFake(ScopedFake&& other) noexcept
        : library_(std::exchange(other.library_, nullptr)), pushed_(std::move(other.pushed_)) {}
    ScopedFake& operator=(ScopedFake&&) = delete;
    // Leaves the fake of a custom_op in place, whatever was there before.
    void keep_if_custom_op() {
      if (library_->is_custom_op(pushed_.op)) library_ = nullptr;
    }
    ~ScopedFake() {
      if (library_ != nullptr) library_->pop(pushed_);
    }

   private:
    Library* library_;
    Pushed pushed_;
  };

 private:
  struct Fake {
    uint64_t number;
    std::shared_ptr<const FakeImpl> run;
  };
  struct Operator {
    OpEntry entry;
    OperatorTraits traits;
    std::vector<Fake> fakes;  // the newest last
    std::shared_ptr<const FakeImpl> kernel;
  };
  Operator* own(OpId id);
  const Operator* own(OpId id) const;
  OpId find_or_override(std::string_view name);
  Pushed push(std::string_view name, FakeImpl fake);
  void pop(const Pushed& pushed);
  static Value answer_without_fake(const Operator& op, FakeCall& call);

  Arena arena_;
  std::deque<Operator> operators_;  // by id from kFirstCustomOp
  std::unordered_map<std::string_view, OpId> ids_;
  std::unordered_map<OpId, Operator> overrides_;  // of built-in operators, and what they fake
  uint64_t next_number_ = 0;
};

}  // namespace faketensor
