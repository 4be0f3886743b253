#include "core/io/other_formats.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/support/format.h"

namespace faketensor {
namespace {

constexpr std::string_view kExport =
    "Export the model (torch.export.export) and save that: torch.export.save(program, "
    "\"model.pt2\").";
constexpr std::string_view kOnly = "Only programs that torch.export saved are read here.";
constexpr std::string_view kFromWeights =
    "Load it into its model in Python, export that (torch.export.export), and save the exported "
    "program: torch.export.save(program, \"model.pt2\").";

std::string said(std::string_view what, std::string_view instead) {
  return format("{}. {}", what, instead);
}

// Up to `count` bytes from `offset` on; fewer where the source ends.
std::string bytes_at(const ByteSource& source, uint64_t offset, uint64_t count) {
  if (offset >= source.size()) return {};
  std::string bytes(static_cast<size_t>(std::min(count, source.size() - offset)), '\0');
  source.read(offset, bytes);
  return bytes;
}

bool has_at(const ByteSource& source, uint64_t offset, std::string_view magic) {
  return bytes_at(source, offset, magic.size()) == magic;
}

uint64_t little_endian_64(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// A header's length in 8 bytes, and the header: a JSON object.
bool is_safetensors(const ByteSource& source) {
  constexpr uint64_t kLengthBytes = 8;
  if (source.size() < kLengthBytes + 2) return false;
  const uint64_t length = little_endian_64(bytes_at(source, 0, kLengthBytes));
  return length >= 2 && length <= source.size() - kLengthBytes && has_at(source, kLengthBytes, "{");
}

// Reads the fields of a protocol buffer's message, passing over their content.
class ProtobufFields {
 public:
  explicit ProtobufFields(const ByteSource& source) : source_(source) {}

  // The next field's number; 0 at the end, or where this is no protocol buffer.
  uint64_t next() {
    if (at_ >= source_.size()) {
      ended_ = true;
      return 0;
    }
    const std::optional<uint64_t> key = varint();
    if (!key) return 0;
    std::optional<uint64_t> length;
    switch (*key & 7) {
      case 0:
        if (!varint()) return 0;
        length = 0;
        break;
      case 1:
        length = 8;
        break;
      case 2:
        length = varint();
        break;
      case 5:
        length = 4;
        break;
      default:
        break;
    }
    if (!length || *length > source_.size() - at_) return 0;
    at_ += *length;
    return *key >> 3;
  }
  bool ended() const { return ended_; }

 private:
  std::optional<uint64_t> varint() {
    constexpr uint64_t kLongest = 10;
    const std::string bytes = bytes_at(source_, at_, kLongest);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const auto byte = static_cast<unsigned char>(bytes[i]);
      value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if ((byte & 0x80) != 0) continue;
      at_ += i + 1;
      return value;
    }
    return std::nullopt;
  }

  const ByteSource& source_;
  uint64_t at_ = 0;
  bool ended_ = false;
};

// onnx.ModelProto: ir_version first, and a graph (7) among its fields, all of them below 30.
bool is_onnx(const ByteSource& source) {
  constexpr uint64_t kIrVersion = 1;
  constexpr uint64_t kGraph = 7;
  constexpr uint64_t kFirstUnused = 30;
  if (!has_at(source, 0, "\x08")) return false;
  ProtobufFields fields(source);
  if (fields.next() != kIrVersion) return false;
  bool has_graph = false;
  // An opset or a function is a field each.
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t field = fields.next();
    if (field == 0 || field >= kFirstUnused) break;
    has_graph = has_graph || field == kGraph;
  }
  return has_graph && fields.ended();
}

// HDF5's signature stands at byte 0, or behind a block of the user's at 512, 1024, 2048, ...
bool is_hdf5(const ByteSource& source) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  if (has_at(source, 0, kSignature)) return true;
  constexpr uint64_t kLastBlock = uint64_t{1} << 20;
  for (uint64_t at = 512; at < source.size() && at <= kLastBlock; at *= 2) {
    if (has_at(source, at, kSignature)) return true;
  }
  return false;
}

// What a pickle of torch.save holds, by the classes that it names.
std::string describe_pickle(std::string_view pickle) {
  // Names of classes are plain text in a pickle.
  if (pickle.find("torch.export.exported_program") != std::string_view::npos) {
    return said("an ExportedProgram that was pickled (torch.save), and pickles are never read here",
                "Save it with torch.export.save(program, \"model.pt2\").");
  }
  const auto has = [&](std::string_view text) {
    return pickle.find(text) != std::string_view::npos;
  };
  if (has("reduce_graph_module") || (has("_modules") && has("_parameters"))) {
    return said(
        "a module that was pickled (torch.save of a whole model), and pickles are never read here",
        "Load it in Python, export it (torch.export.export), and save the exported program: "
        "torch.export.save(program, \"model.pt2\").");
  }
  return said(
      "a checkpoint of torch.save, which holds tensors but no program, and pickles, which are "
      "never read",
      kFromWeights);
}

// torch.save before PyTorch 1.6: its magic number, pickled, and several pickles behind it.
constexpr std::string_view kLegacyMagic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.",
                                        15);

bool is_pickle(std::string_view head) {
  return head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

}  // namespace

std::optional<std::string> other_format(const ByteSource& source) {
  constexpr uint64_t kHead = 1 << 16;
  const std::string head = bytes_at(source, 0, kHead);
  if (std::string_view(head).starts_with(kLegacyMagic) || is_pickle(head))
    return describe_pickle(head);

  struct Magic {
    uint64_t offset;
    std::string_view bytes;
    std::string_view what;
    std::string_view instead;
  };
  static constexpr Magic kMagics[] = {
      {0, "GGUF", "a GGUF file (llama.cpp), which holds weights and settings but no program",
       "Export the model that the weights are of from PyTorch (torch.export.export), and save "
       "that: torch.export.save(program, \"model.pt2\")."},
      {4, "PTMF",
       "a mobile model (PyTorch Lite, as a flatbuffer), which holds TorchScript bytecode", kExport},
      {4, "ET12", "an ExecuTorch program (.pte), which is compiled for a device",
       "Open the exported program that it was made of, saved with torch.export.save."},
      {4, "TFL3", "a TensorFlow Lite model", kOnly},
      {4, "ORTM", "an ONNX Runtime model (.ort)",
       "Export the PyTorch model itself (torch.export.export), and save that: "
       "torch.export.save(program, \"model.pt2\")."},
      {0,
       "\x7f"
       "ELF",
       "a compiled library, such as AOTInductor makes",
       "Open the exported program that it was compiled from, saved with torch.export.save."},
      {0, "\x93NUMPY", "a NumPy array (.npy), which holds numbers but no program", kExport},
      {257, "ustar", "a tar archive", "Unpack it, and open the .pt2 file that is in it."},
  };
  for (const Magic& magic : kMagics) {
    if (has_at(source, magic.offset, magic.bytes)) return said(magic.what, magic.instead);
  }
  if (is_hdf5(source)) {
    return said("an HDF5 file (.h5, as Keras writes it), which holds arrays but no PyTorch program",
                kFromWeights);
  }
  if (is_safetensors(source)) {
    return said("a safetensors file, which holds weights but no program", kFromWeights);
  }
  if (is_onnx(source)) {
    return said("an ONNX model, whose operators are not PyTorch's",
                "Export the PyTorch model itself (torch.export.export), and save that: "
                "torch.export.save(program, \"model.pt2\").");
  }
  return std::nullopt;
}

namespace {

// The paths of an archive's entries, with or without a root folder.
class Paths {
 public:
  explicit Paths(const ZipArchive& archive) : archive_(archive) {}

  const ZipEntry* file(std::string_view path) const {
    return find([&](std::string_view inner) { return inner == path; });
  }
  bool has_folder(std::string_view folder) const {
    return find([&](std::string_view inner) { return inner.starts_with(folder); }) != nullptr;
  }
  bool all_end_with(std::string_view end) const {
    const std::span<const ZipEntry> entries = archive_.entries();
    return !entries.empty() && std::all_of(entries.begin(), entries.end(), [&](const ZipEntry& e) {
      return e.name.ends_with(end);
    });
  }

 private:
  template <typename Matches>
  const ZipEntry* find(Matches matches) const {
    for (const ZipEntry& entry : archive_.entries()) {
      const size_t slash = entry.name.find('/');
      if (matches(entry.name) ||
          (slash != std::string_view::npos && matches(entry.name.substr(slash + 1))))
        return &entry;
    }
    return nullptr;
  }
  const ZipArchive& archive_;
};

}  // namespace

std::optional<std::string> other_archive(const ZipArchive& archive) {
  const Paths paths(archive);
  if (paths.file("bytecode.pkl") != nullptr) {
    return said("a mobile model (PyTorch Lite, .ptl), which holds TorchScript bytecode", kExport);
  }
  if (paths.file("constants.pkl") != nullptr ||
      (paths.has_folder("code/") && paths.file("model.json") != nullptr)) {
    return said("a TorchScript archive (torch.jit.save)", kExport);
  }
  if (paths.has_folder("data/aotinductor/")) {
    return said("an AOTInductor package, which holds compiled code but no graph",
                "Open the exported program that it was compiled from, saved with "
                "torch.export.save.");
  }
  if (paths.file(".data/extern_modules") != nullptr) {
    return said("a torch.package archive, which holds Python code and pickles",
                "Import the model with torch.package in Python, export it (torch.export.export), "
                "and save the exported program: torch.export.save(program, \"model.pt2\").");
  }
  if (const ZipEntry* pickle = paths.file("data.pkl")) {
    constexpr uint64_t kLargestPickle = uint64_t{1} << 22;
    return describe_pickle(pickle->size <= kLargestPickle ? archive.read(*pickle) : std::string());
  }
  if (paths.file("model.weights.h5") != nullptr) {
    return said("a Keras model (.keras)", kOnly);
  }
  if (paths.all_end_with(".npy")) {
    return said("an archive of NumPy arrays (.npz), which are numbers but no program",
                kFromWeights);
  }
  return std::nullopt;
}

}  // namespace faketensor
