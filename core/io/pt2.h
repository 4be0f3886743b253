// The .pt2 archive that torch.export.save writes: a ZIP file whose entries stand under one root
// folder.
//
//   <root>/archive_format                "pt2"
//   <root>/archive_version               "0"
//   <root>/models/<model>.json           an exported program each; usually there is one, model.json
//   <root>/data/weights/..., data/constants/..., data/sample_inputs/...
//                                        never read: bytes of tensors, and pickles
//
// Before PyTorch 2.7 the program stood in serialized_exported_program.json, which is read too.
// Mirrors torch/export/pt2_archive/_package.py (load_pt2).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/zip.h"

namespace faketensor {

struct Pt2Model {
  std::string name;  // "model"
  const ZipEntry* entry;
};

// The models of an archive, "model" first, the others in the archive's order. Throws kUnreadable
// for an archive of another kind (saying which: a checkpoint, TorchScript), another version, or
// without a model.
std::vector<Pt2Model> pt2_models(const ZipArchive& archive);

// The JSON of one model: the first of `pt2_models`, or the one of that name. An unknown name is an
// error that lists those there are.
std::string read_pt2_model(const ZipArchive& archive, std::string_view model = {});

}  // namespace faketensor
