// faketensor-command.wasm: the command with the replay of recorded vectors, for `npx faketensor` and
// the conformance tests. Pages and programs never load it.
#include <emscripten/bind.h>
#include <nlohmann/json.hpp>

#include "core/command/command.h"
#include "core/formats/json_fields.h"
#include "core/io/options_json.h"
#include "core/replay/answer.h"
#include "core/support/format.h"
#include "wasm/js_source.h"

namespace faketensor::wasm {

namespace {

using emscripten::val;

// A JavaScript host's files and streams: CommandHost of web/package/src/command.ts.
class JsIo final : public CommandIo {
 public:
  explicit JsIo(const val& host) : host_(host) {}

  std::unique_ptr<ByteSource> open(const std::string& path) override {
    const val opened = host_.call<val>("open", path);
    if (opened.isString())
      throw_error(ErrorKind::kUnreadable, format("{}: {}", path, opened.as<std::string>()));
    return std::make_unique<JsSource>(opened);
  }
  void write_error(std::string_view text) override { write(2, text); }
  bool out_is_terminal() const override { return host_["outIsTerminal"].as<bool>(); }
  bool error_is_terminal() const override { return host_["errorIsTerminal"].as<bool>(); }
  int terminal_columns() const override {
    const int columns = host_["columns"].as<int>();
    return columns > 0 ? columns : CommandIo::terminal_columns();
  }

 private:
  std::string put_out(std::string_view text) override { return write(1, text); }
  std::string put_file(const std::string& path, std::string_view bytes) override {
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    return host_.call<std::string>("writeFile", path,
                                   val(emscripten::typed_memory_view(bytes.size(), data)));
  }
  std::string write(int stream, std::string_view text) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    return host_.call<std::string>("write", stream,
                                   val(emscripten::typed_memory_view(text.size(), bytes)));
  }

  val host_;
};

// The exit code. `argv` is a JSON list without the program's name.
int run_command(const std::string& argv, const val& host) {
  JsIo io(host);
  return faketensor::run_command(read_texts(parse_json(argv, "arguments"), "arguments"), io,
                                 {&kAnswer, 1});
}

}  // namespace

}  // namespace faketensor::wasm

EMSCRIPTEN_BINDINGS(faketensor_command) {
  emscripten::function("runCommand", &faketensor::wasm::run_command);
}
