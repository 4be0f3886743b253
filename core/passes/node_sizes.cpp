#include "core/formats/json_writer.h"
#include "core/passes/passes.h"
#include "core/support/format.h"

namespace faketensor {

// Bytes of what each node gives, run on real inputs. Mirrors get_size_of_all_nodes
// (torch/fx/passes/graph_manipulation.py): what is no tensor has no size.
PassResult size_of_all_nodes(PassSubject& subject, const PassOptions&) {
  const PassOptions options{
      .has_shape_env = true, .has_static_sizes = true, .uses_own_mode = subject.inputs.empty()};
  PassResult result = propagate_fakes(subject, options);
  result = {};
  JsonWriter json(result.info);
  const auto object = json.object();
  const auto sizes = json.object("sizes");
  const Graph& graph = *subject.graph;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kOutput) break;
    const bool has_metadata = node.val.is_tensor() || (node.val.is_list() && node.val.size() > 0);
    if (!has_metadata)
      throw_error(ErrorKind::kRuntimeError,
                  format("Node {} has no tensor metadata associated with it! Check that shape "
                         "propagation has run.",
                         graph.name_of(id)));
    if (!node.val.is_tensor())
      throw_error(ErrorKind::kAttributeError, "'immutable_list' object has no attribute 'shape'");
    const Tensor& tensor = node.val.tensor();
    const SymInt bytes = tensor.numel() * SymInt(static_cast<int64_t>(itemsize(tensor.dtype())));
    const int64_t of_node[] = {bytes.as_int(), bytes.as_int()};
    json.field(graph.name_of(id), std::span<const int64_t>(of_node));
  }
  return result;
}

}  // namespace faketensor
