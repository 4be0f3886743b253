// JsSource: a file whose slices a JavaScript callback reads.
#pragma once

#include <emscripten/val.h>

#include "core/formats/byte_source.h"

namespace faketensor::wasm {

class JsSource final : public ByteSource {
 public:
  // `source` is EngineSource of web/package/src/engine.ts: {size, read(offset, length)}.
  explicit JsSource(const emscripten::val& source)
      : source_(source), size_(static_cast<uint64_t>(source["size"].as<double>())) {}
  uint64_t size() const override { return size_; }

 private:
  void read_at(uint64_t offset, std::span<char> into) const override {
    const auto bytes = source_.call<emscripten::val>("read", static_cast<double>(offset),
                                                     static_cast<double>(into.size()));
    copy_bytes(bytes, into);
  }
  static void copy_bytes(const emscripten::val& bytes, std::span<char> into);

  emscripten::val source_;
  uint64_t size_;
};

// Copies a Uint8Array of exactly that length; raises Unreadable for null or another length (a file
// that shrank meanwhile).
inline void JsSource::copy_bytes(const emscripten::val& bytes, std::span<char> into) {
  if (bytes.isNull() || bytes["length"].as<size_t>() != into.size())
    throw_error(ErrorKind::kUnreadable, "the file could not be read");
  emscripten::val(emscripten::typed_memory_view(into.size(), into.data())).call<void>("set", bytes);
}

}  // namespace faketensor::wasm
