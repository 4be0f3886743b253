// generate_presets FILE.yaml... : the rows of core/devices/presets.cpp, one per target file, to
// standard output. Part of the build (core/CMakeLists.txt); a file that is refused stops it.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "core/devices/target_file.h"
#include "core/formats/text.h"
#include "core/support/error.h"

namespace faketensor {
namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void print_row(const TargetFile& file) {
  const DeviceModel& model = file.model;
  const Target& target = model.target;
  const Hardware& hardware = *model.hardware;
  std::printf("{\"%s\", \"%s\", \"%s\", \"%s\",\n", model.name.c_str(), file.also.c_str(),
              model.title.c_str(), model.source.c_str());
  std::printf("  {.name = \"%s\", .build = Target::Build::%s, .cudnn = %d, .sm = %d,\n",
              file.also.empty() ? model.name.c_str() : file.also.c_str(),
              target.build == Target::Build::kCPU ? "kCPU" : "kCUDA", target.cudnn, target.sm);
  std::printf("   .deterministic = %d, .cudnn_enabled = %d, .mkldnn_enabled = %d},\n",
              target.deterministic, target.cudnn_enabled, target.mkldnn_enabled);
  std::printf("  {%lld, %lld, %lld, %s, %s, %s, {{", static_cast<long long>(hardware.memory),
              static_cast<long long>(hardware.reserved), static_cast<long long>(hardware.context),
              number(hardware.bandwidth).c_str(), number(hardware.link_bandwidth).c_str(),
              number(hardware.launch).c_str());
  for (const PeakFlops& peak : hardware.flops)
    std::printf("{%s, %s}, ", number(peak.plain).c_str(), number(peak.tensor).c_str());
  std::printf("}}}},\n");
}

int generate(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    try {
      print_row(read_target_file(read_all(FileSource(path), {}), path));
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.message().c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace faketensor

int main(int argc, char** argv) { return faketensor::generate({argv + 1, argv + argc}); }
