// What JSON says to a Session: the arguments of FakeTensorMode(...), torch.tensor,
// torch.empty_strided, from_tensor, under PyTorch's names. JavaScript's sessions
// (wasm/session_caller.h) and transcripts (core/replay/session_runner.h) read them here.
//
//   SessionMode& mode = session.add_mode(read_session_mode(options), env);
//   Tensor* x = make_real(session, reader, R"({"size": [5, 3], "requires_grad": true})"_json);
//   ConversionReader conversion(R"({"source": "x", "dynamic": ["DYNAMIC", "STATIC"]})"_json, mode);
//   session.from_tensor(mode, *x, conversion.options);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/json_fields.h"
#include "core/io/value_json.h"
#include "core/mode/session.h"

namespace faketensor {

// {"allow_non_fake_inputs": true, "static_shapes": null, ...}; what is left out has its default.
SessionModeOptions read_session_mode(const Json& options);

// {"size": [2, 3]} with "stride", "offset", "dtype", "device", "parameter", "requires_grad"; or
// {"data": [[1, 2]]}: a tensor made outside of all modes. Sizes are values of `reader`.
Tensor* make_real(Session& session, ValueReader& reader, const Json& given);
// {"data": [[1, 2]]} with "dtype", "device", "requires_grad": torch.tensor in the current modes.
Tensor* make_tensor(Session& session, const Json& given);
// {"data": 3} with "dtype": a fake of the mode whose numbers are known.
Tensor* make_constant(Session& session, SessionMode& mode, const Json& given);

// How a tensor is converted: {"source", "dynamic", "dynamic_strides", "constraints",
// "static_shapes", "remembered_as"}.
class ConversionReader {
 public:
  ConversionReader(const Json& given, const SessionMode& mode);
  ConversionReader(const ConversionReader&) = delete;
  ConversionReader& operator=(const ConversionReader&) = delete;

  ConversionOptions options;  // points to context_

 private:
  std::optional<SymbolicContext> context_;
};

// Fakes of the tensors that {"records": [...]} describes (tensor_description_json.h), in their
// order; beside it what ConversionReader reads.
std::vector<Value> from_descriptions(Session& session, SessionMode& mode, const Json& given);

// How the dimensions of an input become symbols, from lists of names and of [lower, upper].
std::vector<DimDynamic> read_dynamic(const Json& names);
std::vector<DimConstraint> read_constraints(const Json& given);

// "float32" or {"dtype": "float32"}
DType read_dtype(const Json& given);
Device read_device(const Json& given);

// "no_grad": a scope that is a name alone.
std::optional<SessionScope> session_scope(std::string_view name);

// {"hits":1,"misses":2,"bypasses":{"..":1},"size":2}
void write_cache_info(JsonWriter& json, const DispatchCache::Info& info);

// The name of the Python class of a value.
std::string_view python_type(const Value& value);

}  // namespace faketensor
