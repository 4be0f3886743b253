// EventRecorder: the mode that writes a profile's spans while operators are called.
//
// A mode above autograd (Note [What a mode sees], core/ops/dispatch_mode.h): it sees each call of
// the program, and those that a composite operator makes, inside of it. Spans that are no operators
// (record_function, compiled regions, steps) are begun and ended by their callers. While none is
// entered, a call costs the one branch by which the dispatcher asks for modes above autograd.
//
//   EventRecorder recorder(&context, clock, {.record_shapes = true});
//   {
//     const ModeScope scope(context, recorder);
//     const SpanScope span(&recorder, "forward");
//     context.call(...);
//   }
//   recorder.event(0).name
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/ops/context.h"
#include "core/profiler/clock.h"
#include "core/profiler/function_event.h"
#include "core/support/stable_vector.h"

namespace faketensor {

struct EventOptions {
  bool record_shapes = false;
  bool profile_memory = false;
  bool with_stack = false;
  bool with_flops = false;
  bool with_modules = false;
};

enum class SpanKind : uint8_t {
  kOperator,
  kAnnotation,  // record_function
  kSpan,        // of the engine: cache look-ups, compiled regions, compilations
};

// A value that was given to an operator: a tensor's metadata as it was then.
struct RecordedInput {
  Value value = {};
  std::span<const TensorMeta* const> metas = {};  // of the tensor, or of a list's tensors
};

struct RecordedEvent {
  std::string_view name;        // "aten::add"; lives as long as the recorder
  const OpEntry* op = nullptr;  // none for a span
  SpanKind kind = SpanKind::kOperator;
  int32_t parent = -1;
  int64_t start_ns = 0;
  int64_t end_ns = 0;  // of a span that is open: its start
  std::span<const RecordedInput> inputs = {};
  RecordedInput result = {};
  int64_t cpu_memory = 0;  // bytes of storages that were brought and outlive it
  int64_t device_memory = 0;
  int64_t flops = 0;
  int64_t device_ns = 0;
  std::string_view stack = {};  // lines, innermost first
  std::string_view module_path = {};
};

// How long a device would take for a call, in nanoseconds; 0 for what launches nothing. Asked after
// the call, of operators that are not taken apart.
using DeviceTime =
    std::function<int64_t(const OpEntry& op, std::span<const Value> args, const Value& result)>;

class EventRecorder final : public DispatchMode {
 public:
  // `context`: whose storages are counted; null where they are not (a run whose context is not
  // there yet).
  EventRecorder(Context* context, Clock& clock, const EventOptions& options)
      : context_(context), clock_(clock), options_(options) {}

  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;
  // The highest place there is.
  DispatchKey key() const override { return DispatchKey::kBatched; }

  // Begins a span; the name is copied. Gives its number, which no later span gets.
  size_t begin(std::string_view name, SpanKind kind);
  // Ends it, and spans inside of it that are still open; nothing where it was forgotten.
  void end(size_t number);
  void end_all();

  // Where the program is: said of the events that begin from here on, where the options ask for it.
  void set_place(std::string_view stack, std::string_view module_path);

  // From here on the time of each call on a simulated device is recorded.
  void set_device_time(DeviceTime device_time) { device_time_ = std::move(device_time); }

  // A recorder that is off records nothing; spans that are open then keep their place and end.
  void set_recording(bool recording) { is_recording_ = recording; }
  bool is_recording() const { return is_recording_; }

  // While set, composite operators are not recorded, only what they call: a graph that was traced
  // below autograd holds no composites.
  void set_flattening(bool flattening) { is_flattening_ = flattening; }

  // In the order in which they began.
  size_t event_count() const { return events_.size(); }
  const RecordedEvent& event(size_t number) const { return *events_.find(number); }
  const EventOptions& options() const { return options_; }
  // Forgets what was recorded, spans that are open too.
  void clear();

 private:
  size_t push(const RecordedEvent& event);
  std::span<const TensorMeta* const> metas_of(const Value& value);
  std::span<const RecordedInput> inputs_of(const OpEntry& op, std::span<const Value> args);
  void note_result(RecordedEvent& event, const Value& result, size_t first_storage);

  Context* context_;
  DeviceTime device_time_;
  Clock& clock_;
  EventOptions options_;
  bool is_recording_ = true;
  bool is_flattening_ = false;
  size_t first_ = 0;   // the number of the first event: how many were forgotten
  int32_t open_ = -1;  // the innermost span that is open
  StableVector<RecordedEvent> events_;
  std::string_view stack_;
  std::string_view module_path_;
  Arena arena_;
};

// A span for as long as this lives; of a recorder that is null, none.
class SpanScope {
 public:
  SpanScope(EventRecorder* recorder, std::string_view name, SpanKind kind = SpanKind::kAnnotation)
      : recorder_(recorder != nullptr && recorder->is_recording() ? recorder : nullptr) {
    if (recorder_ != nullptr) event_ = recorder_->begin(name, kind);
  }
  ~SpanScope() {
    if (recorder_ != nullptr) recorder_->end(event_);
  }
  SpanScope(const SpanScope&) = delete;
  SpanScope& operator=(const SpanScope&) = delete;

 private:
  EventRecorder* recorder_;
  size_t event_ = 0;
};

// The name of a span of the compiler: "bytecode_tracing (dynamo_timed)". Mirrors dynamo_timed
// (torch/_dynamo/utils.py).
std::string dynamo_timed(std::string_view what);

// As C++ calls the type: "float", "long int".
std::string_view cpp_type(DType dtype);

// The FLOPs that torch.profiler counts, by its own formulas, which are not those of
// core/analysis/flops.h: of convolutions, products of matrices, mul and add; 0 for the rest, and
// where a size is a symbol without a hint. Mirrors computeFlops (torch/csrc/profiler/util.cpp).
int64_t profiler_flops(const OpEntry& op, std::span<const Value> args);

}  // namespace faketensor
