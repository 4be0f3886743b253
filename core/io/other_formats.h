// Files that are no exported program, named by their content.
//
// People drop the file that they have: a checkpoint, TorchScript, an ONNX model. Each is recognised
// by its content, never by its name, and the answer is one sentence on what it is and one on what
// to do instead. Nothing is unpickled: a pickle is only searched for the names of classes.
#pragma once

#include <optional>
#include <string>

#include "core/formats/byte_source.h"
#include "core/formats/zip.h"

namespace faketensor {

// For bytes that are neither a ZIP archive nor JSON; nothing where they are of no kind known here.
std::optional<std::string> other_format(const ByteSource& source);

// For a ZIP archive without a model; nothing where it is of no kind known here.
std::optional<std::string> other_archive(const ZipArchive& archive);

}  // namespace faketensor
