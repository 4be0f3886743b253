// Operators of libraries on top of PyTorch: torchvision's on boxes and regions of interest, and the
// grouped product of mixture-of-experts models (transformers).
#include "core/ops/call.h"
#include "core/ops/rules/tables.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// --- torchvision (torchvision/_meta_registrations.py) ---

// Mirrors meta_nms: how many boxes are kept is data.
Tensor* nms(Call& c, const Tensor& dets, const Tensor& scores) {
  c.check(dets.dim() == 2, "boxes should be a 2d tensor, got {}D", dets.dim());
  c.check(dets.size(1) == 4, "boxes should have 4 elements in dimension 1, got {}", dets.size(1));
  c.check(scores.dim() == 1, "scores should be a 1d tensor, got {}", scores.dim());
  c.check(dets.size(0) == scores.size(0),
          "boxes and scores should have same number of elements in dimension 0, got {} and {}",
          dets.size(0), scores.size(0));
  const SymInt kept = c.unbacked_int(ErrorKind::kDynamicOutputShape);
  c.context().shape_env()->constrain_range_for_size(kept);
  return c.empty({kept}, DType::kInt64);
}

void check_dtypes(Call& c, const Tensor& tensor, std::string_view name, const Tensor& rois) {
  c.check(tensor.dtype() == rois.dtype(),
          "Expected tensor for {} to have the same type as tensor for rois; but type {} does not "
          "equal {}",
          name, tensor.dtype(), rois.dtype());
}

void check_rois(Call& c, const Tensor& input, const Tensor& rois) {
  c.check(rois.size(1) == 5, "rois must have shape as Tensor[K, 5]");
  check_dtypes(c, input, "input", rois);
}

Tensor* roi_align(Call& c, const Tensor& input, const Tensor& rois, double, SymInt pooled_height,
                  SymInt pooled_width) {
  check_rois(c, input, rois);
  return c.empty({rois.size(0), input.size(1), pooled_height, pooled_width}, input.dtype());
}
Tensor* qroi_align(Call& c, const Tensor& input, const Tensor& rois, double, int64_t, double,
                   int64_t, double spatial_scale, SymInt pooled_height, SymInt pooled_width) {
  return roi_align(c, input, rois, spatial_scale, pooled_height, pooled_width);
}
Value roi_pool(Call& c, const Tensor& input, const Tensor& rois, double, SymInt pooled_height,
               SymInt pooled_width) {
  check_rois(c, input, rois);
  const DimVector sizes = {rois.size(0), input.size(1), pooled_height, pooled_width};
  return c.tuple(c.empty(sizes, input.dtype()), c.empty(sizes, DType::kInt32));
}

// Position-sensitive pooling: each bin has channels of its own.
Value ps_roi_pool(Call& c, const Tensor& input, const Tensor& rois, double, SymInt pooled_height,
                  SymInt pooled_width) {
  check_rois(c, input, rois);
  const SymInt bins = pooled_height * pooled_width;
  c.check_as(ErrorKind::kTypeError, guard_bool(mod(input.size(1), bins) == 0),
             "message must be a callable");
  const DimVector sizes = {rois.size(0), floor_div(input.size(1), bins), pooled_height,
                           pooled_width};
  return c.tuple(c.empty(sizes, input.dtype()), c.empty(sizes, DType::kInt32));
}

// The gradient of a pooling has the sizes of its input, which begin at argument `at`.
template <size_t at>
Value roi_backward(Call& c, uint64_t) {
  const Tensor& grad = c.arg(0).tensor();
  check_dtypes(c, grad, "grad", c.arg(1).tensor());
  DimVector sizes;
  for (size_t i = at; i < at + 4; ++i) sizes.push_back(c.arg(i).as_sym_int());
  return c.empty(sizes, grad.dtype());
}

Tensor* deform_conv2d(Call& c, const Tensor& input, const Tensor& weight, const Tensor& offset) {
  return c.empty({input.size(0), weight.size(0), offset.size(-2), offset.size(-1)}, input.dtype());
}

// One gradient per tensor of deform_conv2d, contiguous.
Value deform_conv2d_backward(Call& c, const Tensor&, const Tensor& input, const Tensor& weight,
                             const Tensor& offset, const Tensor& mask, const Tensor& bias) {
  const auto like = [&c](const Tensor& tensor) { return c.empty(tensor.sizes(), tensor.dtype()); };
  return c.tuple(like(input), like(weight), like(offset), like(mask), like(bias));
}

Value box_iou_rotated(Call& c, const Tensor&, const Tensor&) {
  c.fail(ErrorKind::kUnsupportedOperator, "torchvision.box_iou_rotated.default");
}

// --- transformers ---

// The fake kernel of transformers/integrations/moe.py: rows times one matrix per group of rows.
Tensor* grouped_mm_fallback(Call& c, const Tensor& input, const Tensor& weight) {
  return c.empty({input.size(0), weight.size(2)}, input.dtype());
}

// clang-format off
constexpr OpDef kVisionRules[] = {
    {"torchvision::_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", rule<&deform_conv2d_backward>()},
    {"torchvision::_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor", {&roi_backward<7>}},
    {"torchvision::_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor", {&roi_backward<6>}},
    {"torchvision::_roi_align_backward(Tensor grad, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width, int sampling_ratio, bool aligned) -> Tensor", {&roi_backward<5>}},
    {"torchvision::_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor", {&roi_backward<6>}},
    {"torchvision::box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor", rule<&box_iou_rotated>()},
    {"torchvision::deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor", rule<&deform_conv2d>()},
    {"torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", rule<&nms>(), kDynamicShape},
    {"torchvision::ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio) -> (Tensor, Tensor)", rule<&ps_roi_pool>()},
    {"torchvision::ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)", rule<&ps_roi_pool>()},
    {"torchvision::qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", rule<&nms>(), kDynamicShape},
    {"torchvision::qroi_align(Tensor input, Tensor rois, float input_scale, int input_zero_point, float rois_scale, int rois_zero_point, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor", rule<&qroi_align>()},
    {"torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor", rule<&roi_align>()},
    {"torchvision::roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)", rule<&roi_pool>()},
    {"transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor", rule<&grouped_mm_fallback>()},
};
// clang-format on
}  // namespace

std::span<const OpDef> vision_rules() { return kVisionRules; }

}  // namespace faketensor
