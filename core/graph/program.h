// Program: what a file holds.
//
// The graph, the graphs of its higher-order operators, what its inputs and outputs are, the module
// tree, the symbols with their ranges, and memory for all of it: what a node points to (arguments,
// strings, metas) is owned by the program.
//
//   for (Row row = 0; row < program.plan().size(); ++row) ... program.text(program.node(row).name)
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/plan.h"

namespace faketensor {

class Bodies;
class ShapeEnv;

struct InputSpec {
  enum class Kind : uint8_t { kUser, kParameter, kBuffer, kConstant, kToken, kCustomObject };
  Kind kind = Kind::kUser;
  StringId target = 0;  // "layers.0.weight"; 0 for user inputs
  bool persistent = true;
};
std::string_view name(InputSpec::Kind kind);  // "user", "parameter", ...

struct OutputSpec {
  enum class Kind : uint8_t {
    kUser,
    kLoss,
    kBufferMutation,
    kParameterMutation,
    kUserInputMutation,
    kGradientToParameter,
    kGradientToUserInput,
    kToken
  };
  Kind kind = Kind::kUser;
  StringId target = 0;  // the buffer, parameter or input it belongs to
};
std::string_view name(OutputSpec::Kind kind);

// A module instance: one place of the nn_module_stack, in order of first use. Module 0 is the root.
struct Module {
  ModuleId parent = 0;
  StringId path = 0;  // "layers.0.attn", empty for the root
  StringId type = 0;  // "torch.nn.modules.linear.Linear"
  uint32_t depth = 0;
  uint32_t nodes = 0;  // calls inside, modules below included
  Row first = kNoRow;
  Row last = kNoRow;
};

struct SymbolSpec {
  std::string name;
  std::optional<int64_t> lower;  // none: unbounded
  std::optional<int64_t> upper;
  std::optional<int64_t> hint;
};

class Program {
 public:
  Program();
  // With a graph of its own, empty at first, and all else of `other`, whose memory both own.
  static Program sharing(const Program& other);

  std::string name;           // of the file
  std::string kind;           // "pt2", "json"
  std::string torch_version;  // as the file says
  int schema_major = 0;
  int schema_minor = 0;

  Graph& graph() { return *graphs_.front(); }
  const Graph& graph() const { return *graphs_.front(); }
  // Graphs of higher-order operators; addresses are stable.
  Graph& add_graph() {
    graphs_.push_back(std::make_shared<Graph>(*store_));
    return *graphs_.back();
  }
  std::span<const std::shared_ptr<Graph>> graphs() const { return graphs_; }
  // The main graph compiled: its rows are what runs, tables and drawings are numbered by. The same
  // one until the next edit of the graph.
  const Plan& plan() const { return *graph().plan(); }
  // The row of the node of that name in the main graph; kNoRow where there is none.
  Row find(std::string_view node_name) const;
  const Node& node(Row row) const { return plan().node(row); }

  Arena& arena() { return store_->arena; }
  Interner& strings() { return store_->strings; }
  GraphStore& store() { return *store_; }
  std::string_view text(StringId id) const { return store_->text(id); }
  MetaTable& metas() { return *metas_; }
  // Symbols of recorded values and arguments live here; set by the reader, null where every size is
  // a number.
  std::shared_ptr<ShapeEnv> shape_env;

  std::vector<InputSpec> inputs;    // one per placeholder
  std::vector<OutputSpec> outputs;  // one per element of the output
  std::vector<SymbolSpec> symbols;
  std::vector<Module> modules;  // [0] is the root
  std::vector<std::pair<StringId, StringId>>
      module_call_graph;  // call, and JSON of the signature it kept (0: none, and the program's own)
  // Of a program that shows what its higher-order operators call (bodies.h); else null.
  std::shared_ptr<const Bodies> bodies;

  // "layers.0.attn", and the line of the user's code ("model.py:12 in forward"), for messages;
  // empty where unknown.
  std::string_view module_path(const Node& node) const;
  std::string source_line(const Node& node) const;

 private:
  std::shared_ptr<GraphStore> store_;
  std::shared_ptr<MetaTable> metas_;
  std::vector<std::shared_ptr<Graph>> graphs_;
};

// Fills `program.modules` and each node's `module` from the nodes' module_stack texts
// ("key,path,type;key,path,type;..."). Called by readers when the graph is complete.
void build_module_tree(Program& program);

}  // namespace faketensor
