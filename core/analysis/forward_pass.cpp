#include "core/analysis/forward_pass.h"

#include <algorithm>

#include "core/support/scoped_value.h"

namespace faketensor {

ForwardPass::ForwardPass(const Run& run, const AutogradTape& tape, HeldCalls& calls,
                         GradGraph& graph, std::span<const ModuleId> checkpointed)
    : run_(run),
      tape_(tape),
      calls_(calls),
      graph_(graph),
      last_(last_uses(run.plan())),
      ending_(run.plan().size()),
      values_(run.plan().size()),
      nodes_(tape.calls().size()) {
  for (Row row = 0; row < last_.size(); ++row) {
    if (last_[row] != kNoRow) ending_[last_[row]].push_back(row);
  }
  find_regions(checkpointed);
  find_readers();
}

void ForwardPass::find_regions(std::span<const ModuleId> checkpointed) {
  const std::vector<Module>& modules = run_.program().modules;
  regions_.resize(checkpointed.size());
  for (Row row = 0; row < run_.plan().size(); ++row) {
    if (run_.plan().row(row).kind == RowKind::kPlaceholder) continue;
    // The outermost of them counts.
    for (ModuleId at = run_.node(row).module; at != 0; at = modules[at].parent) {
      const auto found = std::find(checkpointed.begin(), checkpointed.end(), at);
      if (found != checkpointed.end())
        region_of_[row] = static_cast<size_t>(found - checkpointed.begin());
    }
    const auto region = region_of_.find(row);
    if (region != region_of_.end()) regions_[region->second].rows.push_back(row);
  }
}

// Note [Tied parameters]
// Export gives each name of a tied parameter a placeholder, and reads one of them only. A parameter
// that nothing reads is another's second name where one that is like it is read by a module that is
// not its own.
bool ForwardPass::is_tied(Row row) const {
  const Program& program = run_.program();
  if (program.inputs[row].kind != InputSpec::Kind::kParameter || is_read_[row] ||
      run_.record(row).tensors.empty())
    return false;
  const TensorMeta* meta = run_.record(row).tensors[0].meta;
  return std::any_of(read_elsewhere_.begin(), read_elsewhere_.end(), [&](Row other) {
    return !run_.record(other).tensors.empty() && run_.record(other).tensors[0].meta == meta;
  });
}

void ForwardPass::find_readers() {
  const Program& program = run_.program();
  const size_t inputs = program.inputs.size();
  is_read_.resize(inputs);
  for (auto reader = static_cast<Row>(inputs); reader < run_.plan().size(); ++reader) {
    const std::string_view module = program.module_path(run_.node(reader));
    for (const Value& arg : run_.plan().row(reader).args) {
      for_each_node(arg, [&](NodeId id) {
        const auto row = static_cast<Row>(index_of(id));
        if (row >= inputs) return;
        is_read_[row] = true;
        const std::string_view name = program.text(program.inputs[row].target);
        const size_t dot = name.rfind('.');
        if (module != name.substr(0, dot == std::string_view::npos ? 0 : dot))
          read_elsewhere_.insert(row);
      });
    }
  }
}

void ForwardPass::hold_inputs(bool records) {
  for (Row row = 0; row < run_.program().inputs.size(); ++row) {
    const NodeRecord& record = run_.record(row);
    if (record.status != NodeStatus::kOk || is_tied(row)) continue;
    const InputSpec::Kind kind = run_.program().inputs[row].kind;
    calls_.ledger().begin(TrainingPhase::kForward, row);
    calls_.set_kind(kind_of(kind));
    for (const TensorRecord& tensor : record.tensors) {
      auto& input = const_cast<Tensor&>(*tensor.tensor);
      inputs_.push_back(calls_.hold(input));
      if (records && kind == InputSpec::Kind::kParameter && is_floating(input.dtype()))
        leaves_.push_back(&graph_.add_leaf(input, row));
    }
  }
}

// What a checkpointed module reads of what was made outside of it is kept until it is computed again.
void ForwardPass::keep_inputs(const TapedCall& call, Region& region) {
  for (const Value& arg : call.args) {
    for (Tensor* tensor : tensors_of(arg)) {
      const auto first = first_row_.find(tensor->storage);
      if (first == first_row_.end()) continue;
      const auto from = region_of_.find(first->second);
      if (from == region_of_.end() || &regions_[from->second] != &region)
        region.inputs.push_back(calls_.hold(*tensor));
    }
  }
}

void ForwardPass::run_calls(std::span<const TapedCall> calls, Row row) {
  std::map<const Storage*, size_t> last_call;
  for (size_t i = 0; i < calls.size(); ++i) {
    for (const Value& arg : calls[i].args) {
      for (const Tensor* tensor : tensors_of(arg)) last_call[tensor->storage] = i;
    }
    for (const Tensor* tensor : tensors_of(calls[i].result)) last_call[tensor->storage] = i;
  }
  if (row < values_.size()) {
    for (const TensorRecord& tensor : run_.record(row).tensors)
      last_call[tensor.storage] = calls.size();
  }
  const auto region = region_of_.find(row);
  std::vector<Brought> brought;
  for (size_t i = 0; i < calls.size(); ++i) {
    const TapedCall& call = calls[i];
    for (Tensor* tensor : tensors_of(call.result)) {
      if (tensor->storage == nullptr || calls_.ledger().is_alive(*tensor->storage)) continue;
      brought.push_back({tensor->storage, last_call[tensor->storage], calls_.hold(*tensor)});
      first_row_.emplace(tensor->storage, row);
    }
    GradNode*& node = nodes_[index_of_call(call)];
    if (!is_again_) node = graph_.add_call(call);
    if (region != region_of_.end() && !is_again_) {
      keep_inputs(call, regions_[region->second]);
      regions_[region->second].is_pending = true;
      if (node != nullptr) node->saved.clear();
    } else if (is_again_ && node != nullptr) {
      graph_.save(*node);
    }
    std::erase_if(brought, [&](const Brought& each) { return each.last_call == i; });
  }
  if (row < values_.size()) hold_value(row);
}

void ForwardPass::hold_value(Row row) {
  for (const TensorRecord& tensor : run_.record(row).tensors) {
    if (tensor.storage == nullptr) continue;
    values_[row].push_back(calls_.hold(const_cast<Tensor&>(*tensor.tensor)));
    const bool is_own = first_row_.contains(tensor.storage);
    if (last_[row] == kNoRow && is_own && !is_again_)
      calls_.ledger().become(*tensor.storage, MemoryKind::kOutput);
  }
}

// Values that a row made of its arguments without an operator that autograd sees.
void ForwardPass::link_aliases(Row row) {
  for (const TensorRecord& tensor : run_.record(row).tensors) {
    if (!tensor.tensor->meta->has(kRequiresGrad) || graph_.edge_of(*tensor.tensor).node != nullptr)
      continue;
    const Tensor* from = nullptr;
    for (const Value& arg : run_.plan().row(row).args) {
      for_each_node(arg, [&](NodeId id) {
        for (const TensorRecord& read : run_.record(static_cast<Row>(index_of(id))).tensors) {
          if (graph_.edge_of(*read.tensor).node == nullptr) continue;
          if (from == nullptr || read.storage == tensor.storage) from = read.tensor;
        }
      });
    }
    if (from != nullptr) graph_.add_alias(const_cast<Tensor&>(*tensor.tensor), *from, row);
  }
}

void ForwardPass::run_row(Row row) {
  const PlanRow& planned = run_.plan().row(row);
  if (planned.kind == RowKind::kPlaceholder || run_.record(row).status != NodeStatus::kOk) return;
  calls_.ledger().begin(TrainingPhase::kForward, row);
  calls_.set_kind(MemoryKind::kActivation);
  if (planned.kind != RowKind::kOutput) {
    run_calls(tape_.calls(row), row);
    if (!leaves_.empty()) link_aliases(row);
  }
  for (const Row ended : ending_[row]) values_[ended].clear();
}

Term ForwardPass::run_loss() {
  calls_.ledger().begin(TrainingPhase::kLoss, kNoRow);
  calls_.set_kind(MemoryKind::kActivation);
  const std::span<const TapedCall> calls = tape_.calls(static_cast<Row>(run_.plan().size()));
  // The last result is held while the rest of the way is dropped.
  Tensor& loss = calls.back().result.tensor();
  run_calls(calls.first(calls.size() - 1), static_cast<Row>(run_.plan().size()));
  nodes_[index_of_call(calls.back())] = graph_.add_call(calls.back());
  for (const TapedCall& call : calls) {
    GradNode* node = nodes_[index_of_call(call)];
    if (node != nullptr) node->call.row = kNoRow;
  }
  return calls_.term(loss);
}

void ForwardPass::drop_values() {
  for (std::vector<HeldTensor>& held : values_) held.clear();
}

void ForwardPass::recompute(Row row) {
  const auto at = region_of_.find(row);
  if (at == region_of_.end() || !regions_[at->second].is_pending) return;
  Region& region = regions_[at->second];
  region.is_pending = false;
  const ScopedValue again(is_again_, true);
  calls_.set_kind(MemoryKind::kActivation);
  for (const Row each : region.rows) {
    if (run_.record(each).status != NodeStatus::kOk) continue;
    run_calls(tape_.calls(each), each);
    for (const Row ended : ending_[each]) values_[ended].clear();
  }
  for (const Row each : region.rows) values_[each].clear();
  region.inputs.clear();
  calls_.set_kind(MemoryKind::kTemporary);
}

}  // namespace faketensor
