#include "core/ops/variables.h"

namespace faketensor {

Variables::~Variables() {
  for (const ModeEntry* mode = context_.modes().below_autograd(); mode != nullptr;
       mode = mode->below) {
    if (auto* watcher = dynamic_cast<VariableWatcher*>(&mode->mode))
      watcher->end_variables(kept_.span());
  }
}

bool is_watched(const Call& call) {
  return call.context().modes().below_autograd() != nullptr && !call.context().in_kernel();
}

}  // namespace faketensor
