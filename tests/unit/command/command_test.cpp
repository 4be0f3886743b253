#include "core/command/command.h"

#include <map>
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "core/support/error.h"

namespace faketensor {
namespace {

class TestIo final : public CommandIo {
 public:
  std::unique_ptr<ByteSource> open(const std::string& path) override {
    const auto found = files.find(path);
    if (found == files.end())
      throw_error(ErrorKind::kUnreadable, path + ": cannot open: No such file or directory");
    return std::make_unique<MemorySource>(found->second);
  }
  void write_error(std::string_view text) override { error += text; }

  std::map<std::string, std::string> files;
  std::string out;
  std::string error;
  size_t room = SIZE_MAX;  // bytes that standard output takes before the disk is full

 private:
  std::string put_out(std::string_view text) override {
    if (out.size() + text.size() > room) return "No space left on device";
    out += text;
    return {};
  }
};

struct Outcome {
  int code;
  std::string out;
  std::string error;
};

Outcome run(const std::vector<std::string>& args, std::map<std::string, std::string> files = {}) {
  TestIo io;
  io.files = std::move(files);
  const int code = run_command(args, io);
  return {code, io.out, io.error};
}

TEST(Command, CallAnswersWithTheValue) {
  EXPECT_EQ(run({"call", "aten::mm", "f32[2,3]", "f32[3,4]"}).out, "f32[2, 4]\n");
  EXPECT_EQ(run({"call", "aten::mm", "f32[2,3]", "f32[3,4]", "--format", "json"}).out,
            "{\"t\":0,\"size\":[2,4],\"stride\":[4,1],\"offset\":0,\"dtype\":\"float32\","
            "\"device\":\"cpu\",\"storage\":0,\"nbytes\":32}\n");
  EXPECT_EQ(run({"call", "aten::conv2d", "f32[1,3,8,8]", "f32[6,3,3,3]", "padding=[1,1]"}).out,
            "f32[1, 6, 8, 8]\n");
}

TEST(Command, CallPrintsPytorchsErrorAndExitsWithOne) {
  const Outcome outcome = run({"call", "aten::mm", "f32[2,3]", "f32[2,3]"});
  EXPECT_EQ(outcome.code, kExitErrors);
  EXPECT_EQ(outcome.out,
            "RuntimeError: a and b must have same reduction dim, but got [2, 3] X [2, 3].\n");
}

TEST(Command, WrongUseExitsWithTwoAndSaysWhy) {
  EXPECT_EQ(run({}).code, kExitUsage);
  EXPECT_EQ(run({"fly"}).code, kExitUsage);
  EXPECT_EQ(run({"propagate"}).error, "faketensor: propagate takes one file\n");
  EXPECT_EQ(run({"propagate", "x", "--wings"}).error,
            "faketensor: there is no option '--wings'; --help lists them\n");
  EXPECT_EQ(run({"propagate", "x", "--set"}).error, "faketensor: option '--set' needs a value\n");
  EXPECT_EQ(run({"propagate", "x", "--set", "batch"}).code, kExitUsage);
  EXPECT_EQ(run({"propagate", "nowhere.pt2"}).error,
            "faketensor: nowhere.pt2: cannot open: No such file or directory\n");
  EXPECT_EQ(run({"call", "aten::nothing"}).code, kExitUsage);
  EXPECT_EQ(run({"call", "aten::mm", "f32[2,", "f32[3]"}).code, kExitUsage);
}

TEST(Command, OutputThatCannotBeWrittenIsAnErrorAndNothingMoreIsWritten) {
  TestIo io;
  io.room = 100000;
  EXPECT_EQ(run_command({"ops"}, io), kExitUsage);
  EXPECT_EQ(io.error, "faketensor: cannot write the output: No space left on device\n");
  EXPECT_LE(io.out.size(), io.room);
}

TEST(Command, VersionNamesItselfAndThePytorchThatItAnswersAs) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.code, kExitFine);
  EXPECT_EQ(outcome.out.find("faketensor "), 0u) << outcome.out;
  EXPECT_NE(outcome.out.find("PyTorch 2.13.0\n"), std::string::npos) << outcome.out;
}

TEST(Command, EverySubcommandHasHelpWithAnExample) {
  for (const char* name : {"propagate", "info", "ops", "call", "answer"}) {
    const Outcome outcome = run({name, "--help"});
    EXPECT_EQ(outcome.code, kExitFine) << name;
    EXPECT_NE(outcome.out.find("example"), std::string::npos) << name;
  }
}

TEST(Command, AnswerAnswersEachVectorAndSaysWhatItDoesNotKnow) {
  const std::string vectors =
      "{\"header\":{\"kind\":\"ops\"}}\n"
      "{\"id\":\"relu/"
      "0\",\"op\":\"aten::relu.default\",\"args\":[{\"t\":0,\"size\":[2],\"stride\":[1],\"offset\":"
      "0,\"dtype\":\"float32\","
      "\"device\":\"cpu\",\"storage\":0,\"nbytes\":8}],\"kwargs\":{}}\n"
      "{\"id\":\"x/0\",\"op\":\"demo::nothing.default\",\"args\":[],\"kwargs\":{}}\n";
  EXPECT_EQ(run({"answer", "v.jsonl"}, {{"v.jsonl", vectors}}).out,
            "{\"id\":\"relu/"
            "0\",\"out\":{\"t\":1,\"size\":[2],\"stride\":[1],\"offset\":0,\"dtype\":\"float32\","
            "\"device\":\"cpu\",\"storage\":1,"
            "\"nbytes\":8}}\n{\"id\":\"x/0\",\"unsupported\":\"no rule\"}\n");
}

TEST(Command, AFileThatIsNoModelExitsWithTwo) {
  for (const char* content : {"", "PK", "{", "[]", "not json", "{\"graph_module\": 3}"}) {
    EXPECT_EQ(run({"propagate", "f"}, {{"f", content}}).code, kExitUsage) << content;
    EXPECT_EQ(run({"info", "f"}, {{"f", content}}).code, kExitUsage) << content;
  }
}

TEST(Command, AnswerReadsTheDataOfConstants) {
  const std::string tensor =
      R"({"t":0,"size":[],"stride":[],"offset":0,"dtype":"float32","device":"cpu","storage":0,"nbytes":4,"const":)";
  const std::string vectors = R"({"header":{"kind":"ops"}})"
                              "\n"
                              R"({"id":"a","op":"aten::item","args":[)" +
                              tensor +
                              "2.5}]}\n"
                              R"({"id":"b","op":"aten::item","args":[)" +
                              tensor + "[1, 2]}]}\n";
  const std::string out = run({"answer", "v"}, {{"v", vectors}}).out;
  EXPECT_NE(out.find(R"({"id":"a","out":2.5})"), std::string::npos) << out;
  EXPECT_NE(out.find(R"({"id":"b","raises":"DataDependentOutputException")"), std::string::npos)
      << out;
}

TEST(Command, AnswerBoundsTheNestingOfALine) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  const Outcome outcome =
      run({"answer", "v"}, {{"v", "{\"header\":{}}\n{\"id\":\"a\",\"queries\":" + deep + "}\n"}});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_NE(outcome.error.find("line 2: JSON nested more than 256 deep"), std::string::npos)
      << outcome.error;
}

TEST(Command, AFakeKernelThatCallsItselfEnds) {
  const std::string session =
      R"({"session":"s","steps":[{"do":"mode","as":"m","options":{}},)"
      R"({"do":"define","name":"lib::f","schema":"(Tensor x) -> Tensor","fake":{"params":["x"],)"
      R"("steps":[{"do":"call","op":"lib::f.default","args":[{"ref":"x"}],"as":"y"}],"return":{"ref":"y"}}},)"
      R"({"do":"real","as":"r","size":[2]},{"do":"from_tensor","mode":"m","arg":"r","as":"a"},)"
      R"({"do":"enter","mode":"m"},{"do":"call","op":"lib::f.default","args":[{"ref":"a"}]}]})";
  const Outcome outcome = run({"answer", "v"}, {{"v", "{\"header\":{}}\n" + session + "\n"}});
  EXPECT_NE(outcome.out.find("call each other more than 32 deep"), std::string::npos)
      << outcome.out << outcome.error;
}

TEST(Command, AnswerRefusesAStrangeHeader) {
  for (const char* header :
       {R"({"header":{"kind":1}})", R"({"header":3})", R"({"header":{"kind":"graph"}})", "[1]",
        R"({"header":{"kind":"graph","graph":5}})"}) {
    const Outcome outcome = run({"answer", "q.jsonl"}, {{"q.jsonl", header}});
    EXPECT_EQ(outcome.code, kExitUsage) << header;
    EXPECT_TRUE(outcome.error.starts_with("faketensor: ")) << outcome.error;
    EXPECT_EQ(outcome.error.find("json.exception"), std::string::npos) << outcome.error;
  }
}

TEST(Command, AQuestionThatIsNoneIsNamedByItsLine) {
  const std::string text = "{\"header\":{}}\n{\"op\":5,\"id\":\"a\"}\n";
  EXPECT_EQ(run({"answer", "q.jsonl"}, {{"q.jsonl", text}}).error,
            "faketensor: line 2: 'op' must be text, not 5\n");
  const std::string session = "{}\n{\"session\":\"a\",\"steps\":5}\n";
  EXPECT_EQ(run({"answer", "q.jsonl"}, {{"q.jsonl", session}}).error,
            "faketensor: line 2: 'steps' must be a list, not 5\n");
}

TEST(Command, AListThatIsNotClosedIsNoList) {
  const Outcome outcome = run({"call", "aten::sum.dim_IntList", "f32[2,3]", "[12"});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_EQ(outcome.error, "faketensor: cannot read '[12' as a list\n");
}

// Whatever a subcommand lets through ends as a message and an exit code.
TEST(Command, WhatIsNoErrorOfOursIsOneLineToo) {
  class FullIo final : public CommandIo {
   public:
    std::unique_ptr<ByteSource> open(const std::string& path) override {
      if (path == "memory") throw std::bad_alloc();
      throw std::length_error("vector::reserve");
    }
    void write_error(std::string_view text) override { error += text; }
    std::string error;

   private:
    std::string put_out(std::string_view) override { return {}; }
  };
  FullIo io;
  EXPECT_EQ(run_command({"info", "memory"}, io), kExitUsage);
  EXPECT_EQ(run_command({"info", "length"}, io), kExitUsage);
  EXPECT_EQ(io.error, "faketensor: out of memory\nfaketensor: vector::reserve\n");
}

}  // namespace
}  // namespace faketensor
