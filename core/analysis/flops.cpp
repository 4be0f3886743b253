#include "core/analysis/flops.h"

#include "core/ops/name_table.h"

namespace faketensor {

namespace {

Dims sizes_of(const Value& value) {
  return value.is_tensor() ? value.tensor().meta->sizes() : Dims();
}

SymInt product(Dims sizes) {
  SymInt product = 1;
  for (const SymInt size : sizes) product *= size;
  return product;
}

SymInt matrix_product(Dims a, Dims b) { return 2 * a[0] * a[1] * b[1]; }
SymInt batched_product(Dims a, Dims b) { return 2 * a[0] * a[1] * a[2] * b[2]; }

struct CallOf {
  std::span<const Value> args;
  const Value& result;
  Dims arg(size_t at) const { return at < args.size() ? sizes_of(args[at]) : Dims(); }
  // The sizes of the result, or of the tensor at a place in it.
  Dims out(size_t at = 0) const {
    return result.is(Value::Tag::kList) ? sizes_of(result.values()[at]) : sizes_of(result);
  }
};

SymInt mm(const CallOf& call) { return matrix_product(call.arg(0), call.arg(1)); }
SymInt addmm(const CallOf& call) { return matrix_product(call.arg(1), call.arg(2)); }
SymInt bmm(const CallOf& call) { return batched_product(call.arg(0), call.arg(1)); }
SymInt baddbmm(const CallOf& call) { return batched_product(call.arg(1), call.arg(2)); }

// Each point of the output (of a transposed one: of the input) multiplies the filter with something,
// for each channel in and out.
SymInt convolution_of(Dims x, Dims weight, Dims out, bool transposed) {
  return 2 * x[0] * product((transposed ? x : out).subspan(2)) * product(weight);
}

SymInt convolution(const CallOf& call) {
  return convolution_of(call.arg(0), call.arg(1), call.out(), call.args[6].to_bool());
}
// Operators that have no transposed form.
SymInt plain_convolution(const CallOf& call) {
  return convolution_of(call.arg(0), call.arg(1), call.out(), false);
}

DimVector swapped(Dims sizes) {
  DimVector other(sizes);
  std::swap(other[0], other[1]);
  return other;
}

// The gradient of the input is a transposed convolution of the output's gradient with the filter; the
// filter's is a convolution of the two.
SymInt convolution_backward(const CallOf& call) {
  const Dims grad = call.arg(0);
  const Dims x = call.arg(1);
  const Dims weight = call.arg(2);
  const bool transposed = call.args[7].to_bool();
  const Value& mask = call.args[10];
  SymInt flops = 0;
  if (mask[0].to_bool()) flops += convolution_of(grad, weight, call.out(0), !transposed);
  if (mask[1].to_bool()) {
    const DimVector out = swapped(call.out(1));
    const DimVector a = swapped(transposed ? grad : x);
    const DimVector b = swapped(transposed ? x : grad);
    flops += convolution_of(a, b, out, false);
  }
  return flops;
}

SymInt attention_of(Dims query, Dims key, Dims value) {
  return 2 * query[0] * query[1] * query[2] * key[2] * (query[3] + value[3]);
}

SymInt attention_backward_of(Dims query, Dims key, Dims value) {
  return 2 * query[0] * query[1] * query[2] * key[2] * (3 * query[3] + 2 * value[3]);
}

SymInt attention(const CallOf& call) { return attention_of(call.arg(0), call.arg(1), call.arg(2)); }
SymInt attention_backward(const CallOf& call) {
  return attention_backward_of(call.arg(1), call.arg(2), call.arg(3));
}

// What a nested batch is as rows of its longest: [rows, heads, width] in `offsets` - 1 pieces. Lengths
// are data, so each is taken for the longest.
struct Nested {
  SymInt batch, longest_query, longest_key;
};

SymInt nested_attention(Dims query, Dims key, Dims value, const Nested& of, size_t heads,
                        bool back) {
  const size_t width = heads + 1;
  const DimVector q = {of.batch, query[heads], of.longest_query, query[width]};
  const DimVector k = {of.batch, key[heads], of.longest_key, key[width]};
  const DimVector v = {of.batch, value[heads], of.longest_key, value[width]};
  return back ? attention_backward_of(q, k, v) : attention_of(q, k, v);
}

// _flash_attention_* and _efficient_attention_*: `first` is the query's place, `offsets` that of the
// offsets of its pieces, after which come the key's and the two longest lengths.
SymInt kernel_attention(const CallOf& call, size_t first, size_t offsets, size_t heads, bool back) {
  const Dims query = call.arg(first);
  const Dims key = call.arg(first + 1);
  const Dims value = call.arg(first + 2);
  if (!call.args[offsets].is_tensor())
    return back ? attention_backward_of(query, key, value) : attention_of(query, key, value);
  const Nested nested{call.arg(offsets)[0] - 1, call.args[offsets + 2].as_sym_int(),
                      call.args[offsets + 3].as_sym_int()};
  return nested_attention(query, key, value, nested, heads, back);
}

SymInt flash(const CallOf& call) { return kernel_attention(call, 0, 3, 1, false); }
SymInt flash_backward(const CallOf& call) { return kernel_attention(call, 1, 6, 1, true); }
SymInt efficient(const CallOf& call) { return kernel_attention(call, 0, 4, 2, false); }
SymInt efficient_backward(const CallOf& call) { return kernel_attention(call, 1, 6, 2, true); }

struct FlopFormula {
  std::string_view op;  // of all its overloads
  SymInt (*count)(const CallOf& call);
};

constexpr FlopFormula kFormulas[] = {
    {"_convolution", &convolution},
    {"_efficient_attention_backward", &efficient_backward},
    {"_efficient_attention_forward", &efficient},
    {"_flash_attention_backward", &flash_backward},
    {"_flash_attention_forward", &flash},
    {"_scaled_dot_product_cudnn_attention", &attention},
    {"_scaled_dot_product_cudnn_attention_backward", &attention_backward},
    {"_scaled_dot_product_efficient_attention", &attention},
    {"_scaled_dot_product_efficient_attention_backward", &attention_backward},
    {"_scaled_dot_product_flash_attention", &attention},
    {"_scaled_dot_product_flash_attention_backward", &attention_backward},
    {"_scaled_mm", &mm},
    {"_slow_conv2d_forward", &plain_convolution},
    {"addmm", &addmm},
    {"baddbmm", &baddbmm},
    {"bmm", &bmm},
    {"convolution", &convolution},
    {"convolution_backward", &convolution_backward},
    {"convolution_overrideable", &convolution},
    {"cudnn_convolution", &plain_convolution},
    {"mm", &mm},
};
constexpr NameTable kFormulaTable(kFormulas);

}  // namespace

std::optional<SymInt> flops_of(const OpEntry& op, std::span<const Value> args,
                               const Value& result) {
  if (!op.is_aten()) return std::nullopt;
  const FlopFormula* formula = kFormulaTable.find(op.packet());
  if (formula == nullptr) return std::nullopt;
  return formula->count({args, result});
}

}  // namespace faketensor
