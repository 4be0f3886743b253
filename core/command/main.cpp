// The native program `faketensor`.
#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/command/command.h"

namespace {

class NativeIo final : public faketensor::CommandIo {
 public:
  std::unique_ptr<faketensor::ByteSource> open(const std::string& path) override {
    return std::make_unique<faketensor::FileSource>(path);
  }
  void write_out(std::string_view text) override {
    std::fwrite(text.data(), 1, text.size(), stdout);
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
};

}  // namespace

int main(int argc, char** argv) {
  NativeIo io;
  const int code = faketensor::run_command({argv + 1, argv + argc}, io);
  return std::fflush(stdout) == 0 ? code : faketensor::kExitUsage;
}
