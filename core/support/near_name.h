// The name that somebody who wrote another one has meant.
//
//   NearestName nearest("lnear");
//   for (const std::string_view name : names) nearest.offer(name);
//   nearest.name()   // "linear"
//
// Nearest by the letters that are to be put in, left out, changed or swapped (Damerau-Levenshtein);
// of names that differ in more than a third of their letters none is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace faketensor {

class NearestName {
 public:
  explicit NearestName(std::string_view wanted);

  void offer(std::string_view name);
  // Empty where nothing is near.
  const std::string& name() const { return name_; }

 private:
  std::string_view wanted_;
  size_t distance_;  // of what would be too far
  std::string name_;
};

}  // namespace faketensor
