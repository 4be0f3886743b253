#include "core/profiler/schedule.h"

#include <gtest/gtest.h>

#include "core/mode/mode.h"
#include "core/profiler/profile.h"
#include "core/support/error.h"

namespace faketensor {
namespace {

std::string actions(const ScheduleOptions& options, int64_t steps) {
  const Schedule schedule(options);
  std::string text;
  for (int64_t i = 0; i < steps; ++i) text += "-wrS"[static_cast<size_t>(schedule.action(i))];
  return text;
}

TEST(Schedule, CyclesWaitWarmUpAndRecord) {
  EXPECT_EQ(actions({.wait = 2, .warmup = 2, .active = 2, .repeat = 1}, 9), "--wwrS---");
  EXPECT_EQ(actions({.warmup = 1, .active = 3, .skip_first = 2}, 11), "--wrrSwrrSw");
  EXPECT_EQ(actions({.active = 1}, 3), "SSS");
}

TEST(Schedule, SkipFirstWaitStartsTheFirstCycleWithoutWaiting) {
  EXPECT_EQ(actions({.wait = 2, .warmup = 1, .active = 1, .skip_first_wait = 3}, 7), "wS--wS-");
}

TEST(Schedule, NoActiveStepIsRefused) {
  try {
    const Schedule schedule({.active = 0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kAssertionError);
    EXPECT_EQ(error.message(),
              "Invalid profiler schedule arguments. Got wait=0 (need >= 0), warmup=0 (need >= 0), "
              "active=0 (need > 0), repeat=0 (need >= 0), skip_first=0 (need >= 0).");
  }
}

TEST(Schedule, WithoutWarmUpAProfileWarns) {
  FakeTensorMode mode;
  const Profile profile(mode.context(), {.schedule = Schedule({.active = 1})});
  EXPECT_EQ(
      profile.warnings(),
      std::vector<std::string>{"Profiler won't be using warmup, this can skew profiler results"});
}

// Each trace is ready when its last step ends, and holds that step as a span.
TEST(Schedule, TracesAreReadyAtTheEndOfEachCycle) {
  FakeTensorMode mode;
  std::vector<std::string> log;
  const auto ready = [&](Profile& profile) {
    std::string line = std::to_string(profile.step_num()) + ":";
    const EventList events = profile.events();
    for (const FunctionEvent& event : events.events()) line += " " + event.trace_name;
    log.push_back(line);
  };
  Profile profile(mode.context(), {.schedule = Schedule({.wait = 1, .active = 1, .repeat = 2}),
                                   .on_trace_ready = ready});
  profile.start();
  for (int i = 0; i < 6; ++i) profile.step();
  profile.stop();
  EXPECT_EQ(log, (std::vector<std::string>{"2: ProfilerStep#1", "4: ProfilerStep#3"}));
}

// A span that was begun in one trace is not one of the next.
TEST(Schedule, ASpanMayBeOpenFromOneTraceToTheNext) {
  FakeTensorMode mode;
  Profile profile(mode.context(), {.schedule = Schedule({.active = 1})});
  profile.start();
  {
    const SpanScope span(profile.recorder(), "long");
    profile.step();
  }
  profile.stop();
  const EventList events = profile.events();
  ASSERT_EQ(events.events().size(), 1u);
  EXPECT_EQ(events.events()[0].trace_name, "ProfilerStep#1");
}

TEST(Profile, WhatIsAskedTooEarlyIsRefusedInPyTorchsWords) {
  FakeTensorMode mode;
  const auto message = [&](auto&& action) -> std::string {
    Profile profile(mode.context());
    try {
      action(profile);
      return "";
    } catch (const Error& error) {
      return error.message();
    }
  };
  EXPECT_EQ(message([](Profile& p) { p.stop(); }),
            "Profiler must be initialized before stopping trace");
  EXPECT_EQ(message([](Profile& p) { p.events(); }),
            "Profiler must be initialized before accessing events");
  EXPECT_EQ(message([](Profile& p) { p.export_chrome_trace(); }),
            "Profiler must be initialized before exporting chrome trace");
  EXPECT_EQ(message([](Profile& p) {
              p.start();
              p.export_stacks("self_cpu_time_total");
            }),
            "export_stacks() requires with_stack=True");
  EXPECT_EQ(message([](Profile& p) {
              p.start();
              p.start_trace();
            }),
            "Profiler is already enabled on this thread.");
  EXPECT_EQ(message([](Profile& p) { p.start(), p.start(), p.stop(), p.stop(); }), "");
}

}  // namespace
}  // namespace faketensor
