// Clock: where a profile takes its times from.
//
// Nanoseconds since some moment, never going back. A test sets its own:
//
//   ManualClock clock;
//   Profile profile(mode, {.clock = &clock});
//   clock.advance(1500);
#pragma once

#include <chrono>
#include <cstdint>

namespace faketensor {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t now() = 0;
};

class SteadyClock final : public Clock {
 public:
  int64_t now() override {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  }
};

// Stands still between calls of advance(), or goes on by `tick` each time it is read.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t tick = 0) : tick_(tick) {}
  int64_t now() override { return time_ += tick_; }
  void advance(int64_t nanoseconds) { time_ += nanoseconds; }

 private:
  int64_t time_ = 0;
  int64_t tick_;
};

}  // namespace faketensor
