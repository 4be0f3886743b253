// The small pieces of torch.export's JSON schema: enums, devices, numbers, tensor metadata.
//
// Mirrors the classes of torch/_export/serde/schema.py of the same names (schema version 8). Every
// function throws kUnreadable with the byte of what is wrong.
#pragma once

#include "core/formats/json_events.h"
#include "core/io/symbol_reader.h"
#include "core/ops/value.h"
#include "core/tensor/tensor.h"

namespace faketensor {

// The one member of an object that stands for a union: {"as_int": 3}.
JsonMember union_member(JsonValue value);

// Kinds of arguments that are a number, or name a node that is a symbolic one.
inline bool is_symbolic_kind(std::string_view kind) {
  return kind == "as_sym_int" || kind == "as_sym_bool" || kind == "as_sym_float";
}

DType read_scalar_type(JsonValue value);           // ScalarType
Layout read_layout(JsonValue value);               // Layout
MemoryFormat read_memory_format(JsonValue value);  // MemoryFormat
Device read_device(JsonValue value);               // Device: {"type": "cuda", "index": 0}
// A float; infinities and NaN are the strings "Infinity", "-Infinity", "NaN".
double read_float(JsonValue value);

// TensorMeta. `symbols` defers one with symbolic sizes.
Recorded read_tensor_meta(JsonValue value, MetaTable& metas, SymbolReader& symbols);

}  // namespace faketensor
