#include "core/io/program_rewriter.h"

#include <memory>
#include <utility>
#include <vector>

#include "core/formats/copy_json.h"
#include "core/formats/json_events.h"
#include "core/graph/bodies.h"
#include "core/io/exported_run.h"
#include "core/io/program_places.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/schema_numbers.h"

namespace faketensor {

namespace {

class Rewriter final : public JsonSink {
 public:
  explicit Rewriter(const ExportedRun* exported)
      : exported_(exported), graph_(exported == nullptr ? nullptr : exported->graph(0)) {}

  uint64_t memory() const override { return text_.capacity(); }
  std::string take_text() { return std::move(text_); }

  bool enter(std::string_view name, JsonKind kind, uint32_t) override {
    const Place next = place_inside(place(), name, kind);
    if (next == Place::kOutside) return false;
    JsonWriter& json = at(name);
    scopes_.emplace_back(is_array(next) ? new JsonWriter::Scope(json.array())
                                        : new JsonWriter::Scope(json.object()));
    places_.push_back(next);
    return true;
  }

  void leave() override {
    if (place() == Place::kTensorValues) write_added_tensors();
    places_.pop_back();
    scopes_.pop_back();
  }

  void value(std::string_view name, JsonValue value) override {
    if (places_.empty()) value.members();  // the document is no object: says so
    if (place() == Place::kNodes) return write_node(value);
    JsonWriter& json = at(name);
    if (exported_ == nullptr) return copy_json(json, value);
    if (place() == Place::kTensorValues) return write_tensor_value(json, name, value);
    if (place() == Place::kGraph && is_scalars(name))
      return write_scalars(value, name == "sym_int_values");
    if (place() == Place::kProgram && name == "range_constraints") return write_ranges(value);
    copy_json(json, value);
  }

 private:
  using Place = ProgramPlace;

  Place place() const { return places_.empty() ? Place::kOutside : places_.back(); }
  // Where the next value is written.
  JsonWriter& at(std::string_view name) {
    return places_.empty() || is_array(place()) ? json_ : json_.key(name);
  }

  static bool is_scalars(std::string_view name) {
    return name == "sym_int_values" || name == "sym_bool_values" || name == "sym_float_values";
  }

  // --- nodes ---

  void write_node(JsonValue node) {
    const ExportedGraph::Edits* edits = nullptr;
    if (graph_ != nullptr) {
      const JsonValue name = JsonFields(node).optional("name");
      if (name.is_null()) {
        throw_error(ErrorKind::kUsage,
                    "a what-if of a file whose nodes have no names (before PyTorch 2.9) is not "
                    "written");
      }
      edits = graph_->edits(graph_->row_of(name.string()));
    }
    if (edits == nullptr) return copy(json_, node);
    for (const std::string& added : edits->nodes_before) json_.raw(added);
    const auto object = json_.object();
    for (const JsonMember member : node.members()) {
      if (member.name == "inputs") {
        write_inputs(member.value, *edits);
      } else {
        copy_json(json_.key(member.name), member.value);
      }
    }
  }

  // Inputs that changed in the place of what they were; those that were not given at the end.
  void write_inputs(JsonValue inputs, const ExportedGraph::Edits& edits) {
    const auto list = json_.array("inputs");
    std::vector<bool> is_written(edits.arguments.size(), false);
    size_t position = 0;
    for (const JsonValue input : inputs.items()) {
      const std::string_view name = JsonFields(input).required("name").string();
      const auto is_it = [&](const ExportedGraph::Edited& edited) {
        return edited.name.empty() ? edited.position == position : edited.name == name;
      };
      size_t at = 0;
      while (at < edits.arguments.size() && !is_it(edits.arguments[at])) ++at;
      ++position;
      if (at == edits.arguments.size()) {
        copy(json_, input);
        continue;
      }
      is_written[at] = true;
      const auto object = json_.object();
      for (const JsonMember member : input.members()) {
        if (member.name == "arg") {
          json_.key("arg").raw(edits.arguments[at].text);
        } else {
          copy_json(json_.key(member.name), member.value);
        }
      }
    }
    for (size_t at = 0; at < edits.arguments.size(); ++at) {
      if (is_written[at]) continue;
      const auto object = json_.object();
      json_.field("name", edits.arguments[at].name);
      json_.key("arg").raw(edits.arguments[at].text);
      json_.field("kind", kByKeyword);
    }
  }

  // --- graphs of higher-order operators ---

  // A node, or part of one, with the graphs that it holds as they have become.
  void copy(JsonWriter& json, JsonValue value) {
    if (exported_ == nullptr) return copy_json(json, value);
    copy_json(json, value, [&](const JsonMember& member) {
      const bool is_graph = member.name == "as_graph";
      if (is_graph) write_subgraph(json, member.value);
      return is_graph;
    });
  }

  // Numbered as the reader numbers them: those inside of one come behind it.
  void write_subgraph(JsonWriter& json, JsonValue subgraph) {
    const ExportedGraph* const inner = exported_->graph(next_graph_++);
    if (inner == nullptr) {
      throw_error(ErrorKind::kUsage,
                  format("a what-if of a program in which nothing calls {} is not written",
                         JsonFields(subgraph).required("name").string()));
    }
    const ExportedGraph* const outer = std::exchange(graph_, inner);
    copy_json(json, subgraph, [&](const JsonMember& member) {
      const bool is_graph = member.name == "graph";
      if (is_graph) write_graph(json, member.value);
      return is_graph;
    });
    graph_ = outer;
  }

  void write_graph(JsonWriter& json, JsonValue graph) {
    const auto object = json.object();
    for (const JsonMember member : graph.members()) {
      json.key(member.name);
      if (member.name == "nodes") {
        const auto list = json.array();
        for (const JsonValue node : member.value.items()) write_node(node);
      } else if (member.name == "tensor_values") {
        const auto values = json.object();
        for (const JsonMember value : member.value.members())
          write_tensor_value(json.key(value.name), value.name, value.value);
        write_added_tensors();
      } else if (is_scalars(member.name)) {
        write_scalars(member.value, member.name == "sym_int_values");
      } else {
        copy_json(json, member.value);
      }
    }
  }

  // --- values ---

  void write_tensor_value(JsonWriter& json, std::string_view name, JsonValue recorded) {
    const Row row = graph_->row_of(name);
    const NodeRecord* record = row == kNoRow ? nullptr : &graph_->record(row);
    if (record == nullptr || !record->value.is_tensor()) {
      if (graph_ != exported_->graph(0)) {
        throw_error(ErrorKind::kUsage,
                    format("a what-if is not written in which {}, in a graph of a higher-order "
                           "operator, was not run",
                           name));
      }
      return copy_json(json, recorded);
    }
    // FakeTensorProp runs without gradients: what the file says of them stays.
    const bool requires_grad = JsonFields(recorded).required("requires_grad").boolean();
    exported_->values().write_meta(json, *record->tensors[0].meta, requires_grad);
  }

  void write_added_tensors() {
    if (graph_ == nullptr) return;
    for (const auto& [name, meta] : graph_->added_tensors())
      exported_->values().write_meta(json_.key(name), *meta, false);
  }

  void write_scalars(JsonValue recorded, bool is_ints) {
    const auto object = json_.object();
    for (const JsonMember member : recorded.members()) {
      json_.key(member.name);
      const Row row = graph_->row_of(member.name);
      const bool is_known = row != kNoRow && graph_->record(row).value.is_number();
      if (is_known) {
        exported_->values().write_scalar(json_, graph_->record(row).value);
      } else {
        copy_json(json_, member.value);
      }
    }
    if (!is_ints) return;
    for (const auto& [name, size] : graph_->added_ints())
      exported_->values().write_size(json_.key(name), size);
  }

  // The ranges of the symbols that are left and of those that were made.
  void write_ranges(JsonValue recorded) {
    const auto object = json_.object();
    JsonFields ranges(recorded);
    for (const auto& [name, symbol] : exported_->values().symbols()) {
      json_.key(name);
      const JsonValue known = ranges.optional(name);
      if (!known.is_null()) {
        copy_json(json_, known);
        continue;
      }
      exported_->values().write_range(json_, symbol);
    }
  }

  const ExportedRun* exported_;
  const ExportedGraph* graph_;  // the one that is being written
  size_t next_graph_ = 1;
  std::string text_;
  JsonWriter json_{text_};
  std::vector<Place> places_;
  std::vector<std::unique_ptr<JsonWriter::Scope>> scopes_;
};

void check_what_if(const Run& run, const ArgumentChanges& changes) {
  if (!run.problems().empty())
    throw_error(ErrorKind::kUsage, "what has problems is not written as a program");
  if (has_bodies(run.program()) && run.program().bodies == nullptr) {
    throw_error(ErrorKind::kUsage,
                "a what-if of a program with graphs of higher-order operators is written of a run "
                "that shows them (with_bodies)");
  }
  if (!changes.contradiction().empty()) {
    throw_error(ErrorKind::kUsage,
                format("a what-if is not written in which {}, of a graph that is called several "
                       "times, has become different things",
                       changes.contradiction()));
  }
}

}  // namespace

std::string rewrite_program(std::string& text, const ChangedRun& what_if,
                            const ReadLimits& limits) {
  const auto rewritten = [&](const ExportedRun* exported) {
    Rewriter rewriter(exported);
    read_json(text, rewriter, limits);
    return rewriter.take_text();
  };
  if (what_if.run == nullptr) return rewritten(nullptr);
  check_what_if(*what_if.run, *what_if.changes);
  const BranchScope env = what_if.run->shape_env();
  const ExportedRun exported(*what_if.run, *what_if.changes);
  return rewritten(&exported);
}

}  // namespace faketensor
