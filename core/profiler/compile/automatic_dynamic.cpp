#include "core/profiler/compile/automatic_dynamic.h"

#include <algorithm>
#include <numeric>

#include "core/symbolic/sym_int.h"

namespace faketensor {

// Strides that follow from a smaller one and its size are noted by the dimension they follow from
// (a negative number), so that they are not dynamic for the size's sake.
std::vector<AutomaticDynamic::Atom> AutomaticDynamic::inferred_strides(const Tensor& tensor) {
  const Dims sizes = tensor.sizes();
  const Dims strides = tensor.strides();
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto number = [](SymInt value) { return hint(value).value_or(0); };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int64_t first = number(strides[a]);
    const int64_t second = number(strides[b]);
    return first != second ? first < second : a > b;
  });
  std::vector<Atom> noted(sizes.size());
  std::map<int64_t, int64_t> candidates;
  for (const size_t dim : order) {
    const int64_t stride = number(strides[dim]);
    const auto found = candidates.find(stride);
    noted[dim] = found == candidates.end() ? stride : found->second;
    candidates.emplace(stride * number(sizes[dim]), -1 - static_cast<int64_t>(dim));
  }
  return noted;
}

void AutomaticDynamic::merge(std::optional<std::vector<Atom>>& seen, const std::vector<Atom>& now) {
  if (!seen) return;
  if (seen->size() != now.size()) {
    seen.reset();
    return;
  }
  for (size_t i = 0; i < now.size(); ++i) {
    if ((*seen)[i] != now[i]) (*seen)[i].reset();
  }
}

void AutomaticDynamic::note(const std::string& name, const Tensor& tensor) {
  std::vector<Atom> sizes;
  for (const SymInt size : tensor.sizes()) sizes.push_back(hint(size));
  Input& input = inputs_[name];
  if (!input.is_seen) {
    input = {true, sizes, inferred_strides(tensor), std::nullopt};
    return;
  }
  merge(input.sizes, sizes);
  merge(input.strides, inferred_strides(tensor));
  input.number.reset();
}

void AutomaticDynamic::note(const std::string& name, double number) {
  Input& input = inputs_[name];
  if (!input.is_seen) {
    input = {true, std::nullopt, std::nullopt, number};
    return;
  }
  input.sizes.reset();
  input.strides.reset();
  if (input.number != number) input.number.reset();
}

const AutomaticDynamic::Input* AutomaticDynamic::find(const std::string& name) const {
  const auto found = inputs_.find(name);
  return found == inputs_.end() ? nullptr : &found->second;
}

bool AutomaticDynamic::is_size_dynamic(const std::string& name, size_t dim) const {
  const Input* input = find(name);
  if (input == nullptr) return false;
  return !input->sizes || !(*input->sizes)[dim];
}

bool AutomaticDynamic::is_stride_dynamic(const std::string& name, size_t dim) const {
  const Input* input = find(name);
  if (input == nullptr || !input->sizes) return false;
  const bool is_static = std::all_of(input->sizes->begin(), input->sizes->end(),
                                     [](const Atom& size) { return size.has_value(); });
  return is_static && (!input->strides || !(*input->strides)[dim]);
}

bool AutomaticDynamic::is_number_dynamic(const std::string& name) const {
  const Input* input = find(name);
  return input != nullptr && !input->number;
}

}  // namespace faketensor
