// ModeSurroundings: what a FakeTensorMode asks of the process around it, which is a Session
// (session.h), or of recorded data.
#pragma once

#include <string>

#include "core/tensor/tensor.h"

namespace faketensor {

class ModeSurroundings {
 public:
  virtual ~ModeSurroundings() = default;
  // Whether a tensor is some mode's.
  virtual bool is_fake(const Tensor& tensor) const = 0;
  // Whether it was made in inference mode.
  virtual bool is_inference(const Tensor& tensor) const = 0;
  // Whether a tensor that is made now will be.
  virtual bool in_inference_mode() const = 0;
  // A fake of this mode for a tensor of another mode, or a real one.
  virtual Tensor* convert(Tensor& tensor) = 0;
  // What a key of the dispatch cache has of them (CacheSurroundings::settings).
  virtual std::string cache_settings() const = 0;
};

}  // namespace faketensor
