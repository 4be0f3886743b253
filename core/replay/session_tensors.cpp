// Steps of a transcript that make tensors and call operators.
#include "core/formats/json_fields.h"
#include "core/io/call_json.h"
#include "core/io/session_json.h"
#include "core/replay/session_runner.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

StepResult SessionRunner::make_real(const Json& step) {
  return Value(faketensor::make_real(session_, reader_, step));
}

StepResult SessionRunner::make_tensor(const Json& step) {
  return Value(faketensor::make_tensor(session_, step));
}

StepResult SessionRunner::wrap_constant(const Json& step) {
  return Value(make_constant(session_, mode_named(member(step, "mode")), step));
}

StepResult SessionRunner::from_tensor(const Json& step) {
  SessionMode& mode = mode_named(member(step, "mode"));
  Tensor& tensor = tensor_named(member(step, "arg"));
  const ConversionReader conversion(step, mode);
  return Value(session_.from_tensor(mode, tensor, conversion.options));
}

StepResult SessionRunner::from_descriptions(const Json& step) {
  SessionMode& mode = mode_named(member(step, "mode"));
  return mode.context().make_list(faketensor::from_descriptions(session_, mode, step));
}

// The tensors of a module, copied in FakeCopyMode.
StepResult SessionRunner::fake_copy(const Json& step) {
  SessionMode& mode = mode_named(member(step, "mode"));
  std::vector<Tensor*> tensors;
  for (const Json& name : list_member(step, "args")) tensors.push_back(&tensor_named(name));
  std::vector<Value> copies;
  for (Tensor* copy : session_.fake_copy(mode, tensors)) copies.emplace_back(*copy);
  return mode.context().make_list(copies);
}

StepResult SessionRunner::from_meta(const Json& step) {
  return Value(session_.from_meta_and_device(mode_named(member(step, "mode")),
                                             tensor_named(member(step, "arg")),
                                             read_device(member(step, "device"))));
}

StepResult SessionRunner::construct(const Json& step) {
  return Value(session_.construct(mode_named(member(step, "mode")),
                                  tensor_named(member(step, "arg")),
                                  read_device(member(step, "device"))));
}

StepResult SessionRunner::call(const Json& step) {
  const std::string& name = text_member(step, "op");
  const OpId op = session_.find_operator(name);
  if (op == kNoOp) {
    std::string python_name = name;
    if (const size_t colons = name.find("::"); colons != std::string::npos)
      python_name.replace(colons, 2, ".");
    throw_error(ErrorKind::kUnsupportedOperator, python_name);
  }
  const std::vector<Value> args =
      bind_arguments(session_.operator_entry(op).schema, list_member_or_empty(step, "args"),
                     object_member_or_empty(step, "kwargs"), reader_);
  // Of custom operators the transcripts have no kernel that runs.
  const bool is_custom = session_.operator_entry(op).derived == OpEntry::Derived::kFake;
  if (is_custom && session_.mode_for(args) == nullptr)
    throw_error(ErrorKind::kRuntimeError, "real kernel");
  return session_.call(op, args);
}

StepResult SessionRunner::deepcopy(const Json& step) {
  return Value(session_.deepcopy(tensor_named(member(step, "arg"))));
}

StepResult SessionRunner::pickle(const Json& step) {
  const Tensor& tensor = tensor_named(member(step, "arg"));
  if (session_.mode_of(tensor) != nullptr)
    throw_error(ErrorKind::kAttributeError,
                "Can't pickle local object 'WeakValueDictionary.__init__.<locals>.remove'");
  names_[text_member(step, "as")] =
      SavedTensor{tensor.meta, tensor.storage == nullptr ? SymInt(0) : tensor.storage->nbytes};
  return StepResult::null();
}

StepResult SessionRunner::unpickle(const Json& step) {
  const SavedTensor* saved = std::get_if<SavedTensor>(&named(member(step, "arg")));
  if (saved == nullptr)
    throw_error(ErrorKind::kUnreadable, format("{} was not saved", excerpt(member(step, "arg"))));
  return Value(session_.load(*saved->meta, saved->storage_bytes));
}

// Tensors live as long as the session: what a memo holds weakly is never lost here, and the
// transcripts keep their tensors too.
StepResult SessionRunner::forget(const Json& step) {
  names_.erase(text_member(step, "arg"));
  return {};
}

StepResult SessionRunner::backward(const Json& step) {
  session_.backward(tensor_named(member(step, "arg")));
  return {};
}

}  // namespace faketensor
