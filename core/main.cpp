// The native program `faketensor`: the command with the replay of recorded vectors.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/command/command.h"
#include "core/replay/answer.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace {

using faketensor::ErrorKind;
using faketensor::format;
using faketensor::throw_error;

// Written beside the file, whose name it gets at the end: the file may be the one that is read.
class NativeFile final : public faketensor::ByteSink {
 public:
  explicit NativeFile(const std::string& path) : path_(path), part_(path + ".part") {
    file_ = std::fopen(part_.c_str(), "wb");
    if (file_ == nullptr) fail();
  }
  ~NativeFile() override {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(part_.c_str());
  }
  void write(std::string_view bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
  }
  void finish() override {
    if (std::fflush(file_) != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) fail();
    std::fclose(std::exchange(file_, nullptr));
  }

 private:
  [[noreturn]] void fail() const {
    throw_error(ErrorKind::kUnreadable,
                format("{}: cannot write: {}", path_, std::strerror(errno)));
  }

  std::string path_;
  std::string part_;
  std::FILE* file_ = nullptr;
};

class NativeIo final : public faketensor::CommandIo {
 public:
  std::unique_ptr<faketensor::ByteSource> open(const std::string& path) override {
    if (path == faketensor::kStandardInput) return faketensor::FileSource::standard_input();
    return std::make_unique<faketensor::FileSource>(path);
  }
  std::unique_ptr<faketensor::ByteSink> create_file(const std::string& path) override {
    if (path == faketensor::kStandardInput) return CommandIo::create_file(path);
    return std::make_unique<NativeFile>(path);
  }
  void write_error(std::string_view text) override {
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  bool error_is_terminal() const override { return isatty(STDERR_FILENO) != 0; }
  bool out_is_terminal() const override { return isatty(STDOUT_FILENO) != 0; }
  int terminal_columns() const override {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
               ? size.ws_col
               : CommandIo::terminal_columns();
  }

 private:
  std::string put_out(std::string_view text) override {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return written ? "" : std::strerror(errno);
  }
  std::string put_file(const std::string& path, std::string_view bytes) override {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return std::strerror(errno);
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    const std::string why = written ? "" : std::strerror(errno);
    return std::fclose(file) == 0 || !why.empty() ? why : std::strerror(errno);
  }
  std::string flush_out() override { return std::fflush(stdout) == 0 ? "" : std::strerror(errno); }
};

}  // namespace

int main(int argc, char** argv) {
  NativeIo io;
  return faketensor::run_command({argv + 1, argv + argc}, io, {&faketensor::kAnswer, 1});
}
