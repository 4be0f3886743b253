#include "core/formats/yaml/composer.h"

#include <utility>

#include "core/formats/yaml/python_text.h"
#include "core/support/format.h"

namespace faketensor::yaml {

namespace {
std::string full_tag(std::string_view short_name) {
  return std::string(kTagPrefix).append(short_name);
}
}  // namespace

std::string_view name(NodeKind kind) {
  static constexpr std::string_view kNames[] = {"scalar", "sequence", "mapping"};
  return kNames[static_cast<size_t>(kind)];
}

bool has_tag(const Node& node, std::string_view short_name) {
  return node.tag.starts_with(kTagPrefix) &&
         std::string_view(node.tag).substr(kTagPrefix.size()) == short_name;
}

Document::Document(std::string_view text) : source_(text), tokens_(source_) {
  bool is_explicit = false;
  if (!begin_document(/*is_first=*/true, is_explicit)) return;
  root_ = read_content(is_explicit);
  end_document();
  if (const std::optional<Mark> next = begin_document(/*is_first=*/false, is_explicit)) {
    source_.fail(ErrorKind::kYamlComposerError, "expected a single document in the stream",
                 root_->start, "but found another document", *next);
  }
}

void Document::refuse(std::string_view context, Mark start, std::string_view expected) {
  const Token& found = tokens_.peek();
  source_.fail(ErrorKind::kYamlParserError, context, start,
               format("{} {}", expected, quoted_name(found.kind)), found.start);
}

// --- documents ---

// Where a document begins; nothing at the end of the text.
std::optional<Mark> Document::begin_document(bool is_first, bool& is_explicit) {
  is_explicit =
      !is_first || tokens_.next_is_one_of(TokenKind::kDirective, TokenKind::kDocumentStart,
                                          TokenKind::kStreamEnd);
  if (!is_explicit) {
    handles_ = {{"!", "!"}, {"!!", std::string(kTagPrefix)}};
    return tokens_.peek().start;
  }
  while (tokens_.next_is(TokenKind::kDocumentEnd)) tokens_.take();
  if (tokens_.next_is(TokenKind::kStreamEnd)) return {};
  const Mark start = tokens_.peek().start;
  read_directives();
  if (!tokens_.next_is(TokenKind::kDocumentStart)) {
    const Token& found = tokens_.peek();
    source_.fail(ErrorKind::kYamlParserError,
                 format("expected '<document start>', but found {}", quoted_name(found.kind)),
                 found.start);
  }
  tokens_.take();
  return start;
}

void Document::read_directives() {
  handles_.clear();
  bool has_version = false;
  while (tokens_.next_is(TokenKind::kDirective)) read_directive(tokens_.take(), has_version);
  handles_.emplace("!", "!");
  handles_.emplace("!!", kTagPrefix);
}

void Document::read_directive(const Token& directive, bool& has_version) {
  const auto fail = [&](std::string_view problem) {
    source_.fail(ErrorKind::kYamlParserError, problem, directive.start);
  };
  if (directive.has_handle) {
    if (!handles_.emplace(directive.value, directive.suffix).second)
      fail(format("duplicate tag handle {}", python::repr(directive.value)));
  } else if (directive.value == "YAML") {
    if (has_version) fail("found duplicate YAML directive");
    if (directive.major_version != 1)
      fail("found incompatible YAML document (version 1.* is required)");
    has_version = true;
  }
}

Node* Document::read_content(bool is_explicit) {
  if (is_explicit && tokens_.next_is_one_of(TokenKind::kDirective, TokenKind::kDocumentStart,
                                            TokenKind::kDocumentEnd, TokenKind::kStreamEnd))
    return empty_scalar(tokens_.peek().start);
  return read_node(Style::kBlock);
}

void Document::end_document() {
  if (tokens_.next_is(TokenKind::kDocumentEnd)) tokens_.take();
  anchors_.clear();
}

// --- nodes ---

Node* Document::read_node(Style style) {
  if (tokens_.next_is(TokenKind::kAlias)) return read_alias();
  struct Depth {
    int& depth;
    explicit Depth(int& counter) : depth(++counter) {}
    ~Depth() { --depth; }
  } const depth(depth_);
  if (depth_ > kMaxDepth) {
    throw_error(ErrorKind::kLimitExceeded, format("YAML nested more than {} deep, at line {}",
                                                  kMaxDepth, tokens_.peek().start.line + 1));
  }
  const Properties properties = read_properties();
  const Mark start = properties.start.value_or(tokens_.peek().start);
  const TokenKind next = tokens_.peek().kind;
  if (style == Style::kBlockOrIndentless && next == TokenKind::kBlockEntry) {
    Node* node = begin_node(NodeKind::kSequence, properties, start);
    read_indentless_sequence(*node);
    return node;
  }
  switch (next) {
    case TokenKind::kScalar:
      return read_scalar(properties, start);
    case TokenKind::kFlowSequenceStart: {
      Node* node = begin_node(NodeKind::kSequence, properties, start);
      read_flow_sequence(*node);
      return node;
    }
    case TokenKind::kFlowMappingStart: {
      Node* node = begin_node(NodeKind::kMapping, properties, start);
      read_flow_mapping(*node);
      return node;
    }
    default:
      break;
  }
  if (style != Style::kFlow && next == TokenKind::kBlockSequenceStart) {
    Node* node = begin_node(NodeKind::kSequence, properties, start);
    read_block_sequence(*node);
    return node;
  }
  if (style != Style::kFlow && next == TokenKind::kBlockMappingStart) {
    Node* node = begin_node(NodeKind::kMapping, properties, start);
    read_block_mapping(*node);
    return node;
  }
  if (!properties.start) {
    refuse(style == Style::kFlow ? "while parsing a flow node" : "while parsing a block node",
           start, "expected the node content, but found");
  }
  Node* node = begin_node(NodeKind::kScalar, properties, start);
  if (!properties.tag || *properties.tag == "!") node->tag = full_tag("null");
  return node;
}

Document::Properties Document::read_properties() {
  Properties properties;
  std::optional<Token> tag;
  const auto read = [&](TokenKind kind) {
    if (!tokens_.next_is(kind)) return false;
    Token token = tokens_.take();
    if (!properties.start) properties.start = token.start;
    if (kind == TokenKind::kAnchor) {
      properties.anchor = token.value;
    } else {
      tag = std::move(token);
    }
    return true;
  };
  if (read(TokenKind::kAnchor)) {
    read(TokenKind::kTag);
  } else if (read(TokenKind::kTag)) {
    read(TokenKind::kAnchor);
  }
  if (tag) properties.tag = resolve_handle(*tag, *properties.start);
  return properties;
}

std::string Document::resolve_handle(const Token& tag, Mark start) const {
  if (!tag.has_handle) return tag.suffix;
  const auto found = handles_.find(tag.value);
  if (found == handles_.end()) {
    source_.fail(ErrorKind::kYamlParserError, "while parsing a node", start,
                 format("found undefined tag handle {}", python::repr(tag.value)), tag.start);
  }
  return found->second + tag.suffix;
}

Node* Document::read_alias() {
  const Token alias = tokens_.take();
  ++alias_count_;
  const auto found = anchors_.find(alias.value);
  if (found == anchors_.end()) {
    source_.fail(ErrorKind::kYamlComposerError,
                 format("found undefined alias {}", python::repr(alias.value)), alias.start);
  }
  return found->second;
}

Node* Document::begin_node(NodeKind kind, const Properties& properties, Mark start) {
  if (properties.anchor) {
    const auto found = anchors_.find(*properties.anchor);
    if (found != anchors_.end()) {
      source_.fail(
          ErrorKind::kYamlComposerError,
          format("found duplicate anchor {}; first occurrence", python::repr(*properties.anchor)),
          found->second->start, "second occurrence", start);
    }
  }
  Node& node = nodes_.emplace_back();
  node.kind = kind;
  node.start = start;
  node.is_tagged = properties.tag.has_value();
  if (properties.tag && *properties.tag != "!") {
    node.tag = *properties.tag;
  } else {
    static constexpr std::string_view kDefaults[] = {"str", "seq", "map"};
    node.tag = full_tag(kDefaults[static_cast<size_t>(kind)]);
  }
  if (properties.anchor) {
    anchors_.emplace(*properties.anchor, &node);
    node.is_alias_target = true;
  }
  return &node;
}

Node* Document::read_scalar(const Properties& properties, Mark start) {
  const Token token = tokens_.take();
  Node* node = begin_node(NodeKind::kScalar, properties, start);
  node->value = token.value;
  const bool is_implicit =
      (token.is_plain && !properties.tag) || (properties.tag && *properties.tag == "!");
  if (is_implicit) node->tag = full_tag(implicit_tag(node->value));
  return node;
}

Node* Document::empty_scalar(Mark place) {
  Node* node = begin_node(NodeKind::kScalar, {}, place);
  node->tag = full_tag("null");
  return node;
}

// --- block collections ---

void Document::read_block_sequence(Node& node) {
  const Mark start = tokens_.take().start;
  while (tokens_.next_is(TokenKind::kBlockEntry)) {
    const Mark end = tokens_.take().end;
    const bool is_empty = tokens_.next_is_one_of(TokenKind::kBlockEntry, TokenKind::kBlockEnd);
    node.items.push_back(is_empty ? empty_scalar(end) : read_node(Style::kBlock));
  }
  if (!tokens_.next_is(TokenKind::kBlockEnd))
    refuse("while parsing a block collection", start, "expected <block end>, but found");
  tokens_.take();
}

void Document::read_indentless_sequence(Node& node) {
  while (tokens_.next_is(TokenKind::kBlockEntry)) {
    const Mark end = tokens_.take().end;
    const bool is_empty = tokens_.next_is_one_of(TokenKind::kBlockEntry, TokenKind::kKey,
                                                 TokenKind::kValue, TokenKind::kBlockEnd);
    node.items.push_back(is_empty ? empty_scalar(end) : read_node(Style::kBlock));
  }
}

void Document::read_block_mapping(Node& node) {
  const Mark start = tokens_.take().start;
  const auto read_part = [&](TokenKind kind) {
    if (!tokens_.next_is(kind)) return empty_scalar(tokens_.peek().start);
    const Mark end = tokens_.take().end;
    const bool is_empty =
        tokens_.next_is_one_of(TokenKind::kKey, TokenKind::kValue, TokenKind::kBlockEnd);
    return is_empty ? empty_scalar(end) : read_node(Style::kBlockOrIndentless);
  };
  while (tokens_.next_is(TokenKind::kKey)) {
    node.items.push_back(read_part(TokenKind::kKey));
    node.items.push_back(read_part(TokenKind::kValue));
  }
  if (!tokens_.next_is(TokenKind::kBlockEnd))
    refuse("while parsing a block mapping", start, "expected <block end>, but found");
  tokens_.take();
}

// --- flow collections ---

void Document::read_flow_sequence(Node& node) {
  const Mark start = tokens_.take().start;
  for (bool is_first = true; !tokens_.next_is(TokenKind::kFlowSequenceEnd); is_first = false) {
    if (!is_first) {
      if (!tokens_.next_is(TokenKind::kFlowEntry))
        refuse("while parsing a flow sequence", start, "expected ',' or ']', but got");
      tokens_.take();
    }
    if (tokens_.next_is(TokenKind::kKey)) {
      node.items.push_back(read_flow_pair());
    } else if (!tokens_.next_is(TokenKind::kFlowSequenceEnd)) {
      node.items.push_back(read_node(Style::kFlow));
    }
  }
  tokens_.take();
}

// "a: b" in a sequence: a mapping of one.
Node* Document::read_flow_pair() {
  const Token key = tokens_.take();
  Node* node = begin_node(NodeKind::kMapping, {}, key.start);
  const auto ends = [&] {
    return tokens_.next_is_one_of(TokenKind::kFlowEntry, TokenKind::kFlowSequenceEnd);
  };
  const bool has_key = !ends() && !tokens_.next_is(TokenKind::kValue);
  node->items.push_back(has_key ? read_node(Style::kFlow) : empty_scalar(key.end));
  if (tokens_.next_is(TokenKind::kValue)) {
    const Mark end = tokens_.take().end;
    node->items.push_back(ends() ? empty_scalar(end) : read_node(Style::kFlow));
  } else {
    node->items.push_back(empty_scalar(tokens_.peek().start));
  }
  return node;
}

void Document::read_flow_mapping(Node& node) {
  const Mark start = tokens_.take().start;
  const auto ends = [&] {
    return tokens_.next_is_one_of(TokenKind::kFlowEntry, TokenKind::kFlowMappingEnd);
  };
  for (bool is_first = true; !tokens_.next_is(TokenKind::kFlowMappingEnd); is_first = false) {
    if (!is_first) {
      if (!tokens_.next_is(TokenKind::kFlowEntry))
        refuse("while parsing a flow mapping", start, "expected ',' or '}', but got");
      tokens_.take();
    }
    if (tokens_.next_is(TokenKind::kKey)) {
      const Mark end = tokens_.take().end;
      const bool has_key = !ends() && !tokens_.next_is(TokenKind::kValue);
      node.items.push_back(has_key ? read_node(Style::kFlow) : empty_scalar(end));
      if (!tokens_.next_is(TokenKind::kValue)) {
        node.items.push_back(empty_scalar(tokens_.peek().start));
        continue;
      }
      const Mark colon = tokens_.take().end;
      node.items.push_back(ends() ? empty_scalar(colon) : read_node(Style::kFlow));
    } else if (!tokens_.next_is(TokenKind::kFlowMappingEnd)) {
      node.items.push_back(read_node(Style::kFlow));
      node.items.push_back(empty_scalar(tokens_.peek().start));
    }
  }
  tokens_.take();
}

}  // namespace faketensor::yaml
