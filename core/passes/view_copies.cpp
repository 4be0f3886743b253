#include "core/passes/export_pass.h"
#include "core/passes/passes.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

// Mirrors ReplaceViewOpsWithViewCopyOpsPass
// (torch/_export/passes/replace_view_ops_with_view_copy_ops_pass.py).
class ViewCopies final : public ExportPass {
 public:
  using ExportPass::ExportPass;

 private:
  ProxyValue call_operator(std::string_view op, Args args, Keywords kwargs,
                           const NodeMetadata& meta) override {
    return ExportPass::call_operator(copying(op), args, kwargs, meta);
  }

  static std::string copying(std::string_view target) {
    if (target == "torch.ops.aten._unsafe_view.default") return "torch.ops.aten.view_copy.default";
    const OpId op = Registry::builtin().find(target);
    if (op == kNoOp) return std::string(target);
    const Schema& schema = Registry::builtin().entry(op).schema;
    const bool is_view = !schema.arguments.empty() && !schema.arguments[0].alias.empty() &&
                         !schema.arguments[0].is_written() && schema.name.starts_with("aten::");
    if (!is_view) return std::string(target);
    const std::string_view overload = schema.overload.empty() ? "default" : schema.overload;
    std::string copy = format("torch.ops.aten.{}_copy.{}",
                              schema.name.substr(schema.name.find("::") + 2), overload);
    if (Registry::builtin().find(copy) == kNoOp)
      throw_error(ErrorKind::kInternalError,
                  format("{} is missing a view_copy variant", schema.name));
    return copy;
  }
};

}  // namespace

PassResult replace_views_with_copies(PassSubject& subject, const PassOptions&) {
  return ViewCopies(subject).run();
}

}  // namespace faketensor
