#include "core/graph/packet_call.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/text/text_arguments.h"
#include "core/support/format.h"
#include "core/support/near_name.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

using Tag = Value::Tag;

// --- the overloads of an operator ---

// By "aten::add", in the order in which they are tried.
class Packets {
 public:
  static const Packets& builtin() {
    static const Packets kPackets;
    return kPackets;
  }

  std::span<const OpId> find(std::string_view packet) const {
    const auto found = overloads_.find(packet);
    if (found == overloads_.end()) return {};
    return found->second;
  }

  // The nearest name in the namespace ("aten::") and its aliases.
  std::string nearest(std::string_view space, std::string_view name) const {
    NearestName nearest(name);
    for (const auto& [packet, overloads] : overloads_)
      if (packet.starts_with(space)) names_in_order(packet, space, nearest);
    return nearest.name();
  }

 private:
  Packets() {
    for (const OpEntry& entry : Registry::builtin().entries()) {
      if (entry.derived == OpEntry::Derived::kOut) continue;
      overloads_[entry.schema.name].push_back(entry.id);
    }
    // Where a number may stand for a tensor, PyTorch's parser takes it so.
    for (auto& [packet, overloads] : overloads_) {
      std::stable_partition(overloads.begin(), overloads.end(), [](OpId id) {
        const OpEntry& entry = Registry::builtin().entry(id);
        return !entry.facts.has(kWrapsNumbers) || entry.schema.overload != "Scalar";
      });
    }
  }

  static void names_in_order(std::string_view packet, std::string_view space,
                             NearestName& nearest) {
    const std::string_view name = packet.substr(space.size());
    if (!name.starts_with('_')) nearest.offer(name);
  }

  std::unordered_map<std::string_view, std::vector<OpId>> overloads_;
};

// --- arguments ---

// Arguments as they were given; the names of those by keyword.
struct Given {
  std::vector<Value> args;
  std::vector<std::string_view> names;  // as many; empty: by position
};

bool fits_int(const Value& value) {
  return value.is(Tag::kInt) || (value.is(Tag::kBool) && !value.is_symbolic());
}

bool element_fits(const Value& value, const ArgType& type) {
  if (value.is_none()) return type.is_element_optional;
  if (type.kind == ArgKind::kInt) return fits_int(value);
  return (tags_of(type.kind) & tag_bit(value.tag())) != 0;
}

bool fits(const OpEntry& op, const Argument& argument, const Value& value) {
  const ArgType& type = argument.type;
  if (value.is_unset()) return argument.has_default;
  if (value.is_none()) return type.is_optional;
  if (type.is_list) {
    if (!value.is_list()) {
      return (type.kind == ArgKind::kInt && fits_int(value) && type.list_size > 0) ||
             (type.kind == ArgKind::kTensor && type.is_element_optional && value.is_tensor());
    }
    for (size_t i = 0; i < value.size(); ++i)
      if (!element_fits(value[i], type)) return false;
    return true;
  }
  if ((tags_of(type.kind) & tag_bit(value.tag())) != 0) return true;
  if (type.kind == ArgKind::kDevice && value.is(Tag::kString))
    return parse_device(value.text()).has_value();
  return type.kind == ArgKind::kTensor && value.is_number() && op.facts.has(kWrapsNumbers);
}

// Names that Python's functions have where schemas have another.
std::string_view schema_name(const Schema& schema, std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kOther[] = {
      {"input", "self"}, {"axis", "dim"}, {"keepdims", "keepdim"}, {"training", "train"}};
  if (schema.find_argument(name) >= 0) return name;
  for (const auto& [given, meant] : kOther)
    if (name == given) return meant;
  return name;
}

// The arguments in the order of the schema; nothing where they do not fit.
std::optional<std::vector<Value>> bind(const OpEntry& op, const Given& given) {
  const std::span<const Argument> arguments = op.schema.arguments;
  std::vector<Value> bound(arguments.size(), Value::unset());
  for (size_t i = 0; i < given.args.size(); ++i) {
    size_t at = i;
    if (!given.names[i].empty()) {
      const int place = op.schema.find_argument(schema_name(op.schema, given.names[i]));
      if (place < 0) return {};
      at = static_cast<size_t>(place);
    } else if (i >= arguments.size() || arguments[i].is_keyword_only) {
      return {};
    }
    if (!bound[at].is_unset()) return {};
    bound[at] = given.args[i];
  }
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!fits(op, arguments[i], bound[i])) return {};
  return bound;
}

// "x.view(2, -1)": the integers that end the positional arguments as one list.
std::optional<Given> with_list(Context& context, const Given& given) {
  size_t end = 0;
  while (end < given.args.size() && given.names[end].empty()) ++end;
  size_t begin = end;
  while (begin > 0 && fits_int(given.args[begin - 1])) --begin;
  if (begin == end && !(end == 1 && given.args[0].is_tensor())) return {};
  DimVector ints;
  for (size_t i = begin; i < end; ++i) ints.push_back(given.args[i].to_sym_int());
  Given changed;
  changed.args.assign(given.args.begin(), given.args.begin() + static_cast<std::ptrdiff_t>(begin));
  changed.args.push_back(context.make_ints(ints));
  changed.args.insert(changed.args.end(), given.args.begin() + static_cast<std::ptrdiff_t>(end),
                      given.args.end());
  changed.names.assign(begin + 1, {});
  changed.names.insert(changed.names.end(), given.names.begin() + static_cast<std::ptrdiff_t>(end),
                       given.names.end());
  return changed;
}

std::string kinds_of(const Given& given) {
  std::string text;
  for (size_t i = 0; i < given.args.size(); ++i) {
    text += text.empty() ? "" : ", ";
    if (!given.names[i].empty()) text += format("{}=", given.names[i]);
    text += given.args[i].is_tensor() ? std::string("Tensor") : format("{}", given.args[i]);
  }
  return text;
}

Value call_overload(Context& context, std::string_view packet, std::string_view target,
                    const Given& given) {
  const std::span<const OpId> overloads = Packets::builtin().find(packet);
  if (overloads.empty())
    throw_error(ErrorKind::kUnsupportedOperator, std::string(operator_name(target)));
  const Registry& registry = Registry::builtin();
  for (const OpId id : overloads)
    if (const auto args = bind(registry.entry(id), given)) return context.call(id, *args);
  if (const std::optional<Given> listed = with_list(context, given)) {
    for (const OpId id : overloads)
      if (const auto args = bind(registry.entry(id), *listed)) return context.call(id, *args);
  }
  std::string message =
      format("{}({}): none of its overloads takes these arguments:", operator_name(target),
             kinds_of(given));
  for (const OpId id : overloads) message += format("\n  {}", registry.entry(id).schema.text);
  throw_error(ErrorKind::kTypeError, std::move(message));
}

Value call_named(Context& context, std::string_view op, std::initializer_list<Value> args) {
  return context.call(Registry::builtin().find(op), {args.begin(), args.size()});
}

// --- what Python's functions are in ATen ---

// Where the parameters of a function of torch.nn.functional stand in another order or have other
// names: in its order, those of the operator; "-" for one that the operator has not.
struct Functional {
  std::string_view name;
  std::string_view packet;
  std::string_view parameters;
};
constexpr Functional kFunctional[] = {
    {"embedding", "aten::embedding", "indices weight padding_idx - - scale_grad_by_freq sparse"},
    {"relu", "aten::relu", "self -"},
    {"relu6", "aten::relu6", "self -"},
    {"silu", "aten::silu", "self -"},
    {"elu", "aten::elu", "self alpha -"},
    {"leaky_relu", "aten::leaky_relu", "self negative_slope -"},
    {"hardtanh", "aten::hardtanh", "self min_val max_val -"},
    {"hardswish", "aten::hardswish", "self -"},
    {"hardsigmoid", "aten::hardsigmoid", "self -"},
    {"mish", "aten::mish", "self -"},
    {"dropout", "aten::dropout", "input p train -"},
    {"softmax", "aten::softmax", "self dim - dtype"},
    {"log_softmax", "aten::log_softmax", "self dim - dtype"},
    {"batch_norm", "aten::batch_norm",
     "input running_mean running_var weight bias training momentum eps"},
    {"mse_loss", "aten::mse_loss", "self target - - reduction"},
    {"l1_loss", "aten::l1_loss", "self target - - reduction"},
    {"cross_entropy", "aten::cross_entropy_loss",
     "self target weight - ignore_index - reduction label_smoothing"},
    {"nll_loss", "aten::nll_loss", "self target weight - ignore_index - reduction"},
};
// What an operator wants and the function has a default for.
constexpr std::pair<std::string_view, std::string_view> kSwitches[] = {
    {"dropout", "train"}, {"dropout", "p"}, {"batch_norm", "cudnn_enabled"}};

std::string_view take_word(std::string_view& words) {
  const size_t space = std::min(words.find(' '), words.size());
  const std::string_view word = words.substr(0, space);
  words.remove_prefix(std::min(space + 1, words.size()));
  return word;
}

Given in_operators_order(const Functional& function, const Given& given) {
  constexpr std::string_view kReductions[] = {"none", "mean", "sum"};
  Given changed;
  std::string_view parameters = function.parameters;
  for (size_t i = 0; i < given.args.size(); ++i) {
    std::string_view name = given.names[i];
    if (name.empty()) name = take_word(parameters);
    constexpr std::string_view kDropped[] = {
        "-", "", "inplace", "_stacklevel", "size_average", "reduce", "max_norm", "norm_type"};
    if (std::find(std::begin(kDropped), std::end(kDropped), name) != std::end(kDropped)) continue;
    Value value = given.args[i];
    if (name == "reduction" && value.is(Tag::kString)) {
      const auto* const at =
          std::find(std::begin(kReductions), std::end(kReductions), value.text());
      if (at != std::end(kReductions))
        value = Value(static_cast<int64_t>(at - std::begin(kReductions)));
    }
    changed.args.push_back(value);
    changed.names.push_back(name);
  }
  for (const auto& [name, parameter] : kSwitches) {
    if (name != function.name) continue;
    const bool is_given =
        std::any_of(changed.names.begin(), changed.names.end(),
                    [&, wanted = parameter](std::string_view other) {
                      return other == wanted || (wanted == "train" && other == "training");
                    });
    if (is_given) continue;
    changed.args.push_back(parameter == "p" ? Value(0.5) : Value(true));
    changed.names.push_back(parameter);
  }
  if (function.name == "batch_norm") {
    constexpr std::pair<std::string_view, double> kNumbers[] = {
        {"training", 0}, {"momentum", 0.1}, {"eps", 1e-5}};
    for (const auto& [name, value] : kNumbers) {
      if (std::find(changed.names.begin(), changed.names.end(), name) != changed.names.end())
        continue;
      changed.args.push_back(name == "training" ? Value(false) : Value(value));
      changed.names.push_back(name);
    }
    for (const std::string_view name : {"weight", "bias", "running_mean", "running_var"}) {
      if (std::find(changed.names.begin(), changed.names.end(), name) != changed.names.end())
        continue;
      changed.args.emplace_back();
      changed.names.push_back(name);
    }
  }
  return changed;
}

// Methods and functions that have another name as operators, or ask for symbols as Python does.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"size", "sym_size"},   {"stride", "sym_stride"},  {"storage_offset", "sym_storage_offset"},
    {"numel", "sym_numel"}, {"nelement", "sym_numel"}, {"ndimension", "dim"},
    {"concat", "cat"},      {"absolute", "abs"},
};

constexpr std::pair<std::string_view, DType> kCasts[] = {
    {"float", DType::kFloat32}, {"double", DType::kFloat64},    {"half", DType::kFloat16},
    {"int", DType::kInt32},     {"long", DType::kInt64},        {"short", DType::kInt16},
    {"bool", DType::kBool},     {"bfloat16", DType::kBFloat16}, {"char", DType::kInt8},
    {"byte", DType::kUInt8},
};

// "aten::linalg_inv" of "torch.linalg.inv"; empty for what is no function of torch.
std::string packet_of_function(std::string_view target) {
  constexpr std::pair<std::string_view, std::string_view> kModules[] = {
      {"torch.nn.functional.", "aten::"},   {"torch.linalg.", "aten::linalg_"},
      {"torch.special.", "aten::special_"}, {"torch.fft.", "aten::fft_"},
      {"torch._C._nn.", "aten::"},          {"torch.functional.", "aten::"},
      {"torch._C._linalg.", "aten::"},      {"torch.", "aten::"}};
  if (target.starts_with(kTorchOps)) {
    const std::string_view name = operator_name(target);
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos || name.find('.', dot + 1) != std::string_view::npos)
      return {};
    return format("{}::{}", name.substr(0, dot), name.substr(dot + 1));
  }
  for (const auto& [module, prefix] : kModules) {
    if (!target.starts_with(module)) continue;
    const std::string_view name = target.substr(module.size());
    if (name.find('.') != std::string_view::npos) return {};
    return format("{}{}", prefix, name);
  }
  return {};
}

Value call_method(Context& context, std::string_view name, std::string_view target, Given given) {
  if (given.args.size() == 1 && given.args[0].is_tensor()) {
    for (const auto& [cast, dtype] : kCasts)
      if (name == cast) return call_named(context, "aten::to.dtype", {given.args[0], Value(dtype)});
  }
  if (name == "cuda" || name == "cpu") {
    if (given.args.size() == 1)
      given.args.push_back(Value(name == "cpu" ? Device{} : *parse_device("cuda")));
    given.names.assign(given.args.size(), {});
    name = "to";
  }
  // A device alone is a keyword of the overload that takes any of device, dtype and layout.
  if (name == "to" && given.args.size() > 1 && given.names[1].empty() &&
      (given.args[1].is(Tag::kDevice) || given.args[1].is(Tag::kString))) {
    given.names[1] = "device";
    if (given.args.size() > 2 && given.names[2].empty()) given.names[2] = "dtype";
  }
  for (const auto& [method, renamed] : kRenamed)
    if (name == method) name = renamed;
  return call_overload(context, format("aten::{}", name), target, given);
}

// --- Python's operators on tensors ---

struct TensorOperator {
  std::string_view name;
  std::string_view packet;
  std::string_view reflected;  // for a number on the left
};
constexpr TensorOperator kTensorOperators[] = {
    {"add", "aten::add", "aten::add"},
    {"sub", "aten::sub", "aten::rsub"},
    {"mul", "aten::mul", "aten::mul"},
    {"truediv", "aten::div", ""},
    {"floordiv", "aten::floor_divide", ""},
    {"mod", "aten::remainder", ""},
    {"pow", "aten::pow", ""},
    {"matmul", "aten::matmul", ""},
    {"and_", "aten::bitwise_and", "aten::bitwise_and"},
    {"or_", "aten::bitwise_or", "aten::bitwise_or"},
    {"xor", "aten::bitwise_xor", "aten::bitwise_xor"},
    {"lshift", "aten::bitwise_left_shift", ""},
    {"rshift", "aten::bitwise_right_shift", ""},
    {"eq", "aten::eq", "aten::eq"},
    {"ne", "aten::ne", "aten::ne"},
    {"lt", "aten::lt", "aten::gt"},
    {"le", "aten::le", "aten::ge"},
    {"gt", "aten::gt", "aten::lt"},
    {"ge", "aten::ge", "aten::le"},
    {"neg", "aten::neg", ""},
    {"pos", "aten::positive", ""},
    {"invert", "aten::bitwise_not", ""},
    {"abs", "aten::abs", ""},
};

Value get_item(Context& context, const Given& given) {
  const Value& of = given.args[0];
  const Value& index = given.args[1];
  if (of.is_list() && index.is(Tag::kInt)) {
    const int64_t at = index.to_int();
    const auto size = static_cast<int64_t>(of.size());
    if (at < -size || at >= size)
      throw_error(ErrorKind::kIndexError, format("getitem: index {} is out of range", at));
    return of[static_cast<size_t>(at < 0 ? at + size : at)];
  }
  if (of.is_dict() && index.is(Tag::kString)) {
    for (size_t i = 0; i < of.size(); ++i)
      if (of[i][0].is(Tag::kString) && of[i][0].text() == index.text()) return of[i][1];
    throw_error(ErrorKind::kKeyError, format("'{}'", index.text()));
  }
  if (!of.is_tensor())
    throw_error(ErrorKind::kTypeError, format("{} cannot be indexed with {}", of, index));
  if (index.is(Tag::kInt)) return call_named(context, "aten::select.int", {of, Value(0), index});
  const Value indices[] = {index};
  const std::span<const Value> one(indices);
  return call_named(context, "aten::index.Tensor",
                    {of, index.is_list() ? index : context.make_list(one)});
}

Value call_operator(Context& context, std::string_view name, std::string_view target,
                    const Given& given) {
  if (name == "getitem" && given.args.size() == 2) return get_item(context, given);
  const auto* const found =
      std::find_if(std::begin(kTensorOperators), std::end(kTensorOperators),
                   [&](const TensorOperator& row) { return row.name == name; });
  if (found == std::end(kTensorOperators))
    throw_error(ErrorKind::kUnsupportedOperator, std::string(operator_name(target)));
  if (given.args.size() != 2 || !given.args[0].is_number() || !given.args[1].is_tensor())
    return call_overload(context, found->packet, target, given);
  const Value& number = given.args[0];
  const Value& tensor = given.args[1];
  if (name == "truediv") {
    const Value inverse = call_named(context, "aten::reciprocal", {tensor});
    return call_named(context, "aten::mul.Tensor", {inverse, number});
  }
  Given swapped;
  swapped.args = {tensor, number};
  swapped.names.resize(2);
  if (!found->reflected.empty()) return call_overload(context, found->reflected, target, swapped);
  return call_overload(context, found->packet, target, given);
}

}  // namespace

Value call_packet(Context& context, NodeKind kind, std::string_view target,
                  std::span<const Value> args, std::span<const std::string_view> names) {
  Given given;
  given.args.assign(args.begin(), args.end());
  given.names.assign(names.begin(), names.end());
  given.names.resize(args.size());
  if (kind == NodeKind::kCallMethod) return call_method(context, target, target, given);
  constexpr std::string_view kOperator = "_operator.";
  constexpr std::string_view kBuiltin = "builtins.";
  if (target.starts_with(kOperator) || target.starts_with(kBuiltin)) {
    const bool has_tensor =
        std::any_of(args.begin(), args.end(), [](const Value& arg) { return arg.is_tensor(); });
    const bool is_index = target == "_operator.getitem";
    if (!has_tensor && !is_index) {
      if (const OpId op = Registry::builtin().find(target); op != kNoOp)
        return context.call(op, args);
    }
    return call_operator(context, target.substr(target.find('.') + 1), target, given);
  }
  const std::string packet = packet_of_function(target);
  if (packet.empty())
    throw_error(ErrorKind::kUnsupportedOperator, std::string(operator_name(target)));
  constexpr std::string_view kFunctions = "torch.nn.functional.";
  if (target.starts_with(kFunctions)) {
    const std::string_view name = target.substr(kFunctions.size());
    for (const Functional& function : kFunctional) {
      if (function.name == name)
        return call_overload(context, function.packet, target, in_operators_order(function, given));
    }
  }
  if (Packets::builtin().find(packet).empty() && target.starts_with("torch.") && !args.empty())
    return call_method(context, packet.substr(packet.find("::") + 2), target, given);
  return call_overload(context, packet, target, given);
}

bool is_packet(std::string_view target) {
  const std::string packet = packet_of_function(target);
  return !packet.empty() && !Packets::builtin().find(packet).empty();
}

std::string nearest_operator(std::string_view target) {
  if (Registry::builtin().find(target) != kNoOp || target.starts_with(kHigherOrderOps)) return {};
  const Packets& packets = Packets::builtin();
  if (!target.starts_with(kTorchOps)) {
    constexpr std::string_view kModules[] = {"torch.nn.functional.", "torch."};
    for (const std::string_view module : kModules) {
      if (!target.starts_with(module)) continue;
      const std::string_view name = target.substr(module.size());
      const bool is_known = name.find('.') != std::string_view::npos ||
                            !packets.find(packet_of_function(target)).empty() ||
                            std::any_of(std::begin(kFunctional), std::end(kFunctional),
                                        [&](const auto& row) { return row.name == name; }) ||
                            std::any_of(std::begin(kRenamed), std::end(kRenamed),
                                        [&](const auto& row) { return row.first == name; });
      const std::string nearest = is_known ? std::string() : packets.nearest("aten::", name);
      return nearest.empty() ? nearest : format("{}{}", module, nearest);
    }
    return {};
  }
  const std::string_view full = operator_name(target);
  const size_t dot = full.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view space = full.substr(0, dot);
  if (space != "aten" && space != "prims") return {};
  const std::string_view rest = full.substr(dot + 1);
  const size_t second = rest.find('.');
  const std::string_view name = rest.substr(0, second);
  const std::span<const OpId> overloads = packets.find(format("{}::{}", space, name));
  if (overloads.empty()) {
    const std::string nearest = packets.nearest(format("{}::", space), name);
    return nearest.empty() ? nearest : format("{}.{}", space, nearest);
  }
  if (second == std::string_view::npos) return {};
  NearestName nearest(rest.substr(second + 1));
  for (const OpId id : overloads) nearest.offer(Registry::builtin().entry(id).schema.overload);
  const std::string_view only = Registry::builtin().entry(overloads[0]).schema.overload;
  const std::string overload = nearest.name().empty() ? std::string(only) : nearest.name();
  return format("{}.{}{}{}", space, name, overload.empty() ? "" : ".", overload);
}

}  // namespace faketensor
