#include "core/replay/answer.h"

#include <gtest/gtest.h>

#include "tests/unit/command/test_io.h"

namespace faketensor {
namespace {

// What `faketensor answer` makes of a file of vectors.
CommandRun outcome_of(std::string vectors) {
  return run({"answer", "v.jsonl"}, {{"v.jsonl", std::move(vectors)}}, {&kAnswer, 1});
}

TEST(Answer, HasHelpWithAnExample) {
  const CommandRun outcome = run({"answer", "--help"}, {}, {&kAnswer, 1});
  EXPECT_EQ(outcome.code, kExitFine);
  EXPECT_NE(outcome.out.find("example"), std::string::npos);
  EXPECT_NE(run({}, {}, {&kAnswer, 1}).out.find("  answer  "), std::string::npos);
  EXPECT_EQ(run({"answer", "v.jsonl"}).code, kExitUsage);  // of those who have it
}

TEST(Answer, AnswersEachVectorAndSaysWhatItDoesNotKnow) {
  const std::string vectors =
      "{\"header\":{\"kind\":\"ops\"}}\n"
      "{\"id\":\"relu/"
      "0\",\"op\":\"aten::relu.default\",\"args\":[{\"t\":0,\"size\":[2],\"stride\":[1],\"offset\":"
      "0,\"dtype\":\"float32\","
      "\"device\":\"cpu\",\"storage\":0,\"nbytes\":8}],\"kwargs\":{}}\n"
      "{\"id\":\"x/0\",\"op\":\"demo::nothing.default\",\"args\":[],\"kwargs\":{}}\n";
  EXPECT_EQ(outcome_of(vectors).out,
            "{\"id\":\"relu/"
            "0\",\"out\":{\"t\":1,\"size\":[2],\"stride\":[1],\"offset\":0,\"dtype\":\"float32\","
            "\"device\":\"cpu\",\"storage\":1,"
            "\"nbytes\":8}}\n{\"id\":\"x/0\",\"unsupported\":\"no rule\"}\n");
}

TEST(Answer, ReadsTheDataOfConstants) {
  const std::string tensor =
      R"({"t":0,"size":[],"stride":[],"offset":0,"dtype":"float32","device":"cpu","storage":0,"nbytes":4,"const":)";
  const std::string vectors = R"({"header":{"kind":"ops"}})"
                              "\n"
                              R"({"id":"a","op":"aten::item","args":[)" +
                              tensor +
                              "2.5}]}\n"
                              R"({"id":"b","op":"aten::item","args":[)" +
                              tensor + "[1, 2]}]}\n";
  const std::string out = outcome_of(vectors).out;
  EXPECT_NE(out.find(R"({"id":"a","out":2.5})"), std::string::npos) << out;
  EXPECT_NE(out.find(R"({"id":"b","raises":"DataDependentOutputException")"), std::string::npos)
      << out;
}

TEST(Answer, BoundsTheNestingOfALine) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  const CommandRun outcome =
      outcome_of("{\"header\":{}}\n{\"id\":\"a\",\"queries\":" + deep + "}\n");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_NE(outcome.error.find("line 2: JSON nested more than 256 deep"), std::string::npos)
      << outcome.error;
}

TEST(Answer, AFakeKernelThatCallsItselfEnds) {
  const std::string session =
      R"({"session":"s","steps":[{"do":"mode","as":"m","options":{}},)"
      R"({"do":"define","name":"lib::f","schema":"(Tensor x) -> Tensor","fake":{"params":["x"],)"
      R"("steps":[{"do":"call","op":"lib::f.default","args":[{"ref":"x"}],"as":"y"}],"return":{"ref":"y"}}},)"
      R"({"do":"real","as":"r","size":[2]},{"do":"from_tensor","mode":"m","arg":"r","as":"a"},)"
      R"({"do":"enter","mode":"m"},{"do":"call","op":"lib::f.default","args":[{"ref":"a"}]}]})";
  const CommandRun outcome = outcome_of("{\"header\":{}}\n" + session + "\n");
  EXPECT_NE(outcome.out.find("call each other more than 32 deep"), std::string::npos)
      << outcome.out << outcome.error;
}

TEST(Answer, RefusesAStrangeHeader) {
  for (const char* header :
       {R"({"header":{"kind":1)", R"({"header":3})", R"({"header":{"kind":"graph")", "[1]",
        R"({"header":{"kind":"graph","graph":5)"}) {
    const CommandRun outcome = outcome_of(header);
    EXPECT_EQ(outcome.code, kExitUsage) << header;
    EXPECT_TRUE(outcome.error.starts_with("faketensor: ")) << outcome.error;
    EXPECT_EQ(outcome.error.find("json.exception"), std::string::npos) << outcome.error;
  }
}

TEST(Answer, AQuestionThatIsNoneIsNamedByItsLine) {
  const std::string text = "{\"header\":{}}\n{\"op\":5,\"id\":\"a\"}\n";
  EXPECT_EQ(outcome_of(text).error, "faketensor: line 2: 'op' must be text, not 5\n");
  const std::string session = "{}\n{\"session\":\"a\",\"steps\":5}\n";
  EXPECT_EQ(outcome_of(session).error, "faketensor: line 2: 'steps' must be a list, not 5\n");
}

}  // namespace
}  // namespace faketensor
