#include "core/analysis/fit.h"

#include <algorithm>
#include <utility>

#include "core/analysis/work.h"
#include "core/graph/placeholders.h"

namespace faketensor {

std::string_view name(Largest::Stop stop) {
  constexpr std::string_view kNames[] = {"memory", "program", "range"};
  return kNames[static_cast<size_t>(stop)];
}

namespace {

std::optional<PeakBySize::Peak> peak_of(const ProgramCosts& costs) {
  if (!costs.run().problems().empty()) return std::nullopt;
  const BranchScope env = costs.run().shape_env();
  return PeakBySize::Peak{hinted(costs.memory().peak()), costs.memory().peak_row()};
}

int64_t size_in(const Run& run, Row row, size_t dim) {
  if (row == kNoRow || run.record(row).tensors.empty()) return 0;
  const Dims sizes = run.record(row).tensors[0].meta->sizes();
  return dim < sizes.size() ? hinted(sizes[dim]) : 0;
}

// The size that `dim` has in a run.
int64_t size_of(const Run& run, const std::string& dim) {
  const BranchScope env = run.shape_env();
  for (const SymbolSpec& symbol : run.program().symbols) {
    if (symbol.name == dim) return symbol.hint.value_or(0);
  }
  const std::vector<InputDim> named = input_dims(run.program(), dim);
  return named.empty() ? 0 : size_in(run, named[0].row, named[0].dim);
}

}  // namespace

PeakBySize::PeakBySize(const Program& program, RetargetOptions options, std::string dim)
    : program_(program), options_(std::move(options)), dim_(std::move(dim)) {
  const ProgramCosts costs(program_, options_);
  given_ = peak_of(costs);
  given_size_ = size_of(costs.run(), dim_);
  const auto set = options_.dims.find(dim_);
  if (set != options_.dims.end()) given_size_ = set->second;
}

std::optional<PeakBySize::Peak> PeakBySize::at(int64_t size) {
  if (size == given_size_) return given_;
  const auto [place, is_new] = peaks_.try_emplace(size);
  if (is_new) {
    RetargetOptions options = options_;
    options.dims[dim_] = size;
    place->second = peak_of(ProgramCosts(program_, std::move(options)));
  }
  return place->second;
}

bool PeakBySize::fits(int64_t size, int64_t bytes) {
  const std::optional<Peak> peak = at(size);
  return peak && peak->bytes <= bytes;
}

// `fitting` fits, or is below the range; `too_much` does not, or is above.
struct PeakBySize::Bracket {
  int64_t fitting;
  int64_t too_much;
};

// The size at which the line through two known peaks of the bracket reaches `bytes`.
int64_t PeakBySize::guess(const Bracket& bracket, int64_t bytes) {
  const int64_t middle = bracket.fitting + (bracket.too_much - bracket.fitting) / 2;
  // Two sizes with a peak, the highest that are not above the bracket, else the lowest.
  std::map<int64_t, int64_t> known;
  if (given_ && given_size_ > 0) known[given_size_] = given_->bytes;
  for (const auto& [size, peak] : peaks_) {
    if (peak) known[size] = peak->bytes;
  }
  if (known.size() < 2)
    return std::clamp(2 * std::max<int64_t>(bracket.fitting, 1), bracket.fitting + 1,
                      bracket.too_much - 1);
  auto last = known.upper_bound(bracket.too_much);
  if (last == known.end()) --last;
  if (last == known.begin()) ++last;
  const auto first = std::prev(last);
  const double slope = static_cast<double>(last->second - first->second) /
                       static_cast<double>(last->first - first->first);
  if (slope <= 0) return middle;
  const double at =
      static_cast<double>(first->first) + static_cast<double>(bytes - first->second) / slope;
  if (at >= static_cast<double>(bracket.too_much)) return bracket.too_much - 1;
  return std::clamp(static_cast<int64_t>(at), bracket.fitting + 1, bracket.too_much - 1);
}

Largest PeakBySize::largest(int64_t bytes, SizeRange range) {
  Bracket bracket{range.lower - 1, range.upper + 1};
  if (given_size_ >= range.lower && given_size_ <= range.upper && given_) {
    // What is known to run: a program may refuse the sizes 0 and 1, which others are told from.
    (fits(given_size_, bytes) ? bracket.fitting : bracket.too_much) = given_size_;
  }
  constexpr int kMostGuesses = 8;
  for (int i = 0; bracket.too_much - bracket.fitting > 1; ++i) {
    int64_t next = bracket.fitting + (bracket.too_much - bracket.fitting) / 2;
    if (i < kMostGuesses) next = guess(bracket, bytes);
    if (!fits(next, bytes)) {
      bracket.too_much = next;
    } else {
      bracket.fitting = next;
      // Where the line is exact, the next size is the first that does not fit.
      if (i < kMostGuesses && next + 1 < bracket.too_much && i > 0) {
        (fits(next + 1, bytes) ? bracket.fitting : bracket.too_much) = next + 1;
      }
    }
  }
  Largest largest{bracket.fitting < range.lower ? 0 : bracket.fitting, Largest::Stop::kMemory};
  if (bracket.too_much > range.upper) {
    largest.stop = Largest::Stop::kRange;
  } else if (!at(bracket.too_much)) {
    largest.stop = Largest::Stop::kProgram;
  }
  return largest;
}

}  // namespace faketensor
