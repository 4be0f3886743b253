// Files of other formats are named by their content, with what to do instead.
#include "core/io/other_formats.h"

#include <gtest/gtest.h>

#include "core/io/open.h"
#include "tests/unit/formats/expect_error.h"
#include "tests/unit/formats/zip_builder.h"

namespace faketensor {
namespace {

std::string message_of(const std::string& bytes) {
  try {
    open_program(MemorySource(bytes), "file");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnreadable);
    return error.message();
  }
  return "opened";
}

// One sentence says what the file is, one what to do instead.
void expect_named(const std::string& bytes, std::string_view what) {
  const std::string message = message_of(bytes);
  EXPECT_TRUE(message.starts_with("file: a")) << message;
  EXPECT_NE(message.find(what), std::string::npos) << message;
  EXPECT_TRUE(message.find("torch.export") != std::string::npos ||
              message.find(".pt2") != std::string::npos)
      << message;
  EXPECT_EQ(message_of(gzipped(bytes)), message);
}

std::string with_magic(size_t offset, std::string_view magic) {
  return std::string(offset, '\x01') + std::string(magic) + std::string(300, '\0');
}

// A field of a protocol buffer: its key and its bytes with their length.
std::string field(int number, std::string_view bytes) {
  std::string out;
  out += static_cast<char>(number << 3 | 2);
  out += static_cast<char>(bytes.size());
  return out.append(bytes);
}

TEST(OtherFormats, FilesOfOtherToolsAreNamed) {
  expect_named(with_magic(0, "GGUF\x03"), "a GGUF file");
  expect_named(with_magic(0, "\x89HDF\r\n\x1a\n"), "an HDF5 file");
  expect_named(with_magic(1024, "\x89HDF\r\n\x1a\n"), "an HDF5 file");
  expect_named(with_magic(4, "PTMF"), "a mobile model");
  expect_named(with_magic(4, "ET12"), "an ExecuTorch program");
  expect_named(with_magic(4, "TFL3"), "a TensorFlow Lite model");
  expect_named(with_magic(4, "ORTM"), "an ONNX Runtime model");
  expect_named(with_magic(0,
                          "\x7f"
                          "ELF"),
               "a compiled library");
  expect_named(with_magic(0, "\x93NUMPY"), "a NumPy array");
  expect_named(with_magic(257, "ustar"), "a tar archive");
}

TEST(OtherFormats, Safetensors) {
  const std::string header = R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})";
  std::string bytes;
  put64(bytes, header.size());
  expect_named(bytes + header + std::string(12, '\0'), "a safetensors file");
  // A length beyond the file is none.
  std::string other;
  put64(other, 10'000);
  EXPECT_EQ(other_format(MemorySource(other + header)), std::nullopt);
}

TEST(OtherFormats, Onnx) {
  const std::string model =
      std::string("\x08\x08", 2) + field(2, "pytorch") + field(7, "graph") + field(8, "opset");
  expect_named(model, "an ONNX model");
  // No graph; a field number that no model has; a field that reaches past the end.
  EXPECT_EQ(other_format(MemorySource(std::string("\x08\x08", 2) + field(2, "x"))), std::nullopt);
  const std::string far = model + std::string("\xf2\x07\x00", 3);
  EXPECT_EQ(other_format(MemorySource(far)), std::nullopt);
  const std::string cut = model.substr(0, model.size() - 1);
  EXPECT_EQ(other_format(MemorySource(cut)), std::nullopt);
}

TEST(OtherFormats, Pickles) {
  const std::string magic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  expect_named(magic + "\x80\x02M\xe9\x03.", "a checkpoint of torch.save");
  expect_named(std::string("\x80\x04\x95") + "}.", "a checkpoint of torch.save");
  expect_named(std::string("\x80\x04") + "_parameters _modules", "a module that was pickled");
}

TEST(OtherFormats, ArchivesOfTorchAreNamed) {
  const auto archive = [](std::initializer_list<std::pair<const char*, const char*>> entries) {
    ZipBuilder builder;
    for (const auto& [name, content] : entries) builder.stored(name, content);
    return builder.build();
  };
  expect_named(archive({{"m/data.pkl", ""}, {"m/constants.pkl", ""}, {"m/code/x.py", ""}}),
               "a TorchScript archive");
  expect_named(archive({{"m/model.json", ""}, {"m/code/x.py", ""}}), "a TorchScript archive");
  expect_named(archive({{"m/data.pkl", ""}, {"m/constants.pkl", ""}, {"m/bytecode.pkl", ""}}),
               "a mobile model");
  expect_named(archive({{"m/data.pkl", "ccollections\nOrderedDict\n"}, {"m/data/0", ""}}),
               "a checkpoint of torch.save");
  expect_named(archive({{"m/data.pkl", "ctorch.export.exported_program\nExportedProgram\n"}}),
               "an ExportedProgram that was pickled");
  expect_named(archive({{"m/data.pkl", "ctorch.fx.graph_module\nreduce_graph_module\n"}}),
               "a module that was pickled");
  expect_named(archive({{"m/.data/extern_modules", ""}, {"m/a/a.pkl", ""}}), "a torch.package");
  expect_named(archive({{"m/archive_format", "pt2"}, {"m/data/aotinductor/model/a.so", "\x7f"}}),
               "an AOTInductor package");
  expect_named(archive({{"metadata.json", "{}"}, {"model.weights.h5", ""}}), "a Keras model");
  expect_named(archive({{"arr_0.npy", ""}, {"arr_1.npy", ""}}), "NumPy arrays");
}

// Magic numbers inside a JSON text are text.
TEST(OtherFormats, JsonIsJson) {
  for (const std::string& text :
       {std::string("{\"  ET12\": 3}"), "[" + std::string(256, ' ') + "\"ustar\"]"}) {
    EXPECT_EQ(message_of(text).find("archive"), std::string::npos) << message_of(text);
    EXPECT_EQ(message_of(text).find("ExecuTorch"), std::string::npos) << message_of(text);
  }
  EXPECT_EQ(message_of("nothing that is known"),
            "file: neither a .pt2 archive nor the JSON of an exported program nor FX text");
}

}  // namespace
}  // namespace faketensor
