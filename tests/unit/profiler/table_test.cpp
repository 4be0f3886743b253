#include "core/profiler/table.h"

#include <utility>

#include <gtest/gtest.h>

#include "core/support/error.h"

namespace faketensor {
namespace {

FunctionEvent event(std::string name, int64_t parent, int64_t start_us, int64_t end_us) {
  FunctionEvent made{.name = std::move(name)};
  made.parent = parent;
  made.start_ns = start_us * 1000;
  made.end_ns = end_us * 1000;
  return made;
}

EventList two_calls() {
  return EventList({event("aten::linear", -1, 0, 100), event("aten::addmm", 0, 10, 90),
                    event("aten::addmm", -1, 100, 150)});
}

TEST(Table, IsPyTorchsToTheByte) {
  EXPECT_EQ(
      table(two_calls().key_averages()),
      "----------------  ------------  ------------  ------------  ------------  "
      "------------  ------------  \n"
      "            Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg  "
      "  # of Calls  \n"
      "----------------  ------------  ------------  ------------  ------------  "
      "------------  ------------  \n"
      "    aten::linear        13.33%      20.000us        66.67%     100.000us     100.000us  "
      "           1  \n"
      "     aten::addmm        86.67%     130.000us        86.67%     130.000us      65.000us  "
      "           2  \n"
      "----------------  ------------  ------------  ------------  ------------  "
      "------------  ------------  \n"
      "Self CPU time total: 150.000us\n");
}

TEST(Table, SortsByAnAttributeAndRefusesAnother) {
  const AverageList averages = two_calls().key_averages();
  const std::string sorted = table(averages, {.sort_by = "count", .row_limit = 1});
  EXPECT_NE(sorted.find("aten::addmm"), std::string::npos);
  EXPECT_EQ(sorted.find("aten::linear"), std::string::npos);
  try {
    table(averages, {.sort_by = "nonsense"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "'FunctionEventAvg' object has no attribute 'nonsense'");
  }
}

TEST(Table, LongNamesAreShortened) {
  const EventList events({event(std::string(80, 'n'), -1, 0, 1)});
  const std::string text = table(events.key_averages());
  EXPECT_NE(text.find(std::string(52, 'n') + "...  "), std::string::npos);
}

TEST(Table, FlopsShareAUnitByTheSmallest) {
  std::vector<FunctionEvent> events = {event("aten::mm", -1, 0, 1), event("aten::add", -1, 1, 2)};
  events[0].flops = 4'000'000;
  events[1].flops = 2'500;
  const EventList list(std::move(events), {.with_flops = true});
  const std::string text = table(list.key_averages());
  EXPECT_NE(text.find("Total KFLOPs"), std::string::npos);
  EXPECT_NE(text.find("    4000.000  \n"), std::string::npos);
  EXPECT_NE(text.find("       2.500  \n"), std::string::npos);
}

TEST(Averages, GroupByShapeAndByStack) {
  std::vector<FunctionEvent> events = {event("aten::relu", -1, 0, 1), event("aten::relu", -1, 1, 2),
                                       event("aten::relu", -1, 2, 3)};
  for (FunctionEvent& each : events) {
    each.input_shapes = {{.sizes = {2, 3}}};
    each.stack = {"model.py(12): forward", "train.py(3): <module>"};
  }
  events[2].input_shapes = {{.sizes = {4}}};
  events[2].stack[0] = "model.py(13): forward";
  const EventList list(std::move(events));
  EXPECT_EQ(list.key_averages().rows.size(), 1u);
  EXPECT_EQ(list.key_averages({.input_shape = true}).rows.size(), 2u);
  const AverageList by_stack = list.key_averages({.stack_n = 1});
  ASSERT_EQ(by_stack.rows.size(), 2u);
  EXPECT_EQ(by_stack.rows[0].stack, std::vector<std::string>{"model.py(12): forward"});
  EXPECT_EQ(list.stacks("self_cpu_time_total"),
            "train.py(3):_<module>;model.py(12):_forward 1\n"
            "train.py(3):_<module>;model.py(12):_forward 1\n"
            "train.py(3):_<module>;model.py(13):_forward 1\n");
}

}  // namespace
}  // namespace faketensor
