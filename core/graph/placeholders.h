// Placeholders: a program's inputs with the what-if options applied to what the file records.
//
// Every placeholder becomes a fake on a storage of its own, at offset 0, as the recorded answers'
// inputs were made (empty_strided). A dimension that is a symbol is set by setting the symbol,
// wherever it stands.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/fake_tensor_prop.h"
#include "core/symbolic/expr.h"

namespace faketensor {

// A dimension of an input.
struct InputDim {
  Row row = kNoRow;
  size_t dim = 0;
};

// What a name of `dims` that is no symbol means: "batch", "x.1". Raises UsageError for none.
std::vector<InputDim> input_dims(const Program& program, const std::string& name);

// The symbol that a dimension of PropagateOptions::dynamic becomes: "batch", "x_1" of "x.1".
std::string symbol_name(std::string_view dim);

class Placeholders {
 public:
  // Raises UsageError for options that name no input, dimension or symbol. Symbols of `dynamic` are
  // made in `env`. The program and the options must outlive this.
  Placeholders(const Program& program, const PropagateOptions& options, ShapeEnv& env);

  // The value of placeholder `i`: a new fake, or the number that it is.
  Value make(FakeTensorMode& mode, Row i) const;

 private:
  void set_dim(const std::string& name, int64_t value);
  void make_dynamic(const std::string& name, const DynamicDim& dim, ShapeEnv& env);
  void set_size(InputDim at, int64_t value);
  bool set_symbol(std::string_view name, int64_t value);
  SymInt resolved(SymInt value) const;

  const Program& program_;
  const PropagateOptions& options_;
  std::vector<DimVector> sizes_;                       // changed by `dims`; empty: as recorded
  SymbolMap symbols_;                                  // set by `dims`
  std::map<std::pair<int64_t, size_t>, SymInt> made_;  // by the example's size and the dimension
};

// The first user input that is a tensor with dimensions; its dimension 0 is the batch. kNoRow
// where there is none.
Row first_user_tensor(const Program& program);

}  // namespace faketensor
