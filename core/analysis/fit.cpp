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

PeakBySize::Peak peak_of(const TrainingStep& step) {
  const BranchScope env = step.run().shape_env();
  const MemoryEvent& event = step.events()[step.peak_index()];
  return {hinted(step.peak()), event.row, event.phase};
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

PeakBySize::PeakBySize(const Program& program, RetargetOptions options, std::string dim,
                       FitBasis basis)
    : program_(program),
      options_(std::move(options)),
      dim_(std::move(dim)),
      basis_(std::move(basis)) {
  const ProgramCosts costs(program_, options_);
  given_ = learn(costs, options_);
  if (dim_.empty()) return;
  given_size_ = size_of(costs.run(), dim_);
  const auto set = options_.dims.find(dim_);
  if (set != options_.dims.end()) given_size_ = set->second;
}

PeakBySize::Known PeakBySize::learn(const ProgramCosts& costs,
                                    const RetargetOptions& options) const {
  Known known{.peak = peak_of(costs)};
  if (!known.peak) return known;
  if (basis_.allocator) known.sequence = std::make_shared<const AllocationSequence>(costs);
  if (basis_.training) known.peak = peak_of(TrainingStep(program_, options, *basis_.training));
  return known;
}

const PeakBySize::Known& PeakBySize::known(int64_t size) {
  if (size == given_size_) return given_;
  const auto [place, is_new] = known_.try_emplace(size);
  if (is_new) {
    RetargetOptions options = options_;
    options.dims[dim_] = size;
    place->second = learn(ProgramCosts(program_, options), options);
  }
  return place->second;
}

std::optional<int64_t> PeakBySize::reserved(const Known& known, int64_t bytes) const {
  if (known.sequence == nullptr || bytes < 0) return std::nullopt;
  const AllocatorReport report =
      run_allocator(*known.sequence, *basis_.allocator, static_cast<uint64_t>(bytes));
  if (!report.out_of_memory.empty()) return std::nullopt;
  return static_cast<int64_t>(report.reserved);
}

bool PeakBySize::fits(const Known& known, int64_t bytes) const {
  if (!known.peak || known.peak->bytes > bytes) return false;
  return !basis_.allocator || reserved(known, bytes).has_value();
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
  std::map<int64_t, int64_t> sizes;
  if (given_.peak && given_size_ > 0) sizes[given_size_] = given_.peak->bytes;
  for (const auto& [size, known] : known_) {
    if (known.peak) sizes[size] = known.peak->bytes;
  }
  if (sizes.size() < 2)
    return std::clamp(2 * std::max<int64_t>(bracket.fitting, 1), bracket.fitting + 1,
                      bracket.too_much - 1);
  auto last = sizes.upper_bound(bracket.too_much);
  if (last == sizes.end()) --last;
  if (last == sizes.begin()) ++last;
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
  if (given_size_ >= range.lower && given_size_ <= range.upper && given_.peak) {
    // What is known to run: a program may refuse the sizes 0 and 1, which others are told from.
    (fits(given_, bytes) ? bracket.fitting : bracket.too_much) = given_size_;
  }
  constexpr int kMostGuesses = 8;
  for (int i = 0; bracket.too_much - bracket.fitting > 1; ++i) {
    int64_t next = bracket.fitting + (bracket.too_much - bracket.fitting) / 2;
    if (i < kMostGuesses) next = guess(bracket, bytes);
    if (!fits_at(next, bytes)) {
      bracket.too_much = next;
    } else {
      bracket.fitting = next;
      // Where the line is exact, the next size is the first that does not fit.
      if (i < kMostGuesses && next + 1 < bracket.too_much && i > 0) {
        (fits_at(next + 1, bytes) ? bracket.fitting : bracket.too_much) = next + 1;
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
