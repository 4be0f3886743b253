#include "test_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace faketensor {

std::string test_file(std::string_view path) {
  return std::string(FAKETENSOR_TESTS "/") + std::string(path);
}

std::vector<std::string> recorded_models() {
  const char* folder = std::getenv("FAKETENSOR_MODELS");
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           folder != nullptr ? folder : test_file("conformance/data/models"))) {
    const std::string path = entry.path().string();
    if (path.ends_with(".pt2") || path.ends_with(".json.gz")) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace faketensor
