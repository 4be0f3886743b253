// FunctionalizedViews: what auto_functionalized_v2 says of the arguments that its operator writes to.
//
// They are not given themselves but as views of bases, by keywords: "_x_base_index" is the base, None
// for an argument that is None; "_x_alias", "_x_storage_offset" with "_x_size" and "_x_stride", or
// "_x_slice_dim" with "_x_slice_start" and "_x_slice_end" make a view of it. Of a list "_x_length" says
// how many there are, "_x_0_base_index" the first. Mirrors read_view_information_from_args and
// regenerate_view, torch/_higher_order_ops/auto_functionalize.py. Who runs the call makes values of
// the views, who undoes it nodes.
//
//   FunctionalizedViews views(keywords, {.view = ..., .list = ...});
//   views.bases = ...;                    // of views.take("_all_bases")
//   views.regenerate("x", false);         // the keyword `x` stands for what described it
//   views.keywords();                     // what the operator is called with
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/higher_order.h"

namespace faketensor {

class FunctionalizedViews {
 public:
  using Keyword = HigherOrderCall::Keyword;
  struct Maker {
    // Calls an operator: "torch.ops.aten.alias.default".
    std::function<Value(std::string_view op, const std::vector<Value>& args)> view;
    std::function<Value(const std::vector<Value>& elements)> list;
  };

  FunctionalizedViews(std::vector<Keyword> keywords, Maker maker)
      : keywords_(std::move(keywords)), maker_(std::move(maker)) {}

  // Null for one that is not given, or was taken.
  const Value* find(std::string_view name) const;
  // Raises KeyError for one that is not given.
  Value take(std::string_view name);
  // `name` must live as long as the keywords. Raises KeyError where the description lacks a part,
  // IndexError for a base that there is not.
  void regenerate(std::string_view name, bool is_list);
  const std::vector<Keyword>& keywords() const { return keywords_; }

  std::vector<Value> bases;

 private:
  Value view(const std::string& prefix);

  std::vector<Keyword> keywords_;
  Maker maker_;
};

}  // namespace faketensor
