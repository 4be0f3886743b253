#include <algorithm>

#include "core/passes/export_pass.h"
#include "core/passes/passes.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// What checks is chained by tokens, so that it stays where nothing uses it. Mirrors
// _FunctionalizeSideEffectfulOpsPass (torch/_export/passes/functionalize_side_effectful_ops_pass.py).
class FunctionalChecks final : public ExportPass {
 public:
  using ExportPass::ExportPass;

  static std::string_view functional(std::string_view target) {
    if (target == "torch.ops.aten.sym_constrain_range.default")
      return "torch.ops.aten._functional_sym_constrain_range.default";
    if (target == "torch.ops.aten._assert_async.msg")
      return "torch.ops.aten._functional_assert_async.msg";
    return {};
  }

 private:
  ProxyValue call_operator(std::string_view op, Args args, Keywords kwargs,
                           const NodeMetadata& meta) override {
    const std::string_view replaced = functional(op);
    if (replaced.empty()) return ExportPass::call_operator(op, args, kwargs, meta);
    if (!token_) {
      token_ = ExportPass::call_operator("torch.ops.aten._make_dep_token.default", {}, {}, {});
      name_token();
    }
    std::vector<Keyword> with_token(kwargs.begin(), kwargs.end());
    with_token.push_back({"dep_token", *token_});
    token_ = ExportPass::call_operator(replaced, args, with_token, meta);
    name_token();
    return *token_;
  }

  ProxyValue output(const ProxyValue& results, const NodeMetadata& meta) override {
    std::vector<ProxyValue> all = elements_of(results);
    if (token_) all.push_back(*token_);
    ProxyValue list = make_list(all);
    list.arg = Value::tuple(list.arg.values());
    return ExportPass::output(list, meta);
  }

  void name_token() {
    const std::string name = format("dep_token{}", count_++);
    traced().set_name(node_of(token_->arg), traced().store().strings.intern(name));
  }

  std::optional<ProxyValue> token_;
  size_t count_ = 0;
};

}  // namespace

PassResult functionalize_side_effects(PassSubject& subject, const PassOptions&) {
  const Graph& graph = *subject.graph;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    if (!FunctionalChecks::functional(graph.target_of(id)).empty())
      return FunctionalChecks(subject).run();
  }
  return modified_result(false);
}

}  // namespace faketensor
