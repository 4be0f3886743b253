#include "core/passes/retargeted_run.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/graph/explain.h"
#include "core/graph/placeholders.h"
#include "core/passes/retarget.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// How often a program is run again because operands did not fit: each run decides a line of code.
constexpr int kMostRuns = 24;

// The first row that raised.
Row first_error(const Run& run) {
  for (const Problem& problem : run.problems())
    if (problem.kind == Problem::Kind::kError) return problem.node;
  return kNoRow;
}

bool has_error(const Run& run) { return first_error(run) != kNoRow; }

// The number that a decision sets a site to; for dtypes and devices 1 follows.
int64_t asked_number(const Site& site, const std::string& name, const std::string& text) {
  const Value written = written_at(site);
  if (written.is(Value::Tag::kInt)) {
    if (text == "literal" && !written.is_symbolic()) return written.as_sym_int().as_int();
    if (!text.empty() && text.size() < 18 &&
        text.find_first_not_of("0123456789") == std::string::npos)
      return std::strtoll(text.c_str(), nullptr, 10);
    throw_error(ErrorKind::kUsage,
                format("'{}' is assumed to be literal or a number, not '{}'", name, text));
  }
  if (text != "literal" && text != "follows")
    throw_error(ErrorKind::kUsage,
                format("'{}' is assumed to be literal or follows, not '{}'", name, text));
  return text == "follows" ? 1 : 0;
}

}  // namespace

size_t RetargetedRun::guesses() const {
  return static_cast<size_t>(std::count_if(assumptions.begin(), assumptions.end(),
                                           [](const Assumption& a) { return a.is_guess; }));
}

namespace {

RetargetedRun run_until_it_fits(const Program& program, const RetargetOptions& options,
                                const Choices& asked) {
  PropagateOptions attempt = options;
  Choices choices = asked;
  // Attempts end where something is to be decided anew. Where nothing helps, the last one answers as
  // much as can be, by what was decided when the first error was furthest.
  Choices best = choices;
  Row furthest = 0;
  for (int runs = 1;; ++runs) {
    const Choices tried = choices;
    Retarget retarget(program, options, choices);
    NotedEditor noted(retarget, options.changes, program.plan());
    attempt.editor = &noted;
    attempt.stop_at_first_error = true;
    Run run = propagate(program, attempt);
    if (run.was_cancelled() && !retarget.is_finished()) return {std::move(run), {}, runs};
    if (has_error(run) && first_error(run) > furthest) {
      furthest = first_error(run);
      best = tried;
    }
    const bool decides =
        retarget.is_finished() || (has_error(run) && retarget.learn_from_failure());
    if (decides && runs < kMostRuns) continue;
    if (!decides && (!has_error(run) || options.stop_at_first_error))
      return {std::move(run), retarget.assumptions(), runs};
    Retarget last(program, options, best);
    last.decide_no_more();
    NotedEditor noted_last(last, options.changes, program.plan());
    attempt.editor = &noted_last;
    attempt.stop_at_first_error = options.stop_at_first_error;
    run = propagate(program, attempt);
    // Programs are traced under the Python dispatcher, which some operators need for symbols.
    if (program.shape_env != nullptr && !options.python_dispatcher && has_error(run)) {
      RetargetOptions traced = options;
      traced.python_dispatcher = true;
      RetargetedRun other = run_until_it_fits(program, traced, asked);
      if (!has_error(other.run)) return other;
    }
    return {std::move(run), last.assumptions(), runs + 1};
  }
}

// Note [Sizes that are dynamic]
// A dimension that is made a symbol has a number too, its hint. What is decided of the program's
// numbers is decided with the hints, as for any other sizes, and what a number has become is said
// in symbols again (Retarget::size_of). So a hint must tell: it is a prime that no size of the
// program has in it. Where a program wants sizes that can be divided, as images are, it is the
// example's size that many times.
int64_t telling_hint(const std::set<int64_t>& sizes, int64_t example, const ValueRange& range,
                     int64_t factor) {
  const int64_t lower = range.lower.as_int64().value_or(0);
  const int64_t upper = range.upper.as_int64().value_or(INT64_MAX);
  const auto divides = [](int64_t a, int64_t b) { return b != 0 && b % a == 0; };
  const auto is_prime = [&](int64_t number) {
    for (int64_t i = 2; i * i <= number; ++i)
      if (divides(i, number)) return false;
    return true;
  };
  const auto is_in_sizes = [&](int64_t number) {
    return std::any_of(sizes.begin(), sizes.end(), [&](int64_t n) { return divides(number, n); });
  };
  constexpr int64_t kMost = 1 << 16;
  int64_t prime = std::max({lower / factor, example / factor, int64_t{10}}) + 1;
  while (prime < kMost && (!is_prime(prime) || is_in_sizes(prime))) ++prime;
  if (prime <= upper / factor) return prime * factor;
  // A range too narrow for one: the largest that the example does not have.
  int64_t largest = upper;
  while (largest > lower && sizes.contains(largest)) --largest;
  return largest;
}

// With a hint for each dynamic dimension, of which no two are alike.
RetargetOptions with_hints(const Program& program, const RetargetOptions& options,
                           bool as_multiples) {
  std::set<int64_t> sizes;
  for (Row row = 0; row < program.plan().size(); ++row) {
    const TensorMeta* meta = program.node(row).recorded;
    if (meta == nullptr) continue;
    for (const SymInt size : meta->sizes())
      if (!size.is_symbolic()) sizes.insert(size.as_int());
  }
  RetargetOptions hinted = options;
  hinted.python_dispatcher = true;  // as programs are traced
  for (auto& [name, dim] : hinted.dynamic) {
    if (dim.hint) continue;
    const InputDim at = input_dims(program, name)[0];
    const SymInt example = program.node(at.row).recorded->sizes()[at.dim];
    if (example.is_symbolic()) continue;  // which is refused
    const int64_t factor = as_multiples ? std::max<int64_t>(example.as_int(), 1) : 1;
    dim.hint = telling_hint(sizes, example.as_int(), dim.range, factor);
    sizes.insert(*dim.hint / factor);
  }
  return hinted;
}

// A dimension that was asked to be any size, of which the program makes one. Mirrors the
// ConstraintViolationError of produce_guards, of the node that specialised.
void refuse_specialised(Run& run, const RetargetOptions& options) {
  for (const GuardEntry& entry : guard_report(run)) {
    if (entry.kind != GuardEntry::Kind::kSpecialisation || entry.node == kNoRow) continue;
    for (const auto& [name, dim] : options.dynamic) {
      if (!entry.text.starts_with(symbol_name(name) + " = ")) continue;
      const Error error(ErrorKind::kConstraintViolation,
                        format("{} was marked dynamic, but {} specialises it to be a constant",
                               name, call_text(run, entry.node)));
      run.add_error(problem_at(run.program(), entry.node, error));
    }
  }
}

Choices asked_choices(const Program& program, const RetargetOptions& options) {
  Choices choices;
  for (const auto& [name, text] : options.assume) {
    const Site site = find_site(program, name);
    choices.ask(site, asked_number(site, name, text));
  }
  return choices;
}

RetargetedRun run_dynamic(const Program& program, const RetargetOptions& options,
                          const Choices& asked) {
  RetargetedRun answer = run_until_it_fits(program, with_hints(program, options, false), asked);
  if (!has_error(answer.run)) return answer;
  RetargetedRun other = run_until_it_fits(program, with_hints(program, options, true), asked);
  return first_error(other.run) > first_error(answer.run) ? std::move(other) : std::move(answer);
}

}  // namespace

RetargetedRun propagate_retargeted(const Program& program, const RetargetOptions& options) {
  const Choices asked = asked_choices(program, options);
  const bool changes_model =
      !options.dims.empty() || !options.dynamic.empty() || options.dtype || options.device;
  const bool is_literal = !changes_model || options.literal || !options.inputs.empty();
  if (options.dynamic.empty())
    return is_literal ? RetargetedRun{propagate(program, options), {}}
                      : run_until_it_fits(program, options, asked);
  RetargetedRun answer = is_literal ? RetargetedRun{propagate(program, options), {}}
                                    : run_dynamic(program, options, asked);
  refuse_specialised(answer.run, options);
  return answer;
}

}  // namespace faketensor
