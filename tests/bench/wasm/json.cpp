// json_bench.cpp for wasm, where Google Benchmark is not at hand: `node bench_json_wasm.js [FILE]`
// prints the best of five runs.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "../json_readers.h"
#include "core/formats/text.h"

namespace faketensor {
namespace {

template <typename Body>
double best_seconds(Body body) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) best = std::min(best, body());
  return best;
}

template <typename Body>
double seconds_of(Body body) {
  const auto start = std::chrono::steady_clock::now();
  const size_t count = body();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return count == 0 ? 1e9 : elapsed.count();
}

void compare(const std::string& input) {
  const double ours = best_seconds([&] {
    std::string text = input;
    text.reserve(text.size() + kTextPadding);
    return seconds_of([&] { return read_with_ours(text); });
  });
  const double nlohmann =
      best_seconds([&] { return seconds_of([&] { return read_with_nlohmann(input); }); });
  std::printf("%zu bytes: ours %.3f s, nlohmann_json %.3f s, ratio %.2f\n", input.size(), ours,
              nlohmann, nlohmann / ours);
}

}  // namespace
}  // namespace faketensor

int main(int argc, char** argv) {
  using namespace faketensor;
  compare(argc > 1 ? read_text(FileSource(argv[1]), {}) : program_like_json(50'000));
}
