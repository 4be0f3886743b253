// Runs random programs of operators once with symbolic sizes and then with numbers: what was
// answered about symbols has to hold for every size that the guards admit.
//
//   fuzz_symbolic [--programs N] [--seed N] [--first N] [--show]
//
// Program number i of a seed is the same everywhere. Its inputs have symbolic sizes with hints;
// each step calls an operator with earlier results and numbers, some of which are sizes of them.
// Then the sizes are assigned at random, kAssignments times, the first time the hints themselves.
// Where the guards hold, every step must answer what its symbolic answer says when evaluated, or
// raise where that raised; for the hints they must hold.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "core/mode/mode.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/evaluate.h"
#include "core/symbolic/shape_env.h"
#include "random_edits.h"

namespace faketensor {
namespace {

constexpr int kAssignments = 50;
constexpr size_t kMaxSteps = 6;
constexpr int64_t kLargestSize = 12;

struct Options {
  uint64_t programs = 1000;
  uint64_t seed = 1;
  uint64_t first = 0;
  bool show = false;
};

Options parse_options(int argc, char** argv) {
  const CommandLine line(argc, argv, {"--show"}, {"--programs", "--seed", "--first"});
  Options options;
  options.programs = line.number("--programs", options.programs);
  options.seed = line.number("--seed", options.seed);
  options.first = line.number("--first", options.first);
  options.show = line.has("--show");
  return options;
}

// --- programs ---

// A number: a constant, or a size of an earlier value, times a factor.
struct Count {
  int tensor = -1;  // none: the constant
  int64_t dim = 0;
  int64_t factor = 1;
};

struct Arg {
  enum class Kind { kTensor, kTensors, kInt, kInts, kBool, kNone } kind = Kind::kNone;
  std::vector<int> tensors = {};
  std::vector<Count> ints = {};
};

struct Step {
  std::string_view op;
  std::vector<Arg> args;
};

struct Input {
  std::vector<int> symbols;  // per dimension: a symbol's number, or -1 - size for a plain one
};

struct Program {
  std::vector<int64_t> hints;  // of the symbols
  std::vector<Input> inputs;
  std::vector<Step> steps;
};

Arg tensor(int index) { return {.kind = Arg::Kind::kTensor, .tensors = {index}}; }
Arg integer(int64_t value) { return {.kind = Arg::Kind::kInt, .ints = {{-1, 0, value}}}; }
Arg integers(std::vector<Count> values) {
  return {.kind = Arg::Kind::kInts, .ints = std::move(values)};
}
Arg boolean(bool value) { return {.kind = Arg::Kind::kBool, .ints = {{-1, 0, value ? 1 : 0}}}; }

class Generator {
 public:
  Generator(uint64_t seed, uint64_t number)
      : random_(seed * 0x9E3779B97F4A7C15u ^ number * 0xD1B54A32D192ED03u) {}

  Program inputs() {
    Program program;
    const size_t symbols = 1 + below(4);
    for (size_t i = 0; i < symbols; ++i)
      program.hints.push_back(2 + static_cast<int64_t>(below(8)));
    const size_t count = 1 + below(3);
    const size_t rank = 1 + below(4);
    for (size_t i = 0; i < count; ++i) {
      Input input;
      for (size_t d = 0; d < (chance(80) ? rank : 1 + below(4)); ++d) {
        const bool plain = chance(20);
        input.symbols.push_back(plain ? -1 - static_cast<int>(1 + below(6))
                                      : static_cast<int>(below(symbols)));
      }
      // Often like the first, so that they fit together.
      if (i > 0 && chance(50)) input = program.inputs[0];
      program.inputs.push_back(input);
    }
    return program;
  }

  // A call with the values so far, whose ranks these are.
  Step step(const std::vector<int64_t>& ranks) {
    const int a = static_cast<int>(below(ranks.size()));
    const int b = static_cast<int>(below(ranks.size()));
    const int64_t rank = ranks[static_cast<size_t>(a)];
    const int64_t dim = dimension(rank);
    const Arg self = tensor(a);
    static constexpr std::string_view kUnary[] = {"aten::relu",    "aten::exp",   "aten::neg",
                                                  "aten::sigmoid", "aten::clone", "aten::sqrt"};
    static constexpr std::string_view kBinary[] = {"aten::add.Tensor", "aten::mul.Tensor",
                                                   "aten::sub.Tensor", "aten::div.Tensor",
                                                   "aten::maximum",    "aten::atan2"};
    switch (below(24)) {
      case 0:
        return {kUnary[below(std::size(kUnary))], {self}};
      case 1:
      case 2:
      case 3:
        return {kBinary[below(std::size(kBinary))], {self, tensor(b)}};
      case 4:
        return {"aten::sum.dim_IntList", {self, integers({{-1, 0, dim}}), boolean(chance(50))}};
      case 5:
        return {"aten::mean.dim", {self, integers({{-1, 0, dim}}), boolean(chance(50))}};
      case 6:
        return {"aten::softmax.int", {self, integer(dim)}};
      case 7:
        return {"aten::cumsum", {self, integer(dim)}};
      case 8:
        return {"aten::transpose.int", {self, integer(dim), integer(dimension(rank))}};
      case 9:
        return {"aten::unsqueeze", {self, integer(dimension(rank + 1))}};
      case 10:
        return {"aten::squeeze.dim", {self, integer(dim)}};
      case 11:
        return {"aten::slice.Tensor", {self, integer(dim), integer(small()), integer(small() + 2)}};
      case 12:
        return {"aten::select.int", {self, integer(dim), integer(static_cast<int64_t>(below(2)))}};
      case 13:
        return {"aten::narrow", {self, integer(dim), integer(small()), integer(small())}};
      case 14:
        return {"aten::flatten.using_ints", {self, integer(0), integer(dim)}};
      case 15:
        return {"aten::reshape", {self, reversed_sizes(a, rank)}};
      case 16:
        return {"aten::view", {self, integers({{-1, 0, -1}})}};
      case 17:
        return {"aten::matmul", {self, tensor(b)}};
      case 18: {
        Arg list = {.kind = Arg::Kind::kTensors, .tensors = {a, chance(60) ? a : b}};
        return {chance(50) ? "aten::cat" : "aten::stack", {list, integer(dim)}};
      }
      case 19:
        return {"aten::constant_pad_nd", {self, integers({{-1, 0, small()}, {-1, 0, small()}})}};
      case 20:
        return {"aten::max_pool2d", {self, integers({{-1, 0, 2}, {-1, 0, 2}}), integers({})}};
      case 21:
        return {"aten::avg_pool2d",
                {self, integers({{-1, 0, 2}, {-1, 0, 2}}), integers({{-1, 0, 1}, {-1, 0, 2}})}};
      case 22:
        return {"aten::expand", {self, doubled_sizes(a, rank)}};
      default:
        return {"aten::contiguous", {self}};
    }
  }

 private:
  size_t below(size_t bound) { return random_.below(bound); }
  bool chance(size_t percent) { return below(100) < percent; }
  int64_t small() { return static_cast<int64_t>(below(3)); }
  int64_t dimension(int64_t rank) {
    return rank == 0 ? 0 : static_cast<int64_t>(below(static_cast<size_t>(rank)));
  }
  Arg reversed_sizes(int a, int64_t rank) {
    std::vector<Count> sizes;
    for (int64_t d = rank; d-- > 0;) sizes.push_back({a, d, 1});
    return integers(std::move(sizes));
  }
  // As they are, with a new dimension before them.
  Arg doubled_sizes(int a, int64_t rank) {
    std::vector<Count> sizes = {{-1, 0, 2}};
    for (int64_t d = 0; d < rank; ++d) sizes.push_back({a, d, 1});
    return integers(std::move(sizes));
  }

  RandomEdits random_;
};

// --- running ---

// What a step answered: tensors, or the class that it raised.
struct Answer {
  const TensorMeta* meta = nullptr;
  SymInt nbytes = 0;
  std::string raised;
};

SymInt number(const Count& value, const std::vector<Tensor*>& tensors) {
  if (value.tensor < 0) return value.factor;
  return tensors[static_cast<size_t>(value.tensor)]->size(value.dim) * value.factor;
}

Value argument(Context& context, const Arg& arg, const std::vector<Tensor*>& tensors) {
  switch (arg.kind) {
    case Arg::Kind::kTensor:
      return Value(tensors[static_cast<size_t>(arg.tensors[0])]);
    case Arg::Kind::kTensors: {
      SmallVector<Value, 4> values;
      for (const int index : arg.tensors)
        values.push_back(Value(tensors[static_cast<size_t>(index)]));
      return context.make_list(values.span());
    }
    case Arg::Kind::kInt:
      return number(arg.ints[0], tensors);
    case Arg::Kind::kInts: {
      DimVector values;
      for (const Count& value : arg.ints) values.push_back(number(value, tensors));
      return context.make_ints(values);
    }
    case Arg::Kind::kBool:
      return Value(arg.ints[0].factor != 0);
    case Arg::Kind::kNone:
      break;
  }
  return Value();
}

class Run {
 public:
  Run(const Program& program, const std::vector<SymInt>& sizes) {
    for (const Input& input : program.inputs) {
      DimVector dims;
      for (const int symbol : input.symbols)
        dims.push_back(symbol < 0 ? SymInt(-1 - symbol) : sizes[static_cast<size_t>(symbol)]);
      tensors.push_back(mode.context().empty(dims, DType::kFloat32, Device{}));
    }
  }

  Answer call(const Step& step) {
    Answer answer;
    Context& context = mode.context();
    try {
      std::vector<Value> args;
      for (const Arg& arg : step.args) args.push_back(argument(context, arg, tensors));
      const Value result = context.call(Registry::builtin().find(step.op), args);
      Tensor& tensor = result.tensor();
      tensors.push_back(&tensor);
      answer.meta = tensor.meta;
      answer.nbytes = tensor.storage->nbytes;
    } catch (const Error& error) {
      answer.raised = std::string(error.class_name());
      last_message = error.message();
    }
    return answer;
  }

  FakeTensorMode mode;
  std::vector<Tensor*> tensors;
  std::string last_message;
};

std::optional<int64_t> evaluated(SymInt value, const Assignment& assignment) {
  if (!value.is_symbolic()) return value.as_int();
  const std::optional<Number> number = evaluate(value.node(), assignment);
  return number ? std::optional<int64_t>(number->integer) : std::nullopt;
}

bool equal_dims(Dims symbolic, Dims plain, const Assignment& assignment) {
  if (symbolic.size() != plain.size()) return false;
  for (size_t i = 0; i < plain.size(); ++i) {
    if (evaluated(symbolic[i], assignment) != plain[i].as_int()) return false;
  }
  return true;
}

// Strides of dimensions of size 1 say nothing, and PyTorch's own differ: relu of [8, 1] with
// strides (1, 8) keeps them, of [s0, 1] with strides (1, s0) it gives (1, 1).
bool equal_layouts(const TensorMeta& symbolic, const TensorMeta& plain,
                   const Assignment& assignment) {
  if (plain.numel().as_int() == 0) return true;
  for (size_t i = 0; i < plain.sizes().size(); ++i) {
    if (plain.sizes()[i].as_int() == 1) continue;
    if (evaluated(symbolic.strides()[i], assignment) != plain.strides()[i].as_int()) return false;
  }
  return true;
}

// What differs, empty for nothing.
std::string difference(const Answer& symbolic, const Answer& plain, const Assignment& assignment) {
  if (symbolic.raised.empty() != plain.raised.empty()) {
    return format("symbolic {}, plain {}", symbolic.raised.empty() ? "answers" : symbolic.raised,
                  plain.raised.empty() ? "answers" : plain.raised);
  }
  if (!symbolic.raised.empty()) return {};
  if (symbolic.meta->dtype() != plain.meta->dtype()) return "dtypes differ";
  if (!equal_dims(symbolic.meta->sizes(), plain.meta->sizes(), assignment))
    return format("sizes {} and {}", symbolic.meta->sizes(), plain.meta->sizes());
  const bool is_empty = plain.meta->numel().as_int() == 0;
  if (!equal_layouts(*symbolic.meta, *plain.meta, assignment))
    return format("strides {} and {}", symbolic.meta->strides(), plain.meta->strides());
  if (evaluated(symbolic.meta->offset(), assignment) != plain.meta->offset().as_int())
    return format("offsets {} and {}", symbolic.meta->offset(), plain.meta->offset());
  if (!is_empty && evaluated(symbolic.nbytes, assignment) != plain.nbytes.as_int())
    return format("bytes {} and {}", symbolic.nbytes, plain.nbytes);
  return {};
}

bool guards_hold(const ShapeEnv& env, const Assignment& assignment) {
  for (const Guard& guard : env.guards()) {
    const std::optional<Number> value = evaluate(guard.condition, assignment);
    if (!value || value->integer == 0) return false;
  }
  return true;
}

struct Totals {
  uint64_t runs = 0;  // concrete runs whose sizes the guards admit
  uint64_t steps = 0;
  uint64_t raised = 0;
};

std::string describe(const Program& program) {
  std::string text = "hints";
  for (const int64_t hint : program.hints) text += format(" {}", hint);
  for (const Input& input : program.inputs) {
    text += "; input";
    for (const int symbol : input.symbols)
      text += symbol < 0 ? format(" {}", -1 - symbol) : format(" s{}", symbol);
  }
  for (const Step& step : program.steps) {
    text += format("\n    {}", step.op);
    for (const Arg& arg : step.args) {
      for (const int index : arg.tensors) text += format(" %{}", index);
      for (const Count& value : arg.ints)
        text += value.tensor < 0
                    ? format(" {}", value.factor)
                    : format(" size(%{}, {})*{}", value.tensor, value.dim, value.factor);
    }
  }
  return text;
}

// One program; what went wrong, empty for nothing.
std::string run_program(uint64_t seed, uint64_t number, const Options& options, Totals& totals) {
  Generator generator(seed, number);
  RandomEdits random(seed ^ number * 0xA0761D6478BD642Fu);
  Program program = generator.inputs();

  const auto env = std::make_shared<ShapeEnv>();
  std::vector<SymInt> symbols;
  for (size_t i = 0; i < program.hints.size(); ++i) {
    symbols.push_back(
        env->create_backed(format("s{}", i), program.hints[i], ValueRange::ints(2, kIntInfinity)));
  }
  Run symbolic(program, symbols);
  symbolic.mode.attach_shape_env(env);
  std::vector<Answer> answers;
  while (program.steps.size() < kMaxSteps) {
    std::vector<int64_t> ranks;
    for (const Tensor* tensor : symbolic.tensors) ranks.push_back(tensor->dim());
    program.steps.push_back(generator.step(ranks));
    answers.push_back(symbolic.call(program.steps.back()));
    if (!answers.back().raised.empty()) break;
  }
  totals.steps += program.steps.size();
  totals.raised += answers.back().raised.empty() ? 0 : 1;
  if (options.show) std::printf("%s\n", describe(program).c_str());

  for (int i = 0; i < kAssignments; ++i) {
    Assignment assignment;
    std::vector<SymInt> sizes;
    for (size_t s = 0; s < symbols.size(); ++s) {
      const bool keep = i == 0 || random.below(3) == 0;
      const int64_t size =
          keep ? program.hints[s] : 2 + static_cast<int64_t>(random.below(kLargestSize));
      sizes.push_back(size);
      assignment[symbols[s].node()] = Number::of(size);
    }
    if (!guards_hold(*env, assignment)) {
      if (i == 0) return "a guard does not hold for the hints\n  " + describe(program);
      continue;
    }
    ++totals.runs;
    Run plain(program, sizes);
    for (size_t step = 0; step < program.steps.size(); ++step) {
      const std::string wrong =
          difference(answers[step], plain.call(program.steps[step]), assignment);
      if (wrong.empty()) continue;
      std::string text = format("step {}: {} at", step, wrong);
      for (const SymInt size : sizes) text += format(" {}", size);
      if (!plain.last_message.empty()) text += " (" + plain.last_message + ")";
      text += "\n  guards";
      for (const Guard& guard : env->guards()) text += " [" + to_string(guard.condition) + "]";
      return text + "\n  " + describe(program);
    }
  }
  return {};
}

int run(const Options& options) {
  Totals totals;
  uint64_t failed = 0;
  for (uint64_t i = options.first; i < options.first + options.programs; ++i) {
    const std::string wrong = run_program(options.seed, i, options, totals);
    if (wrong.empty()) continue;
    std::printf("program %llu of seed %llu: %s\n", static_cast<unsigned long long>(i),
                static_cast<unsigned long long>(options.seed), wrong.c_str());
    if (++failed == 20) break;
  }
  std::printf(
      "%llu programs (%llu steps, %llu end by raising), %llu runs with numbers, %llu differ\n",
      static_cast<unsigned long long>(options.programs),
      static_cast<unsigned long long>(totals.steps), static_cast<unsigned long long>(totals.raised),
      static_cast<unsigned long long>(totals.runs), static_cast<unsigned long long>(failed));
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace faketensor

int main(int argc, char** argv) { return faketensor::run(faketensor::parse_options(argc, argv)); }
