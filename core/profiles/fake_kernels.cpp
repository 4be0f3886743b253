#include "core/profiles/fake_kernels.h"

#include <cstdlib>

#include "core/profiles/size_expressions.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

bool fits(const Value& arg, const std::optional<TensorMetadata>& expected) {
  if (!arg.is_tensor()) return !expected.has_value();
  const Tensor& tensor = arg.tensor();
  return expected && expected->dtype == tensor.dtype() && expected->layout == tensor.layout() &&
         expected->device == DeviceName::of(tensor.device()) &&
         python::identity_key(expected->rank) ==
             python::identity_key(python::Scalar::integer(tensor.dim()));
}

// Whether all arguments fit; the first that does not decides, and an argument past the profile's
// end is an error.
bool fits(std::span<const Value> args, const OpProfile& profile) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (i >= profile.args.size()) throw_error(ErrorKind::kIndexError, "tuple index out of range");
    if (!fits(args[i], profile.args[i])) return false;
  }
  return true;
}

// range(rank): of an integer or bool.
int64_t dimensions(const python::Scalar& rank) {
  if (rank.is(python::Scalar::Kind::kBool)) return rank.truth ? 1 : 0;
  if (!rank.is(python::Scalar::Kind::kInt)) {
    throw_error(ErrorKind::kTypeError, format("'{}' object cannot be interpreted as an integer",
                                              python::class_name(rank)));
  }
  constexpr int64_t kMaxRank = 64;  // PyTorch's own limit of dimensions
  const int64_t count = std::strtoll(rank.text.c_str(), nullptr, 10);
  if (count > kMaxRank)
    throw_error(ErrorKind::kLimitExceeded, format("a profile of rank {}", rank.text));
  return std::max<int64_t>(count, 0);
}

std::string_view sparse_backend(Layout layout) {
  switch (layout) {
    case Layout::kSparseCoo:
      return "SparseMeta";
    case Layout::kMkldnn:
      return "MkldnnMeta";
    case Layout::kJagged:
      return "NestedTensorMeta";
    default:
      return "SparseCsrMeta";
  }
}

DimVector sizes_of(FakeCall& call, const TensorMetadata& metadata, const ResultDetail& detail) {
  if (detail.sizes) return SizeExpressions(call).evaluate(*detail.sizes);
  DimVector sizes;
  const int64_t rank = dimensions(metadata.rank);
  for (int64_t i = 0; i < rank; ++i) sizes.push_back(call.new_dynamic_size());
  return sizes;
}

DimVector strides_of(FakeCall& call, const DimVector& sizes, const ResultDetail& detail) {
  if (detail.strides) return SizeExpressions(call).evaluate(*detail.strides);
  DimVector strides;
  SymInt stride = 1;
  for (const SymInt size : sizes) {
    strides.push_back(stride);
    stride = stride * size;
  }
  return strides;
}

Value make_result(FakeCall& call, const TensorMetadata& metadata, const ResultDetail& detail) {
  const DimVector sizes = sizes_of(call, metadata, detail);
  const DimVector strides = strides_of(call, sizes, detail);
  if (metadata.layout != Layout::kStrided) {
    const std::string_view backend = sparse_backend(metadata.layout);
    call.fail(ErrorKind::kNotImplementedError,
              format("Could not run 'aten::empty_strided' with arguments from the '{}' backend.",
                     backend));
  }
  if (detail.alias && *detail.alias < call.args().size() && call.arg(*detail.alias).is_tensor())
    return call.view(call.arg(*detail.alias).tensor(), sizes, strides);
  const std::optional<Device> device = metadata.device.device();
  if (!device) {
    call.fail(ErrorKind::kRuntimeError,
              format("no tensors are on the device {}", to_string(metadata.device)));
  }
  return call.context().empty(sizes, metadata.dtype, device->normalized(), strides);
}

Value make_results(FakeCall& call, const OpProfile& profile) {
  static const ResultDetail kPlain;
  SmallVector<Value, 4> results;
  for (size_t i = 0; i < profile.out.size(); ++i) {
    if (!profile.out[i])
      throw_error(ErrorKind::kAttributeError, "'NoneType' object has no attribute 'rank'");
    const ResultDetail& detail = i < profile.details.size() ? profile.details[i] : kPlain;
    results.push_back(make_result(call, *profile.out[i], detail));
  }
  return profile.is_tuple ? call.context().make_list(results.span()) : results[0];
}

}  // namespace

TensorMetadata metadata_of(const Tensor& tensor) {
  return {python::Scalar::integer(tensor.dim()), tensor.dtype(), DeviceName::of(tensor.device()),
          tensor.layout()};
}

FakeImpl generate_fake_kernel(std::string_view op, std::vector<OpProfile> profiles) {
  return [op = std::string(op), profiles = std::move(profiles)](FakeCall& call) {
    SmallVector<Value, 8> args;
    for (const Value& arg : call.positional()) args.push_back(arg);
    for (const FakeCall::KeywordArgument& keyword : call.keywords()) args.push_back(keyword.value);
    for (const OpProfile& profile : profiles) {
      if (fits(args.span(), profile)) return make_results(call, profile);
    }
    throw_error(
        ErrorKind::kMissingOpProfile,
        format("No fake kernel was found for {}, and although we have previously registered "
               "some profiles to generate a fake kernel, no profiles match the given "
               "inputs: {}.",
               op, call.arguments_text()));
  };
}

GeneratedFakes::GeneratedFakes(Library& library, const OpProfiles& profiles, const Warn& warn) {
  try {
    for (const OperatorProfiles& of_op : profiles) {
      const std::string name = python::str(python::Value{of_op.op, {}, {}});
      if (warn) {
        warn(
            format("Registering fake profile for {}. This will override any existing fake kernel "
                   "registration.",
                   name));
      }
      if (!of_op.op.is(python::Scalar::Kind::kString)) {
        throw_error(ErrorKind::kAttributeError,
                    format("'{}' object has no attribute 'split'", python::class_name(of_op.op)));
      }
      const size_t dot = name.find('.');
      if (dot == std::string::npos) throw_error(ErrorKind::kIndexError, "list index out of range");
      const std::string op =
          name.substr(0, dot) + "::" + name.substr(dot + 1, name.find('.', dot + 1) - (dot + 1));
      fakes_.emplace_back(library, op, generate_fake_kernel(op, of_op.profiles));
    }
  } catch (const Error&) {
    // PyTorch takes back what it overrode, but not what it gave to a custom_op.
    for (Library::ScopedFake& fake : fakes_) fake.keep_if_custom_op();
    throw;
  }
}

}  // namespace faketensor
