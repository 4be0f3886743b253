#include "core/io/program_rewriter.h"

#include <memory>
#include <vector>

#include "core/formats/copy_json.h"
#include "core/formats/json_events.h"
#include "core/io/exported_run.h"
#include "core/io/program_places.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/schema_numbers.h"

namespace faketensor {

namespace {

class Rewriter final : public JsonSink {
 public:
  Rewriter(const Run* run, const ExportedRun* exported) : run_(run), exported_(exported) {}

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
    if (place() == Place::kTensorValues) return write_tensor_value(name, value);
    const bool is_scalars =
        name == "sym_int_values" || name == "sym_bool_values" || name == "sym_float_values";
    if (place() == Place::kGraph && is_scalars)
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

  Row row_of(std::string_view name) const {
    const StringId id = run_->program().graph().store().strings.find(name, 0);
    return id == 0 ? kNoRow : run_->plan().find(id);
  }

  // --- nodes ---

  void write_node(JsonValue node) {
    const ExportedRun::Edits* edits = nullptr;
    if (exported_ != nullptr) {
      const JsonValue name = JsonFields(node).optional("name");
      if (name.is_null()) {
        throw_error(ErrorKind::kUsage,
                    "a what-if of a file whose nodes have no names (before PyTorch 2.9) is not "
                    "written");
      }
      edits = exported_->edits(row_of(name.string()));
    }
    if (edits == nullptr) return copy_json(json_, node);
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
  void write_inputs(JsonValue inputs, const ExportedRun::Edits& edits) {
    const auto list = json_.array("inputs");
    std::vector<bool> is_written(edits.arguments.size(), false);
    for (const JsonValue input : inputs.items()) {
      const std::string_view name = JsonFields(input).required("name").string();
      size_t at = 0;
      while (at < edits.arguments.size() && edits.arguments[at].first != name) ++at;
      if (at == edits.arguments.size()) {
        copy_json(json_, input);
        continue;
      }
      is_written[at] = true;
      const auto object = json_.object();
      for (const JsonMember member : input.members()) {
        if (member.name == "arg") {
          json_.key("arg").raw(edits.arguments[at].second);
        } else {
          copy_json(json_.key(member.name), member.value);
        }
      }
    }
    for (size_t at = 0; at < edits.arguments.size(); ++at) {
      if (is_written[at]) continue;
      const auto object = json_.object();
      json_.field("name", edits.arguments[at].first);
      json_.key("arg").raw(edits.arguments[at].second);
      json_.field("kind", kByKeyword);
    }
  }

  // --- values ---

  void write_tensor_value(std::string_view name, JsonValue recorded) {
    const Row row = row_of(name);
    const NodeRecord* record = row == kNoRow ? nullptr : &run_->record(row);
    if (record == nullptr || !record->value.is_tensor()) return copy_json(json_, recorded);
    // FakeTensorProp runs without gradients: what the file says of them stays.
    const bool requires_grad = JsonFields(recorded).required("requires_grad").boolean();
    exported_->values().write_meta(json_, *record->tensors[0].meta, requires_grad);
  }

  void write_added_tensors() {
    if (exported_ == nullptr) return;
    for (const auto& [name, meta] : exported_->added_tensors())
      exported_->values().write_meta(json_.key(name), *meta, false);
  }

  void write_scalars(JsonValue recorded, bool is_ints) {
    const auto object = json_.object();
    for (const JsonMember member : recorded.members()) {
      json_.key(member.name);
      const Row row = row_of(member.name);
      const bool is_known = row != kNoRow && run_->record(row).value.is_number();
      if (is_known) {
        exported_->values().write_scalar(json_, run_->record(row).value);
      } else {
        copy_json(json_, member.value);
      }
    }
    if (!is_ints) return;
    for (const auto& [name, size] : exported_->added_ints())
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

  const Run* run_;
  const ExportedRun* exported_;
  std::string text_;
  JsonWriter json_{text_};
  std::vector<Place> places_;
  std::vector<std::unique_ptr<JsonWriter::Scope>> scopes_;
};

void check_what_if(const Run& run) {
  if (!run.problems().empty())
    throw_error(ErrorKind::kUsage, "what has problems is not written as a program");
  if (run.program().graphs().size() > 1) {
    throw_error(ErrorKind::kUsage,
                "a what-if of a program with graphs of higher-order operators is not written: the "
                "values inside of them are not known");
  }
}

}  // namespace

std::string rewrite_program(std::string& text, const ChangedRun& what_if,
                            const ReadLimits& limits) {
  const auto rewritten = [&](const ExportedRun* exported) {
    Rewriter rewriter(what_if.run, exported);
    read_json(text, rewriter, limits);
    return rewriter.take_text();
  };
  if (what_if.run == nullptr) return rewritten(nullptr);
  check_what_if(*what_if.run);
  const BranchScope env = what_if.run->shape_env();
  const ExportedRun exported(*what_if.run, *what_if.changes);
  return rewritten(&exported);
}

}  // namespace faketensor
