#!/usr/bin/env python3
"""Exports models anew with other sizes, dtypes and devices, and records what every node is then: record_whatif.py OUT [OPTION]...

  python scripts/record_whatif.py /tmp/whatif                                        # the models of tests/conformance/whatif_models.py
  python scripts/record_whatif.py /tmp/zoo --models tests/conformance/whatif_zoo.py  # of other packages, as far as they are installed
  python scripts/record_whatif.py /tmp/zoo --models FILE --only bert

Run it with the Python of the PyTorch to ask. A build without CUDA cannot be asked about `cuda` and `all`: they are left out, and said so.
OUT gets a folder per model, in the format of tests/conformance/GRAPHS.md (What-ifs).

A file of models has `MODELS`: {name: {"make": a function that returns the module, "inputs": {name: (dtype, dimension...)}, "sizes": {name: number}}}.
A dimension is a number, a name of `sizes`, or a sum of names. The names `batch`, `seq`, `height` and `width` are what the settings change;
the other names are only symbols of the dynamic program.

An export on a GPU needs none: parameters, buffers and inputs are fake tensors on cuda:0, all other tensors stay where the model made them.
"""
import argparse
import contextlib
import gzip
import importlib.util
import io
import json
import logging
import operator
import pathlib
import re
import sys
import tempfile
import traceback
import unittest.mock
import warnings

import torch
from record_conformance import Recorder, fresh_input, load_program, target, write
from torch._export.serde import serialize
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.export import Dim
from torch.fx.experimental.symbolic_shapes import ShapeEnv

MODELS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "conformance" / "whatif_models.py"
# What a setting makes of the example's size. They are odd or far apart, so that a size is not another's by chance.
CHANGES = {
    "batch": {"batch": lambda n: max(n + 5, 7)},
    "seq": {"seq": lambda n: n + 8},
    "image": {"height": lambda n: n + 32, "width": lambda n: n + 64},
}
BFLOAT16, CUDA = {"dtype": torch.bfloat16}, {"device": "cuda"}
SETTINGS = {
    "static": {"batch": {}, "seq": {}, "image": {}, "bf16": BFLOAT16, "cuda": CUDA, "all": {"sizes": "batch", **BFLOAT16, **CUDA}},
    "static_b1": {"batch": {}, "all": {"sizes": "batch", **BFLOAT16, **CUDA}},
    "dynamic": {"bf16": BFLOAT16, "cuda": CUDA},
}


# --- a model as it is exported ---


def size_of(dimension, sizes):
    return dimension if isinstance(dimension, int) else sum(sizes[name] for name in dimension.split("+"))


def example(spec, sizes, dtype):
    """Inputs of a model: zeros, but ones where they can be a mask."""
    inputs = {}
    for name, (kind, *dimensions) in spec["inputs"].items():
        kind = getattr(torch, kind)
        kind = dtype if dtype is not None and kind.is_floating_point else kind
        fill = torch.ones if "mask" in name or kind == torch.bool else torch.zeros
        inputs[name] = fill([size_of(d, sizes) for d in dimensions], dtype=kind)
    return inputs


def fake_on(mode, device, tensor):
    with mode:
        return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=device)


def move(model, inputs, device):
    """What `model.to(device)` moves, as fakes; a tensor that two modules share stays shared."""
    mode, moved = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv(tracked_fakes=[])), {}
    for module in model.modules():
        for held in (module._parameters, module._buffers):
            for name, tensor in held.items():
                if tensor is None:
                    continue
                if id(tensor) not in moved:
                    fake = fake_on(mode, device, tensor)
                    moved[id(tensor)] = torch.nn.Parameter(fake, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else fake
                held[name] = moved[id(tensor)]
        if isinstance(module, torch.nn.RNNBase):
            module._init_flat_weights()
    return {name: fake_on(mode, device, tensor) for name, tensor in inputs.items()}


def symbols(spec, symbol):
    made = {}
    return {
        name: {i: symbol(made, d) for i, d in enumerate(dimensions) if not isinstance(d, int)}
        for name, (_, *dimensions) in spec["inputs"].items()
    }


def named(made, dimension):
    return Dim.AUTO if "+" in dimension else made.setdefault(dimension, Dim(dimension))


def export(spec, sizes, dynamic=False, dtype=None, device=None):
    torch.manual_seed(0)
    model = spec["make"]().eval()
    if dtype is not None:
        model = model.to(dtype)
    inputs = example(spec, sizes, dtype)
    if device is not None:
        inputs = move(model, inputs, device)
    run = lambda shapes: torch.export.export(model, (), inputs, dynamic_shapes=shapes, strict=False)  # noqa: E731
    if not dynamic:
        return run(None)
    try:
        return run(symbols(spec, named))
    except Exception:  # dimensions that depend on each other, or have a bound: which, the export itself finds out
        return run(symbols(spec, lambda made, dimension: Dim.AUTO))


# --- the program and what its nodes are ---


def cleaned(trace, every_line):
    """A stack trace without this machine's folders, and unless `every_line`, with no text of other packages' sources."""

    def frame(match):
        path, rest, text = match.groups()
        package = re.search(r"site-packages/.*", path)
        path = package.group() if package else f"model/{pathlib.Path(path).name}"
        return f'File "{path}"{rest}' + (text if every_line or not package else "")

    return re.sub(r'File "([^"\n]*)"(, line \d+, in [^\n]*)((?:\n(?!\s*File ")[^\n]*)*)', frame, trace)


def program_json(program, every_line):
    """The JSON that torch.export.save would put into an archive; its weights are not asked for, as fakes have none."""
    with unittest.mock.patch.object(serialize, "serialize_torch_artifact", lambda *args, **kwargs: b""):
        serialized = serialize.ExportedProgramSerializer().serialize(program)
    text = json.loads(json.dumps(serialize._dataclass_to_dict(serialized.exported_program), cls=serialize.EnumEncoder))
    clean_traces(text["graph_module"]["graph"], every_line)
    return text


def clean_traces(graph, every_line):
    for node in graph["nodes"]:
        if "stack_trace" in node["metadata"]:
            node["metadata"]["stack_trace"] = cleaned(node["metadata"]["stack_trace"], every_line)
        for argument in node["inputs"]:
            if "as_graph" in argument["arg"]:
                clean_traces(argument["arg"]["as_graph"]["graph"], every_line)


def brief(value):
    if isinstance(value, dict) and "size" in value:
        return [value["size"], value.get("stride"), value["dtype"], value["device"]]
    return [brief(v) for v in value] if isinstance(value, list) else None


def nodes_of(text):
    """[name, target, value] of each node as FakeTensorProp gives it on the program read back, and the names of the outputs."""
    with tempfile.NamedTemporaryFile(suffix=".json.gz") as file:
        file.write(gzip.compress(json.dumps(text).encode(), 1))
        file.flush()
        module, has_symbols = load_program(pathlib.Path(file.name))
    nodes = {node.name: node for node in module.graph.nodes}
    placeholders = [node for node in nodes.values() if node.op == "placeholder"]
    modes = [node.meta["val"].fake_mode for node in placeholders if isinstance(node.meta.get("val"), FakeTensor)]
    mode = FakeTensorMode(allow_fallback_kernels=False, shape_env=ShapeEnv(assume_static_by_default=True))
    mode = modes[0] if has_symbols and modes else mode
    mode.cache_enabled = False
    recorder = Recorder(module)
    with mode, torch.no_grad(), torch._dispatch.python.enable_python_dispatcher():
        recorder.run(*[fresh_input(node, mode, None) for node in placeholders])
    outputs = [argument.get("as_tensor", {}).get("name") for argument in text["graph_module"]["graph"]["outputs"]]
    return [[line["name"], kind(nodes[line["name"]]), brief(line["val"])] for line in recorder.lines if line["name"] != "output"], outputs


def kind(node):
    if node.op == "placeholder":
        return "placeholder"
    return "getitem" if node.target is operator.getitem else str(node.target)


# --- settings ---


def options(spec, old, new, change):
    sizes = [
        f"{name}.{i}={size_of(d, new)}"
        for name, (_, *dimensions) in spec["inputs"].items()
        for i, d in enumerate(dimensions)
        if size_of(d, old) != size_of(d, new)
    ]
    flags = {"dtype": "bfloat16", "device": "cuda"}
    return [word for size in sizes for word in ("--set", size)] + [word for flag, value in flags.items() if flag in change for word in (f"--{flag}", value)]


def changed_sizes(sizes, setting, change):
    changes = CHANGES.get(change.get("sizes", setting), {})
    return {name: changes[name](n) if name in changes else n for name, n in sizes.items()}


def only_outputs(base_outputs, nodes, outputs):
    """Of an export with other nodes the outputs, under the names that the first export's outputs have."""
    values = {name: (target, value) for name, target, value in nodes}
    pairs = [(old, new) for old, new in zip(base_outputs, outputs) if old and new in values]
    return [[old, *values[new]] for old, new in pairs]


@contextlib.contextmanager
def autocast_as_with_a_gpu():
    """Without a GPU `torch.autocast("cuda")` switches itself off, which no export on one does."""
    with unittest.mock.patch("torch.cuda.amp.common.amp_definitely_not_available", lambda: False), unittest.mock.patch("torch.cuda.is_bf16_supported", lambda *args: True):
        yield


def record_setting(spec, variant, sizes, base, setting, change, every_line):
    new = changed_sizes(sizes, setting, change)
    if not change and new == sizes:
        return None
    asked = {key: value for key, value in change.items() if key != "sizes"}
    with autocast_as_with_a_gpu() if "device" in asked else contextlib.nullcontext():
        nodes, outputs = nodes_of(program_json(export(spec, new, variant == "dynamic", **asked), every_line))
    base_nodes, base_outputs = base
    same = [node[:2] for node in nodes] == [node[:2] for node in base_nodes]
    if not same and (variant == "dynamic" or len(outputs) != len(base_outputs)):
        return None  # its symbols, or its outputs, cannot be told apart by name
    row = {"options": options(spec, sizes, new, change), "same": same, "nodes": nodes if same else only_outputs(base_outputs, nodes, outputs)}
    return row | {"outputs": base_outputs}


def reason(error):
    return f"{type(error).__name__}: {str(error).strip()[:110]!r}"


def record_variant(name, spec, variant, out, every_line):
    sizes = spec["sizes"] | ({"batch": 1} if variant == "static_b1" else {})
    program = program_json(export(spec, sizes, variant == "dynamic"), every_line)
    base = nodes_of(program)
    rows, left_out = [], []
    for setting, change in SETTINGS[variant].items():
        if "device" in change and torch.version.cuda is None:
            left_out.append(f"{setting} (a build without CUDA)")
            continue
        try:
            row = record_setting(spec, variant, sizes, base, setting, change, every_line)
        except Exception as error:
            logging.info("%s", traceback.format_exc())
            left_out.append(f"{setting} ({reason(error)})")
            continue
        if row is not None:
            rows.append({"id": f"{name}/{variant}/{setting}", **row})
    header = {"torch": torch.__version__, "target": target(), "kind": "retarget", "program": f"{variant}.json.gz", "base": base[0]}
    if rows:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{variant}.json.gz").write_bytes(packed(json.dumps(program, separators=(",", ":"))))
        write(out / f"{variant}.answers.jsonl.gz", [{"header": header}, *rows])
    settings = ", ".join(row["id"].split("/")[-1] + ("" if row["same"] else " (other nodes)") for row in rows)
    print(f"{name}/{variant}: {len(base[0])} nodes; {settings or 'nothing'}" + (f"; left out: {'; '.join(left_out)}" if left_out else ""), flush=True)


def packed(text):
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=9, mtime=0) as out:
        out.write(text.encode())
    return file.getvalue()


def models_of(path):
    loading = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(loading)
    sys.modules[path.stem] = module
    loading.loader.exec_module(module)
    return module.MODELS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path, default=MODELS, help="a file of models")
    parser.add_argument("--only", default="", help="parts of the models' names, with commas; =NAME: that model")
    parser.add_argument("--every-line", action="store_true", help="keep the text of other packages' lines in stack traces: not for files that are published")
    parser.add_argument("--variants", default=",".join(SETTINGS), help="some of static,static_b1,dynamic")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO if args.verbose else logging.CRITICAL)
    warnings.simplefilter("ignore")
    for name in ("torch._subclasses.fake_tensor", "torch.export"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    for name, spec in models_of(args.models.resolve()).items():
        if not any(f"={name}" == part or part in name for part in args.only.split(",")):
            continue
        for variant in args.variants.split(","):
            try:
                record_variant(name, spec, variant, args.out / name, args.every_line)
            except Exception as error:
                logging.info("%s", traceback.format_exc())
                print(f"{name}/{variant}: not recorded: {reason(error)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
