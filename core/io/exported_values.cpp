#include "core/io/exported_values.h"

#include <algorithm>
#include <cmath>

#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/schema_numbers.h"

namespace faketensor {

namespace {

bool is_known_to(const Program& program, std::string_view symbol) {
  return std::any_of(program.symbols.begin(), program.symbols.end(),
                     [&](const SymbolSpec& spec) { return spec.name == symbol; });
}

}  // namespace

void write_exported_device(JsonWriter& json, Device device) {
  const auto object = json.object();
  json.field("type", name(device.type));
  json.field("index", device.index < 0 ? std::optional<int>() : std::optional<int>(device.index));
}

void write_exported_float(JsonWriter& json, double value) {
  if (std::isfinite(value)) return json.value(value);
  json.value(std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
}

// --- symbols ---

const ExprNode* ExportedValues::final_node(const ExprNode* node) const {
  return env_ == nullptr ? node : env_->replace(node);
}

SymInt ExportedValues::final_size(SymInt size) const {
  return size.is_symbolic() && env_ != nullptr ? env_->pool().sym_int(final_node(size.node()))
                                               : size;
}

void ExportedValues::note(SymInt size) {
  size = final_size(size);
  if (size.is_symbolic()) note(size.node());
}

void ExportedValues::note(const ExprNode* node) {
  for (const ExprNode* symbol : free_symbols(node)) {
    if (renamed_.contains(symbol)) continue;
    const SymbolInfo& info = env_->pool().symbol_info(symbol);
    std::string written = info.name;
    if (!info.unbacked && !is_known_to(program_, written)) {
      size_t number = 0;
      do {
        written = format("s{}", number++);
      } while (symbols_.contains(written) || is_known_to(program_, written));
    }
    renamed_.emplace(symbol, written);
    symbols_.emplace(written, symbol);
  }
}

void ExportedValues::note(const TensorMeta& meta) {
  for (const SymInt size : meta.sizes()) note(size);
  for (const SymInt stride : meta.strides()) note(stride);
  note(meta.offset());
}

void ExportedValues::note(const Value& value) {
  if (!value.is_symbolic()) return;
  if (value.is(Value::Tag::kInt)) {
    note(value.as_sym_int());
  } else if (value.is(Value::Tag::kBool)) {
    note(value.as_sym_bool().node());
  } else {
    note(final_node(value.as_node()));
  }
}

// --- writing ---

void ExportedValues::write_meta(JsonWriter& json, const TensorMeta& meta,
                                bool requires_grad) const {
  const auto object = json.object();
  json.field("dtype", number_of(kScalarTypeNumbers, meta.dtype()).value_or(0));
  const auto write_sizes = [&](std::string_view name, Dims sizes) {
    const auto list = json.array(name);
    for (const SymInt size : sizes) write_size(json, size);
  };
  write_sizes("sizes", meta.sizes());
  json.field("requires_grad", requires_grad);
  write_exported_device(json.key("device"), meta.device());
  write_sizes("strides", meta.strides());
  write_size(json.key("storage_offset"), meta.offset());
  json.field("layout", number_of(kLayoutNumbers, meta.layout()).value_or(0));
}

void ExportedValues::write_size(JsonWriter& json, SymInt size) const {
  size = final_size(size);
  const auto object = json.object();
  if (size.is_symbolic()) {
    write_expression(json, size.node());
  } else {
    json.field("as_int", size.as_int());
  }
}

void ExportedValues::write_scalar(JsonWriter& json, const Value& value) const {
  if (value.is(Value::Tag::kInt)) return write_size(json, value.as_sym_int());
  const auto object = json.object();
  if (value.is(Value::Tag::kSymFloat)) return write_expression(json, final_node(value.as_node()));
  if (value.is(Value::Tag::kFloat))
    return write_exported_float(json.key("as_float"), value.as_double());
  const SymBool condition = value.as_sym_bool();
  if (condition.is_symbolic()) return write_expression(json, condition.node());
  json.field("as_bool", condition.as_bool());
}

void ExportedValues::write_range(JsonWriter& json, const ExprNode* symbol) const {
  const ValueRange range = env_->range(symbol);
  const auto constraint = json.object();
  json.field("min_val", range.lower.as_int64());
  json.field("max_val", range.upper.as_int64());
}

void ExportedValues::write_expression(JsonWriter& json, const ExprNode* node) const {
  const auto object = json.object("as_expr");
  json.field("expr_str", expression_text(node));
  const std::optional<Number> hint = env_->hint(node);
  if (!hint) return json.field("hint", nullptr);
  const auto hint_object = json.object("hint");
  if (node->type == ExprType::kBool) {
    json.field("as_bool", hint->integer != 0);
  } else if (node->type == ExprType::kFloat) {
    write_exported_float(json.key("as_float"), hint->as_double());
  } else {
    json.field("as_int", hint->integer);
  }
}

// In constructor form, symbols by the names they are written with.
std::string ExportedValues::expression_text(const ExprNode* node) const {
  std::string text = to_constructor_string(node);
  for (const ExprNode* symbol : free_symbols(node)) {
    const std::string from = format("Symbol('{}'", env_->pool().symbol_info(symbol).name);
    const std::string to = format("Symbol('{}'", renamed_.at(symbol));
    if (from == to) continue;
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace faketensor
