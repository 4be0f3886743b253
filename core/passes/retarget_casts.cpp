// Retarget: dtypes and devices, from what the code says and what is cast.
#include <algorithm>

#include "core/passes/retarget.h"
#include "core/support/format.h"

namespace faketensor {

// Note [Casts that did nothing]
// x.to(torch.float32) of a float32 tensor is x itself, so that in the export of a float32 model all
// that reads x later is written as reading the cast: the residual x + f(norm(x)) reads what the norm
// cast for itself. What stands outside of the module that cast, and is not given what that module
// computed, means x, and so does what casts back (`y.type_as(x)`); in another dtype it has to be given
// x.
void Retarget::note_idle_cast() {
  const TensorList self = tensors_of(plan_->row(row_).args[0], args_[0]);
  if (plan_ != &program_.plan() || self.empty()) return;
  const Node& cast = plan_->node(row_);
  const bool is_idle = cast.recorded != nullptr && cast.recorded->dtype() == self[0].was->dtype();
  if (!is_idle || self[0].is->dtype() == self[0].was->dtype()) return;
  for (const NodeId user : plan_->graph().users(plan_->row(row_).id)) {
    if (plan_->graph().node(user).module != cast.module) continue;
    if (plan_->row_of(user) != kNoRow && plan_->row(plan_->row_of(user)).kind == RowKind::kCall &&
        !plan_->graph().target_of(user).ends_with("_assert_tensor_metadata.default")) {
      idle_casts_[row_] = args_[0];
      return;
    }
  }
}

void Retarget::bypass_idle_casts() {
  if (idle_casts_.empty() || plan_ != &program_.plan()) return;
  const std::span<const Value> written = plan_->row(row_).args;
  const auto is_inside = [&](ModuleId module, ModuleId outer) {
    while (module != outer && module != 0) module = program_.modules[module].parent;
    return module == outer;
  };
  for (size_t i = 0; i < written.size(); ++i) {
    const auto found = idle_casts_.find(row_of(written[i]));
    if (found == idle_casts_.end()) continue;
    const bool casts_back = op_ != nullptr && op_->packet() == "type_as" && i == 1;
    if (casts_back || !is_inside(plan_->node(row_).module, plan_->node(found->first).module) ||
        names_what_was_cast(found->first))
      args_[i] = found->second;
  }
}

// Whether the row's line of code means what the cast was given, and not its result.
bool Retarget::names_what_was_cast(Row cast) const {
  const std::string_view trace = plan_->text(plan_->node(row_).stack_trace);
  const std::string_view cast_trace = plan_->text(plan_->node(cast).stack_trace);
  const std::string_view cast_line = code_line(cast_trace);
  if (cast_line.empty() || code_line(trace).empty()) return false;
  const CastLine names = read_cast(cast_line);
  // A cast without a name is read by its own statement alone, and by what that calls.
  if (names.operand.empty())
    return is_statement(cast_line) &&
           trace.find(innermost_place(cast_trace)) == std::string_view::npos;
  if (names.operand == names.result || !mentions(code_line(trace), names.operand)) return false;
  // Where both stand on the line: what is added to values in lower precision.
  const auto is_lower = [&](const Tensors& tensor) {
    return tensor.row != cast && tensor.is->dtype() == *options_.dtype;
  };
  const TensorList all = tensors();
  return !mentions(code_line(trace), names.result) || std::any_of(all.begin(), all.end(), is_lower);
}

void Retarget::edit_dtype() {
  const int argument = op_->schema.find_argument("dtype");
  if (argument < 0 || !args_[static_cast<size_t>(argument)].is(Value::Tag::kDType)) return;
  Value& arg = args_[static_cast<size_t>(argument)];
  if (arg.dtype() != example_dtype_) return;
  bool is_guess = false;
  const bool follows = dtype_follows(argument, arg.dtype(), is_guess);
  if (decide_aspect(argument, Note::Kind::kDType, follows, is_guess))
    arg = *options_.dtype;
  else if (op_->packet() == "to" || op_->packet() == "_to_copy")
    note_idle_cast();
}

// A line of several casts, softmax(x.float(), -1).to(y.dtype), has a row for each, one after the other.
Says Retarget::said_of_cast(std::string_view line) const {
  const auto is_on_line = [&](Row row) {
    return row < plan_->size() && plan_->node(row).stack_trace == plan_->node(row_).stack_trace;
  };
  Row row = row_;
  while (row > 0 && is_on_line(row - 1)) --row;
  size_t count = 0;
  size_t nth = 0;
  for (; is_on_line(row); ++row) {
    if (plan_->row(row).op == kNoOp) continue;
    const std::string_view packet = Registry::builtin().entry(plan_->row(row).op).packet();
    if (packet != "to" && packet != "_to_copy" && packet != "type_as") continue;
    if (row == row_) nth = count;
    ++count;
  }
  return read_nth_cast(line, nth, count);
}

bool Retarget::dtype_follows(int argument, DType written, bool& is_guess) const {
  const std::string_view line = code_line(plan_->text(plan_->node(row_).stack_trace));
  Says says = said_of_dtype(line);
  const std::string_view packet = op_->packet();
  const bool is_to = packet == "to" || packet == "_to_copy";
  if (says == Says::kBoth && is_to) says = said_of_cast(line);
  if (says == Says::kKeeps || says == Says::kFollows) return says == Says::kFollows;
  is_guess = true;
  const bool is_cast = argument > 0 && args_[0].is_tensor();
  if (!is_cast) return packet != "arange" && packet != "linspace";
  if (!is_to) return packet.ends_with("_like");
  const TensorList self = tensors_of(plan_->row(row_).args[0], args_[0]);
  if (self.empty()) return true;
  const DType was = self[0].was->dtype();
  const DType is = self[0].is->dtype();
  // x.to(device) writes down the dtype that was there, x.to(device, dtype) is another overload.
  if (was == written && op_->schema.overload == "dtype_layout" && says == Says::kNothing) {
    is_guess = false;
    return is != was;
  }
  // Numbers that were counted are positions, computed with in float32.
  if (is_integral_or_bool(is) && arange_of(*plan_, self[0].row) != kNoRow) return false;
  // What is cast in lower precision goes up into an island of float32, what is float32 comes back.
  return is == written || !is_floating(is);
}

void Retarget::edit_device() {
  const int argument = op_->schema.find_argument("device");
  if (argument < 0 || !args_[static_cast<size_t>(argument)].is(Value::Tag::kDevice)) return;
  Value& arg = args_[static_cast<size_t>(argument)];
  if (arg.device().normalized() != example_device_) return;
  const Says says =
      said_of_device(code_line(plan_->text(plan_->node(row_).stack_trace)), op_->packet());
  if (decide_aspect(argument, Note::Kind::kDevice, says != Says::kKeeps, says == Says::kNothing))
    arg = *options_.device;
}

// Whether what is read there is a number that the line puts into other tensors, mask[:2] = 3.0: it is
// made a tensor of the mask's dtype for that, on the CPU (valueToTensor,
// torch/csrc/autograd/python_variable_indexing.cpp).
bool Retarget::is_assigned(NodeId value, std::string_view line) const {
  if (line.find("tensor(") != std::string_view::npos) return false;
  const Graph& graph = program_.graph();
  const std::span<const NodeId> users = graph.users(value);
  return !users.empty() && std::all_of(users.begin(), users.end(), [&](NodeId user) {
    const std::string_view target = graph.target_of(user);
    return target.ends_with(".fill_.Tensor") || target.ends_with(".index_put_.default");
  });
}

// A constant that is written into the code, torch.tensor(2.0, dtype=x.dtype), is made where it is
// first read.
RowEditor::Moved Retarget::moved_constant(Row row) {
  const Plan& plan = program_.plan();
  const Site site{&plan, row, Site::kWhole, Site::kWhole};
  if (const Choice* choice = choice_at(site)) return {choice->to != 0, choice->to != 0};
  const std::span<const NodeId> users = plan.graph().users(plan.row(row).id);
  if (users.empty()) return {};
  const Node& reader = plan.graph().node(users[0]);
  if (!plan.graph().target_of(users[0]).starts_with("torch.ops.aten.lift_fresh")) return {};
  const std::string_view line = code_line(plan.text(reader.stack_trace));
  if (is_assigned(users[0], line)) return {true, false};
  return {said_of_dtype(line) == Says::kFollows, said_of_device(line, "tensor") == Says::kFollows};
}

// Whether the dtype or device follows, by choice or as given.
bool Retarget::decide_aspect(int argument, Note::Kind kind, bool follows, bool is_guess) {
  const Site site{plan_, row_, argument, Site::kWhole};
  const Choice* choice = choice_at(site);
  if (choice != nullptr) follows = choice->to != 0;
  notes_.push_back({.site = site,
                    .kind = kind,
                    .is_guess = choice == nullptr && is_guess,
                    .to = follows ? 1 : 0,
                    .choice = choice});
  return follows;
}

}  // namespace faketensor
