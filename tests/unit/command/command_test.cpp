#include "core/command/command.h"

#include <fstream>
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "../test_files.h"
#include "tests/unit/command/test_io.h"

namespace faketensor {
namespace {

TEST(Command, CallAnswersWithTheValue) {
  EXPECT_EQ(run({"call", "aten::mm", "f32[2,3]", "f32[3,4]"}).out, "f32[2, 4]\n");
  EXPECT_EQ(run({"call", "aten::mm", "f32[2,3]", "f32[3,4]", "--format", "json"}).out,
            "{\"t\":0,\"size\":[2,4],\"stride\":[4,1],\"offset\":0,\"dtype\":\"float32\","
            "\"device\":\"cpu\",\"storage\":0,\"nbytes\":32}\n");
  EXPECT_EQ(run({"call", "aten::conv2d", "f32[1,3,8,8]", "f32[6,3,3,3]", "padding=[1,1]"}).out,
            "f32[1, 6, 8, 8]\n");
}

TEST(Command, CallPrintsPytorchsErrorAndExitsWithOne) {
  const CommandRun outcome = run({"call", "aten::mm", "f32[2,3]", "f32[2,3]"});
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
  const CommandRun outcome = run({"--version"});
  EXPECT_EQ(outcome.code, kExitFine);
  EXPECT_EQ(outcome.out.find("faketensor "), 0u) << outcome.out;
  EXPECT_NE(outcome.out.find("PyTorch 2.13.0\n"), std::string::npos) << outcome.out;
}

TEST(Command, EverySubcommandHasHelpWithAnExample) {
  for (const char* name : {"propagate", "info", "ops", "call"}) {
    const CommandRun outcome = run({name, "--help"});
    EXPECT_EQ(outcome.code, kExitFine) << name;
    EXPECT_NE(outcome.out.find("example"), std::string::npos) << name;
  }
}

TEST(Command, AFileThatIsNoModelExitsWithTwo) {
  for (const char* content : {"", "PK", "{", "[]", "not json", "{\"graph_module\": 3}"}) {
    EXPECT_EQ(run({"propagate", "f"}, {{"f", content}}).code, kExitUsage) << content;
    EXPECT_EQ(run({"info", "f"}, {{"f", content}}).code, kExitUsage) << content;
  }
}

TEST(Command, AListThatIsNotClosedIsNoList) {
  const CommandRun outcome = run({"call", "aten::sum.dim_IntList", "f32[2,3]", "[12"});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_EQ(outcome.error, "faketensor: cannot read '[12' as a list\n");
}

// A small program with symbolic sizes.
std::map<std::string, std::string> small_program() {
  std::ifstream file(test_file("golden/files/pairs.json"));
  return {{"m.json", std::string(std::istreambuf_iterator<char>(file), {})}};
}

TEST(Command, MemoryWritesTheFilesThatItIsAskedFor) {
  const CommandRun outcome =
      run({"memory", "m.json", "--snapshot", "m.pickle", "--csv", "m.csv"}, small_program());
  EXPECT_EQ(outcome.code, kExitFine) << outcome.error;
  EXPECT_TRUE(outcome.written.at("m.pickle").starts_with("\x80\x02"));
  EXPECT_TRUE(outcome.written.at("m.csv").starts_with("row,node,target,module,live,peak,"));
  EXPECT_NE(outcome.out.find("held all the time"), std::string::npos);
}

TEST(Command, AFileThatCannotBeWrittenIsAnError) {
  const CommandRun outcome = run({"memory", "m.json", "--csv", "folder/"}, small_program());
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_EQ(outcome.error, "faketensor: folder/: cannot write: Is a directory\n");
}

TEST(Command, AllocatorSettingsAreRefusedInPytorchsWordsBeforeTheFileIsRead) {
  const CommandRun outcome = run({"memory", "nowhere.pt2", "--allocator", "a:b"});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_EQ(outcome.error,
            "faketensor: --allocator a:b: Unrecognized key 'a' in Accelerator allocator config.\n");
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
