// GraphWriter: a graph as the "Graph" object of torch.export's schema.
//
// What GraphReader (graph_reader.h) reads is written back: a getitem node is no node of the file, but
// the name of an element in its call's outputs; elements that nobody takes are named
// "split_unused_1"; of two getitem nodes of one element the first gives the name, by which both are
// used. Values are those of the nodes (NodeMeta::val), so that passes must have left them. Mirrors
// GraphModuleSerializer (torch/_export/serde/serialize.py).
//
//   ExportedValues values(program, env);
//   GraphWriter(json, graph, values, notes).write(GraphWriter::Role::kProgram);
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/io/exported_values.h"
#include "core/ops/schema.h"

namespace faketensor {

// What a file tells of a program that its graph does not hold.
struct FileNotes {
  // Of operators without a schema here: a file names their arguments, and says how results come.
  struct Signature {
    std::vector<std::string> arguments;
    bool returns_nothing = false;
    bool returns_list = false;  // -> Tensor[]
  };
  std::unordered_map<std::string, Signature> operators;  // by target
  // The members of nodes' metadata that the graph does not hold, as JSON, by node_key.
  std::unordered_map<std::string, std::vector<std::pair<std::string, std::string>>> metadata;
  std::unordered_map<std::string, std::string> classes;  // of custom objects, by name
};

// What a node is known by after passes: its graph (empty for the program's own), its name, and which
// call of the user's code it is.
std::string node_key(std::string_view graph, std::string_view name, std::string_view target,
                     std::string_view torch_fn);

class GraphWriter {
 public:
  // All must outlive this.
  GraphWriter(JsonWriter& json, const Graph& graph, ExportedValues& values, const FileNotes& notes)
      : json_(json), graph_(graph), values_(values), notes_(notes) {}

  // Raises Usage, with the node, for what PyTorch's schema has no form for: calls of modules and
  // methods, tensors that are attributes, a node without a value. A program's own graph returns a
  // tuple, also where it was typed with one value; graphs of operators may return one.
  enum class Role { kProgram, kSubgraph };
  void write(Role role);
  // An Argument: a constant, or the value of a node. `type` tells what an empty list is one of.
  void write_argument(const Value& value, const ArgType* type = nullptr);
  // The name that the value of a node goes by.
  std::string_view name_of(NodeId id) const;

 private:
  void write_placeholder(NodeId id);
  void write_call(NodeId id);
  void write_inputs(NodeId id, const Schema* schema);
  void write_input(std::string_view name, const Value& value, const ArgType* type, bool is_keyword);
  void write_outputs(NodeId id, const Schema* schema);
  void write_elements(NodeId id, const Value& elements);
  void write_tensor_list(const std::vector<std::string>& names, const Value& elements);
  void write_metadata(NodeId id);
  // The value of a node under a name, which is noted.
  void write_value(std::string_view name, const Value& value);
  void write_reference(NodeId id);
  void write_text(std::string_view text, const ArgType* type);
  void write_list(const Value& list, const ArgType* type);
  // A list of some kind; false where it is of another.
  bool write_constants(const Value& list, const ArgType* type);
  bool write_symbolic_numbers(const Value& list);
  bool write_tensors(const Value& list);
  bool write_nested(const Value& list);
  bool write_dictionary(const Value& list);
  int64_t plain_int(const Value& value) const;
  void write_values(bool is_single);

  // The names of the elements of a call's result, by its getitem nodes.
  std::vector<std::string> element_names(NodeId id, size_t count, std::string_view unused);
  NodeId element_node(NodeId id, size_t index);
  const Value& value_of(NodeId id) const { return graph_.node(id).val; }
  [[noreturn]] void refuse(std::string_view why) const;

  JsonWriter& json_;
  const Graph& graph_;
  ExportedValues& values_;
  const FileNotes& notes_;
  NodeId at_ = kNoNode;                          // which is written
  std::unordered_map<NodeId, NodeId> first_of_;  // getitem nodes of an element that another has
  std::vector<std::pair<std::string, const TensorMeta*>> tensors_;
  std::vector<std::pair<std::string, Value>> ints_;
  std::vector<std::pair<std::string, Value>> bools_;
  std::vector<std::pair<std::string, Value>> floats_;
  std::vector<std::string> custom_objects_;
};

// The names that Python's symbolic functions have for their arguments: "a" and "b" of _operator.add.
// Empty for a target that is none of them.
std::string_view symbolic_argument(std::string_view target, size_t index);

}  // namespace faketensor
