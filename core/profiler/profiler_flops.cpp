// The FLOPs of torch.profiler's with_flops.
#include "core/profiler/event_recorder.h"

namespace faketensor {

namespace {

// The product of sizes by their hints, 0 where one has none.
int64_t product(Dims sizes) {
  int64_t result = 1;
  for (const SymInt size : sizes) result *= hint(size).value_or(0);
  return result;
}

// Twice the elements of the first matrix times the columns of the second.
int64_t matmul_flops(const Value& first, const Value& second) {
  if (!first.is_tensor() || !second.is_tensor()) return 0;
  const Dims sizes = second.tensor().sizes();
  if (sizes.empty()) return 0;
  return 2 * product(first.tensor().sizes()) * hint(sizes.back()).value_or(0);
}

struct Window {
  int64_t size, kernel, stride, padding, dilation;
  int64_t positions() const {
    return stride == 0 ? 0 : (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  }
};

// Element `i` of a list of two integers, or the integer that stands for both.
int64_t of_pair(std::span<const Value> args, size_t position, size_t i, int64_t otherwise) {
  if (position >= args.size()) return otherwise;
  const Value& value = args[position];
  if (value.is(Value::Tag::kInt)) return hint(value.as_sym_int()).value_or(0);
  if (!value.is(Value::Tag::kIntList) || value.size() == 0) return otherwise;
  return hint(value.ints()[std::min(i, value.size() - 1)]).value_or(0);
}

int64_t conv2d_flops(std::span<const Value> args) {
  if (!args[0].is_tensor() || !args[1].is_tensor()) return 0;
  const Dims input = args[0].tensor().sizes();
  const Dims weight = args[1].tensor().sizes();
  const int64_t groups = of_pair(args, 6, 0, 1);
  if (input.size() != 4 || weight.size() != 4 || groups == 0) return 0;
  int64_t positions = 1;
  for (size_t i = 0; i < 2; ++i) {
    const Window window = {hint(input[2 + i]).value_or(0), hint(weight[2 + i]).value_or(0),
                           of_pair(args, 3, i, 1), of_pair(args, 4, i, 0), of_pair(args, 5, i, 1)};
    positions *= window.positions() * window.kernel;
  }
  return 2 * product(input.first(2)) * hint(weight[0]).value_or(0) * positions / groups;
}

}  // namespace

int64_t profiler_flops(const OpEntry& op, std::span<const Value> args) {
  const std::string_view name = op.schema.name;
  if (args.size() < 2) return 0;
  if (name == "aten::add" || name == "aten::mul")
    return args[0].is_tensor() ? product(args[0].tensor().sizes()) : 0;
  if (name == "aten::mm" || name == "aten::bmm") return matmul_flops(args[0], args[1]);
  if (name == "aten::addmm" || name == "aten::baddbmm")
    return args.size() < 3 ? 0 : matmul_flops(args[1], args[2]);
  return name == "aten::conv2d" ? conv2d_flops(args) : 0;
}

}  // namespace faketensor
