// Contractions by subscripts: einsum, tensordot, inner and bilinear, as products of matrices.
#include <algorithm>

#include "core/ops/call.h"
#include "core/ops/families/into.h"
#include "core/ops/families/reduction.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_einsum {
namespace {

// Whether a size is anything but 1; where only data can decide, yes.
bool is_wide(const Tensor& tensor, int64_t dim) { return guard_or_true(tensor.size(dim) != 1); }

const Tensor& permuted(Call& c, const Tensor& tensor, const DimVector& order) {
  return c.tensor<"aten::permute">(tensor, order);
}

// --- one pair of operands ---

// The dimensions of a pair of operands of equal rank: in both, left only, right only, summed.
struct PairDims {
  DimVector both;
  DimVector left;
  DimVector right;
  DimVector summed;
};

DimVector joined(std::initializer_list<const DimVector*> parts) {
  DimVector result;
  for (const DimVector* part : parts) result.append(part->span());
  return result;
}

SymInt size_along(const Tensor& tensor, const DimVector& dims) {
  SymInt size = 1;
  for (const SymInt dim : dims) size = size * tensor.size(dim.as_int());
  return size;
}

void append_sizes(DimVector& sizes, const Tensor& tensor, const DimVector& dims) {
  for (const SymInt dim : dims) sizes.push_back(tensor.size(dim.as_int()));
}

void check_pair(Call& c, const Tensor& left, const Tensor& right, int64_t dim) {
  c.check(left.size(dim) == right.size(dim), "non-broadcast dimensions must match");
}

// Mirrors sumproduct_pair, aten/src/ATen/native/Linear.cpp: the product of two operands summed over
// `summed`, whose dimensions stay with size 1. The product is one of matrices in batches.
Value contract_pair(Call& c, const Tensor& left_operand, const Tensor& right_operand,
                    const DimVector& summed) {
  if (summed.empty()) return c.call<"aten::mul.Tensor">(left_operand, right_operand);
  check_bitset_rank(c, left_operand.dim());
  const Tensor* left = &left_operand;
  const Tensor* right = &right_operand;
  PairDims dims;
  dims.summed = summed;
  SymInt sum_size = 1;
  for (int64_t i = 0; i < left->dim(); ++i) {
    const bool in_left = is_wide(*left, i);
    const bool in_right = is_wide(*right, i);
    const bool is_summed =
        std::any_of(summed.begin(), summed.end(), [&](SymInt dim) { return dim.as_int() == i; });
    if (in_left && in_right) {
      check_pair(c, *left, *right, i);
      if (is_summed) {
        sum_size = sum_size * left->size(i);
      } else {
        dims.both.push_back(i);
      }
    } else if (is_summed) {
      const Tensor*& wide = in_left ? left : right;
      if (in_left || in_right) wide = &c.tensor<"aten::sum.dim_IntList">(*wide, DimVector{i}, true);
    } else {
      (in_left ? dims.left : dims.right).push_back(i);
    }
  }
  // Where all of the right operand's dimensions come first in the output, swapping the operands
  // lets the product write it in order.
  if (!dims.left.empty() && !dims.right.empty() &&
      dims.right.back().as_int() < dims.left.front().as_int()) {
    std::swap(left, right);
    std::swap(dims.left, dims.right);
  }
  const SymInt batch = size_along(*left, dims.both);
  const SymInt rows = size_along(*left, dims.left);
  const SymInt columns = size_along(*right, dims.right);
  DimVector output_sizes;
  append_sizes(output_sizes, *left, dims.both);
  append_sizes(output_sizes, *left, dims.left);
  for (size_t i = 0; i < summed.size(); ++i) output_sizes.push_back(1);
  append_sizes(output_sizes, *right, dims.right);
  const Tensor& left_permuted =
      permuted(c, *left, joined({&dims.both, &dims.left, &dims.summed, &dims.right}));
  const Value left_matrix =
      c.call<"aten::reshape">(left_permuted, DimVector{batch, rows, sum_size});
  const Tensor& right_permuted =
      permuted(c, *right, joined({&dims.both, &dims.summed, &dims.right, &dims.left}));
  const Value right_matrix =
      c.call<"aten::reshape">(right_permuted, DimVector{batch, sum_size, columns});
  const Value product = c.call<"aten::bmm">(left_matrix, right_matrix);
  const DimVector placed = joined({&dims.both, &dims.left, &dims.summed, &dims.right});
  DimVector order(placed.size());
  for (size_t i = 0; i < placed.size(); ++i)
    order[static_cast<size_t>(placed[i].as_int())] = static_cast<int64_t>(i);
  return permuted(c, c.tensor<"aten::view">(product, output_sizes), order);
}

// --- the equation ---

constexpr size_t kLabels = 52;
constexpr uint8_t kEllipsis = kLabels;

bool is_letter(char x) { return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z'); }
uint8_t label_of(char x) {
  return static_cast<uint8_t>(x <= 'Z' ? x - 'A' : x - 'a' + static_cast<int>(kLabels / 2));
}
char letter_of(uint8_t label) {
  return static_cast<char>(label < kLabels / 2 ? 'A' + label
                                               : 'a' + (label - static_cast<int>(kLabels / 2)));
}

using Labels = SmallVector<uint8_t, 16>;

// An equation read and laid out: where each label's dimension stands once all operands are permuted
// alike, first the output's dimensions, then those that are summed.
struct Equation {
  std::vector<Labels> operands;
  int64_t position[kLabels];
  int64_t count[kLabels] = {};
  int64_t ellipsis_rank = 0;  // the most dimensions that an ellipsis stands for
  int64_t ellipsis_position = 0;
  int64_t output_rank = 0;
  int64_t rank = 0;
};

// Whether `text` has "..." at `i`; moves `i` to the last of the dots.
bool skip_ellipsis(std::string_view text, size_t& i) {
  if (text.substr(i, 3) != "...") return false;
  i += 2;
  return true;
}

void read_operands(Call& c, std::string_view text, Equation& equation) {
  size_t operand = 0;
  bool has_ellipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char x = text[i];
    if (x == ' ') continue;
    if (x == ',') {
      ++operand;
      c.check(operand < equation.operands.size(),
              "einsum(): fewer operands were provided than specified in the equation");
      has_ellipsis = false;
    } else if (x == '.') {
      c.check(!has_ellipsis,
              "einsum(): found '.' for operand {} for which an ellipsis was already found",
              operand);
      c.check(skip_ellipsis(text, i),
              "einsum(): found '.' for operand {} that is not part of any ellipsis", operand);
      equation.operands[operand].push_back(kEllipsis);
      has_ellipsis = true;
    } else {
      c.check(is_letter(x),
              "einsum(): invalid subscript given at index {} in the equation string, subscripts "
              "must be in [a-zA-Z]",
              i);
      equation.operands[operand].push_back(label_of(x));
    }
  }
  c.check(operand + 1 == equation.operands.size(),
          "einsum(): more operands were provided than specified in the equation");
}

void count_labels(Call& c, TensorList tensors, Equation& equation) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int64_t rank = tensors[i].dim();
    auto labels = static_cast<int64_t>(equation.operands[i].size());
    bool has_ellipsis = false;
    for (const uint8_t label : equation.operands[i]) {
      if (label == kEllipsis) {
        --labels;
        has_ellipsis = true;
        equation.ellipsis_rank = std::max(equation.ellipsis_rank, rank - labels);
      } else {
        ++equation.count[label];
      }
    }
    c.check(has_ellipsis ? labels <= rank : labels == rank,
            "einsum(): the number of subscripts in the equation ({}{}{}) for operand {}{}", labels,
            has_ellipsis ? ") is more than the number of dimensions ("
                         : ") does not match the number of dimensions (",
            rank, i, has_ellipsis ? "" : " and no ellipsis was given");
  }
}

// Gives the output's labels their positions; returns whether it has the ellipsis.
bool place_output(Call& c, std::string_view text, size_t offset, Equation& equation) {
  bool has_ellipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char x = text[i];
    if (x == ' ') continue;
    if (x == '.') {
      c.check(!has_ellipsis,
              "einsum(): found '.' for output but an ellipsis (...) was already found");
      c.check(skip_ellipsis(text, i),
              "einsum(): found '.' for output that is not part of any ellipsis (...)");
      equation.ellipsis_position = equation.rank;
      equation.rank += equation.ellipsis_rank;
      has_ellipsis = true;
      continue;
    }
    c.check(is_letter(x),
            "einsum(): invalid subscript given at index {} in the equation string, subscripts "
            "must be in [a-zA-Z]",
            offset + i);
    const uint8_t label = label_of(x);
    c.check(equation.count[label] > 0 && equation.position[label] == -1,
            "einsum(): output subscript {}{}", x,
            equation.position[label] > -1
                ? " appears more than once in the output"
                : " does not appear in the equation for any input operand");
    equation.position[label] = equation.rank++;
  }
  return has_ellipsis;
}

Equation read_equation(Call& c, std::string_view text, TensorList tensors) {
  Equation equation;
  equation.operands.resize(tensors.size());
  std::fill(std::begin(equation.position), std::end(equation.position), -1);
  const size_t arrow = text.find("->");
  read_operands(c, text.substr(0, arrow), equation);
  count_labels(c, tensors, equation);
  bool has_ellipsis = true;
  if (arrow == std::string_view::npos) {
    // The implicit output: the ellipsis, then the labels that occur once.
    equation.rank = equation.ellipsis_rank;
    for (size_t label = 0; label < kLabels; ++label) {
      if (equation.count[label] == 1) equation.position[label] = equation.rank++;
    }
  } else {
    has_ellipsis = place_output(c, text.substr(arrow + 2), arrow + 2, equation);
  }
  equation.output_rank = equation.rank;
  if (!has_ellipsis) {
    equation.ellipsis_position = equation.rank;
    equation.rank += equation.ellipsis_rank;
  }
  for (size_t label = 0; label < kLabels; ++label) {
    if (equation.count[label] > 0 && equation.position[label] == -1)
      equation.position[label] = equation.rank++;
  }
  return equation;
}

// --- the operands, aligned ---

struct Aligned {
  std::vector<const Tensor*> operands;
  // For each dimension, how many operands are wider than 1 in it.
  SmallVector<int64_t, 16> wide_count;
};

class Aligner {
 public:
  Aligner(Call& c, const Equation& equation) : c_(c), equation_(equation) {
    result_.wide_count.resize(static_cast<size_t>(equation.rank), 0);
    ellipsis_sizes_.resize(static_cast<size_t>(equation.ellipsis_rank), SymInt(1));
    std::fill(std::begin(label_sizes_), std::end(label_sizes_), SymInt(1));
  }

  // One operand with its dimensions in the common order, diagonals taken and missing dimensions
  // added.
  void add(size_t index, const Tensor& tensor) {
    order_.clear();
    order_.resize(static_cast<size_t>(equation_.rank), SymInt(-1));
    operand_ = &tensor;
    dim_ = 0;
    const Labels& labels = equation_.operands[index];
    for (const uint8_t label : labels) {
      if (label == kEllipsis) {
        const int64_t covered = tensor.dim() - static_cast<int64_t>(labels.size()) + 1;
        for (int64_t j = equation_.ellipsis_rank - covered; j < equation_.ellipsis_rank; ++j)
          place_ellipsis(index, j);
      } else if (order_at(equation_.position[label]).as_int() == -1) {
        place_label(index, label);
      } else {
        take_diagonal(index, label);
      }
    }
    for (SymInt& dim : order_) {
      if (dim.as_int() != -1) continue;
      operand_ = &c_.tensor<"aten::unsqueeze">(*operand_, dim_);
      dim = dim_++;
    }
    result_.operands.push_back(&permuted(c_, *operand_, order_));
  }

  Aligned take() { return std::move(result_); }

 private:
  SymInt& order_at(int64_t position) { return order_[static_cast<size_t>(position)]; }

  void widen(SymInt& known, int64_t position) {
    known = operand_->size(dim_);
    ++result_.wide_count[static_cast<size_t>(position)];
  }

  void place_ellipsis(size_t index, int64_t j) {
    SymInt& known = ellipsis_sizes_[static_cast<size_t>(j)];
    const SymInt size = operand_->size(dim_);
    if (is_wide(*operand_, dim_)) {
      c_.check(sym_or(known == 1, known == size),
               "einsum(): dimension {} covered by ellipsis in operand {}has size {} which does not "
               "broadcast with previously seen ellipsis with size {} for the respective dimension",
               dim_, index, size, known);
      widen(known, equation_.ellipsis_position + j);
    }
    order_at(equation_.ellipsis_position + j) = dim_++;
  }

  void place_label(size_t index, uint8_t label) {
    SymInt& known = label_sizes_[label];
    const SymInt size = operand_->size(dim_);
    if (is_wide(*operand_, dim_)) {
      c_.check(sym_or(known == 1, known == size),
               "einsum(): subscript {} has size {} for operand {} which does not broadcast with "
               "previously seen size {}",
               letter_of(label), size, index, known);
      widen(known, equation_.position[label]);
    }
    order_at(equation_.position[label]) = dim_++;
  }

  void take_diagonal(size_t index, uint8_t label) {
    const int64_t previous = order_at(equation_.position[label]).as_int();
    c_.check(operand_->size(dim_) == operand_->size(previous),
             "einsum(): subscript {} is repeated for operand {} but the sizes don't match, {} != "
             "{}",
             letter_of(label), index, operand_->size(dim_), operand_->size(previous));
    const Value diagonal = c_.call<"aten::diagonal">(*operand_, 0, previous, dim_);
    operand_ = &c_.tensor<"aten::movedim.int">(diagonal, -1, previous);
  }

  Call& c_;
  const Equation& equation_;
  Aligned result_;
  SymInt label_sizes_[kLabels];
  DimVector ellipsis_sizes_;
  // Of the operand at hand.
  const Tensor* operand_ = nullptr;
  int64_t dim_ = 0;
  DimVector order_;
};

// The product of two aligned operands, summed over what no later operand needs.
Value contract(Call& c, const Equation& equation, SmallVector<int64_t, 16>& wide_count,
               const Tensor& left, const Tensor& right) {
  DimVector summed;
  DimVector left_only;
  DimVector right_only;
  for (int64_t dim = equation.output_rank; dim < equation.rank; ++dim) {
    int64_t& count = wide_count[static_cast<size_t>(dim)];
    const bool in_left = is_wide(left, dim);
    const bool in_right = is_wide(right, dim);
    if (in_left && in_right) {
      if (--count == 1) {
        summed.push_back(dim);
        count = 0;
      }
    } else if (count == 1 && (in_left || in_right)) {
      (in_left ? left_only : right_only).push_back(dim);
      count = 0;
    }
  }
  const auto reduced = [&](const Tensor& tensor, const DimVector& dims) -> const Tensor& {
    return dims.empty() ? tensor : c.tensor<"aten::sum.dim_IntList">(tensor, dims, true);
  };
  const Tensor& a = reduced(left, left_only);
  const Tensor& b = reduced(right, right_only);
  return contract_pair(c, a, b, summed);
}

// Which two operands are next: the first two, or what `path` says.
std::pair<size_t, size_t> next_pair(Call& c, std::optional<Dims> path, size_t step, size_t count) {
  if (!path) return {0, 1};
  int64_t i = guard_int((*path)[2 * step]);
  int64_t j = guard_int((*path)[2 * step + 1]);
  if (j < i) std::swap(i, j);
  c.check(i != j && i >= 0 && j < static_cast<int64_t>(count),
          "einsum(): invalid contraction ({}, {}{}", i, j,
          i == j ? ") cannot contract an operand with itself" : ") operand index is out of bounds");
  return {static_cast<size_t>(i), static_cast<size_t>(j)};
}

// Mirrors einsum, aten/src/ATen/native/Linear.cpp.
Value einsum(Call& c, std::string_view text, TensorList tensors, std::optional<Dims> path) {
  c.check(!tensors.empty(), "einsum(): must provide at least one operand");
  const size_t path_size = tensors.size() == 1 ? 1 : (tensors.size() - 1) * 2;
  c.check(!path || path->size() == path_size,
          "einsum(): expected contraction path given in path parameter to have size {} but got {}",
          path_size, path ? path->size() : 0);
  const Equation equation = read_equation(c, text, tensors);
  Aligner aligner(c, equation);
  for (size_t i = 0; i < tensors.size(); ++i) aligner.add(i, tensors[i]);
  Aligned aligned = aligner.take();
  std::vector<const Tensor*>& operands = aligned.operands;
  for (size_t step = 0; operands.size() > 1; ++step) {
    const auto [i, j] = next_pair(c, path, step, operands.size());
    const Tensor& left = *operands[i];
    const Tensor& right = *operands[j];
    operands.erase(operands.begin() + static_cast<ptrdiff_t>(j));
    operands.erase(operands.begin() + static_cast<ptrdiff_t>(i));
    const Tensor& product = contract(c, equation, aligned.wide_count, left, right).tensor();
    operands.insert(path ? operands.end() : operands.begin(), &product);
  }
  const Tensor& result = *operands.front();
  if (equation.rank == equation.output_rank) return result;
  const auto kept = static_cast<size_t>(equation.output_rank);
  if (tensors.size() > 1) return c.call<"aten::view">(result, result.sizes().first(kept));
  DimVector summed;
  for (int64_t dim = equation.output_rank; dim < equation.rank; ++dim) summed.push_back(dim);
  return c.call<"aten::sum.dim_IntList">(result, summed);
}

// --- others ---

// Mirrors tensordot, aten/src/ATen/native/Linear.cpp.
Value tensordot(Call& c, const Tensor& self, const Tensor& other, Dims dims_self, Dims dims_other) {
  c.check(dims_self.size() == dims_other.size(), "both dimension lists should have same length");
  c.check(self.dtype() == other.dtype(), "both inputs should have same dtype");
  if (const Tensor* out = output_of(c)) {
    c.check(out->device() == self.device() && out->device() == other.device(),
            "tensordot: Expected the output and input tensors to be on the same device, but got "
            "the output tensor on {}, input tensor a on {}, and input tensor b on {}",
            out->device(), self.device(), other.device());
    c.check(out->dtype() == self.dtype(),
            "tensordot: Expected the output to have dtype {}, but got {}",
            info(self.dtype()).cpp_name, info(out->dtype()).cpp_name);
  }
  const Tensor* left = &self;
  const Tensor* right = &other;
  SymInt contracted = 1;
  for (size_t i = 0; i < dims_self.size(); ++i) {
    const SymInt left_size = self.size(guard_int(dims_self[i]));
    const SymInt right_size = other.size(guard_int(dims_other[i]));
    if (guard_bool(right_size == 1)) {
      left =
          &c.tensor<"aten::sum.dim_IntList">(*left, DimVector{dims_self[i]}, true, left->dtype());
    } else if (guard_bool(left_size == 1)) {
      right = &c.tensor<"aten::sum.dim_IntList">(*right, DimVector{dims_other[i]}, true,
                                                 right->dtype());
    } else {
      c.check(guard_bool(left_size == right_size),
              "contracted dimensions need to match, but first has size {} in dim {} and second "
              "has size {} in dim {}",
              left_size, dims_self[i], right_size, dims_other[i]);
      contracted = contracted * left_size;
    }
  }
  const DimSet self_set = dim_list_to_bitset(c, dims_self, self.dim());
  const DimSet other_set = dim_list_to_bitset(c, dims_other, other.dim());
  DimVector left_order;
  DimVector right_order(dims_other);
  DimVector sizes;
  SymInt rows = 1;
  SymInt columns = 1;
  for (int64_t i = 0; i < self.dim(); ++i) {
    if (contains(self_set, static_cast<size_t>(i))) continue;
    left_order.push_back(i);
    rows = rows * left->size(i);
    sizes.push_back(left->size(i));
  }
  left_order.append(dims_self);
  for (int64_t i = 0; i < other.dim(); ++i) {
    if (contains(other_set, static_cast<size_t>(i))) continue;
    right_order.push_back(i);
    columns = columns * right->size(i);
    sizes.push_back(right->size(i));
  }
  const Value right_matrix =
      c.call<"aten::reshape">(permuted(c, *right, right_order), DimVector{contracted, columns});
  const Value product = c.call<"aten::mm">(
      c.call<"aten::reshape">(permuted(c, *left, left_order), DimVector{rows, contracted}),
      right_matrix);
  return copy_into(c, c.call<"aten::reshape">(product, sizes));
}

// Mirrors inner, aten/src/ATen/native/LinearAlgebra.cpp.
Value inner(Call& c, const Tensor& self, const Tensor& other) {
  c.check(self.device().type == other.device().type,
          "Expected tensor to have {} DeviceType, but got tensor with {} DeviceType (while "
          "checking arguments for inner())",
          name(self.device().type), name(other.device().type));
  if (self.dim() == 0 || other.dim() == 0)
    return call_into<"aten::mul.Tensor", "aten::mul.out">(c, self, other);
  c.check(cpp_eq(self.size(-1), other.size(-1)),
          "inner() the last dimension must match on both input tensors but got shapes {} and {}",
          self.sizes(), other.sizes());
  return call_into<"aten::tensordot", "aten::tensordot.out">(c, self, other, DimVector{-1},
                                                             DimVector{-1});
}

// Mirrors bilinear, aten/src/ATen/native/Linear.cpp: _trilinear sums into a tensor of zeros.
Value bilinear(Call& c, const Tensor& input1, const Tensor& input2, const Tensor& weight,
               Tensor* bias) {
  const DType dtype = input1.dtype();
  const bool same = input2.dtype() == dtype && weight.dtype() == dtype &&
                    (bias == nullptr || bias->dtype() == dtype);
  c.check(same, "All tensors must have the same dtype, got input1: {}, input2: {}, weight: {}{}{}",
          cpp_type_name(dtype), cpp_type_name(input2.dtype()), cpp_type_name(weight.dtype()),
          bias == nullptr ? "" : ", bias: ", bias == nullptr ? "" : cpp_type_name(bias->dtype()));
  c.check(input1.dim() == input2.dim(), "bilinear(): input dimensions do not match: got {} and {}",
          input1.dim(), input2.dim());
  for (int64_t i = 0; i + 1 < input1.dim(); ++i) {
    c.check(cpp_eq(input1.size(i), input2.size(i)),
            "bilinear(): input batch dimensions do not match at dim {}: got {} and {}", i,
            input1.size(i), input2.size(i));
  }
  // Asked one after the other: arguments are evaluated in any order, and each may raise.
  const SymInt features1 = input1.size(-1);
  c.check(cpp_eq(features1, weight.size(1)),
          "bilinear(): input1 size does not match weight size: got {} but expected {}", features1,
          weight.size(1));
  const SymInt features2 = input2.size(-1);
  c.check(cpp_eq(features2, weight.size(2)),
          "bilinear(): input2 size does not match weight size: got {} but expected {}", features2,
          weight.size(2));
  c.check(bias == nullptr || cpp_eq(bias->size(0), weight.size(0)),
          "bilinear(): bias size does not match weight size: got {} but expected {}",
          bias == nullptr ? SymInt(0) : bias->size(0), weight.size(0));
  c.call<"aten::reshape">(input1, DimVector{-1, input1.size(-1)});
  c.call<"aten::reshape">(input2, DimVector{-1, input2.size(-1)});
  DimVector sizes(input1.sizes());
  sizes.back() = guard_int(weight.size(0));  // the dimension that _trilinear unrolls
  Tensor* output = c.empty(sizes, dtype);
  return bias == nullptr ? Value(output) : c.call<"aten::add.Tensor">(*output, *bias);
}

// clang-format off
constexpr OpDef kEinsum[] = {
    {"aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", rule<&bilinear>(), kComposite},
    {"aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", rule<&einsum>(), kComposite},
    {"aten::inner(Tensor self, Tensor other) -> Tensor", rule<&inner>(), kComposite},
    {"aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor", rule<&tensordot>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_einsum

std::span<const OpDef> einsum_rules() { return rules_of_einsum::kEinsum; }

}  // namespace faketensor
