// SymbolReader: the symbolic sizes and scalars of a serialised program.
//
// A size that is no number is {"as_expr": {"expr_str": "Mul(Integer(2), Symbol('s0', positive=True,
// integer=True))", "hint": ...}} ("2*s0" until PyTorch 2.5), and the symbols' ranges stand at the
// end of the file. So a value with expressions in it is deferred: it is kept with the numbers of
// its expressions (each distinct text once), and made when the whole file has been read. Then the
// program gets a ShapeEnv with its symbols, their ranges and hints; a static program has none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/json_events.h"
#include "core/graph/program.h"
#include "core/support/interner.h"

namespace faketensor {

// What a file records about one value: a meta or a scalar, or, where it has symbols, a deferred
// one.
struct Recorded {
  static constexpr uint32_t kNothing = 0xFFFFFFFF;
  const TensorMeta* meta = nullptr;
  Value scalar;
  uint32_t deferred = kNothing;
};

class SymbolReader {
 public:
  // A size, stride or offset: a number, or for -1 - n the expression of number n. Sizes are never
  // negative.
  using Dim = int64_t;

  SymbolReader(Program& program, const ReadLimits& limits) : program_(program), limits_(limits) {}

  // SymInt: {"as_int": 3} or {"as_expr": ...}.
  Dim read_dim(JsonValue value);
  // SymInt, SymBool or SymFloat as the value of a node.
  Recorded read_scalar(JsonValue value);
  // A meta of which `spec` has all but sizes, strides and offset.
  Recorded defer_meta(const MetaSpec& spec, std::span<const Dim> sizes,
                      std::span<const Dim> strides, Dim offset);
  // "range_constraints": {"s0": {"min_val": 2, "max_val": null}}.
  void read_ranges(JsonValue ranges);

  // Node `node` of `graph` is to get this value.
  void record(Graph& graph, NodeId node, const Recorded& recorded);
  // Makes the ShapeEnv and all deferred values.
  void finish();
  // About how many bytes the deferred values take.
  uint64_t memory() const;

 private:
  struct Expression {
    StringId text = 0;
    uint32_t position = 0;
    std::optional<int64_t> hint;
  };
  struct Deferred {
    bool is_scalar = false;
    MetaSpec spec;  // of a meta, without its dims
    // In dims_: sizes, strides, offset; of a scalar: the number of its expression.
    size_t first_dim = 0;
    size_t rank = 0;
  };
  struct Target {
    Graph* graph;
    NodeId node;
    uint32_t deferred;
  };

  uint32_t read_expression(JsonValue expression);
  void make_symbols();
  void make_symbol(SymbolSpec& spec);
  const ExprNode* parse(uint32_t expression);
  SymInt dim(Dim dim);
  Recorded make(const Deferred& deferred);

  Program& program_;
  const ReadLimits& limits_;
  Interner texts_;
  std::vector<Expression> expressions_;  // by StringId of the text, less one
  std::vector<const ExprNode*> parsed_;  // by number of the expression, null until it is needed
  std::vector<Dim> dims_;
  std::vector<Deferred> deferred_;
  std::vector<Target> targets_;
};

}  // namespace faketensor
