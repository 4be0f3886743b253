#include "core/symbolic/produce_guards.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/guard_printer.h"
#include "core/symbolic/symbolic_geometry.h"

namespace faketensor {
namespace {

bool is_size(const Source& source) {
  return source.name().ends_with("]") && source.dim() &&
         source.name().find(".size()[") != std::string::npos;
}

// One run of produce_guards: what the inputs say of each symbol, and the text so far.
class GuardProducer {
 public:
  GuardProducer(ShapeEnv& env, const GuardRequest& request)
      : env_(env),
        request_(request),
        own_constraints_(env, request.debug_names),
        constraints_(request.constraints == nullptr ? own_constraints_ : *request.constraints) {}

  ProducedGuards run(std::span<const GuardedInput> inputs) {
    inputs_ = inputs;
    if (request_.equalities != nullptr) check_declared(*request_.equalities);
    for (size_t i = 0; i < inputs.size(); ++i) track(i);
    for (const ExprNode* symbol : order_) {
      const Tracked& known = tracked_.at(symbol);
      constraints_.set_source(symbol, known.sources[0]);
      if (!known.constraints.empty()) constraints_.mark_dynamic(symbol);
    }
    if (!request_.simplified) require_inputs();
    for (const Guard& guard : env_.guards()) {
      const bool follows_from_ranges =
          env_.maybe_evaluate_static(guard.condition, false, guard.size_oblivious,
                                     /*use_axioms=*/false) != nullptr;
      if (!follows_from_ranges) issue(guard);
    }
    for (const RuntimeAssert& assert : env_.deferred_runtime_asserts()) {
      if (assert.symbol != nullptr) continue;
      if (env_.maybe_evaluate_static(assert.condition, false, false, false) != nullptr) continue;
      constraints_.add(env_.simplify(assert.condition));
    }
    for (size_t i = 0; i < order_.size(); ++i) require_range(order_[i]);
    raise_violations();
    give_symbols();
    return std::move(result_);
  }

 private:
  struct Tracked {
    std::vector<Source> sources;
    std::vector<DimConstraint> constraints;
    size_t first = 0;  // of sources, among input_guards_
  };
  struct InputGuard {
    Source source;
    const ExprNode* value;
    InputNumber number;
    std::optional<size_t> subject = {};  // its place in ProducedGuards::numbers

    bool is_tensor_property() const { return number.property != InputNumber::Property::kValue; }
  };

  // --- what the inputs are ---

  const ExprNode* dim_expression(const Source& dim) {
    for (const GuardedInput& input : inputs_) {
      for (size_t i = 0; i < input.sizes.size(); ++i) {
        if (input.source.size(i) == dim) return env_.replace(env_.pool().node_of(input.sizes[i]));
      }
    }
    throw_error(ErrorKind::kUsage, format("no input has the dimension {}", dim.name()));
  }

  std::string hinted(const ExprNode* node) {
    const std::optional<Number> value = env_.hint(node);
    return value ? to_string(env_.pool().number(*value)) : to_string(node);
  }

  // What the user declares must hold for the example inputs, and is a guard for all others.
  void check_declared(const DeclaredEqualities& declared) {
    ExprPool& pool = env_.pool();
    for (const auto& [first, second] : declared.equal) {
      const ExprNode* a = dim_expression(first);
      const ExprNode* b = dim_expression(second);
      if (env_.evaluate_bool(pool.make(ExprKind::kEq, a, b))) continue;
      throw_error(ErrorKind::kConstraintViolation,
                  format("{} = {} is not equal to {} = {}", first.name(), hinted(a), second.name(),
                         hinted(b)));
    }
    for (const DerivedDim& derived : declared.derived) {
      const ExprNode* dim = dim_expression(derived.dim);
      const ExprNode* root = derived.root ? dim_expression(*derived.root) : derived.root_symbol;
      const auto related = [&](const ExprNode* to) {
        return pool.add(pool.mul(pool.integer(derived.factor), to), pool.integer(derived.offset));
      };
      if (env_.evaluate_bool(pool.make(ExprKind::kEq, dim, related(root)))) continue;
      const std::string name =
          derived.root ? debug_name(*derived.root) : to_string(derived.root_symbol);
      SymbolInfo info;
      info.name = name;
      throw_error(ErrorKind::kConstraintViolation,
                  format("Expected input {} to be equal to {}, where {} = {}, but got {}",
                         derived.dim.name(), to_string(related(pool.symbol(info))), name,
                         hinted(root), hinted(dim)));
    }
  }

  Tracked& tracked(const ExprNode* symbol) {
    const auto [at, is_new] = tracked_.try_emplace(symbol);
    if (is_new) order_.push_back(symbol);
    return at->second;
  }

  void track(size_t position) {
    using Property = InputNumber::Property;
    const GuardedInput& input = inputs_[position];
    if (input.number != nullptr) {
      track_value(input.source, input.number, input.constraint, {position, Property::kValue});
      return;
    }
    const auto constraint = [](const std::vector<DimConstraint>* list, size_t i) {
      return list == nullptr ? DimConstraint() : (*list)[i];
    };
    const SymbolicContext* context = input.context;
    if (context != nullptr) check_rank(*context, input.sizes.size());
    for (size_t i = 0; i < input.sizes.size(); ++i) {
      track_value(input.source.size(i), env_.pool().node_of(input.sizes[i]),
                  constraint(context == nullptr ? nullptr : &context->constraint_sizes, i),
                  {position, Property::kSize, i});
    }
    for (size_t i = 0; i < input.strides.size(); ++i) {
      track_value(input.source.stride(i), env_.pool().node_of(input.strides[i]),
                  constraint(context == nullptr ? nullptr : &context->constraint_strides, i),
                  {position, Property::kStride, i});
    }
    if (input.offset) {
      track_value(input.source.storage_offset(), env_.pool().node_of(*input.offset), {},
                  {position, Property::kOffset});
    }
  }

  void track_value(const Source& source, const ExprNode* value, const DimConstraint& constraint,
                   InputNumber number) {
    value = env_.replace(value);
    if (value->kind == ExprKind::kSymbol) {
      Tracked& symbol = tracked(value);
      if (symbol.sources.empty()) symbol.first = input_guards_.size();
      symbol.sources.push_back(source);
      if (constraint.kind == DimConstraint::Kind::kMinMax) symbol.constraints.push_back(constraint);
    } else if (value->is_number()) {
      check_specialized(source, value, constraint);
    }
    input_guards_.push_back({source, value, number});
  }

  // A dimension the user wants dynamic became a number. 0 and 1 do not count: they always do.
  void check_specialized(const Source& source, const ExprNode* value,
                         const DimConstraint& constraint) {
    const bool is_zero_one = value->is_integer(0) || value->is_integer(1);
    const bool has_this_value_only = constraint.range.is_singleton() &&
                                     value->kind == ExprKind::kInteger &&
                                     constraint.range.lower == value->number.integer;
    const bool violated =
        (constraint.kind == DimConstraint::Kind::kMinMax && !has_this_value_only) ||
        (constraint.kind == DimConstraint::Kind::kUnspecified && !is_zero_one);
    if (!violated) return;
    record_violation(
        source, constraint.warn_only,
        format("You marked {} as dynamic but your code specialized it to be a constant ({}). If "
               "you're using mark_dynamic, either remove it or use maybe_mark_dynamic. If you're "
               "using Dim.DYNAMIC, replace it with either Dim.STATIC or Dim.AUTO.",
               debug_name(source), to_string(value)));
  }

  // --- text ---

  std::string debug_name(const Source& source) const {
    const auto at = request_.debug_names.find(source.name());
    return at == request_.debug_names.end() ? source.name() : at->second;
  }

  std::string symbol_text(const ExprNode* symbol) const {
    const auto at = tracked_.find(symbol);
    if (at != tracked_.end() && !at->second.sources.empty()) return at->second.sources[0].name();
    const std::span<const Source> sources = env_.sources(symbol);
    if (!sources.empty()) return sources[0].name();
    throw_error(ErrorKind::kRuntimeError,
                format("{} stands for no input of the program", to_string(symbol)));
  }

  std::string text(const ExprNode* node) const {
    return python_text(node, [this](const ExprNode* symbol) { return symbol_text(symbol); });
  }

  void add(std::string guard, const std::string& reason, const GuardCondition& condition) {
    result_.verbose.push_back(reason.empty() ? guard : format("{}  # {}", guard, reason));
    result_.exprs.push_back(std::move(guard));
    result_.conditions.push_back(condition);
  }

  // --- numbers of the conditions ---

  size_t subject(InputGuard& guard) {
    if (!guard.subject) {
      guard.subject = result_.numbers.size();
      result_.numbers.push_back(guard.number);
    }
    return *guard.subject;
  }
  size_t subject(const Tracked& symbol) { return subject(input_guards_[symbol.first]); }

  // A symbol is printed as the first of its sources, and so it is read there.
  void give_symbols() {
    std::unordered_set<const ExprNode*> used;
    for (const GuardCondition& condition : result_.conditions) {
      if (condition.expression == nullptr) continue;
      for (const ExprNode* symbol : free_symbols(condition.expression)) used.insert(symbol);
    }
    for (const ExprNode* symbol : order_) {
      const Tracked& known = tracked_.at(symbol);
      if (used.count(symbol) == 0 || known.sources.empty()) continue;
      result_.symbols.emplace_back(symbol, subject(known));
    }
  }

  std::string origin_text(uint32_t origin) const {
    return request_.describe_origin ? request_.describe_origin(origin) : std::string();
  }

  // --- the three groups ---

  void require_inputs() {
    for (InputGuard& guard : input_guards_) {
      const bool is_symbol = guard.value->kind == ExprKind::kSymbol;
      if (is_symbol && tracked_.at(guard.value).sources[0] == guard.source) continue;
      if (request_.ignore_static && guard.is_tensor_property() && guard.value->is_number())
        continue;
      if (is_size(guard.source)) constraints_.add_equality(guard.source, guard.value);
      add(format("{} == {}", guard.source.name(), text(guard.value)), why_equal(guard.source),
          {GuardCondition::Kind::kEquals, subject(guard), guard.value});
      if (request_.equalities != nullptr && is_size(guard.source)) check_relation(guard);
    }
  }

  std::string why_equal(const Source& source) const {
    const ExprNode* symbol = env_.symbol_of_source(source.name());
    if (symbol == nullptr) return {};
    if (!(env_.sources(symbol)[0] == source)) {
      return format(
          "duck sizing added this equality because these variables had the same size {} (to avoid "
          "this specialization, set torch.fx.experimental._config.use_duck_shape = False)",
          env_.hint_of_symbol(symbol).value_or(0));
    }
    return origin_text(env_.replacement_origin(symbol));
  }

  // A dimension that became an expression of another must have been declared so.
  void check_relation(const InputGuard& guard) {
    const std::vector<const ExprNode*> symbols = free_symbols(guard.value);
    if (symbols.size() != 1) return;
    const auto at = tracked_.find(symbols[0]);
    if (at == tracked_.end() || at->second.constraints.empty()) return;
    const Source& root = at->second.sources[0];
    if (is_declared(guard.source, root, guard.value)) return;
    const bool warn_only = request_.equalities->warn_only;
    if (guard.value == symbols[0]) {
      record_violation(
          guard.source, warn_only,
          format("The values of {} = {} and {} = {} must always be equal.",
                 debug_name(guard.source), guard.source.name(), debug_name(root), root.name()));
      return;
    }
    SymbolInfo info;
    info.name = debug_name(root);
    const SymbolMap named = {{symbols[0], env_.pool().symbol(info)}};
    record_violation(
        guard.source, warn_only,
        format("The values of {} = {} must always be related to the values of {} = {} by {} = {}.",
               debug_name(guard.source), guard.source.name(), debug_name(root), root.name(),
               debug_name(guard.source), to_string(substitute(guard.value, named))));
  }

  bool is_declared(const Source& dim, const Source& root, const ExprNode* value) {
    const DeclaredEqualities& declared = *request_.equalities;
    const bool is_symbol = value->kind == ExprKind::kSymbol;
    const auto same = [](const Source& a, const Source& b, const std::pair<Source, Source>& pair) {
      return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
    };
    if (is_symbol && std::any_of(declared.equal.begin(), declared.equal.end(),
                                 [&](const auto& pair) { return same(dim, root, pair); })) {
      return true;
    }
    ExprPool& pool = env_.pool();
    return std::any_of(
        declared.derived.begin(), declared.derived.end(), [&](const DerivedDim& derived) {
          if (!(derived.dim == dim)) return false;
          const ExprNode* from = derived.root ? dim_expression(*derived.root) : derived.root_symbol;
          return env_.replace(pool.add(pool.mul(pool.integer(derived.factor), from),
                                       pool.integer(derived.offset))) == value;
        });
  }

  // Whether a symbol is the size of some input's dimension.
  bool is_dim(const ExprNode* symbol) const {
    const auto at = tracked_.find(symbol);
    return at != tracked_.end() &&
           std::any_of(at->second.sources.begin(), at->second.sources.end(), is_size);
  }

  void issue(const Guard& guard) {
    const ExprNode* condition = env_.simplify(guard.condition);
    if (!issued_.insert(condition).second) return;
    add(text(condition), origin_text(guard.origin),
        {.kind = GuardCondition::Kind::kIsTrue, .expression = condition});
    const std::vector<const ExprNode*> symbols = free_symbols(condition);
    const bool has_dim = std::any_of(symbols.begin(), symbols.end(),
                                     [this](const ExprNode* symbol) { return is_dim(symbol); });
    const bool is_trivial = has_dim && constraints_.add(condition);
    // PyTorch's look-up makes an entry for a symbol that is no input's, which then fails.
    if (!has_dim) std::for_each(symbols.begin(), symbols.end(), [this](auto s) { tracked(s); });
    if (is_trivial || symbols.size() != 1) return;
    const Tracked& symbol = tracked(symbols[0]);
    if (symbol.sources.empty()) throw_error(ErrorKind::kIndexError, "list index out of range");
    for (const DimConstraint& constraint : symbol.constraints) {
      record_violation(symbol.sources[0], constraint.warn_only,
                       format("Not all values of {} satisfy the generated guard {}.",
                              render_range(symbol.sources[0], constraint), text(condition)));
    }
  }

  std::string render_range(const Source& source, const DimConstraint& constraint) const {
    const std::string name = debug_name(source);
    std::string out = format("{} = {} in the specified range", name, source.name());
    const bool has_lower = constraint.range.lower > default_lower();
    const bool has_upper = constraint.range.upper < kIntInfinity;
    if (has_lower) out += format(" {} <= {}", constraint.range.lower, name);
    if (has_upper) {
      out += has_lower ? format(" <= {}", constraint.range.upper)
                       : format(" {} <= {}", name, constraint.range.upper);
    }
    return out;
  }

  int64_t default_lower() const { return env_.options().specialize_zero_one ? 2 : 0; }

  void require_range(const ExprNode* symbol) {
    const Tracked& known = tracked_.at(symbol);
    const ValueRange range = env_.range(symbol);
    if (known.sources.empty()) {
      throw_error(ErrorKind::kAssertionError,
                  format("sources must not be empty for symbol {}", to_string(symbol)));
    }
    const std::string name = known.sources[0].name();
    if (range.type == ExprType::kFloat) {
      add(format("not math.isnan({})", name),
          "implicit guard for float input due to NaN specialization in the framework",
          {GuardCondition::Kind::kIsNoNan, subject(known)});
      return;
    }
    const bool has_lower = range.lower != kMinusIntInfinity;
    const bool shows_lower = has_lower && (!request_.simplified || range.lower != default_lower());
    const bool has_upper = range.upper != kIntInfinity;
    if (is_dim(symbol)) add_range_constraints(symbol, range);
    if (!shows_lower && !has_upper) return;
    const std::string lower = format("{} <= {}", range.lower, name);
    const std::string upper = format("{} <= {}", name, range.upper);
    result_.exprs.push_back(!has_upper ? lower : shows_lower ? lower + " and " + upper : upper);
    GuardCondition condition{GuardCondition::Kind::kIsInRange, subject(known)};
    condition.range = ValueRange::ints(shows_lower ? range.lower : kMinusIntInfinity,
                                       has_upper ? range.upper : kIntInfinity);
    result_.conditions.push_back(condition);
    const std::string reason = origin_text(env_.range_origin(symbol));
    const std::string both = format("{} <= {} <= {}", range.lower, name, range.upper);
    const std::string& verbose = !has_upper ? lower : has_lower ? both : upper;
    result_.verbose.push_back(reason.empty() ? verbose : format("{}  # {}", verbose, reason));
    for (const DimConstraint& constraint : known.constraints) {
      const ValueRange demanded =
          intersect(constraint.range, ValueRange::ints(default_lower(), kIntInfinity));
      if (demanded.is_subset_of(range)) continue;
      record_violation(known.sources[0], constraint.warn_only,
                       format("Not all values of {} satisfy the generated guard {} and {}",
                              render_range(known.sources[0], constraint), lower, upper));
    }
  }

  void add_range_constraints(const ExprNode* symbol, const ValueRange& range) {
    ExprPool& pool = env_.pool();
    const auto add_bound = [&](ExprKind kind, RangeEnd bound) {
      const std::optional<int64_t> number = bound.as_int64();
      if (!number) return;
      const std::array args = {symbol, pool.integer(*number)};
      constraints_.add(pool.intern(kind, ExprType::kBool, Number(), args));
    };
    add_bound(ExprKind::kGe, range.lower);
    add_bound(ExprKind::kLe, range.upper);
  }

  // --- violations ---

  void record_violation(const Source& source, bool warn_only, std::string message) {
    if (!warn_only) violations_.emplace_back(debug_name(source), std::move(message));
  }

  void raise_violations() const {
    if (violations_.empty()) return;
    std::set<std::string> names;
    std::string details;
    for (const auto& [name, message] : violations_) {
      names.insert(name);
      details += format("\n  - {}", message);
    }
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    throw_error(ErrorKind::kConstraintViolation,
                format("Constraints violated ({})! For more information, run with "
                       "TORCH_LOGS=\"+dynamic\".{}",
                       list, details));
  }

  ShapeEnv& env_;
  const GuardRequest& request_;
  DimConstraints own_constraints_;
  DimConstraints& constraints_;
  std::span<const GuardedInput> inputs_;
  std::unordered_map<const ExprNode*, Tracked> tracked_;
  std::vector<const ExprNode*> order_;  // of tracked_, as they were met
  std::vector<InputGuard> input_guards_;
  std::unordered_set<const ExprNode*> issued_;
  std::vector<std::pair<std::string, std::string>> violations_;  // name of the dimension, message
  ProducedGuards result_;
};

bool is_in(const ValueRange& range, Number number) {
  if (number.is_float)
    return range.lower.as_double() <= number.real && number.real <= range.upper.as_double();
  const RangeEnd::Wide wide = number.integer;  // an extreme of int64_t is no infinity here
  return range.lower <= RangeEnd::wide(wide) && RangeEnd::wide(wide) <= range.upper;
}

}  // namespace

bool holds(const GuardCondition& condition, std::span<const Number> numbers,
           const Assignment& symbols) {
  using Kind = GuardCondition::Kind;
  if (condition.kind == Kind::kIsInRange) return is_in(condition.range, numbers[condition.subject]);
  if (condition.kind == Kind::kIsNoNan) {
    const Number number = numbers[condition.subject];
    return !number.is_float || !std::isnan(number.real);
  }
  const std::optional<Number> value = evaluate(condition.expression, symbols);
  if (!value) return false;
  if (condition.kind == Kind::kEquals) return compare(numbers[condition.subject], *value) == 0;
  return value->is_float ? value->real != 0 : value->integer != 0;
}

ProducedGuards produce_guards(ShapeEnv& env, std::span<const GuardedInput> inputs,
                              const GuardRequest& request) {
  return GuardProducer(env, request).run(inputs);
}

void check_export_guards(ShapeEnv& env, std::span<const GuardedInput> inputs, GuardRequest request,
                         const std::vector<ExportDim>& dims) {
  DimConstraints constraints(env, request.debug_names);
  request.constraints = &constraints;
  request.ignore_static = false;
  std::string violation;
  try {
    produce_guards(env, inputs, request);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kConstraintViolation) throw;
    violation = error.message();
  }
  env.freeze();
  constraints.solve();
  const bool is_forced = !constraints.forced_specializations().empty();
  if (violation.empty() && !is_forced) return;
  throw_error(ErrorKind::kConstraintViolation, violation + constraints.suggested_fixes(dims));
}

std::optional<std::string> produce_guards_expression(ShapeEnv& env,
                                                     std::span<const GuardedInput> inputs,
                                                     bool ignore_static) {
  std::vector<GuardedInput> renamed(inputs.begin(), inputs.end());
  for (size_t i = 0; i < renamed.size(); ++i) renamed[i].source = Source::local(format("t{}", i));
  GuardRequest request;
  request.ignore_static = ignore_static;
  const ProducedGuards produced = produce_guards(env, renamed, request);
  std::string out;
  for (const std::string& guard : produced.exprs) out += (out.empty() ? "" : " and ") + guard;
  return out.empty() ? std::nullopt : std::optional<std::string>(out);
}

}  // namespace faketensor
