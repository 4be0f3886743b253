// The command `faketensor`, as a function: the same code is the native program and `npx faketensor`
// (wasm), so that both print the same bytes. What differs, files and terminals, is behind
// CommandIo.
//
// Exit codes: 0 fine, 1 the program has errors, 2 wrong use or an unreadable file.
//
//   return run_command({argv + 1, argv + argc}, io);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/command/options.h"
#include "core/formats/byte_sink.h"
#include "core/formats/byte_source.h"

namespace faketensor {

inline constexpr int kExitFine = 0;
inline constexpr int kExitErrors = 1;
inline constexpr int kExitUsage = 2;

// A path's folder with its slash, "" where it names none.
inline std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

// What a command reads and writes.
class CommandIo {
 public:
  virtual ~CommandIo() = default;
  // The file, or standard input where the path is "-". Raises Unreadable where there is no such
  // file.
  virtual std::unique_ptr<ByteSource> open(const std::string& path) = 0;
  // Writes to standard output. After a write that failed nothing more is written; run_command says
  // why and exits with kExitUsage.
  void write_out(std::string_view text) {
    if (write_failure_.empty()) write_failure_ = put_out(text);
  }
  virtual void write_error(std::string_view text) = 0;
  // Writes a whole file, or to standard output where the path is "-". Raises Unreadable with the
  // system's words where that fails.
  void write_file(const std::string& path, std::string_view bytes);
  // A file, or standard output, that is written piece by piece, and is there when it is finished;
  // until then a file of that name stays as it is. Where there is no such thing the pieces are
  // collected.
  virtual std::unique_ptr<ByteSink> create_file(const std::string& path);
  // Hands what the system has taken to the disk or pipe, and says why some of it could not be
  // written ("No space left on device"); "" where all was.
  const std::string& finish_out() {
    if (write_failure_.empty()) write_failure_ = flush_out();
    return write_failure_;
  }
  // Whether standard error is a terminal (progress bars go there), and standard output (colours).
  virtual bool error_is_terminal() const { return false; }
  virtual bool out_is_terminal() const { return false; }
  virtual int terminal_columns() const { return 100; }

 private:
  // Both return the system's words where not everything could be written, else "".
  virtual std::string put_out(std::string_view text) = 0;
  virtual std::string flush_out() { return {}; }
  // The same.
  virtual std::string put_file(const std::string&, std::string_view) {
    return "there are no files here";
  }

  std::string write_failure_;
};

// The path by which every command takes standard input, and writes a file to standard output.
inline constexpr std::string_view kStandardInput = "-";

// One subcommand. It is given what follows its name and returns the exit code; Errors that it lets
// through are printed by run_command, which then exits with kExitUsage.
struct Subcommand {
  std::string_view name;
  int (*run)(const Options& options, CommandIo& io);
  std::string_view summary;
  // Its help is `about`, a line per option, and `more`.
  std::string_view about;
  std::span<const OptionRow> options;
  std::string_view more;
};

// `more`: subcommands of layers above this one (core/replay), beside those of help.cpp.
int run_command(const std::vector<std::string>& args, CommandIo& io,
                std::span<const Subcommand> more = {});

// Output collected into larger writes; flushed when it goes.
class BufferedOut {
 public:
  explicit BufferedOut(CommandIo& io) : io_(io) {}
  ~BufferedOut() { flush(); }
  BufferedOut(const BufferedOut&) = delete;
  BufferedOut& operator=(const BufferedOut&) = delete;

  // The text under construction; call `line_done` after each line.
  std::string& text() { return text_; }
  void line_done() {
    text_ += '\n';
    if (text_.size() > kFlushSize) flush();
  }
  void flush() {
    if (!text_.empty()) io_.write_out(text_);
    text_.clear();
  }

 private:
  static constexpr size_t kFlushSize = size_t{1} << 16;
  CommandIo& io_;
  std::string text_;
};

}  // namespace faketensor
