// Retarget: numbers, from the tensors that stand beside them.
#include <algorithm>

#include "core/passes/retarget.h"
#include "core/support/format.h"
#include "core/tensor/strides.h"

namespace faketensor {

void Retarget::edit_sizes(const LiteralRow& literals) {
  SizePairs from;
  if (literals.argument > 0 && args_[0].is_tensor()) {
    const TensorList self = tensors_of(plan_->row(row_).args[0], args_[0]);
    if (self.empty() || is_of_symbol(literals, *self[0].was)) return;
    from = pairs_of(self[0]);
  }
  // Most values are as they were.
  const auto is_changed = [](SizePair size) { return size.is_changed(); };
  const bool is_of_self = literals.kind == LiteralKind::kReshape ||
                          literals.kind == LiteralKind::kUnflatten ||
                          literals.kind == LiteralKind::kPieces;
  if (is_of_self && choices_.empty() && std::none_of(from.begin(), from.end(), is_changed)) return;
  switch (literals.kind) {
    case LiteralKind::kReshape:
      return edit_reshape(literals, from.span(), false);
    case LiteralKind::kUnflatten:
      return edit_reshape(literals, from.span(), true);
    case LiteralKind::kExpand:
      return edit_expand(from.span());
    case LiteralKind::kEnd:
      return edit_end(literals, from.span());
    case LiteralKind::kWindow:
      return edit_window(literals, from.span());
    case LiteralKind::kPieces:
      return edit_pieces(literals, from.span());
    case LiteralKind::kSizes:
    case LiteralKind::kLength:
    case LiteralKind::kRepeats:
    case LiteralKind::kOutputSize:
      return edit_numbers(literals, from.span());
  }
}

// Whether the numbers are about a dimension that is a symbol in the file: then they are the model's.
bool Retarget::is_of_symbol(const LiteralRow& literals, const TensorMeta& self) const {
  const Dims sizes = self.sizes();
  switch (literals.kind) {
    case LiteralKind::kEnd:
    case LiteralKind::kPieces: {
      const std::optional<int64_t> dim = plain_int(args_[literals.dim_argument]);
      const size_t at = wrapped_dim(dim.value_or(0), sizes.size());
      return at < sizes.size() && sizes[at].is_symbolic();
    }
    case LiteralKind::kOutputSize:
    case LiteralKind::kWindow:
      return std::any_of(sizes.begin() + std::min<size_t>(2, sizes.size()), sizes.end(),
                         [](SymInt size) { return size.is_symbolic(); });
    default:
      return false;
  }
}

namespace {

// The shape without -1, given what is viewed.
bool infer_size(std::span<int64_t> shape, std::span<const SizePair> from) {
  int64_t count = 1;
  for (const SizePair size : from) count = times(count, size.was);
  int64_t others = 1;
  size_t inferred = shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      inferred = i;
    } else {
      others = times(others, shape[i]);
    }
  }
  if (inferred == shape.size()) return others == count;
  if (others == 0 || count % others != 0) return false;
  shape[inferred] = count / others;
  return true;
}

}  // namespace

void Retarget::edit_reshape(const LiteralRow& literals, std::span<const SizePair> from,
                            bool is_unflatten) {
  if (is_unflatten) {
    const std::optional<int64_t> dim = plain_int(args_[literals.dim_argument]);
    if (!dim || wrapped_dim(*dim, from.size()) >= from.size()) return;
    from = from.subspan(wrapped_dim(*dim, from.size()), 1);
  }
  const std::optional<Written> written = written_sizes(literals.argument);
  if (!written) return;
  Sizes shape = written->was;
  if (!infer_size({shape.data(), shape.size()}, from)) return;
  // A 1 that the code has as a number is no dimension of the example.
  Sizes unsaid;
  SmallVector<bool, 8> is_said;
  for (size_t i = 0; i < shape.size(); ++i) {
    const Site site{plan_, row_, literals.argument, static_cast<int>(i)};
    is_said.push_back(shape[i] == 1 && written->is_literal[i] && told_of(site).number == 1);
    if (!is_said.back()) unsaid.push_back(shape[i]);
  }
  std::optional<Sizes> matched = match_shape(from, unsaid.span(), changes_);
  if (matched && unsaid.size() < shape.size()) {
    Sizes all;
    for (size_t i = 0, next = 0; i < shape.size(); ++i)
      all.push_back(is_said[i] ? 1 : (*matched)[next++]);
    matched = all;
  }
  const Value given = args_[literals.argument];
  DimVector result;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t was = written->was[i];
    const int64_t likely = matched ? (*matched)[i] : was;
    result.push_back(written->is_literal[i] && was != -1
                         ? decide(literals.argument, static_cast<int>(i), was, likely, false)
                         : given[i].as_sym_int());
  }
  args_[literals.argument] = Value::ints(arena_.copy(Dims(result)));
}

// Note [Views that have become copies]
// x.reshape(...) is exported as a view where it was one. Of an x with other strides, which a device
// or a format may bring, a new export has a copy instead: what is viewed is copied then.
void Retarget::copy_for_view() {
  if (!args_[0].is_tensor() || !args_[1].is_list()) return;
  const TensorMeta& meta = *args_[0].tensor().meta;
  if (meta.has(kContiguous) || meta.has(kSymbolic)) return;
  const TensorList self = tensors_of(plan_->row(row_).args[0], args_[0]);
  if (self.empty() || same_exprs(self[0].was->strides(), meta.strides())) return;
  DimVector shape;
  for (size_t i = 0; i < args_[1].size(); ++i) shape.push_back(args_[1][i].as_sym_int());
  SymInt others = 1;
  for (const SymInt size : shape)
    if (size.is_symbolic() || size.as_int() != -1) others = others * size;
  for (SymInt& size : shape) {
    if (size.is_symbolic() || size.as_int() != -1) continue;
    if (!others.is_symbolic() && others.as_int() == 0) return;
    size = floor_div(meta.numel(), others);
  }
  if (view_strides(meta.sizes(), meta.strides(), shape)) return;
  static const OpId clone = Registry::builtin().find("aten::clone");
  Value copied[] = {args_[0], MemoryFormat::kContiguous};
  args_[0] = context_->call(clone, copied);
  notes_.push_back(
      {.site = {plan_, row_, 0, Site::kWhole}, .kind = Note::Kind::kCopy, .is_guess = true});
}

std::optional<Retarget::Written> Retarget::written_sizes(int argument) {
  const Value& list = plan_->row(row_).args[static_cast<size_t>(argument)];
  if (!list.is_list() || !args_[static_cast<size_t>(argument)].is_list()) return std::nullopt;
  Written written;
  for (size_t i = 0; i < list.size(); ++i) {
    const Value element = list[i];
    const bool is_reference = element.is(Value::Tag::kNodeRef);
    const Value value = is_reference ? plan_->node(element.node()).val : element;
    if (!value.is(Value::Tag::kInt)) return std::nullopt;
    written.was.push_back(stand_in(value.as_sym_int()));
    written.is_literal.push_back(!is_reference && !value.as_sym_int().is_symbolic());
  }
  return written;
}

void Retarget::edit_expand(std::span<const SizePair> from) {
  const std::optional<Written> written = written_sizes(1);
  if (!written || written->was.size() < from.size()) return;
  const size_t added = written->was.size() - from.size();
  const Value given = args_[1];
  DimVector result;
  for (size_t i = 0; i < written->was.size(); ++i) {
    const int64_t was = written->was[i];
    if (was == -1 || !written->is_literal[i]) {
      result.push_back(given[i].as_sym_int());
      continue;
    }
    const Site site{plan_, row_, 1, static_cast<int>(i)};
    bool is_of_self = i >= added && (from[i - added].was == was || from[i - added].is != 1);
    // A 1 that the code calls something: expand(batch_size, -1).
    if (is_of_self && was == 1 && from[i - added].is == 1) {
      const Told told = told_of(site);
      is_of_self = !told.is_size || told.is_dimension;
    }
    int64_t likely = is_of_self ? from[i - added].is : guessed_dimension(was);
    if (!is_of_self && likely != was) {
      // Where the number is already said elsewhere in the list, this one is another.
      const auto is_it = [&](SizePair size) { return size.was == was && size.is_changed(); };
      if (std::any_of(from.begin(), from.end(), is_it)) {
        likely = was;
        said_.insert(site);
      }
    }
    result.push_back(decide(1, static_cast<int>(i), was, likely, !is_of_self));
  }
  args_[1] = Value::ints(arena_.copy(Dims(result)));
}

int64_t Retarget::guessed(int64_t was, size_t nth) const {
  if (was <= 1) return was;
  const std::span<const int64_t> candidates = changes_.candidates(was);
  return candidates.empty() ? was : candidates[std::min(nth, candidates.size() - 1)];
}

// The same without what views have merged: as many windows as the batch has are not the height of
// one, nor are the heads of all of it those of an expand.
int64_t Retarget::guessed_dimension(int64_t was) const {
  const int64_t is = guessed(was);
  return changes_.factors({was, is}).empty() ? is : was;
}

// In steps, also how many elements something had: arange(0, x.numel(), x.size(1)).
int64_t Retarget::guessed_length(int64_t was) const {
  const int64_t is = guessed_dimension(was);
  if (is != was || was <= 1 || op_->schema.overload != "start_step") return is;
  const auto count = counts_.find(was);
  return count == counts_.end() ? was : count->second;
}

// Note [A length of 1]
// A new tensor of one element, arange(1), says of no size that it has the length of; but nobody
// writes it as a constant to put dimensions after it: arange(batch)[:, None, None, None] does so.
// repeat(1, 1, 1) and expand(1, 1, 64) would do nothing if their numbers were constants.
bool Retarget::leads_batch(int64_t was) const {
  if (was != 1 || changes_.candidates(1).empty()) return false;
  for (const NodeId user : plan_->graph().users(plan_->row(row_).id)) {
    const Row row = plan_->row_of(user);
    if (row == kNoRow || plan_->row(row).op == kNoOp) continue;
    const OpEntry& op = Registry::builtin().entry(plan_->row(row).op);
    if (op.packet() == "unsqueeze" && plain_int(plan_->row(row).args[1]) == 1) return true;
    // x[:, None] of a dynamic shape begins with a slice of everything.
    if (op.packet() == "slice") return false;
  }
  return false;
}

std::optional<int64_t> Retarget::size_now(RowDim of, int64_t was) {
  for (const RowDim at : dims_above(*plan_, of)) {
    const TensorMeta* recorded = plan_->node(at.row).recorded;
    const bool is_seen = plan_ == &program_.plan() && at.row < values_.size();
    const TensorMeta* now = is_seen ? values_[at.row] : nullptr;
    if (recorded == nullptr || now == nullptr || recorded->rank() != now->rank()) continue;
    if (at.dim < recorded->sizes().size() && stand_in(recorded->sizes()[at.dim]) == was)
      return stand_in(now->sizes()[at.dim]);
  }
  return std::nullopt;
}

// The ends of an arange, which may count down: arange(16, -16, -1).
void Retarget::edit_length(const LiteralRow& literals) {
  const auto follow = [&](size_t argument, bool is_end) {
    const std::optional<int64_t> was = plain_int(args_[argument]);
    if (!was || (!is_end && *was <= 1 && *was >= -1)) return;
    int64_t likely = *was < 0 ? -guessed_dimension(-*was) : guessed_length(*was);
    if (is_end && leads_batch(*was)) likely = changes_.candidates(1).front();
    const std::optional<RowDim> indexed = is_end ? indexed_by(*plan_, row_, *was) : std::nullopt;
    const std::optional<int64_t> is = indexed ? size_now(*indexed, *was) : std::nullopt;
    args_[argument] =
        decide(static_cast<int>(argument), Site::kWhole, *was, is.value_or(likely), !is);
  };
  follow(literals.argument, true);
  if (op_->packet() == "arange" && literals.argument == 1) follow(0, false);
}

void Retarget::edit_numbers(const LiteralRow& literals, std::span<const SizePair> from) {
  if (literals.kind == LiteralKind::kLength) return edit_length(literals);
  Value& arg = args_[literals.argument];
  if (const std::optional<int64_t> was = plain_int(arg)) {
    arg = decide(literals.argument, Site::kWhole, *was, guessed(*was), true);
    return;
  }
  const std::optional<Sizes> written = plain_ints(arg);
  if (!written) return;
  const bool is_repeat = literals.kind == LiteralKind::kRepeats;
  const bool does_nothing = is_repeat && std::all_of(written->begin(), written->end(),
                                                     [](int64_t times) { return times == 1; });
  DimVector result;
  for (size_t i = 0; i < written->size(); ++i) {
    const int64_t was = (*written)[i];
    const auto nth = static_cast<size_t>(std::count(written->begin(), written->begin() + i, was));
    int64_t likely = guessed(was, nth);
    if (does_nothing && i == 0 && !changes_.candidates(1).empty())
      likely = changes_.candidates(1).front();
    // An image that is made larger by a factor.
    if (literals.kind == LiteralKind::kOutputSize && i + 2 < from.size()) {
      const SizePair side = from[i + 2];
      const int64_t product = times(was, side.is);
      const int64_t scaled = side.was > 0 && product % side.was == 0 ? product / side.was : was;
      if (likely == was || changes_.knows({was, scaled})) likely = scaled;
    }
    result.push_back(decide(literals.argument, static_cast<int>(i), was, likely, true));
  }
  arg = Value::ints(arena_.copy(Dims(result)));
}

// Note [Halves and ends]
// x[..., : x.shape[-1] // 2], as rotary embeddings have it, ends at half of a dimension, which may be
// as much as the batch by chance, and its other half begins there. The line says so, or has no slice:
// it calls a function that slices.
// x[..., -n:] and x[:, start:] begin as far from the end as the result is long.
void Retarget::edit_end(const LiteralRow& literals, std::span<const SizePair> from) {
  const bool is_open = args_[literals.argument].is(Value::Tag::kNone);
  const std::optional<int64_t> end = is_open ? INT64_MAX : plain_int(args_[literals.argument]);
  const std::optional<int64_t> dim = plain_int(args_[literals.dim_argument]);
  if (!end || *end <= 1 || !dim || wrapped_dim(*dim, from.size()) >= from.size()) return;
  const size_t at = wrapped_dim(*dim, from.size());
  const SizePair size = from[at];
  const SliceText slices = read_slices(code_line(plan_->text(plan_->node(row_).stack_trace)), *end);
  if (*end > size.was) {
    const size_t begin = literals.argument - 1;
    const std::optional<int64_t> start = plain_int(args_[begin]);
    if (!start || *start == 0 || !slices.begins_at_expression) return;
    args_[begin] = decide(static_cast<int>(begin), Site::kWhole, *start,
                          likely_start(*start, size, slices.has_half), true);
    return;
  }
  const bool is_whole = *end == size.was;
  const bool may_be_half = slices.is_there ? slices.has_half : at + 1 == from.size();
  const bool is_half = *end * 2 == size.was && size.is % 2 == 0 && may_be_half;
  const bool is_number = slices.ends_at_number;
  const int64_t likely = is_number  ? *end
                         : is_whole ? size.is
                         : is_half  ? size.is / 2
                                    : guessed_dimension(*end);
  args_[literals.argument] =
      decide(literals.argument, Site::kWhole, *end, likely, !is_number && !is_whole && !is_half);
}

// Of a slice that goes to the end.
int64_t Retarget::likely_start(int64_t start, SizePair size, bool has_half) const {
  if (has_half && start * 2 == size.was && size.is % 2 == 0) return size.is / 2;
  const int64_t length = start < 0 ? -start : size.was - start;
  const int64_t is = length > 1 && length < size.was ? guessed_dimension(length) : length;
  if (is == length || is > size.is) return start;
  return start < 0 ? -is : size.is - is;
}

// A window as large as the image pools all of it, unless the module was made so.
void Retarget::edit_window(const LiteralRow& literals, std::span<const SizePair> from) {
  const std::optional<Sizes> written = plain_ints(args_[literals.argument]);
  if (!written || written->size() > from.size()) return;
  const std::span<const SizePair> image = from.last(written->size());
  const std::string_view trace = plan_->text(plan_->node(row_).stack_trace);
  bool is_whole = trace.find("torch/nn/modules/pooling.py") == std::string_view::npos;
  for (size_t i = 0; i < image.size(); ++i) is_whole = is_whole && image[i].was == (*written)[i];
  DimVector result;
  for (size_t i = 0; i < image.size(); ++i) {
    const int64_t was = (*written)[i];
    result.push_back(
        decide(literals.argument, static_cast<int>(i), was, is_whole ? image[i].is : was, true));
  }
  args_[literals.argument] = Value::ints(arena_.copy(Dims(result)));
}

void Retarget::edit_pieces(const LiteralRow& literals, std::span<const SizePair> from) {
  const std::optional<int64_t> dim = plain_int(args_[literals.dim_argument]);
  if (!dim || wrapped_dim(*dim, from.size()) >= from.size()) return;
  const SizePair size = from[wrapped_dim(*dim, from.size())];
  if (!size.is_changed()) return;
  Value& arg = args_[literals.argument];
  if (const std::optional<int64_t> was = plain_int(arg)) {
    if (*was <= 0) return;
    const int64_t pieces = (size.was + *was - 1) / *was;
    const bool divides = size.was % *was == 0 && size.is % pieces == 0;
    const SymInt piece =
        decide(literals.argument, Site::kWhole, *was, divides ? size.is / pieces : *was, true);
    const int64_t is = stand_in(piece);
    if (is > 0 && (size.is + is - 1) / is != pieces)
      refuse_unrolled(self_row(), wrapped_dim(*dim, from.size()), size);
    arg = piece;
    return;
  }
  const std::optional<Sizes> written = plain_ints(arg);
  if (!written) return;
  int64_t left = size.is;
  Sizes likely;
  for (const int64_t was : written->span()) {
    likely.push_back(guessed(was));
    left -= likely.back();
  }
  DimVector result;
  for (size_t i = 0; i < written->size(); ++i) {
    // What is over belongs to the piece that is all but the others.
    const bool is_rest = left != 0 && i + 1 == written->size();
    result.push_back(decide(literals.argument, static_cast<int>(i), (*written)[i],
                            likely[i] + (is_rest ? left : 0), true));
  }
  arg = Value::ints(arena_.copy(Dims(result)));
}

// Note [Loops that were unrolled]
// Code that goes over a dimension, `for t in range(x.size(1))`, is as many nodes as the example had
// steps. For another number of steps no number in a node is to be changed: there are nodes too few or
// too many, and only a new export has them.
void Retarget::refuse_unrolled(Row row, size_t dim, SizePair size) const {
  throw_error(
      ErrorKind::kRuntimeError,
      format("the program goes over dimension {} of {} in {} steps, one by one: for {} it has to "
             "be exported anew",
             dim, row == kNoRow ? "a value" : plan_->name_of(row), size.was, size.is));
}

void Retarget::check_unrolled() {
  const std::string_view packet = op_->packet();
  if (packet != "select" && packet != "unbind") return;
  const TensorList self = tensors_of(plan_->row(row_).args[0], args_[0]);
  const std::optional<int64_t> given = plain_int(args_[1]);
  if (self.empty() || !given) return;
  const SizePairs sizes = pairs_of(self[0]);
  const size_t dim = wrapped_dim(*given, sizes.size());
  if (dim >= sizes.size() || !sizes[dim].is_changed() || sizes[dim].was < 2) return;
  if (packet == "unbind") refuse_unrolled(self[0].row, dim, sizes[dim]);
  const std::optional<int64_t> index = plain_int(args_[2]);
  if (!index || *index < 0) return;
  std::set<int64_t>& selected = selected_[{self[0].row, dim}];
  selected.insert(*index);
  if (std::ssize(selected) == sizes[dim].was) refuse_unrolled(self[0].row, dim, sizes[dim]);
}

Row Retarget::self_row() const { return row_of(plan_->row(row_).args[0]); }

SymInt Retarget::decide(int argument, int element, int64_t was, int64_t likely, bool is_guess) {
  const Site site{plan_, row_, argument, element};
  if (const Choice* choice = choice_at(site)) {
    notes_.push_back({.site = site, .to = choice->to, .choice = choice});
    return choice->is_asked || choice->to == was ? SymInt(choice->to) : size_of(choice->to);
  }
  int64_t is = likely;
  if (is_guess) {
    const Told told = told_of(site);
    if (told.number) {
      is = *told.number;
      is_guess = false;
    } else if (told.is_size && was == 1 && !changes_.candidates(1).empty()) {
      is = changes_.candidates(1).front();
    }
  }
  if (is != was) {
    notes_.push_back({.site = site, .is_guess = is_guess, .to = is});
    if (is_guess) guesses_.push_back(site);
  }
  return is == was ? SymInt(is) : size_of(is);
}

// What the line of code tells of a number.
Retarget::Told Retarget::told_of(const Site& site) {
  const OpEntry& op = Registry::builtin().entry(site.plan->row(site.row).op);
  std::string_view function = op.packet();
  if (function.starts_with("upsample_")) function = "interpolate";
  const LiteralRow* literals = find_literals(op.local_name());
  if (literals == nullptr) return {};
  // A length is an argument of its own, after those before it.
  const size_t element = site.element != Site::kWhole ? static_cast<size_t>(site.element)
                         : literals->kind == LiteralKind::kLength
                             ? static_cast<size_t>(site.argument)
                             : 0;
  const std::string_view line = code_line(site.plan->text(site.plan->node(site.row).stack_trace));
  const WrittenSize text = read_size(written_size(line, function, element));
  const std::optional<int64_t> was = plain_int(written_at(site));
  switch (text.kind) {
    case WrittenSize::Kind::kNothing:
      return {};
    case WrittenSize::Kind::kNumber:
    case WrittenSize::Kind::kAttribute:
      return {.number = was};
    case WrittenSize::Kind::kDimension:
      return {.number = size_of_input(text.value, text.dim, was),
              .is_size = true,
              .is_dimension = true};
    case WrittenSize::Kind::kExpression:
      return {.is_size = true};
  }
  return {};
}

// A dimension of an input by the name that the code has for it, if that was its size.
std::optional<int64_t> Retarget::size_of_input(std::string_view name, int64_t dim,
                                               std::optional<int64_t> was) {
  const Row row = program_.find(name);
  if (row >= program_.inputs.size() || row >= values_.size() || values_[row] == nullptr)
    return std::nullopt;
  const TensorMeta& before = *program_.node(row).recorded;
  const size_t at = wrapped_dim(dim, static_cast<size_t>(before.rank()));
  if (at >= before.sizes().size() || before.sizes()[at].is_symbolic() ||
      before.sizes()[at].as_int() != was)
    return std::nullopt;
  return stand_in(values_[row]->sizes()[at]);
}

}  // namespace faketensor
