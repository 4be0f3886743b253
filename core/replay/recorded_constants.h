// RecordedConstants: what a vector tells of its tensors' data ("const"), beside the mode that
// answers it.
//
//   RecordedConstants constants(mode);
//   reader.on_constant = [&](Tensor& tensor, const json& data) { constants.adopt(tensor, data); };
//   mode.context().call(item, args);                                    // the number
#pragma once

#include <nlohmann/json.hpp>

#include "core/mode/fake_dispatch.h"
#include "core/mode/mode.h"

namespace faketensor {

class RecordedConstants : private ModeSurroundings {
 public:
  explicit RecordedConstants(FakeTensorMode& mode);
  RecordedConstants(const RecordedConstants&) = delete;
  RecordedConstants& operator=(const RecordedConstants&) = delete;

  // Makes the number in `data`, bare or as the one element of nested lists, the tensor's constant.
  // Leaves out what a mode keeps no constant for: more elements, dtypes without arithmetic here.
  void adopt(Tensor& tensor, const nlohmann::json& data);

 private:
  // All tensors of a vector are the mode's.
  bool is_fake(const Tensor&) const override { return true; }
  bool is_inference(const Tensor&) const override { return false; }
  bool in_inference_mode() const override { return false; }
  Tensor* convert(Tensor& tensor) override { return &tensor; }
  std::string cache_settings() const override { return {}; }

  RealTensors real_;
  ConstantTracker constants_;
  FakeDispatch dispatch_;
  const ModeScope entered_;
};

}  // namespace faketensor
