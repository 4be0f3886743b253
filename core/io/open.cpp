#include "core/io/open.h"

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>

#include "core/formats/json_events.h"
#include "core/formats/text.h"
#include "core/io/exported_program.h"
#include "core/io/open_text.h"
#include "core/io/other_formats.h"
#include "core/io/program_rewriter.h"
#include "core/io/program_text.h"
#include "core/io/pt2.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

bool looks_like_json(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

// Before the source is read whole: what people open by mistake may have many gigabytes.
void refuse_other_formats(const ByteSource& source) {
  std::string head(static_cast<size_t>(std::min<uint64_t>(source.size(), 256)), '\0');
  source.read(0, head);
  if (looks_like_json(head)) return;
  if (const std::optional<std::string> other = other_format(source))
    throw_error(ErrorKind::kUnreadable, *other);
}

FileText from_archive(const ByteSource& source, const ReadLimits& limits, std::string_view model) {
  return {read_pt2_model(ZipArchive(source, limits), model), "pt2", limits};
}

FileText from_text(std::string text, const ReadLimits& limits) {
  if (looks_like_json(text)) return {std::move(text), "json", limits};
  if (looks_like_program_text(text)) return {std::move(text), "text", limits};
  throw_error(ErrorKind::kUnreadable,
              "neither a .pt2 archive nor the JSON of an exported program nor FX text");
}

FileText find_program(const ByteSource& source, const ReadLimits& limits, std::string_view model) {
  if (source.size() == 0) throw_error(ErrorKind::kUnreadable, "the file is empty");
  if (is_zip(source)) return from_archive(source, limits, model);
  if (!is_gzip(source)) {
    refuse_other_formats(source);
    return from_text(read_all(source, limits), limits);
  }
  std::string inflated = inflate_gzip(source, limits);
  const MemorySource inner(inflated);
  refuse_other_formats(inner);
  return is_zip(inner) ? from_archive(inner, limits.holding(inflated.size()), model)
                       : from_text(std::move(inflated), limits);
}

// What `read` makes of the program in a file; errors name the file.
template <typename Read>
auto read_file(const ByteSource& source, std::string_view name, const ReadLimits& limits,
               std::string_view model, const Read& read) {
  try {
    return read(find_program(source, limits.for_file(source.size()), model));
  } catch (const Error& error) {
    throw_error(error.kind(), format("{}: {}", name, error.message()));
  } catch (const std::bad_alloc&) {
    throw_error(ErrorKind::kLimitExceeded, format("{}: not enough memory to read it", name));
  } catch (const std::length_error&) {
    throw_error(ErrorKind::kLimitExceeded, format("{}: not enough memory to read it", name));
  }
}

// Of what is written anew.
std::string json_of(FileText text) {
  if (text.kind == "text")
    throw_error(ErrorKind::kUsage, "a program that is text is not written as JSON");
  return std::move(text.text);
}

}  // namespace

TextProgram open_with_text(const ByteSource& source, std::string_view name,
                           const ReadLimits& limits, std::string_view model) {
  return read_file(source, name, limits, model, [&](FileText text) {
    if (text.kind == "text") return read_program_text(std::move(text.text), name, text.limits);
    TextProgram opened;
    opened.program.name = name;
    opened.program.kind = text.kind;
    read_exported_program(text.text, opened.program, text.limits);
    return opened;
  });
}

Program open_program(const ByteSource& source, std::string_view name, const ReadLimits& limits,
                     std::string_view model) {
  TextProgram opened = open_with_text(source, name, limits, model);
  if (opened.text != nullptr && opened.text->error_count() > 0)
    throw_error(ErrorKind::kUnreadable, opened.text->errors(name));
  return std::move(opened.program);
}

FileText file_text(const ByteSource& source, std::string_view name, const ReadLimits& limits,
                   std::string_view model) {
  return read_file(source, name, limits, model, [](FileText text) { return text; });
}

std::string program_text(const ByteSource& source, std::string_view name, const ReadLimits& limits,
                         std::string_view model) {
  return read_file(source, name, limits, model,
                   [](FileText text) { return json_of(std::move(text)); });
}

std::string rewrite_file(const ByteSource& source, std::string_view name, const ChangedRun& what_if,
                         const ReadLimits& limits, std::string_view model) {
  return read_file(source, name, limits, model, [&](FileText text) {
    const ReadLimits within = text.limits;
    std::string json = json_of(std::move(text));
    return rewrite_program(json, what_if, within);
  });
}

}  // namespace faketensor
