#include "core/profiles/program_profiles.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/profiles/fake_kernels.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/expr.h"

namespace faketensor {

namespace {

// "mylib.foo.default" -> "mylib.foo": profiles stand for all overloads.
std::string_view without_overload(std::string_view name) {
  const size_t first = name.find('.');
  return first == std::string_view::npos ? name : name.substr(0, name.find('.', first + 1));
}

bool is_unknown(const Plan& plan, Row at) {
  const PlanRow& row = plan.row(at);
  return row.kind == RowKind::kCall && row.op == kNoOp && is_dispatcher_target(plan.target_of(at));
}

std::optional<TensorMetadata> metadata_of(const TensorMeta* meta) {
  if (meta == nullptr) return {};
  return TensorMetadata{python::Scalar::integer(meta->rank()), meta->dtype(),
                        DeviceName::of(meta->device()), meta->layout()};
}

// Sizes of results over sizes of arguments.
class SizeNames {
 public:
  SizeNames(const Plan& plan, const PlanRow& call) {
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (!call.args[i].is(Value::Tag::kNodeRef)) continue;
      const TensorMeta* meta = plan.node(call.args[i].node()).recorded;
      if (meta == nullptr) continue;
      for (int64_t d = 0; d < meta->rank(); ++d)
        add(meta->sizes()[static_cast<size_t>(d)], format("x{}_{}", i, d));
    }
  }

  // Nothing where a size depends on what no argument shows.
  std::optional<std::vector<std::string>> expressions(Dims values) const {
    std::vector<std::string> texts;
    for (const SymInt value : values) {
      if (!value.is_symbolic()) {
        texts.push_back(std::to_string(value.as_int()));
        continue;
      }
      for (const ExprNode* symbol : free_symbols(value.node())) {
        if (names_.count(symbol) == 0) return {};
      }
      texts.push_back(to_string(substitute(value.node(), names_)));
    }
    return texts;
  }

 private:
  void add(SymInt size, const std::string& name) {
    if (!size.is_symbolic() || size.node()->kind != ExprKind::kSymbol) return;
    ExprPool& pool = *size.node()->pool;
    names_.emplace(size.node(), pool.symbol({name, ExprType::kInt, true, false}));
  }
  SymbolMap names_;
};

class Recorder {
 public:
  Recorder(const Program& program, const RecordOptions& options)
      : plan_(program.plan()), options_(options) {
    for (Row row = 0; row < plan_.size(); ++row) {
      if (plan_.row(row).kind == RowKind::kGetItem)
        elements_[plan_.row(row).args[0].node()].push_back(row);
    }
    for (Row row = 0; row < plan_.size(); ++row) {
      if (is_unknown(plan_, row)) record(row);
    }
  }
  OpProfiles profiles;

 private:
  void record(Row row) {
    OpProfile profile;
    for (const Value& arg : plan_.row(row).args) {
      const bool is_node = arg.is(Value::Tag::kNodeRef);
      profile.args.push_back(is_node ? metadata_of(plan_.node(arg.node()).recorded) : std::nullopt);
    }
    std::vector<Row> results = {row};
    if (plan_.node(row).recorded == nullptr) {
      results = elements_[row];
      profile.is_tuple = true;
    }
    const SizeNames names(plan_, plan_.row(row));
    for (const Row result : results) {
      const TensorMeta* recorded = plan_.node(result).recorded;
      if (recorded == nullptr) return;  // a result that is no tensor has no profile
      profile.out.push_back(metadata_of(recorded));
      if (options_.with_sizes) profile.details.push_back(detail_of(*recorded, names));
    }
    if (!profile.out.empty()) add(operator_name(plan_.target_of(row)), std::move(profile));
  }

  static ResultDetail detail_of(const TensorMeta& meta, const SizeNames& names) {
    ResultDetail detail;
    detail.sizes = names.expressions(meta.sizes());
    detail.strides = names.expressions(meta.strides());
    return detail.sizes && detail.strides ? detail : ResultDetail{};
  }

  void add(std::string_view name, OpProfile profile) {
    const auto [found, is_new] = by_name_.emplace(name, profiles.size());
    if (is_new) profiles.push_back({python::Scalar::string(name), {}});
    std::vector<OpProfile>& of_op = profiles[found->second].profiles;
    const bool is_there = std::any_of(of_op.begin(), of_op.end(), [&](const OpProfile& other) {
      return identity(other) == identity(profile) && other.details == profile.details;
    });
    if (!is_there) of_op.push_back(std::move(profile));
  }

  const Plan& plan_;
  const RecordOptions& options_;
  std::map<Row, std::vector<Row>> elements_;  // getitems by what they take from
  std::map<std::string, size_t, std::less<>> by_name_;
};

// The schema that the calls of an operator show: all their arguments, of any type.
class ShownSchema {
 public:
  void add(const Plan& plan, const PlanRow& row) {
    for (size_t i = 0; i < row.args.size(); ++i) {
      const StringId name = i < row.arg_names.size() ? row.arg_names[i] : 0;
      if (name == 0) {
        positional_ = std::max(positional_, i + 1);
      } else if (std::find(keywords_.begin(), keywords_.end(), plan.text(name)) ==
                 keywords_.end()) {
        keywords_.emplace_back(plan.text(name));
      }
    }
  }
  std::string text() const {
    std::string out = "(";
    for (size_t i = 0; i < positional_; ++i)
      out += format("{}Any arg{}=None", i > 0 ? ", " : "", i);
    if (!keywords_.empty()) out += positional_ > 0 ? ", *" : "*";
    for (const std::string& name : keywords_) out += format(", Any {}=None", name);
    return out + ") -> Any";
  }

 private:
  size_t positional_ = 0;
  std::vector<std::string> keywords_;
};

}  // namespace

OpProfiles record_profiles(const Program& program, const RecordOptions& options) {
  return std::move(Recorder(program, options).profiles);
}

std::function<void(const Program&, FakeTensorMode&)> answer_by_profiles(OpProfiles profiles) {
  return [profiles = std::move(profiles)](const Program& program, FakeTensorMode& mode) {
    Library& library = mode.library();
    std::map<std::string, ShownSchema, std::less<>> shown;
    for (const auto& graph : program.graphs()) {
      const Plan& plan = *graph->plan();
      for (Row row = 0; row < plan.size(); ++row) {
        if (is_unknown(plan, row))
          shown[std::string(operator_name(plan.target_of(row)))].add(plan, plan.row(row));
      }
    }
    for (const OperatorProfiles& of_op : profiles) {
      const std::string_view packet = without_overload(of_op.op.text);
      std::vector<std::string> ops;
      for (const auto& [name, schema] : shown) {
        if (without_overload(name) != packet) continue;
        ops.push_back(Registry::qualified(name));
        if (library.find(ops.back()) == kNoOp) library.define(ops.back(), schema.text());
      }
      // A known operator with a profile is answered by the profile, too.
      const std::string known = Registry::qualified(packet);
      if (ops.empty() && library.find(known) != kNoOp) ops.push_back(known);
      for (const std::string& op : ops)
        library.register_fake(op, generate_fake_kernel(op, of_op.profiles));
    }
  };
}

}  // namespace faketensor
