// BodyValues: what the rows of bodies (bodies.h) answer while a propagation runs their calls.
//
// Sees what the interpreter runs inside of higher-order operators, and keeps for each body the values
// of its first run. An error in a body is that row's; its call, and the calls around that, are not
// reached. Bodies that PyTorch's fake implementation of an operator does not run (the condition of a
// while_loop, the score of flex_attention) are run at the end for their values alone: what they find
// out about symbols is forgotten, and an error in one is no problem of the program's.
#pragma once

#include <utility>
#include <vector>

#include "core/graph/bodies.h"
#include "core/graph/fake_tensor_prop.h"
#include "core/graph/interpreter.h"

namespace faketensor {

class BodyValues final : public GraphWatcher {
 public:
  // All must outlive this; `records` has one of each row.
  BodyValues(const Program& program, Context& context, std::vector<NodeRecord>& records);

  void begin_call(Row row) override;
  void begin_graph(const Graph& graph) override;
  void note_value(Row row, const Value& value) override;
  void note_error(Row row, const Error& error) override;
  void end_graph() override;
  bool is_recording() const override { return next_body() != kNoBody; }

  // The row that raised in the call begun last, told once; kNoRow where none did.
  Row take_failed() { return std::exchange(failed_, kNoRow); }
  void run_others();

 private:
  static constexpr size_t kNoBody = SIZE_MAX;
  struct Running {
    size_t body = kNoBody;
    Row call = kNoRow;  // the one inside of it that runs
  };

  size_t next_body(const Graph* graph = nullptr) const;
  void run_other(size_t body);
  Value input_of(const Body& body, Row row);

  const Program& program_;
  const Bodies& bodies_;
  Context& context_;
  std::vector<NodeRecord>& records_;
  std::vector<Running> running_{Running{}};  // the program's own graph, then those inside
  std::vector<bool> has_run_;                // by body
  Row failed_ = kNoRow;
  bool is_quiet_ = false;
};

}  // namespace faketensor
