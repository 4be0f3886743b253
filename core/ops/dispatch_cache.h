// What FakeTensorMode's dispatch cache asks about the tensors of a call.
//
// The cache keeps no answers here, but looking one up and storing it decides the memory format of
// tensors of four and five dimensions, and so guards on symbolic sizes: of the arguments before the
// operator runs, of its results after (extract_tensor_metadata, torch/_subclasses/fake_tensor.py).
//
//   CacheQuestions questions(call);
//   const Value result = ...;
//   questions.ask_about(result);
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// The storage of a view grows where the view reaches beyond it, as that of a meta tensor may: the
// cache makes each view once more by set_ (_get_output_tensor_from_cache_entry and
// set_storage_meta__symint). Decided by form or by the hints, without guards.
void grow_storage(Context& context, const Tensor& view);

// What the cache asks about a tensor with symbolic sizes when an operator is called on it. A rule
// that stands for a call without making it (a reference's prim) asks again, since more may be known
// by then.
void ask_format(const Tensor& tensor);

// A number with its symbols replaced. Asking shortens chains of replacements (ShapeEnv._find).
const ExprNode* replaced(SymInt value);

// Whether an index among the arguments of aten::index.Tensor is a mask.
bool has_mask_index(std::span<const Value> args);

class CacheQuestions {
 public:
  // Asks about the arguments, in order. Asks nothing where there is no ShapeEnv.
  explicit CacheQuestions(Call& call);
  // Asks about what the call returned.
  void ask_about(const Value& result) const;

 private:
  bool ask_about_argument(const Value& arg);
  bool is_known(const Value& result) const;
  bool is_argument(const Tensor& tensor) const;

  Call& call_;
  bool bypassed_ = false;
};

}  // namespace faketensor
