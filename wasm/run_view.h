// What JavaScript sees of a run: all values as a packed buffer, one value or node as JSON, and the
// problems.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/explain.h"
#include "core/graph/fake_tensor_prop.h"
#include "core/io/value_json.h"

namespace faketensor::wasm {

// A run and the numbers that its tensors and storages are told apart by: counted by first
// appearance over all nodes, as in FORMAT.md (tests/conformance).
class RunView {
 public:
  explicit RunView(Run run) : run_(std::move(run)) {}

  const Run& run() const { return run_; }
  // Table of web/package/src/types.ts, as a packed buffer of kind kTable.
  // `what_if`: the sizes under other settings of symbols; none: as they were propagated.
  std::vector<uint8_t> pack_table(const WhatIf* what_if = nullptr) const;
  // The row of the node of that name; kNoRow where it has no value.
  Row find(std::string_view name) const;
  // The value of a row that has one, as FORMAT.md writes values.
  void write_value(JsonWriter& json, Row row);
  // NodeDetail of types.ts. Raises IndexError for a row that there is not.
  void write_detail(JsonWriter& json, Row row);

 private:
  // Tells the writer the numbers, when the first value is asked for.
  void number_tensors();

  Run run_;
  ValueWriter writer_;
  bool is_numbered_ = false;
};

// Problem of types.ts.
void write_problem(JsonWriter& json, const Program& program, const Problem& problem);

}  // namespace faketensor::wasm
