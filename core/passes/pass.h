// Passes: what changes a graph, each in a file of its own, all of them rows of one table.
//
// A pass is given a subject: a graph of a program whose values (NodeMeta::val) live in a mode. It
// edits the graph, or makes a new one in the same program and puts it into the subject. What else
// it found is `info`, an object of JSON: the partitions, the tags, the sizes.
// Mirrors torch.fx.passes.infra.pass_base and what torch.fx.passes and torch._export.passes hold;
// README.md shows how to write one.
//
//   PassSubject subject{program, mode, &program.graph()};
//   const PassResult result = find_pass("cse")->run(subject, {});
//   result.modified;
//   graph_text(*subject.graph);
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/program.h"
#include "core/mode/mode.h"
#include "core/passes/graph_pattern.h"
#include "core/passes/operator_rules.h"

namespace faketensor {

// A value that a program is called with: a tensor of these sizes, whose data is known where it is
// small, or a number, a string or None.
struct RealInput {
  Value value;
  std::string target = {};  // the parameter, buffer or constant that it is; empty for user inputs
};

struct PassSubject {
  Program& program;
  FakeTensorMode& mode;
  Graph* graph = nullptr;
  std::span<const RealInput> inputs = {};  // one per placeholder; empty where none are known
  // Modes that passes made, in which the values of their graphs live.
  std::vector<std::unique_ptr<FakeTensorMode>> made_modes = {};
};

struct PassResult {
  bool modified = false;
  std::string info = {};  // a JSON object; empty where there is nothing to tell
};

struct PassOptions {
  OperatorRules rules = {};                    // export_pass
  std::vector<std::string> operators = {};     // partitioner: "aten.add.Tensor"
  bool allows_single_node_partition = false;   // partitioner
  bool skip_horizontal_fusion = false;         // partitioner
  int64_t group_size = 2;                      // split_by_tags, split_module: nodes per part
  GraphPattern pattern = {};                   // replace_pattern
  std::optional<Device> device = {};           // move_to_device
  std::optional<DType> dtype = {};             // convert_dtype
  bool copies_back = false;                    // functionalize: writes to inputs are nodes
  bool on_module = false;                      // constant_fold: parameters are attributes
  bool grad_enabled = true;                    // replace_set_grad_with_hop: outside of the program
  bool has_shape_env = false;                  // fake_tensor_prop: sizes become symbols
  bool has_static_sizes = false;               // fake_tensor_prop: but those of inputs do not
  bool uses_own_mode = false;                  // fake_tensor_prop: the program's mode and values
  std::vector<std::string> passes = {};        // pass_manager
  std::vector<PassOptions> pass_options = {};  // pass_manager: of each of them
  int64_t steps = 1;                           // pass_manager
};

struct PassRow {
  std::string_view name;
  std::string_view argument;    // what may stand behind the name: "/4", "/DEVICE"
  std::string_view class_name;  // PyTorch's, which a pass manager's error says
  std::string_view about;
  PassResult (*run)(PassSubject& subject, const PassOptions& options);
};

// In order of their names.
std::span<const PassRow> passes();
// By name; of "split_by_tags/4" what stands before '/'. Null for none.
const PassRow* find_pass(std::string_view name);
// The options that a name says: "split_by_tags/4", "move_to_device/cuda",
// "export_pass/aten.relu.default=aten.gelu.default". Raises UsageError for an argument that the pass
// does not take.
PassOptions read_pass_argument(std::string_view name);

}  // namespace faketensor
