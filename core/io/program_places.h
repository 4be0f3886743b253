// What in the JSON of an exported program is walked event by event; all else is small and is taken
// whole.
//
//   place_inside(ProgramPlace::kGraph, "nodes", JsonKind::kArray)   // ProgramPlace::kNodes
#pragma once

#include <string_view>

#include "core/formats/json_events.h"

namespace faketensor {

enum class ProgramPlace : uint8_t {
  kOutside,  // around the document, or in what is not walked
  kProgram,
  kGraphModule,
  kGraph,
  kNodes,
  kTensorValues,
  kSignature,
  kInputSpecs,
  kOutputSpecs,
  kCallGraph,
};

// What the container of that name begins in a place; kOutside for what is taken whole.
inline ProgramPlace place_inside(ProgramPlace outer, std::string_view name, JsonKind kind) {
  using Place = ProgramPlace;
  struct Step {
    Place outer;
    std::string_view name;
    JsonKind kind;
    Place inner;
  };
  static constexpr Step kSteps[] = {
      {Place::kProgram, "graph_module", JsonKind::kObject, Place::kGraphModule},
      {Place::kGraphModule, "graph", JsonKind::kObject, Place::kGraph},
      {Place::kGraph, "nodes", JsonKind::kArray, Place::kNodes},
      {Place::kGraph, "tensor_values", JsonKind::kObject, Place::kTensorValues},
      {Place::kGraphModule, "signature", JsonKind::kObject, Place::kSignature},
      {Place::kSignature, "input_specs", JsonKind::kArray, Place::kInputSpecs},
      {Place::kSignature, "output_specs", JsonKind::kArray, Place::kOutputSpecs},
      {Place::kGraphModule, "module_call_graph", JsonKind::kArray, Place::kCallGraph},
  };
  if (outer == Place::kOutside)
    return kind == JsonKind::kObject ? Place::kProgram : Place::kOutside;
  for (const Step& step : kSteps) {
    if (step.outer == outer && step.name == name && step.kind == kind) return step.inner;
  }
  return Place::kOutside;
}

// Its values have no names.
inline bool is_array(ProgramPlace place) {
  return place == ProgramPlace::kNodes || place == ProgramPlace::kInputSpecs ||
         place == ProgramPlace::kOutputSpecs || place == ProgramPlace::kCallGraph;
}

}  // namespace faketensor
