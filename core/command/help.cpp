#include "core/command/help.h"

#include "core/command/subcommands.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kPropagateHelp = R"(usage: faketensor propagate FILE [OPTION]...

Prints what PyTorch would answer about every value of an exported program (.pt2, or its JSON, gzipped or not): sizes,
dtype, and what is not the default of strides, offset, device and storage.

  --set DIM=N             another size: batch (dimension 0 of the user inputs), x.1 (dimension 1 of input x), or a symbol
  --inputs FILE           JSON {"inputs": {NAME: {"size": [..], "stride": [..], "dtype": .., "device": ..}}}
  --dtype T               every floating-point input, parameter and buffer in this dtype
  --device D              everything on this device
  --memory-format F       4-d and 5-d floating-point inputs and parameters in channels_last
  --target NAME           the PyTorch that answers: cuda (2.13.0+cu130 without a GPU, the default), cpu, t4, a100, rtx4090, h100
  --format F              table, jsonl (a line per node) or json
  --profiles FILE         op profiles (YAML) that answer for custom operators
  --check                 compare with the values recorded in the file instead
  --stop-at-first-error   as PyTorch does; otherwise only what depends on an error is left out
  --python-dispatcher     as under enable_python_dispatcher(), with which programs are traced: operators that PyTorch
                          composes in C++ then take their Python decompositions, which keep symbolic sizes symbolic
  --memory-limit N        bytes that reading the file may take, or as many K, M or G (512M); 256 MB and 20 times the file

The answers are those of FakeTensorProp without the dispatch cache. An operator for which PyTorch has no Meta kernel
answers as in a FakeTensorMode that may run real kernels.

examples:
  faketensor propagate model.pt2
  faketensor propagate model.pt2 --set batch=64 --dtype bfloat16 --device cuda
  faketensor propagate model.pt2 --format jsonl | grep '"raises"'

exit code: 0 fine, 1 the program has errors, 2 wrong use or unreadable file
)";

constexpr std::string_view kInfoHelp = R"(usage: faketensor info FILE [--memory-limit N]

Prints what a file holds: version, inputs, symbols, operators, and whether propagation agrees with what it records.

  --memory-limit N   as for propagate

example:
  faketensor info model.pt2
)";

constexpr std::string_view kGuardsHelp = R"(usage: faketensor guards FILE [OPTION]...

Prints the symbols in the sizes of a program, each with its range, its hint and the dimension it stands for, and what the
propagation decided about them: guards, symbols that became numbers or expressions, and asserts left to run time, each
with the node, call and source line that caused it.

  --why NODE:DIM     where the size of that dimension came from, node by node, back to an input; -1 is the last dimension
  --set SYMBOL=N     whether the guards still hold if a symbol is N, or any of N..M: those that do not, else the sizes of
                     the outputs. Nothing is run again; may be given for several symbols, the others stay symbolic
  --all              also the guards that hold whatever the inputs, once symbols are the numbers they became
  --target NAME      as for propagate
  --format F         text, or jsonl: a line per guard, one line of steps for --why, one line of results for --set
  --memory-limit N   as for propagate

examples:
  faketensor guards model.pt2
  faketensor guards model.pt2 --why linear_1:2
  faketensor guards model.pt2 --set s77=2..64 --set s53=16
  faketensor propagate model.pt2 --set s77=64        # runs it again for that size, as PyTorch would

exit code: 0 fine, 1 the program has errors or a guard does not hold for all sizes, 2 wrong use or unreadable file
)";

constexpr std::string_view kOpsHelp = R"(usage: faketensor ops [PATTERN] [--format text|jsonl]

Lists the schemas of the operators that have a rule, those whose name contains PATTERN. A jsonl line also says where the
rule comes from: a row of its own, a composite row, or derived from another operator's row.

examples:
  faketensor ops
  faketensor ops conv --format jsonl
)";

constexpr std::string_view kCallHelp =
    R"(usage: faketensor call OPERATOR ARGUMENT... [--target NAME] [--format text|json]

Calls one operator. Arguments come in schema order or as NAME=VALUE:
  f32[2,3]   f32[2,3]{1,2} (strides)   i64[4]@cuda   [f32[2],f32[2]]   3   1.5   True   None   [1,2]   float32   channels_last

examples:
  faketensor call aten::mm 'f32[2,3]' 'f32[3,4]'
  faketensor call aten::sum.dim_IntList 'i32[4,5]@cuda' '[1]' keepdim=True
  faketensor call aten::conv2d 'f32[1,3,8,8]' 'f32[6,3,3,3]' padding='[1,1]'
)";

constexpr std::string_view kProfileHelp =
    R"(usage: faketensor profile record PROGRAM [--sizes] [--plain] [--memory-limit N]
       faketensor profile merge FILE FILE... [--plain]
       faketensor profile lint|show FILE...

Op profiles say what a custom operator gives for which arguments, in PyTorch's YAML (torch._library.fake_profile).
record collects those of the operators that have no rule from what the program itself records; --sizes keeps sizes and
strides as expressions of the arguments' sizes, in keys that PyTorch passes over; --plain writes PyTorch's form alone.
merge joins files and reports profiles that contradict each other; lint is strict where PyTorch is lenient.

examples:
  faketensor profile record model.pt2 > model.yaml
  faketensor propagate model.pt2 --profiles model.yaml

exit code: 0 fine, 1 findings or conflicts, 2 wrong use or unreadable file
)";

constexpr Subcommand kSubcommands[] = {
    {"propagate", &propagate_command, "every value of a program", kPropagateHelp},
    {"guards", &guards_command, "what was decided about symbolic sizes, and why", kGuardsHelp},
    {"info", &info_command, "what a file holds", kInfoHelp},
    {"ops", &ops_command, "the operators that have a rule", kOpsHelp},
    {"call", &call_command, "one operator on typed arguments", kCallHelp},
    {"profile", &profile_command, "profiles of custom operators", kProfileHelp},
};

}  // namespace

std::span<const Subcommand> subcommands() { return kSubcommands; }

std::string overview(std::span<const Subcommand> more) {
  std::string text =
      "usage: faketensor COMMAND [ARGUMENT]...\n\nWhat PyTorch would answer about every tensor of "
      "a program, without PyTorch.\n\n";
  for (const std::span<const Subcommand> rows : {subcommands(), more}) {
    for (const Subcommand& row : rows) {
      std::string name(row.name);
      name.resize(12, ' ');
      text += format("  {}{}\n", name, row.summary);
    }
  }
  return text +
         "\nFILE may be gzipped, and - is standard input. `faketensor COMMAND --help` says more "
         "and gives examples,\n`faketensor --version` which release this is.\n";
}

}  // namespace faketensor
