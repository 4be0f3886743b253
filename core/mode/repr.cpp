#include "core/mode/repr.h"

#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr size_t kLineWidth = 80;  // torch._tensor_str.PRINT_OPTS.linewidth

// str(tuple(dims)): "()", "(2,)", "(2, s77)".
std::string tuple_of(Dims dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) text += format(i == 0 ? "{}" : ", {}", dims[i]);
  text += dims.size() == 1 ? ",)" : ")";
  return text;
}

// Mirrors _add_suffixes: what does not fit a line goes to the next, below the first element.
std::string with_suffixes(std::string text, std::span<const std::string> suffixes, size_t indent,
                          bool force_newline) {
  const size_t newline = text.rfind('\n');
  size_t line = newline == std::string::npos ? text.size() + 2 : text.size() - newline + 1;
  for (const std::string& suffix : suffixes) {
    if (force_newline || line + suffix.size() + 2 > kLineWidth) {
      text += format(",\n{}{}", std::string(indent, ' '), suffix);
      line = indent + suffix.size();
      force_newline = false;
    } else {
      text += format(", {}", suffix);
      line += suffix.size() + 2;
    }
  }
  return text + ")";
}

bool is_sparse_compressed(Layout layout) {
  return layout == Layout::kSparseCsr || layout == Layout::kSparseCsc ||
         layout == Layout::kSparseBsr || layout == Layout::kSparseBsc;
}

// "values=tensor(..., size=(2, 0))": one of the tensors that a sparse one consists of.
std::string member(std::string_view name, Dims sizes) {
  return format("{}=tensor(..., size={})", name, tuple_of(sizes));
}

std::string sparse_members(const Tensor& tensor, size_t indent) {
  const SparseMeta& sparse = *tensor.meta->sparse();
  const std::string line = ",\n" + std::string(indent, ' ');
  DimVector values = {sparse.nnz};
  if (tensor.layout() == Layout::kSparseCoo) {
    for (size_t d = static_cast<size_t>(sparse.sparse_dim); d < tensor.sizes().size(); ++d)
      values.push_back(tensor.sizes()[d]);
    return member("indices", DimVector{sparse.sparse_dim, sparse.nnz}) + line +
           member("values", values);
  }
  const bool by_row =
      tensor.layout() == Layout::kSparseCsr || tensor.layout() == Layout::kSparseBsr;
  const bool is_blocked =
      tensor.layout() == Layout::kSparseBsr || tensor.layout() == Layout::kSparseBsc;
  const SymInt block = is_blocked ? sparse.block_size[by_row ? 0 : 1] : SymInt(1);
  const SymInt compressed = floor_div(tensor.size(by_row ? -2 : -1), block) + 1;
  if (is_blocked) values.append(Dims(sparse.block_size));
  return member(by_row ? "crow_indices" : "ccol_indices", DimVector{compressed}) + line +
         member(by_row ? "col_indices" : "row_indices", DimVector{sparse.nnz}) + line +
         member("values", values);
}

DType default_complex(DType real) {
  return real == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}

}  // namespace

std::string tensor_text(const Tensor& tensor, const ReprFacts& facts) {
  constexpr std::string_view kPrefix = "FakeTensor(";
  const bool is_strided = tensor.layout() == Layout::kStrided;
  std::vector<std::string> suffixes;
  if (!tensor.device().is_cpu()) suffixes.push_back(format("device='{}'", tensor.device()));
  suffixes.push_back("size=" + tuple_of(tensor.sizes()));
  const DType dtype = tensor.dtype();
  const bool is_usual = dtype == facts.default_dtype ||
                        (!is_strided && (dtype == default_complex(facts.default_dtype) ||
                                         dtype == DType::kInt64 || dtype == DType::kBool));
  if (!is_usual) suffixes.push_back(format("dtype={}", dtype));
  if (!is_strided) suffixes.push_back(format("layout={}", tensor.layout()));
  if (!facts.grad_fn.empty()) {
    suffixes.push_back(format("grad_fn=<{}>", facts.grad_fn));
  } else if (tensor.meta->has(kRequiresGrad)) {
    suffixes.emplace_back("requires_grad=True");
  }
  std::string text(kPrefix);
  const bool is_coo = tensor.layout() == Layout::kSparseCoo;
  text += is_coo || is_sparse_compressed(tensor.layout()) ? sparse_members(tensor, kPrefix.size())
                                                          : "...";
  text = with_suffixes(std::move(text), suffixes, kPrefix.size(), is_coo);
  return facts.is_parameter ? format("Parameter({})", text) : text;
}

std::string call_text(const OpEntry& op, std::span<const Value> args,
                      const ModeSurroundings& surroundings) {
  std::string text = op.python_name() + '(';
  const auto append_value = [&](const Value& value, auto&& self) -> void {
    if (value.is(Value::Tag::kList)) {
      text += '[';
      for (size_t i = 0; i < value.size(); ++i) {
        if (i > 0) text += ", ";
        self(value.values()[i], self);
      }
      text += ']';
    } else if (!value.is_tensor()) {
      append_text(text, value);
    } else if (surroundings.is_fake(value.tensor())) {
      text += tensor_text(value.tensor());
    } else {
      text += format("tensor([...], size={})", tuple_of(value.tensor().sizes()));
    }
  };
  // Trailing arguments that are their defaults were not given.
  size_t given = args.size();
  while (given > 0 && op.schema.arguments[given - 1].has_default &&
         format("{}", args[given - 1]) ==
             format("{}", op.schema.arguments[given - 1].default_value))
    --given;
  for (size_t i = 0; i < given; ++i) {
    if (i > 0) text += ", ";
    const Argument& argument = op.schema.arguments[i];
    if (argument.is_keyword_only) text += format("{}=", argument.name);
    append_value(args[i], append_value);
  }
  return text + ")";
}

}  // namespace faketensor
