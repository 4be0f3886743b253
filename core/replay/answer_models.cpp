// Models whose every operator was recorded: the storages that they bring and what is made of them.
#include <map>
#include <set>
#include <unordered_map>

#include "core/analysis/flops.h"
#include "core/io/call_json.h"
#include "core/mode/find_tensor.h"
#include "core/mode/mode.h"
#include "core/replay/answer_memory.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// FLOPs of the calls that are made while it is entered.
class CountFlops final : public DispatchMode {
 public:
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override {
    Value result = next(op, args);
    if (const std::optional<SymInt> of = flops_of(op, args, result))
      flops_ = flops_.value_or(0) + of->as_int();
    return result;
  }
  // None for an operator without a formula.
  const std::optional<int64_t>& flops() const { return flops_; }

 private:
  std::optional<int64_t> flops_;
};

// MemTracker's kinds of storages, in its order (torch/distributed/_tools/mem_tracker.py).
constexpr std::string_view kRoles[] = {"PARAM", "BUFFER", "GRAD", "ACT", "TEMP", "OPT", "OTH"};
constexpr size_t kRoleCount = std::size(kRoles);
constexpr size_t kNoRole = kRoleCount;

size_t role_named(std::string_view name) {
  return static_cast<size_t>(std::find(std::begin(kRoles), std::end(kRoles), name) -
                             std::begin(kRoles));
}

using BytesByRole = std::array<int64_t, kRoleCount>;

int64_t total(const BytesByRole& bytes) {
  int64_t sum = 0;
  for (const int64_t of : bytes) sum += of;
  return sum;
}

// MemTracker: bytes by device and kind, now and at the peak of each device.
class MemTracker {
 public:
  void add(Device device, int64_t bytes, size_t role) { now_[device_name(device)][role] += bytes; }
  // A peak is renewed by more than it, of a device that it knows.
  void renew_peaks() {
    for (const auto& [device, bytes] : now_) {
      const auto [peak, is_new] = peaks_.emplace(device, bytes);
      if (!is_new && total(bytes) > total(peak->second)) peak->second = bytes;
    }
  }
  using ByDevice = std::map<std::string, BytesByRole>;
  const ByDevice& now() const { return now_; }
  const ByDevice& peaks() const { return peaks_; }

 private:
  static std::string device_name(Device device) { return format("{}", device); }

  ByDevice now_;
  ByDevice peaks_;
};

void write_bytes(JsonWriter& json, const MemTracker::ByDevice& by_device) {
  const auto object = json.object();
  for (const auto& [device, bytes] : by_device) {
    const auto kinds = json.object(device);
    for (size_t role = 0; role < kRoleCount; ++role)
      json.field(format("_MemRefType.{}", kRoles[role]), bytes[role]);
    json.field("Total", total(bytes));
  }
}

class ModelReplay {
 public:
  explicit ModelReplay(DeviceType device) : device_(device), reader_(mode_) {
    reader_.resolve = [this](const Json& object) -> std::optional<Value> {
      const Json* ref = find_member(object, "ref");
      if (ref == nullptr) return std::nullopt;
      return Value(tensor(integer_of(*ref, "ref")));
    };
  }

  void run(const Json& entry);
  void write(JsonWriter& json) const;

 private:
  using Handler = void (ModelReplay::*)(const Json& entry);
  struct Row {
    std::string_view kind;
    Handler run;
  };
  static const Row kEntries[];

  // A storage by its number in the recording.
  struct Known {
    Storage* storage = nullptr;
    Device device;
    int64_t bytes = 0;
    size_t role = kNoRole;
  };
  struct StorageEvent {
    bool is_malloc = false;
    size_t storage = 0;
  };
  struct OpFlops {
    size_t index = 0;
    int64_t flops = 0;
  };
  // What MemTracker says of a module: bytes.
  struct ModuleMemory {
    int64_t parameters = 0;
    int64_t buffers = 0;
    int64_t inputs = 0;
    int64_t outputs = 0;
    std::map<std::string, int64_t> peak = {};  // while it last ran, either way, by device
    bool ran_backward = false;
  };

  void op(const Json& entry);
  void made(const Json& entry);
  void free(const Json& entry);
  void track(const Json&) { setup_ = events_.size(); }
  void step(const Json&);
  void step_end(const Json&);
  void state(const Json& entry);
  void role(const Json& entry);
  void enter(const Json& entry);
  void exit(const Json& entry);
  void enter_backward(const Json& entry);
  void ignore(const Json&) {}

  Tensor* tensor(int64_t number) const {
    const auto found = tensors_.find(number);
    if (found == tensors_.end())
      throw_error(ErrorKind::kUnreadable, format("no tensor has the number {}", number));
    return found->second;
  }
  Known& known(const Json& number) {
    const auto at = static_cast<size_t>(integer_of(number, "a storage"));
    if (at >= storages_.size())
      throw_error(ErrorKind::kUnreadable, format("no storage has the number {}", at));
    return storages_[at];
  }
  void name_results(const Json& out, const Value& result);
  void bring(const Tensor& tensor, size_t role);
  void set_role(Known& storage, size_t role);
  int64_t tracked_bytes(const Known& storage) const;
  int64_t bytes_of(const Json& storages);
  void begin_peak(ModuleMemory& module);
  void renew_module_peaks();
  void count(size_t index, std::string_view op, int64_t flops);
  void write_storages(JsonWriter& json) const;
  void write_allocator(JsonWriter& json, std::string_view settings) const;
  void write_modules(JsonWriter& json) const;

  const DeviceType device_;
  FakeTensorMode mode_;
  ValueReader reader_;
  std::map<int64_t, Tensor*> tensors_;
  std::set<const Tensor*> real_;  // no operator made them: lift_fresh copies them
  std::unordered_map<const Storage*, size_t> numbers_;
  std::vector<Known> storages_;
  std::vector<StorageEvent> events_;  // of the device
  size_t setup_ = 0;
  size_t index_ = 0;  // of the entry
  int steps_ = 0;
  bool in_step_ = false;
  std::string state_ = "forward";
  std::vector<std::string> modules_ = {"Global"};
  MemTracker tracker_;
  std::vector<MemTracker::ByDevice> after_steps_;
  std::vector<OpFlops> op_flops_;
  std::map<std::string, std::map<std::string, int64_t>> by_module_;
  std::map<std::string, ModuleMemory> module_memory_;
};

const ModelReplay::Row ModelReplay::kEntries[] = {
    {"op", &ModelReplay::op},
    {"tensor", &ModelReplay::made},
    {"free", &ModelReplay::free},
    {"track", &ModelReplay::track},
    {"step", &ModelReplay::step},
    {"step_end", &ModelReplay::step_end},
    {"state", &ModelReplay::state},
    {"role", &ModelReplay::role},
    {"enter", &ModelReplay::enter},
    {"exit", &ModelReplay::exit},
    {"enter_backward", &ModelReplay::enter_backward},
    {"exit_backward", &ModelReplay::ignore},
};

void ModelReplay::run(const Json& entry) {
  const std::string& kind = text_of(element(entry, 0, "an entry"), "an entry");
  const auto* row = std::find_if(std::begin(kEntries), std::end(kEntries),
                                 [&](const Row& known) { return known.kind == kind; });
  if (row == std::end(kEntries))
    throw_error(ErrorKind::kUnreadable, format("no such kind of entry: {}", kind));
  (this->*row->run)(entry);
  ++index_;
}

// MemTracker on a GPU counts what the allocator's blocks are multiples of.
int64_t ModelReplay::tracked_bytes(const Known& storage) const {
  if (storage.device.type != DeviceType::kCUDA) return storage.bytes;
  constexpr auto kBlock = static_cast<int64_t>(kMinBlock);
  return (storage.bytes + kBlock - 1) / kBlock * kBlock;
}

void ModelReplay::set_role(Known& storage, size_t role) {
  if (storage.role != kNoRole) tracker_.add(storage.device, -tracked_bytes(storage), storage.role);
  storage.role = role;
  if (role != kNoRole) tracker_.add(storage.device, tracked_bytes(storage), role);
}

// The storage of a tensor takes the next number if it is new.
void ModelReplay::bring(const Tensor& tensor, size_t role) {
  if (tensor.storage == nullptr) return;
  if (!numbers_.emplace(tensor.storage, storages_.size()).second) return;
  storages_.push_back({tensor.storage, tensor.storage->device, tensor.storage->nbytes.as_int()});
  if (tensor.storage->device.type == device_) events_.push_back({true, storages_.size() - 1});
  set_role(storages_.back(), role);
}

void ModelReplay::name_results(const Json& out, const Value& result) {
  if (out.is_object() && out.contains("ref") && result.is_tensor()) {
    tensors_[integer_of(out["ref"], "ref")] = &result.tensor();
    return;
  }
  if (!out.is_array() || !result.is(Value::Tag::kList)) return;
  for (size_t i = 0; i < out.size() && i < result.size(); ++i) name_results(out[i], result[i]);
}

void ModelReplay::op(const Json& entry) {
  const std::string& name = text_of(element(entry, 1, "op"), "op");
  const Json& out = element(entry, 4, "op");
  if (!out.is_array() && !out.is_object()) return;  // a number, which only the data says
  const OpId id = Registry::builtin().find(name);
  if (id == kNoOp)
    throw_error(ErrorKind::kUnsupportedOperator, format("no such operator: {}", name));
  const std::vector<Value> args =
      bind_arguments(Registry::builtin().entry(id).schema, element(entry, 2, "op"),
                     element(entry, 3, "op"), reader_);
  CountFlops counter;
  Value result;
  if (name == "aten.lift_fresh.default" && real_.contains(&args[0].tensor())) {
    result = mode_.from_meta(*args[0].tensor().meta);
  } else {
    const ModeScope entered(mode_.context(), counter);
    result = mode_.context().call(id, args);
  }
  size_t role = kNoRole;
  if (in_step_)
    role = role_named(state_ == "backward" ? "TEMP" : state_ == "optimizer" ? "OPT" : "ACT");
  for_each_tensor({&result, 1}, [&](const Tensor& tensor) { bring(tensor, role); });
  name_results(out, result);
  if (!in_step_) return;
  tracker_.renew_peaks();
  renew_module_peaks();
  if (steps_ == 1 && counter.flops())
    count(index_, name.substr(0, name.rfind('.')), *counter.flops());
}

// FlopCounterMode: for each module that runs, by operator.
void ModelReplay::count(size_t index, std::string_view op, int64_t flops) {
  op_flops_.push_back({index, flops});
  for (const std::string& module : modules_) by_module_[module][std::string(op)] += flops;
}

// ["tensor", n, storage, size, stride, offset, dtype, device, "fake" or "real"]
void ModelReplay::made(const Json& entry) {
  const auto number = integer_of(element(entry, 1, "tensor"), "tensor");
  const Json description = {{"t", number},
                            {"size", element(entry, 3, "tensor")},
                            {"stride", element(entry, 4, "tensor")},
                            {"offset", element(entry, 5, "tensor")},
                            {"dtype", element(entry, 6, "tensor")},
                            {"device", element(entry, 7, "tensor")}};
  const TensorMeta& meta = *reader_.read(description).tensor().meta;
  const auto at = static_cast<size_t>(integer_of(element(entry, 2, "tensor"), "a storage"));
  const bool is_known = at < storages_.size();
  Tensor* made = is_known ? mode_.from_meta(meta, storages_[at].storage) : mode_.from_meta(meta);
  if (!is_known) bring(*made, kNoRole);
  tensors_[number] = made;
  if (text_of(element(entry, 8, "tensor"), "tensor") == "real") real_.insert(made);
}

void ModelReplay::free(const Json& entry) {
  Known& storage = known(element(entry, 1, "free"));
  if (storage.device.type == device_)
    events_.push_back({false, static_cast<size_t>(&storage - storages_.data())});
  set_role(storage, kNoRole);
}

void ModelReplay::step(const Json&) {
  in_step_ = true;
  ++steps_;
  tracker_.renew_peaks();
}

void ModelReplay::step_end(const Json&) {
  in_step_ = false;
  after_steps_.push_back(tracker_.now());
}

void ModelReplay::state(const Json& entry) {
  state_ = text_of(element(entry, 1, "state"), "state");
  modules_.clear();
  for (const Json& module : list_of(element(entry, 2, "state"), "state"))
    modules_.push_back(text_of(module, "a module"));
}

void ModelReplay::role(const Json& entry) {
  set_role(known(element(entry, 1, "role")),
           role_named(text_of(element(entry, 2, "role"), "role")));
}

// A storage counts as often as it is named: an argument that is given three times is three.
int64_t ModelReplay::bytes_of(const Json& storages) {
  int64_t bytes = 0;
  for (const Json& number : list_of(storages, "storages")) bytes += tracked_bytes(known(number));
  return bytes;
}

// ["enter", module, parameters, buffers, inputs]: what a module has is looked at when it is first
// entered, its peak begins anew each time.
void ModelReplay::enter(const Json& entry) {
  const std::string& name = text_of(element(entry, 1, "enter"), "enter");
  const auto [place, is_new] = module_memory_.try_emplace(name);
  ModuleMemory& module = place->second;
  if (is_new) {
    module.parameters = bytes_of(element(entry, 2, "enter"));
    module.buffers = bytes_of(element(entry, 3, "enter"));
    module.inputs = bytes_of(element(entry, 4, "enter"));
  }
  begin_peak(module);
}

void ModelReplay::enter_backward(const Json& entry) {
  const auto module =
      module_memory_.find(text_of(element(entry, 1, "enter_backward"), "enter_backward"));
  if (module == module_memory_.end()) return;
  module->second.ran_backward = true;
  begin_peak(module->second);
}

void ModelReplay::begin_peak(ModuleMemory& module) {
  module.peak.clear();
  for (const auto& [device, bytes] : tracker_.now()) module.peak[device] = total(bytes);
}

void ModelReplay::exit(const Json& entry) {
  const auto module = module_memory_.find(text_of(element(entry, 1, "exit"), "exit"));
  if (module != module_memory_.end()) module->second.outputs = bytes_of(element(entry, 2, "exit"));
}

void ModelReplay::renew_module_peaks() {
  for (const std::string& name : modules_) {
    const auto module = module_memory_.find(name);
    if (module == module_memory_.end()) continue;
    if (state_ == "backward" && !module->second.ran_backward) continue;
    for (const auto& [device, bytes] : tracker_.now()) {
      int64_t& peak = module->second.peak[device];
      peak = std::max(peak, total(bytes));
    }
  }
}

void ModelReplay::write_modules(JsonWriter& json) const {
  const auto object = json.object();
  for (const auto& [name, memory] : module_memory_) {
    const auto module = json.object(name);
    json.field("parameter_mem", memory.parameters);
    json.field("buffer_mem", memory.buffers);
    json.field("input_mem", memory.inputs);
    json.field("output_mem", memory.outputs);
    json.field("local_peak", memory.peak);
  }
}

void ModelReplay::write_storages(JsonWriter& json) const {
  const auto object = json.object();
  json.field("setup", setup_);
  const auto events = json.array("events");
  for (const StorageEvent& event : events_) {
    const auto item = json.array();
    json.value(event.is_malloc ? "malloc" : "free");
    json.value(event.storage);
    if (event.is_malloc) json.value(storages_[event.storage].bytes);
  }
}

// The statistics after the storages came and went through an allocator.
void ModelReplay::write_allocator(JsonWriter& json, std::string_view settings) const {
  DeviceMemory device(kRecordedDevice);
  CachingAllocator allocator(device);
  allocator.config().apply(settings);
  std::unordered_map<size_t, uint64_t> addresses;
  for (const StorageEvent& event : events_) {
    if (event.is_malloc) {
      const auto bytes = static_cast<uint64_t>(storages_[event.storage].bytes);
      addresses[event.storage] = allocator.malloc(bytes).address;
    } else {
      allocator.free(addresses[event.storage]);
    }
  }
  write_allocator_stats(json, allocator.stats());
}

void ModelReplay::write(JsonWriter& json) const {
  write_storages(json.key("storages"));
  {
    const auto allocator = json.object("allocator");
    write_allocator(json.key("default"), "");
    for (const std::string_view settings :
         {"expandable_segments:True", "roundup_power2_divisions:4"})
      write_allocator(json.key(settings), settings);
  }
  {
    const auto flops = json.object("flops");
    int64_t sum = 0;
    for (const OpFlops& op : op_flops_) sum += op.flops;
    json.field("total", sum);
    json.field("counts", by_module_);
    const auto ops = json.array("ops");
    for (const OpFlops& op : op_flops_) {
      const auto item = json.array();
      json.value(op.index);
      json.value(op.flops);
    }
  }
  {
    const auto tracker = json.object("mem_tracker");
    {
      const auto after = json.array("after_each_step");
      for (const MemTracker::ByDevice& step : after_steps_) write_bytes(json, step);
    }
    write_bytes(json.key("peak"), tracker_.peaks());
  }
  write_modules(json.key("modules"));
}

}  // namespace

void answer_model(JsonWriter& json, const Json& question) {
  const std::string& device = text_member(question, "device");
  const std::optional<Device> parsed = parse_device(device);
  if (!parsed) refuse_json("device", "a device", question["device"]);
  ModelReplay replay(parsed->type);
  const auto answer = json.object();
  json.field("id", text_member(question, "id"));
  try {
    for (const Json& entry : list_member(question, "trace")) replay.run(entry);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUnreadable) throw;
    return json.field("unsupported", error.message());
  }
  replay.write(json);
}

}  // namespace faketensor
