#include "core/io/pt2.h"

#include <algorithm>

#include "core/io/other_formats.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

constexpr std::string_view kFormat = "pt2";
constexpr std::string_view kVersion = "0";
constexpr std::string_view kOldModel = "serialized_exported_program.json";

// The path without the root folder.
std::string_view inside_root(std::string_view path) {
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// "model" for "root/models/model.json" and for the program of an old archive; empty for other
// paths.
std::string_view model_name(std::string_view path) {
  constexpr std::string_view kFolder = "models/";
  constexpr std::string_view kExtension = ".json";
  std::string_view inner = path.starts_with(kFolder) ? path : inside_root(path);
  if (path == kOldModel || inner == kOldModel) return "model";
  if (!inner.starts_with(kFolder) || !inner.ends_with(kExtension)) return {};
  inner.remove_prefix(kFolder.size());
  inner.remove_suffix(std::min(inner.size(), kExtension.size()));
  return inner.find('/') == std::string_view::npos ? inner : std::string_view();
}

const ZipEntry* find_inside_root(const ZipArchive& archive, std::string_view name) {
  for (const ZipEntry& entry : archive.entries()) {
    if (entry.name == name || inside_root(entry.name) == name) return &entry;
  }
  return nullptr;
}

// A small file of one word, checked where it is there.
void check_word(const ZipArchive& archive, std::string_view name, std::string_view expected) {
  constexpr uint64_t kLongest = 64;
  const ZipEntry* entry = find_inside_root(archive, name);
  if (entry == nullptr) return;
  std::string word = entry->size > kLongest ? std::string("(a long text)") : archive.read(*entry);
  while (!word.empty() && (word.back() == '\n' || word.back() == '\r')) word.pop_back();
  if (word != expected) {
    throw_error(ErrorKind::kUnreadable, format("zip: entry '{}' says \"{}\", expected \"{}\"",
                                               entry->name, word, expected));
  }
}

[[noreturn, gnu::cold]] void throw_no_model(const ZipArchive& archive) {
  if (const std::optional<std::string> other = other_archive(archive))
    throw_error(ErrorKind::kUnreadable, *other);
  throw_error(ErrorKind::kUnreadable,
              format("zip: no exported program among {} entries: no entry models/*.json",
                     archive.entries().size()));
}

}  // namespace

std::vector<Pt2Model> pt2_models(const ZipArchive& archive) {
  check_word(archive, "archive_format", kFormat);
  check_word(archive, "archive_version", kVersion);
  std::vector<Pt2Model> models;
  for (const ZipEntry& entry : archive.entries()) {
    const std::string_view name = model_name(entry.name);
    if (!name.empty()) models.push_back({std::string(name), &entry});
  }
  if (models.empty()) throw_no_model(archive);
  std::stable_partition(models.begin(), models.end(),
                        [](const Pt2Model& model) { return model.name == "model"; });
  return models;
}

std::string read_pt2_model(const ZipArchive& archive, std::string_view model) {
  const std::vector<Pt2Model> models = pt2_models(archive);
  if (model.empty()) return archive.read(*models.front().entry);
  std::string names;
  for (const Pt2Model& candidate : models) {
    if (candidate.name == model) return archive.read(*candidate.entry);
    names += format("{}'{}'", names.empty() ? "" : ", ", candidate.name);
  }
  throw_error(ErrorKind::kUsage, format("no model '{}' in the archive; it has {}", model, names));
}

}  // namespace faketensor
