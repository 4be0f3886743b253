#!/usr/bin/env python3
"""Holds what `faketensor convert` writes against PyTorch: pytorch_reads.py FAKETENSOR MODELS [--only PATTERN] [--passes | --text]
[-- OPTION...]

For each *.json.gz under MODELS (conformance/models): what is written must be JSON equal to the file, and PyTorch's deserialiser must make
a program of it (torch._export.serde.serialize.ExportedProgramDeserializer). Options after "--" are a what-if, handed on to convert: the
JSON then differs, and must be accepted and pass the verifier of torch.export. With --passes each program is changed by passes (convert
--run), one of the list below after the other, and str(graph) of what PyTorch reads must be the graph that we say. With --text each program
is first written as text (convert --to readable), and what that text is written as, as JSON, must be read as the file's graph. For *.pt2 what is written must load with
torch.export.load, with equal weights. Run by hand with a CPU wheel of PyTorch 2.13; it is no part of the tests.
"""
import argparse
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from itertools import zip_longest

import torch
import torch.utils._pytree as pytree
from torch._export.serde import serialize


PASSES = (
    "dce",
    "cse",
    "export_pass/aten.relu.default=aten.gelu.default+aten.silu.default=aten.sigmoid.default",
    "move_to_device/cuda:0",
    "fuse_conv_bn",
    "replace_view_ops_with_view_copy_ops",
    "remove_runtime_assertions",
    "replace_set_grad_with_hop",
    "replace_autocast_with_hop",
    "functionalize",
    "convert_dtype/bfloat16",
)


def converted(command, path, form, options):
    with tempfile.NamedTemporaryFile(suffix="." + form) as out:
        ended = subprocess.run(
            [command, "convert", path, "--to", form, "-o", out.name, *options], capture_output=True, check=False, text=True
        )
        if ended.returncode != 0:
            lines = ended.stderr.strip().splitlines() or ["no output"]
            raise RuntimeError(f"convert: {lines[0]}")
        return pathlib.Path(out.name).read_bytes()


def placeholder_tensors(program):
    """Parameters, buffers and constants as the program's JSON describes them, empty: files of models have no weights."""
    values = program.graph_module.graph.tensor_values
    state, constants = {}, {}
    for spec in program.graph_module.signature.input_specs:
        kind, inner = spec.type, spec.value
        if kind not in ("parameter", "buffer", "tensor_constant"):
            continue
        meta = values[inner.arg.name]
        size = [dim.value for dim in meta.sizes]
        stride = [dim.value for dim in meta.strides]
        dtype = serialize._SERIALIZE_TO_TORCH_DTYPE[meta.dtype]
        tensor = torch.empty_strided(size, stride, dtype=dtype, device="meta")
        if kind == "parameter":
            state[inner.parameter_name] = torch.nn.Parameter(tensor, requires_grad=meta.requires_grad)
        elif kind == "buffer" and inner.persistent:
            state[inner.buffer_name] = tensor
        elif kind == "buffer":
            constants[inner.buffer_name] = tensor
        else:
            constants[inner.tensor_constant_name] = tensor
    return state, constants


def register_containers(spec):
    """Classes of inputs and outputs that the model's library registers (ModelOutput, caches), as tuples with a context."""
    name = spec.get("type")
    if name is not None and name not in pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE:
        cls = type(name.rsplit(".", 1)[-1], (tuple,), {})
        pytree.register_pytree_node(
            cls,
            lambda value: (list(value), None),
            lambda values, _context, cls=cls: cls(values),
            serialized_type_name=name,
            to_dumpable_context=lambda context: context,
            from_dumpable_context=lambda context: context,
        )
    for child in spec.get("children_spec", []):
        register_containers(child)


def read_by_pytorch(text):
    program = serialize._bytes_to_dataclass(serialize.ExportedProgram, text)
    for entry in program.graph_module.module_call_graph:
        for spec in (entry.signature.in_spec, entry.signature.out_spec) if entry.signature else ():
            register_containers(json.loads(spec)[1])
    state, constants = placeholder_tensors(program)
    return serialize.ExportedProgramDeserializer().deserialize(program, state, constants)


def define_custom_operators(path):
    """Operators of models that PyTorch does not have, by the schemas of models/custom_ops.json."""
    schemas = json.loads(path.read_text())["schemas"] if path.exists() else {}
    libraries = []
    for schema in schemas.values():
        namespace, signature = schema.split("::", 1)
        libraries.append(torch.library.Library(namespace, "FRAGMENT"))
        libraries[-1].define(signature)
    return libraries  # which define as long as they live


def check_json(command, path, options):
    text = converted(command, path, "json", options)
    if not options and json.loads(text) != json.loads(gzip.decompress(path.read_bytes())):
        raise RuntimeError("the JSON differs")
    return read_by_pytorch(text)


def check_archive(command, path, options):
    before = torch.export.load(path)
    with tempfile.NamedTemporaryFile(suffix=".pt2") as out:
        out.write(converted(command, path, "pt2", options))
        out.flush()
        after = torch.export.load(out.name)
    for name, tensor in before.state_dict.items():
        if not torch.equal(tensor, after.state_dict[name]):
            raise RuntimeError(f"the weight {name} differs")
    return after


def graph_text(command, path, run):
    ended = subprocess.run(
        [command, "passes", path, "--to", "text", "--run", run], capture_output=True, check=True, text=True
    )
    return ended.stdout.strip()


def comparable(text):
    """The text of a graph without what the file does not tell: whether operands of a higher-order operator were a tuple or a list, and
    which elements of a result nobody takes (PyTorch's deserialiser takes them all, as `<name>_unused_<i>`)."""
    lines = (re.sub(r"\[num_users=\d+\] ", "", line.rstrip()) for line in text.strip().splitlines())
    return [
        line.replace(",)", ")").replace("[", "(").replace("]", ")") if "=torch.ops.higher_order." in line else line
        for line in lines
        if not re.match(r" *%\w+_unused_\d+ : = call_function\[target=operator.getitem\]", line)
    ]


def check_passes(command, path):
    """Yields each pass with what is wrong with what it made, None for nothing."""
    for run in PASSES:
        options = ["--run", run]
        try:
            text = converted(command, path, "json", options)
            after = read_by_pytorch(text)
            expected = graph_text(command, path, run)
            if comparable(str(after.graph)) != comparable(expected):
                raise RuntimeError("PyTorch reads another graph")
            if path.suffix == ".pt2" and not run.startswith(("move_to_device", "convert_dtype")):
                check_archive(command, path, options)
            yield run, None
        except Exception as error:  # noqa: BLE001: whatever PyTorch says of a file is what this shows
            yield run, error


def check_text(command, path):
    """The program as text, as JSON of that text, as PyTorch reads it: the graph of the file."""
    with tempfile.NamedTemporaryFile(suffix=".py") as text:
        text.write(converted(command, path, "readable", []))
        text.flush()
        after = read_by_pytorch(converted(command, text.name, "json", []))
    expected = converted(command, path, "fx", []).decode()
    for said, wanted in zip_longest(comparable(str(after.graph)), comparable(expected)):
        if said != wanted:
            raise RuntimeError(f"PyTorch reads another graph: {said} for {wanted}")


def main_of_passes(command, paths, root):
    read = dict.fromkeys(PASSES, 0)
    count = 0
    for path in paths:
        count += 1
        for run, error in check_passes(command, path):
            if error is None:
                read[run] += 1
                continue
            first = (str(error).strip().splitlines() or [""])[0]
            print(f"{path.relative_to(root)}: {run}: {type(error).__name__}: {first[:300]}", flush=True)
    for run, of in read.items():
        print(f"{run}: {of} of {count} read")
    return 0 if all(of == count for of in read.values()) else 1


def main():
    options = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--passes", action="store_true")
    parser.add_argument("--text", action="store_true")
    given = parser.parse_args([a for a in sys.argv[1 : len(sys.argv) - len(options)] if a != "--"])
    libraries = define_custom_operators(given.models / "custom_ops.json")
    paths = [
        path
        for path in sorted(given.models.rglob("*"))
        if path.name.endswith((".json.gz", ".pt2")) and given.only in str(path)
    ]
    if given.passes:
        return main_of_passes(given.command.resolve(), paths, given.models)
    read, refused = 0, []
    for path in paths:
        check = {".pt2": check_archive, ".gz": check_json}[path.suffix]
        try:
            if given.text:
                check_text(given.command.resolve(), path)
            else:
                check(given.command.resolve(), path, options)
            read += 1
        except Exception as error:  # noqa: BLE001: whatever PyTorch says of a file is what this shows
            first = (str(error).strip().splitlines() or [""])[0]
            refused.append(path)
            print(f"{path.relative_to(given.models)}: {type(error).__name__}: {first[:300]}", flush=True)
    del libraries
    print(f"{read} read, {len(refused)} not")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
