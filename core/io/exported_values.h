// ExportedValues: values of nodes as torch.export's schema writes them (torch/_export/serde/schema.py).
//
// Sizes that are expressions are written as constructor calls, with the hint that the ShapeEnv has.
// Symbols that the program's file does not have are named as PyTorch names them, s0, s1, ...: a name
// that begins with "u" would be unbacked to it. So a value is noted before it is written.
//
//   ExportedValues values(program, env);
//   values.note(meta);
//   values.write_meta(json, meta, false);
//   for (const auto& [name, symbol] : values.symbols()) ...
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/formats/json_writer.h"
#include "core/graph/program.h"
#include "core/ops/value.h"

namespace faketensor {

// {"type": "cuda", "index": 0}
void write_exported_device(JsonWriter& json, Device device);
// A number; "Infinity", "-Infinity" and "NaN" are texts.
void write_exported_float(JsonWriter& json, double value);

class ExportedValues {
 public:
  // `env` may be null: then all sizes are numbers. Both must outlive this.
  ExportedValues(const Program& program, ShapeEnv* env) : program_(program), env_(env) {}

  // An expression as it is by what is known at the end.
  const ExprNode* final_node(const ExprNode* node) const;
  SymInt final_size(SymInt size) const;

  void note(SymInt size);
  void note(const ExprNode* node);
  void note(const TensorMeta& meta);
  // Of a number; others have no symbols of their own.
  void note(const Value& value);
  // What was noted, by the names that are written.
  const std::map<std::string, const ExprNode*>& symbols() const { return symbols_; }

  // TensorMeta, SymInt, and SymInt, SymBool or SymFloat of the schema.
  void write_meta(JsonWriter& json, const TensorMeta& meta, bool requires_grad) const;
  void write_size(JsonWriter& json, SymInt size) const;
  void write_scalar(JsonWriter& json, const Value& value) const;
  // {"s0": {"min_val": 2, "max_val": null}}, for a symbol of symbols().
  void write_range(JsonWriter& json, const ExprNode* symbol) const;

 private:
  std::string expression_text(const ExprNode* node) const;
  void write_expression(JsonWriter& json, const ExprNode* node) const;

  const Program& program_;
  ShapeEnv* env_;
  std::map<std::string, const ExprNode*> symbols_;
  std::unordered_map<const ExprNode*, std::string> renamed_;
};

}  // namespace faketensor
