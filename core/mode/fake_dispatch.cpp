#include "core/mode/fake_dispatch.h"

#include <algorithm>

#include "core/mode/find_tensor.h"
#include "core/mode/repr.h"
#include "core/ops/constant.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

bool is_inplace_view(const OpEntry& op) { return (op.tags & kInplaceView) != 0; }

bool has_symbolic(Dims dims) {
  for (const SymInt dim : dims)
    if (dim.is_symbolic()) return true;
  return false;
}

bool has_symbolic_sizes(std::span<const Value> args) {
  bool found = false;
  for_each_tensor(args, [&](const Tensor& tensor) {
    found = found || has_symbolic(tensor.sizes()) || has_symbolic(tensor.strides()) ||
            tensor.offset().is_symbolic();
  });
  for (const Value& arg : args) {
    found = found || (arg.is(Value::Tag::kInt) && arg.as_sym_int().is_symbolic());
    found = found || (arg.is(Value::Tag::kIntList) && has_symbolic(arg.ints()));
  }
  return found;
}

// _to_copy to an accelerator and prims.device_put, which would need it to be there.
bool moves_device(const OpEntry& op, std::span<const Value> args) {
  if (!op.facts.has(kTakesDevice)) return op.facts.has(kMovesDevice);
  const int at = op.schema.find_argument("device");
  const Value& device = args[static_cast<size_t>(at)];
  return device.is(Value::Tag::kDevice) && !device.device().is_cpu();
}

}  // namespace

// Where resize_ raises it has set the sizes already. No other tensor gets the same ones:
// TensorImpl::refresh_numel finds that their product does not exist.
void refuse_negative_sizes(const OpEntry& op, std::span<const Value> args) {
  const bool changes_view = (op.tags & (kView | kInplaceView)) != 0;
  if (!op.facts.has(kLift) && (!changes_view || op.facts.has(kSetsSizes))) return;
  for_each_tensor(args, [](const Tensor& tensor) {
    for (const SymInt size : tensor.sizes()) {
      if (!size.is_symbolic() && size.as_int() < 0)
        throw_error(ErrorKind::kRuntimeError, "numel: integer multiplication overflow");
    }
  });
}

Value FakeDispatch::dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) {
  bool has_fake = false;
  for_each_tensor(args,
                  [&](const Tensor& tensor) { has_fake = has_fake || context_.owns(tensor); });
  if (!has_fake && op.facts.has(kLift)) return lift(op, args);

  const Values own = converted(op, args);
  if (std::optional<Value> constant = propagate_constants(op, own)) return *constant;
  end_written_constants(op, own);
  refuse_negative_sizes(op, own);
  const Value result = next(op, own.span());
  // An operator that writes to an argument returns what it was given.
  for (size_t i = 0; i < args.size(); ++i) {
    if (result.is_tensor() && own[i].is_tensor() && &result.tensor() == &own[i].tensor())
      return args[i];
  }
  return result;
}

// The one number of a torch.tensor becomes a constant; a larger tensor becomes a fake like it.
Value FakeDispatch::lift(const OpEntry& op, std::span<const Value> args) {
  Tensor& real = args[0].tensor();
  if (surroundings_.is_fake(real)) refuse(op, args, real);
  RealTensors& reals = constants_.real();
  if (!ConstantTracker::may_become_constant(real) || !reals.is_known(real))
    return surroundings_.convert(real);
  const Element element = real.numel().as_int() == 0 ? Element() : reals.element(real);
  return constants_.fake_of(*reals.from_elements(real.sizes(), real.dtype(), {&element, 1}));
}

void refuse_mixed_modes() {
  constexpr std::string_view kMode = "<torch._subclasses.fake_tensor.FakeTensorMode object>";
  throw_error(ErrorKind::kAssertionError,
              format("Mixing fake modes NYI x.fake_mode={} vs self={}", kMode, kMode));
}

void FakeDispatch::refuse(const OpEntry& op, std::span<const Value> args, const Tensor& tensor) {
  if (!is_inplace_view(op) && surroundings_.is_fake(tensor)) refuse_mixed_modes();
  const std::string call = call_text(op, args, surroundings_);
  throw_error(
      ErrorKind::kAssertionError,
      is_inplace_view(op)
          ? format("Can't call metadata mutating ops on non-Fake Tensor inputs. Found in {}", call)
          : format("Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode "
                   "with 'allow_non_fake_inputs'. Found in {}",
                   call));
}

Value FakeDispatch::converted(const OpEntry& op, std::span<const Value> args, const Value& arg) {
  if (!arg.is_tensor() || context_.owns(arg.tensor())) return arg;
  if (is_inplace_view(op) || !options_.allow_non_fake_inputs) refuse(op, args, arg.tensor());
  return surroundings_.convert(arg.tensor());
}

FakeDispatch::Values FakeDispatch::converted(const OpEntry& op, std::span<const Value> args) {
  Values own;
  for (const Value& arg : args) {
    if (!arg.is(Value::Tag::kList)) {
      own.push_back(converted(op, args, arg));
      continue;
    }
    Values elements;
    bool changed = false;
    for (const Value& element : arg.values()) {
      elements.push_back(converted(op, args, element));
      changed = changed || (element.is_tensor() && !context_.owns(element.tensor()));
    }
    own.push_back(changed ? context_.make_list(elements.span()) : arg);
  }
  return own;
}

std::optional<Value> FakeDispatch::propagate_constants(const OpEntry& op,
                                                       std::span<const Value> args) {
  bool any = false;
  bool all = true;
  for_each_tensor(args, [&](const Tensor& tensor) {
    any = true;
    all = all && ConstantTracker::real_of(tensor) != nullptr;
  });
  // A call without any tensor is one of constants if its numbers stand where tensors are expected.
  const bool only_numbers = !any && op.facts.has(kNumbersAsTensors);
  if (!(any && all) && !only_numbers) return std::nullopt;
  if ((op.tags & kRandom) != 0 || (is_inplace_view(op) && !op.facts.has(kEndsHistory)))
    return std::nullopt;
  if ((options_.avoid_device_init && moves_device(op, args)) || has_symbolic_sizes(args))
    return std::nullopt;

  Values reals;
  const auto real_of = [](const Value& value) {
    return value.is_tensor() && !value.tensor().is_wrapped_number
               ? Value(ConstantTracker::real_of(value.tensor()))
               : value;
  };
  for (const Value& arg : args) {
    if (!arg.is(Value::Tag::kList)) {
      reals.push_back(real_of(arg));
      continue;
    }
    Values elements;
    for (const Value& element : arg.values()) elements.push_back(real_of(element));
    reals.push_back(context_.make_list(elements.span()));
  }
  if (!constants_.real().knows(op, reals)) return std::nullopt;
  constants_.real().context().default_dtype = context_.default_dtype;
  const Value result = constants_.real().run(op, reals);
  if (std::optional<Value> fakes = as_constants(result)) return fakes;
  // The results are too large for constants: tensors that they alias are constants no more.
  for_each_tensor({&result, 1}, [&](const Tensor& tensor) {
    for_each_tensor(args, [&](const Tensor& fake) {
      const Tensor* real = ConstantTracker::real_of(fake);
      if (real != nullptr && real->storage == tensor.storage) constants_.forget_aliases(fake);
    });
  });
  return std::nullopt;
}

std::optional<Value> FakeDispatch::as_constants(const Value& result) {
  bool all = true;
  for_each_tensor({&result, 1}, [&](const Tensor& tensor) {
    all = all && ConstantTracker::may_become_constant(tensor);
  });
  if (!all) return std::nullopt;
  const auto fake_of = [&](const Value& value) {
    return value.is_tensor() ? Value(constants_.fake_of(value.tensor())) : value;
  };
  if (!result.is(Value::Tag::kList)) return fake_of(result);
  Values fakes;
  for (const Value& element : result.values()) fakes.push_back(fake_of(element));
  return context_.make_list(fakes.span());
}

void FakeDispatch::end_written_constants(const OpEntry& op, std::span<const Value> args) {
  for (size_t i = 0; i < args.size(); ++i)
    if (op.schema.arguments[i].is_written() && is_ours(args[i]))
      constants_.forget_aliases(args[i].tensor());
}

}  // namespace faketensor
