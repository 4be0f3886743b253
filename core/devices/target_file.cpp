#include "core/devices/target_file.h"

#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

#include "core/formats/yaml/composer.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kRateNames[kRates] = {"float64",  "float32", "tf32", "float16",
                                                 "bfloat16", "float8",  "int8"};
}

std::string_view name(Rate rate) { return kRateNames[static_cast<size_t>(rate)]; }

std::optional<Rate> parse_rate(std::string_view text) {
  for (size_t i = 0; i < kRates; ++i) {
    if (kRateNames[i] == text) return static_cast<Rate>(i);
  }
  return std::nullopt;
}

bool is_target_path(std::string_view target) {
  return target.ends_with(".yaml") || target.ends_with(".yml");
}

namespace {

struct Unit {
  std::string_view text;
  double factor;
};

// The unit that may be left out is the first of each.
constexpr Unit kBytes[] = {{"B", 1},           {"kB", 1e3},           {"MB", 1e6},
                           {"GB", 1e9},        {"TB", 1e12},          {"KiB", 1024.0},
                           {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
constexpr Unit kBytesPerSecond[] = {
    {"B/s", 1},     {"kB/s", 1e3},        {"MB/s", 1e6},          {"GB/s", 1e9},
    {"TB/s", 1e12}, {"MiB/s", 1048576.0}, {"GiB/s", 1073741824.0}};
constexpr Unit kPerSecond[] = {
    {"FLOPS", 1}, {"MFLOPS", 1e6}, {"GFLOPS", 1e9}, {"TFLOPS", 1e12}, {"PFLOPS", 1e15}};
constexpr Unit kSeconds[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

// What a quantity may be.
enum class Least : uint8_t { kPositive, kZero };

// A mapping of the file, by its path in it ("memory").
class Section {
 public:
  Section(const yaml::Node* node, std::string path, std::string_view file)
      : node_(node), path_(std::move(path)), file_(file) {
    if (node_ == nullptr || node_->kind != yaml::NodeKind::kMapping)
      refuse(node_, format("{}: a mapping expected", path_.empty() ? "target" : path_));
    for (size_t i = 0; i < node_->items.size(); i += 2) check_key(i);
  }

  const yaml::Node* find(std::string_view key) const {
    for (size_t i = 0; i < node_->items.size(); i += 2) {
      if (node_->items[i]->value == key) return node_->items[i + 1];
    }
    return nullptr;
  }

  // Refuses keys that are none of these.
  void allow(std::span<const std::string_view> keys) const {
    for (size_t i = 0; i < node_->items.size(); i += 2) {
      bool is_known = false;
      for (const std::string_view key : keys) is_known |= node_->items[i]->value == key;
      if (!is_known)
        refuse(node_->items[i], format("unknown key '{}'", full(node_->items[i]->value)));
    }
  }

  std::string text(std::string_view key, std::optional<std::string_view> otherwise = {}) const {
    const yaml::Node* found = find_or_refuse(key, otherwise.has_value());
    if (found == nullptr) return std::string(*otherwise);
    if (found->kind != yaml::NodeKind::kScalar || found->value.empty())
      refuse(found, format("{}: text expected", full(key)));
    return found->value;
  }

  double quantity(std::string_view key, std::span<const Unit> units, Least least,
                  std::optional<double> otherwise = {}) const {
    const yaml::Node* found = find_or_refuse(key, otherwise.has_value());
    if (found == nullptr) return *otherwise;
    const std::optional<double> value = parsed(*found, units);
    if (!value)
      refuse(found, format("{}: a number and a unit expected, as in '1 {}', not '{}'", full(key),
                           units[0].text, found->value));
    if (*value < 0 || (least == Least::kPositive && *value == 0))
      refuse(found, format("{}: {} expected, not '{}'", full(key),
                           least == Least::kPositive ? "more than 0" : "0 or more", found->value));
    return *value;
  }

  int64_t bytes(std::string_view key, Least least, std::optional<double> otherwise = {}) const {
    const double value = quantity(key, kBytes, least, otherwise);
    constexpr double kMost = 1e18;
    if (value > kMost) refuse(find(key), format("{}: more than there is", full(key)));
    return std::llround(value);
  }

  int64_t integer(std::string_view key, int64_t otherwise) const {
    constexpr Unit kNone[] = {{"", 1}};
    constexpr double kMost = 1e6;
    const double value = quantity(key, kNone, Least::kZero, static_cast<double>(otherwise));
    if (value != std::floor(value) || value > kMost)
      refuse(find(key), format("{}: an integer expected", full(key)));
    return static_cast<int64_t>(value);
  }

  bool truth(std::string_view key, bool otherwise) const {
    const yaml::Node* found = find(key);
    if (found == nullptr) return otherwise;
    if (found->value != "true" && found->value != "false")
      refuse(found, format("{}: true or false expected, not '{}'", full(key), found->value));
    return found->value == "true";
  }

  Section section(std::string_view key) const {
    return Section(find_or_refuse(key, false), full(key), file_);
  }

  [[noreturn, gnu::cold]] void refuse(const yaml::Node* at, std::string_view why) const {
    if (at == nullptr) throw_error(ErrorKind::kUnreadable, format("{}: {}", file_, why));
    throw_error(ErrorKind::kUnreadable,
                format("{}:{}:{}: {}", file_, at->start.line + 1, at->start.column + 1, why));
  }

  const yaml::Node& node() const { return *node_; }

 private:
  std::string full(std::string_view key) const {
    return path_.empty() ? std::string(key) : format("{}.{}", path_, key);
  }

  void check_key(size_t i) const {
    const yaml::Node* key = node_->items[i];
    if (key->kind != yaml::NodeKind::kScalar) refuse(key, "a name expected as the key");
    for (size_t j = 0; j < i; j += 2) {
      if (node_->items[j]->value == key->value)
        refuse(key, format("'{}' is there twice", full(key->value)));
    }
  }

  const yaml::Node* find_or_refuse(std::string_view key, bool may_miss) const {
    const yaml::Node* found = find(key);
    if (found == nullptr && !may_miss) refuse(node_, format("'{}' is missing", full(key)));
    return found;
  }

  static std::optional<double> parsed(const yaml::Node& node, std::span<const Unit> units) {
    if (node.kind != yaml::NodeKind::kScalar) return std::nullopt;
    const size_t digits = node.value.find_first_not_of("0123456789.+-eE");
    const std::string number = node.value.substr(0, digits);
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
    std::string_view unit = digits == std::string::npos
                                ? std::string_view()
                                : std::string_view(node.value).substr(digits);
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    if (unit.empty()) return value;
    for (const Unit& known : units) {
      if (known.text == unit) return value * known.factor;
    }
    return std::nullopt;
  }

  const yaml::Node* node_;
  std::string path_;
  std::string_view file_;
};

Target read_pytorch(const Section& root) {
  Target target;
  target.name = "file";
  if (root.find("pytorch") == nullptr) return target;
  const Section given = root.section("pytorch");
  constexpr std::string_view kKeys[] = {
      "build", "sm", "cudnn", "deterministic", "cudnn_enabled", "mkldnn_enabled"};
  given.allow(kKeys);
  const std::string build = given.text("build", "cuda");
  if (build != "cuda" && build != "cpu")
    given.refuse(given.find("build"),
                 format("pytorch.build: cuda or cpu expected, not '{}'", build));
  target.build = build == "cpu" ? Target::Build::kCPU : Target::Build::kCUDA;
  target.sm = static_cast<int>(given.integer("sm", 0));
  target.cudnn = static_cast<int>(given.integer("cudnn", build == "cpu" ? 0 : target.cudnn));
  target.deterministic = given.truth("deterministic", target.deterministic);
  target.cudnn_enabled = given.truth("cudnn_enabled", target.cudnn_enabled);
  target.mkldnn_enabled = given.truth("mkldnn_enabled", target.mkldnn_enabled);
  return target;
}

void read_memory(const Section& root, Hardware& hardware) {
  const Section memory = root.section("memory");
  constexpr std::string_view kKeys[] = {"total", "reserved", "context", "bandwidth"};
  memory.allow(kKeys);
  hardware.memory = memory.bytes("total", Least::kPositive);
  hardware.reserved = memory.bytes("reserved", Least::kZero, 0);
  hardware.context = memory.bytes("context", Least::kZero, 0);
  hardware.bandwidth = memory.quantity("bandwidth", kBytesPerSecond, Least::kPositive);
  if (hardware.usable() <= 0)
    memory.refuse(&memory.node(), "memory: nothing is left of total without reserved and context");
}

void read_rates(const Section& root, Hardware& hardware) {
  const Section flops = root.section("flops");
  const std::vector<yaml::Node*>& items = flops.node().items;
  for (size_t i = 0; i < items.size(); i += 2) {
    const std::optional<Rate> rate = parse_rate(items[i]->value);
    if (!rate) {
      flops.refuse(items[i], format("unknown dtype '{}'; those known are {}", items[i]->value,
                                    "float64, float32, tf32, float16, bfloat16, float8, int8"));
    }
    const Section peak = flops.section(items[i]->value);
    constexpr std::string_view kKeys[] = {"plain", "tensor"};
    peak.allow(kKeys);
    hardware.flops[static_cast<size_t>(*rate)] = {
        peak.quantity("plain", kPerSecond, Least::kZero, 0),
        peak.quantity("tensor", kPerSecond, Least::kZero, 0)};
  }
  if (hardware.peak(Rate::kFloat32).plain == 0)
    flops.refuse(&flops.node(), "'flops.float32.plain' is missing");
}

}  // namespace

TargetFile read_target_file(std::string_view text, std::string_view path) {
  const yaml::Document document(text);
  const Section root(document.root(), "", path);
  constexpr std::string_view kKeys[] = {"name",   "also", "title",  "source", "pytorch",
                                        "memory", "link", "launch", "flops"};
  root.allow(kKeys);
  TargetFile file;
  file.model.name = root.text("name");
  file.model.title = root.text("title", file.model.name);
  file.model.source = root.text("source", "none named");
  file.also = root.text("also", "");
  file.model.target = read_pytorch(root);
  Hardware& hardware = file.model.hardware.emplace();
  read_memory(root, hardware);
  if (root.find("link") != nullptr) {
    const Section link = root.section("link");
    constexpr std::string_view kLinkKeys[] = {"kind", "bandwidth"};
    link.allow(kLinkKeys);
    hardware.link_bandwidth = link.quantity("bandwidth", kBytesPerSecond, Least::kPositive);
  }
  constexpr double kUsualLaunch = 5e-6;
  hardware.launch = root.quantity("launch", kSeconds, Least::kZero, kUsualLaunch);
  read_rates(root, hardware);
  return file;
}

}  // namespace faketensor
