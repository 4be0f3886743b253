// ExecutionTraceObserver: what a program ran, as a graph of operators with their inputs and outputs.
//
// Mirrors torch.profiler.ExecutionTraceObserver, whose JSON (schema 1.1.1-chakra.0.0.4) is read by
// simulators of training clusters. A node stands for an operator or a span, `ctrl_deps` is the node
// it ran in; a tensor is [tensor, storage, offset, elements, bytes of each, device]. Node 1 is the
// process, node 2 its thread.
//
//   ExecutionTraceObserver observer(mode.context());
//   observer.start();
//   mode.call("aten::relu", {&x, 1});
//   observer.stop();
//   std::string json = observer.text();
#pragma once

#include <optional>
#include <string>

#include "core/profiler/event_recorder.h"

namespace faketensor {

class ExecutionTraceObserver {
 public:
  explicit ExecutionTraceObserver(Context& context, Clock* clock = nullptr)
      : context_(context),
        recorder_(&context, clock == nullptr ? steady_clock_ : *clock, {.record_shapes = true}) {}

  void start() { scope_.emplace(context_, recorder_); }
  void stop() { scope_.reset(); }
  bool is_running() const { return scope_.has_value(); }

  // For spans (SpanScope): compiled regions, record_function.
  EventRecorder& recorder() { return recorder_; }

  // The trace of all that ran between start() and stop().
  std::string text() const;

 private:
  Context& context_;
  SteadyClock steady_clock_;
  EventRecorder recorder_;
  std::optional<ModeScope> scope_;
};

}  // namespace faketensor
