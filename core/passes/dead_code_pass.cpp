#include "core/graph/dead_code.h"
#include "core/passes/passes.h"
#include "core/passes/reachable_graphs.h"

namespace faketensor {

PassResult eliminate_dead_code_pass(PassSubject& subject, const PassOptions&) {
  bool changed = false;
  for (Graph* graph : reachable_graphs(subject)) {
    const size_t before = graph->size();
    eliminate_dead_code(*graph);
    changed = changed || graph->size() != before;
  }
  return {.modified = changed, .info = changed ? "{\"changed\":true}" : "{\"changed\":false}"};
}

}  // namespace faketensor
