#include "core/io/pt2_writer.h"

#include "core/formats/zip_writer.h"
#include "core/io/pt2.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// The bytes of weights are copied, so what is said of them must stay.
void check_weights(const Run& run) {
  const std::vector<InputSpec>& inputs = run.program().inputs;
  for (Row row = 0; row < inputs.size(); ++row) {
    const NodeRecord& record = run.record(row);
    const TensorMeta* was = run.node(row).recorded;
    if (inputs[row].kind == InputSpec::Kind::kUser || was == nullptr || record.tensors.empty())
      continue;
    const TensorMeta& is = *record.tensors[0].meta;
    if (was->dtype() == is.dtype() && was->device() == is.device() &&
        same_exprs(was->sizes(), is.sizes()) && same_exprs(was->strides(), is.strides()))
      continue;
    throw_error(
        ErrorKind::kUsage,
        format("{} is {} on {} in the file, whose bytes are copied as they are, and would be "
               "{} on {}: --to json writes the program without its weights",
               run.plan().name_of(row), was->dtype(), was->device(), is.dtype(), is.device()));
  }
}

}  // namespace

void write_pt2(const ByteSource& source, const ChangedRun& what_if, const ReadLimits& limits,
               ByteSink& sink) {
  if (!is_zip(source))
    throw_error(ErrorKind::kUsage, "--to pt2 takes a .pt2: other files have no weights");
  if (what_if.run != nullptr) check_weights(*what_if.run);
  const ReadLimits within = limits.for_file(source.size());
  const ZipArchive archive(source, within);
  const ZipEntry* model = pt2_models(archive).front().entry;
  std::string text = archive.read(*model);
  const std::string written = rewrite_program(text, what_if, within);
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

}  // namespace faketensor
