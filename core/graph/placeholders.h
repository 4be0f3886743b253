// Placeholders: a program's inputs with the what-if options applied to what the file records.
//
// Every placeholder becomes a fake on a storage of its own, at offset 0, as the recorded answers'
// inputs were made (empty_strided). A dimension that is a symbol is set by setting the symbol,
// wherever it stands.
#pragma once

#include "core/graph/fake_tensor_prop.h"
#include "core/symbolic/expr.h"

namespace faketensor {

class Placeholders {
 public:
  // Raises UsageError for options that name no input, dimension or symbol. Both arguments must
  // outlive this.
  Placeholders(const Program& program, const PropagateOptions& options);

  // The value of placeholder `i`: a new fake, or the number that it is.
  Value make(FakeTensorMode& mode, Row i) const;

 private:
  void set_dim(const std::string& name, int64_t value);
  void set_batch(int64_t value);
  void set_size(Row node, size_t dim, int64_t value);
  bool set_symbol(std::string_view name, int64_t value);
  SymInt resolved(SymInt value) const;

  const Program& program_;
  const PropagateOptions& options_;
  std::vector<DimVector> sizes_;  // changed by `dims`; empty: as recorded
  SymbolMap symbols_;             // set by `dims`
};

// The first user input that is a tensor with dimensions; its dimension 0 is the batch. kNoRow
// where there is none.
Row first_user_tensor(const Program& program);

}  // namespace faketensor
