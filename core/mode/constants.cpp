#include "core/mode/constants.h"

#include "core/ops/constant.h"

namespace faketensor {

Tensor* ConstantTracker::fake_of(Tensor& real) {
  if (const auto found = fake_of_.find(&real); found != fake_of_.end()) return found->second;
  Storage*& storage = storages_[real.storage];
  const auto base = fake_of_.find(real.base);
  Tensor* fake = fakes_.make_tensor(fakes_.metas().intern(real.meta->spec()), storage,
                                    base == fake_of_.end() ? nullptr : base->second);
  storage = fake->storage;
  fake->constant = fakes_.arena().make<Constant>(&real);
  fake_of_.emplace(&real, fake);
  holders_[real.storage].push_back(fake);
  return fake;
}

void ConstantTracker::adopt(Tensor& fake, Tensor& real) {
  storages_[real.storage] = fake.storage;
  fake.constant = fakes_.arena().make<Constant>(&real);
  fake_of_[&real] = &fake;
  holders_[real.storage].push_back(&fake);
}

bool ConstantTracker::may_become_constant(const Tensor& real) {
  return !real.numel().is_symbolic() && real.numel().as_int() <= kElementLimit &&
         real.layout() == Layout::kStrided && !real.device().is_meta();
}

Tensor* ConstantTracker::real_of(const Tensor& fake) {
  return fake.constant == nullptr ? nullptr : fake.constant->real();
}

void ConstantTracker::forget_aliases(const Tensor& fake) {
  const Tensor* real = real_of(fake);
  if (real == nullptr) return;
  const auto found = holders_.find(real->storage);
  if (found == holders_.end()) return;
  const std::vector<Tensor*> holders = std::move(found->second);
  holders_.erase(found);
  for (Tensor* holder : holders) holder->constant = nullptr;
}

}  // namespace faketensor
