#include "core/command/graph_svg.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/command/memory_html.h"
#include "core/command/value_text.h"
#include "core/graph/drawn_graph.h"
#include "core/graph/plumbing.h"
#include "core/layout/graph_layout.h"
#include "core/support/format.h"
#include "core/support/hash.h"

namespace faketensor {

namespace {

namespace metrics = layout::metrics;

constexpr size_t kMostBoxes = 5000;
constexpr size_t kLegibleBoxes = 400;
constexpr int32_t kMargin = 16;
constexpr double kLetter = 6.7;  // width of one, in pixels: the font has one width at 11 px
constexpr size_t kBetween = 3;   // letters between a name and its value
constexpr int32_t kBesideText = 16;

constexpr std::string_view kStyle = R"css(
svg{color-scheme:light dark;--ground:#fff;--text:#1d2330;--quiet:#5c6675;--line:#8a94a6;--border:#c4cbd8;--module:#f4f6fa;
--box:#e3ebfb;--input:#dff1e4;--output:#fbeed6;--bad:#fbdcd9}
@media(prefers-color-scheme:dark){svg{--ground:#14171d;--text:#e3e7ee;--quiet:#98a2b3;--line:#77839a;--border:#3a4250;--module:#1b1f27;
--box:#253350;--input:#1f3a2a;--output:#43351b;--bad:#552724}}
.ground{fill:var(--ground)}.open,.closed{fill:var(--module);stroke:var(--border)}.closed{fill:var(--box)}
.op{fill:var(--box);stroke:var(--border)}.input{fill:var(--input);stroke:var(--border)}.output{fill:var(--output);stroke:var(--border)}
.bad{fill:var(--bad);stroke:var(--border)}.edge{fill:none;stroke:var(--line)}.edge:hover{stroke:var(--text);stroke-width:2}
.head{fill:var(--line)}text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:var(--text);dominant-baseline:central}
.quiet{fill:var(--quiet)}
)css";

// What fits into a box of that width.
std::string clipped(std::string_view text, int32_t width) {
  const auto room = static_cast<size_t>(std::max(0.0, (width - kBesideText) / kLetter));
  if (text.size() <= room) return std::string(text);
  size_t end = std::max<size_t>(room, 1) - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "\u2026";
}

uint8_t width_class(size_t letters) {
  const auto pixels = static_cast<int32_t>(static_cast<double>(letters) * kLetter) + kBesideText;
  const int32_t steps =
      (std::max(pixels - metrics::kNarrowest, 0) + metrics::kWidthStep - 1) / metrics::kWidthStep;
  return static_cast<uint8_t>(std::min(steps, metrics::kWidthClasses - 1));
}

class Picture {
 public:
  Picture(const Run& run, std::optional<size_t> depth)
      : run_(run), program_(run.program()), plan_(run.plan()) {
    collect();
    if (depth) {
      drawn_ = laid_out(*depth);
    } else {
      // A deeper one has the boxes of all before it.
      size_t deepest = 0;
      for (const Module& module : program_.modules)
        deepest = std::max<size_t>(deepest, module.depth);
      drawn_ = laid_out(1);
      for (size_t at = 2; at <= deepest + 1; ++at) {
        layout::GraphLayout deeper = laid_out(at);
        if (deeper.boxes.size() > kLegibleBoxes) break;
        drawn_ = std::move(deeper);
      }
    }
    if (drawn_.boxes.size() > kMostBoxes) {
      throw_error(ErrorKind::kUsage,
                  format("a picture of {} boxes is too large: at most {} are drawn, so that a "
                         "smaller --depth is needed",
                         drawn_.boxes.size(), kMostBoxes));
    }
  }

  std::string svg() {
    const int32_t width = drawn_.width + 2 * kMargin;
    const int32_t height = drawn_.height + 2 * kMargin;
    out_ = format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"{} {} {} "
        "{}\" "
        "role=\"img\">\n<title>{}</title>\n<style>{}</style>\n"
        "<rect class=\"ground\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
        width, height, -kMargin, -kMargin, width, height, escape_html(program_.name), kStyle,
        -kMargin, -kMargin, width, height);
    for (const layout::Box& box : drawn_.boxes)
      if (box.open && &box != drawn_.boxes.data()) write_open(box);
    write_edges();
    for (const layout::Box& box : drawn_.boxes) {
      if (box.open) continue;
      if (box.id >= 0) {
        write_row(box, static_cast<Row>(box.id));
      } else {
        write_closed(box);
      }
    }
    return std::move(out_) + "</svg>\n";
  }

 private:
  void collect() {
    for (const Problem& problem : run_.problems()) problems_.emplace(problem.node, &problem);
    const std::vector<Row> shown = shown_rows(program_);
    inputs_ = without_plumbing(input_columns(program_), shown);
    const std::vector<const InputSpec*> inputs = inputs_shown(program_);
    std::unordered_map<uint64_t, uint32_t> keys;
    for (Row row = 0; row < plan_.size(); ++row) {
      const Node& node = plan_.node(row);
      uint8_t flags = 0;
      if (inputs[row] != nullptr && inputs[row]->kind != InputSpec::Kind::kUser) {
        flags = layout::kRowFolded;
        if (inputs[row]->kind == InputSpec::Kind::kParameter) flags |= layout::kRowParameter;
      } else if (shown[row] != row) {
        flags = layout::kRowFolded;
      }
      flags_.push_back(flags);
      module_.push_back(node.module);
      values_.push_back(value_of(row));
      const std::string_view name = name_of(row);
      width_.push_back(width_class(name.size() + kBetween + values_.back().size()));
      // Equal modules are drawn once, with the sizes that stand in them.
      const uint64_t key =
          hash_word(hash_word(static_cast<uint64_t>(plan_.row(row).kind), node.target),
                    hash_text(values_.back()));
      keys_.push_back(keys.try_emplace(key, static_cast<uint32_t>(keys.size())).first->second);
    }
    for (const Module& module : program_.modules) {
      module_parent_.push_back(module.parent);
      module_width_.push_back(width_class(title_of(module).size()));
    }
  }

  layout::GraphLayout laid_out(size_t depth) const {
    std::vector<uint32_t> open;
    for (uint32_t id = 0; id < program_.modules.size(); ++id)
      if (program_.modules[id].depth < depth) open.push_back(id);
    return layout::lay_out_graph({.input_start = inputs_.start,
                                  .inputs = inputs_.inputs,
                                  .module = module_,
                                  .flags = flags_,
                                  .width_class = width_,
                                  .row_key = keys_,
                                  .module_parent = module_parent_,
                                  .module_width_class = module_width_,
                                  .expanded = open});
  }

  std::string_view name_of(Row row) const {
    if (plan_.row(row).kind == RowKind::kPlaceholder) return node_label(plan_.name_of(row));
    return op_label(op_name(plan_, row));
  }

  std::string value_of(Row row) const {
    const NodeRecord& record = run_.record(row);
    if (record.status != NodeStatus::kOk || plan_.row(row).kind == RowKind::kOutput) return {};
    std::span<const TensorRecord> tensors = record.tensors;
    return value_text(record.value, tensors);
  }

  std::string title_of(const Module& module) const {
    return format("{}  {}", module_label(program_.text(module.path)),
                  last_component(program_.text(module.type)));
  }

  void write_box(const layout::Box& box, std::string_view kind) {
    out_ += format(
        "<g><title>{}</title><rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"{}\" rx=\"4\"/>",
        escape_html(tooltip_), kind, box.x, box.y, box.width, box.height);
  }

  void write_text(int32_t x, int32_t y, std::string_view text, std::string_view more) {
    out_ += format("<text x=\"{}\" y=\"{}\"{}>{}</text>", x, y, more, escape_html(text));
  }

  void write_open(const layout::Box& box) {
    const Module& module = module_of(box);
    write_box(box, "open");
    write_text(box.x + kBesideText / 2, box.y + metrics::kTitleHeight / 2,
               clipped(title_of(module), box.width), " class=\"quiet\"");
    out_ += "</g>\n";
  }

  void write_closed(const layout::Box& box) {
    const Module& module = module_of(box);
    write_box(box, "closed");
    const int32_t middle = box.y + box.height / 2;
    const std::string count = box.repeat > 1 ? format("\u00D7{} ", box.repeat) : std::string();
    write_text(box.x + kBesideText / 2, middle - 8,
               clipped(count + std::string(module_label(program_.text(module.path))), box.width),
               "");
    write_text(box.x + kBesideText / 2, middle + 8,
               clipped(last_component(program_.text(module.type)), box.width), " class=\"quiet\"");
    out_ += "</g>\n";
  }

  const Module& module_of(const layout::Box& box) {
    const Module& module = program_.modules[static_cast<size_t>(~box.id)];
    tooltip_ = format("{}: {}", program_.text(module.path), program_.text(module.type));
    return module;
  }

  void write_row(const layout::Box& box, Row row) {
    const NodeRecord& record = run_.record(row);
    const RowKind kind = plan_.row(row).kind;
    const std::string_view target = plan_.target_of(row);
    const std::string& value = values_[row];
    tooltip_ = format("{} = {}\n{}", plan_.name_of(row), target, value);
    if (const auto problem = problems_.find(row); problem != problems_.end())
      tooltip_ += format("{}: {}", problem->second->error_class, problem->second->message);
    const bool is_bad = record.status != NodeStatus::kOk;
    write_box(box, is_bad                          ? "bad"
                   : kind == RowKind::kPlaceholder ? "input"
                   : kind == RowKind::kOutput      ? "output"
                                                   : "op");
    const std::string_view name = name_of(row);
    const int32_t middle = box.y + box.height / 2;
    const auto used =
        static_cast<int32_t>(static_cast<double>(name.size() + kBetween - 1) * kLetter);
    write_text(box.x + kBesideText / 2, middle, clipped(name, box.width), "");
    if (!value.empty() && used < box.width - 4 * kBesideText) {
      write_text(box.x + box.width - kBesideText / 2, middle, clipped(value, box.width - used),
                 " class=\"quiet\" text-anchor=\"end\"");
    }
    out_ += "</g>\n";
  }

  void write_edges() {
    size_t begin = 0;
    for (const layout::Edge& edge : drawn_.edges) {
      std::string path;
      for (size_t at = begin; at < edge.point_end; ++at) {
        const layout::Point& point = drawn_.points[at];
        path += format("{}{} {}", at == begin ? 'M' : 'L', point.x, point.y);
      }
      out_ += format("<path class=\"edge\" d=\"{}\"><title>{}</title></path>", path,
                     escape_html(format("{} {}", plan_.name_of(edge.value), values_[edge.value])));
      // What leads out of an open module goes on from its border without a head.
      const layout::Box& to = drawn_.boxes[edge.to];
      if (edge.point_end > begin && !to.open) {
        const layout::Point& tip = drawn_.points[edge.point_end - 1];
        out_ += format("<path class=\"head\" d=\"M{} {}l-3.5 -6h7z\"/>", tip.x, tip.y);
      }
      out_ += '\n';
      begin = edge.point_end;
    }
  }

  const Run& run_;
  const Program& program_;
  const Plan& plan_;
  InputColumns inputs_;
  std::vector<uint32_t> module_, keys_, module_parent_;
  std::vector<uint8_t> flags_, width_, module_width_;
  std::vector<std::string> values_;
  std::unordered_map<Row, const Problem*> problems_;
  layout::GraphLayout drawn_;
  std::string tooltip_;
  std::string out_;
};

}  // namespace

std::string svg_graph(const Run& run, std::optional<size_t> depth) {
  return Picture(run, depth).svg();
}

std::string html_graph(const Run& run, std::optional<size_t> depth) {
  const std::string name = escape_html(run.program().name);
  constexpr std::string_view kPage =
      "<style>:root{color-scheme:light dark}body{margin:0;background:#fff}"
      "@media(prefers-color-scheme:dark){body{background:#14171d}}"
      "svg{display:block;margin:0 auto}</style></head><body>\n";
  return format(
             "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
             "name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta "
             "http-equiv=\"Content-Security-Policy\" "
             "content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>{}</title>{}",
             name, kPage) +
         svg_graph(run, depth) + "</body></html>\n";
}

}  // namespace faketensor
