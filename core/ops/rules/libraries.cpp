// Operators of libraries on top of PyTorch that exported models use: torchvision and transformers.
#include "core/ops/call.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace rules_of_libraries {
namespace {

// --- torchvision: torchvision/_meta_registrations.py ---

void check_dtypes(Call& c, const Tensor& tensor, std::string_view name, const Tensor& rois) {
  c.check(tensor.dtype() == rois.dtype(),
          "Expected tensor for {} to have the same type as tensor for rois; but type {} does not "
          "equal {}",
          name, tensor.dtype(), rois.dtype());
}
void check_regions(Call& c, const Tensor& input, const Tensor& rois) {
  c.check(rois.size(1) == 5, "rois must have shape as Tensor[K, 5]");
  check_dtypes(c, input, "input", rois);
}

// Mirrors meta_roi_align.
Value roi_align(Call& c, const Tensor& input, const Tensor& rois, double, SymInt pooled_height,
                SymInt pooled_width) {
  check_regions(c, input, rois);
  return c.empty({rois.size(0), input.size(1), pooled_height, pooled_width}, input.dtype());
}
Value quantized_roi_align(Call& c, const Tensor& input, const Tensor& rois, double, int64_t, double,
                          int64_t, double, SymInt pooled_height, SymInt pooled_width) {
  return roi_align(c, input, rois, 1, pooled_height, pooled_width);
}

// Mirrors meta_roi_pool: the second result says where the maxima are.
Value roi_pool(Call& c, const Tensor& input, const Tensor& rois, double, SymInt pooled_height,
               SymInt pooled_width) {
  check_regions(c, input, rois);
  const DimVector sizes = {rois.size(0), input.size(1), pooled_height, pooled_width};
  return c.tuple({c.empty(sizes, input.dtype()), c.empty(sizes, DType::kInt32)});
}

// Mirrors meta_ps_roi_align and meta_ps_roi_pool: each cell of the result has its own channels.
Value position_sensitive(Call& c, const Tensor& input, const Tensor& rois, double,
                         SymInt pooled_height, SymInt pooled_width) {
  check_regions(c, input, rois);
  const SymInt cells = pooled_height * pooled_width;
  // torchvision gives torch._check a text where it takes a function.
  c.check_as(ErrorKind::kTypeError, guard_bool(mod(input.size(1), cells) == 0),
             "message must be a callable");
  const DimVector sizes = {rois.size(0), floor_div(input.size(1), cells), pooled_height,
                           pooled_width};
  return c.tuple({c.empty(sizes, input.dtype()), c.empty(sizes, DType::kInt32)});
}

// The gradient of a pooling has the sizes of its input, which begin at argument `at`. Mirrors
// meta_roi_align_backward and its like.
template <size_t at>
Value roi_backward(Call& c, uint64_t) {
  const Tensor& grad = c.arg(0).tensor();
  check_dtypes(c, grad, "grad", c.arg(1).tensor());
  DimVector sizes;
  for (size_t i = at; i < at + 4; ++i) sizes.push_back(c.arg(i).as_sym_int());
  return c.empty(sizes, grad.dtype());
}

// Mirrors meta_deform_conv2d.
Value deform_conv2d(Call& c, const Tensor& input, const Tensor& weight, const Tensor& offset) {
  return c.empty({input.size(0), weight.size(0), offset.size(-2), offset.size(-1)}, input.dtype());
}

// Mirrors meta_deform_conv2d_backward: a gradient of each tensor, contiguous.
Value deform_conv2d_backward(Call& c, const Tensor&, const Tensor& input, const Tensor& weight,
                             const Tensor& offset, const Tensor& mask, const Tensor& bias) {
  const auto like = [&c](const Tensor& tensor) { return c.empty(tensor.sizes(), tensor.dtype()); };
  return c.tuple({like(input), like(weight), like(offset), like(mask), like(bias)});
}

// It has no fake kernel.
Value box_iou_rotated(Call& c, const Tensor&, const Tensor&) {
  c.fail(ErrorKind::kUnsupportedOperator, "torchvision.box_iou_rotated.default");
}

// Mirrors meta_nms: how many boxes are kept is data.
Value nms(Call& c, const Tensor& dets, const Tensor& scores) {
  c.check(dets.dim() == 2, "boxes should be a 2d tensor, got {}D", dets.dim());
  c.check(dets.size(1) == 4, "boxes should have 4 elements in dimension 1, got {}", dets.size(1));
  c.check(scores.dim() == 1, "scores should be a 1d tensor, got {}", scores.dim());
  c.check(dets.size(0) == scores.size(0),
          "boxes and scores should have same number of elements in dimension 0, got {} and {}",
          dets.size(0), scores.size(0));
  const SymInt kept = c.unbacked_int(ErrorKind::kDynamicOutputShape);
  c.context().shape_env()->constrain_range_for_size(kept);
  return c.empty_on(dets.device(), DimVector{kept}, DType::kInt64);
}

// --- transformers: transformers/integrations/moe.py ---

// Mirrors _grouped_mm_fallback_fake: rows sorted by expert, each times its expert's matrix.
Value grouped_mm_fallback(Call& c, const Tensor& input, const Tensor& weight, const Tensor& offs) {
  const auto check = [&](bool condition) {
    c.check_as(ErrorKind::kAssertionError, condition,
               "grouped_mm_fallback takes input (S, input_dim), weight (num_experts, input_dim, "
               "output_dim) and offs (num_experts,)");
  };
  check(input.dim() == 2 && weight.dim() == 3 && offs.dim() == 1);
  check(guard_bool(offs.size(0) == weight.size(0)));
  check(guard_bool(input.size(1) == weight.size(1)));
  return c.empty({input.size(0), weight.size(2)}, input.dtype());
}

// The CUDA that torchvision's wheel is built with.
Value cuda_version(Call&) { return 13000; }

// clang-format off
constexpr OpDef kLibraries[] = {
    {"torchvision::_cuda_version() -> int _0", rule<&cuda_version>(), kByComposite},
    {"torchvision::_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", rule<&deform_conv2d_backward>()},
    {"torchvision::_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor", {&roi_backward<7>}},
    {"torchvision::_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor", {&roi_backward<6>}},
    {"torchvision::_roi_align_backward(Tensor grad, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width, int sampling_ratio, bool aligned) -> Tensor", {&roi_backward<5>}},
    {"torchvision::_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor", {&roi_backward<6>}},
    {"torchvision::box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor", rule<&box_iou_rotated>(), kByUnsupported},
    {"torchvision::deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor", rule<&deform_conv2d>()},
    {"torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", rule<&nms>(), kSizeIsData | kByCustomFake},
    {"torchvision::ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio) -> (Tensor, Tensor)", rule<&position_sensitive>()},
    {"torchvision::ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)", rule<&position_sensitive>()},
    {"torchvision::qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", rule<&nms>(), kSizeIsData | kByCustomFake},
    {"torchvision::qroi_align(Tensor input, Tensor rois, float input_scale, int input_zero_point, float rois_scale, int rois_zero_point, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor", rule<&quantized_roi_align>()},
    {"torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor", rule<&roi_align>()},
    {"torchvision::roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)", rule<&roi_pool>()},
    {"transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor", rule<&grouped_mm_fallback>()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_libraries

std::span<const OpDef> library_rules() { return rules_of_libraries::kLibraries; }

}  // namespace faketensor
