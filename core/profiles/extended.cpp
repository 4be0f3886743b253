#include "core/profiles/extended.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "core/formats/yaml/constructor.h"
#include "core/formats/yaml/emitter.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

size_t to_size(const python::Value& value) {
  return static_cast<size_t>(std::strtoull(value.text.c_str(), nullptr, 10));
}

std::optional<std::vector<std::string>> read_texts(const python::Value& detail,
                                                   std::string_view key) {
  const python::Value* list = python::find(detail, key);
  if (list == nullptr) return {};
  std::vector<std::string> texts;
  for (const python::Value* item : list->items) texts.push_back(python::str(*item));
  return texts;
}

// The added keys of one profile that the lint has passed.
void read_details(const python::Value& value, OpProfile& profile) {
  if (const python::Value* none = python::find(value, "none_args")) {
    std::set<size_t> positions;
    for (const python::Value* item : none->items) positions.insert(to_size(*item));
    for (const size_t at : positions)
      profile.args.insert(profile.args.begin() + static_cast<ptrdiff_t>(at), std::nullopt);
  }
  const python::Value* results = python::find(value, "results");
  if (results == nullptr) return;
  for (const python::Value* item : results->items) {
    ResultDetail& detail = profile.details.emplace_back();
    detail.sizes = read_texts(*item, "sizes");
    detail.strides = read_texts(*item, "strides");
    if (const python::Value* alias = python::find(*item, "alias")) detail.alias = to_size(*alias);
  }
}

}  // namespace

OpProfiles read_extended_profiles(std::string_view text) {
  if (const std::vector<LintFinding> findings = lint_profiles(text); !findings.empty()) {
    throw_error(ErrorKind::kValueError,
                format("{}:{}: {}", findings[0].line, findings[0].column, findings[0].message));
  }
  const yaml::Document document(text);
  const yaml::PythonValues values(document);
  OpProfiles profiles;
  const python::Value& operators = python::subscript(*values.root(), "operators");
  for (size_t i = 0; i < operators.items.size(); i += 2) {
    OperatorProfiles& of_op = profiles.emplace_back();
    of_op.op = *operators.items[i];
    for (const python::Value* value : operators.items[i + 1]->items) {
      OpProfile profile = read_profile(*value);
      read_details(*value, profile);
      of_op.profiles.push_back(std::move(profile));
    }
  }
  return profiles;
}

std::string generate_extended_yaml(const OpProfiles& profiles) {
  return generate_yaml(profiles, [](yaml::Emitter& out, const OpProfile& profile) {
    const auto is_none = [](const auto& arg) { return !arg.has_value(); };
    if (std::any_of(profile.args.begin(), profile.args.end(), is_none)) {
      out.key(python::Scalar::string("none_args"));
      out.begin_sequence();
      for (size_t i = 0; i < profile.args.size(); ++i) {
        if (!profile.args[i]) out.scalar(python::Scalar::integer(static_cast<int64_t>(i)));
      }
      out.end_sequence();
    }
    const auto is_plain = [](const ResultDetail& detail) { return detail.is_plain(); };
    if (std::all_of(profile.details.begin(), profile.details.end(), is_plain)) return;
    const auto write_texts = [&](std::string_view key, const std::vector<std::string>& texts) {
      out.key(python::Scalar::string(key));
      out.begin_sequence(texts.empty());
      // A number is written as one.
      for (const std::string& text : texts) {
        const bool is_number = yaml::implicit_tag(text) == "int";
        out.scalar(is_number ? python::Scalar::integer(std::atoll(text.c_str()))
                             : python::Scalar::string(text));
      }
      if (!texts.empty()) out.end_sequence();
    };
    out.key(python::Scalar::string("results"));
    out.begin_sequence();
    for (const ResultDetail& detail : profile.details) {
      out.begin_mapping(detail.is_plain());
      if (detail.sizes) write_texts("sizes", *detail.sizes);
      if (detail.strides) write_texts("strides", *detail.strides);
      if (detail.alias) {
        out.key(python::Scalar::string("alias"));
        out.scalar(python::Scalar::integer(static_cast<int64_t>(*detail.alias)));
      }
      if (!detail.is_plain()) out.end_mapping();
    }
    out.end_sequence();
  });
}

namespace {

std::string describe(const std::optional<TensorMetadata>& metadata) {
  if (!metadata) return "None";
  std::string text = format("{} rank {} {}", name(metadata->dtype),
                            python::scalar_repr(metadata->rank), to_string(metadata->device));
  if (metadata->layout != Layout::kStrided) text.append(" ").append(name(metadata->layout));
  return text;
}

std::string describe(const std::vector<std::optional<TensorMetadata>>& list) {
  std::string text = "(";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ", ";
    text += describe(list[i]);
  }
  return text + ")";
}

std::string describe_results(const OpProfile& profile) {
  std::string text =
      profile.is_tuple || profile.out.empty() ? describe(profile.out) : describe(profile.out[0]);
  for (const ResultDetail& detail : profile.details) {
    if (!detail.sizes) continue;
    text += " [";
    for (size_t i = 0; i < detail.sizes->size(); ++i)
      text += (i > 0 ? ", " : "") + (*detail.sizes)[i];
    text += ']';
  }
  return text;
}

bool is_same(const OpProfile& a, const OpProfile& b) {
  return identity(a) == identity(b) && a.details == b.details;
}

}  // namespace

std::string describe(const OpProfile& profile) {
  return describe(profile.args) + " -> " + describe_results(profile);
}

MergedProfiles merge_profiles(const OpProfiles& first, const OpProfiles& second) {
  MergedProfiles merged;
  std::map<std::string, size_t> by_name;
  const auto add = [&](const OperatorProfiles& from) {
    const auto [found, is_new] =
        by_name.emplace(python::identity_key(from.op), merged.profiles.size());
    if (is_new) merged.profiles.push_back({from.op, {}});
    OperatorProfiles& into = merged.profiles[found->second];
    for (const OpProfile& profile : from.profiles) {
      bool is_there = false;
      for (const OpProfile& other : into.profiles) {
        is_there = is_there || is_same(other, profile);
        if (is_same(other, profile) || describe(other.args) != describe(profile.args)) continue;
        merged.conflicts.push_back(format("{}: {} gives {} and {}", python::scalar_repr(from.op),
                                          describe(profile.args), describe_results(other),
                                          describe_results(profile)));
      }
      if (!is_there) into.profiles.push_back(profile);
    }
  };
  for (const OperatorProfiles& from : first) add(from);
  for (const OperatorProfiles& from : second) add(from);
  return merged;
}

}  // namespace faketensor
