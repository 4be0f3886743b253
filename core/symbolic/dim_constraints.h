// What guards demand of an exported program's dimensions, and how its Dims should be declared.
//
// Mirrors DimConstraints of torch/fx/experimental/symbolic_shapes.py: conditions on one symbol are
// solved for it (a number, a range, a multiple), and the solutions become the "Suggested fixes" of
// torch.export's error. Conditions that are linear after // and % are taken away are solved; others
// are left aside.
//
//   DimConstraints constraints(env, names);       // "L['x'].size()[0]" is "dx"
//   constraints.add(Eq(Mod(s77, 2), 0));
//   constraints.solve();
//   constraints.suggested_fixes(dims);            // "\nSuggested fixes:\n  _dx = Dim('_dx', ...
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/symbolic/shape_env.h"

namespace faketensor {

// A torch.export.Dim as the user declared it: a range, or factor * root + offset of another one.
struct ExportDim {
  std::string name;
  int64_t min = 0;
  int64_t max = kIntInfinity;
  std::string root = {};  // empty: not derived
  int64_t factor = 1;
  int64_t offset = 0;
  bool is_derived() const { return !root.empty(); }
};

// The user's names of dimensions, by source.
using DebugNames = std::unordered_map<std::string, std::string>;

class DimConstraints {
 public:
  DimConstraints(ShapeEnv& env, DebugNames names) : env_(env), names_(std::move(names)) {}

  // The source that stands for a symbol; its first one counts.
  void set_source(const ExprNode* symbol, const Source& source) {
    sources_.try_emplace(symbol, source.name());
  }
  // A symbol that is to stay one: solving it for a number is a forced specialisation.
  void mark_dynamic(const ExprNode* symbol) { marked_dynamic_.insert(symbol); }

  // True if the condition says nothing new.
  bool add(const ExprNode* condition);
  // The dimension at `source` is this expression of others'.
  void add_equality(const Source& source, const ExprNode* value);
  // Raises ValueError if nothing satisfies all conditions.
  void solve();

  // "dx = L['x'].size()[0]" and the number it has to be, by source.
  std::map<std::string, int64_t> forced_specializations() const;
  // What torch.export adds to its error: forced specialisations and suggested fixes; empty if there
  // is nothing to suggest. Mirrors DimConstraints.prettify_results.
  std::string suggested_fixes(std::vector<ExportDim> dims) const;

 private:
  // (a*s + b) / denominator
  struct Linear {
    int64_t a = 0;
    int64_t b = 0;
    int64_t denominator = 1;
  };
  // a*s + b is a multiple of modulus
  struct Congruence {
    int64_t a;
    int64_t b;
    int64_t modulus;
  };
  // What is known of one symbol.
  struct Facts {
    std::optional<int64_t> value;
    std::optional<int64_t> lower;
    std::optional<int64_t> upper;
    std::vector<Congruence> congruences;
  };
  struct Solution {
    int64_t modulus = 1;
    int64_t remainder = 0;
  };

  std::optional<Linear> linear(const ExprNode* node, const ExprNode* symbol, Facts& facts) const;
  std::optional<Linear> without_remainder(const ExprNode* division, const ExprNode* symbol,
                                          Facts& facts) const;
  bool add_linear(ExprKind kind, Linear difference, const ExprNode* condition, Facts& facts);
  std::optional<Solution> solve_congruences(const ExprNode* symbol, const Facts& facts) const;
  std::optional<std::string> name_of(const ExprNode* symbol) const;
  std::string in_sources(std::string text) const;
  void raise_inconsistencies();

  ShapeEnv& env_;
  DebugNames names_;
  std::unordered_map<const ExprNode*, std::string> sources_;
  std::unordered_set<const ExprNode*> marked_dynamic_;
  std::vector<const ExprNode*> symbols_;  // of facts_, as they were met
  std::unordered_map<const ExprNode*, Facts> facts_;
  std::vector<const ExprNode*> multivariate_;
  std::vector<std::pair<std::string, const ExprNode*>> equivalences_;
  std::vector<std::string> inconsistencies_;
  SymbolMap substitutions_;
};

}  // namespace faketensor
