// ZipWriter: a ZIP file written from its first byte to its last, entries stored as they are or copied
// from another archive without being unpacked.
//
// Nothing of an entry is held but a piece of it, so that archives of many gigabytes are written in
// constant memory. The data of each entry begin at a multiple of 64 bytes, as PyTorch wants its
// tensors (PyTorchStreamWriter, caffe2/serialize/inline_container.cc). Sizes and offsets of 4 GiB
// and more are ZIP64's.
//
//   ZipWriter zip(sink);
//   for (const ZipEntry& entry : archive.entries()) zip.copy(archive, entry);
//   zip.store("model/models/model.json", json);
//   zip.finish();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/formats/byte_sink.h"
#include "core/formats/zip.h"

namespace faketensor {

class ZipWriter {
 public:
  // `sink` must outlive the writer.
  explicit ZipWriter(ByteSink& sink) : sink_(sink) {}

  void store(std::string_view name, std::string_view bytes);
  // Under its name, compressed as it was. Raises Unreadable where the archive is damaged.
  void copy(const ZipArchive& from, const ZipEntry& entry);
  // The directory. Nothing may be added after it.
  void finish();

 private:
  void begin(const ZipEntry& entry);
  void put(std::string_view bytes);

  ByteSink& sink_;
  uint64_t offset_ = 0;
  uint64_t count_ = 0;
  std::string directory_;
};

}  // namespace faketensor
