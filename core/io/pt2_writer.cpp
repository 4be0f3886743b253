#include "core/io/pt2_writer.h"

#include "core/formats/zip_writer.h"
#include "core/io/open.h"
#include "core/io/pt2.h"
#include "core/support/format.h"

namespace faketensor {

// The bytes of weights are copied, so what is said of them must stay.
void check_weight(std::string_view name, const TensorMeta* was, const TensorMeta& is) {
  if (was == nullptr) {
    throw_error(ErrorKind::kUsage,
                format("{} is no weight of the file: --to json writes the program without its "
                       "weights",
                       name));
  }
  if (was->dtype() == is.dtype() && was->device() == is.device() &&
      same_exprs(was->sizes(), is.sizes()) && same_exprs(was->strides(), is.strides()))
    return;
  throw_error(ErrorKind::kUsage,
              format("{} is {} on {} in the file, whose bytes are copied as they are, and would be "
                     "{} on {}: --to json writes the program without its weights",
                     name, was->dtype(), was->device(), is.dtype(), is.device()));
}

void check_weights(const Run& run) {
  const std::vector<InputSpec>& inputs = run.program().inputs;
  for (Row row = 0; row < inputs.size(); ++row) {
    const NodeRecord& record = run.record(row);
    const TensorMeta* was = run.node(row).recorded;
    if (inputs[row].kind == InputSpec::Kind::kUser || was == nullptr || record.tensors.empty())
      continue;
    check_weight(run.plan().name_of(row), was, *record.tensors[0].meta);
  }
}

namespace {

// What torch.export.save writes for a program without weights; without sample inputs too, which are
// a pickle, so that ExportedProgram.example_inputs is None.
void write_new_archive(std::string_view program, const ReadLimits& limits, ByteSink& sink) {
  const Program opened = open_program(MemorySource(program), "the program", limits);
  for (Row row = 0; row < opened.inputs.size(); ++row) {
    using Kind = InputSpec::Kind;
    const Kind kind = opened.inputs[row].kind;
    if (kind == Kind::kUser || kind == Kind::kToken) continue;
    throw_error(ErrorKind::kUsage,
                format("{} is a weight, and only a .pt2 has the bytes of weights: --to json writes "
                       "the program without them",
                       opened.plan().name_of(row)));
  }
  ZipWriter zip(sink);
  zip.store("model/models/model.json", program);
  for (const std::string_view kind : {"weights", "constants"})
    zip.store(format("model/data/{}/model_{}_config.json", kind, kind), R"({"config": {}})");
  zip.store("model/data/sample_inputs/model.pt", "");
  zip.store("model/archive_format", "pt2");
  zip.store("model/archive_version", "0");
  zip.store("model/.data/version", "6");
  zip.store("model/byteorder", "little");
  zip.finish();
}

// `rewrite` makes the JSON that is written of the one in the archive.
template <typename Rewrite>
void copy_archive(const ByteSource& source, const ReadLimits& limits, ByteSink& sink,
                  const Rewrite& rewrite) {
  const ReadLimits within = limits.for_file(source.size());
  const ZipArchive archive(source, within);
  const ZipEntry* model = pt2_models(archive).front().entry;
  const std::string written = rewrite(archive, *model, within);
  ZipWriter zip(sink);
  for (const ZipEntry& entry : archive.entries()) {
    if (&entry == model) {
      zip.store(entry.name, written);
    } else {
      zip.copy(archive, entry);
    }
  }
  zip.finish();
}

}  // namespace

void write_pt2(const ByteSource& source, const ChangedRun& what_if, const ReadLimits& limits,
               ByteSink& sink) {
  if (!is_zip(source))
    return write_new_archive(rewrite_file(source, "the program", what_if, limits), limits, sink);
  if (what_if.run != nullptr) check_weights(*what_if.run);
  copy_archive(source, limits, sink,
               [&](const ZipArchive& archive, const ZipEntry& model, const ReadLimits& within) {
                 std::string text = archive.read(model);
                 return rewrite_program(text, what_if, within);
               });
}

void write_pt2(const ByteSource& source, std::string_view program, const ReadLimits& limits,
               ByteSink& sink) {
  if (!is_zip(source)) return write_new_archive(program, limits, sink);
  copy_archive(source, limits, sink, [&](const ZipArchive&, const ZipEntry&, const ReadLimits&) {
    return std::string(program);
  });
}

}  // namespace faketensor
