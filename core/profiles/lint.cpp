// The strict lint of op profiles: a walk over the nodes of the text, which know their places.
#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <set>

#include "core/formats/yaml/composer.h"
#include "core/profiles/extended.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/tensor/schema_numbers.h"

namespace faketensor {

namespace {

using yaml::Node;
using yaml::NodeKind;

constexpr int64_t kMaxRank = 64;
constexpr size_t kMaxFindings = 100;

class Linter {
 public:
  std::vector<LintFinding> findings;

  void lint(std::string_view text) {
    try {
      const yaml::Document document(text);
      if (document.root() == nullptr) return add(yaml::Mark{}, "the text is empty");
      if (document.alias_count() > 0)
        add(yaml::Mark{}, format("{} aliases; profiles are written out", document.alias_count()));
      lint_plain(*document.root());
      if (findings.empty()) lint_file(*document.root());
      std::stable_sort(findings.begin(), findings.end(), [](const auto& a, const auto& b) {
        return a.line != b.line ? a.line < b.line : a.column < b.column;
      });
    } catch (const Error& error) {
      add_error(error);
    }
  }

 private:
  void add(yaml::Mark place, std::string message) {
    if (findings.size() < kMaxFindings)
      findings.push_back({place.line + 1, place.column + 1, std::move(message)});
  }
  void add(const Node& node, std::string message) { add(node.start, std::move(message)); }

  // PyYAML's errors name their place in the text: the last one is the problem's.
  void add_error(const Error& error) {
    LintFinding finding = {1, 1, error.message()};
    const std::string& message = error.message();
    const size_t at = message.rfind(", line ");
    if (at != std::string::npos) {
      finding.line = static_cast<uint32_t>(std::atoi(message.c_str() + at + 7));
      const size_t column = message.find("column ", at);
      if (column != std::string::npos)
        finding.column = static_cast<uint32_t>(std::atoi(message.c_str() + column + 7));
    }
    findings.push_back(std::move(finding));
  }

  // Anchors, tags, keys: of every node. An explicit stack; aliases were counted before.
  void lint_plain(const Node& root) {
    std::vector<const Node*> open = {&root};
    std::set<const Node*> seen;
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      if (!seen.insert(node).second) continue;
      if (node->is_alias_target) add(*node, "an anchor; profiles are written out");
      if (node->is_tagged) {
        add(*node, "a tag; profiles have none");
      } else if (!has_plain_tag(*node)) {
        add(*node, format("'{}' is no text and no whole number", node->value));
      }
      if (node->kind == NodeKind::kMapping) lint_keys(*node);
      for (size_t i = node->items.size(); i-- > 0;) open.push_back(node->items[i]);
    }
  }
  static bool has_plain_tag(const Node& node) {
    static constexpr std::string_view kPlain[] = {"str", "int", "seq", "map"};
    return std::any_of(std::begin(kPlain), std::end(kPlain),
                       [&](std::string_view tag) { return yaml::has_tag(node, tag); });
  }
  void lint_keys(const Node& mapping) {
    std::set<std::string> keys;
    for (size_t i = 0; i < mapping.items.size(); i += 2) {
      const Node& key = *mapping.items[i];
      if (key.kind != NodeKind::kScalar) {
        add(key, "a key that is no name");
      } else if (!keys.insert(key.value).second) {
        add(key, format("the key '{}' a second time", key.value));
      }
    }
  }

  const Node* get(const Node& mapping, std::string_view key, bool is_required = true) {
    for (size_t i = 0; i < mapping.items.size(); i += 2) {
      if (mapping.items[i]->value == key) return mapping.items[i + 1];
    }
    if (is_required) add(mapping, format("the key '{}' is missing", key));
    return nullptr;
  }
  bool is_mapping(const Node& node, std::string_view what,
                  std::initializer_list<std::string_view> keys = {}) {
    if (node.kind != NodeKind::kMapping) {
      add(node, format("{} is a mapping, not a {}", what, name(node.kind)));
      return false;
    }
    for (size_t i = 0; keys.size() > 0 && i < node.items.size(); i += 2) {
      if (std::find(keys.begin(), keys.end(), node.items[i]->value) == keys.end())
        add(*node.items[i], format("{} has no key '{}'", what, node.items[i]->value));
    }
    return true;
  }
  bool is_sequence(const Node& node, std::string_view what) {
    if (node.kind == NodeKind::kSequence) return true;
    add(node, format("{} is a list, not a {}", what, name(node.kind)));
    return false;
  }
  // A plain decimal number within [0, limit].
  std::optional<int64_t> number(const Node& node, std::string_view what, int64_t limit) {
    const std::string& text = node.value;
    const bool is_number = yaml::has_tag(node, "int") && !text.empty() && text.size() < 10 &&
                           text.find_first_not_of("0123456789") == std::string::npos &&
                           (text.size() == 1 || text[0] != '0');
    const int64_t value = is_number ? std::atoll(text.c_str()) : -1;
    if (value >= 0 && value <= limit) return value;
    add(node, format("{} is a number from 0 to {}, not '{}'", what, limit, text));
    return {};
  }

  void lint_file(const Node& root) {
    if (!is_mapping(root, "the file", {"torch_version", "operators"})) return;
    if (const Node* version = get(root, "torch_version")) {
      if (version->value != kProfileVersion || !yaml::has_tag(*version, "str")) {
        add(*version,
            format("torch_version is '{}' in quotes, not {}", kProfileVersion, version->value));
      }
    }
    const Node* operators = get(root, "operators");
    if (operators == nullptr || !is_mapping(*operators, "'operators'")) return;
    for (size_t i = 0; i < operators->items.size(); i += 2) {
      lint_name(*operators->items[i]);
      const Node& profiles = *operators->items[i + 1];
      if (!is_sequence(profiles, "what an operator has")) continue;
      for (const Node* profile : profiles.items) lint_profile(*profile);
    }
  }
  void lint_name(const Node& key) {
    const auto dots = std::count(key.value.begin(), key.value.end(), '.');
    const bool has_gap = key.value.find("..") != std::string::npos || key.value.starts_with('.') ||
                         key.value.ends_with('.') ||
                         key.value.find_first_of(" \t:") != std::string::npos;
    if (dots != 2 || has_gap || !yaml::has_tag(key, "str")) {
      add(key, format("an operator is namespace.name.overload, not '{}'", key.value));
    }
  }
  void lint_profile(const Node& node) {
    if (!is_mapping(node, "a profile", {"args_profile", "out_profile", "none_args", "results"}))
      return;
    size_t args = 0;
    if (const Node* list = get(node, "args_profile");
        list && is_sequence(*list, "'args_profile'")) {
      for (const Node* arg : list->items) lint_metadata(*arg);
      args = list->items.size();
    }
    size_t results = 1;
    if (const Node* out = get(node, "out_profile")) {
      if (out->kind == NodeKind::kSequence) {
        results = out->items.size();
        for (const Node* result : out->items) lint_metadata(*result);
      } else {
        lint_metadata(*out);
      }
    }
    if (const Node* none = get(node, "none_args", false)) lint_none_args(*none, args);
    if (const Node* details = get(node, "results", false)) lint_details(*details, results);
  }
  void lint_metadata(const Node& node) {
    if (!is_mapping(node, "a tensor", {"rank", "dtype", "device", "layout"})) return;
    if (const Node* rank = get(node, "rank")) number(*rank, "a rank", kMaxRank);
    if (const Node* dtype = get(node, "dtype")) {
      const std::optional<int64_t> value = number(*dtype, "a dtype", 35);
      if (value && !by_number(kScalarTypeNumbers, *value))
        add(*dtype, format("{} is no dtype of exported programs", *value));
    }
    if (const Node* layout = get(node, "layout")) {
      if (number(*layout, "a layout", 7) == 0) add(*layout, "0 is no layout of exported programs");
    }
    if (const Node* device = get(node, "device")) {
      try {
        parse_device_name(device->value);
      } catch (const Error& error) {
        add(*device, error.message());
      }
    }
  }
  void lint_none_args(const Node& node, size_t tensors) {
    if (!is_sequence(node, "'none_args'")) return;
    std::set<int64_t> positions;
    const auto limit = static_cast<int64_t>(tensors + node.items.size()) - 1;
    for (const Node* item : node.items) {
      const std::optional<int64_t> at = number(*item, "a position", limit);
      if (at && !positions.insert(*at).second) add(*item, "the position a second time");
    }
  }
  void lint_details(const Node& node, size_t results) {
    if (!is_sequence(node, "'results'")) return;
    if (node.items.size() != results)
      add(node, format("{} entries for {} results", node.items.size(), results));
    for (const Node* item : node.items) {
      if (!is_mapping(*item, "a result", {"sizes", "strides", "alias"})) continue;
      for (const std::string_view key : {"sizes", "strides"}) {
        if (const Node* list = get(*item, key, false)) lint_expressions(*list, key);
      }
      if (const Node* alias = get(*item, "alias", false)) number(*alias, "an argument", 63);
    }
  }
  void lint_expressions(const Node& list, std::string_view key) {
    if (!is_sequence(list, format("'{}'", key))) return;
    ExprPool pool;
    for (const Node* item : list.items) {
      try {
        if (item->kind != NodeKind::kScalar) {
          add(*item, "a size is an expression");
        } else {
          parse_expr(pool, item->value);
        }
      } catch (const Error& error) {
        add(*item, error.message());
      }
    }
  }
};

}  // namespace

std::vector<LintFinding> lint_profiles(std::string_view text) {
  Linter linter;
  linter.lint(text);
  return std::move(linter.findings);
}

}  // namespace faketensor
