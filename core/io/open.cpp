#include "core/io/open.h"

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>

#include "core/formats/json_events.h"
#include "core/formats/text.h"
#include "core/io/exported_program.h"
#include "core/io/other_formats.h"
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

Program from_archive(const ByteSource& source, const ReadLimits& limits, std::string_view model) {
  std::string text = read_pt2_model(ZipArchive(source, limits), model);
  Program program;
  program.kind = "pt2";
  read_exported_program(text, program, limits);
  return program;
}

Program from_text(std::string text, const ReadLimits& limits) {
  if (!looks_like_json(text)) {
    throw_error(ErrorKind::kUnreadable,
                "neither a .pt2 archive nor the JSON of an exported program");
  }
  Program program;
  program.kind = "json";
  read_exported_program(text, program, limits);
  return program;
}

Program open_unnamed(const ByteSource& source, const ReadLimits& limits, std::string_view model) {
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

}  // namespace

Program open_program(const ByteSource& source, std::string_view name, const ReadLimits& limits,
                     std::string_view model) {
  try {
    Program program = open_unnamed(source, limits.for_file(source.size()), model);
    program.name = name;
    return program;
  } catch (const Error& error) {
    throw_error(error.kind(), format("{}: {}", name, error.message()));
  } catch (const std::bad_alloc&) {
    throw_error(ErrorKind::kLimitExceeded, format("{}: not enough memory to read it", name));
  } catch (const std::length_error&) {
    throw_error(ErrorKind::kLimitExceeded, format("{}: not enough memory to read it", name));
  }
}

}  // namespace faketensor
