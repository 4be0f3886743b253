// Target files: a device as YAML.
//
//   name: my-gpu
//   title: my GPU                     # default: the name
//   source: https://...               # who says so
//   pytorch: {build: cuda, sm: 89, cudnn: 91002, deterministic: false, cudnn_enabled: true,
//             mkldnn_enabled: true}   # each may be left out: PyTorch for CUDA, no GPU
//   memory: {total: 24 GiB, reserved: 300 MiB, context: 500 MiB, bandwidth: 1 TB/s}
//   link: {kind: PCIe 4.0 x16, bandwidth: 64 GB/s}    # may be left out
//   launch: 5 us                      # may be left out: 5 us
//   flops:
//     float32: {plain: 82.6 TFLOPS}
//     bfloat16: {plain: 82.6 TFLOPS, tensor: 165.2 TFLOPS}
//
// A quantity is a number and its unit, which may be left out for bytes, bytes a second, operations a
// second and seconds. Units are those of the decimal system (kB, MB, GB, TB; FLOPS, GFLOPS, TFLOPS,
// PFLOPS; s, ms, us, ns) and of the binary one (KiB, MiB, GiB, TiB). What is unknown, missing,
// negative or of another unit is refused with its line and column.
#pragma once

#include "core/devices/device_model.h"

namespace faketensor {

struct TargetFile {
  DeviceModel model;
  std::string also;  // another name, for presets
};

// `path` is for errors: "gpu.yaml:3:14: memory.bandwidth: more than 0 expected, not '-1 GB/s'". Raises
// Unreadable, and PyYAML's errors for a text that is no YAML.
TargetFile read_target_file(std::string_view text, std::string_view path);

// Whether a target is a path rather than a name: it ends in .yaml or .yml.
bool is_target_path(std::string_view target);

}  // namespace faketensor
