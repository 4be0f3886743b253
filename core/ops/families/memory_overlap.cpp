#include "core/ops/families/memory_overlap.h"

#include <algorithm>

namespace faketensor {

namespace {

enum class Overlap : uint8_t { kNone, kPartial, kFull };

// at::get_overlap_status; what is not dense is too hard to tell, and passes.
Overlap overlap(const Tensor& a, const Tensor& b) {
  if (&a == &b) return Overlap::kFull;
  if (guard_or_false(a.numel() == 0) || guard_or_false(b.numel() == 0)) return Overlap::kNone;
  if (!a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()) return Overlap::kNone;
  if (a.storage == nullptr || a.storage != b.storage) return Overlap::kNone;
  const SymInt a_size = info(a.dtype()).itemsize;
  const SymInt b_size = info(b.dtype()).itemsize;
  const SymInt a_begin = a.offset() * a_size;
  const SymInt b_begin = b.offset() * b_size;
  const SymInt a_end = a_begin + a.numel() * a_size;
  const SymInt b_end = b_begin + b.numel() * b_size;
  if (guard_or_false(a_begin == b_begin) && guard_or_false(a_end == b_end)) {
    const bool same = equal_or_false(a.strides(), b.strides());
    return same ? Overlap::kFull : Overlap::kPartial;
  }
  const bool meet = guard_or_false(a_begin < b_end) && guard_or_false(b_begin < a_end);
  return meet ? Overlap::kPartial : Overlap::kNone;
}

void refuse_shared(const Call& call, bool shared) {
  call.check(!shared,
             "unsupported operation: some elements of the input tensor and the written-to tensor "
             "refer to a single memory location. Please clone() the tensor before performing the "
             "operation.");
}

// The argument of this name, null where it is no tensor or there is none.
const Tensor* argument(const Call& call, std::string_view name) {
  const int position = call.op().schema.find_argument(name);
  if (position < 0 || !call.arg(static_cast<size_t>(position)).is_tensor()) return nullptr;
  return &call.arg(static_cast<size_t>(position)).tensor();
}

}  // namespace

bool has_internal_overlap(const Tensor& tensor) {
  if (tensor.is_non_overlapping_and_dense()) return false;
  for (size_t i = 0; i < tensor.sizes().size(); ++i) {
    if (guard_or_false(tensor.strides()[i] == 0) && guard_or_false(tensor.sizes()[i] > 1))
      return true;
  }
  return false;
}

void check_no_internal_overlap(const Call& call, const Tensor& out) {
  call.check(!has_internal_overlap(out),
             "unsupported operation: more than one element of the written-to tensor refers to a "
             "single memory location. Please clone() the tensor before performing the operation.");
}

void check_no_overlap(const Call& call, const Tensor& out, const Tensor& input) {
  refuse_shared(call, overlap(out, input) != Overlap::kNone);
}

void check_no_partial_overlap(const Call& call, const Tensor& out, const Tensor& input) {
  refuse_shared(call, overlap(out, input) == Overlap::kPartial);
}

void check_scatter_overlap(const Call& call, const Tensor& out) {
  const std::string_view name = call.op().schema.name;
  const bool is_gather = name == "aten::gather";
  if (!is_gather && name != "aten::scatter" && name != "aten::scatter_add") return;
  check_no_internal_overlap(call, out);
  const Tensor* read = argument(call, is_gather ? "self" : "src");
  if (read != nullptr) check_no_overlap(call, out, *read);
  const Tensor* index = argument(call, "index");
  if (index == nullptr) return;
  is_gather ? check_no_partial_overlap(call, out, *index) : check_no_overlap(call, out, *index);
}

}  // namespace faketensor
