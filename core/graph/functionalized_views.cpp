#include "core/graph/functionalized_views.h"

#include <algorithm>

#include "core/support/format.h"

namespace faketensor {

const Value* FunctionalizedViews::find(std::string_view name) const {
  for (const Keyword& keyword : keywords_)
    if (keyword.name == name) return &keyword.value;
  return nullptr;
}

Value FunctionalizedViews::take(std::string_view name) {
  const auto found = std::find_if(keywords_.begin(), keywords_.end(),
                                  [&](const Keyword& keyword) { return keyword.name == name; });
  if (found == keywords_.end()) throw_error(ErrorKind::kKeyError, format("'{}'", name));
  const Value value = found->value;
  keywords_.erase(found);
  return value;
}

void FunctionalizedViews::regenerate(std::string_view name, bool is_list) {
  const std::string prefix = format("_{}", name);
  if (!is_list) {
    const Value made = view(prefix);
    keywords_.push_back({name, made});
    return;
  }
  const Value length = take(prefix + "_length");
  Value made;
  if (length.is(Value::Tag::kInt)) {
    std::vector<Value> elements;
    for (int64_t i = 0; i < length.to_int(); ++i)
      elements.push_back(view(format("{}_{}", prefix, i)));
    made = maker_.list(elements);
  }
  keywords_.push_back({name, made});
}

Value FunctionalizedViews::view(const std::string& prefix) {
  const Value index = take(prefix + "_base_index");
  if (!index.is(Value::Tag::kInt)) return {};
  const auto at = static_cast<size_t>(index.to_int());
  if (at >= bases.size()) throw_error(ErrorKind::kIndexError, "list index out of range");
  const Value& base = bases[at];
  if (find(prefix + "_alias") != nullptr) {
    take(prefix + "_alias");
    return maker_.view("torch.ops.aten.alias.default", {base});
  }
  if (find(prefix + "_storage_offset") != nullptr) {
    // Sizes are a tuple in the description, a list in a call.
    const auto sizes = [&](const char* what) {
      const Value given = take(prefix + what);
      return given.is(Value::Tag::kList) ? Value::list(given.values()) : given;
    };
    const Value size = sizes("_size");
    const Value stride = sizes("_stride");
    return maker_.view("torch.ops.aten.as_strided.default",
                       {base, size, stride, take(prefix + "_storage_offset")});
  }
  if (find(prefix + "_slice_dim") != nullptr) {
    const Value dim = take(prefix + "_slice_dim");
    const Value start = take(prefix + "_slice_start");
    return maker_.view("torch.ops.aten.slice.Tensor",
                       {base, dim, start, take(prefix + "_slice_end")});
  }
  return base;
}

}  // namespace faketensor
