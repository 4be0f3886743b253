#include "core/passes/passes.h"
#include "core/support/format.h"

namespace faketensor {

// Passes one after the other, for so many rounds or until none changes anything. Mirrors
// torch/fx/passes/infra/pass_manager.py.
PassResult run_pass_manager(PassSubject& subject, const PassOptions& options) {
  bool overall = false;
  for (int64_t step = 0; step < options.steps; ++step) {
    bool modified = false;
    std::string before;
    for (size_t i = 0; i < options.passes.size(); ++i) {
      const PassRow* row = find_pass(options.passes[i]);
      if (row == nullptr)
        throw_error(ErrorKind::kUsage, format("no pass is called '{}'", options.passes[i]));
      const size_t slash = options.passes[i].find('/');
      const std::string name(row->class_name.empty() && slash != std::string::npos
                                 ? std::string_view(options.passes[i]).substr(slash + 1)
                                 : row->class_name);
      try {
        const PassOptions none;
        const bool has_options = i < options.pass_options.size();
        const PassResult result = row->run(subject, has_options ? options.pass_options[i] : none);
        modified = modified || result.modified;
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::kUsage) throw;
        throw_error(ErrorKind::kException,
                    format("An error occurred when running the '{}' pass after the following "
                           "passes: [{}]",
                           name, before));
      }
      before += format("{}'{}'", before.empty() ? "" : ", ", name);
    }
    overall = overall || modified;
    if (!modified) break;
  }
  return modified_result(overall);
}

}  // namespace faketensor
