#include "core/passes/retargeted_run.h"

#include <algorithm>
#include <cstdlib>

#include "core/passes/retarget.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// How often a program is run again because operands did not fit: each run decides a line of code.
constexpr int kMostRuns = 24;

bool has_error(const Run& run) {
  return std::any_of(run.problems().begin(), run.problems().end(),
                     [](const Problem& p) { return p.kind == Problem::Kind::kError; });
}

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

RetargetedRun propagate_retargeted(const Program& program, const RetargetOptions& options) {
  Choices choices;
  for (const auto& [name, text] : options.assume) {
    const Site site = find_site(program, name);
    choices.ask(site, asked_number(site, name, text));
  }
  const bool changes_model = !options.dims.empty() || options.dtype || options.device;
  if (!changes_model || options.literal || !options.inputs.empty())
    return {propagate(program, options), {}};
  PropagateOptions attempt = options;
  // Attempts end where something is to be decided anew; the last one answers as much as can be.
  for (int runs = 1;; ++runs) {
    Retarget retarget(program, options, choices);
    attempt.editor = &retarget;
    attempt.stop_at_first_error = true;
    Run run = propagate(program, attempt);
    if (run.was_cancelled() && !retarget.is_finished()) return {std::move(run), {}, runs};
    const bool decides =
        retarget.is_finished() || (has_error(run) && retarget.learn_from_failure());
    if (decides && runs < kMostRuns) continue;
    if (!decides && (!has_error(run) || options.stop_at_first_error))
      return {std::move(run), retarget.assumptions(), runs};
    Retarget last(program, options, choices);
    last.decide_no_more();
    attempt.editor = &last;
    attempt.stop_at_first_error = options.stop_at_first_error;
    run = propagate(program, attempt);
    // Programs are traced under the Python dispatcher, which some operators need for symbols.
    if (program.shape_env != nullptr && !options.python_dispatcher && has_error(run)) {
      RetargetOptions traced = options;
      traced.python_dispatcher = true;
      RetargetedRun other = propagate_retargeted(program, traced);
      if (!has_error(other.run)) return other;
    }
    return {std::move(run), last.assumptions(), runs + 1};
  }
}

}  // namespace faketensor
