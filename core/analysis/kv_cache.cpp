#include "core/analysis/kv_cache.h"

#include <algorithm>

#include "core/analysis/work.h"

namespace faketensor {

namespace {

// The placeholder that a value is of; kNoRow for none.
Row input_of(const Run& run, const Value& value) {
  Row input = kNoRow;
  for_each_node(value, [&](NodeId id) {
    const Row row = static_cast<Row>(index_of(id));
    if (input == kNoRow && row < run.program().inputs.size()) input = row;
  });
  return input;
}

bool can_be_cache(const Run& run, Row row) {
  if (row == kNoRow || run.record(row).tensors.empty()) return false;
  const InputSpec::Kind kind = run.program().inputs[row].kind;
  const TensorMeta& meta = *run.record(row).tensors[0].meta;
  return (kind == InputSpec::Kind::kUser || kind == InputSpec::Kind::kBuffer) &&
         is_floating(meta.dtype()) && meta.rank() >= 3;
}

// The place of the one index that is given; none for several.
std::optional<int64_t> indexed_dim(const Value& indices) {
  if (!indices.is_list()) return std::nullopt;
  std::optional<int64_t> found;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i].is_none()) continue;
    if (found) return std::nullopt;
    found = static_cast<int64_t>(i);
  }
  return found;
}

}  // namespace

KvCaches::KvCaches(const ProgramCosts& costs) {
  const Run& run = costs.run();
  const BranchScope env = run.shape_env();
  peak_ = MemoryTimeline::hint(costs.memory().peak());
  const std::vector<Row> last = last_uses(run.plan());
  for (Row row = 0; row < run.plan().size(); ++row) {
    if (run.plan().row(row).kind == RowKind::kCall) find(run, row, last);
  }
}

void KvCaches::find(const Run& run, Row row, const std::vector<Row>& last_uses) {
  const PlanRow& call = run.plan().row(row);
  if (call.op == kNoOp || call.args.size() < 2) return;
  const std::string_view target = run.plan().target_of(row);
  const auto is = [&](std::string_view op) { return target.find(op) != std::string_view::npos; };
  const bool grows = is("aten.cat.default");
  std::optional<int64_t> dim;
  if (grows && last_uses[row] != kNoRow) return;
  if (grows || is("aten.index_copy.") || is("aten.index_copy_.")) {
    if (call.args[1].is(Value::Tag::kInt)) dim = hinted(call.args[1].as_sym_int());
  } else if (is("aten.index_put.") || is("aten.index_put_.")) {
    dim = indexed_dim(call.args[1]);
  }
  const Row input = input_of(run, call.args[0]);
  if (!dim || !can_be_cache(run, input)) return;
  const TensorRecord& tensor = run.record(input).tensors[0];
  const Dims sizes = tensor.meta->sizes();
  if (*dim < 0) *dim += static_cast<int64_t>(sizes.size());
  const bool is_known = std::any_of(caches_.begin(), caches_.end(),
                                    [&](const KvCache& cache) { return cache.row == input; });
  if (is_known || *dim < 0 || *dim >= static_cast<int64_t>(sizes.size())) return;
  KvCache cache{.row = input, .dim = static_cast<size_t>(*dim), .grows = grows};
  cache.copies = is("index_copy_.") || is("index_put_.") ? 1 : 2;
  cache.length = hinted(sizes[cache.dim]);
  if (cache.length == 0) return;
  cache.bytes_per_token = MemoryTimeline::hint(tensor.nbytes) / cache.length;
  caches_.push_back(cache);
}

int64_t KvCaches::per_token() const {
  int64_t bytes = 0;
  for (const KvCache& cache : caches_) bytes += cache.bytes_per_token;
  return bytes;
}

int64_t KvCaches::length() const {
  int64_t length = 0;
  for (const KvCache& cache : caches_) length = std::max(length, cache.length);
  return length;
}

int64_t KvCaches::longest(int64_t usable) const {
  int64_t more = 0;  // bytes that a token adds to the peak
  for (const KvCache& cache : caches_) more += cache.bytes_per_token * cache.copies;
  if (more == 0) return 0;
  const int64_t room = usable - peak_;
  const int64_t tokens = room >= 0 ? room / more : -((-room + more - 1) / more);
  return std::max<int64_t>(0, length() + tokens);
}

}  // namespace faketensor
