#include "core/analysis/allocator_config.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// std::stoull and std::stod say nothing but their names; what follows the number is ignored.
template <typename Number>
Number parsed(const std::string& word, std::string_view reader,
              Number (*read)(const char* text, char** end)) {
  char* end = nullptr;
  errno = 0;
  const Number value = read(word.c_str(), &end);
  if (end == word.c_str() || errno == ERANGE)
    throw_error(ErrorKind::kRuntimeError, std::string(reader));
  return value;
}

// The words of a text of settings: keys, values and the signs between them. Space is dropped wherever
// it stands, also inside of words.
class ConfigWords {
 public:
  explicit ConfigWords(std::string_view settings) {
    std::string word;
    const auto end_word = [&] {
      if (!word.empty()) words_.push_back(std::move(word));
      word.clear();
    };
    for (const char c : settings) {
      if (c == ',' || c == ':' || c == '[' || c == ']') {
        end_word();
        words_.emplace_back(1, c);
      } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        word += c;
      }
    }
    end_word();
  }

  size_t size() const { return words_.size(); }

  const std::string& operator[](size_t i) const { return at(i, 56); }

  // A sign is due at `i`. PyTorch looks only whether something stands there.
  void sign(size_t i) const { static_cast<void>(at(i, 125)); }

  uint64_t size_at(size_t i) const {
    return parsed<uint64_t>(at(i, 125), "stoull", [](const char* text, char** end) {
      return uint64_t{std::strtoull(text, end, 10)};
    });
  }

  double real_at(size_t i) const { return parsed<double>(at(i, 125), "stod", &std::strtod); }

  bool bool_at(size_t i) const {
    const std::string& word = at(i, 125);
    if (word != "True" && word != "False")
      throw_error(ErrorKind::kValueError,
                  format("Expected 'True' or 'False' at index {} in ConfigTokenizer but got '{}'",
                         i, word));
    return word == "True";
  }

  // From a key at `i` to the last word of its value.
  size_t end_of_value(size_t i) const {
    sign(i + 1);
    i += 2;
    if (at(i, 125) != "[") return i;
    while (++i < words_.size() && words_[i] != "]") {
    }
    if (i >= words_.size())
      refuse(116, "Expected closing bracket ']' in ConfigTokenizer but reached end of config");
    return i;
  }

  [[noreturn]] static void refuse(int at, std::string_view why,
                                  std::string_view condition = "i < config_.size()",
                                  std::string_view file = "AllocatorConfig.h") {
    throw_error(
        ErrorKind::kRuntimeError,
        format("{} INTERNAL ASSERT FAILED at \"/pytorch/c10/core/{}\":{}, please report a bug "
               "to PyTorch. {}",
               condition, file, at, why));
  }

 private:
  // `line` is where PyTorch's header says that there is no such word.
  const std::string& at(size_t i, int line) const {
    if (i >= words_.size()) refuse(line, "Index out of bounds in ConfigTokenizer");
    return words_[i];
  }

  std::vector<std::string> words_;
};

void require(bool holds, std::string_view otherwise) {
  if (!holds) throw_error(ErrorKind::kValueError, std::string(otherwise));
}

// PyTorch reads the text twice: what all accelerators have, then what is CUDA's own.
enum class Pass : uint8_t { kCommon, kCuda };

// Reads one value: from the key at `i` to the last word of the value, which it returns.
class ConfigReader {
 public:
  ConfigReader(AllocatorConfig& config, std::string_view settings)
      : config_(config), words_(settings) {}

  void read() {
    read_segment_size();
    read_pass(Pass::kCommon);
    read_pass(Pass::kCuda);
  }

  size_t skip(size_t i) { return words_.end_of_value(i); }

  size_t max_split(size_t i) {
    config_.max_split_size = megabytes(i, "max_split_size_mb");
    return i + 2;
  }
  size_t max_non_split_rounding(size_t i) {
    config_.max_non_split_rounding = megabytes(i, "max_non_split_rounding_mb");
    return i + 2;
  }
  size_t garbage_collection(size_t i) {
    words_.sign(i + 1);
    const double threshold = words_.real_at(i + 2);
    require(threshold > 0 && threshold < 1,
            "garbage_collect_threshold is invalid, set it in (0.0, 1.0)");
    config_.garbage_collection_threshold = threshold;
    return i + 2;
  }
  size_t expandable_segments(size_t i) {
    words_.sign(i + 1);
    config_.expandable_segments = words_.bool_at(i + 2);
    return i + 2;
  }
  size_t roundup(size_t i);
  size_t backend(size_t i) {
    words_.sign(i + 1);
    const std::string& name = words_[i + 2];
    require(name == "native" || name == "cudaMallocAsync",
            "Unknown allocator backend, options are native and cudaMallocAsync");
    if (name != "native")
      throw_error(ErrorKind::kRuntimeError,
                  "Allocator backend parsed at runtime != allocator backend parsed at load time, "
                  "cudaMallocAsync != native");
    return i + 2;
  }
  size_t register_threads(size_t i) {
    constexpr uint64_t kMostThreads = 128;
    words_.sign(i + 1);
    const uint64_t threads = words_.size_at(i + 2);
    require(std::has_single_bit(threads),
            format("Number of register threads has to be power of 2, got {}", threads));
    require(threads <= kMostThreads,
            format("Number of register threads should be less than or equal to {}, got {}",
                   kMostThreads, threads));
    return i + 2;
  }
  size_t reserve_segment(size_t i) {
    words_.sign(i + 1);
    require(words_.size_at(i + 2) > 0, "Pinned reserve segment size has to be greater than 0");
    return i + 2;
  }
  size_t memory_fraction(size_t i) {
    words_.sign(i + 1);
    const double fraction = words_.real_at(i + 2);
    require(fraction >= 0 && fraction <= 1,
            "per_process_memory_fraction is invalid, set it in [0.0, 1.0]");
    config_.memory_fraction = fraction;
    return i + 2;
  }
  size_t rejects_early(size_t i) {
    words_.sign(i + 1);
    config_.rejects_early = words_.bool_at(i + 2);
    return i + 2;
  }
  // Settings of no effect here are still of their type.
  size_t flag(size_t i) {
    words_.sign(i + 1);
    static_cast<void>(words_.bool_at(i + 2));
    return i + 2;
  }
  size_t amount(size_t i) {
    words_.sign(i + 1);
    static_cast<void>(words_.size_at(i + 2));
    return i + 2;
  }

 private:
  void read_segment_size();
  void read_pass(Pass pass);

  // A size of at least a large segment, up to what 64 bits hold.
  uint64_t megabytes(size_t i, std::string_view key) const {
    words_.sign(i + 1);
    const uint64_t size = words_.size_at(i + 2);
    const uint64_t least = config_.large_segment_size / kMiB;
    require(size >= least,
            format("CachingAllocator option {} too small, must be >= {}", key, least));
    return std::min(size, kUnlimited / kMiB) * kMiB;
  }
  void set_interval(size_t i, std::optional<size_t>& last);

  AllocatorConfig& config_;
  ConfigWords words_;
};

struct ConfigKey {
  std::string_view name;
  Pass pass;
  size_t (ConfigReader::*read)(size_t i);
};

constexpr ConfigKey kKeys[] = {
    {"large_segment_size_mb", Pass::kCommon, &ConfigReader::skip},  // read before all others
    {"max_split_size_mb", Pass::kCommon, &ConfigReader::max_split},
    {"max_non_split_rounding_mb", Pass::kCommon, &ConfigReader::max_non_split_rounding},
    {"garbage_collection_threshold", Pass::kCommon, &ConfigReader::garbage_collection},
    {"roundup_power2_divisions", Pass::kCommon, &ConfigReader::roundup},
    {"expandable_segments", Pass::kCommon, &ConfigReader::expandable_segments},
    {"pinned_use_background_threads", Pass::kCommon, &ConfigReader::flag},
    {"pinned_max_round_threshold_mb", Pass::kCommon, &ConfigReader::amount},
    {"pinned_max_cached_size_mb", Pass::kCommon, &ConfigReader::amount},
    {"backend", Pass::kCuda, &ConfigReader::backend},
    {"release_lock_on_cudamalloc", Pass::kCuda, &ConfigReader::flag},
    {"release_lock_on_hipmalloc", Pass::kCuda, &ConfigReader::flag},
    {"pinned_use_cuda_host_register", Pass::kCuda, &ConfigReader::flag},
    {"pinned_use_hip_host_register", Pass::kCuda, &ConfigReader::flag},
    {"pinned_num_register_threads", Pass::kCuda, &ConfigReader::register_threads},
    {"pinned_reserve_segment_size_mb", Pass::kCuda, &ConfigReader::reserve_segment},
    {"graph_capture_record_stream_reuse", Pass::kCuda, &ConfigReader::flag},
    {"per_process_memory_fraction", Pass::kCuda, &ConfigReader::memory_fraction},
    {"pinned_free_catch_all", Pass::kCuda, &ConfigReader::flag},
    {"throw_on_cudamalloc_oom", Pass::kCuda, &ConfigReader::rejects_early},
};

// Other sizes have the size of a large segment as their least, so it is read first. PyTorch takes
// every word of this name for the key, wherever it stands.
void ConfigReader::read_segment_size() {
  for (size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] != "large_segment_size_mb") continue;
    words_.sign(i + 1);
    const uint64_t size = words_.size_at(i + 2);
    constexpr uint64_t kLeast = kLargeRequest / kMiB;
    require(size > kLeast,
            format("CachingAllocator option large_segment_size_mb must be > {} MB", kLeast));
    config_.large_segment_size = std::min(size, kUnlimited / kMiB) * kMiB;
    i += 2;
  }
  config_.max_non_split_rounding = config_.large_segment_size;
}

void ConfigReader::read_pass(Pass pass) {
  for (size_t i = 0; i < words_.size(); ++i) {
    const auto* key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                   [&](const ConfigKey& row) { return row.name == words_[i]; });
    require(key != std::end(kKeys),
            format("Unrecognized key '{}' in Accelerator allocator config.", words_[i]));
    i = key->pass == pass ? (this->*key->read)(i) : skip(i);
    if (i + 1 < words_.size()) ++i;  // the comma, whatever stands there
  }
}

// "roundup_power2_divisions:4", of all intervals, or ":[256:1,1024:4,>:8]", by the interval in MiB.
size_t ConfigReader::roundup(size_t i) {
  words_.sign(++i);
  if (words_[++i] != "[") {
    const uint64_t parts = words_.size_at(i);
    require(std::has_single_bit(parts), "For roundups, the divisions has to be power of 2 ");
    config_.divisions.fill(parts);
    return i;
  }
  std::optional<size_t> last;  // the interval that was set before
  while (++i < words_.size() && words_[i] != "]") {
    words_.sign(i + 1);
    set_interval(i, last);
    i += 2;
    if (words_[i + 1] != "]") ++i;
  }
  if (i >= words_.size())
    ConfigWords::refuse(207,
                        "Expected closing bracket ']' in ConfigTokenizer but reached end of config",
                        "i < tokenizer.size()", "AllocatorConfig.cpp");
  return i;
}

// One "256:4" of the list, the first of which holds for all smaller intervals too, or ">:8", which is
// of those after the one before it.
void ConfigReader::set_interval(size_t i, std::optional<size_t>& last) {
  auto& divisions = config_.divisions;
  const uint64_t parts = words_.size_at(i + 2);
  require(parts == 0 || std::has_single_bit(parts),
          "For roundups, the divisions has to be power of 2 or 0 to disable roundup ");
  if (words_[i] == ">") {
    std::fill(divisions.begin() + last.value_or(0) + 1, divisions.end(), parts);
    return;
  }
  const uint64_t bound = words_.size_at(i);
  require(std::has_single_bit(bound), "For roundups, the intervals have to be power of 2 ");
  const size_t interval = std::min<size_t>(std::bit_width(bound) - 1, kRoundupIntervals - 1);
  if (!last) std::fill(divisions.begin(), divisions.begin() + interval, parts);
  divisions[interval] = parts;
  last = interval;
}

// The next multiple of a part of the power of two below `bytes`.
uint64_t rounded_to_part(uint64_t bytes, uint64_t parts) {
  if (std::has_single_bit(bytes)) return bytes;
  const uint64_t power = std::bit_floor(bytes);
  const uint64_t part = power >> (std::bit_width(parts) - 1);
  if (part == 0) return power << 1;
  return (bytes + part - 1) / part * part;
}

}  // namespace

void AllocatorConfig::apply(std::string_view settings) {
  // These do not outlast the text that set them; the others do.
  max_split_size = kUnlimited;
  divisions.fill(0);
  garbage_collection_threshold = 0;
  text = settings;
  ConfigReader(*this, settings).read();
}

uint64_t AllocatorConfig::divisions_of(uint64_t bytes) const {
  constexpr size_t kFirst = 20;             // the exponent of 1 MiB
  if (bytes == 0) return divisions.back();  // as PyTorch, for which 0 has no exponent
  const auto exponent = static_cast<size_t>(std::bit_width(bytes)) - 1;
  const size_t interval = exponent > kFirst ? exponent - kFirst : 0;
  return divisions[std::min(interval, kRoundupIntervals - 1)];
}

uint64_t AllocatorConfig::rounded(uint64_t bytes) const {
  if (bytes < kMinBlock) return kMinBlock;
  const uint64_t parts = divisions_of(bytes);
  if (parts > 1 && bytes > kMinBlock * parts) return rounded_to_part(bytes, parts);
  return (bytes + kMinBlock - 1) / kMinBlock * kMinBlock;
}

uint64_t AllocatorConfig::segment_size(uint64_t rounded) const {
  if (rounded <= kSmallRequest) return kSmallSegment;
  if (rounded < kLargeRequest) return large_segment_size;
  return (rounded + kLargeMultiple - 1) / kLargeMultiple * kLargeMultiple;
}

}  // namespace faketensor
