// ShapeEnvs as JSON: the symbols that a question begins with, and what a call added to them
// (tests/conformance/SYMBOLIC.md).
//
//   ShapeEnv env(settings.shape_env);
//   make_symbols(env, question["env"]);   // [{"name": "s77", "hint": 5, "range": [2, "int_oo"]}]
//   const ShapeEnvSnapshot before(env);
//   guard_bool(s77 * 2 == 10);
//   before.added(env);
//   // {"guards":["Eq(2*s77, 10)"],"replacements":{"s77":5},"ranges":{"s77":[5,5]}}
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/formats/json_writer.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

// The options of a mode and of its ShapeEnv, as the users of fake tensors set them.
struct ModeSettings {
  ShapeEnvOptions shape_env;
  bool allow_scalar_outputs = true;
  bool allow_dynamic_output_shape_ops = true;
  // Calls are made under enable_python_dispatcher().
  bool python_dispatcher = false;
};

// What a name of SYMBOLIC.md's table stands for ("export_deferred", "compile+dispatcher"). Raises
// Unreadable for another.
ModeSettings read_settings(std::string_view name);

// Makes the symbols of an "env" list, in its order. Raises Unreadable for JSON that is none.
void make_symbols(ShapeEnv& env, const nlohmann::json& symbols);

// What is known at one time, to tell later what was added.
class ShapeEnvSnapshot {
 public:
  explicit ShapeEnvSnapshot(const ShapeEnv& env);

  // Everything that `env` knows now and did not at the snapshot: {} where nothing was added.
  std::string added(ShapeEnv& env) const;

 private:
  void write_conditions(JsonWriter& json, ShapeEnv& env) const;
  void write_symbols(JsonWriter& json, ShapeEnv& env) const;

  size_t symbols_;
  size_t guards_;
  size_t runtime_asserts_;
  std::vector<const ExprNode*> divisible_;
  std::unordered_map<const ExprNode*, ValueRange> ranges_;
  std::unordered_map<const ExprNode*, const ExprNode*> replacements_;
  std::unordered_set<const ExprNode*> size_like_;
};

}  // namespace faketensor
