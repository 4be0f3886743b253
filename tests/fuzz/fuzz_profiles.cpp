// Reads damaged op profiles until something other than profiles or a typed error comes out.
//
//   fuzz_profiles [--seed N] [--iterations N]
//
// Texts are made of whole profiles and of the marks of YAML, damaged. What PyTorch's reader takes
// is written and read again and must be the same; what the lint finds nothing in must be readable
// in the superset form. Build it in the preset `sanitizers`.
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "command_line.h"
#include "core/profiles/extended.h"
#include "core/support/error.h"
#include "random_edits.h"

namespace faketensor {
namespace {

constexpr std::string_view kSeeds[] = {
    "torch_version: '2.13'\noperators:\n  mylib.foo.default:\n  - args_profile:\n    - rank: 2\n"
    "      dtype: 7\n      device: cpu\n      layout: 7\n    out_profile:\n      rank: 3\n"
    "      dtype: 5\n      device: cuda:0\n      layout: 7\n",
    "{torch_version: \"2.13\", operators: {a.b.c: [{args_profile: [], out_profile: []}]}}",
    "torch_version: '2.13'\noperators:\n  a.b.c:\n  - args_profile: &a\n    - &t {rank: 1, dtype: "
    "7, "
    "device: cpu, layout: 7}\n    out_profile: *t\n  d.e.f:\n  - <<: {args_profile: *a}\n"
    "    out_profile: [*t, *t]\n    none_args: [0]\n    results:\n    - sizes: [2*x1_0]\n    - "
    "{}\n",
    "%YAML 1.1\n---\n? torch_version\n: !!str 2.13\n? operators\n: !!map {}\n...\n",
    "a: |2-\n   x\n  y\nb: >+\n  z\n\nc: 'it''s\n\n  two'\nd: \"\\x41\\\n  \\u00e9\"\n",
    "- !!omap [a: 1]\n- !!set {a, b}\n- !!binary aGk=\n- 2001-12-14t21:59:43.10-05:00\n- 1:30.5\n",
};

constexpr std::string_view kMarks[] = {
    ": ",       "- ",           "? ",          "[",    "]",   "{",    "}",     ",",     "&a ",
    "*a",       "<<: ",         "!!int ",      "!x ",  "|\n", ">-\n", "---\n", "...\n", "#",
    "'",        "\"",           "\n",          "\n  ", "\t",  "~",    "1:2",   "0x",    ".inf",
    "\xC2\x85", "\xE2\x80\xA8", "\xEF\xBB\xBF"};

std::string damaged(RandomEdits& edits) {
  std::string text(kSeeds[edits.below(std::size(kSeeds))]);
  const std::string_view other = kSeeds[edits.below(std::size(kSeeds))];
  if (edits.below(3) > 0) edits.apply(text, other);
  for (size_t left = edits.below(6); left > 0; --left)
    text.insert(edits.below(text.size() + 1), kMarks[edits.below(std::size(kMarks))]);
  return text;
}

// False where the text is refused. Anything but an Error passes through and ends the run.
bool reads(const std::string& text) {
  OpProfiles profiles;
  try {
    profiles = read_profiles_from_yaml(text);
  } catch (const Error&) {
    return false;
  }
  const std::string written = generate_yaml_from_profiles(profiles);
  if (generate_yaml_from_profiles(read_profiles_from_yaml(written)) != written) std::abort();
  return true;
}

bool is_clean(const std::string& text) {
  if (!lint_profiles(text).empty()) return false;
  const std::string written = generate_extended_yaml(read_extended_profiles(text));
  if (!lint_profiles(written).empty()) std::abort();
  return true;
}

int run(uint64_t seed, uint64_t iterations) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  RandomEdits edits(seed);
  uint64_t read = 0;
  uint64_t clean = 0;
  for (uint64_t i = 0; i < iterations; ++i) {
    const std::string text = damaged(edits);
    read += reads(text) ? 1 : 0;
    clean += is_clean(text) ? 1 : 0;
  }
  std::printf("%llu texts, %llu read, %llu without findings\n",
              static_cast<unsigned long long>(iterations), static_cast<unsigned long long>(read),
              static_cast<unsigned long long>(clean));
  return 0;
}

}  // namespace
}  // namespace faketensor

int main(int argc, char** argv) {
  const faketensor::CommandLine line(argc, argv, {}, {"--seed", "--iterations"});
  return faketensor::run(line.number("--seed", 1), line.number("--iterations", 100'000));
}
