#include "core/command/peak_text.h"

#include "core/command/value_text.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr size_t kMostHolderLines = 20;
constexpr size_t kMostShareLines = 8;
constexpr size_t kMostSavings = 5;

void line(BufferedOut& out, std::string_view text) {
  out.text() += text;
  out.line_done();
}

void print_group(std::string_view title, const std::vector<MemoryShare>& shares, bool is_tree,
                 BufferedOut& out) {
  if (shares.empty()) return;
  line(out, title);
  for (size_t i = 0; i < std::min(shares.size(), kMostShareLines); ++i) {
    const MemoryShare& share = shares[i];
    const std::string_view name = share.name.empty() ? "(the model)" : std::string_view(share.name);
    if (is_tree && !same_expr(share.own, share.with_below)) {
      line(out,
           format("  {} {}, {} its own", size_text(share.with_below), name, size_text(share.own)));
    } else {
      line(out, format("  {} {}", size_text(share.own), name));
    }
  }
  if (shares.size() > kMostShareLines)
    line(out, format("  and {} more", shares.size() - kMostShareLines));
}

}  // namespace

std::string size_text(SymInt bytes) {
  return bytes.is_symbolic() ? to_string(bytes) : bytes_text(bytes.as_int());
}

std::string saving_text(const Run& run, const Saving& saving) {
  const auto node = [&](Row row) { return run.plan().name_of(row); };
  switch (saving.kind) {
    case SavingKind::kRecompute:
      return format("recompute {} for {}", node(saving.row), node(saving.other));
    case SavingKind::kCheckpoint:
      return format("checkpoint {}, at most", saving.module);
    case SavingKind::kInPlace:
      return format("{} in place of {}", node(saving.row), node(saving.other));
    case SavingKind::kEarlierUse:
      return format("{} before the peak, it is the last to read {}", node(saving.other),
                    node(saving.row));
  }
  return {};
}

std::string why_alive(const Run& run, const AliveStorage& each) {
  if (each.stays) return "held to the end";
  if (each.until_phase == TrainingPhase::kEnd) return "until the step ends";
  const bool is_forward = each.until_phase == TrainingPhase::kForward;
  if (is_forward && each.kind == MemoryKind::kTemporary) return "inside of it";
  if (is_forward && each.until == each.row) return "not used later";
  if (each.until == kNoRow) return format("until the {}", name(each.until_phase));
  const std::string_view node = run.plan().name_of(each.until);
  return is_forward ? format("until {}", node)
                    : format("until {} of {}", name(each.until_phase), node);
}

void print_alive(const Run& run, const PeakReport& report, BufferedOut& out) {
  size_t shown = 0;
  for (const AliveStorage& each : report.alive()) {
    const bool is_held = each.row != kNoRow && each.row < run.program().inputs.size() &&
                         each.kind <= MemoryKind::kInput;
    if (is_held || same_expr(each.bytes, 0) || ++shown > kMostHolderLines) continue;
    const std::string_view who = each.row == kNoRow ? "(loss)" : run.plan().name_of(each.row);
    line(out, format("  {} {} {}, {}", size_text(each.bytes), who, name(each.kind),
                     why_alive(run, each)));
  }
  if (shown > kMostHolderLines) line(out, format("  and {} more", shown - kMostHolderLines));
}

void print_shares(const Run& run, const PeakReport& report, BufferedOut& out) {
  print_group("at the peak, by kind:", report.by_kind(), false, out);
  print_group("by module, with what is below:", report.by_module(), true, out);
  print_group("by dtype:", report.by_dtype(), false, out);
  print_group("by line of code:", report.by_source(), false, out);
  if (report.savings().empty()) return;
  line(out, "what would lower the peak, each for itself:");
  for (size_t i = 0; i < std::min(report.savings().size(), kMostSavings); ++i) {
    const Saving& saving = report.savings()[i];
    line(out, format("  {} {}", bytes_text(saving.bytes), saving_text(run, saving)));
  }
}

}  // namespace faketensor
