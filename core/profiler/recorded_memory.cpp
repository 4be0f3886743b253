// The memory timeline of recorded calls: of a Profile, not of a program's run (memory_export.cpp).
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/mode/find_tensor.h"
#include "core/profiler/memory_export.h"

namespace faketensor {

namespace {

using Storages = std::vector<const Storage*>;

void add_storages(Storages& to, const Value& value) {
  for_each_tensor({&value, 1}, [&](const Tensor& tensor) {
    const bool is_new = std::find(to.begin(), to.end(), tensor.storage) == to.end();
    if (tensor.storage != nullptr && is_new) to.push_back(tensor.storage);
  });
}

// A call of an operator that calls no other.
struct Leaf {
  const RecordedEvent* event = nullptr;
  size_t root = 0;  // the call of the program that it is part of
  Storages read = {};
  Storages brought = {};
};

class RecordedMemory {
 public:
  explicit RecordedMemory(const EventRecorder& recorder) {
    collect(recorder);
    for (size_t i = 0; i < leaves_.size(); ++i) {
      for (const Storage* storage : leaves_[i].read) note(storage, i, false);
      for (const Storage* storage : leaves_[i].brought) note(storage, i, true);
    }
  }

  std::vector<TimelineEvent> events() {
    const MemoryCategories categories(parameters(), nodes());
    std::vector<Storages> dying(leaves_.size());
    for (const Storage* storage : order_) {
      const Life& life = lives_.at(storage);
      if (life.is_made && !life.is_result) dying[life.last].push_back(storage);
    }
    std::vector<TimelineEvent> events;
    const auto add = [&](const Storage* storage, int64_t time, MemoryAction action) {
      const auto bytes = hint(storage->nbytes);
      const MemoryCategory category =
          is_temporary(lives_.at(storage)) ? MemoryCategory::kTemporary : categories.of(storage);
      events.push_back({time, action, bytes.value_or(0), category, storage->device});
    };
    for (const Storage* storage : order_) {
      if (!lives_.at(storage).is_made) add(storage, -1, MemoryAction::kPreexisting);
    }
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const Leaf& leaf = leaves_[i];
      for (const Storage* storage : leaf.brought) {
        const Life& life = lives_.at(storage);
        if (life.is_made && life.first == i) {
          add(storage, leaf.event->start_ns - start_, MemoryAction::kCreate);
        } else if (writes(*leaf.event->op)) {
          add(storage, leaf.event->start_ns - start_, MemoryAction::kIncrementVersion);
        }
      }
      for (const Storage* storage : dying[i])
        add(storage, leaf.event->end_ns - start_, MemoryAction::kDestroy);
    }
    return events;
  }

 private:
  struct Life {
    size_t first = 0;  // leaves
    size_t last = 0;
    bool is_made = false;    // by the first; else it was there
    bool is_result = false;  // of the program's call that has it last
  };

  static bool writes(const OpEntry& op) {
    return !op.schema.returns.empty() && op.schema.returns[0].is_written();
  }
  bool is_temporary(const Life& life) const {
    return life.is_made && !life.is_result && leaves_[life.first].root == leaves_[life.last].root;
  }

  void note(const Storage* storage, size_t leaf, bool is_brought) {
    const auto [at, is_new] = lives_.try_emplace(storage);
    if (is_new) {
      at->second = {leaf, leaf, is_brought};
      order_.push_back(storage);
    }
    const Storages& results = results_[leaves_[leaf].root];
    at->second.is_result = std::find(results.begin(), results.end(), storage) != results.end();
    at->second.last = leaf;
  }

  void collect(const EventRecorder& recorder) {
    const size_t count = recorder.event_count();
    std::vector<bool> calls_others(count, false);
    std::vector<int64_t> roots(count, -1);
    if (count > 0) start_ = recorder.event(0).start_ns;
    for (size_t i = 0; i < count; ++i) {
      const RecordedEvent& event = recorder.event(i);
      if (event.parent >= 0) roots[i] = roots[static_cast<size_t>(event.parent)];
      if (event.op == nullptr) continue;
      for (int32_t up = event.parent; up >= 0; up = recorder.event(static_cast<size_t>(up)).parent)
        calls_others[static_cast<size_t>(up)] = true;
      if (roots[i] >= 0) continue;
      roots[i] = static_cast<int64_t>(results_.size());
      add_storages(results_.emplace_back(), event.result.value);
    }
    for (size_t i = 0; i < count; ++i) {
      const RecordedEvent& event = recorder.event(i);
      if (event.op == nullptr || calls_others[i]) continue;
      Leaf leaf{.event = &event, .root = static_cast<size_t>(roots[i])};
      for (const RecordedInput& input : event.inputs) {
        add_storages(leaf.read, input.value);
        note_asked(input);
      }
      add_storages(leaf.brought, event.result.value);
      leaves_.push_back(std::move(leaf));
    }
  }

  void note_asked(const RecordedInput& input) {
    for_each_tensor({&input.value, 1}, [&](const Tensor& tensor) {
      if (tensor.meta->has(kRequiresGrad)) asked_.push_back(tensor.storage);
    });
  }

  // What requires a gradient and was there before.
  Storages parameters() const {
    Storages parameters;
    for (const Storage* storage : asked_) {
      if (storage != nullptr && !lives_.at(storage).is_made) parameters.push_back(storage);
    }
    return parameters;
  }

  std::vector<MemoryNode> nodes() const {
    std::vector<MemoryNode> nodes(results_.size());
    for (size_t i = 0; i < leaves_.size(); ++i) {
      MemoryNode& node = nodes[leaves_[i].root];
      for (const Storage* storage : leaves_[i].read) {
        const Life& life = lives_.at(storage);
        if (!life.is_made || leaves_[life.first].root != leaves_[i].root)
          node.inputs.push_back(storage);
      }
      for (const Storage* storage : leaves_[i].brought) {
        const Life& life = lives_.at(storage);
        if (life.is_made && life.first == i && !is_temporary(life)) node.outputs.push_back(storage);
      }
    }
    return nodes;
  }

  int64_t start_ = 0;
  std::vector<Leaf> leaves_;
  std::vector<Storages> results_;  // of the program's calls
  std::unordered_map<const Storage*, Life> lives_;
  Storages order_;  // in which they are met
  Storages asked_;  // for their gradients
};

}  // namespace

std::vector<TimelineEvent> memory_events(const EventRecorder& recorder) {
  return RecordedMemory(recorder).events();
}

}  // namespace faketensor
