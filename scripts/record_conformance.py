#!/usr/bin/env python3
"""Asks an installed PyTorch the questions of tests/conformance/data again, or new ones: record_conformance.py OUT [OPTION]...

  python scripts/record_conformance.py /tmp/new                       # all operators and graphs of tests/conformance/data
  python scripts/record_conformance.py /tmp/new --only ops/pool       # files whose name holds a text
  python scripts/record_conformance.py /tmp/new --opinfo add,matmul   # new vectors, from the samples of PyTorch's own tests (all: '')

Run it with the Python of the PyTorch to ask. OUT gets files in the format that `faketensor answer` reads; then
`tests/conformance/compare.py tests/conformance/data OUT` prints what differs between the two PyTorch versions, and
`tests/conformance/replay.py NAME COMMAND --data OUT` what `faketensor` answers otherwise.

An operator is asked in a fresh FakeTensorMode without a ShapeEnv, each argument built bare from its metadata; a graph is run node by node
on fresh fakes of its placeholders, under no_grad, as tests/conformance/README.md says.
"""
import argparse
import contextlib
import functools
import gzip
import json
import logging
import math
import pathlib
import shutil
import sys

import torch
from torch._C import _functorch as functorch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._python_dispatch import TorchDispatchMode

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "conformance" / "data"
ENUMS = {"dtype": torch.dtype, "layout": torch.layout, "memory_format": torch.memory_format}
PER_OVERLOAD = 6


def rows(path):
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", compresslevel=9) as out:
        out.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def target():
    return f"{torch.__version__}, gpu: {torch.cuda.get_device_name() if torch.cuda.is_available() else 'none'}"


# --- values as JSON ---


class Writer:
    """Values to JSON; tensors and storages numbered by first appearance, or by the numbers they were built with."""

    def __init__(self):
        self.tensors, self.storages, self.kept = {}, {}, []

    @staticmethod
    def number(numbers, key):
        return numbers.setdefault(key, max(numbers.values(), default=-1) + 1)

    def name(self, tensor, number, storage):
        self.kept.append(tensor)
        self.tensors[id(tensor)] = number
        if storage is not None:
            self.storages[tensor.untyped_storage()._cdata] = storage

    def value(self, v):
        if isinstance(v, torch.Tensor):
            return self.tensor(v)
        if isinstance(v, (list, tuple)):
            return [self.value(element) for element in v]
        if isinstance(v, dict):
            return [self.value(element) for element in v.values()]
        if isinstance(v, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return {"sym": str(v), **({} if isinstance(v, torch.SymInt) else {"kind": type(v).__name__[3:].lower()})}
        if isinstance(v, float) and not math.isfinite(v):
            return {"f": str(v)}
        if isinstance(v, complex):
            return {"c": [self.value(v.real), self.value(v.imag)]}
        if isinstance(v, torch.device):
            return {"device": str(v)}
        if isinstance(v, torch.Generator):
            return {"generator": str(v.device)}
        for name, kind in ENUMS.items():
            if isinstance(v, kind):
                return {name: str(v).removeprefix("torch.")}
        return v if v is None or isinstance(v, (bool, int, float, str)) else {"py": repr(v)}

    def tensor(self, t):
        if functorch.is_batchedtensor(t):
            return self.batched(t)
        self.kept.append(t)
        described = {"t": self.number(self.tensors, id(t)), "size": dims(t.size())}
        strided = t.layout == torch.strided
        if strided:
            described |= {"stride": dims(t.stride()), "offset": dim(t.storage_offset())}
        described |= {"dtype": str(t.dtype).removeprefix("torch."), "device": str(t.device)}
        if strided:
            storage = t.untyped_storage()
            self.kept.append(storage)  # a tensor may leave its storage, whose address would be another's
            described |= {"storage": self.number(self.storages, storage._cdata), "nbytes": dim(storage.nbytes())}
        else:
            described |= {"layout": str(t.layout).removeprefix("torch."), **sparse_parts(t)}
        facts = {"requires_grad": t.requires_grad, "conj": t.is_conj(), "neg": t.is_neg()}
        return described | {name: True for name, holds in facts.items() if holds}


    def batched(self, t):
        """Inside vmap: what its user sees, on the storage of the value that hides the batch."""
        value = t
        while functorch.is_batchedtensor(value):
            value = functorch.get_unwrapped(value)
        storage = value.untyped_storage()
        self.kept += [t, value, storage]
        seen = {"t": self.number(self.tensors, id(t)), "size": dims(t.size()), "stride": dims(t.stride()), "offset": dim(value.storage_offset())}
        seen |= {"dtype": str(t.dtype).removeprefix("torch."), "device": str(t.device)}
        seen |= {"storage": self.number(self.storages, storage._cdata), "nbytes": dim(storage.nbytes())}
        return seen | {name: True for name, holds in (("conj", t.is_conj()), ("neg", t.is_neg())) if holds}


def dim(n):
    """A size as JSON: a symbolic one that has become a number is that number."""
    known = n if isinstance(n, int) else n.node.maybe_as_int()
    return str(n) if known is None else known


def dims(sizes):
    return [dim(n) for n in sizes]


def sparse_parts(t):
    if t.layout == torch.sparse_coo:
        parts = {"sparse_dim": t.sparse_dim(), "dense_dim": t.dense_dim(), "nnz": t._nnz()}
        return parts | ({"coalesced": True} if t.is_coalesced() else {})
    if t.layout not in (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc):
        return {}
    by_row = t.layout in (torch.sparse_csr, torch.sparse_bsr)
    index = t.crow_indices() if by_row else t.ccol_indices()
    parts = {"sparse_dim": t.sparse_dim(), "dense_dim": t.dense_dim(), "nnz": t._nnz()}
    if index.dtype != torch.int64:
        parts["index_dtype"] = str(index.dtype).removeprefix("torch.")
    if t.layout in (torch.sparse_bsr, torch.sparse_bsc):
        first = index.dim()
        parts["blocksize"] = list(t.values().shape[first : first + 2])
    return parts


class Reader:
    """JSON to values: tensors become fakes of a mode, bare, on the storages that their numbers say."""

    def __init__(self, mode):
        self.mode, self.tensors, self.storages, self.described = mode, {}, {}, {}

    def value(self, v):
        if isinstance(v, list):
            return [self.value(element) for element in v]
        if not isinstance(v, dict):
            return v
        if "t" in v:
            return self.tensor(v)
        ((key, content),) = v.items()
        if key in ENUMS:
            return getattr(torch, content)
        readers = {"device": torch.device, "generator": torch.Generator, "f": float, "c": lambda parts: complex(*map(self.value, parts))}
        return readers[key](content)

    def tensor(self, v):
        if v["t"] not in self.tensors:
            fake = FakeTensor(self.mode, self.meta_tensor(v), torch.device(v["device"]))
            fake.requires_grad_(v.get("requires_grad", False))
            self.tensors[v["t"]], self.described[v["t"]] = fake, v
        return self.tensors[v["t"]]

    def meta_tensor(self, v):
        dtype = getattr(torch, v["dtype"])
        if v.get("layout", "strided") != "strided":
            return sparse_tensor(v, dtype)
        storage = v["storage"]
        if storage not in self.storages:
            self.storages[storage] = torch.UntypedStorage(v["nbytes"], device="meta")
        made = torch.empty(0, dtype=dtype, device="meta").set_(self.storages[storage], v["offset"], v["size"], v["stride"])
        torch._C._set_conj(made, v.get("conj", False))
        torch._C._set_neg(made, v.get("neg", False))
        return made


def sparse_tensor(v, dtype):
    size, nnz = v["size"], v.get("nnz", 0)
    index = functools.partial(torch.empty, dtype=getattr(torch, v.get("index_dtype", "int64")), device="meta")
    values = functools.partial(torch.empty, dtype=dtype, device="meta")
    if v["layout"] == "sparse_coo":
        indices = index((v["sparse_dim"], nnz))
        return torch.sparse_coo_tensor(indices, values((nnz, *size[v["sparse_dim"] :])), size, is_coalesced=v.get("coalesced", False), check_invariants=False)
    batch, block = size[: len(size) - 2 - v["dense_dim"]], v.get("blocksize", [])
    compressed_dim = len(batch) + (v["layout"] in ("sparse_csc", "sparse_bsc"))
    compressed = size[compressed_dim] // (block[compressed_dim - len(batch)] if block else 1)
    dense = size[len(size) - v["dense_dim"] :]
    layout = getattr(torch, v["layout"])
    return torch.sparse_compressed_tensor(index((*batch, compressed + 1)), index((*batch, nnz)), values((*batch, nnz, *block, *dense)), size, layout=layout, check_invariants=False)


# --- operators ---


def overload(name):
    space, rest = name.split("::")
    operator, variant = rest.split(".")
    return getattr(getattr(getattr(torch.ops, space), operator), variant)


def ask(vector):
    """The vector with this PyTorch's answer."""
    answer = {key: vector[key] for key in ("id", "op", "args", "kwargs") if key in vector}
    operator = overload(vector["op"])
    mode, writer = FakeTensorMode(), Writer()
    reader = Reader(mode)
    args, kwargs = reader.value(vector.get("args", [])), {k: reader.value(v) for k, v in vector.get("kwargs", {}).items()}
    for number, tensor in reader.tensors.items():
        writer.name(tensor, number, reader.described[number].get("storage"))
    before = {number: writer.tensor(tensor) for number, tensor in reader.tensors.items()}
    try:
        with mode:
            answer["out"] = writer.value(operator(*args, **kwargs))
    except Exception as error:
        return answer | {"raises": type(error).__name__, "message": str(error)}
    after = {number: writer.tensor(tensor) for number, tensor in reader.tensors.items()}
    changed = [after[number] for number in after if after[number] != before[number]]
    return answer | ({"after": changed} if changed else {})


def needs_cuda(vector):
    return '"cuda' in json.dumps(vector)


def record_operators(path, out):
    header, *vectors = rows(path)
    answers, skipped = [], 0
    for vector in vectors:
        if torch.version.cuda is None and needs_cuda(vector):
            skipped += 1  # such a build ends the process
            continue
        try:
            answers.append(ask(vector))
        except (AttributeError, RuntimeError, AssertionError, NotImplementedError) as error:
            skipped += 1  # an operator, dtype or device that this build does not have
            logging.info("%s: %s", vector["id"], error)
    write(out, [{"header": {**header["header"], "torch": torch.__version__, "target": target(), "count": len(answers)}}, *answers])
    print(f"{out}: {len(answers)} vectors" + (f", {skipped} that this build cannot ask" if skipped else ""))


# --- new vectors from OpInfo ---


class Capture(TorchDispatchMode):
    """Notes the calls that reach the dispatcher, a few of each overload."""

    def __init__(self):
        super().__init__()
        self.calls = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.note(func, args, kwargs or {})
        return func(*args, **(kwargs or {}))

    def note(self, func, args, kwargs):
        name = f"{func.namespace}::{func._opname}.{func._overloadname}"
        known = self.calls.setdefault(name, [])
        writer = Writer()
        call = json.dumps({"args": writer.value(args), "kwargs": {k: writer.value(v) for k, v in kwargs.items()}})
        if len(known) < PER_OVERLOAD and call not in known and '"py"' not in call:
            known.append(call)


def opinfo_vectors(names):
    from torch.testing._internal.common_methods_invocations import op_db

    capture = Capture()
    for info in op_db:
        if names and info.name not in names:
            continue
        for dtype in sorted(info.supported_dtypes("cpu"), key=str):
            for sample in info.sample_inputs("cpu", dtype):
                with contextlib.suppress(Exception), capture:
                    info(sample.input, *sample.args, **sample.kwargs)
    return [{"id": f"{name.split('::')[1]}/{i}", "op": name, **json.loads(call)} for name, calls in sorted(capture.calls.items()) for i, call in enumerate(calls)]


# --- graphs ---


def load_program(path):
    """(graph module, whether it has symbols) of a .pt2 archive or of the JSON inside one."""
    if path.suffix == ".pt2":
        program = torch.export.load(path)
        return program.graph_module, bool(program.range_constraints)
    from torch._export.serde import schema, serialize

    text = json.loads(gzip.decompress(path.read_bytes()))
    text["graph_module"]["module_call_graph"] = []  # names the Python classes of inputs and outputs, which need not be installed
    serialized = serialize._dict_to_dataclass(schema.ExportedProgram, text)
    ranges = {
        name: torch.utils._sympy.value_ranges.ValueRanges(
            serialize._int_to_sympy_int(bounds.min_val, -serialize.int_oo), serialize._int_to_sympy_int(bounds.max_val, serialize.int_oo)
        )
        for name, bounds in serialized.range_constraints.items()
    }
    result = serialize.GraphModuleDeserializer().deserialize(serialized.graph_module, b"", b"", None, ranges)
    return result.graph_module, bool(ranges)


class Recorder(torch.fx.Interpreter):
    """Runs a graph and notes what each node was when it had run."""

    def __init__(self, module):
        super().__init__(module)
        self.writer, self.lines = Writer(), []

    def run_node(self, node):
        try:
            value = super().run_node(node)
        except Exception as error:
            self.lines.append({"name": node.name, "raises": type(error).__name__, "message": str(error).split("\n\nWhile executing")[0]})
            raise
        if node.op != "get_attr":
            self.lines.append({"name": node.name, "val": self.writer.value(value)})
        return value


def fresh_input(node, mode, override):
    value = node.meta["val"]
    if isinstance(value, torch.SymInt) or not isinstance(value, torch.Tensor):
        return value
    size, stride, dtype, device = value.size(), value.stride(), value.dtype, value.device
    if override:
        size, stride = override["size"], override["stride"]
        dtype, device = getattr(torch, override["dtype"]), override["device"]
    with mode:
        return torch.empty_strided(size, stride, dtype=dtype, device=device)


def record_graph(path, out):
    header = rows(path)[0]["header"]
    try:
        module, has_symbols = load_program(path.parent / header["graph"])
    except Exception as error:  # an operator that is not installed, a schema that this version does not read
        print(f"{out}: {header['graph']} cannot be loaded: {str(error)[:100]!r}")
        return
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    modes = [node.meta["val"].fake_mode for node in placeholders if isinstance(node.meta.get("val"), FakeTensor)]
    mode = FakeTensorMode(allow_fallback_kernels=False, shape_env=ShapeEnv(assume_static_by_default=True))
    if has_symbols and modes:
        mode = modes[0]
    mode.cache_enabled = False  # a cached answer forgets offsets, and depends on what ran before
    overrides = header.get("overrides", {}).get("inputs", {})
    inputs = [fresh_input(node, mode, overrides.get(node.name)) for node in placeholders]
    recorder = Recorder(module)
    dispatcher = torch._dispatch.python.enable_python_dispatcher() if header.get("python_dispatcher") else contextlib.nullcontext()
    with contextlib.suppress(Exception), mode, torch.no_grad(), dispatcher:
        recorder.run(*inputs)
    while functorch.maybe_current_level():  # an error inside vmap leaves it entered
        functorch._vmap_decrement_nesting()
    out.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path.parent / header["graph"], out.parent / header["graph"])
    write(out, [{"header": {**header, "torch": torch.__version__, "target": target(), "values": len(recorder.lines)}}, *recorder.lines])
    print(f"{out}: {len(recorder.lines)} values")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=DATA, help="what to ask again")
    parser.add_argument("--only", default="", help="a part of the files' names")
    parser.add_argument("--opinfo", help="make new vectors from the samples of these operators instead, or of all ('')")
    args = parser.parse_args()
    for name in ("torch._subclasses.fake_tensor", "torch.export"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with contextlib.suppress(ImportError):
        import torchvision  # noqa: F401 -- registers its operators
    if args.opinfo is not None:
        vectors = opinfo_vectors(set(filter(None, args.opinfo.split(","))))
        questions = args.out / "ops" / "opinfo.jsonl.gz"
        write(questions, [{"header": {"kind": "ops", "family": "opinfo"}}, *vectors])
        return record_operators(questions, questions)
    for path in sorted(args.data.rglob("*.jsonl.gz")):
        name = str(path.relative_to(args.data))
        record = {"ops": record_operators, "models": record_graph}.get(name.split("/")[0])
        if args.only in name and record is not None:
            record(path, args.out / name)


if __name__ == "__main__":
    sys.exit(main())
