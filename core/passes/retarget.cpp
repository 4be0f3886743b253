#include "core/passes/retarget.h"

#include <algorithm>

#include "core/graph/placeholders.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// The dtype of the model: of its first floating-point parameter, else input.
DType dtype_of_model(const Program& program) {
  for (const bool wants_parameter : {true, false}) {
    for (Row i = 0; i < program.inputs.size(); ++i) {
      const TensorMeta* meta = program.node(i).recorded;
      const bool is_parameter = program.inputs[i].kind == InputSpec::Kind::kParameter;
      if (meta != nullptr && is_floating(meta->dtype()) && is_parameter == wants_parameter)
        return meta->dtype();
    }
  }
  return DType::kFloat32;
}

Device device_of_model(const Program& program) {
  for (Row i = 0; i < program.inputs.size(); ++i) {
    const TensorMeta* meta = program.node(i).recorded;
    if (meta != nullptr && program.inputs[i].kind != InputSpec::Kind::kConstant)
      return meta->device().normalized();
  }
  return {};
}

}  // namespace

Retarget::Retarget(const Program& program, const PropagateOptions& options, Choices& choices)
    : program_(program),
      options_(options),
      choices_(choices),
      example_dtype_(dtype_of_model(program)),
      example_device_(device_of_model(program)) {}

void Retarget::edit(Context& context, const Plan& plan, Row row, std::span<Value> args) {
  context_ = &context;
  plan_ = &plan;
  row_ = row;
  args_ = args;
  const PlanRow& edited = plan.row(row);
  op_ = edited.op == kNoOp ? nullptr : &Registry::builtin().entry(edited.op);
  if (options_.dtype) bypass_idle_casts();
  if (op_ != nullptr && edited.kind == RowKind::kCall) {
    if (op_->packet() == "_assert_tensor_metadata") {
      follow_assert();
    } else {
      edit_call();
    }
  }
  if (options_.device && op_ == nullptr) edit_autocast();
  last_args_.assign(args.begin(), args.end());
}

// torch.autocast(x.device.type): the region of a model on another device is one of that device.
void Retarget::edit_autocast() {
  constexpr std::string_view kAutocast = "torch.ops.higher_order.wrap_with_autocast";
  if (plan_->target_of(row_) != kAutocast || !args_[0].is(Value::Tag::kString)) return;
  if (args_[0].text() == name(example_device_.type))
    args_[0] = Value::string(name(options_.device->type));
}

void Retarget::edit_call() {
  if (changes_sizes()) {
    if (const LiteralRow* literals = find_literals(op_->local_name())) edit_sizes(*literals);
    check_unrolled();
  }
  if (op_->packet() == "view") copy_for_view();
  if (options_.dtype) edit_dtype();
  if (options_.device) edit_device();
  if (changes_sizes() && !has_new_choice_) check_alignment();
}

Retarget::TensorList Retarget::tensors_of(const Value& written, const Value& given) const {
  TensorList found;
  const auto add = [&](const Value& reference, const Value& value) {
    if (!reference.is(Value::Tag::kNodeRef) || !value.is_tensor()) return;
    const TensorMeta* was = plan_->node(reference.node()).recorded;
    if (was != nullptr && was->rank() == value.tensor().meta->rank())
      found.push_back({reference.node(), was, value.tensor().meta});
  };
  add(written, given);
  if (written.is(Value::Tag::kList) && given.is(Value::Tag::kList)) {
    for (size_t i = 0; i < written.size(); ++i) add(written.values()[i], given.values()[i]);
  }
  return found;
}

Retarget::TensorList Retarget::tensors() const {
  TensorList all;
  const std::span<const Value> written = plan_->row(row_).args;
  for (size_t i = 0; i < written.size(); ++i) {
    for (const Tensors& tensor : tensors_of(written[i], args_[i])) all.push_back(tensor);
  }
  return all;
}

SizePairs Retarget::pairs_of(const Tensors& tensor) {
  SizePairs pairs;
  const Dims was = tensor.was->sizes();
  const Dims is = tensor.is->sizes();
  for (size_t i = 0; i < was.size(); ++i) pairs.push_back({stand_in(was[i]), stand_in(is[i])});
  return pairs;
}

int64_t Retarget::stand_in(SymInt size) {
  if (!size.is_symbolic()) return size.as_int();
  const auto [found, is_new] = stand_ins_.emplace(size.node(), 0);
  if (!is_new) return found->second;
  // Primes that are no sizes; for more symbols than that, some are taken for others.
  constexpr int64_t kPrimes[] = {10007, 10009, 10037, 10039, 10061, 10067, 10069, 10079,
                                 10091, 10093, 10099, 10103, 10111, 10133, 10139, 10141};
  for (const ExprNode* symbol : free_symbols(size.node())) {
    if (symbols_.contains(symbol)) continue;
    int64_t number = kPrimes[symbols_.size() % std::size(kPrimes)];
    if (is_made(symbol)) {
      // It was chosen to be a number that nothing else is.
      number = shape_env_of(symbol).hint_of_symbol(symbol).value_or(number);
      made_.emplace_back(symbol->pool->sym_int(symbol), number);
    }
    symbols_[symbol] = Number::of(number);
  }
  const std::optional<Number> value = evaluate(size.node(), symbols_);
  if (value) found->second = value->integer;
  if (!options_.dynamic.empty()) sizes_of_.emplace(found->second, size);
  return found->second;
}

bool Retarget::is_made(const ExprNode* symbol) const {
  const auto is_it = [&](const auto& dynamic) {
    return symbol_name(dynamic.first) == to_string(symbol);
  };
  return std::any_of(options_.dynamic.begin(), options_.dynamic.end(), is_it);
}

SymInt Retarget::size_of(int64_t number) const {
  if (const auto found = sizes_of_.find(number); found != sizes_of_.end()) return found->second;
  for (const auto& [symbol, stands] : made_)
    if (number != 0 && number % stands == 0) return size_of(number / stands) * symbol;
  return number;
}

void Retarget::note_value(Row row, const Value& value) {
  const TensorMeta* was = program_.node(row).recorded;
  values_.resize(row + 1);
  if (was != nullptr && value.is_tensor()) values_[row] = value.tensor().meta;
  if (!value.is_tensor() || was == nullptr) return;
  const TensorMeta* is = value.tensor().meta;
  if (same_exprs(was->sizes(), is->sizes()) || was->rank() != is->rank()) return;
  SizePair count{1, 1};
  const SizePairs pairs = pairs_of({row, was, is});
  for (size_t i = 0; i < pairs.size(); ++i) {
    changes_.learn(pairs[i], row, i);
    count = {times(count.was, pairs[i].was), times(count.is, pairs[i].is)};
  }
  if (count.is_changed()) counts_.emplace(count.was, count.is);
}

// What was asserted of the example holds of what is there.
void Retarget::follow_assert() {
  if (!args_[0].is_tensor()) return;
  const TensorMeta& meta = *args_[0].tensor().meta;
  for (Value& arg : args_.subspan(3)) {
    if (arg.is(Value::Tag::kDType)) arg = meta.dtype();
    if (arg.is(Value::Tag::kDevice)) arg = meta.device();
  }
}

// --- words ---

const Choice* Retarget::choice_at(const Site& site) {
  return choices_.find(site, [&](const Site& it) { return site_group(it); });
}

// Sites that stand in one line of code, as often as it ran, are decided as one; without lines,
// those of one operator in modules of one type.
std::string Retarget::site_group(const Site& site) {
  const Node& node = site.plan->node(site.row);
  if (site.argument == Site::kWhole) return std::string(site.plan->name_of(site.row));
  std::string written;
  append_text(written, written_at(site));
  std::string line = program_.source_line(node);
  const std::string_view module = program_.text(program_.modules[node.module].type);
  return format("{}|{}|{}|{}|{}|{}|{}", line, module, site.plan->target_of(site.row),
                ordinal(*site.plan, site.row), site.argument, site.element, written);
}

// Which one of its operator a node is among those that one execution of its line made.
uint32_t Retarget::ordinal(const Plan& plan, Row row) {
  const Node& node = plan.node(row);
  uint32_t before = 0;
  for (Row at = 0; at < row; ++at) {
    const Node& other = plan.node(at);
    if (other.target == node.target && other.module == node.module &&
        other.stack_trace == node.stack_trace)
      ++before;
  }
  return before;
}

std::string Retarget::where(SizePair size) const {
  const SizeChanges::Place* place = changes_.find(size);
  if (place == nullptr) return format("is what the sizes beside it leave");
  return format("is dimension {} of {}", place->dim, program_.plan().name_of(place->row));
}

std::vector<Assumption> Retarget::assumptions() const {
  std::vector<Assumption> all;
  all.reserve(notes_.size());
  for (const Note& note : notes_) all.push_back(worded(note));
  return all;
}

Assumption Retarget::worded(const Note& note) const {
  const Site& site = note.site;
  Assumption assumption{.row = site.plan == &program_.plan() ? site.row : kNoRow,
                        .site = site_name(site),
                        .is_guess = note.is_guess,
                        .source = program_.source_line(site.plan->node(site.row))};
  append_text(assumption.from, written_at(site));
  switch (note.kind) {
    case Note::Kind::kNumber: {
      assumption.to =
          format("{}", note.choice != nullptr && note.choice->is_asked ? SymInt(note.to)
                                                                       : size_of(note.to));
      const std::optional<int64_t> was = plain_int(written_at(site));
      if (note.choice == nullptr) assumption.reason = where({was.value_or(0), note.to});
      break;
    }
    case Note::Kind::kDType:
      assumption.to = note.to != 0 ? format("{}", *options_.dtype) : assumption.from;
      break;
    case Note::Kind::kDevice:
      assumption.to = note.to != 0 ? format("{}", *options_.device) : assumption.from;
      break;
    case Note::Kind::kCopy:
      assumption.from = "view";
      assumption.to = "copy";
      assumption.reason = "has strides that cannot be viewed so";
      break;
  }
  if (note.choice != nullptr) assumption.reason = note.choice->reason;
  if (assumption.reason.empty())
    assumption.reason = note.to != 0 ? "follows the model" : "is the code's own";
  return assumption;
}

}  // namespace faketensor
