#include "wasm/js_export_pass.h"

#include <algorithm>

#include "core/graph/readable.h"
#include "core/io/graph_json.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

namespace {

constexpr std::string_view kMethods[] = {"callOperator",  "callSym",     "callGetitem",
                                         "callSubmodule", "placeholder", "output"};

// The pass that runs; one may be run while another waits for its function.
JsExportPass*& running() {
  static JsExportPass* pass = nullptr;
  return pass;
}

// "aten.add.Tensor" as JavaScript says it; "aten::add.Tensor" is the same.
std::string_view short_target(std::string_view target) {
  return target.starts_with(kTorchOps) ? target.substr(kTorchOps.size()) : target;
}
std::string long_target(std::string target) {
  const size_t colons = target.find("::");
  if (colons != std::string::npos) {
    target.replace(colons, 2, ".");
    if (std::count(target.begin(), target.end(), '.') == 1) target += ".default";
  }
  return full_target(std::move(target));
}

}  // namespace

JsExportPass::Method JsExportPass::method_of(const std::string& name) {
  const auto* found = std::find(std::begin(kMethods), std::end(kMethods), name);
  if (found == std::end(kMethods))
    throw_error(kUsage, format("an export pass has no method '{}'", name));
  return static_cast<Method>(found - std::begin(kMethods));
}

JsExportPass::JsExportPass(PassSubject& subject, const std::vector<std::string>& methods,
                           const emscripten::val& call)
    : ExportPass(subject), call_(call), reader_(subject.mode) {
  for (const std::string& name : methods) methods_[static_cast<size_t>(method_of(name))] = true;
  reader_.resolve = [](const Json& object) -> std::optional<Value> {
    const Json* whole = find_member(object, "float");
    if (whole == nullptr) return std::nullopt;
    return Value(number_of(*whole, "float", kUsage));
  };
}

JsExportPass::~JsExportPass() = default;

PassResult JsExportPass::run() {
  struct Scope {
    JsExportPass* outer;
    ~Scope() { running() = outer; }
  } const scope{running()};
  running() = this;
  return ExportPass::run();
}

// --- asking JavaScript ---

template <typename Write>
ProxyValue JsExportPass::ask(std::string_view method, const NodeMetadata* meta,
                             const Write& write) {
  if (meta != nullptr) metadata_.push_back(meta);
  const std::string arguments = written([&](JsonWriter& json) {
    const auto object = json.object();
    write(json);
    if (meta != nullptr) write_metadata(json.key("meta"), *meta);
  });
  const emscripten::val answer = call_(std::string(method), arguments);
  if (meta != nullptr) metadata_.pop_back();
  if (!answer.isString())
    throw_error(kUsage, format("{} of an export pass failed", std::string(method)));
  const Json given = parse_json(answer.as<std::string>(), "a result");
  if (given.is_object() && given.contains("again") && failed_) throw Error(*failed_);
  return read(given);
}

void JsExportPass::write_operator(JsonWriter& json, std::string_view target, Args args,
                                  Keywords kwargs) {
  json.field("op", short_target(target));
  write_list(json.key("args"), args);
  const auto named = json.object("kwargs");
  for (const Keyword& keyword : kwargs) write(json.key(keyword.name), keyword.value);
}

ProxyValue JsExportPass::call_operator(std::string_view op, Args args, Keywords kwargs,
                                       const NodeMetadata& meta) {
  if (!has(Method::kCallOperator)) return ExportPass::call_operator(op, args, kwargs, meta);
  return ask("callOperator", &meta,
             [&](JsonWriter& json) { write_operator(json, op, args, kwargs); });
}

ProxyValue JsExportPass::call_sym(std::string_view target, Args args, const NodeMetadata& meta) {
  if (!has(Method::kCallSym)) return ExportPass::call_sym(target, args, meta);
  return ask("callSym", &meta, [&](JsonWriter& json) { write_operator(json, target, args, {}); });
}

ProxyValue JsExportPass::call_getitem(const ProxyValue& value, const ProxyValue& key,
                                      const NodeMetadata& meta) {
  if (!has(Method::kCallGetitem)) return ExportPass::call_getitem(value, key, meta);
  return ask("callGetitem", &meta, [&](JsonWriter& json) {
    write(json.key("value"), value);
    write(json.key("key"), key);
  });
}

ProxyValue JsExportPass::placeholder(std::string_view name, const Value& value,
                                     const NodeMetadata& meta) {
  if (!has(Method::kPlaceholder)) return ExportPass::placeholder(name, value, meta);
  return ask("placeholder", &meta, [&](JsonWriter& json) {
    json.field("name", name);
    write(json.key("value"), {value, value});
  });
}

ProxyValue JsExportPass::output(const ProxyValue& results, const NodeMetadata& meta) {
  if (!has(Method::kOutput)) return ExportPass::output(results, meta);
  return ask("output", &meta, [&](JsonWriter& json) { write(json.key("results"), results); });
}

const Graph& JsExportPass::call_submodule(const Graph& graph, std::span<const Value> inputs) {
  // The program's own graph is no submodule.
  if (!has(Method::kCallSubmodule) || &graph == subject().graph)
    return ExportPass::call_submodule(graph, inputs);
  std::vector<ProxyValue> values;
  for (const Value& input : inputs) values.emplace_back(input, input);
  const ProxyValue made = ask("callSubmodule", nullptr, [&](JsonWriter& json) {
    write(json.key("graph"), Value(&graph));
    write_list(json.key("inputs"), values);
  });
  if (!made.data.is(Value::Tag::kGraph))
    throw_error(kUsage, "callSubmodule is to return what super.callSubmodule gives");
  return made.data.graph();
}

// --- what JavaScript asks for meanwhile ---

void JsExportPass::call_base(JsonWriter& json, const std::string& method, const Json& given) {
  JsExportPass* const pass = running();
  if (pass == nullptr)
    throw_error(kUsage, format("super.{} is for the functions of a pass that runs", method));
  try {
    pass->write(json, pass->base(method_of(method), given));
  } catch (const Error& error) {
    pass->failed_.emplace(error);
    throw;
  }
}

ProxyValue JsExportPass::base(Method method, const Json& given) {
  switch (method) {
    case Method::kCallOperator:
    case Method::kCallSym: {
      const std::string op = long_target(text_of(member(given, "op", kUsage), "op", kUsage));
      const std::vector<ProxyValue> args = read_args(given);
      const NodeMetadata meta = read_metadata(given);
      if (method == Method::kCallSym) return ExportPass::call_sym(op, args, meta);
      return ExportPass::call_operator(op, args, read_kwargs(given), meta);
    }
    case Method::kCallGetitem:
      return ExportPass::call_getitem(read_member(given, "value"), read_member(given, "key"),
                                      read_metadata(given));
    case Method::kPlaceholder:
      return ExportPass::placeholder(text_of(member(given, "name", kUsage), "name", kUsage),
                                     read_member(given, "value").data, read_metadata(given));
    case Method::kOutput: {
      ProxyValue results = read_member(given, "results");
      // What a graph returns is a tuple, however it was put together.
      if (results.arg.is_list()) results.arg = Value::tuple(results.arg.values());
      return ExportPass::output(results, read_metadata(given));
    }
    default: {
      const ProxyValue graph = read_member(given, "graph");
      if (!graph.data.is(Value::Tag::kGraph)) throw_error(kUsage, "there is no such graph");
      std::vector<Value> inputs;
      for (const Json& input : list_of(member(given, "inputs", kUsage), "inputs", kUsage))
        inputs.push_back(read(input).data);
      return Value(&ExportPass::call_submodule(graph.data.graph(), inputs));
    }
  }
}

// --- values as JSON ---

// A node of the new graph has one number; so JavaScript sees that two arguments are the same.
size_t JsExportPass::proxy_of(const ProxyValue& value) {
  if (!value.arg.is(Value::Tag::kNodeRef)) {
    proxies_.push_back(value);
    return proxies_.size() - 1;
  }
  const auto [known, is_new] =
      node_proxies_.emplace(std::pair(&traced(), value.arg.node()), proxies_.size());
  if (is_new) proxies_.push_back(value);
  return known->second;
}

void JsExportPass::write_list(JsonWriter& json, Args values) {
  const auto list = json.array();
  for (const ProxyValue& value : values) write(json, value);
}

void JsExportPass::write(JsonWriter& json, const ProxyValue& value) {
  if (value.arg.is(Value::Tag::kList) && value.data.is_list()) {
    const std::vector<ProxyValue> elements = elements_of(value);
    const bool is_list = !value.arg.is_tuple() && !value.arg.is_dict();
    if (is_list) return write_list(json, elements);
    const auto marked = json.object();
    return write_list(json.key(value.arg.is_tuple() ? "tuple" : "dict"), elements);
  }
  const bool is_plain = !value.arg.is(Value::Tag::kNodeRef) && !value.data.is_tensor() &&
                        !value.data.is_unset() && !value.data.is(Value::Tag::kGraph);
  if (is_plain) {
    if (!write_whole_float(json, value.data)) writer_.write(json, value.data);
    return;
  }
  const auto proxy = json.object();
  json.field("p", proxy_of(value));
  if (value.data.is(Value::Tag::kGraph)) {
    json.field("graph", value.data.graph().name);
  } else {
    writer_.write(json.key("val"), value.data);
  }
}

void JsExportPass::write_metadata(JsonWriter& json, const NodeMetadata& meta) {
  const auto text = [&](StringId id) { return subject().program.text(id); };
  const auto object = json.object();
  json.field("m", metadata_.size() - 1);
  json.field("stackTrace", text(meta.meta.stack_trace));
  json.field("nnModuleStack", text(meta.meta.module_stack));
  json.field("sourceFn", text(meta.meta.source_fn));
}

ProxyValue JsExportPass::read(const Json& json) {
  if (json.is_array()) {
    const bool all_ints = !json.empty() && std::all_of(json.begin(), json.end(), [](const Json& i) {
      return i.is_number_integer();
    });
    if (all_ints) return reader_.read(json);
    std::vector<ProxyValue> elements;
    for (const Json& element : json) elements.push_back(read(element));
    return make_list(elements);
  }
  if (const Json* tuple = json.is_object() ? find_member(json, "tuple") : nullptr) {
    if (!tuple->is_array()) throw_error(kUsage, "a tuple is a list");
    ProxyValue list = read(*tuple);
    list.arg = Value::tuple(list.arg.values());
    return list;
  }
  if (const Json* dict = json.is_object() ? find_member(json, "dict") : nullptr) {
    ProxyValue items = dict->is_array() ? read(*dict) : ProxyValue();
    const std::span<const Value> pairs = items.arg.is_list() && items.data.is(Value::Tag::kList)
                                             ? items.data.values()
                                             : std::span<const Value>();
    const bool are_pairs =
        items.arg.is_list() && std::all_of(pairs.begin(), pairs.end(), [](const Value& pair) {
          return pair.is_list() && pair.size() == 2;
        });
    if (!are_pairs) throw_error(kUsage, "a dictionary is a list of [key, value]");
    return {Value::dict(pairs), Value::dict(items.arg.values())};
  }
  if (const Json* proxy = json.is_object() ? find_member(json, "p") : nullptr) {
    const int64_t number = integer_of(*proxy, "p", kUsage);
    if (number < 0 || static_cast<size_t>(number) >= proxies_.size())
      throw_error(kUsage, "a value of another pass");
    return proxies_[static_cast<size_t>(number)];
  }
  return reader_.read(json);
}

ProxyValue JsExportPass::read_member(const Json& given, const char* name) {
  return read(member(given, name, kUsage));
}

std::vector<ProxyValue> JsExportPass::read_args(const Json& given) {
  std::vector<ProxyValue> args;
  for (const Json& arg : list_of(member(given, "args", kUsage), "args", kUsage))
    args.push_back(read(arg));
  return args;
}

std::vector<ExportPass::Keyword> JsExportPass::read_kwargs(const Json& given) {
  std::vector<Keyword> kwargs;
  for (const auto& [name, value] :
       object_of(member(given, "kwargs", kUsage), "kwargs", kUsage).items()) {
    keyword_names_.push_back(name);
    kwargs.push_back({keyword_names_.back(), read(value)});
  }
  return kwargs;
}

// Of a node that stands for none: nothing.
NodeMetadata JsExportPass::read_metadata(const Json& given) {
  const Json* meta = find_member(given, "meta");
  const Json* number = meta == nullptr || !meta->is_object() ? nullptr : find_member(*meta, "m");
  if (number == nullptr) return {};
  const int64_t at = integer_of(*number, "m", kUsage);
  if (at < 0 || static_cast<size_t>(at) >= metadata_.size())
    throw_error(kUsage, "the metadata of a node that is not run any more");
  return *metadata_[static_cast<size_t>(at)];
}

}  // namespace faketensor::wasm
