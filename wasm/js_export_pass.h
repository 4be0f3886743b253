// JsExportPass: an export pass (core/passes/export_pass.h) whose methods are functions of JavaScript.
//
// One callback stands for all of them: `call(method, arguments)` takes JSON and gives the proxy that
// the method returned, as JSON. Only the methods that JavaScript has are asked for; they call what
// they override by `call_base`, while they run. The callback gives null where JavaScript has thrown,
// which the facade throws again, and {"again": true} where what was thrown is the error of the last
// `call_base`: that goes on in C++, so that it says which node was run.
//
// Arguments are values as FORMAT.md writes them, but for
//   {"p": 3, "val": T}    a value of the new graph by number; "val" is for JavaScript alone
//   {"tuple": [...]}      a tuple, which a list is told from
//   {"float": 2}          a float that is whole
//   {"m": 0, ...}         the metadata of the node that is run
//
//   JsExportPass(edited.subject(), {"callOperator"}, callback).run();
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <emscripten/val.h>

#include "core/formats/json_fields.h"
#include "core/io/value_json.h"
#include "core/passes/export_pass.h"

namespace faketensor::wasm {

class JsExportPass final : public ExportPass {
 public:
  // Raises Usage for a method that there is not.
  JsExportPass(PassSubject& subject, const std::vector<std::string>& methods,
               const emscripten::val& call);
  ~JsExportPass() override;

  PassResult run() override;

  // What JavaScript's `super.METHOD(...)` gives. Raises Usage while no pass runs.
  static void call_base(JsonWriter& json, const std::string& method, const Json& given);

 private:
  enum class Method : uint8_t {
    kCallOperator,
    kCallSym,
    kCallGetitem,
    kCallSubmodule,
    kPlaceholder,
    kOutput,
    kCount
  };
  static Method method_of(const std::string& name);

  ProxyValue call_operator(std::string_view op, Args args, Keywords kwargs,
                           const NodeMetadata& meta) override;
  ProxyValue call_sym(std::string_view target, Args args, const NodeMetadata& meta) override;
  ProxyValue call_getitem(const ProxyValue& value, const ProxyValue& key,
                          const NodeMetadata& meta) override;
  ProxyValue placeholder(std::string_view name, const Value& value,
                         const NodeMetadata& meta) override;
  ProxyValue output(const ProxyValue& results, const NodeMetadata& meta) override;
  const Graph& call_submodule(const Graph& graph, std::span<const Value> inputs) override;

  bool has(Method method) const { return methods_[static_cast<size_t>(method)]; }
  ProxyValue base(Method method, const Json& given);

  // Asks JavaScript; `write` writes the members of the arguments.
  template <typename Write>
  ProxyValue ask(std::string_view method, const NodeMetadata* meta, const Write& write);
  void write(JsonWriter& json, const ProxyValue& value);
  void write_list(JsonWriter& json, Args values);
  void write_metadata(JsonWriter& json, const NodeMetadata& meta);
  void write_operator(JsonWriter& json, std::string_view target, Args args, Keywords kwargs);
  size_t proxy_of(const ProxyValue& value);

  ProxyValue read(const Json& json);
  ProxyValue read_member(const Json& given, const char* name);
  std::vector<ProxyValue> read_args(const Json& given);
  std::vector<Keyword> read_kwargs(const Json& given);
  NodeMetadata read_metadata(const Json& given);

  emscripten::val call_;
  bool methods_[static_cast<size_t>(Method::kCount)] = {};
  ValueWriter writer_;
  ValueReader reader_;
  std::vector<ProxyValue> proxies_;                                   // by number
  std::map<std::pair<const Graph*, uint32_t>, size_t> node_proxies_;  // of nodes of new graphs
  std::deque<std::string> keyword_names_;                             // that were read
  std::vector<const NodeMetadata*> metadata_;  // of the calls that JavaScript has not answered
  std::optional<Error> failed_;                // the last call_base
};

}  // namespace faketensor::wasm
