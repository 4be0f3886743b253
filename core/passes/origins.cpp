#include "core/passes/origins.h"

#include <algorithm>
#include <set>

#include "core/passes/literals.h"

namespace faketensor {

namespace {

const OpEntry* entry_of(const PlanRow& row) {
  return row.op == kNoOp ? nullptr : &Registry::builtin().entry(row.op);
}

// A dimension argument as an index; the rank where it is none.
size_t dim_index(const Value& value, size_t rank) {
  return wrapped_dim(plain_int(value).value_or(static_cast<int64_t>(rank)), rank);
}

// Follows one dimension upwards.
class SizeTrace {
 public:
  explicit SizeTrace(const Plan& plan) : plan_(plan) {}

  void run(RowDim from) {
    queue_.push_back(from);
    for (size_t i = 0; i < queue_.size() && i < kMostSteps; ++i)
      visit(queue_[i].row, queue_[i].dim);
  }
  std::vector<Site> take_sites() { return std::move(sites_); }
  std::vector<RowDim> take_dims() { return std::move(queue_); }

 private:
  static constexpr size_t kMostSteps = 4096;

  void follow(const Value& argument, size_t dim) {
    const Row row = row_of(argument);
    if (row == kNoRow || !seen_.insert({row, dim}).second) return;
    queue_.push_back({row, dim});
  }
  void found(Row row, int argument, int element) {
    sites_.push_back({&plan_, row, argument, element});
  }

  void visit(Row at, size_t dim) {
    const PlanRow& row = plan_.row(at);
    if (row.kind == RowKind::kPlaceholder || row.kind == RowKind::kOutput) return;
    if (row.kind == RowKind::kGetItem) return visit_piece(row, dim);
    const OpEntry* op = entry_of(row);
    const std::optional<Sizes> sizes = example_sizes(plan_, at);
    if (op == nullptr || !sizes || dim >= sizes->size()) return;
    if (const LiteralRow* literals = find_literals(op->local_name());
        literals != nullptr && visit_literal(at, row, *literals, *sizes, dim))
      return;
    if (!visit_view(row, op->packet(), *sizes, dim)) visit_operands(row, *sizes, dim);
  }

  // An element of a list of pieces has the dimensions of what was split, but for the split one.
  void visit_piece(const PlanRow& row, size_t dim) {
    const Row container = row_of(row.args[0]);
    const PlanRow& call = plan_.row(container);
    const OpEntry* op = entry_of(call);
    if (op == nullptr || call.args.empty()) return;
    const std::string_view packet = op->packet();
    if (packet == "unbind") return follow(call.args[0], dim + 1);
    if (packet == "split" || packet == "chunk" || packet == "split_with_sizes" ||
        packet == "tensor_split")
      follow(call.args[0], dim);
  }

  bool visit_literal(Row at, const PlanRow& row, const LiteralRow& literals, const Sizes& sizes,
                     size_t dim) {
    const auto argument = static_cast<int>(literals.argument);
    switch (literals.kind) {
      case LiteralKind::kSizes:
        found(at, argument, static_cast<int>(dim));
        return true;
      case LiteralKind::kLength:
        found(at, argument, Site::kWhole);
        return true;
      case LiteralKind::kExpand: {
        const std::optional<Sizes> from = example_sizes(plan_, row_of(row.args[0]));
        if (!from) return true;
        if (from->size() > sizes.size()) return true;
        const size_t added = sizes.size() - from->size();
        if (dim >= added) follow(row.args[0], dim - added);
        if (dim < added || (*from)[dim - added] == 1) found(at, argument, static_cast<int>(dim));
        return true;
      }
      case LiteralKind::kReshape:
        visit_reshape(at, row, sizes, dim);
        return true;
      case LiteralKind::kEnd:
        if (dim_index(row.args[literals.dim_argument], sizes.size()) == dim)
          found(at, argument, Site::kWhole);
        follow(row.args[0], dim);
        return true;
      case LiteralKind::kRepeats:
        found(at, argument,
              row.args[literals.argument].is_list() ? static_cast<int>(dim) : Site::kWhole);
        return true;
      case LiteralKind::kOutputSize:
        if (dim < 2) return false;
        found(at, argument, static_cast<int>(dim - 2));
        return true;
      case LiteralKind::kUnflatten:
      case LiteralKind::kWindow:
      case LiteralKind::kPieces:
        return false;
    }
    return false;
  }

  // A view keeps the dimensions before and after those that it groups otherwise.
  void visit_reshape(Row at, const PlanRow& row, const Sizes& sizes, size_t dim) {
    const std::optional<Sizes> from = example_sizes(plan_, row_of(row.args[0]));
    if (!from) return;
    size_t before = 0;
    while (before < from->size() && before < sizes.size() && (*from)[before] == sizes[before])
      ++before;
    if (dim < before) return follow(row.args[0], dim);
    size_t after = 0;
    while (after < from->size() - before && after < sizes.size() - before &&
           (*from)[from->size() - 1 - after] == sizes[sizes.size() - 1 - after])
      ++after;
    if (dim >= sizes.size() - after)
      return follow(row.args[0], from->size() - (sizes.size() - dim));
    found(at, 1, static_cast<int>(dim));
    // One of several dimensions that were one, or one that was several.
    for (size_t i = before; i < from->size() - after; ++i) {
      if ((*from)[i] == sizes[dim]) follow(row.args[0], i);
    }
  }

  bool visit_view(const PlanRow& row, std::string_view packet, const Sizes& sizes, size_t dim) {
    const size_t rank = sizes.size();
    if (packet == "unsqueeze") {
      const size_t at = dim_index(row.args[1], rank);
      if (dim != at) follow(row.args[0], dim < at ? dim : dim - 1);
      return true;
    }
    if (packet == "select") {
      const size_t at = dim_index(row.args[1], rank + 1);
      follow(row.args[0], dim < at ? dim : dim + 1);
      return true;
    }
    if (packet == "t") {
      follow(row.args[0], rank - 1 - dim);
      return true;
    }
    if (packet == "transpose") {
      const size_t a = dim_index(row.args[1], rank);
      const size_t b = dim_index(row.args[2], rank);
      follow(row.args[0], dim == a ? b : dim == b ? a : dim);
      return true;
    }
    if (packet == "permute") {
      const std::optional<Sizes> dims = plain_ints(row.args[1]);
      if (dims && dim < dims->size()) follow(row.args[0], dim_index((*dims)[dim], rank));
      return true;
    }
    if (packet == "cat" || packet == "stack") {
      const size_t at = dim_index(row.args[1], rank);
      if (dim == at || !row.args[0].is(Value::Tag::kList)) return true;
      for (const Value& part : row.args[0].values())
        follow(part, packet == "stack" && dim > at ? dim - 1 : dim);
      return true;
    }
    if (packet == "index") return visit_index(row, rank, dim);
    if (packet == "embedding") {
      follow(row.args[1], dim);
      return true;
    }
    return false;
  }

  // Indices of tensors from the first dimension on: theirs come first, then those not indexed.
  bool visit_index(const PlanRow& row, size_t rank, size_t dim) {
    if (!row.args[1].is(Value::Tag::kList)) return true;
    size_t indexed = 0;
    size_t broadcast = 0;
    for (const Value& index : row.args[1].values()) {
      const std::optional<Sizes> sizes = example_sizes(plan_, row_of(index));
      if (!sizes) return true;
      ++indexed;
      broadcast = std::max(broadcast, sizes->size());
    }
    if (dim >= broadcast) {
      follow(row.args[0], dim - broadcast + indexed);
      return true;
    }
    for (const Value& index : row.args[1].values()) {
      const size_t rank_of = example_sizes(plan_, row_of(index))->size();
      const size_t added = broadcast - rank_of;
      if (dim >= added) follow(index, dim - added);
    }
    return rank > 0;
  }

  // Operands that are aligned from the right, and have the size there.
  void visit_operands(const PlanRow& row, const Sizes& sizes, size_t dim) {
    for (const Value& arg : row.args) {
      const std::optional<Sizes> from = example_sizes(plan_, row_of(arg));
      if (!from || from->size() > sizes.size()) continue;
      const size_t added = sizes.size() - from->size();
      if (dim >= added && (*from)[dim - added] == sizes[dim]) follow(arg, dim - added);
    }
  }

  const Plan& plan_;
  std::vector<RowDim> queue_;
  std::set<RowDim> seen_;
  std::vector<Site> sites_;
};

int find_argument(const OpEntry& op, std::string_view name) {
  return op.schema.find_argument(name);
}

// Operators whose result has the numbers of an `arange` that they are given.
bool keeps_numbers(std::string_view packet) {
  constexpr std::string_view kSame[] = {"unsqueeze", "view",       "reshape",  "expand",
                                        "to",        "add",        "_to_copy", "alias",
                                        "detach",    "contiguous", "clone"};
  return std::find(std::begin(kSame), std::end(kSame), packet) != std::end(kSame);
}

bool is_put(std::string_view packet) { return packet == "index_put" || packet == "index_put_"; }

// The dimension of the one tensor, of one dimension, that a list of indices has.
std::optional<RowDim> only_index(const Plan& plan, const Value& indices) {
  if (!indices.is(Value::Tag::kList) || indices.size() != 1) return std::nullopt;
  const Row row = row_of(indices.values()[0]);
  const std::optional<Sizes> sizes = example_sizes(plan, row);
  if (!sizes || sizes->size() != 1) return std::nullopt;
  return RowDim{row, 0};
}

}  // namespace

std::optional<int64_t> plain_int(const Value& value) {
  if (!value.is(Value::Tag::kInt) || value.as_sym_int().is_symbolic()) return std::nullopt;
  return value.as_sym_int().as_int();
}

std::optional<Sizes> plain_ints(const Value& list) {
  if (!list.is_list()) return std::nullopt;
  Sizes numbers;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::optional<int64_t> number = plain_int(list[i]);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

size_t wrapped_dim(int64_t dim, size_t rank) {
  return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
}

Row row_of(const Value& argument) {
  return argument.is(Value::Tag::kNodeRef) ? argument.node() : kNoRow;
}

std::optional<Sizes> example_sizes(const Plan& plan, Row row) {
  if (row == kNoRow) return std::nullopt;
  const TensorMeta* meta = plan.node(row).recorded;
  if (meta == nullptr) return std::nullopt;
  Sizes sizes;
  for (const SymInt size : meta->sizes()) {
    if (size.is_symbolic()) return std::nullopt;
    sizes.push_back(size.as_int());
  }
  return sizes;
}

std::vector<RowDim> dims_above(const Plan& plan, RowDim from) {
  SizeTrace trace(plan);
  trace.run(from);
  return trace.take_dims();
}

std::vector<Site> size_origins(const Plan& plan, Row row, size_t dim) {
  SizeTrace trace(plan);
  trace.run({row, dim});
  return trace.take_sites();
}

std::vector<Site> aspect_origins(const Plan& plan, Row start, Aspect aspect) {
  constexpr size_t kMostSteps = 4096;
  std::vector<Site> sites;
  std::vector<Row> queue = {start};
  std::set<Row> seen = {start};
  for (size_t i = 0; i < queue.size() && i < kMostSteps; ++i) {
    const PlanRow& row = plan.row(queue[i]);
    if (row.kind == RowKind::kPlaceholder) {
      sites.push_back({&plan, queue[i], Site::kWhole, Site::kWhole});
      continue;
    }
    if (const OpEntry* op = entry_of(row)) {
      const int at = find_argument(*op, aspect == Aspect::kDType ? "dtype" : "device");
      const Value::Tag tag = aspect == Aspect::kDType ? Value::Tag::kDType : Value::Tag::kDevice;
      if (at >= 0 && row.args[static_cast<size_t>(at)].is(tag)) {
        sites.push_back({&plan, queue[i], at, Site::kWhole});
        continue;
      }
    }
    const auto follow = [&](Row next) {
      const TensorMeta* meta = plan.node(next).recorded;
      const bool carries =
          meta == nullptr || aspect == Aspect::kDevice || is_floating(meta->dtype());
      if (carries && seen.insert(next).second) queue.push_back(next);
    };
    for (const Value& arg : row.args) for_each_row(arg, follow);
  }
  return sites;
}

Row arange_of(const Plan& plan, Row row) {
  while (row != kNoRow && plan.row(row).kind == RowKind::kCall) {
    const OpEntry* op = entry_of(plan.row(row));
    if (op == nullptr) return kNoRow;
    const std::string_view packet = op->packet();
    if (packet == "arange") return row;
    if (!keeps_numbers(packet)) return kNoRow;
    row = row_of(plan.row(row).args[0]);
  }
  return kNoRow;
}

std::optional<RowDim> indexed_by(const Plan& plan, Row arange, int64_t length) {
  constexpr size_t kMostSteps = 64;
  std::vector<Row> queue = {arange};
  for (size_t i = 0; i < queue.size() && i < kMostSteps; ++i) {
    for (const NodeId user : plan.graph().users(plan.row(queue[i]).id)) {
      const Row row = plan.row_of(user);
      const OpEntry* op = row == kNoRow ? nullptr : entry_of(plan.row(row));
      if (op == nullptr) continue;
      const std::span<const Value> args = plan.row(row).args;
      if (keeps_numbers(op->packet()) && row_of(args[0]) == queue[i]) queue.push_back(row);
      if (is_put(op->packet()) && row_of(args[2]) == queue[i]) {
        const std::optional<RowDim> places = only_index(plan, args[1]);
        if (places && example_sizes(plan, places->row)->front() == length) return places;
      }
      if (op->packet() != "index" || !args[1].is(Value::Tag::kList)) continue;
      const std::optional<Sizes> sizes = example_sizes(plan, row_of(args[0]));
      for (size_t at = 0; sizes && at < std::min(args[1].size(), sizes->size()); ++at) {
        if (row_of(args[1].values()[at]) == queue[i] && (*sizes)[at] == length)
          return RowDim{row_of(args[0]), at};
      }
    }
  }
  return std::nullopt;
}

}  // namespace faketensor
