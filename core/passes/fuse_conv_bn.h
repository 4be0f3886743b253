// A convolution takes up the batch norm behind it.
//
// In eval mode batch_norm(conv(x, w)) is conv with w and a bias scaled by weight / sqrt(var + eps). The
// scaling is done by nodes on the parameters, so that a program stays one with the weights of its file;
// constant folding can do it once. Mirrors torch.fx.experimental.optimization.fuse.
#pragma once

#include "core/passes/pass.h"

namespace faketensor {

// aten.batch_norm and aten._native_batch_norm_legit_no_training behind aten.conv1d, conv2d, conv3d and
// aten.convolution that nothing else uses; not behind transposed ones, whose weights lie otherwise.
PassResult fuse_conv_bn(PassSubject& subject, const PassOptions& options);

}  // namespace faketensor
