#include "core/profiler/event_recorder.h"

#include <algorithm>

#include "core/mode/find_tensor.h"
#include "core/support/format.h"
#include "core/support/small_vector.h"

namespace faketensor {

namespace {

std::string_view copied(Arena& arena, std::string_view text) {
  const std::span<char> copy = arena.copy(std::span<const char>(text.data(), text.size()));
  return {copy.data(), copy.size()};
}

}  // namespace

std::string dynamo_timed(std::string_view what) { return format("{} (dynamo_timed)", what); }

size_t EventRecorder::push(const RecordedEvent& event) {
  const size_t place = events_.size();
  RecordedEvent& pushed = events_.emplace_back();
  pushed = event;
  pushed.parent = open_;
  if (options_.with_stack) pushed.stack = stack_;
  if (options_.with_modules) pushed.module_path = module_path_;
  open_ = static_cast<int32_t>(place);
  pushed.start_ns = pushed.end_ns = clock_.now();
  return first_ + place;
}

size_t EventRecorder::begin(std::string_view name, SpanKind kind) {
  return push({.name = copied(arena_, name), .kind = kind});
}

void EventRecorder::end(size_t number) {
  if (number < first_) return;
  const int64_t now = clock_.now();
  const auto place = static_cast<int32_t>(number - first_);
  while (open_ >= place) {
    RecordedEvent& each = events_[static_cast<size_t>(open_)];
    each.end_ns = now;
    open_ = each.parent;
  }
}

void EventRecorder::end_all() { end(first_); }

void EventRecorder::set_place(std::string_view stack, std::string_view module_path) {
  if (options_.with_stack && stack_ != stack) stack_ = copied(arena_, stack);
  if (options_.with_modules && module_path_ != module_path)
    module_path_ = copied(arena_, module_path);
}

void EventRecorder::clear() {
  first_ += events_.size();
  events_ = {};
  open_ = -1;
  stack_ = module_path_ = {};
  arena_ = Arena();
}

std::span<const TensorMeta* const> EventRecorder::metas_of(const Value& value) {
  SmallVector<const TensorMeta*, 8> metas;
  if (value.is_tensor()) {
    metas.push_back(value.tensor().meta);
  } else if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) {
      if (element.is_tensor()) metas.push_back(element.tensor().meta);
    }
  }
  return arena_.copy(std::span<const TensorMeta* const>(metas.span()));
}

std::span<const RecordedInput> EventRecorder::inputs_of(const OpEntry& op,
                                                        std::span<const Value> args) {
  const std::span<RecordedInput> inputs =
      arena_.make_array<RecordedInput>(std::max(args.size(), op.schema.arguments.size()));
  for (size_t i = 0; i < args.size(); ++i) inputs[i] = {args[i], metas_of(args[i])};
  return inputs;
}

void EventRecorder::note_result(RecordedEvent& event, const Value& result, size_t first_storage) {
  if (options_.record_shapes) event.result = {result, metas_of(result)};
  if (!options_.profile_memory) return;
  SmallVector<const Storage*, 8> counted;
  for_each_tensor({&result, 1}, [&](const Tensor& tensor) {
    const Storage* storage = tensor.storage;
    if (storage == nullptr || storage->id < first_storage) return;
    if (std::find(counted.begin(), counted.end(), storage) != counted.end()) return;
    counted.push_back(storage);
    const auto bytes = hint(storage->nbytes);
    if (!bytes) return;
    (storage->device.type == DeviceType::kCPU ? event.cpu_memory : event.device_memory) += *bytes;
  });
}

Value EventRecorder::dispatch(const OpEntry& op, std::span<const Value> args,
                              const NextMode& next) {
  const bool is_left_out = is_flattening_ && (op.tags & kComposite) != 0;
  if (!is_recording_ || is_left_out) return next(op, args);
  const size_t first_storage = context_ == nullptr ? SIZE_MAX : context_->storage_count();
  RecordedEvent event{.name = op.schema.name, .op = &op};
  if (options_.record_shapes) event.inputs = inputs_of(op, args);
  if (options_.with_flops) event.flops = profiler_flops(op, args);
  const size_t number = push(event);
  struct Ender {
    EventRecorder& recorder;
    size_t number;
    ~Ender() { recorder.end(number); }
  };
  const Ender ender{*this, number};
  const Value result = next(op, args);
  if (number < first_) return result;  // it was forgotten meanwhile
  RecordedEvent& recorded = events_[number - first_];
  note_result(recorded, result, first_storage);
  if (device_time_ && (op.tags & kComposite) == 0)
    recorded.device_ns = device_time_(op, args, result);
  return result;
}

}  // namespace faketensor
