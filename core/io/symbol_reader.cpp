#include "core/io/symbol_reader.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/io/serialized_values.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return is_letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9');
         });
}

// The name in "Symbol('s77', positive=True, integer=True)", or in "s0", as PyTorch wrote until 2.5;
// empty for any other expression.
std::string_view lone_symbol(std::string_view text) {
  constexpr std::string_view kHead = "Symbol('";
  if (is_name(text)) return text;
  if (!text.starts_with(kHead) || text.find(')') != text.size() - 1) return {};
  text.remove_prefix(kHead.size());
  const size_t end = text.find('\'');
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

// The number of an unbacked symbol ("u12"), -1 for any other name.
int64_t unbacked_number(std::string_view name) {
  if (name.size() < 2 || name.size() > 10 || name[0] != 'u') return -1;
  int64_t number = 0;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') return -1;
    number = 10 * number + (c - '0');
  }
  return number;
}

// An end of a range; `unbounded` is the infinity that PyTorch wrote until 2.6 where it now writes
// null.
std::optional<int64_t> read_bound(JsonValue value, double unbounded) {
  if (value.is_null()) return std::nullopt;
  if (value.is(JsonKind::kReal) && value.number() == unbounded) return std::nullopt;
  return value.integer();
}

}  // namespace

uint32_t SymbolReader::read_expression(JsonValue expression) {
  JsonFields fields(expression);
  const JsonValue text = fields.required("expr_str");
  if (text.string().empty()) throw_at(text.position(), "an empty expression");
  const uint32_t number = texts_.intern(text.string()) - 1;
  if (number == expressions_.size()) {
    expressions_.push_back({number + 1, text.position(), std::nullopt});
  }
  const JsonValue hint = fields.optional("hint");
  if (!hint.is_null()) {
    const JsonMember member = union_member(hint);
    if (member.name == "as_int") expressions_[number].hint = member.value.integer();
  }
  return number;
}

SymbolReader::Dim SymbolReader::read_dim(JsonValue value) {
  const JsonMember member = union_member(value);
  if (member.name == "as_expr") return -1 - static_cast<Dim>(read_expression(member.value));
  if (member.name != "as_int") {
    throw_at(value.position(), format("a symbolic integer of unknown kind \"{}\"", member.name));
  }
  const int64_t number = member.value.integer();
  if (number < 0)
    throw_at(member.value.position(), format("a negative size, stride or offset: {}", number));
  return number;
}

Recorded SymbolReader::read_scalar(JsonValue value) {
  const JsonMember member = union_member(value);
  Recorded recorded;
  if (member.name == "as_int") {
    recorded.scalar = member.value.integer();
  } else if (member.name == "as_bool") {
    recorded.scalar = member.value.boolean();
  } else if (member.name == "as_float") {
    recorded.scalar = read_float(member.value);
  } else if (member.name == "as_expr") {
    Deferred deferred;
    deferred.is_scalar = true;
    deferred.first_dim = read_expression(member.value);
    recorded.deferred = static_cast<uint32_t>(deferred_.size());
    deferred_.push_back(deferred);
  } else {
    throw_at(value.position(), format("a symbolic value of unknown kind \"{}\"", member.name));
  }
  return recorded;
}

Recorded SymbolReader::defer_meta(const MetaSpec& spec, std::span<const Dim> sizes,
                                  std::span<const Dim> strides, Dim offset) {
  Deferred deferred;
  deferred.spec = spec;
  deferred.first_dim = dims_.size();
  deferred.rank = sizes.size();
  dims_.insert(dims_.end(), sizes.begin(), sizes.end());
  dims_.insert(dims_.end(), strides.begin(), strides.end());
  dims_.push_back(offset);
  Recorded recorded;
  recorded.deferred = static_cast<uint32_t>(deferred_.size());
  deferred_.push_back(deferred);
  return recorded;
}

void SymbolReader::read_ranges(JsonValue ranges) {
  for (const JsonMember member : ranges.members()) {
    JsonFields fields(member.value);
    SymbolSpec spec;
    spec.name = member.name;
    spec.lower = read_bound(fields.required("min_val"), -std::numeric_limits<double>::infinity());
    spec.upper = read_bound(fields.required("max_val"), std::numeric_limits<double>::infinity());
    if (spec.lower && spec.upper && *spec.lower > *spec.upper) {
      throw_at(member.value.position(), format("the range of '{}' is empty: [{}, {}]", member.name,
                                               *spec.lower, *spec.upper));
    }
    program_.symbols.push_back(std::move(spec));
  }
}

void SymbolReader::record(Graph& graph, NodeId node, const Recorded& recorded) {
  graph.meta(node).recorded = recorded.meta;
  if (!recorded.scalar.is_none()) graph.meta(node).val = recorded.scalar;
  if (recorded.deferred != Recorded::kNothing)
    targets_.push_back({&graph, node, recorded.deferred});
}

uint64_t SymbolReader::memory() const {
  constexpr uint64_t kBytesOfText = 64;
  return dims_.capacity() * sizeof(Dim) + deferred_.capacity() * sizeof(Deferred) +
         targets_.capacity() * sizeof(Target) +
         expressions_.capacity() * (sizeof(Expression) + kBytesOfText);
}

void SymbolReader::finish() {
  if (expressions_.empty() && program_.symbols.empty()) return;
  make_symbols();
  parsed_.resize(expressions_.size());
  std::vector<Recorded> made;
  made.reserve(deferred_.size());
  for (const Deferred& deferred : deferred_) made.push_back(make(deferred));
  for (const Target& target : targets_) {
    NodeMeta& meta = target.graph->meta(target.node);
    meta.recorded = made[target.deferred].meta;
    meta.val = made[target.deferred].scalar;
  }
}

// The symbols with their ranges and hints come first: how an expression simplifies depends on them.
void SymbolReader::make_symbols() {
  std::vector<SymbolSpec>& symbols = program_.symbols;
  std::unordered_map<std::string, size_t> by_name;
  for (size_t i = 0; i < symbols.size(); ++i) by_name.emplace(symbols[i].name, i);
  for (const Expression& expression : expressions_) {
    const std::string_view name = lone_symbol(texts_.text(expression.text));
    if (name.empty()) continue;
    const auto [found, is_new] = by_name.emplace(name, symbols.size());
    if (is_new) {
      symbols.emplace_back();
      symbols.back().name = name;
    }
    if (expression.hint) symbols[found->second].hint = expression.hint;
  }
  ShapeEnvOptions options;
  options.prefer_deferred_runtime_asserts_over_guards = true;
  for (const SymbolSpec& spec : symbols) {
    options.first_unbacked = std::max(options.first_unbacked, unbacked_number(spec.name) + 1);
  }
  program_.shape_env = std::make_shared<ShapeEnv>(options);
  for (SymbolSpec& spec : symbols) make_symbol(spec);
}

void SymbolReader::make_symbol(SymbolSpec& spec) {
  const ValueRange range =
      ValueRange::ints(spec.lower.value_or(kMinusIntInfinity), spec.upper.value_or(kIntInfinity));
  if (spec.hint) {
    program_.shape_env->create_backed(spec.name, *spec.hint, range);
  } else {
    program_.shape_env->create_unbacked_int(spec.name, range);
  }
}

const ExprNode* SymbolReader::parse(uint32_t expression) {
  if (parsed_[expression] == nullptr) {
    try {
      parsed_[expression] =
          parse_expr(program_.shape_env->pool(), texts_.text(expressions_[expression].text));
    } catch (const Error& error) {
      throw_at(expressions_[expression].position,
               format("an expression that cannot be read: {}", error.message()));
    }
    constexpr uint64_t kBytesOfNode = 192;
    if (program_.shape_env->pool().node_count() * kBytesOfNode > limits_.memory_left())
      throw_memory_limit("what its expressions are", limits_);
  }
  return parsed_[expression];
}

SymInt SymbolReader::dim(Dim dim) {
  if (dim >= 0) return dim;
  const auto number = static_cast<uint32_t>(-1 - dim);
  const ExprNode* node = parse(number);
  if (node->type != ExprType::kInt)
    throw_at(expressions_[number].position, "a size that is no integer expression");
  return program_.shape_env->pool().sym_int(node);
}

Recorded SymbolReader::make(const Deferred& deferred) {
  Recorded result;
  if (deferred.is_scalar) {
    const ExprNode* node = parse(static_cast<uint32_t>(deferred.first_dim));
    ExprPool& pool = program_.shape_env->pool();
    if (node->type == ExprType::kInt) {
      result.scalar = pool.sym_int(node);
    } else if (node->type == ExprType::kBool) {
      result.scalar = pool.sym_bool(node);
    } else {
      result.scalar = Value::sym_float(node);
    }
    return result;
  }
  DimVector dims;
  const size_t count = 2 * deferred.rank;
  for (size_t i = 0; i < count; ++i) dims.push_back(dim(dims_[deferred.first_dim + i]));
  MetaSpec spec = deferred.spec;
  spec.sizes = dims.span().first(deferred.rank);
  spec.strides = dims.span().subspan(deferred.rank);
  spec.offset = dim(dims_[deferred.first_dim + count]);
  result.meta = program_.metas().intern(spec);
  return result;
}

}  // namespace faketensor
