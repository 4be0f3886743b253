#include "core/passes/assumptions.h"

#include <algorithm>

#include "core/ops/registry.h"
#include "core/passes/literals.h"
#include "core/support/format.h"

namespace faketensor {

bool Choices::set(const Site& site, const std::string& group, Choice choice) {
  const auto group_of = [&](const Site&) { return group; };
  if (const Choice* known = find(site, group_of); known != nullptr && known->is_asked) return false;
  std::vector<int64_t>& tried = tried_[site];
  if (std::find(tried.begin(), tried.end(), choice.to) != tried.end()) return false;
  tried.push_back(choice.to);
  // The first decision is for all of its line; what contradicts it later is the site's own.
  if (by_group_.emplace(group, choice).second) {
    grouped_.insert(kind_of(site));
    return true;
  }
  by_site_[site] = std::move(choice);
  return true;
}

void Choices::ask(const Site& site, int64_t to) {
  by_site_[site] = {.to = to, .reason = "as asked", .is_asked = true};
}

Value written_at(const Site& site) {
  if (site.argument == Site::kWhole) return {};
  const Value& argument = site.plan->row(site.row).args[static_cast<size_t>(site.argument)];
  return site.element == Site::kWhole ? argument : argument[static_cast<size_t>(site.element)];
}

std::string site_name(const Site& site) {
  const Graph& graph = site.plan->graph();
  std::string node = graph.name == 0 ? std::string() : format("{}/", graph.text(graph.name));
  node += site.plan->name_of(site.row);
  if (site.argument == Site::kWhole) return node;
  if (site.element != Site::kWhole) return format("{}.{}", node, site.element);
  const OpEntry& op = Registry::builtin().entry(site.plan->row(site.row).op);
  return format("{}.{}", node, op.schema.arguments[static_cast<size_t>(site.argument)].name);
}

namespace {

[[noreturn]] void unknown_site(std::string_view name) {
  throw_error(
      ErrorKind::kUsage,
      format("nothing can be assumed of '{}': NODE.NUMBER names a size in a list, NODE.NAME an "
             "argument (view_3.1, arange.end, to_4.dtype)",
             name));
}

// The plan of the graph that a name begins with, "submod_1/to_3.dtype", which is taken off; else the
// program's.
const Plan& plan_named(const Program& program, std::string_view& name) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return program.plan();
  const std::string_view wanted = name.substr(0, slash);
  for (const auto& graph : program.graphs()) {
    if (graph->name == 0 || graph->text(graph->name) != wanted) continue;
    name.remove_prefix(slash + 1);
    return *graph->plan();
  }
  unknown_site(name);
}

bool is_element(std::string_view part) {
  return !part.empty() && part.size() < 4 &&
         part.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Site find_site(const Program& program, std::string_view name) {
  std::string_view rest = name;
  const Plan& plan = plan_named(program, rest);
  const size_t dot = rest.rfind('.');
  const std::string_view node = rest.substr(0, dot);
  Site site{&plan, plan.find(plan.graph().store().strings.find(node, 0))};
  if (site.row == kNoRow) unknown_site(name);
  const PlanRow& row = plan.row(site.row);
  if (dot == std::string_view::npos) {
    if (row.kind != RowKind::kPlaceholder) unknown_site(name);
    site.argument = Site::kWhole;
    return site;
  }
  if (row.kind != RowKind::kCall || row.op == kNoOp) unknown_site(name);
  const OpEntry& op = Registry::builtin().entry(row.op);
  const std::string_view part = rest.substr(dot + 1);
  const LiteralRow* literals = find_literals(op.local_name());
  const bool is_in_list = literals != nullptr && is_element(part);
  site.argument = is_in_list ? literals->argument : op.schema.find_argument(part);
  if (site.argument < 0) unknown_site(name);
  if (is_in_list) {
    site.element = std::stoi(std::string(part));
    const Value& list = row.args[literals->argument];
    if (!list.is_list() || static_cast<size_t>(site.element) >= list.size()) unknown_site(name);
  }
  const Value written = written_at(site);
  if (!written.is(Value::Tag::kInt) && !written.is(Value::Tag::kDType) &&
      !written.is(Value::Tag::kDevice))
    unknown_site(name);
  return site;
}

}  // namespace faketensor
