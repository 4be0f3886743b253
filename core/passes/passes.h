// The passes that are rows of the table (pass.h), by file.
#pragma once

#include "core/passes/pass.h"

namespace faketensor {

// annotate_getitem_nodes.cpp
PassResult annotate_getitem_nodes(PassSubject& subject, const PassOptions& options);
// assertions.cpp
PassResult remove_runtime_assertions(PassSubject& subject, const PassOptions& options);
PassResult add_inline_constraint_assertions(PassSubject& subject, const PassOptions& options);
PassResult insert_deferred_asserts(PassSubject& subject, const PassOptions& options);
// constant_fold.cpp
PassResult constant_fold(PassSubject& subject, const PassOptions& options);
// convert_dtype.cpp
PassResult convert_dtype(PassSubject& subject, const PassOptions& options);
// cse.cpp
PassResult eliminate_common_subexpressions(PassSubject& subject, const PassOptions& options);
// dead_code_pass.cpp
PassResult eliminate_dead_code_pass(PassSubject& subject, const PassOptions& options);
// propagate_pass.cpp
PassResult propagate_fakes(PassSubject& subject, const PassOptions& options);
PassResult propagate_shapes(PassSubject& subject, const PassOptions& options);
// functionalize.cpp
PassResult functionalize(PassSubject& subject, const PassOptions& options);
// functionalize_side_effects.cpp
PassResult functionalize_side_effects(PassSubject& subject, const PassOptions& options);
// move_to_device.cpp
PassResult move_to_device(PassSubject& subject, const PassOptions& options);
// node_sizes.cpp
PassResult size_of_all_nodes(PassSubject& subject, const PassOptions& options);
// partitioner.cpp
PassResult partition_by_capability(PassSubject& subject, const PassOptions& options);
// pass_manager.cpp
PassResult run_pass_manager(PassSubject& subject, const PassOptions& options);
// reinplace.cpp
PassResult reinplace(PassSubject& subject, const PassOptions& options);
// remove_auto_functionalized.cpp
PassResult remove_auto_functionalized(PassSubject& subject, const PassOptions& options);
// replace_pattern.cpp
PassResult replace_pattern(PassSubject& subject, const PassOptions& options);
// replace_with_hop.cpp
PassResult replace_set_grad_with_hop(PassSubject& subject, const PassOptions& options);
PassResult replace_autocast_with_hop(PassSubject& subject, const PassOptions& options);
// split_by_tags.cpp
PassResult split_by_tags(PassSubject& subject, const PassOptions& options);
// split_module.cpp
PassResult split_module(PassSubject& subject, const PassOptions& options);
// topological_sort.cpp
PassResult legalize_graph(PassSubject& subject, const PassOptions& options);
// view_copies.cpp
PassResult replace_views_with_copies(PassSubject& subject, const PassOptions& options);

// {"modified":true}
PassResult modified_result(bool modified);

}  // namespace faketensor
