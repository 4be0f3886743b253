// Calls operators at random until one does something other than answer or raise a typed error.
//
//   fuzz_calls [--calls N] [--seed N] [--first N] [--op TEXT] [--keep-going] [--write FILE]
//
// Call number i of a seed is the same everywhere, so `--first i --calls 1 --show` shows one again.
// A call fails by a crash, by an exception that is no Error of a class that operators raise, by
// more memory or CPU time than its budget, or by an answer that is no tensor at all (negative
// sizes, no storage). --op takes only operators whose name contains TEXT; --keep-going names each
// failing operator once instead of ending. --write FILE asks nothing: it writes the calls as
// questions for `faketensor answer`, whose native and wasm bytes must be equal
// (tests/fuzz/same_bytes). Build it in the preset `sanitizers`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <set>
#include <string>

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "command_line.h"
#include "core/io/value_json.h"
#include "core/ops/limits.h"
#include "core/support/address_sanitizer.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "random_calls.h"

#if FAKETENSOR_ADDRESS_SANITIZER
// Of the runtime's interface; its headers are not installed everywhere.
extern "C" {
void __sanitizer_set_death_callback(void (*callback)());
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, size_t),
                                              void (*on_free)(const volatile void*));
// UBSan has a runtime of its own, which says nothing before it exits.
const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }
}
#endif

namespace faketensor {
namespace {

// Bytes asked for in one call: what the engine states, and a little for what it does not count.
constexpr size_t kMemoryBudget = kMaxBytesPerCall + (size_t{1} << 26);
// A call may make a million tensors, which takes seconds with sanitizers.
constexpr int kCpuSeconds = 8;

struct Options {
  uint64_t seed = 1;
  uint64_t first = 0;
  uint64_t calls = 100'000;
  std::string op;
  std::string write;
  bool show = false;
  bool keep_going = false;
};

Options parse_options(int argc, char** argv) {
  const CommandLine line(argc, argv, {"--show", "--keep-going"},
                         {"--seed", "--first", "--calls", "--op", "--write"});
  Options options;
  options.seed = line.number("--seed", options.seed);
  options.first = line.number("--first", options.first);
  options.calls = line.number("--calls", options.calls);
  options.op = line.text("--op");
  options.write = line.text("--write");
  options.show = line.has("--show");
  options.keep_going = line.has("--keep-going");
  return options;
}

// --- what is running, for whoever ends it ---

uint64_t g_seed = 0;
volatile uint64_t g_number = 0;
const OpEntry* g_op = nullptr;
size_t g_allocated = 0;

void say_where() {
  const std::string_view op = g_op == nullptr ? std::string_view() : g_op->name;
  std::printf("in call %llu of seed %llu, %.*s\n", static_cast<unsigned long long>(g_number),
              static_cast<unsigned long long>(g_seed), static_cast<int>(op.size()), op.data());
  std::fflush(stdout);
}

// Every second of CPU time; a call that is still the same after kCpuSeconds of them hangs.
void on_tick(int) {
  static uint64_t last = ~uint64_t{0};
  static int ticks = 0;
  ticks = g_number == last ? ticks + 1 : 0;
  last = g_number;
  if (ticks < kCpuSeconds) return;
  std::printf("hangs: ");
  say_where();
  _exit(1);
}

void on_crash(int signal_number) {
  say_where();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

#if FAKETENSOR_ADDRESS_SANITIZER
void on_malloc(const volatile void*, size_t bytes) {
  g_allocated += bytes;
  if (g_allocated <= kMemoryBudget) return;
  g_allocated = 0;
  std::printf("asks for more than %zu bytes: ", kMemoryBudget);
  say_where();
  _exit(1);
}
void on_free(const volatile void*) {}
#endif

void watch() {
#if FAKETENSOR_ADDRESS_SANITIZER
  __sanitizer_set_death_callback(&say_where);
  __sanitizer_install_malloc_and_free_hooks(&on_malloc, &on_free);
#else
  for (const int fatal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) signal(fatal, &on_crash);
#endif
  signal(SIGABRT, &on_crash);
  signal(SIGPROF, &on_tick);
  const itimerval every_second = {{1, 0}, {1, 0}};
  setitimer(ITIMER_PROF, &every_second, nullptr);
}

// --- one call ---

std::string question_text(const OpEntry& op, uint64_t number, std::span<const Value> args,
                          ValueWriter& writer) {
  size_t by_name = 0;  // the first argument that is left out; those behind it have names
  while (by_name < args.size() && !args[by_name].is_unset()) ++by_name;
  std::string text;
  JsonWriter json(text);
  {
    const auto question = json.object();
    json.field("id", format("{}", number));
    json.field("op", op.name);
    {
      const auto list = json.array("args");
      for (size_t i = 0; i < by_name; ++i) writer.write(json, args[i]);
    }
    const auto kwargs = json.object("kwargs");
    // One too many has no name.
    for (size_t i = by_name; i < std::min(args.size(), op.schema.arguments.size()); ++i) {
      if (!args[i].is_unset()) writer.write(json.key(op.schema.arguments[i].name), args[i]);
    }
  }
  return text;
}

bool has_size_zero(const Tensor& tensor) {
  return std::any_of(tensor.sizes().begin(), tensor.sizes().end(),
                     [](SymInt size) { return !size.is_symbolic() && size.as_int() == 0; });
}

// What is wrong with a value, nullptr for nothing. `any_offset`: the operator takes what a compiled
// program asks for.
const char* fault_of(const Value& value, bool any_offset) {
  if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) {
      if (const char* fault = fault_of(element, any_offset)) return fault;
    }
  }
  if (!value.is_tensor()) return nullptr;
  const Tensor& tensor = value.tensor();
  // Of a sparse tensor PyTorch checks the number of elements only: it resizes one to [-2, 0].
  const bool counts_none = tensor.layout() != Layout::kStrided && has_size_zero(tensor);
  for (const SymInt size : tensor.sizes()) {
    if (!size.is_symbolic() && size.as_int() < 0 && !counts_none)
      return "a tensor of negative size";
  }
  if (tensor.layout() != Layout::kStrided) return nullptr;
  if (tensor.strides().size() != tensor.sizes().size()) return "a tensor without all strides";
  if (tensor.storage == nullptr) return "a strided tensor without storage";
  const SymInt bytes = tensor.storage->nbytes;
  if (!bytes.is_symbolic() && bytes.as_int() < 0) return "a storage of negative size";
  if (!any_offset && !tensor.offset().is_symbolic() && tensor.offset().as_int() < 0)
    return "a negative offset";
  return nullptr;
}

// Classes that no operator raises: they are about files and commands, or limits that only a rule
// calling itself reaches.
bool is_internal(const Error& error) {
  return error.kind() == ErrorKind::kUnreadable || error.kind() == ErrorKind::kUsage ||
         error.message().find("deep") != std::string::npos;
}

struct Totals {
  uint64_t answered = 0;
  uint64_t raised = 0;
  double slowest = 0;
  uint64_t slowest_call = 0;
};

// What went wrong, empty for nothing.
std::string run_call(RandomCall& call, const Options& options, Totals& totals) {
  FakeTensorMode mode;
  try {
    const std::vector<Value> args = call.arguments(mode);
    ValueWriter writer;
    if (options.show) std::printf("%s\n", question_text(call.op(), g_number, args, writer).c_str());
    g_allocated = 0;
    const Value result = mode.context().call(call.op().id, args);
    g_allocated = 0;
    const bool any_offset = call.op().name.starts_with("inductor::");
    if (const char* fault = fault_of(result, any_offset)) return fault;
    std::string text;
    JsonWriter json(text);
    writer.write(json, result);
    if (options.show) std::printf("%s\n", text.c_str());
    ++totals.answered;
  } catch (const Error& error) {
    if (options.show)
      std::printf("%s: %s\n", std::string(error.class_name()).c_str(), error.message().c_str());
    if (is_internal(error))
      return std::string(error.class_name()) + ": " + error.message().substr(0, 200);
    ++totals.raised;
  } catch (const std::bad_alloc&) {
    return format("asks for more than {} bytes", kMemoryBudget);
  } catch (const std::exception& error) {
    return format("throws {}", error.what());
  }
  return {};
}

bool is_chosen(const RandomCall& call, const Options& options) {
  return call.op().name.find(options.op) != std::string::npos;
}

int run(const Options& options) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
  std::fflush(stdout);
  g_seed = options.seed;
  watch();
  Totals totals;
  std::set<std::string> failed;
  for (uint64_t i = options.first; i < options.first + options.calls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    RandomCall call(options.seed, i, /*symbolic=*/true);
    if (!is_chosen(call, options)) continue;
    g_number = i;
    g_op = &call.op();
    const std::string problem = run_call(call, options, totals);
    if (!problem.empty() && failed.insert(std::string(call.op().name)).second) {
      std::printf("%s: ", problem.c_str());
      say_where();
      if (!options.keep_going) return 1;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (took.count() > totals.slowest) totals.slowest = took.count(), totals.slowest_call = i;
  }
  std::printf("%llu answered, %llu raised, %zu operators failed; the slowest %.4f s (call %llu)\n",
              static_cast<unsigned long long>(totals.answered),
              static_cast<unsigned long long>(totals.raised), failed.size(), totals.slowest,
              static_cast<unsigned long long>(totals.slowest_call));
  return failed.empty() ? 0 : 1;
}

// Questions for `faketensor answer`: its modes have no symbols.
int write(const Options& options) {
  std::FILE* file = std::fopen(options.write.c_str(), "wb");
  if (file == nullptr) return 2;
  std::fprintf(file, "{\"header\":{\"kind\":\"ops\",\"family\":\"fuzz\"}}\n");
  for (uint64_t i = options.first; i < options.first + options.calls; ++i) {
    g_allocated = 0;
    RandomCall call(options.seed, i, /*symbolic=*/false);
    if (!is_chosen(call, options)) continue;
    try {
      FakeTensorMode mode;
      ValueWriter writer;
      const std::vector<Value> args = call.arguments(mode);
      std::fprintf(file, "%s\n", question_text(call.op(), i, args, writer).c_str());
    } catch (const Error&) {  // sizes that no tensor has
    }
  }
  return std::fclose(file) == 0 ? 0 : 2;
}

}  // namespace
}  // namespace faketensor

// Counted, so that a call that asks for too much is stopped before the machine is. Under
// AddressSanitizer, whose operator new must stay, a hook of its runtime ends the program instead.
#if !FAKETENSOR_ADDRESS_SANITIZER
void* operator new(size_t bytes) {
  faketensor::g_allocated += bytes;
  if (faketensor::g_allocated > faketensor::kMemoryBudget) {
    faketensor::g_allocated = 0;
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif

int main(int argc, char** argv) {
  const faketensor::Options options = faketensor::parse_options(argc, argv);
  return options.write.empty() ? faketensor::run(options) : faketensor::write(options);
}
