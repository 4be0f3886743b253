// run: the command on files in memory, and what it printed.
//
//   EXPECT_EQ(run({"call", "aten::mm", "f32[2,3]", "f32[3,4]"}).out, "f32[2, 4]\n");
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/command/command.h"
#include "core/support/error.h"

namespace faketensor {

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
  std::map<std::string, std::string> written;
  std::string out;
  std::string error;
  size_t room = SIZE_MAX;  // bytes that standard output takes before the disk is full

 private:
  std::string put_out(std::string_view text) override {
    if (out.size() + text.size() > room) return "No space left on device";
    out += text;
    return {};
  }
  std::string put_file(const std::string& path, std::string_view bytes) override {
    if (path.ends_with('/')) return "Is a directory";
    written[path] = bytes;
    return {};
  }
};

struct CommandRun {
  int code;
  std::string out;
  std::string error;
  std::map<std::string, std::string> written;  // files, by path
};

inline CommandRun run(const std::vector<std::string>& args,
                      std::map<std::string, std::string> files = {},
                      std::span<const Subcommand> more = {}) {
  TestIo io;
  io.files = std::move(files);
  const int code = run_command(args, io, more);
  return {code, io.out, io.error, io.written};
}

}  // namespace faketensor
