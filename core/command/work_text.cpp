#include "core/command/work_text.h"

#include <cstdio>
#include <map>

#include "core/command/text_table.h"
#include "core/command/value_text.h"
#include "core/formats/json_writer.h"
#include "core/io/device_json.h"
#include "core/io/value_json.h"
#include "core/support/format.h"

namespace faketensor {

std::string intensity_text(const WorkSum& sum) {
  const int64_t bytes = hinted(sum.read) + hinted(sum.written);
  if (bytes == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f",
                static_cast<double>(hinted(sum.flops)) / static_cast<double>(bytes));
  return text;
}

namespace {

// Elements of the parameters of each module and of those below it: "layers.0.weight" is a parameter
// of "layers.0", or of the nearest module above it that the program calls.
std::vector<SymInt> parameters_of(const Run& run) {
  const Program& program = run.program();
  std::map<std::string_view, ModuleId> by_path;
  for (ModuleId id = 1; id < program.modules.size(); ++id)
    by_path.emplace(program.text(program.modules[id].path), id);
  std::vector<SymInt> of(program.modules.size(), SymInt(0));
  for (Row row = 0; row < program.inputs.size(); ++row) {
    if (program.inputs[row].kind != InputSpec::Kind::kParameter) continue;
    if (run.record(row).tensors.empty()) continue;
    const SymInt elements = run.record(row).tensors[0].meta->numel();
    std::string_view path = program.text(program.inputs[row].target);
    ModuleId id = 0;
    while (id == 0 && path.rfind('.') != std::string_view::npos) {
      path = path.substr(0, path.rfind('.'));
      const auto found = by_path.find(path);
      if (found != by_path.end()) id = found->second;
    }
    of[0] += elements;
    for (; id != 0; id = program.modules[id].parent) of[id] += elements;
  }
  return of;
}

std::string count_text(SymInt count) {
  if (same_expr(count, 0)) return "-";
  return to_string(count);
}

std::string flops_or_none(SymInt flops) { return same_expr(flops, 0) ? "-" : flops_text(flops); }

std::vector<std::string> work_cells(const WorkSum& sum) {
  return {flops_or_none(sum.flops), bytes_text(sum.read), bytes_text(sum.written),
          intensity_text(sum)};
}

void append(std::vector<std::string>& cells, std::vector<std::string> more) {
  for (std::string& cell : more) cells.push_back(std::move(cell));
}

}  // namespace

void print_work(const ProgramWork& work, std::span<const SymInt> counted, size_t depth,
                BufferedOut& out) {
  const Run& run = work.run();
  const Program& program = run.program();
  const std::vector<WorkSum> modules = work.modules();
  const std::array<WorkSum, kWorkKinds> kinds = work.kinds();
  const std::vector<SymInt> parameters = parameters_of(run);
  const BranchScope env = run.shape_env();
  TextTable table(
      {"module", ">parameters", ">PyTorch counts", ">FLOPs", ">read", ">written", ">FLOP/B"});
  for (ModuleId id = 0; id < modules.size(); ++id) {
    const Module& module = program.modules[id];
    if (id != 0 && module.depth >= depth) continue;
    const std::string label =
        id == 0 ? "all" : std::string(2 * module.depth, ' ').append(program.text(module.path));
    std::vector<std::string> cells = {label, count_text(parameters[id]),
                                      flops_or_none(counted[id])};
    append(cells, work_cells(modules[id]));
    table.add(std::move(cells));
  }
  table.print(out);
  TextTable by_kind({"kind", ">FLOPs", ">read", ">written", ">FLOP/B"});
  for (size_t i = 0; i < kWorkKinds; ++i) {
    if (same_expr(kinds[i].read, 0) && same_expr(kinds[i].written, 0)) continue;
    std::vector<std::string> cells = {std::string(name(static_cast<WorkKind>(i)))};
    append(cells, work_cells(kinds[i]));
    by_kind.add(std::move(cells));
  }
  if (!by_kind.is_empty()) by_kind.print(out);
}

void print_work_lines(const ProgramWork& work, SymInt counted, BufferedOut& out) {
  const std::vector<RowWork> rows = work.rows();
  const std::vector<WorkSum> modules = work.modules();
  const BranchScope env = work.run().shape_env();
  for (const RowWork& row : rows) {
    JsonWriter json(out.text());
    {
      const auto object = json.object();
      json.field("name", work.run().plan().name_of(row.row));
      write_work_sum(json, row);
    }
    out.line_done();
  }
  JsonWriter json(out.text());
  {
    const auto object = json.object();
    write_json(json.key("total"), modules[0].flops);
    write_json(json.key("counted"), counted);
    write_json(json.key("read"), modules[0].read);
    write_json(json.key("written"), modules[0].written);
  }
  out.line_done();
}

}  // namespace faketensor
