#include "core/mode/mode.h"

#include <string>
#include <utility>

#include "core/symbolic/shape_env.h"

namespace faketensor {

FakeTensorMode::FakeTensorMode(const Target& target) : context_(target) {}

void FakeTensorMode::attach_shape_env(std::shared_ptr<ShapeEnv> shape_env) {
  shape_env_ = shape_env ? std::move(shape_env) : std::make_shared<ShapeEnv>();
  context_.set_shape_env(shape_env_.get());
}

Library& FakeTensorMode::library() {
  if (library_ == nullptr) {
    library_ = std::make_unique<Library>();
    context_.set_library(library_.get());
  }
  return *library_;
}

Tensor* FakeTensorMode::from_meta(const TensorMeta& meta) { return from_meta(meta, nullptr); }

Tensor* FakeTensorMode::from_meta(const TensorMeta& meta, Storage* storage) {
  return context_.make_tensor(context_.metas().intern(meta.spec()), storage);
}

Outcome FakeTensorMode::call(OpId op, std::span<const Value> args) noexcept {
  Outcome outcome;
  try {
    outcome.value = context_.call(op, args);
  } catch (const Error& error) {
    outcome.error = error;
  }
  return outcome;
}

Outcome FakeTensorMode::call(std::string_view name, std::span<const Value> args) {
  const OpId op = library_ != nullptr ? library_->find(name) : Registry::builtin().find(name);
  if (op != kNoOp) return call(op, args);
  Outcome outcome;
  outcome.error.emplace(ErrorKind::kUnsupportedOperator, std::string(name));
  outcome.error->set_op(std::string(name));
  return outcome;
}

}  // namespace faketensor
