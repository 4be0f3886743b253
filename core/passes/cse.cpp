#include <algorithm>
#include <unordered_map>

#include "core/passes/graph_copy.h"
#include "core/passes/passes.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

// Operators that draw random numbers or write, by packet: two calls of one are two (get_CSE_banned_ops,
// torch/fx/passes/dialect/common/cse_pass.py).
bool is_banned(std::string_view target) {
  constexpr std::string_view kPackets[] = {
      "add_",  "sub_",      "mul_",     "div_",        "pow_",           "lerp_",
      "relu_", "tanh_",     "sigmoid_", "dropout",     "native_dropout", "_fused_dropout",
      "rand",  "rand_like", "randint",  "randn",       "randperm",       "normal",
      "rrelu", "bernoulli", "binomial", "multinomial", "poisson",        "_standard_gamma"};
  if (!target.starts_with("torch.ops.aten.")) return false;
  const std::string_view local = target.substr(std::string_view("torch.ops.aten.").size());
  const std::string_view packet = local.substr(0, local.find('.'));
  return std::find(std::begin(kPackets), std::end(kPackets), packet) != std::end(kPackets);
}

// Equal for arguments that Python finds equal, among which are 1, 1.0 and True.
void append_key(std::string& key, const Value& value) {
  if (value.is(Value::Tag::kNodeRef)) {
    key += format("%{}", value.node());
  } else if (value.is_list()) {
    key += value.is_tuple() ? '(' : value.is_dict() ? '{' : '[';
    for (size_t i = 0; i < value.size(); ++i) {
      append_key(key, value[i]);
      key += ',';
    }
    key += ']';
  } else if (value.is(Value::Tag::kString)) {
    key += format("\"{}:{}", value.text().size(), value.text());
  } else if (value.is(Value::Tag::kBool) && !value.is_symbolic()) {
    key += value.to_bool() ? '1' : '0';
  } else if (value.is(Value::Tag::kFloat)) {
    std::string text;
    append_text(text, value);
    key += text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  } else {
    if (!value.is_number()) key += format("{}:", static_cast<int>(value.tag()));
    append_text(key, value);
  }
}

class CommonSubexpressions {
 public:
  CommonSubexpressions(const Graph& from, Graph& to) : from_(from), copy_(from, to) {}

  // Whether a node stands for another.
  bool run() {
    bool modified = false;
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) {
      const NodeKind kind = from_.node(id).kind;
      const bool is_kept = kind == NodeKind::kPlaceholder || kind == NodeKind::kOutput ||
                           kind == NodeKind::kGetAttr || is_banned(from_.target_of(id));
      if (is_kept) {
        copy_.add(id);
        continue;
      }
      const auto [found, is_new] = seen_.emplace(key_of(id), kNoNode);
      if (is_new) {
        found->second = copy_.add(id);
      } else {
        copy_.map(id, found->second);
        modified = true;
      }
    }
    return modified;
  }

 private:
  std::string key_of(NodeId id) {
    const Node& node = from_.node(id);
    std::string key = format("{} {}", static_cast<int>(node.kind), node.target);
    for (const Value& arg : node.positional()) {
      key += ' ';
      append_key(key, copy_.mapped(arg));
    }
    for (size_t i = 0; i < node.keywords.size(); ++i) {
      key += format(" {}=", node.keywords[i]);
      append_key(key, copy_.mapped(node.by_keyword()[i]));
    }
    return key;
  }

  const Graph& from_;
  GraphCopy copy_;
  std::unordered_map<std::string, NodeId> seen_;
};

}  // namespace

PassResult eliminate_common_subexpressions(PassSubject& subject, const PassOptions&) {
  Graph& made = subject.program.add_graph();
  const bool modified = CommonSubexpressions(*subject.graph, made).run();
  if (modified) subject.graph = &made;
  return modified_result(modified);
}

}  // namespace faketensor
