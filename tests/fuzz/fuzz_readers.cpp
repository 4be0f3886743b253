// Opens damaged programs until something other than a program or a typed error comes out of the
// reader.
//
//   fuzz_readers FOLDER [--seed N] [--iterations N] [--seconds N]
//
// Seeds are the .pt2 files of FOLDER, each as the archive, as the JSON inside, and as FX text in both
// forms. A run is
// determined by its seed, which is printed first; a failure names the iteration, and with address
// sanitizer the place. Build it in the preset `sanitizers`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "command_line.h"
#include "core/formats/text.h"
#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/graph/verifier.h"
#include "core/io/open.h"
#include "core/io/open_text.h"
#include "core/io/pt2.h"
#include "core/support/error.h"
#include "random_edits.h"

namespace faketensor {
namespace {

struct Options {
  std::string folder;
  uint64_t seed = 1;
  uint64_t iterations = 1'000'000'000;
  double seconds = 10;
};

Options parse_options(int argc, char** argv) {
  const CommandLine line(argc, argv, {}, {"--seed", "--iterations", "--seconds"});
  Options options;
  options.folder = line.rest();
  options.seed = line.number("--seed", options.seed);
  options.iterations = line.number("--iterations", options.iterations);
  options.seconds = line.real("--seconds", line.has("--iterations") ? 1e9 : options.seconds);
  return options;
}

std::vector<std::string> read_seeds(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".pt2") paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto& path : paths) {
    const FileSource source(path.string());
    seeds.push_back(read_all(source, {}));
    seeds.push_back(read_pt2_model(ZipArchive(source, {})));
    const Program program = open_program(source, path.string());
    seeds.emplace_back(readable_program(program).text());
    seeds.push_back(graph_text(program.graph()));
  }
  return seeds;
}

// Opens the bytes; false where they are refused. Anything but an Error passes through and ends the
// run.
bool opens(const std::string& bytes) {
  ReadLimits limits;
  limits.max_text_bytes = 1 << 22;
  limits.max_nodes = 1 << 16;
  try {
    const TextProgram opened = open_with_text(MemorySource(bytes), "fuzz", limits);
    verify(opened.program);
    if (opened.text == nullptr) return true;
    // What is read of wrong text is a program too, that can be run and printed.
    for (const TextProblem& problem : opened.text->problems()) opened.text->place(problem.span);
    readable_program(opened.program);
    return opened.text->error_count() == 0;
  } catch (const Error&) {
    return false;
  }
}

int run(const Options& options) {
  const std::vector<std::string> seeds = read_seeds(options.folder);
  if (seeds.empty()) {
    std::fprintf(stderr, "no .pt2 files in '%s'\n", options.folder.c_str());
    return 2;
  }
  std::printf("seed %llu, %zu inputs\n", static_cast<unsigned long long>(options.seed),
              seeds.size());
  std::fflush(stdout);
  RandomEdits edits(options.seed);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  uint64_t opened = 0;
  uint64_t done = 0;
  double slowest = 0;
  for (; done < options.iterations && elapsed() < options.seconds; ++done) {
    std::string bytes = seeds[edits.below(seeds.size())];
    edits.apply(bytes, seeds[edits.below(seeds.size())]);
    const double before = elapsed();
    if (opens(bytes)) ++opened;
    slowest = std::max(slowest, elapsed() - before);
  }
  std::printf("%llu inputs, %llu of them still programs, the slowest %.3f s\n",
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(opened),
              slowest);
  return 0;
}

}  // namespace
}  // namespace faketensor

int main(int argc, char** argv) { return faketensor::run(faketensor::parse_options(argc, argv)); }
