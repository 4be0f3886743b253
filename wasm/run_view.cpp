#include "wasm/run_view.h"

#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/support/format.h"
#include "wasm/packed.h"
#include "wasm/program_view.h"

namespace faketensor::wasm {

namespace {

// The texts of a column with few distinct values: each is kept once, and named by number.
class TextColumn {
 public:
  uint32_t number(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<uint32_t>(views_.size());
    views_.push_back(texts_.emplace_back(text));
    numbers_.emplace(views_.back(), number);
    return number;
  }
  std::span<const std::string_view> texts() const { return views_; }

 private:
  std::deque<std::string> texts_;  // which keep their addresses
  std::vector<std::string_view> views_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

// Numbers by first appearance, as FORMAT.md counts tensors and storages, of objects whose own ids
// are their places in a mode.
class Numbering {
 public:
  int32_t number(uint32_t id) {
    if (id >= numbers_.size()) numbers_.resize(size_t{id} + 1, -1);
    if (numbers_[id] < 0) numbers_[id] = next_++;
    return numbers_[id];
  }

 private:
  std::vector<int32_t> numbers_;
  int32_t next_ = 0;
};

enum ValueKind : uint8_t { kNone = 0, kTensor = 1, kList = 2, kOther = 3 };

ValueKind value_kind(const NodeRecord& record) {
  if (record.status != NodeStatus::kOk || record.value.is_none()) return kNone;
  if (record.value.is_tensor()) return kTensor;
  return record.value.is_list() ? kList : kOther;
}

class TablePacker {
 public:
  TablePacker(const Run& run, const WhatIf* what_if) : run_(run), what_if_(what_if) {}

  std::vector<uint8_t> pack() {
    const BranchScope env = run_.shape_env();
    const Plan& plan = run_.plan();
    dim_start_.push_back(0);
    for (Row row = 0; row < plan.size(); ++row) add_row(row);
    const InputColumns inputs = input_columns(run_.program());

    PackedBuffer buffer(PackedKind::kTable);
    buffer.add_strings(TableSection::kNames, names_);
    buffer.add(TableSection::kOp, op_);
    buffer.add_strings(TableSection::kOps, ops_.texts());
    buffer.add(TableSection::kModule, module_);
    buffer.add(TableSection::kStatus, status_);
    buffer.add(TableSection::kKind, kind_);
    buffer.add(TableSection::kDType, dtype_);
    buffer.add_strings(TableSection::kDTypes, dtypes_.texts());
    buffer.add(TableSection::kDevice, device_);
    buffer.add_strings(TableSection::kDevices, devices_.texts());
    buffer.add(TableSection::kDimStart, dim_start_);
    buffer.add(TableSection::kSize, size_);
    buffer.add(TableSection::kStride, stride_);
    buffer.add(TableSection::kOffset, offset_);
    buffer.add(TableSection::kNBytes, nbytes_);
    buffer.add(TableSection::kTensor, tensor_);
    buffer.add(TableSection::kStorage, storage_);
    buffer.add_strings(TableSection::kExpressions, expressions_.texts());
    buffer.add(TableSection::kInputStart, inputs.start);
    buffer.add(TableSection::kInputs, inputs.inputs);
    return buffer.finish();
  }

 private:
  void add_row(Row row) {
    const Plan& plan = run_.plan();
    const NodeRecord& record = run_.record(row);
    names_.push_back(plan.name_of(row));
    op_.push_back(ops_.number(op_name(plan, row)));
    module_.push_back(plan.node(row).module);
    status_.push_back(static_cast<uint8_t>(record.status));
    kind_.push_back(value_kind(record));
    // Tensors inside lists take part in the numbering, as they do where values are printed.
    for (const TensorRecord& tensor : record.tensors) {
      tensors_.number(tensor.tensor->id);
      if (tensor.storage != nullptr) storages_.number(tensor.storage->id);
    }
    if (kind_.back() == kTensor && !record.tensors.empty()) {
      add_tensor(record.tensors.front());
    } else {
      add_no_tensor();
    }
    dim_start_.push_back(static_cast<uint32_t>(size_.size()));
  }

  void add_tensor(const TensorRecord& record) {
    const TensorMeta& meta = *record.meta;
    static_assert(kDTypeCount <= 256);  // as many as the column tells apart
    dtype_.push_back(static_cast<uint8_t>(dtypes_.number(name(meta.dtype()))));
    device_.push_back(devices_.number(text_of(meta.device())));
    for (const SymInt size : meta.sizes()) size_.push_back(dim(size));
    for (const SymInt stride : meta.strides()) stride_.push_back(dim(stride));
    stride_.resize(size_.size());  // sparse tensors have none
    offset_.push_back(dim(meta.offset()));
    nbytes_.push_back(dim(record.nbytes));
    tensor_.push_back(tensors_.number(record.tensor->id));
    storage_.push_back(record.storage == nullptr ? -1 : storages_.number(record.storage->id));
  }

  void add_no_tensor() {
    dtype_.push_back(0);
    device_.push_back(0);
    offset_.push_back(0);
    nbytes_.push_back(0);
    tensor_.push_back(-1);
    storage_.push_back(-1);
  }

  // A number a double holds exactly, or -(k + 1) for expressions[k].
  double dim(SymInt value) {
    if (what_if_ != nullptr && value.is_symbolic()) value = under_what_if(value);
    constexpr int64_t kLargestExact = int64_t{1} << 53;
    if (!value.is_symbolic() && value.as_int() >= 0 && value.as_int() <= kLargestExact) {
      return static_cast<double>(value.as_int());
    }
    return -1.0 - expressions_.number(to_string(value));
  }

  SymInt under_what_if(SymInt value) {
    const auto [found, is_new] = values_.try_emplace(value.node(), value);
    if (is_new) found->second = what_if_->value(value);
    return found->second;
  }

  const Run& run_;
  const WhatIf* what_if_;
  std::unordered_map<const ExprNode*, SymInt> values_;  // under what_if_, each worked out once
  std::vector<std::string_view> names_;
  TextColumn ops_, dtypes_, devices_, expressions_;
  Numbering tensors_, storages_;
  std::vector<uint32_t> op_, module_, device_, dim_start_;
  std::vector<uint8_t> status_, kind_, dtype_;
  std::vector<double> size_, stride_, offset_, nbytes_;
  std::vector<int32_t> tensor_, storage_;
};

}  // namespace

void RunView::number_tensors() {
  if (std::exchange(is_numbered_, true)) return;
  Numbering tensors, storages;
  for (const NodeRecord& record : run_.records()) {
    for (const TensorRecord& tensor : record.tensors) {
      writer_.name_tensor(tensor.tensor, tensors.number(tensor.tensor->id));
      if (tensor.storage != nullptr) {
        writer_.name_storage(tensor.storage, storages.number(tensor.storage->id));
      }
    }
  }
}

std::vector<uint8_t> RunView::pack_table(const WhatIf* what_if) const {
  return TablePacker(run_, what_if).pack();
}

Row RunView::find(std::string_view name) const {
  const Row row = run_.program().find(name);
  return row == kNoRow || run_.record(row).status != NodeStatus::kOk ? kNoRow : row;
}

void RunView::write_value(JsonWriter& json, Row row) {
  number_tensors();
  writer_.write(json, run_, row);
}

namespace {

std::string_view kind_name(Problem::Kind kind) {
  switch (kind) {
    case Problem::Kind::kError:
      return "error";
    case Problem::Kind::kUnknown:
      return "unknown";
    case Problem::Kind::kMismatch:
      return "mismatch";
  }
  return "error";
}

// An argument as the inspector prints it, and the rows it reads.
class ArgumentPrinter {
 public:
  explicit ArgumentPrinter(const Plan& plan) : plan_(plan) {}

  void write(JsonWriter& json, std::string_view name, const Value& value) {
    text_.clear();
    nodes_.clear();
    print(value, 0);
    const auto argument = json.object();
    json.field("name", name);
    json.field("text", text_);
    json.field("nodes", nodes_);
  }

 private:
  void print(const Value& value, int depth) {
    constexpr int kMaxDepth = 16;
    constexpr size_t kMaxElements = 64;  // of one list; the rest is told by its number
    if (value.is(Value::Tag::kNodeRef)) {
      text_ += plan_.name_of(value.node());
      nodes_.push_back(value.node());
    } else if (value.is(Value::Tag::kGraph)) {
      text_ += plan_.text(value.graph().name);
    } else if (value.is_list() && depth < kMaxDepth) {
      text_ += '[';
      for (size_t i = 0; i < std::min(value.size(), kMaxElements); ++i) {
        if (i > 0) text_ += ", ";
        print(value[i], depth + 1);
      }
      if (value.size() > kMaxElements) text_ += format(", ... {} in all", value.size());
      text_ += ']';
    } else {
      append_text(text_, value);
    }
  }

  const Plan& plan_;
  std::string text_;
  std::vector<Row> nodes_;
};

void write_arguments(JsonWriter& json, const Plan& plan, const PlanRow& row) {
  const auto list = json.array("args");
  ArgumentPrinter printer(plan);
  for (size_t i = 0; i < row.args.size(); ++i) {
    if (row.args[i].is_unset()) continue;
    std::string_view name;
    if (row.op != kNoOp) {
      name = Registry::builtin().entry(row.op).schema.arguments[i].name;
    } else if (i < row.arg_names.size()) {
      name = plan.text(row.arg_names[i]);
    }
    printer.write(json, name, row.args[i]);
  }
}

bool shares_storage(std::span<const TensorRecord> some, std::span<const TensorRecord> others) {
  return std::any_of(others.begin(), others.end(), [&](const TensorRecord& other) {
    return other.storage != nullptr &&
           std::any_of(some.begin(), some.end(),
                       [&](const TensorRecord& own) { return own.storage == other.storage; });
  });
}

// Names of the nodes before `row` whose tensors share a storage with its own; the first ones of
// very many.
std::vector<std::string_view> aliases_of(const Run& run, Row row) {
  constexpr size_t kMaxNames = 100;
  std::vector<std::string_view> names;
  for (Row other = 0; other < row && names.size() < kMaxNames; ++other) {
    if (shares_storage(run.record(row).tensors, run.record(other).tensors))
      names.push_back(run.plan().name_of(other));
  }
  return names;
}

}  // namespace

void write_problem(JsonWriter& json, const Program& program, const Problem& problem) {
  const auto object = json.object();
  const bool has_node = problem.node != kNoRow;
  json.field("kind", kind_name(problem.kind));
  json.field("node", has_node ? int64_t{problem.node} : -1);
  json.field("name", has_node ? program.text(program.node(problem.node).name) : "");
  json.field("op", problem.op);
  json.field("class", problem.error_class);
  json.field("message", problem.message);
  json.field("modulePath", problem.module_path);
  json.field("source", problem.source);
  json.field_if_any("argument", problem.argument);
  json.field_if_any("hint", problem.hint);
}

void RunView::write_detail(JsonWriter& json, Row row) {
  const Program& program = run_.program();
  const Plan& plan = run_.plan();
  if (row >= plan.size()) throw_error(ErrorKind::kIndexError, format("there is no row {}", row));
  const Node& node = plan.node(row);
  const OpId op = plan.row(row).op;
  const auto detail = json.object();
  json.field("index", row);
  json.field("name", program.text(node.name));
  json.field("op", op_name(plan, row));
  json.field("schema",
             op == kNoOp ? std::string_view() : Registry::builtin().entry(op).schema.text);
  json.field("status", static_cast<int>(run_.record(row).status));
  write_arguments(json, plan, plan.row(row));
  json.key("value");
  if (run_.record(row).status == NodeStatus::kOk) {
    write_value(json, row);
  } else {
    json.value(nullptr);
  }
  json.field("modulePath", program.module_path(node));
  json.field("source", program.source_line(node));
  json.field("aliases", aliases_of(run_, row));
  const auto problems = run_.problems();
  const auto found = std::find_if(problems.begin(), problems.end(),
                                  [&](const Problem& problem) { return problem.node == row; });
  json.key("problem");
  if (found == problems.end()) return json.value(nullptr);
  write_problem(json, program, *found);
}

}  // namespace faketensor::wasm
