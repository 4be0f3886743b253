#include "core/graph/fake_tensor_prop.h"

#include <algorithm>

#include "core/graph/interpreter.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

constexpr size_t kProgressInterval = 4096;  // nodes

// The first user input that is a tensor with dimensions; its dimension 0 is the batch.
NodeId first_user_tensor(const Program& program) {
  for (NodeId i = 0; i < program.inputs.size(); ++i) {
    const Node& node = program.graph().node(i);
    if (program.inputs[i].kind == InputSpec::Kind::kUser && node.recorded != nullptr &&
        node.recorded->rank() > 0)
      return i;
  }
  return kNoNode;
}

// Placeholders with the options applied to what the file records.
class Placeholders {
 public:
  Placeholders(const Program& program, const PropagateOptions& options)
      : program_(program), options_(options) {
    sizes_.resize(program.inputs.size());
    for (const auto& [name, value] : options.dims) set_dim(name, value);
    for (const auto& [name, change] : options.inputs) {
      const NodeId node = program.find(name);
      if (node == kNoNode || node >= program.inputs.size())
        throw_error(ErrorKind::kUsage, format("the program has no input '{}'", name));
    }
  }

  // A fake for placeholder `i`.
  Value make(FakeTensorMode& mode, NodeId i) const {
    const Node& node = program_.graph().node(i);
    if (node.recorded == nullptr) return node.recorded_scalar;
    MetaSpec spec = node.recorded->spec();
    spec.offset = 0;  // placeholders are made by empty_strided
    spec.flags = 0;
    DimVector strides(spec.strides);
    if (!sizes_[i].empty()) {
      spec.sizes = sizes_[i];
      strides.clear();
    }
    const auto found = options_.inputs.find(std::string(program_.text(node.name)));
    const InputOverride* change = found == options_.inputs.end() ? nullptr : &found->second;
    if (change != nullptr && change->sizes) {
      spec.sizes = *change->sizes;
      strides.clear();
    }
    if (options_.dtype && is_floating(spec.dtype)) spec.dtype = *options_.dtype;
    if (options_.device) spec.device = options_.device->normalized();
    if (change != nullptr && change->dtype) spec.dtype = *change->dtype;
    if (change != nullptr && change->device) spec.device = change->device->normalized();
    if (options_.memory_format && is_floating(spec.dtype))
      apply_format(spec.sizes, *options_.memory_format, strides);
    if (change != nullptr && change->strides) strides = std::span<const SymInt>(*change->strides);
    if (!strides.empty() && strides.size() != spec.sizes.size()) {
      throw_error(ErrorKind::kUsage,
                  format("input '{}': {} strides for {} sizes", program_.text(node.name),
                         strides.size(), spec.sizes.size()));
    }
    spec.strides = strides;
    return mode.context().make_tensor(mode.context().metas().intern(spec), nullptr);
  }

 private:
  void set_dim(const std::string& name, int64_t value) {
    if (value < 0)
      throw_error(ErrorKind::kUsage, format("dimension '{}' cannot be {}", name, value));
    if (name == "batch") return set_batch(value);
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos)
      throw_error(ErrorKind::kUsage, format("the program has no dimension '{}'", name));
    const NodeId node = program_.find(name.substr(0, dot));
    const std::string digits = name.substr(dot + 1);
    const bool is_number = !digits.empty() && digits.size() < 4 &&
                           digits.find_first_not_of("0123456789") == std::string::npos;
    if (node == kNoNode || node >= program_.inputs.size() || !is_number ||
        program_.graph().node(node).recorded == nullptr ||
        std::stol(digits) >= program_.graph().node(node).recorded->rank()) {
      throw_error(ErrorKind::kUsage, format("the program has no input dimension '{}'", name));
    }
    set_size(node, static_cast<size_t>(std::stol(digits)), value);
  }

  void set_batch(int64_t value) {
    const NodeId first = first_user_tensor(program_);
    if (first == kNoNode)
      throw_error(ErrorKind::kUsage, "the program has no user input with a batch dimension");
    const SymInt batch = program_.graph().node(first).recorded->sizes()[0];
    for (NodeId i = 0; i < program_.inputs.size(); ++i) {
      const TensorMeta* recorded = program_.graph().node(i).recorded;
      if (program_.inputs[i].kind != InputSpec::Kind::kUser || recorded == nullptr ||
          recorded->rank() == 0)
        continue;
      if (same_expr(recorded->sizes()[0], batch)) set_size(i, 0, value);
    }
  }

  void set_size(NodeId node, size_t dim, int64_t value) {
    if (sizes_[node].empty()) sizes_[node] = program_.graph().node(node).recorded->sizes();
    sizes_[node][dim] = value;
  }

  static void apply_format(Dims sizes, MemoryFormat format, DimVector& strides) {
    if (format == MemoryFormat::kContiguous) {
      strides.clear();
    } else if (sizes.size() == 4) {
      strides = channels_last_strides(sizes);
    } else if (sizes.size() == 5) {
      strides = channels_last_3d_strides(sizes);
    }
  }

  const Program& program_;
  const PropagateOptions& options_;
  std::vector<DimVector> sizes_;  // changed by `dims`; empty: as recorded
};

TensorRecord record_of(const Tensor& tensor) {
  return {&tensor, tensor.meta, tensor.storage,
          tensor.storage == nullptr ? SymInt(0) : tensor.storage->nbytes};
}

// The tensors in a value, in order. Values nest at most as deep as an operator returns them: a list
// in a list.
void collect(const Value& value, SmallVector<TensorRecord, 4>& out) {
  if (value.is_tensor()) {
    out.push_back(record_of(value.tensor()));
  } else if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) {
      if (element.is_tensor()) out.push_back(record_of(element.tensor()));
      if (!element.is(Value::Tag::kList)) continue;
      for (const Value& inner : element.values()) {
        if (inner.is_tensor()) out.push_back(record_of(inner.tensor()));
      }
    }
  }
}

// Whether an argument refers to a node without a value.
bool depends_on_missing(const Value& argument, std::span<const NodeRecord> records) {
  if (argument.is(Value::Tag::kNodeRef)) return records[argument.node()].status != NodeStatus::kOk;
  if (!argument.is(Value::Tag::kList)) return false;
  const std::span<const Value> elements = argument.values();
  return std::any_of(elements.begin(), elements.end(),
                     [&](const Value& element) { return depends_on_missing(element, records); });
}

Problem problem_at(const Program& program, NodeId id, const Error& error) {
  const Node& node = program.graph().node(id);
  Problem problem;
  problem.kind = error.kind() == ErrorKind::kUnsupportedOperator ? Problem::Kind::kUnknown
                                                                 : Problem::Kind::kError;
  problem.node = id;
  problem.op = program.text(node.target);
  problem.error_class = error.class_name();
  problem.message = error.message();
  problem.argument = error.argument();
  problem.module_path = program.module_path(node);
  problem.source = program.source_line(node);
  return problem;
}

std::string describe(const TensorMeta& meta) {
  return format("{}{} strides {} offset {} on {}", info(meta.dtype()).short_name, meta.sizes(),
                meta.strides(), meta.offset(), meta.device());
}

}  // namespace

size_t Run::count(NodeStatus status) const {
  return static_cast<size_t>(std::count_if(
      records_.begin(), records_.end(), [&](const NodeRecord& r) { return r.status == status; }));
}

std::vector<Problem> Run::compare_with_recorded() const {
  std::vector<Problem> mismatches;
  for (NodeId i = 0; i < records_.size(); ++i) {
    const Node& node = program_->graph().node(i);
    if (node.recorded == nullptr || records_[i].status != NodeStatus::kOk ||
        !records_[i].value.is_tensor())
      continue;
    const TensorMeta& ours = *records_[i].tensors[0].meta;
    const TensorMeta& theirs = *node.recorded;
    const auto same = [](SymInt a, SymInt b) { return same_expr(a, b); };
    if (ours.dtype() == theirs.dtype() && ours.device() == theirs.device().normalized() &&
        same_expr(ours.offset(), theirs.offset()) &&
        std::equal(ours.sizes().begin(), ours.sizes().end(), theirs.sizes().begin(),
                   theirs.sizes().end(), same) &&
        std::equal(ours.strides().begin(), ours.strides().end(), theirs.strides().begin(),
                   theirs.strides().end(), same)) {
      continue;
    }
    Problem problem =
        problem_at(*program_, i,
                   Error(ErrorKind::kValueError, format("the file records {}, propagation gives {}",
                                                        describe(theirs), describe(ours))));
    problem.kind = Problem::Kind::kMismatch;
    problem.error_class.clear();
    mismatches.push_back(std::move(problem));
  }
  return mismatches;
}

Run propagate(const Program& program, const PropagateOptions& options) {
  Run run;
  run.program_ = &program;
  run.mode_ = std::make_unique<FakeTensorMode>(options.target);
  FakeTensorMode& mode = *run.mode_;
  mode.attach_shape_env(program.shape_env);
  const Graph& graph = program.graph();
  const Placeholders placeholders(program, options);
  Interpreter interpreter(program, mode);
  if (options.device) {
    const NodeId first = first_user_tensor(program);
    const Device from = first == kNoNode ? Device{} : graph.node(first).recorded->device();
    interpreter.replace_device(from.normalized(), options.device->normalized());
  }
  run.records_.resize(graph.size());
  std::vector<Value> values(graph.size());
  for (NodeId i = 0; i < graph.size(); ++i) {
    if (i % kProgressInterval == 0 && options.progress && !options.progress(i, graph.size())) {
      run.cancelled_ = true;
      return run;
    }
    const Node& node = graph.node(i);
    NodeRecord& record = run.records_[i];
    if (std::any_of(node.args.begin(), node.args.end(),
                    [&](const Value& arg) { return depends_on_missing(arg, run.records_); }))
      continue;
    try {
      values[i] = node.kind == NodeKind::kPlaceholder ? placeholders.make(mode, i)
                                                      : interpreter.run_node(graph, node, values);
      record.value = values[i];
      record.status = NodeStatus::kOk;
      SmallVector<TensorRecord, 4> tensors;
      collect(record.value, tensors);
      record.tensors = mode.context().arena().copy(tensors.span());
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kUsage) throw;
      run.problems_.push_back(problem_at(program, i, error));
      record.status = run.problems_.back().kind == Problem::Kind::kUnknown ? NodeStatus::kUnknown
                                                                           : NodeStatus::kError;
      if (options.stop_at_first_error) return run;
    }
  }
  if (options.progress) options.progress(graph.size(), graph.size());
  return run;
}

}  // namespace faketensor
