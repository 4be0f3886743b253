// `faketensor ops [PATTERN]`: the operators that have a rule.
#include <algorithm>

#include "core/command/options.h"
#include "core/command/subcommands.h"
#include "core/ops/registry.h"
#include "core/support/error.h"

namespace faketensor {

int ops_command(const std::vector<std::string>& args, CommandIo& io) {
  const Options options(args, {});
  if (options.positional().size() > 1)
    throw_error(ErrorKind::kUsage, "ops takes at most one pattern");
  const std::string pattern = options.positional().empty() ? "" : options.positional()[0];
  std::vector<std::string_view> schemas;
  for (const OpEntry& entry : Registry::builtin().entries()) {
    if (entry.schema.text.substr(0, entry.schema.text.find('(')).find(pattern) !=
        std::string_view::npos)
      schemas.push_back(entry.schema.text);
  }
  std::sort(schemas.begin(), schemas.end());
  BufferedOut out(io);
  for (const std::string_view schema : schemas) {
    out.text() += schema;
    out.line_done();
  }
  return schemas.empty() ? kExitErrors : kExitFine;
}

}  // namespace faketensor
