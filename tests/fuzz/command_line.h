// CommandLine: what a fuzzer is asked for, "--seed 4 --show FOLDER".
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace faketensor {

class CommandLine {
 public:
  // `flags` stand alone, `values` are followed by one; anything else that begins with a dash ends
  // the program.
  CommandLine(int argc, char** argv, std::initializer_list<std::string_view> flags,
              std::initializer_list<std::string_view> values) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      const bool has_next = i + 1 < argc;
      if (contains(flags, word)) {
        given_[word] = "";
      } else if (contains(values, word) && has_next) {
        given_[word] = argv[++i];
      } else if (word.starts_with("-")) {
        std::fprintf(stderr, "%s: unknown, or without its value\n", word.c_str());
        std::exit(2);
      } else {
        rest_ = word;
      }
    }
  }

  bool has(const std::string& name) const { return given_.count(name) != 0; }
  std::string text(const std::string& name) const { return has(name) ? given_.at(name) : ""; }
  uint64_t number(const std::string& name, uint64_t otherwise) const {
    return has(name) ? std::strtoull(given_.at(name).c_str(), nullptr, 10) : otherwise;
  }
  double real(const std::string& name, double otherwise) const {
    return has(name) ? std::strtod(given_.at(name).c_str(), nullptr) : otherwise;
  }
  // The last word that belongs to no option.
  const std::string& rest() const { return rest_; }

 private:
  static bool contains(std::initializer_list<std::string_view> names, std::string_view word) {
    for (const std::string_view name : names) {
      if (name == word) return true;
    }
    return false;
  }

  std::map<std::string, std::string> given_;
  std::string rest_;
};

}  // namespace faketensor
