// `faketensor profile record|merge|lint|show`: op profiles of custom operators.
#include <algorithm>

#include "core/command/profile_files.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/formats/text.h"
#include "core/profiles/extended.h"
#include "core/profiles/program_profiles.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

std::string read_file(const std::string& path, CommandIo& io) {
  const std::unique_ptr<ByteSource> source = io.open(path);
  return read_text(*source, ReadLimits{});
}

// PyTorch's own bytes, or the superset that PyTorch reads as well.
std::string written(const OpProfiles& profiles, const Options& options) {
  return options.has("--plain") ? generate_yaml_from_profiles(profiles)
                                : generate_extended_yaml(profiles);
}

int record(const Options& options, const std::vector<std::string>& files, CommandIo& io) {
  if (files.size() != 1) throw_error(ErrorKind::kUsage, "profile record takes one program");
  const Program program = open_model(files[0], options, io);
  const OpProfiles profiles = record_profiles(program, {.with_sizes = options.has("--sizes")});
  io.write_out(written(profiles, options));
  return kExitFine;
}

int merge(const Options& options, const std::vector<std::string>& files, CommandIo& io) {
  if (files.size() < 2) throw_error(ErrorKind::kUsage, "profile merge takes two files or more");
  MergedProfiles merged;
  std::vector<std::string> conflicts;
  for (const std::string& path : files) {
    merged = merge_profiles(merged.profiles, open_profiles(path, io));
    for (const std::string& conflict : merged.conflicts) {
      if (std::find(conflicts.begin(), conflicts.end(), conflict) == conflicts.end())
        conflicts.push_back(conflict);
    }
  }
  io.write_out(written(merged.profiles, options));
  for (const std::string& conflict : conflicts)
    io.write_error(format("faketensor: conflict: {}\n", conflict));
  return conflicts.empty() ? kExitFine : kExitErrors;
}

int lint(const std::vector<std::string>& files, CommandIo& io) {
  if (files.empty()) throw_error(ErrorKind::kUsage, "profile lint takes files");
  BufferedOut out(io);
  bool is_fine = true;
  for (const std::string& path : files) {
    const std::vector<LintFinding> findings = lint_profiles(read_file(path, io));
    for (const LintFinding& finding : findings) {
      out.text() += format("{}:{}:{}: {}", path, finding.line, finding.column, finding.message);
      out.line_done();
    }
    is_fine = is_fine && findings.empty();
  }
  if (is_fine) {
    out.text() += "nothing to say against";
    for (const std::string& path : files) out.text().append(" ").append(path);
    out.line_done();
  }
  return is_fine ? kExitFine : kExitErrors;
}

int show(const std::vector<std::string>& files, CommandIo& io) {
  if (files.empty()) throw_error(ErrorKind::kUsage, "profile show takes files");
  BufferedOut out(io);
  for (const std::string& path : files) {
    for (const OperatorProfiles& of_op : open_profiles(path, io)) {
      out.text() += python::scalar_repr(of_op.op);
      out.line_done();
      for (const OpProfile& profile : of_op.profiles) {
        out.text() += "  " + describe(profile);
        out.line_done();
      }
    }
  }
  return kExitFine;
}

int profile_command(const Options& options, CommandIo& io) {
  std::vector<std::string> files = options.positional();
  const std::string what = files.empty() ? "" : files[0];
  if (!files.empty()) files.erase(files.begin());
  if (what == "record") return record(options, files, io);
  if (what == "merge") return merge(options, files, io);
  if (what == "lint") return lint(files, io);
  if (what == "show") return show(files, io);
  throw_error(ErrorKind::kUsage, "profile takes record, merge, lint or show");
}

constexpr std::string_view kProfileAbout = R"(usage: faketensor profile record PROGRAM [OPTION]...
       faketensor profile merge FILE FILE... [OPTION]...
       faketensor profile lint|show FILE...

Op profiles say what a custom operator gives for which arguments, in PyTorch's YAML (torch._library.fake_profile).
record collects those of the operators that have no rule from what the program itself records; merge joins files
and reports profiles that contradict each other; lint is strict where PyTorch is lenient.

)";

constexpr OptionRow kProfileOptions[] = {
    {"--sizes", "",
     "record: sizes and strides as expressions of the arguments' sizes, in keys that PyTorch "
     "passes over"},
    {"--plain", "", "record, merge: PyTorch's form alone"},
    {"--memory-limit", "N", "record: as for propagate"},
};

constexpr std::string_view kProfileMore = R"(
examples:
  faketensor profile record model.pt2 > model.yaml
  faketensor propagate model.pt2 --profiles model.yaml

exit code: 0 fine, 1 findings or conflicts, 2 wrong use or unreadable file
)";

}  // namespace

OpProfiles open_profiles(const std::string& path, CommandIo& io) {
  const std::string text = read_file(path, io);
  return lint_profiles(text).empty() ? read_extended_profiles(text) : load_op_profiles(text);
}

const Subcommand kProfileCommand = {"profile",     &profile_command, "profiles of custom operators",
                                    kProfileAbout, kProfileOptions,  kProfileMore};

}  // namespace faketensor
