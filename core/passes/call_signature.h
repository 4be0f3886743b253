// The signature of a module call that export kept (preserve_module_call_signature): the values that
// went in and came out as leaves, and the pytree specs that put them together. For unflatten.cpp.
//
//   const CallSignature signature = read_call_signature(arena, text);  // of a file's module_call_graph
//   signature.inputs[0].name;  // the node of the flat graph
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/value.h"
#include "core/support/arena.h"

namespace faketensor {

struct CallSignature {
  struct Argument {
    std::string name;          // of a node; empty for most constants
    bool is_constant = false;  // a custom object is one as well
    Value value = {};          // of a constant
  };
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::string in_spec;  // as treespec_dumps writes it
  std::string out_spec;
  // What in_spec says of the call: ((a, b), {"k": c})
  size_t positional = 0;
  std::vector<std::string> keywords;
};

// Raises PyTorch's AssertionError for a spec that is not one of a call.
CallSignature read_call_signature(Arena& arena, std::string_view text);

// By the name of the call: "mid", "mid@1".
using CallSignatures = std::map<std::string, CallSignature, std::less<>>;

}  // namespace faketensor
