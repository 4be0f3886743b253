// What a what-if took for part of the example, and what for part of the model.
//
// A site is a number, dtype or device that stands in a node of a program; how it is taken is a
// choice: it keeps, or it follows the inputs. A choice has a reason, and is a guess where nothing
// but likelihood speaks for it. Choices that somebody made (`--assume view_3.1=literal`), and those
// that a failing operator demanded, are kept in `Choices` and stand above all others.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/graph/program.h"

namespace faketensor {

// A place in an argument of a row: an element of a list, or the whole argument.
struct Site {
  static constexpr int kWhole = -1;

  const Plan* plan = nullptr;  // a program's, or of a graph that a higher-order operator holds
  Row row = kNoRow;
  int argument = 0;
  int element = kWhole;

  friend auto operator<=>(const Site&, const Site&) = default;
};

struct Assumption {
  Row row = kNoRow;  // of the program's plan; kNoRow for a row of a graph inside
  // What --assume names: "view_3.1", "arange.end", "submod_1/to_4.dtype" in a graph inside.
  std::string site = {};
  std::string from = {};    // "2", "torch.float32", "cpu"
  std::string to = {};      // the same where it is taken for part of the model
  std::string reason = {};  // "is dimension 0 of input_ids"
  bool is_guess = false;
  std::string source = {};  // "model.py:12 in forward", empty where unknown
};

// What has been decided about a site: its number, or for a dtype or device whether it follows.
struct Choice {
  int64_t to = 0;
  std::string reason;
  bool is_asked = false;  // by somebody, not by a failing operator
};

class Choices {
 public:
  // `group_of(site)` names the site's group; it is asked where there may be one.
  template <typename GroupOf>
  const Choice* find(const Site& site, const GroupOf& group_of) const {
    if (const auto found = by_site_.find(site); found != by_site_.end()) return &found->second;
    if (!grouped_.contains(kind_of(site))) return nullptr;
    const auto found = by_group_.find(group_of(site));
    return found == by_group_.end() ? nullptr : &found->second;
  }
  // Returns false where the site has been decided so before: the same would be tried again.
  bool set(const Site& site, const std::string& group, Choice choice);
  // Stands above all others.
  void ask(const Site& site, int64_t to);
  bool empty() const { return by_site_.empty() && by_group_.empty(); }

 private:
  std::map<Site, Choice> by_site_;
  // What all sites of a group have in common: the operator's name, the argument, the element.
  using Kind = std::tuple<StringId, int, int>;
  static Kind kind_of(const Site& site) {
    return {site.plan->node(site.row).target, site.argument, site.element};
  }
  std::map<std::string, Choice> by_group_;  // sites of one line of code, see site_group
  std::set<Kind> grouped_;
  std::map<Site, std::vector<int64_t>> tried_;
};

// A site by its name in a program's graph: "view_3.1", "to_4.dtype". Raises UsageError for a name that
// is no number, dtype or device in a node.
Site find_site(const Program& program, std::string_view name);
std::string site_name(const Site& site);
// What stands there in the file. A site of a placeholder has nothing.
Value written_at(const Site& site);

}  // namespace faketensor
