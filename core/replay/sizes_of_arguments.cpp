#include "core/replay/sizes_of_arguments.h"

namespace faketensor {

void SizesOfArguments::add(const Json& before, const Json& now, const Value& traced) {
  if (before.contains("t") && now.contains("t") && traced.is_tensor()) {
    const Json& old_sizes = list_member(before, "size");
    const Json& sizes = list_member(now, "size");
    const Dims symbols = traced.tensor().sizes();
    for (size_t i = 0; i < symbols.size() && i < sizes.size() && i < old_sizes.size(); ++i) {
      if (symbols[i].is_symbolic())
        dims_.push_back(
            {symbols[i], integer_of(old_sizes[i], "size"), integer_of(sizes[i], "size")});
    }
  } else if (before.is_number_integer() && now.is_number_integer() && traced.is_symbolic()) {
    dims_.push_back({traced.to_sym_int(), before.get<int64_t>(), now.get<int64_t>()});
  }
}

Value SizesOfArguments::argument(Context& context, const Json& before, const Json& now,
                                 const Value& value) const {
  if (before == now || dims_.empty()) return value;
  if (value.is(Value::Tag::kInt) && before.is_number_integer() && now.is_number_integer())
    return Value(size(before.get<int64_t>(), now.get<int64_t>()));
  if (!value.is_list() || !before.is_array() || before.size() != now.size()) return value;
  DimVector sizes;
  for (size_t i = 0; i < now.size(); ++i) {
    if (!before[i].is_number_integer() || !now[i].is_number_integer()) return value;
    sizes.push_back(size(before[i].get<int64_t>(), now[i].get<int64_t>()));
  }
  return context.make_ints(sizes.span());
}

SymInt SizesOfArguments::size(int64_t before, int64_t now) const {
  if (before == now) return now;
  for (const Dim& dim : dims_) {
    if (dim.before == before && dim.now == now) return dim.symbol;
  }
  for (const Dim& dim : dims_) {
    if (dim.now == 0 || now == 0 || now * dim.before != before * dim.now) continue;
    if (now % dim.now == 0) return dim.symbol * SymInt(now / dim.now);
    if (dim.now % now == 0) return floor_div(dim.symbol, SymInt(dim.now / now));
  }
  for (const Dim& dim : dims_) {
    if (now - dim.now == before - dim.before) return dim.symbol + SymInt(now - dim.now);
  }
  return now;
}

}  // namespace faketensor
