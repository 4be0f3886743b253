// FX text against itself and PyTorch's own: every program of tests/conformance/data/models, or of the
// folder that FAKETENSOR_MODELS names.
#include "core/graph/graph_text.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "../test_files.h"
#include "core/formats/text.h"
#include "core/graph/readable.h"
#include "core/graph/text/read_program_text.h"
#include "core/io/open.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

// Whether `b` was read of what is written of `a`; "cuda:0" does not show whether it is a string.
bool are_equal(const Value& a, const Value& b) {
  if (a.is(Value::Tag::kString) && b.is(Value::Tag::kDevice))
    return a.text() == format("{}", b.device());
  if (a.is_list() && b.is_list()) {
    bool equal = a.size() == b.size();
    for (size_t i = 0; equal && i < a.size(); ++i) equal = are_equal(a[i], b[i]);
    return equal;
  }
  std::string texts[2];
  append_text(texts[0], a);
  append_text(texts[1], b);
  const bool are_references = a.is(Value::Tag::kNodeRef) && b.is(Value::Tag::kNodeRef);
  return a.tag() == b.tag() && (are_references ? a.node() == b.node() : texts[0] == texts[1]);
}

std::string difference(const Graph& graph, const Node& node, const Graph& read, const Node& other) {
  if (node.kind != other.kind) return "kind";
  if (graph.text(node.name) != read.text(other.name)) return "name";
  if (graph.text(node.target) != read.text(other.target)) return "target";
  if (node.args.size() != other.args.size() || node.keywords.size() != other.keywords.size())
    return "number of arguments";
  for (size_t i = 0; i < node.args.size(); ++i)
    if (!are_equal(node.args[i], other.args[i])) return format("argument {}", i);
  for (size_t i = 0; i < node.keywords.size(); ++i)
    if (graph.text(node.keywords[i]) != read.text(other.keywords[i])) return "keyword";
  return {};
}

TEST(GraphText, WhatIsWrittenOfARealProgramIsReadToTheSameGraph) {
  const std::vector<std::string> paths = recorded_models();
  ASSERT_GT(paths.size(), 60u);
  for (const std::string& path : paths) {
    const Program program = open_program(FileSource(path), path);
    for (const auto& graph : program.graphs()) {
      const std::string text = graph_text(*graph);
      const Program read = read_graph_text(text);
      EXPECT_EQ(graph_text(read.graph()), text) << path;
      const std::vector<NodeId> ours = graph->order();
      const std::vector<NodeId> theirs = read.graph().order();
      ASSERT_EQ(ours.size(), theirs.size()) << path;
      for (size_t i = 0; i + 1 < ours.size(); ++i) {
        const std::string found =
            difference(*graph, graph->node(ours[i]), read.graph(), read.graph().node(theirs[i]));
        EXPECT_TRUE(found.empty()) << path << ": " << graph->name_of(ours[i]) << ": " << found;
      }
    }
  }
}

TEST(GraphText, AProgramsTextIsReadToTheSameProgram) {
  for (const std::string& path : recorded_models()) {
    const Program program = open_program(FileSource(path), path);
    const ProgramText printed = readable_program(program);
    const TextProgram read = read_program_text(std::string(printed.text()), path, {});
    EXPECT_EQ(read.text->errors(path), "");
    ASSERT_EQ(read.program.graphs().size(), program.graphs().size()) << path;
    const Graph& ours = program.graph();
    const Graph& theirs = read.program.graph();
    EXPECT_EQ(graph_text(theirs), graph_text(ours)) << path;
    EXPECT_EQ(std::string(readable_program(read.program).text()), std::string(printed.text()))
        << path;
    for (Row row = 0; row < program.inputs.size(); ++row) {
      EXPECT_EQ(read.program.inputs[row].kind, program.inputs[row].kind) << path;
      EXPECT_EQ(read.program.text(read.program.inputs[row].target),
                program.text(program.inputs[row].target));
      const TensorMeta* meta = program.node(row).recorded;
      if (meta != nullptr && meta->layout() == Layout::kStrided) {
        EXPECT_EQ(format("{}{}", meta->sizes(), meta->strides()),
                  format("{}{}", read.program.node(row).recorded->sizes(),
                         read.program.node(row).recorded->strides()))
            << path;
      }
    }
    for (size_t i = 0; i < program.outputs.size(); ++i)
      EXPECT_EQ(read.program.outputs[i].kind, program.outputs[i].kind) << path;
    for (NodeId id = ours.first(); id != kNoNode; id = ours.next(id)) {
      const TextSpan span = printed.span_of(id);
      if (ours.node(id).kind != NodeKind::kOutput) {
        EXPECT_EQ(printed.text(span), ours.name_of(id)) << path;
      }
    }
  }
}

// A file keeps neither the order of keywords nor what was a tuple.
std::string without_order(const std::string& text) {
  std::string result;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t open = line.find("kwargs = {");
    std::vector<std::string> keywords;
    if (open != std::string::npos) {
      std::string rest = line.substr(open + 10);
      line.resize(open);
      for (size_t comma = rest.find(", "); comma != std::string::npos; comma = rest.find(", ")) {
        keywords.push_back(rest.substr(0, comma));
        rest.erase(0, comma + 2);
      }
      keywords.push_back(rest.substr(0, rest.find('}')));
      std::sort(keywords.begin(), keywords.end());
    }
    for (const std::string& keyword : keywords) line += keyword + " ";
    std::replace(line.begin(), line.end(), '[', '(');
    std::replace(line.begin(), line.end(), ']', ')');
    for (size_t at = line.find(",)"); at != std::string::npos; at = line.find(",)"))
      line.erase(at, 1);
    result += line + "\n";
  }
  return result;
}

TEST(GraphText, ProgramsPrintAsPyTorchPrintsThem) {
  size_t compared = 0;
  for (const std::string& path : recorded_models()) {
    if (!path.ends_with(".json.gz")) continue;
    const std::string text = path.substr(0, path.size() - 8) + ".graph.txt.gz";
    if (!std::filesystem::exists(text)) continue;
    const Program program = open_program(FileSource(path), path);
    const std::string recorded = read_text(FileSource(text), ReadLimits{});
    EXPECT_EQ(without_order(graph_text(program.graph())), without_order(recorded)) << path;
    ++compared;
  }
  EXPECT_GE(compared, 6u);
}

std::string recorded_text(const std::string& model, std::string_view form) {
  const std::string path = model.substr(0, model.size() - 8) + format(".{}.txt.gz", form);
  return std::filesystem::exists(path) ? read_text(FileSource(path), ReadLimits{}) : std::string();
}

// Keywords in the order of the file, which PyTorch printed in its own.
std::string with_sorted_arguments(std::string text) {
  std::string result;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    std::replace(line.begin(), line.end(), '[', '(');
    std::replace(line.begin(), line.end(), ']', ')');
    for (size_t at = line.find(",)"); at != std::string::npos; at = line.find(",)"))
      line.erase(at, 1);
    std::vector<std::string> words;
    for (size_t comma = line.find(", "); comma != std::string::npos; comma = line.find(", ")) {
      words.push_back(line.substr(0, comma));
      line.erase(0, comma + 2);
    }
    words.push_back(line);
    std::sort(words.begin(), words.end());
    for (const std::string& word : words) result += word + ", ";
    result += '\n';
  }
  return result;
}

TEST(GraphText, CodeAndReadableTextAreAsPyTorchPrintsThem) {
  size_t compared = 0;
  for (const std::string& path : recorded_models()) {
    if (!path.ends_with(".json.gz")) continue;
    const std::string readable = recorded_text(path, "readable");
    if (readable.empty()) continue;
    const Program program = open_program(FileSource(path), path);
    ReadableOptions options;
    options.has_source_lines = true;
    EXPECT_EQ(with_sorted_arguments(readable_text(program.graph(), "GraphModule", options)),
              with_sorted_arguments(readable))
        << path;
    EXPECT_EQ(with_sorted_arguments(code_text(program.graph())),
              with_sorted_arguments(recorded_text(path, "code")))
        << path;
    ++compared;
  }
  EXPECT_GE(compared, 2u);
}

TEST(GraphText, StringsAreReadByTheSchema) {
  const std::string text = R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %div : [num_users=1] = call_function[target=torch.ops.aten.div.Tensor_mode](args = (%x, %x), kwargs = {rounding_mode: floor})
    %full : [num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([2, 3], 1e-05), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
    %mul : [num_users=0] = call_function[target=torch.ops.aten.mul.Tensor](args = (%full, (1+2j)), kwargs = {})
    %size : [num_users=0] = call_method[target=size](args = (%x, -1), kwargs = {})
    return (div, None))";
  const Program program = read_graph_text(text);
  EXPECT_EQ(graph_text(program.graph()), text);
  const Plan& plan = program.plan();
  EXPECT_EQ(plan.row(program.find("div")).args[2].text(), "floor");
  EXPECT_EQ(plan.row(program.find("full")).args[4].device().index, 0);
  EXPECT_TRUE(plan.row(program.find("mul")).args[1].is(Value::Tag::kComplex));
  EXPECT_EQ(plan.row(program.find("size")).op, kNoOp);
}

}  // namespace
}  // namespace faketensor
