// Questions about passes as JSON: programs, parameters, real inputs (tests/conformance/SYSTEMS.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/io/value_json.h"
#include "core/passes/pass.h"

namespace faketensor {

// A program as its nodes say it, made anew for each pass: its values live in a mode of its own.
class RecordedProgram {
 public:
  // `program`: {"nodes", "inputs", "range_constraints"}; only the nodes must be there. Raises
  // Unreadable for JSON that is none.
  explicit RecordedProgram(const nlohmann::json& program, bool may_be_wrong = false);

  PassSubject subject() { return {program_, mode_, &program_.graph(), inputs_}; }
  // Gives the nodes the module stacks that they have in "exported_program": "nodes" does not tell them.
  void read_module_stacks(const nlohmann::json& program);
  ValueWriter& writer() { return writer_; }
  FakeTensorMode& mode() { return mode_; }

 private:
  void make_symbols(const nlohmann::json& program);
  void read_signature(const nlohmann::json& signature);
  void read_inputs(const nlohmann::json& inputs);

  FakeTensorMode mode_;
  Program program_;
  ValueReader values_;
  ValueReader real_values_;
  ValueWriter writer_;
  std::vector<RealInput> inputs_;
};

// The parameters of a pass. Constants in them live in the program's memory, or the mode's.
PassOptions read_pass_options(const nlohmann::json& params, FakeTensorMode& mode);

}  // namespace faketensor
