#include "core/devices/target.h"

#include "core/support/format.h"

namespace faketensor {

void append_text(std::string& out, const Target& target) {
  out += format("{}, build {}, gpu ", target.torch,
                target.build == Target::Build::kCPU ? "cpu" : "cu130");
  out += target.has_gpu() ? format("sm_{}", target.sm) : "none";
}

}  // namespace faketensor
