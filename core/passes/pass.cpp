#include "core/passes/pass.h"

#include <algorithm>

#include "core/passes/decompose/run_decompositions.h"
#include "core/passes/fuse_conv_bn.h"
#include "core/passes/lift_constants.h"
#include "core/passes/passes.h"
#include "core/passes/unflatten.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

PassResult run_export_pass(PassSubject& subject, const PassOptions& options) {
  return apply_operator_rules(subject, options.rules);
}

constexpr PassRow kPasses[] = {
    {"add_runtime_assertions_for_inline_constraints", "",
     "_AddRuntimeAssertionsForInlineConstraintsPass",
     "checks that sizes known at run time only are in their ranges",
     &add_inline_constraint_assertions},
    {"annotate_getitem_nodes", "", "annotate_getitem_nodes",
     "types of elements, from the types of what they are taken of", &annotate_getitem_nodes},
    {"constant_fold", "[/module]", "constant_fold",
     "what depends on attributes only becomes an attribute", &constant_fold},
    {"convert_dtype", "/DTYPE", "", "parameters, inputs and casts of another dtype",
     &convert_dtype},
    {"cse", "", "CSEPass", "what is computed twice is computed once",
     &eliminate_common_subexpressions},
    {"dce", "", "eliminate_dead_code", "removes what nobody needs", &eliminate_dead_code_pass},
    {"export_pass", "[/OP=OP+...]", "",
     "runs the graph and writes it anew, operators changed by rules", &run_export_pass},
    {"fake_tensor_prop", "[/export_inputs]", "FakeTensorProp", "the values of nodes, computed anew",
     &propagate_fakes},
    {"functionalize", "[/copy_back]", "functionalize",
     "nothing writes; writes to inputs become results, or come at the end", &functionalize},
    {"functionalize_side_effectful_ops", "", "_FunctionalizeSideEffectfulOpsPass",
     "checks are chained by tokens, so that none is dead code", &functionalize_side_effects},
    {"fuse_conv_bn", "", "fuse", "convolutions take up the batch norms behind them", &fuse_conv_bn},
    {"get_size_of_all_nodes", "", "get_size_of_all_nodes", "bytes of what each node gives",
     &size_of_all_nodes},
    {"insert_deferred_runtime_asserts", "", "insert_deferred_runtime_asserts",
     "checks of what was taken for granted about sizes known at run time only",
     &insert_deferred_asserts},
    {"legalize_graph", "", "legalize_graph", "brings nodes into an order in which they can run",
     &legalize_graph},
    {"lift_constants", "", "lift_constants_pass", "tensors that are attributes become inputs",
     &lift_constants},
    {"move_to_device", "/DEVICE", "move_to_device_pass",
     "values and device arguments on another device", &move_to_device},
    {"partitioner", "/OP+OP+...", "CapabilityBasedPartitioner",
     "the largest parts that a backend can take become submodules", &partition_by_capability},
    {"pass_manager", "/PASS+PASS+...", "PassManager",
     "passes one after the other, until nothing changes", &run_pass_manager},
    {"reinplace", "", "reinplace",
     "operators become in-place ones where nobody needs what they overwrite", &reinplace},
    {"remove_auto_functionalized", "", "unsafe_remove_auto_functionalized_pass",
     "operators that write are called as they are, instead of on copies",
     &remove_auto_functionalized},
    {"remove_runtime_assertions", "", "_RemoveRuntimeAssertionsPass", "removes checks",
     &remove_runtime_assertions},
    {"replace_autocast_with_hop", "", "replace_autocast_with_hop_pass",
     "what runs under autocast becomes a body", &replace_autocast_with_hop},
    {"replace_pattern", "", "replace_pattern",
     "a small graph is replaced by another wherever it stands", &replace_pattern},
    {"replace_set_grad_with_hop", "[/no_grad]", "replace_set_grad_with_hop_pass",
     "what runs in another grad mode becomes a body", &replace_set_grad_with_hop},
    {"replace_view_ops_with_view_copy_ops", "", "ReplaceViewOpsWithViewCopyOpsPass",
     "views become copies", &replace_views_with_copies},
    {"run_decompositions", "[/TABLE]", "run_decompositions",
     "operators become those of core ATen, or of a table, and nothing is written to",
     &run_decompositions},
    {"shape_prop", "", "ShapeProp", "sizes of nodes, for the real inputs", &propagate_shapes},
    {"split_by_tags", "[/N]", "split_by_tags", "groups of nodes become submodules, in order",
     &split_by_tags},
    {"split_module", "[/N]", "split_module",
     "groups of nodes become submodules, as they need each other", &split_module},
    {"unflatten", "", "unflatten", "the modules that the program was exported from",
     &unflatten_pass},
    {"unlift", "", "_unlift",
     "the module that the program was exported from: inputs that it has as attributes",
     &unlift_pass},
};

}  // namespace

std::span<const PassRow> passes() { return kPasses; }

const PassRow* find_pass(std::string_view name) {
  std::string_view base = name.substr(0, name.find('/'));
  if (base == "dead_code_elimination" || base == "eliminate_dead_code") base = "dce";
  const auto* found = std::lower_bound(
      std::begin(kPasses), std::end(kPasses), base,
      [](const PassRow& row, std::string_view wanted) { return row.name < wanted; });
  return found != std::end(kPasses) && found->name == base ? found : nullptr;
}

namespace {

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find('+'), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return parts;
}

void read_replacements(OperatorRules& rules, std::string_view argument) {
  for (const std::string& part : parts_of(argument)) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw_error(ErrorKind::kUsage, format("'{}' is not OP=OP", part));
    rules.replace[part.substr(0, equals)] = part.substr(equals + 1);
  }
}

int64_t read_group_size(std::string_view argument) {
  const bool is_number = !argument.empty() && argument.size() < 9 &&
                         argument.find_first_not_of("0123456789") == std::string_view::npos;
  const int64_t size = is_number ? std::stoll(std::string(argument)) : 0;
  if (size < 1) throw_error(ErrorKind::kUsage, format("'{}' is no number of nodes", argument));
  return size;
}

}  // namespace

PassOptions read_pass_argument(std::string_view name) {
  PassOptions options;
  // What a file tells are the program's own values, not real inputs.
  options.uses_own_mode = true;
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return options;
  const std::string_view pass = name.substr(0, slash);
  const std::string_view argument = name.substr(slash + 1);
  if (pass == "split_by_tags" || pass == "split_module") {
    options.group_size = read_group_size(argument);
  } else if (pass == "move_to_device") {
    options.device = parse_device(argument);
    if (!options.device) throw_error(ErrorKind::kUsage, format("'{}' is no device", argument));
  } else if (pass == "convert_dtype") {
    options.dtype = parse_dtype(argument);
    if (!options.dtype) throw_error(ErrorKind::kUsage, format("'{}' is no dtype", argument));
  } else if (name == "functionalize/copy_back") {
    options.copies_back = true;
  } else if (pass == "partitioner") {
    options.operators = parts_of(argument);
  } else if (pass == "export_pass") {
    read_replacements(options.rules, argument);
  } else if (pass == "run_decompositions") {
    options.operators = parts_of(argument);
  } else if (pass == "pass_manager") {
    options.passes = parts_of(argument);
  } else if (name == "replace_set_grad_with_hop/no_grad") {
    options.grad_enabled = false;
  } else if (pass == "constant_fold" && argument == "module") {
    options.on_module = true;
  } else if (name != "fake_tensor_prop/export_inputs") {
    throw_error(ErrorKind::kUsage, format("the pass '{}' takes no '{}'", pass, argument));
  }
  return options;
}

PassResult modified_result(bool modified) {
  return {.modified = modified, .info = modified ? "{\"modified\":true}" : "{\"modified\":false}"};
}

}  // namespace faketensor
