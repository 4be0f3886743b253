#include "core/graph/placeholders.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/graph/interpreter.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

Row first_user_tensor(const Program& program) {
  for (Row i = 0; i < program.inputs.size(); ++i) {
    const Node& node = program.node(i);
    if (program.inputs[i].kind == InputSpec::Kind::kUser && node.recorded != nullptr &&
        node.recorded->rank() > 0)
      return i;
  }
  return kNoRow;
}

namespace {

// The placeholder of that name; kNoRow where no placeholder has it.
Row find_input(const Program& program, std::string_view name) {
  const Row node = program.find(name);
  return node < program.inputs.size() ? node : kNoRow;
}

// What `dims` can name: "; it has batch, s77, tokens.0...1 of [2, s77]". User inputs only, and
// no more of them than fit a message.
std::string settable_dimensions(const Program& program) {
  constexpr size_t kMostInputs = 8;
  std::set<std::string> symbols;
  std::string inputs;
  size_t count = 0;
  for (Row i = 0; i < program.inputs.size(); ++i) {
    const Node& node = program.node(i);
    if (program.inputs[i].kind != InputSpec::Kind::kUser || node.recorded == nullptr) continue;
    const Dims sizes = node.recorded->sizes();
    for (const SymInt& size : sizes)
      if (size.is_symbolic())
        for (const ExprNode* symbol : free_symbols(size.node())) symbols.insert(to_string(symbol));
    if (sizes.empty() || ++count > kMostInputs) continue;
    const std::string_view name = program.text(node.name);
    inputs += format("{}{}.0", count > 1 ? ", " : "", name);
    if (sizes.size() > 1) inputs += format("...{}", sizes.size() - 1);
    inputs += format(" of {}", sizes);
  }
  if (count == 0) return "";
  std::string text = "; it has batch, ";
  for (const std::string& symbol : symbols) text += symbol + ", ";
  text += inputs;
  if (count > kMostInputs) text += format(" and {} more inputs", count - kMostInputs);
  return text;
}

// Dimension 0 of the first user input, and of every user input with that size there.
std::vector<InputDim> batch_dims(const Program& program) {
  const Row first = first_user_tensor(program);
  if (first == kNoRow)
    throw_error(ErrorKind::kUsage, "the program has no user input with a batch dimension");
  const SymInt batch = program.node(first).recorded->sizes()[0];
  std::vector<InputDim> dims;
  for (Row i = 0; i < program.inputs.size(); ++i) {
    const TensorMeta* recorded = program.node(i).recorded;
    if (program.inputs[i].kind == InputSpec::Kind::kUser && recorded != nullptr &&
        recorded->rank() != 0 && same_expr(recorded->sizes()[0], batch))
      dims.push_back({i, 0});
  }
  return dims;
}

void apply_format(Dims sizes, MemoryFormat format, DimVector& strides) {
  if (format == MemoryFormat::kContiguous) {
    strides.clear();
  } else if (sizes.size() == 4) {
    strides = channels_last_strides(sizes);
  } else if (sizes.size() == 5) {
    strides = channels_last_3d_strides(sizes);
  }
}

}  // namespace

std::vector<InputDim> input_dims(const Program& program, const std::string& name) {
  if (name == "batch") return batch_dims(program);
  const size_t dot = name.rfind('.');
  const Row row = dot == std::string::npos ? kNoRow : find_input(program, name.substr(0, dot));
  const std::string digits = dot == std::string::npos ? "" : name.substr(dot + 1);
  const bool is_number = !digits.empty() && digits.size() < 4 &&
                         digits.find_first_not_of("0123456789") == std::string::npos;
  const TensorMeta* recorded = row == kNoRow ? nullptr : program.node(row).recorded;
  if (recorded == nullptr || !is_number || std::atol(digits.c_str()) >= recorded->rank()) {
    throw_error(ErrorKind::kUsage, format("the program has no input dimension or symbol '{}'{}",
                                          name, settable_dimensions(program)));
  }
  return {{row, static_cast<size_t>(std::atol(digits.c_str()))}};
}

std::string symbol_name(std::string_view dim) {
  std::string name(dim);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

Placeholders::Placeholders(const Program& program, const PropagateOptions& options, ShapeEnv& env)
    : program_(program), options_(options) {
  sizes_.resize(program.inputs.size());
  for (const auto& [name, value] : options.dims) set_dim(name, value);
  for (const auto& [name, dim] : options.dynamic) make_dynamic(name, dim, env);
  for (const auto& [name, change] : options.inputs) {
    if (find_input(program, name) == kNoRow)
      throw_error(ErrorKind::kUsage, format("the program has no input '{}'", name));
  }
}

Value Placeholders::make(FakeTensorMode& mode, Row i) const {
  const Node& node = program_.node(i);
  if (node.recorded == nullptr) {
    // Of text that does not say.
    if (node.val.is_unset())
      throw_error(ErrorKind::kValueError,
                  format("nothing says what {} is", program_.text(node.name)));
    return node.val.is(Value::Tag::kInt) ? Value(resolved(node.val.as_sym_int())) : node.val;
  }
  MetaSpec spec = node.recorded->spec();
  spec.offset = 0;
  spec.flags = 0;
  DimVector sizes(sizes_[i].empty() ? spec.sizes : Dims(sizes_[i]));
  DimVector strides;
  if (sizes_[i].empty()) strides = spec.strides;
  for (SymInt& size : sizes) size = resolved(size);
  for (SymInt& stride : strides) stride = resolved(stride);
  const auto found = options_.inputs.find(std::string(program_.text(node.name)));
  const InputOverride change = found == options_.inputs.end() ? InputOverride{} : found->second;
  if (change.sizes) {
    sizes = std::span<const SymInt>(*change.sizes);
    strides.clear();
  }
  // Constants of the code are none of the module's tensors, which Module.to changes.
  RowEditor::Moved moved{.dtype = true, .device = true};
  if (options_.editor != nullptr && program_.inputs[i].kind == InputSpec::Kind::kConstant)
    moved = options_.editor->moved_constant(i);
  if (options_.dtype && moved.dtype && is_floating(spec.dtype)) spec.dtype = *options_.dtype;
  if (options_.device && moved.device) spec.device = options_.device->normalized();
  if (change.dtype) spec.dtype = *change.dtype;
  if (change.device) spec.device = change.device->normalized();
  if (options_.memory_format && is_floating(spec.dtype))
    apply_format(sizes, *options_.memory_format, strides);
  if (change.strides) strides = std::span<const SymInt>(*change.strides);
  if (!strides.empty() && strides.size() != sizes.size()) {
    throw_error(ErrorKind::kUsage, format("input '{}': {} strides for {} sizes",
                                          program_.text(node.name), strides.size(), sizes.size()));
  }
  if (spec.sparse != nullptr && sizes.size() != node.recorded->sizes().size()) {
    throw_error(ErrorKind::kUsage,
                format("input '{}': {} sizes for a sparse tensor of {} dimensions",
                       program_.text(node.name), sizes.size(), node.recorded->rank()));
  }
  spec.sizes = sizes;
  spec.strides = strides;
  return mode.context().make_tensor(mode.context().metas().intern(spec), nullptr);
}

void Placeholders::set_dim(const std::string& name, int64_t value) {
  if (value < 0) throw_error(ErrorKind::kUsage, format("dimension '{}' cannot be {}", name, value));
  if (set_symbol(name, value)) return;
  for (const InputDim at : input_dims(program_, name)) set_size(at, value);
}

void Placeholders::set_size(InputDim at, int64_t value) {
  const Dims recorded = program_.node(at.row).recorded->sizes();
  if (recorded[at.dim].is_symbolic()) {
    const std::string text = to_string(recorded[at.dim]);
    if (set_symbol(text, value)) return;
    throw_error(ErrorKind::kUsage, format("this dimension is {}: set its symbol instead", text));
  }
  if (sizes_[at.row].empty()) sizes_[at.row] = recorded;
  sizes_[at.row][at.dim] = value;
}

void Placeholders::make_dynamic(const std::string& name, const DynamicDim& dynamic, ShapeEnv& env) {
  if (options_.dims.contains(name))
    throw_error(ErrorKind::kUsage, format("dimension '{}' is set, and dynamic", name));
  const std::vector<InputDim> all = input_dims(program_, name);
  for (const InputDim at : all) {
    const SymInt recorded = program_.node(at.row).recorded->sizes()[at.dim];
    if (recorded.is_symbolic())
      throw_error(ErrorKind::kUsage, format("dimension '{}' is {} already", name, recorded));
  }
  const SymInt example = program_.node(all[0].row).recorded->sizes()[all[0].dim];
  SymInt& symbol = made_[{example.as_int(), all[0].dim}];
  if (!symbol.is_symbolic())
    symbol = env.create_backed(symbol_name(name), dynamic.hint.value_or(example.as_int()),
                               dynamic.range);
  for (const InputDim at : all) {
    if (sizes_[at.row].empty()) sizes_[at.row] = program_.node(at.row).recorded->sizes();
    sizes_[at.row][at.dim] = symbol;
  }
}

bool Placeholders::set_symbol(std::string_view name, int64_t value) {
  if (program_.shape_env == nullptr) return false;
  ExprPool& pool = program_.shape_env->pool();
  const ExprNode* symbol = pool.find_symbol(name);
  if (symbol == nullptr) return false;
  symbols_[symbol] = pool.integer(value);
  return true;
}

SymInt Placeholders::resolved(SymInt value) const {
  if (!value.is_symbolic() || symbols_.empty()) return value;
  return program_.shape_env->pool().sym_int(substitute(value.node(), symbols_));
}

}  // namespace faketensor
