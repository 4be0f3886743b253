#include "core/graph/text/program_builder.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/graph/text/lexer.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

constexpr std::string_view kInputKinds[] = {"USER_INPUT",      "PARAMETER", "BUFFER",
                                            "CONSTANT_TENSOR", "TOKEN",     "CUSTOM_OBJ"};
constexpr std::string_view kOutputKinds[] = {
    "USER_OUTPUT",         "LOSS_OUTPUT",           "BUFFER_MUTATION",        "PARAMETER_MUTATION",
    "USER_INPUT_MUTATION", "GRADIENT_TO_PARAMETER", "GRADIENT_TO_USER_INPUT", "TOKEN"};

template <typename Kind, size_t N>
std::optional<Kind> kind_of(const std::string_view (&names)[N], std::string_view name) {
  const auto* const found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return {};
  return static_cast<Kind>(found - std::begin(names));
}

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return {};
  return number;
}

// "u12".
bool is_unbacked(std::string_view name) {
  return name.size() > 1 && name[0] == 'u' && std::all_of(name.begin() + 1, name.end(), is_digit) &&
         name.size() < 10;
}

}  // namespace

void TextProgramBuilder::error(TextSpan span, std::string message) {
  text_.add_problem({TextProblem::Severity::kError, span, std::move(message)});
}

void TextProgramBuilder::warn(TextSpan span, std::string message) {
  text_.add_problem({TextProblem::Severity::kWarning, span, std::move(message)});
}

NodeId TextProgramBuilder::append(Graph& graph, const Node& node, TextSpan span) {
  if (++nodes_ > limits_.max_nodes)
    throw_error(ErrorKind::kLimitExceeded,
                format("the program has more than {} nodes", limits_.max_nodes));
  constexpr uint64_t kBytesOfNode = 256;
  if (nodes_ * kBytesOfNode > limits_.memory_left()) throw_memory_limit("the program", limits_);
  const NodeId id = graph.append(node);
  if (&graph == &program_.graph() && span.is_somewhere()) text_.set_span(id, span);
  return id;
}

void TextProgramBuilder::annotate(Graph& graph, NodeId id, TextSpan span, std::string annotation) {
  texts_.push_back(std::make_unique<std::string>(std::move(annotation)));
  std::string wrong;
  TextAnnotation said = parse_annotation(*texts_.back(), wrong);
  if (!wrong.empty()) {
    error(span, wrong);
    return;
  }
  if (said.kind == TextAnnotation::Kind::kUnknown) return;
  for (const auto& [name, hint] : said.hints) hints_[std::string(name)] = hint;
  if (&graph == &program_.graph()) annotation_of_[id] = annotated_.size();
  annotated_.push_back({&graph, id, span, std::move(said)});
}

bool TextProgramBuilder::is_annotated(const Graph& graph, NodeId id) const {
  return &graph != &program_.graph() || annotation_of_.count(id) != 0;
}

void TextProgramBuilder::set_attribute(NodeId id, std::string_view target) {
  const auto found = annotation_of_.find(id);
  const bool is_float =
      found == annotation_of_.end() || is_float_or_complex(annotated_[found->second].said.dtype);
  const bool is_statistic = target.ends_with("running_mean") || target.ends_with("running_var");
  const auto kind =
      is_float && !is_statistic ? InputSpec::Kind::kParameter : InputSpec::Kind::kBuffer;
  inputs_[program_.graph().node(id).name] = {kind, program_.strings().intern(target), true};
}

void TextProgramBuilder::sign_input(std::string_view name, std::string_view kind,
                                    std::string_view target, bool persistent) {
  const auto known = kind_of<InputSpec::Kind>(kInputKinds, kind);
  if (known)
    inputs_[program_.strings().intern(name)] = {*known, program_.strings().intern(target),
                                                persistent};
}

void TextProgramBuilder::sign_output(std::string_view kind, std::string_view target) {
  const auto known = kind_of<OutputSpec::Kind>(kOutputKinds, kind);
  outputs_.push_back({known.value_or(OutputSpec::Kind::kUser), program_.strings().intern(target)});
}

void TextProgramBuilder::set_range(std::string_view symbol, std::optional<int64_t> lower,
                                   std::optional<int64_t> upper) {
  SymbolSpec spec;
  spec.name = symbol;
  spec.lower = lower;
  spec.upper = upper;
  program_.symbols.push_back(std::move(spec));
}

// Every name in the sizes of annotations is a symbol, but for functions ("Max(s0, 2)").
void TextProgramBuilder::note_symbols(std::string_view expression) {
  if (const auto number = number_of(expression)) {
    taken_[*number] = true;
    return;
  }
  for (size_t i = 0; i < expression.size();) {
    if (!is_letter(expression[i])) {
      i += is_digit(expression[i])
               ? std::max<size_t>(
                     1,
                     std::min(expression.find_first_not_of("0123456789", i), expression.size()) - i)
               : 1;
      continue;
    }
    const size_t begin = i;
    while (i < expression.size() && (is_letter(expression[i]) || is_digit(expression[i]))) ++i;
    const std::string_view name = expression.substr(begin, i - begin);
    if (i < expression.size() && expression[i] == '(') continue;
    if (name == "True" || name == "False" || name == "int_oo" || name == "and" || name == "or")
      continue;
    if (!symbol_of_.emplace(name, program_.symbols.size()).second) continue;
    SymbolSpec spec;
    spec.name = name;
    spec.lower = is_unbacked(name) ? 0 : 2;
    program_.symbols.push_back(std::move(spec));
  }
}

void TextProgramBuilder::find_symbols() {
  // The names live in texts_: a vector of symbols moves its own.
  for (size_t i = 0; i < program_.symbols.size(); ++i) {
    texts_.push_back(std::make_unique<std::string>(program_.symbols[i].name));
    symbol_of_.emplace(*texts_.back(), i);
  }
  for (const Annotated& annotated : annotated_) {
    for (const std::string_view size : annotated.said.sizes) note_symbols(size);
    if (annotated.said.strides)
      for (const std::string_view stride : *annotated.said.strides) note_symbols(stride);
    if (annotated.said.kind == TextAnnotation::Kind::kScalar) note_symbols(annotated.said.scalar);
  }
}

// Note [Symbols of text]
int64_t TextProgramBuilder::free_hint(const SymbolSpec& symbol) {
  constexpr int64_t kStep = 8;
  const int64_t lower = symbol.lower.value_or(0);
  for (int64_t hint = std::max(kStep, (lower + kStep - 1) / kStep * kStep);
       hint <= symbol.upper.value_or(kIntInfinity) && hint < lower + 1'000'000; hint += kStep) {
    if (taken_.emplace(hint, true).second) return hint;
  }
  for (int64_t hint = lower; hint <= symbol.upper.value_or(lower + 1'000); ++hint)
    if (taken_.emplace(hint, true).second) return hint;
  return lower;
}

void TextProgramBuilder::make_symbols() {
  if (program_.symbols.empty()) return;
  ShapeEnvOptions options;
  options.prefer_deferred_runtime_asserts_over_guards = true;
  for (const auto& [name, hint] : hints_) taken_[hint] = true;
  for (const SymbolSpec& symbol : program_.symbols) {
    if (is_unbacked(symbol.name))
      options.first_unbacked =
          std::max(options.first_unbacked, number_of(symbol.name.substr(1)).value_or(0) + 1);
  }
  program_.shape_env = std::make_shared<ShapeEnv>(options);
  for (SymbolSpec& symbol : program_.symbols) {
    const ValueRange range = ValueRange::ints(symbol.lower.value_or(kMinusIntInfinity),
                                              symbol.upper.value_or(kIntInfinity));
    if (is_unbacked(symbol.name)) {
      program_.shape_env->create_unbacked_int(symbol.name, range);
      continue;
    }
    const auto hint = hints_.find(symbol.name);
    symbol.hint = hint != hints_.end() ? hint->second : free_hint(symbol);
    program_.shape_env->create_backed(symbol.name, *symbol.hint, range);
  }
}

std::optional<SymInt> TextProgramBuilder::size_of(std::string_view expression) {
  if (const auto number = number_of(expression)) return SymInt(*number);
  const ExprNode*& node = parsed_[expression];
  if (node == nullptr) {
    if (program_.shape_env == nullptr) return {};
    node = parse_expr(program_.shape_env->pool(), expression);
    constexpr uint64_t kBytesOfExpression = 192;
    if (program_.shape_env->pool().node_count() * kBytesOfExpression > limits_.memory_left())
      throw_memory_limit("what its expressions are", limits_);
  }
  if (node->type != ExprType::kInt) return {};
  return program_.shape_env->pool().sym_int(node);
}

void TextProgramBuilder::make_value(const Annotated& annotated) {
  const TextAnnotation& said = annotated.said;
  NodeMeta& meta = annotated.graph->meta(annotated.id);
  if (said.kind == TextAnnotation::Kind::kScalar) {
    if (const auto number = number_of(said.scalar)) {
      meta.val = Value(*number);
      return;
    }
    if (program_.shape_env == nullptr) return;
    ExprPool& pool = program_.shape_env->pool();
    const ExprNode* node = parse_expr(pool, said.scalar);
    meta.val = node->type == ExprType::kInt    ? Value(pool.sym_int(node))
               : node->type == ExprType::kBool ? Value(pool.sym_bool(node))
                                               : Value::sym_float(node);
    return;
  }
  DimVector sizes;
  DimVector strides;
  const auto take = [&](std::string_view text, DimVector& into) {
    const std::optional<SymInt> size = size_of(text);
    if (!size || (!size->is_symbolic() && size->as_int() < 0))
      throw_error(ErrorKind::kUnreadable, format("{} is no size", text));
    into.push_back(*size);
  };
  for (const std::string_view size : said.sizes) take(size, sizes);
  if (said.strides)
    for (const std::string_view stride : *said.strides) take(stride, strides);
  MetaSpec spec;
  spec.dtype = said.dtype;
  spec.device = said.device.value_or(Device{}).normalized();
  spec.sizes = sizes;
  const DimVector contiguous = said.strides ? DimVector() : contiguous_strides(sizes);
  spec.strides = said.strides ? Dims(strides) : Dims(contiguous);
  meta.recorded = program_.metas().intern(spec);
}

// A node whose annotation is the first to name an unbacked symbol gives it its value.
void TextProgramBuilder::bind_unbacked(const Annotated& annotated) {
  if (program_.shape_env == nullptr) return;
  const auto symbol_named = [&](std::string_view name) -> const ExprNode* {
    if (!is_unbacked(name) || !bound_.emplace(name, true).second) return nullptr;
    return parse_expr(program_.shape_env->pool(), name);
  };
  Graph& graph = *annotated.graph;
  const Node& node = graph.node(annotated.id);
  NodeId binder = annotated.id;
  std::string prefix;
  if (is_getitem(graph, node) && node.args[0].is(Value::Tag::kNodeRef) &&
      node.args[1].is(Value::Tag::kInt)) {
    binder = node_of(node.args[0]);
    prefix = format("[{}]", node.args[1].as_sym_int());
  }
  std::vector<UnbackedBinding> bindings = graph.bindings(binder);
  const size_t before = bindings.size();
  for (size_t i = 0; i < annotated.said.sizes.size(); ++i)
    if (const ExprNode* symbol = symbol_named(annotated.said.sizes[i]))
      bindings.push_back({symbol, format("{}.size()[{}]", prefix, i)});
  if (annotated.said.kind == TextAnnotation::Kind::kScalar)
    if (const ExprNode* symbol = symbol_named(annotated.said.scalar))
      bindings.push_back({symbol, prefix});
  const bool is_call = node.kind != NodeKind::kPlaceholder && node.kind != NodeKind::kOutput;
  if (is_call && bindings.size() > before) graph.set_bindings(binder, std::move(bindings));
}

// Without a signature inputs are what torch.export's names say: "p_..." is a parameter, "b_..." a
// buffer, "c_..." a constant, as long as such names come first.
void TextProgramBuilder::sign() {
  const Graph& graph = program_.graph();
  program_.inputs.resize(program_.plan().input_count());
  bool is_lifted = true;
  for (Row i = 0; i < program_.inputs.size(); ++i) {
    const StringId id = program_.node(i).name;
    const std::string_view name = graph.text(id);
    InputSpec& input = program_.inputs[i];
    const auto found = inputs_.find(id);
    if (found != inputs_.end()) {
      input = {found->second.kind, found->second.target, found->second.persistent};
      continue;
    }
    constexpr std::array<std::pair<std::string_view, InputSpec::Kind>, 3> kPrefixes = {
        {{"p_", InputSpec::Kind::kParameter},
         {"b_", InputSpec::Kind::kBuffer},
         {"c_", InputSpec::Kind::kConstant}}};
    const auto* const prefix = std::find_if(kPrefixes.begin(), kPrefixes.end(),
                                            [&](auto& row) { return name.starts_with(row.first); });
    is_lifted = is_lifted && prefix != kPrefixes.end();
    if (!is_lifted) continue;
    input.kind = prefix->second;
    input.target = program_.strings().intern(name.substr(prefix->first.size()));
  }
  const Row last = static_cast<Row>(program_.plan().size()) - 1;
  const std::span<const Value> result = program_.plan().row(last).args;
  const size_t count = result.size() == 1 && result[0].is_list() ? result[0].size() : 1;
  program_.outputs = std::move(outputs_);
  program_.outputs.resize(count);
}

void TextProgramBuilder::finish() {
  find_symbols();
  try {
    make_symbols();
  } catch (const Error& wrong) {
    error({0, 1}, wrong.message());
    program_.symbols.clear();
    program_.shape_env = nullptr;
  }
  for (const Annotated& annotated : annotated_) {
    try {
      make_value(annotated);
      bind_unbacked(annotated);
    } catch (const Error& wrong) {
      if (wrong.kind() == ErrorKind::kLimitExceeded) throw;
      error(annotated.span, wrong.message());
    }
  }
  sign();
  build_module_tree(program_);
  text_.sort_problems();
}

}  // namespace faketensor
