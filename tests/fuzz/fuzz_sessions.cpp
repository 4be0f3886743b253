// Answers random transcripts until something other than answers or a typed error comes out.
//
//   fuzz_sessions [--seed N] [--transcripts N] [--show]
//
// A transcript is made of steps that fit what was made before them, some of their values replaced
// by others; now and then its text is damaged too. A run is determined by its seed; --show prints
// each transcript before it runs, so that the last one printed is the one that failed. Build it in
// the preset `sanitizers`.
#include <cstdio>
#include <span>
#include <string>

#include "command_line.h"
#include "core/formats/json_fields.h"
#include "core/ops/registry.h"
#include "core/replay/session_runner.h"
#include "random_json.h"

namespace faketensor {
namespace {

using json = nlohmann::json;

class RandomTranscripts {
 public:
  explicit RandomTranscripts(uint64_t seed) : random_(seed, 4) {}

  std::string next() {
    tensors_ = modes_ = numbers_ = 0;
    json steps = json::array();
    if (random_.chance(90)) steps.push_back(mode());
    if (random_.chance(60)) steps.push_back(real());
    if (random_.chance(60)) steps.push_back(from_tensor());
    if (random_.chance(50)) steps.push_back({{"do", "enter"}, {"mode", any_mode()}});
    for (size_t left = 1 + random_.below(6); left > 0; --left) steps.push_back(step());
    if (random_.chance(25)) random_.disturb(steps);
    std::string text = steps.dump();
    if (random_.chance(5)) text = random_.damaged(std::move(text), last_);
    last_ = text;
    return text;
  }

 private:
  std::string named(const char* prefix, size_t count) {
    return prefix +
           std::to_string(random_.chance(95) ? random_.below(count == 0 ? 1 : count) : count + 1);
  }
  json any_mode() { return random_.or_wild(named("m", modes_)); }
  json any_tensor() { return random_.or_wild(named("t", tensors_)); }
  json any_number() { return random_.or_wild(named("n", numbers_)); }
  json tensor_ref() { return {{"ref", any_tensor()}}; }
  std::string new_tensor() { return "t" + std::to_string(tensors_++); }
  std::string new_number() { return "n" + std::to_string(numbers_++); }

  json mode() {
    json made = {{"do", "mode"}, {"as", "m" + std::to_string(modes_++)}};
    json options = json::object();
    for (const char* name : {"allow_non_fake_inputs", "export", "allow_meta", "cache_crosscheck"})
      if (random_.chance(20)) options[name] = random_.or_wild(random_.chance(50));
    if (random_.chance(10)) options["static_shapes"] = random_.or_wild(random_.chance(50));
    made["options"] = random_.or_wild(options);
    if (random_.chance(70)) made["shape_env"] = random_.or_wild(json::object());
    if (modes_ > 1 && random_.chance(30)) made["shape_env"] = {{"of", any_mode()}};
    return made;
  }
  // Mostly as long as its sizes.
  json dims_like(const json& sizes) {
    if (!sizes.is_array() || random_.chance(10)) return random_.sizes();
    json dims = json::array();
    for (size_t i = 0; i < sizes.size(); ++i) dims.push_back(random_.below(5));
    return dims;
  }
  json data(int depth = 0) {
    if (depth > 2 || random_.chance(35))
      return random_.chance(90) ? random_.number() : random_.value();
    json list = json::array();
    const json first = data(depth + 1);
    for (size_t left = random_.below(4); left > 0; --left)
      list.push_back(random_.chance(85) ? first : data(depth + 1));
    return list;
  }
  json real() {
    json made = {{"do", random_.chance(80) ? "real" : "tensor"}, {"as", new_tensor()}};
    if (made["do"] == "tensor" || random_.chance(25)) {
      made["data"] = data();
    } else {
      made["size"] = random_.or_wild(random_.sizes());
      if (random_.chance(25)) made["stride"] = random_.or_wild(dims_like(made["size"]));
      if (random_.chance(15)) made["offset"] = random_.or_wild(random_.integer());
    }
    if (random_.chance(40)) made["dtype"] = {{"dtype", random_.or_wild(random_.dtype())}};
    if (random_.chance(10)) made["device"] = {{"device", random_.or_wild(random_.device())}};
    if (random_.chance(10)) made["requires_grad"] = random_.or_wild(true);
    if (random_.chance(5)) made["parameter"] = random_.or_wild(true);
    return made;
  }
  json dynamic() {
    static constexpr std::string_view kNames[] = {"DUCK", "DYNAMIC", "STATIC", "UNBACKED",
                                                  "INFER_STRIDE"};
    json list = json::array();
    for (size_t left = random_.below(5); left > 0; --left) list.push_back(random_.one_of(kNames));
    return list;
  }
  json constraints() {
    json list = json::array();
    for (size_t left = random_.below(4); left > 0; --left)
      list.push_back(random_.chance(30) ? json()
                                        : json::array({random_.integer(), random_.integer()}));
    return list;
  }
  json from_tensor() {
    const json of = any_tensor();
    json made = {{"do", "from_tensor"}, {"mode", any_mode()}, {"arg", of}, {"as", new_tensor()}};
    if (random_.chance(60)) made["source"] = random_.or_wild(random_.chance(90) ? "x" : "y");
    if (random_.chance(60)) made["dynamic"] = random_.or_wild(dynamic());
    if (random_.chance(10)) made["dynamic_strides"] = random_.or_wild(dynamic());
    if (random_.chance(15)) made["constraints"] = random_.or_wild(constraints());
    if (random_.chance(10)) made["static_shapes"] = random_.or_wild(random_.chance(50));
    if (random_.chance(5)) made["remembered_as"] = random_.or_wild(random_.integer());
    return made;
  }

  // --- calls ---

  json argument(const Argument& argument) {
    if (argument.type.kind == ArgKind::kTensor && !argument.type.is_list)
      return random_.chance(92) ? tensor_ref() : random_.value();
    if (argument.type.kind == ArgKind::kTensor)
      return json::array({tensor_ref(), random_.chance(80) ? tensor_ref() : random_.value()});
    if (argument.type.is_list) return random_.or_wild(random_.sizes());
    if (random_.chance(10)) return {{"ref", any_number()}};
    if (argument.type.kind == ArgKind::kInt) return random_.or_wild(random_.integer());
    if (argument.type.kind == ArgKind::kFloat || argument.type.kind == ArgKind::kScalar)
      return random_.or_wild(random_.number());
    if (argument.type.kind == ArgKind::kBool) return random_.or_wild(random_.chance(50));
    return random_.value();
  }
  const OpEntry& any_op() {
    static constexpr std::string_view kOften[] = {"aten::add.Tensor",
                                                  "aten::sym_size.int",
                                                  "aten::item",
                                                  "aten::nonzero",
                                                  "aten::view",
                                                  "aten::transpose.int",
                                                  "aten::as_strided",
                                                  "aten::resize_",
                                                  "aten::t",
                                                  "aten::detach",
                                                  "aten::zero_",
                                                  "aten::fill_.Scalar",
                                                  "aten::set_.source_Tensor",
                                                  "aten::clone",
                                                  "aten::cat",
                                                  "aten::select.int",
                                                  "aten::_local_scalar_dense",
                                                  "aten::expand",
                                                  "aten::equal",
                                                  "aten::mul_.Tensor",
                                                  "aten::squeeze_",
                                                  "aten::new_empty",
                                                  "aten::copy_",
                                                  "torch::sym_float",
                                                  "aten::unique_consecutive"};
    const Registry& registry = Registry::builtin();
    if (random_.chance(60)) {
      const OpId known = registry.find(random_.one_of(kOften));
      if (known != kNoOp) return registry.entry(known);
    }
    return registry.entries()[random_.below(registry.entries().size())];
  }
  json call() {
    const OpEntry& op = any_op();
    json args = json::array();
    for (const Argument& each : op.schema.arguments) {
      if (each.has_default && random_.chance(75)) break;
      args.push_back(argument(each));
    }
    const bool makes_number = op.schema.name.find("sym_") != std::string_view::npos;
    return {{"do", "call"},
            {"op", random_.or_wild(op.name)},
            {"args", random_.or_wild(args)},
            {"as", random_.or_wild(makes_number ? new_number() : new_tensor())}};
  }
  json define() {
    static constexpr std::string_view kSchemas[] = {
        "(Tensor x, SymInt[1] s=[-1.5]) -> Tensor",
        "(Tensor x, int[2] s=3) -> Tensor",
        "(Tensor(a!) x) -> ()",
        "(Tensor x, float y=1.5, bool z=True) -> Tensor[]",
        "(Tensor x) -> SymInt",
        "(Tensor? x, str s=\"a\") -> (Tensor, int)",
        "(Tensor x, ScalarType t=99) -> Tensor",
        "(Tensor x, int[65538] s=0) -> Tensor",
        "(Tensor x, float[2] s=1) -> float",
        "(Tensor x) -> Tensor",
        "((",
        "(Tensor x, int y=) -> Tensor"};
    json made = {{"do", "define"},
                 {"name", random_.or_wild(random_.chance(80) ? "mylib::f" : "mylib::g")},
                 {"schema", random_.or_wild(random_.one_of(kSchemas))}};
    if (random_.chance(20)) {
      std::string schema = made["schema"].is_string() ? made["schema"].get<std::string>() : "";
      made["schema"] = random_.damaged(std::move(schema), kSchemas[0]);
      // Bytes that are not UTF-8 cannot stand in JSON.
      made["schema"] =
          json::parse(made.dump(-1, ' ', false, json::error_handler_t::replace))["schema"];
    }
    if (random_.chance(70)) {
      json steps = json::array();
      if (random_.chance(50))
        steps.push_back({{"do", "new_dynamic_size"}, {"as", "s"}, {"min", random_.or_wild(0)}});
      if (random_.chance(50))
        steps.push_back(
            {{"do", "call"},
             {"op", random_.chance(60) ? "aten::new_empty.default" : "mylib::f.default"},
             {"args", json::array({{{"ref", "x"}},
                                   random_.chance(40) ? json::array({2}) : json{{"ref", "s"}}})},
             {"as", "o"}});
      made["fake"] =
          random_.or_wild({{"params", json::array({"x", "s"})},
                           {"steps", random_.or_wild(steps)},
                           {"return", random_.or_wild({{"ref", random_.chance(60) ? "o" : "x"}})}});
    }
    return made;
  }
  json call_custom() {
    return {{"do", "call"},
            {"op", random_.chance(70) ? "mylib::f.default" : "mylib::g.default"},
            {"args", random_.or_wild(json::array({tensor_ref()}))},
            {"as", new_tensor()}};
  }

  // --- numbers ---

  json tree(int depth = 0) {
    static constexpr std::string_view kBinary[] = {
        "add",     "sub", "mul", "floordiv", "mod",    "eq",     "lt", "max",
        "truediv", "pow", "and", "nonsense", "lshift", "rshift", "ge", "ne"};
    static constexpr std::string_view kUnary[] = {"neg",   "float", "int",  "abs", "not",
                                                  "floor", "ceil",  "sqrt", "bool"};
    switch (random_.below(depth > 3 ? 3 : 6)) {
      case 0:
        return random_.or_wild(random_.number());
      case 1:
        return any_number();
      case 2:
        return {{"size", json::array({any_tensor(), random_.or_wild(random_.integer())})}};
      case 3:
        return json::array({random_.one_of(kUnary), tree(depth + 1)});
      default:
        return json::array({random_.one_of(kBinary), tree(depth + 1), tree(depth + 1)});
    }
  }
  json symbol() {
    static constexpr std::string_view kKinds[] = {"unbacked_int", "unbacked_bool", "unbacked_float",
                                                  "size",         "float",         "unspecified",
                                                  "nonsense"};
    return {{"do", "new_symbol"},
            {"kind", random_.or_wild(random_.one_of(kKinds))},
            {"source", random_.or_wild("s")},
            {"value", random_.or_wild(random_.number())},
            {"as", new_number()}};
  }
  json guard() {
    static constexpr std::string_view kHows[] = {"bool",
                                                 "int",
                                                 "float",
                                                 "scalar",
                                                 "python_index",
                                                 "check",
                                                 "check_is_size",
                                                 "constrain_unify",
                                                 "expect_true",
                                                 "guard_or_false",
                                                 "guard_size_oblivious",
                                                 "statically_known_true",
                                                 "is_concrete_int",
                                                 "has_static_value",
                                                 "has_guarding_hint",
                                                 "optimization_hint",
                                                 "sym_constrain_range",
                                                 "sym_constrain_range_for_size",
                                                 "constrain_range",
                                                 "constrain_range_for_size",
                                                 "python_int",
                                                 "nonsense"};
    json made = {{"do", "guard"},
                 {"how", random_.or_wild(random_.one_of(kHows))},
                 {"expr", random_.or_wild(tree())}};
    if (random_.chance(40)) made["min"] = random_.or_wild(random_.integer());
    if (random_.chance(40)) made["max"] = random_.or_wild(random_.integer());
    if (random_.chance(20)) made["with"] = random_.or_wild(tree());
    if (random_.chance(10)) made["fallback"] = random_.or_wild(random_.integer());
    return made;
  }

  // --- attributes ---

  json attribute() {
    static constexpr std::string_view kGet[] = {
        "device",       "dtype",       "shape",
        "grad",         "_base",       "_version",
        "grad_fn",      "grad.device", "fake_device",
        "fake_mode",    "constant",    "item_memo",
        "nonzero_memo", "epoch",       "static_shapes",
        "shape_env",    "nbytes",      "in_kernel_invocation",
        "nonsense"};
    static constexpr std::string_view kSet[] = {"fake_device", "requires_grad",        "grad",
                                                "device",      "allow_scalar_outputs", "nonsense"};
    static constexpr std::string_view kMethods[] = {
        "item",     "tolist",    "bool",     "int",           "float", "numpy",
        "size",     "stride",    "numel",    "is_contiguous", "type",  "requires_grad_",
        "cuda",     "long",      "clone",    "detach",        "t",     "nonsense",
        "data_ptr", "__index__", "squeeze_", "nonzero"};
    switch (random_.below(3)) {
      case 0:
        return {{"do", "get"},
                {"arg", random_.chance(80) ? any_tensor() : any_mode()},
                {"name", random_.or_wild(random_.one_of(kGet))}};
      case 1:
        return {{"do", "set"},
                {"arg", random_.chance(85) ? any_tensor() : any_mode()},
                {"name", random_.or_wild(random_.one_of(kSet))},
                {"value", random_.chance(40)   ? random_.value()
                          : random_.chance(50) ? json(random_.device())
                                               : tensor_ref()}};
      default:
        return {{"do", "method"},
                {"arg", any_tensor()},
                {"name", random_.or_wild(random_.one_of(kMethods))},
                {"as", new_tensor()}};
    }
  }
  json enter() {
    static constexpr std::string_view kContexts[] = {
        "autocast_cpu_bfloat16", "ignore_fresh_unbacked_symbols",
        "inference_mode",        "no_grad",
        "suppress_guards",       "unset_fake_temporarily",
        "default_dtype_float64", "default_dtype_int64",
        "default_dtype_",        "device_cuda",
        "device_meta",           "device_nonsense",
        "in_kernel_invocation",  "nonsense"};
    return {{"do", "enter"},
            {"context", random_.or_wild(random_.one_of(kContexts))},
            {"of", any_mode()}};
  }

  json description() {
    json made = {{"id", random_.below(3)},
                 {"size", random_.or_wild(random_.sizes())},
                 {"dtype", "torch.float32"},
                 {"device", random_.or_wild("device(type='cuda', index=1)")},
                 {"storage", random_.or_wild(0)}};
    made["stride"] = random_.or_wild(dims_like(made["size"]));
    if (random_.chance(20)) made["layout"] = "torch." + random_.layout();
    if (random_.chance(20)) made["sparse_dim"] = random_.or_wild(random_.integer());
    if (random_.chance(20)) made["storage_offset"] = random_.or_wild(random_.integer());
    if (random_.chance(20)) made["base"] = random_.or_wild(random_.below(3));
    if (random_.chance(20)) made["grad"] = random_.or_wild(random_.below(3));
    if (random_.chance(20)) made["requires_grad"] = random_.or_wild(true);
    return made;
  }

  json on_tensor(const char* kind) {
    return {{"do", kind}, {"arg", any_tensor()}, {"as", new_tensor()}};
  }
  json on_tensors(const char* kind) {
    return {{"do", kind}, {"args", random_.or_wild(json::array({any_tensor(), any_tensor()}))}};
  }

  json step() {
    switch (random_.below(30)) {
      case 0:
      case 1:
        return real();
      case 2:
      case 3:
        return from_tensor();
      case 4:
        return mode();
      case 5:
      case 6:
        return attribute();
      case 7:
        return enter();
      case 8:
        return {{"do", "exit"}};
      case 9:
      case 10:
        return guard();
      case 11:
        return symbol();
      case 12:
        return {{"do", "sym"}, {"expr", random_.or_wild(tree())}, {"as", new_number()}};
      case 13:
        return {{"do", "query"}, {"expr", random_.or_wild(tree())}};
      case 14:
        return define();
      case 15:
        return call_custom();
      case 16: {
        static constexpr const char* kOne[] = {"deepcopy",     "repr",    "class",    "is_fake",
                                               "is_parameter", "value",   "backward", "delete",
                                               "pickle",       "unpickle"};
        return on_tensor(random_.one_of(kOne));
      }
      case 17:
        return on_tensors(random_.chance(50) ? "is" : "same_storage");
      case 18: {
        static constexpr const char* kPlain[] = {"cache_info", "cache_clear", "describe",
                                                 "freeze",     "epoch",       "detect_fake_mode"};
        return {{"do", random_.one_of(kPlain)},
                {"mode", any_mode()},
                {"args", random_.or_wild(json::array({tensor_ref()}))}};
      }
      case 19:
        return {{"do", "produce_guards"},
                {"args", random_.or_wild(json::array({any_tensor()}))},
                {"sources", random_.or_wild(json::array({"x"}))},
                {"dynamic", random_.or_wild(json::array({dynamic()}))},
                {"constraints", random_.or_wild(json::array({constraints()}))}};
      case 20:
        return on_tensors(random_.chance(50) ? "guards_expression" : "fake_copy");
      case 21:
        return {{"do", random_.chance(50) ? "from_meta" : "construct"},
                {"mode", any_mode()},
                {"arg", any_tensor()},
                {"device", random_.or_wild(random_.device())},
                {"as", new_tensor()}};
      case 22:
        return {
            {"do", "wrap_constant"}, {"mode", any_mode()}, {"data", data()}, {"as", new_tensor()}};
      case 23:
        return {{"do", "from_descriptions"},
                {"mode", any_mode()},
                {"records",
                 random_.or_wild(json::array(
                     {{{"id", 0}, {"size", random_.or_wild(48)}}, description(), description()}))},
                {"as", random_.or_wild(json::array({new_tensor(), new_tensor()}))}};
      case 24:
        return {{"do", "unbacked_bindings"}, {"value", random_.or_wild(tensor_ref())}};
      case 25:
        return {{"do", "rename_unbacked"}, {"from", any_number()}, {"to", any_number()}};
      default:
        return call();
    }
  }

  RandomJson random_;
  std::string last_ = "[]";
  size_t tensors_ = 0;
  size_t modes_ = 0;
  size_t numbers_ = 0;
};

// The steps that were answered with a result. Anything but an Error passes through and ends the
// run.
size_t answered(const std::string& transcript) {
  size_t results = 0;
  try {
    const json steps = parse_json(transcript, "transcript");
    SessionRunner runner;
    for (const json& step : list_of(steps, "steps")) {
      std::string out;
      JsonWriter writer(out);
      runner.run(writer, step);
      results += out.starts_with("{\"result\"") ? 1 : 0;
    }
  } catch (const Error&) {
    // refused as a whole
  }
  return results;
}

int run(uint64_t seed, uint64_t transcripts, bool show) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  RandomTranscripts random(seed);
  uint64_t results = 0;
  for (uint64_t i = 0; i < transcripts; ++i) {
    const std::string transcript = random.next();
    if (show) std::printf("%llu %s\n", static_cast<unsigned long long>(i), transcript.c_str());
    if (show) std::fflush(stdout);
    results += answered(transcript);
  }
  std::printf("%llu transcripts, %llu steps with a result\n",
              static_cast<unsigned long long>(transcripts),
              static_cast<unsigned long long>(results));
  return 0;
}

}  // namespace
}  // namespace faketensor

int main(int argc, char** argv) {
  const faketensor::CommandLine line(argc, argv, {"--show"}, {"--seed", "--transcripts"});
  return faketensor::run(line.number("--seed", 1), line.number("--transcripts", 100'000),
                         line.has("--show"));
}
