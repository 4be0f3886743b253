// Reads damaged and made-up values until something other than a value or a typed error comes out.
//
//   fuzz_values --values|--typed [--seed N] [--iterations N]
//   fuzz_values --inputs|--options FOLDER [--seed N] [--iterations N]
//
// --values: JSON values and the calls they are arguments of; --typed: values as they are typed in a
// terminal; --inputs: documents of --inputs; --options: options of JavaScript, these two for the
// .pt2 files of FOLDER. What is read is used: a call is made, a program propagated. A run is
// determined by its seed. Build it in the preset `sanitizers`.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "command_line.h"
#include "core/command/value_text.h"
#include "core/formats/json_fields.h"
#include "core/formats/text.h"
#include "core/io/call_json.h"
#include "core/io/open.h"
#include "core/io/options_json.h"
#include "core/io/value_json.h"
#include "core/symbolic/shape_env.h"
#include "random_json.h"

namespace faketensor {
namespace {

using json = nlohmann::json;

class Fuzzer {
 public:
  explicit Fuzzer(uint64_t seed) : random_(seed) {}
  virtual ~Fuzzer() = default;
  // False where the input is refused with an Error; anything else thrown ends the run.
  bool try_once() {
    try {
      once();
      return true;
    } catch (const Error&) {
      return false;
    }
  }

 protected:
  virtual void once() = 0;

  // As a caller would write it: whole, disturbed, or damaged text.
  json parsed(json made) {
    if (random_.chance(30)) random_.disturb(made);
    std::string text = made.dump();
    if (random_.chance(15)) text = random_.damaged(std::move(text), last_);
    last_ = text;
    return parse_json(text, "input");
  }

  RandomJson random_;
  std::string last_ = "[]";
};

// --- values and calls ---

class ValueFuzzer final : public Fuzzer {
 public:
  using Fuzzer::Fuzzer;

 private:
  json tensor() {
    json made = {{"t", random_.below(4)},
                 {"size", random_.or_wild(random_.sizes())},
                 {"dtype", random_.or_wild(random_.dtype())}};
    const auto add = [&](size_t percent, const char* name, const json& value) {
      if (random_.chance(percent)) made[name] = random_.or_wild(value);
    };
    add(40, "stride", random_.sizes());
    add(30, "offset", random_.integer());
    add(50, "device", random_.device());
    add(15, "layout", random_.layout());
    add(15, "sparse_dim", random_.integer());
    add(15, "dense_dim", random_.integer());
    add(10, "nnz", random_.integer());
    add(5, "blocksize", random_.sizes());
    add(5, "index_dtype", random_.dtype());
    add(40, "storage", random_.below(3));
    add(40, "nbytes", random_.integer());
    add(10, "requires_grad", true);
    add(5, "conj", true);
    add(20, "const", random_.number());
    if (random_.chance(10)) made["size"] = json::array({random_.expression(), 2});
    return made;
  }
  json argument() {
    return random_.chance(50) ? tensor() : random_.chance(30) ? random_.sizes() : random_.value();
  }

  void once() override {
    FakeTensorMode mode;
    if (random_.chance(30)) {
      auto env = std::make_shared<ShapeEnv>();
      env->create_backed("s0", 4, ValueRange::ints(2, kIntInfinity));
      env->create_unbacked_int();
      mode.attach_shape_env(std::move(env));
    }
    ValueReader reader(mode);
    const std::span<const OpEntry> ops = Registry::builtin().entries();
    const OpEntry& op = ops[random_.below(ops.size())];
    json args = json::array();
    for (const Argument& each : op.schema.arguments) {
      if (each.has_default && random_.chance(70)) break;
      args.push_back(each.type.kind == ArgKind::kTensor && random_.chance(90) ? tensor()
                                                                              : argument());
    }
    const json given = parsed(args);
    ValueWriter writer;
    const std::vector<Value> values =
        bind_arguments(op.schema, given, json::object(), reader, &writer);
    const Outcome outcome = mode.call(op.id, values);
    std::string text;
    JsonWriter out(text);
    if (!outcome.error) writer.write(out, outcome.value);
    // What was read leaves the reader as it was: the next value can be read.
    reader.read(json::array({json::array({1, 2})}));
  }
};

// --- documents of --inputs, options of JavaScript ---

class ProgramFuzzer : public Fuzzer {
 public:
  ProgramFuzzer(uint64_t seed, const std::string& folder) : Fuzzer(seed) {
    std::vector<std::filesystem::path> paths;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() == ".pt2") paths.push_back(file.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) archives_.push_back(read_all(FileSource(path.string()), {}));
  }

 protected:
  // One of the programs, opened anew now and then: what its runs learn stays in it.
  const Program& program() {
    if (!program_ || random_.below(200) == 0) {
      const std::string& archive = archives_[random_.below(archives_.size())];
      program_ = std::make_unique<Program>(open_program(MemorySource(archive), "fuzz.pt2"));
      inputs_.clear();
      for (Row i = 0; i < program_->inputs.size(); ++i)
        inputs_.emplace_back(program_->plan().name_of(i));
    }
    return *program_;
  }
  std::string input() {
    return inputs_.empty() || random_.chance(3) ? "z" : inputs_[random_.below(inputs_.size())];
  }
  json override_of() {
    json made = json::object();
    if (random_.chance(80)) made["size"] = random_.or_wild(random_.sizes());
    if (random_.chance(30)) made["stride"] = random_.or_wild(random_.sizes());
    if (random_.chance(30)) made["dtype"] = random_.or_wild(random_.dtype());
    if (random_.chance(30)) made["device"] = random_.or_wild(random_.device());
    return made;
  }
  json inputs() {
    json made = json::object();
    for (size_t left = random_.below(3); left > 0; --left)
      made[input()] = random_.or_wild(override_of());
    return made;
  }

 private:
  std::vector<std::string> archives_;
  std::unique_ptr<Program> program_;
  std::vector<std::string> inputs_;
};

class InputsFuzzer final : public ProgramFuzzer {
 public:
  using ProgramFuzzer::ProgramFuzzer;

 private:
  void once() override {
    const Program& of = program();
    PropagateOptions options;
    options.inputs = read_overrides(member(parsed({{"inputs", inputs()}}), "inputs"));
    (void)propagate(of, options);
  }
};

class OptionsFuzzer final : public ProgramFuzzer {
 public:
  using ProgramFuzzer::ProgramFuzzer;

 private:
  json profiles() {
    const json metadata = {{"rank", random_.integer()},
                           {"dtype", random_.dtype()},
                           {"device", random_.device()},
                           {"layout", random_.layout()}};
    return json::array({json::array(
        {"mylib.foo.default", json::array({json{{"args", json::array({random_.or_wild(metadata)})},
                                                {"out", random_.or_wild(metadata)}}})})});
  }
  json options() {
    json made = json::object();
    const auto add = [&](size_t percent, const char* name, const json& value) {
      if (random_.chance(percent)) made[name] = random_.or_wild(value);
    };
    add(50, "dims", {{"batch", random_.or_wild(random_.integer())}});
    add(20, "dims", {{input() + ".1", random_.or_wild(random_.integer())}});
    add(30, "inputs", inputs());
    add(15, "dtype", random_.dtype());
    add(15, "device", random_.device());
    add(10, "memoryFormat", "channels_last");
    add(10, "target", random_.chance(80) ? "h100" : "abacus");
    add(10, "pythonDispatcher", random_.chance(50));
    add(10, "stopAtFirstError", random_.chance(50));
    add(10, "literal", random_.chance(50));
    add(5, "assume", {{input() + "." + std::to_string(random_.below(3)), "literal"}});
    add(10, "profiles", profiles());
    add(2, "unknown", random_.value());
    return made;
  }

  void once() override {
    const Program& of = program();
    switch (random_.below(6)) {
      case 0:
        (void)read_mode_options(parsed({{"target", "cuda"}, {"shapeEnv", random_.value()}}));
        return;
      case 1:
        (void)read_what_if(parsed({{"symbols", {{"s0", random_.value()}}},
                                   {"nodes", json::array({"x", random_.value()})}}));
        (void)read_indices(parsed(random_.sizes()), "modules");
        return;
      default:
        (void)propagate_retargeted(of, read_propagate_options(parsed(options())));
    }
  }
};

// --- typed values ---

class TypedFuzzer final : public Fuzzer {
 public:
  using Fuzzer::Fuzzer;

 private:
  std::string sizes(char open, char close) {
    std::string text(1, open);
    for (size_t i = 0, count = random_.below(4); i < count; ++i) {
      if (i > 0) text += ',';
      text += std::to_string(random_.chance(90) ? static_cast<int64_t>(random_.below(4))
                                                : random_.integer());
    }
    return text + close;
  }
  std::string tensor() {
    std::string text = (random_.chance(80) ? "f32" : "i64") + sizes('[', ']');
    if (random_.chance(10)) text += sizes('{', '}');
    if (random_.chance(10)) text += "@" + random_.device();
    return text;
  }
  // What the argument is likely to take.
  std::string typed_for(const ArgType& type) {
    if (type.kind == ArgKind::kTensor)
      return type.is_list ? "[" + tensor() + "," + tensor() + "]" : tensor();
    if (type.is_list) return sizes('[', ']');
    switch (type.kind) {
      case ArgKind::kInt:
        return std::to_string(random_.integer());
      case ArgKind::kFloat:
      case ArgKind::kScalar:
        return random_.number().dump();
      case ArgKind::kBool:
        return random_.chance(50) ? "True" : "False";
      case ArgKind::kDType:
        return random_.dtype();
      case ArgKind::kDevice:
        return random_.device();
      case ArgKind::kLayout:
        return random_.layout();
      default:
        return typed();
    }
  }
  std::string typed() {
    static constexpr std::string_view kWords[] = {"None",
                                                  "True",
                                                  "1.5",
                                                  "-1",
                                                  "cuda",
                                                  "strided",
                                                  "channels_last",
                                                  "float32",
                                                  "[",
                                                  "]",
                                                  "[12",
                                                  "[1]]",
                                                  "{}",
                                                  "[[1],[2]]",
                                                  "f32",
                                                  "f32[",
                                                  "nan",
                                                  "-inf",
                                                  "1e999",
                                                  "[,]",
                                                  "[1,]",
                                                  "f32[2]{1}@cuda",
                                                  "f32]2[",
                                                  "f32[2]{1",
                                                  "e",
                                                  "[None,f32[2]]",
                                                  "9223372036854775808",
                                                  "f32[2]@",
                                                  "@cpu",
                                                  "[f32[2],[3]]"};
    switch (random_.below(4)) {
      case 0:
        return std::string(random_.one_of(kWords));
      case 1:
        return sizes('[', ']');
      case 2:
        return "[" + typed() + "," + typed() + "]";
      default:
        return tensor();
    }
  }

  void once() override {
    FakeTensorMode mode;
    const std::span<const OpEntry> ops = Registry::builtin().entries();
    const OpEntry& op = ops[random_.below(ops.size())];
    std::vector<Value> values;
    for (const Argument& each : op.schema.arguments) {
      if (each.has_default && random_.chance(70)) break;
      std::string text = random_.chance(85) ? typed_for(each.type) : typed();
      if (random_.chance(10)) text = random_.damaged(std::move(text), last_);
      values.push_back(parse_value(mode, text, each.type));
      last_ = std::move(text);
    }
    (void)mode.call(op.id, values);
  }
};

int run(Fuzzer&& fuzzer, uint64_t seed, uint64_t iterations) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  uint64_t read = 0;
  for (uint64_t i = 0; i < iterations; ++i) read += fuzzer.try_once() ? 1 : 0;
  std::printf("%llu inputs, %llu read\n", static_cast<unsigned long long>(iterations),
              static_cast<unsigned long long>(read));
  return 0;
}

int run(const CommandLine& line) {
  const uint64_t seed = line.number("--seed", 1);
  const uint64_t iterations = line.number("--iterations", 100'000);
  if (line.has("--values")) return run(ValueFuzzer(seed), seed, iterations);
  if (line.has("--typed")) return run(TypedFuzzer(seed), seed, iterations);
  if (line.has("--inputs")) return run(InputsFuzzer(seed, line.rest()), seed, iterations);
  if (line.has("--options")) return run(OptionsFuzzer(seed, line.rest()), seed, iterations);
  std::fprintf(stderr, "one of --values, --typed, --inputs and --options is to be given\n");
  return 2;
}

}  // namespace
}  // namespace faketensor

int main(int argc, char** argv) {
  return faketensor::run(faketensor::CommandLine(
      argc, argv, {"--values", "--typed", "--inputs", "--options"}, {"--seed", "--iterations"}));
}
