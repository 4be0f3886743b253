// GraphReader: reads one "Graph" object of torch.export's schema into a Graph of the program.
//
// It is fed piece by piece as the text streams by: inputs first, then nodes; outputs and what is
// recorded about values at any time. Names belong to one graph: a subgraph of a higher-order
// operator has its own reader, made while its node is read. `finish` adds the output node and joins
// recorded values to nodes.
//
// Note [Names of nodes]
// A call that returns one value is named by that value (GraphModuleDeserializer.sync_fx_node). A
// call that returns several keeps its own name, and one getitem node per element carries the
// element's name. Elements without a name (None, and lists within a tuple) get the next free name
// of "as_none" and "getitem", as torch.fx gives it (fx/graph.py, _Namespace.create_name): the
// number after the one that base was last used with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/formats/json_events.h"
#include "core/formats/read_limits.h"
#include "core/graph/program.h"
#include "core/io/symbol_reader.h"

namespace faketensor {

// What the graphs of one program share while it is read.
class ReadState {
 public:
  ReadState(Program& read_program, const ReadLimits& read_limits)
      : program(read_program), limits(read_limits), symbols(read_program, read_limits) {}

  // The id of a text among the program's strings.
  StringId intern(std::string_view text);
  // About how many bytes what was read so far takes (see Note [Memory of reading]).
  uint64_t memory() const;

  Program& program;
  const ReadLimits& limits;
  SymbolReader symbols;
  uint64_t node_count = 0;
  uint64_t arena_bytes = 0;  // handed out by CountedArena
  uint64_t text_bytes = 0;   // of texts that were interned

 private:
  friend class GraphReader;

  // A text that often repeats from node to node: compared with the last one before it is looked up.
  class Repeating {
   public:
    StringId intern(ReadState& state, std::string_view text) {
      if (text != state.program.text(last_)) last_ = state.intern(text);
      return last_;
    }

   private:
    StringId last_ = 0;
  };

  // What a name means in the graph whose number is `scope`.
  struct Name {
    uint32_t scope = 0;
    NodeId node = kNoNode;  // kNoNode: nothing but recorded values so far
    Recorded recorded;
  };

  std::vector<Name> names_;  // by StringId
  uint32_t scopes_ = 0;
  Repeating module_stacks_;
  Repeating stack_traces_;
};

// The program's arena, with a count of the bytes that it hands out.
class CountedArena {
 public:
  CountedArena(Arena& arena, uint64_t& bytes) : arena_(arena), bytes_(bytes) {}

  template <typename T>
  std::span<T> make_array(size_t count) {
    bytes_ += count * sizeof(T);
    return arena_.make_array<T>(count);
  }
  template <typename T>
  std::span<T> copy(std::span<const T> values) {
    bytes_ += values.size_bytes();
    return arena_.copy(values);
  }
  std::string_view copy(std::string_view text) {
    bytes_ += text.size();
    return arena_.copy(text);
  }

 private:
  Arena& arena_;
  uint64_t& bytes_;
};

class GraphReader {
 public:
  GraphReader(ReadState& state, Graph& graph);
  ~GraphReader();
  GraphReader(const GraphReader&) = delete;
  GraphReader& operator=(const GraphReader&) = delete;

  // A piece of a "Graph" object; "nodes" and "tensor_values" may come in smaller pieces by the next
  // two.
  void read_member(std::string_view name, JsonValue value);
  void begin_nodes() { has_nodes_ = true; }
  void read_node(JsonValue node);
  void read_tensor_value(std::string_view name, JsonValue meta);
  // Names a constant among the inputs, which the graph itself does not.
  void name_placeholder(NodeId placeholder, StringId name);
  // Called when the whole object has ended, at `position`.
  void finish(uint32_t position);

  // Reads a whole "Graph" object.
  void read_graph(JsonValue graph);

 private:
  struct PendingOutput {
    StringId name = 0;  // 0: a constant, or a list
    Value constant;
    bool is_list = false;
    std::vector<StringId> elements;  // of a list, which only subgraphs have among their outputs
    uint32_t position = 0;
  };

  Program& program() { return state_.program; }
  Interner& strings() { return state_.program.strings(); }
  CountedArena arena() { return {state_.program.arena(), state_.arena_bytes}; }

  // Names.
  ReadState::Name& entry(StringId name);
  bool is_defined(StringId name) { return entry(name).node != kNoNode; }
  NodeId define(const Node& node, uint32_t position);
  Value reference(JsonValue name);
  StringId free_name(std::string_view base);
  void note_number(std::string_view name, std::string_view base);

  // Placeholders and outputs.
  void read_inputs(JsonValue inputs);
  void read_placeholder(JsonValue input);
  void read_outputs(JsonValue outputs);
  Value output_reference(StringId name, uint32_t position);
  void add_output_node();
  void read_scalar_values(JsonValue values);
  void join_recorded_values();

  // Calls.
  void read_call(JsonValue value);
  StringId call_name(JsonValue name, StringId target, JsonValue outputs);
  void read_metadata(JsonValue metadata, Node& node);
  void add_results(Node node, JsonValue outputs, bool is_tuple_of_one, uint32_t position);
  void add_element(const Node& call, NodeId from, int64_t index, const JsonMember& element);
  NodeId add_getitem(const Node& call, NodeId from, int64_t index, StringId name,
                     uint32_t position);

  // Arguments.
  bool read_known_arguments(JsonValue inputs, OpId op, Node& node);
  void read_other_arguments(JsonValue inputs, Node& node);
  Value read_argument(JsonValue argument);
  Value read_rare_argument(const JsonMember& member);
  template <typename Read>
  Value read_list(JsonValue items, Read read);
  Value read_ints(JsonValue items);
  Value read_sym_ints(JsonValue items);
  Value read_sym(const JsonMember& member);
  Value read_string(JsonValue text);
  Value read_tensor(JsonValue tensor);
  Value read_optional_tensor(JsonValue tensor);
  Value read_complex(JsonValue value);
  Value read_dictionary(JsonValue value);
  Value read_custom_object(JsonValue value);
  Value read_subgraph(JsonValue value);
  NodeId add_subgraph(const Graph& subgraph);

  ReadState& state_;
  Graph& graph_;
  uint32_t scope_;
  // Entries of outer graphs, put back at the end.
  std::vector<std::pair<StringId, ReadState::Name>> covered_;
  std::unordered_map<std::string, int64_t> last_numbers_;  // by base, for free_name
  uint32_t next_recorded_ = 0;  // the node that "tensor_values" probably names next
  std::vector<Value> given_;    // the arguments of the node that is read, by place in the schema
  std::vector<bool> by_position_;
  std::vector<std::pair<NodeId, uint32_t>> tensor_inputs_;  // with their bytes in the text
  std::vector<PendingOutput> outputs_;
  bool has_inputs_ = false;
  bool has_nodes_ = false;
  bool has_outputs_ = false;
  bool is_single_return_ = false;
};

}  // namespace faketensor
