// Composer: tokens to a tree of nodes, each with its tag (yaml/parser.py, composer.py,
// resolver.py).
//
// An alias is the node that it names, so the "tree" is a graph; nothing is copied and nothing grows
// with the number of aliases. A plain scalar gets the tag of what it looks like by YAML 1.1: "yes"
// is a bool, "010" is eight, "1:30" is ninety.
//
//   const Document document(text);
//   document.root()->items[0]->value;
//
// Note [Why our own YAML]
// What PyTorch reads is what PyYAML reads, and what it says of other texts are PyYAML's classes,
// words and columns. No library is that reader. Of the 1,666 recorded texts (profiles/load), half
// of which PyYAML refuses:
// - yaml-cpp 0.7 reads 87 that PyYAML refuses ("operators: {}\nx", "'a' b", ":", a lone tab),
//   refuses 5 that PyYAML reads (lines that end in CR, NEL or U+2028, a lone "?",
//   "\ud83d\ude00"), makes another value of "!", and does not come to an end on
//   "a: b\n,c: {}\n" indented by one space. Its errors share neither class nor words.
// - libyaml 0.2, PyYAML's twin in C (yaml.CSafeLoader), reads 21 that PyYAML refuses (a tab behind
//   a value), refuses 2 that PyYAML reads ("%FOO bar", "\ud83d\ude00") and makes another value of
//   "!". Of the others that PyYAML refuses it names another class for 3 and another place for 23.
//   None of its errors shows the line, and most have other words: "did not find expected node
//   content" where PyYAML says "expected the node content, but found ','".
// To correct either from outside its tokens would have to be seen, which they cannot. The scanner
// and composer here are 1,400 lines without a dependency and agree with PyYAML on every recorded
// text and on 6,000 damaged ones.
#pragma once

#include <deque>
#include <map>

#include "core/formats/yaml/scanner.h"

namespace faketensor::yaml {

enum class NodeKind : uint8_t { kScalar, kSequence, kMapping };

struct Node {
  NodeKind kind = NodeKind::kScalar;
  std::string tag;
  std::string value;         // of a scalar
  std::vector<Node*> items;  // of a mapping: keys and values in turn
  Mark start;
  bool is_alias_target = false;  // has an anchor
  bool is_tagged = false;        // its tag was written
};
std::string_view name(NodeKind kind);  // "scalar", "sequence", "mapping"

// The prefix of YAML's own tags, and the tags.
inline constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";
bool has_tag(const Node& node, std::string_view short_name);

// The one document of a text. Raises PyYAML's errors; LimitExceeded for nodes nested deeper than
// kMaxDepth.
class Document {
 public:
  explicit Document(std::string_view text);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  Node* root() const { return root_; }  // null for an empty text
  const Source& source() const { return source_; }
  size_t alias_count() const { return alias_count_; }

 private:
  enum class Style : uint8_t { kFlow, kBlock, kBlockOrIndentless };
  struct Properties {
    std::optional<std::string> anchor;
    std::optional<std::string> tag;
    std::optional<Mark> start;
  };

  std::optional<Mark> begin_document(bool is_first, bool& is_explicit);
  void read_directives();
  void read_directive(const Token& directive, bool& has_version);
  Node* read_content(bool is_explicit);
  void end_document();

  Node* read_node(Style style);
  Properties read_properties();
  std::string resolve_handle(const Token& tag, Mark start) const;
  Node* read_alias();
  Node* begin_node(NodeKind kind, const Properties& properties, Mark start);
  Node* read_scalar(const Properties& properties, Mark start);
  Node* empty_scalar(Mark place);
  void read_block_sequence(Node& node);
  void read_indentless_sequence(Node& node);
  void read_block_mapping(Node& node);
  void read_flow_sequence(Node& node);
  Node* read_flow_pair();
  void read_flow_mapping(Node& node);
  [[noreturn, gnu::cold]] void refuse(std::string_view context, Mark start,
                                      std::string_view expected);

  Source source_;
  Scanner tokens_;
  std::deque<Node> nodes_;
  std::map<std::string, Node*, std::less<>> anchors_;
  std::map<std::string, std::string, std::less<>> handles_;
  Node* root_ = nullptr;
  size_t alias_count_ = 0;
  int depth_ = 0;
};

// The tag of a plain scalar, without its prefix: "bool", "float", "int", "merge", "null",
// "timestamp", "value" or "str".
std::string_view implicit_tag(std::string_view value);

}  // namespace faketensor::yaml
