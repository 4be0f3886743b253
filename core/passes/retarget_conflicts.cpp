// Retarget: what does not fit any more where tensors meet, and what is decided anew then.
#include <algorithm>

#include "core/passes/retarget.h"
#include "core/support/format.h"

namespace faketensor {

void Retarget::check_alignment() {
  if (has_new_choice_) return;
  const std::string_view packet = op_->packet();
  if (is_broadcasting(packet)) {
    check_broadcast(tensors().span());
  } else if (packet == "cat") {
    check_join();
  } else if (packet == "index") {
    check_index();
  } else if (packet == "scaled_dot_product_attention") {
    check_attention();
  } else if (packet == "lstm" || packet == "gru" || packet.starts_with("rnn_")) {
    check_recurrent();
  }
}

void Retarget::check_broadcast(std::span<const Tensors> tensors) {
  for (size_t a = 0; a < tensors.size(); ++a) {
    const SizePairs left = pairs_of(tensors[a]);
    for (size_t b = a + 1; b < tensors.size(); ++b) {
      const SizePairs right = pairs_of(tensors[b]);
      for (size_t i = 1; i <= std::min(left.size(), right.size()); ++i) {
        const size_t x = left.size() - i;
        const size_t y = right.size() - i;
        if (settle({tensors[a].row, x, left[x]}, {tensors[b].row, y, right[y]})) return;
      }
    }
  }
}

void Retarget::check_join() {
  const TensorList parts = tensors_of(plan_->row(row_).args[0], args_[0]);
  const std::optional<int64_t> dim = plain_int(args_[1]);
  if (parts.size() < 2 || !dim) return;
  const SizePairs first = pairs_of(parts[0]);
  for (size_t p = 1; p < parts.size(); ++p) {
    const SizePairs other = pairs_of(parts[p]);
    if (other.size() != first.size()) continue;
    for (size_t i = 0; i < first.size(); ++i) {
      if (i == wrapped_dim(*dim, first.size())) continue;
      if (settle({parts[0].row, i, first[i]}, {parts[p].row, i, other[i]}, true)) return;
    }
  }
}

// Indices are broadcast against each other, and one that counts a whole dimension goes on doing so.
void Retarget::check_index() {
  const TensorList indices = tensors_of(plan_->row(row_).args[1], args_[1]);
  const TensorList self = tensors_of(plan_->row(row_).args[0], args_[0]);
  if (self.empty()) return;
  const SizePairs sizes = pairs_of(self[0]);
  if (!plan_->row(row_).args[1].is(Value::Tag::kList)) return;
  const std::span<const Value> written = plan_->row(row_).args[1].values();
  for (size_t i = 0; i < written.size() && i < sizes.size(); ++i) {
    const SizePair size = sizes[i];
    const Row arange = size.is_changed() ? arange_of(*plan_, row_of(written[i])) : kNoRow;
    if (arange == kNoRow || size_now({arange, 0}, size.was) == size.is) continue;
    const LiteralRow* literals =
        find_literals(Registry::builtin().entry(plan_->row(arange).op).local_name());
    if (literals == nullptr || plain_int(plan_->row(arange).args[literals->argument]) != size.was)
      continue;
    const Site site{plan_, arange, literals->argument, Site::kWhole};
    if (choose(site, size.is,
               format("indexes all of dimension {} of {}", i, plan_->name_of(self[0].row))))
      return;
  }
  check_broadcast(indices.span());
}

// The mask is broadcast to the scores: batch and heads of the query, both lengths.
void Retarget::check_attention() {
  const std::span<const Value> written = plan_->row(row_).args;
  if (args_.size() < 4) return;
  TensorList all;
  for (size_t i : {size_t{0}, size_t{1}, size_t{3}}) {
    const TensorList tensor = tensors_of(written[i], args_[i]);
    if (tensor.empty()) return;
    all.push_back(tensor[0]);
  }
  const SizePairs query = pairs_of(all[0]);
  const SizePairs key = pairs_of(all[1]);
  const SizePairs mask = pairs_of(all[2]);
  if (query.size() < 2 || key.size() < 2 || mask.size() > query.size()) return;
  for (size_t i = 1; i <= mask.size(); ++i) {
    const size_t at = mask.size() - i;
    const size_t in_query = query.size() - i;
    const Operand score = i == 1 ? Operand{all[1].row, key.size() - 2, key[key.size() - 2]}
                                 : Operand{all[0].row, in_query, query[in_query]};
    if (settle({all[2].row, at, mask[at]}, score)) return;
  }
}

// The hidden states have the batch of the input.
void Retarget::check_recurrent() {
  const std::span<const Value> written = plan_->row(row_).args;
  const TensorList input = tensors_of(written[0], args_[0]);
  const SizePairs sizes = input.empty() ? SizePairs() : pairs_of(input[0]);
  const int batch_first = op_->schema.find_argument("batch_first");
  if (sizes.size() != 3 || batch_first < 0) return;
  const size_t batch = args_[static_cast<size_t>(batch_first)].to_bool() ? 0 : 1;
  for (const Tensors& state : tensors_of(written[1], args_[1])) {
    const SizePairs pairs = pairs_of(state);
    if (pairs.size() == 3)
      settle({input[0].row, batch, sizes[batch]}, {state.row, 1, pairs[1]}, true);
  }
}

// Two dimensions that meet: whether a choice was made because they do not fit as they did.
bool Retarget::settle(const Operand& a, const Operand& b, bool must_equal) {
  if (a.size.is == b.size.is) return false;
  if (a.size.was == b.size.was) {
    // A guess against a number that stayed for a reason.
    if (was_guessed(a) && has_said(b) && lift(a, b)) return true;
    if (was_guessed(b) && has_said(a) && lift(b, a)) return true;
    if (!a.size.is_changed() && lift(a, b, must_equal)) return true;
    if (!b.size.is_changed() && lift(b, a, must_equal)) return true;
    // Equal in the example, and taken for what they are not.
    if (a.size.was == 1) return false;
    if (a.size.is_changed() && lift(a, b)) return true;
    return b.size.is_changed() && lift(b, a);
  }
  // What was broadcast is so no more.
  const auto has_grown = [](const Operand& one, const Operand& other) {
    return one.size.was == 1 && one.size.is != 1 && other.size.is != 1;
  };
  if (has_grown(a, b)) return lift(a, {b.row, b.dim, {1, 1}});
  return has_grown(b, a) && lift(b, {a.row, a.dim, {1, 1}});
}

bool Retarget::was_guessed(const Operand& operand) const {
  if (!operand.size.is_changed()) return false;
  const std::vector<Site> origins = size_origins(*plan_, operand.row, operand.dim);
  return std::any_of(origins.begin(), origins.end(), [&](const Site& site) {
    return std::find(guesses_.begin(), guesses_.end(), site) != guesses_.end();
  });
}

bool Retarget::has_said(const Operand& operand) const {
  const std::vector<Site> origins = size_origins(*plan_, operand.row, operand.dim);
  return std::any_of(origins.begin(), origins.end(),
                     [&](const Site& site) { return said_.contains(site); });
}

bool Retarget::lift(const Operand& from, const Operand& met, bool must_equal) {
  if (kept_.contains({plan_, from.row, from.dim})) return false;
  for (const Site& site : size_origins(*plan_, from.row, from.dim)) {
    if (plain_int(written_at(site)) != from.size.was || !may_follow(site, must_equal)) continue;
    if (choose(site, met.size.is,
               format("meets dimension {} of {}", met.dim, plan_->name_of(met.row))))
      return true;
  }
  if (!must_equal) kept_.insert({plan_, from.row, from.dim});
  return false;
}

// What a view makes of its argument is known. A 1 may be no size, but be there to be broadcast, or
// because there is one of it.
bool Retarget::may_follow(const Site& site, bool must_equal) {
  const LiteralRow* literals =
      find_literals(Registry::builtin().entry(plan_->row(site.row).op).local_name());
  if (literals != nullptr && literals->kind == LiteralKind::kReshape) return false;
  if (plain_int(written_at(site)) != 1) return true;
  if (literals == nullptr) return false;
  const Told told = told_of(site);
  if (told.number) return *told.number != 1;
  // Of another value's dimension it is not known that it grew.
  if (told.is_dimension && !must_equal) return false;
  return must_equal || literals->kind != LiteralKind::kSizes || told.is_size;
}

bool Retarget::choose(const Site& site, int64_t to, std::string_view reason) {
  if (!may_choose_) return false;
  if (const Choice* known = choice_at(site); known != nullptr && known->to == to) return false;
  if (!choices_.set(site, site_group(site), {to, std::string(reason)})) return false;
  has_new_choice_ = true;
  return true;
}

bool Retarget::learn_from_failure() {
  if (plan_ == nullptr || has_new_choice_) return has_new_choice_;
  args_ = last_args_;
  const TensorList all = tensors();
  // How elementwise operators align their operands is known, and was looked at before they ran.
  const bool is_aligned = op_ != nullptr && is_broadcasting(op_->packet());
  constexpr size_t kMostOperands = 16;
  for (size_t a = 0; !is_aligned && a < std::min(all.size(), kMostOperands); ++a) {
    const SizePairs left = pairs_of(all[a]);
    for (size_t b = a + 1; b < std::min(all.size(), kMostOperands); ++b) {
      const SizePairs right = pairs_of(all[b]);
      for (size_t x = 0; x < left.size(); ++x) {
        for (size_t y = 0; y < right.size(); ++y) {
          const bool were_equal = left[x].was == right[y].was && left[x].was != 1;
          if (were_equal && settle({all[a].row, x, left[x]}, {all[b].row, y, right[y]}))
            return true;
        }
      }
    }
  }
  return (options_.dtype && settle_aspect(Aspect::kDType)) ||
         (options_.device && settle_aspect(Aspect::kDevice)) || revert_guess();
}

// The guess nearest above the row that raised is taken back.
bool Retarget::revert_guess() {
  const std::set<Site> guessed(guesses_.begin(), guesses_.end());
  std::vector<Row> queue = {row_};
  std::set<Row> seen = {row_};
  for (size_t i = 0; i < queue.size(); ++i) {
    for (auto site = guessed.lower_bound({plan_, queue[i], 0, Site::kWhole});
         site != guessed.end() && site->plan == plan_ && site->row == queue[i]; ++site) {
      const std::optional<int64_t> was = plain_int(written_at(*site));
      if (was && choose(*site, *was, format("else {} would raise", plan_->name_of(row_))))
        return true;
    }
    for (const Value& arg : plan_->row(queue[i]).args) {
      for_each_row(arg, [&](Row row) {
        if (seen.insert(row).second) queue.push_back(row);
      });
    }
  }
  return false;
}

// Operands of two dtypes (devices) that had one: what keeps its own follows, else the other way.
bool Retarget::settle_aspect(Aspect aspect) {
  const TensorList all = tensors();
  const auto has_changed = [&](const Tensors& tensor) {
    return aspect == Aspect::kDType ? tensor.was->dtype() != tensor.is->dtype()
                                    : tensor.was->device() != tensor.is->device();
  };
  const auto counts = [&](const Tensors& tensor) {
    return aspect == Aspect::kDevice || is_floating(tensor.was->dtype());
  };
  const auto is_of = [&](const Tensors& tensor, bool changed) {
    return counts(tensor) && has_changed(tensor) == changed;
  };
  const auto some = [&](bool changed) {
    return std::any_of(all.begin(), all.end(), [&](const Tensors& t) { return is_of(t, changed); });
  };
  if (!some(true) || !some(false)) return false;
  for (const bool wanted : {false, true}) {
    for (const Tensors& tensor : all) {
      if (!counts(tensor) || has_changed(tensor) != wanted) continue;
      for (const Site& site : aspect_origins(*plan_, tensor.row, aspect)) {
        const bool is_input = site.argument == Site::kWhole;
        if (is_input && (plan_ != &program_.plan() ||
                         program_.inputs[site.row].kind != InputSpec::Kind::kConstant))
          continue;
        if (choose(site, wanted ? 0 : 1, format("is an operand of {}", plan_->name_of(row_))))
          return true;
      }
    }
  }
  return false;
}

}  // namespace faketensor
