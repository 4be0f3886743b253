// RecordedConstants: what a vector tells of its tensors' data ("const"), beside the mode that
// answers it.
//
//   RecordedConstants constants(mode);
//   reader.on_constant = [&](Tensor& tensor, const json& data) { constants.adopt(tensor, data); };
//   mode.context().call(item, args);                                    // the number
#pragma once

#include <nlohmann/json.hpp>

#include "core/mode/dispatch.h"
#include "core/mode/mode.h"

namespace faketensor {

class RecordedConstants {
 public:
  explicit RecordedConstants(FakeTensorMode& mode);
  ~RecordedConstants();
  RecordedConstants(const RecordedConstants&) = delete;
  RecordedConstants& operator=(const RecordedConstants&) = delete;

  // Makes the number in `data`, bare or as the one element of nested lists, the tensor's constant.
  // Leaves out what a mode keeps no constant for: more elements, dtypes without arithmetic here.
  void adopt(Tensor& tensor, const nlohmann::json& data);

 private:
  FakeTensorMode& mode_;
  RealTensors real_;
  ConstantTracker constants_;
  ModeDispatch dispatch_;
};

}  // namespace faketensor
