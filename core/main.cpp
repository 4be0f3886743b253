// The native program `faketensor`: the command with the replay of recorded vectors.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/command/command.h"
#include "core/replay/answer.h"

namespace {

class NativeIo final : public faketensor::CommandIo {
 public:
  std::unique_ptr<faketensor::ByteSource> open(const std::string& path) override {
    if (path == faketensor::kStandardInput) return faketensor::FileSource::standard_input();
    return std::make_unique<faketensor::FileSource>(path);
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
