// The two ways to take JSON events that json_bench.cpp and wasm/json.cpp compare
// (core/formats/json_events.h, "Which JSON library"), and a text to try them on: nodes and tensor values
// as torch.export writes them.
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "core/formats/json_events.h"
#include "core/support/format.h"

namespace faketensor {

// Enters what holds the nodes and tensor values, as the reader of programs does, and counts what
// comes.
class CountingSink final : public JsonSink {
 public:
  bool enter(std::string_view name, JsonKind, uint32_t) override {
    const bool is_wanted = depth_ == 0 || name == "graph_module" || name == "graph" ||
                           name == "nodes" || name == "tensor_values";
    if (!is_wanted) return false;
    ++depth_;
    return true;
  }
  void leave() override { --depth_; }
  void value(std::string_view name, JsonValue value) override {
    count += name.size() + static_cast<size_t>(value.next() - value.token());
  }
  size_t count = 0;

 private:
  int depth_ = 0;
};

// Spends the text.
inline size_t read_with_ours(std::string& text) {
  CountingSink sink;
  read_json(text, sink, {});
  return sink.count;
}

class CountingSax final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return count_one(); }
  bool boolean(bool) override { return count_one(); }
  bool number_integer(number_integer_t) override { return count_one(); }
  bool number_unsigned(number_unsigned_t) override { return count_one(); }
  bool number_float(number_float_t, const string_t&) override { return count_one(); }
  bool string(string_t&) override { return count_one(); }
  bool binary(binary_t&) override { return count_one(); }
  bool key(string_t&) override { return count_one(); }
  bool start_object(size_t) override { return count_one(); }
  bool end_object() override { return count_one(); }
  bool start_array(size_t) override { return count_one(); }
  bool end_array() override { return count_one(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }
  size_t count = 0;

 private:
  bool count_one() {
    ++count;
    return true;
  }
};

inline size_t read_with_nlohmann(const std::string& text) {
  CountingSax sax;
  nlohmann::json::sax_parse(text.begin(), text.end(), &sax);
  return sax.count;
}

inline std::string program_like_json(size_t nodes) {
  std::string text = "{\"nodes\": [";
  for (size_t i = 0; i < nodes; ++i) {
    text += format(
        "{}{\"target\": \"torch.ops.aten.linear.default\", \"inputs\": [{\"name\": \"input\", "
        "\"arg\": {\"as_tensor\": "
        "{\"name\": \"linear_{}\"}}, \"kind\": 1}, {\"name\": \"weight\", \"arg\": {\"as_tensor\": "
        "{\"name\": "
        "\"p_layers_{}_weight\"}}, \"kind\": 1}], \"outputs\": [{\"as_tensor\": {\"name\": "
        "\"linear_{}\"}}], \"metadata\": "
        "{\"nn_module_stack\": "
        "\"L__self__,,__main__.Model;L__self___layers_{},layers.{},torch.nn.modules.linear."
        "Linear\", "
        "\"torch_fn\": \"linear_{};builtin_function_or_method.linear\"}, "
        "\"is_hop_single_tensor_return\": null, "
        "\"name\": \"linear_{}\"}",
        i == 0 ? "" : ", ", i, i % 100, i + 1, i % 100, i % 100, i, i + 1);
  }
  text += "], \"tensor_values\": {";
  for (size_t i = 0; i < nodes; ++i) {
    text += format(
        "{}\"linear_{}\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 8}, {\"as_int\": 1024}, "
        "{\"as_int\": 4096}], "
        "\"requires_grad\": false, \"device\": {\"type\": \"cuda\", \"index\": 0}, \"strides\": "
        "[{\"as_int\": 4194304}, "
        "{\"as_int\": 4096}, {\"as_int\": 1}], \"storage_offset\": {\"as_int\": 0}, \"layout\": 7}",
        i == 0 ? "" : ", ", i + 1);
  }
  return text + "}}";
}

}  // namespace faketensor
