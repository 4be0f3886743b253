#!/usr/bin/env python3
"""Asks an installed PyTorch new questions of the kinds symbolic/calls-* and symbolic/ops-*: record_symbolic.py OUT --from FILE... [OPTION]...

  python scripts/record_symbolic.py /tmp/new/symbolic --from tests/conformance/data/symbolic/ops-*.gz --count 500 --seed 7
  python scripts/record_symbolic.py /tmp/again --from tests/conformance/data/symbolic/calls-cat.jsonl.gz --unchanged   # the same questions
  python3 tests/conformance/replay.py new build/bin/faketensor --data /tmp/new   # what faketensor answers otherwise (OUT: /tmp/new/symbolic)

Run it with the Python of the PyTorch to ask. Per file it makes COUNT vectors: each starts from a recorded one and changes what its symbols
stand for: sizes, marks and constraints of the inputs, settings, dtypes, and plain or symbolic integers among the arguments. Marks,
constraints, settings and dtypes are drawn from the other vectors of the file, so that the kinds of questions stay in proportion.

A vector is kept when PyTorch answers the same under two seeds of Python's hash; calls that crash PyTorch are left out, and of those that
merely became errors only a share. --unchanged asks the recorded questions again and prints what PyTorch answers otherwise.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import copy
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

import torch
from record_conformance import Reader, Writer, overload, rows, target, write
from sympy.logic.boolalg import BooleanAtom
from torch._dispatch.python import enable_python_dispatcher
from torch._dynamo.source import LocalSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext, StrictMinMaxConstraint
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

ERROR_SHARE = 0.12
SIZES = (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24)
CRASHES = {"AttributeError", "KeyError", "NameError", "UnboundLocalError", "AssertionError", "RecursionError", "TimeoutError", "TypeError", "NotImplementedError"}
SECONDS_PER_CALL = 20
OF_MODE = {"export": {"allow_non_fake_inputs": True, "export": True}}
OF_SHAPE_ENV = {
    "default": {},
    "export": {"trace_asserts": True},
    "export_deferred": {"trace_asserts": True, "prefer_deferred_runtime_asserts_over_guards": True},
    "compile": {"allow_scalar_outputs": True, "allow_dynamic_output_shape_ops": True},
    "compile_partial": {"allow_scalar_outputs": False, "allow_dynamic_output_shape_ops": False},
    "no_specialize": {"specialize_zero_one": False},
    "no_duck": {"duck_shape": False},
}


# --- one call, asked of PyTorch (in a process of its own for each hash seed) ---


class Question(Reader):
    """A fresh mode with the inputs of a vector, made in order."""

    def __init__(self, vector):
        self.vector = vector
        name = vector["settings"].removesuffix("+dispatcher")
        self.env = ShapeEnv(**OF_SHAPE_ENV[name])
        super().__init__(FakeTensorMode(shape_env=self.env, **OF_MODE.get(name.removesuffix("_deferred"), {})))
        FakeTensorMode.cache_clear()
        self.by_source = {}
        for given in vector["inputs"]:
            self.make(given)

    def make(self, given):
        source = LocalSource(given["source"][3:-2])
        if "int" in given:
            symbol = self.env.create_symbol(given["int"], source, dynamic_dim=DimDynamic.DYNAMIC)
            self.by_source[given["source"]] = self.env.create_symintnode(symbol, hint=given["int"], source=source)
            return
        constraints = [ends and StrictMinMaxConstraint(warn_only=False, vr=ValueRanges(*map(range_end, ends))) for ends in given.get("constraints", [])]
        context = StatelessSymbolicContext(
            dynamic_sizes=[DimDynamic[mark] for mark in given["dynamic"]], **({"constraint_sizes": constraints} if constraints else {})
        )
        fake = self.mode.from_tensor(real_tensor(given), source=source, symbolic_context=context)
        if "t" in given:
            self.tensors[given["t"]] = fake
        for dim, size in enumerate(fake.size()):
            self.by_source[f"{given['source']}.size()[{dim}]"] = size

    def value(self, v):
        if isinstance(v, dict) and "sym" in v:
            names = {name: self.by_source[source] for name, source in self.vector["sources"].items() if name in v["sym"]}
            return eval(v["sym"], {"Mod": lambda a, b: a % b, "Max": torch.sym_max, "Min": torch.sym_min, **names})
        return super().value(v)

    def tensor(self, v):
        return self.tensors[v["t"]]


def range_end(end):
    return int_oo if end == "int_oo" else -int_oo if end == "-int_oo" else end


def real_tensor(given):
    dtype = getattr(torch, given["dtype"])
    elements = given["offset"] + (1 + sum((n - 1) * s for n, s in zip(given["size"], given["stride"])) if 0 not in given["size"] else 0)
    return torch.empty(0, dtype=dtype).set_(torch.zeros(elements, dtype=dtype).untyped_storage(), given["offset"], given["size"], given["stride"])


def symbols(env):
    described = []
    for symbol in sorted(env.var_to_range, key=lambda s: (re.sub(r"\d", "", s.name), int(re.sub(r"\D", "", s.name)))):
        hint = env.backed_var_to_val.get(symbol)
        sources = list(dict.fromkeys(source.name if isinstance(source.name, str) else source.name() for source in env.var_to_sources.get(symbol, [])))
        is_float = symbol.name.startswith("z")
        entry = {"name": symbol.name, "hint": None if hint is None else float(hint) if is_float else int(hint), "range": range_of(env, symbol)}
        marks = {"size_like": symbol in env.size_like, "input": symbol in env.unbacked_inputs}
        marks["unspecified"] = hint is not None and not is_float and not symbol.is_positive
        entry |= {"source": sources[0] if len(sources) == 1 else sources} if sources and hint is not None else {}
        described.append(entry | ({"kind": "float"} if is_float else {}) | {mark: True for mark, holds in marks.items() if holds})
    return described


def range_of(env, symbol):
    def end(e):
        text = str(e)
        if text in ("int_oo", "-int_oo"):
            return text
        if text in ("oo", "-oo"):
            return {"f": text.replace("oo", "inf")}
        return e in (True, 1) if isinstance(e, (bool, BooleanAtom)) else float(e) if symbol.name.startswith("z") else int(e)

    ends = env.var_to_range[symbol]
    return [end(ends.lower), end(ends.upper)]


def number(expression):
    return int(expression) if expression.is_Integer else str(expression)


def state(env):
    """What is compared before and after a call."""
    return {
        "guards": [(str(g.expr), g.size_oblivious) for g in env.guards],
        "deferred": {str(symbol): [str(a.expr) for a in asserts] for symbol, asserts in env.deferred_runtime_asserts.items()},
        "replacements": {s.name: number(e) for s, e in env.replacements.items()},
        "ranges": {s.name: range_of(env, s) for s in env.var_to_range},
        "size_like": sorted(s.name for s in env.size_like),
        "divisible": [str(e) for e in env.divisible],
        "symbols": symbols(env),
    }


def added(before, after):
    guards = after["guards"][len(before["guards"]) :]
    known = {s["name"] for s in before["symbols"]}
    new = {name: text for name in ("replacements", "ranges") if (text := {k: v for k, v in after[name].items() if before[name].get(k) != v and (name != "ranges" or k in known)})}
    deferred = {symbol: recent for symbol, all_of in after["deferred"].items() if (recent := all_of[len(before["deferred"].get(symbol, [])) :])}
    parts = {
        "guards": [text for text, _ in guards],
        "deferred": deferred,
        **{name: dict(sorted(content.items())) for name, content in new.items()},
        "new_symbols": [s for s in after["symbols"] if s["name"] not in known],
        "size_like": [s for s in after["size_like"] if s in known and s not in before["size_like"]],
        "divisible": [e for e in after["divisible"] if e not in before["divisible"]],
        "size_oblivious_guards": [i for i, (_, oblivious) in enumerate(guards) if oblivious],
    }
    return {name: content for name, content in parts.items() if content}


def without_advice(message):
    message = re.split(r"\n+(?:Caused by|For more information|User Stack|For C\+\+ stack trace|Exception raised from|To fix the error)", message)[0]
    return re.sub(r"( at)? 0x[0-9a-f]+", "", message).rstrip("\n")


class SymbolicWriter(Writer):
    """A size that is known by now is written as a number."""

    def value(self, v):
        written = super().value(v)
        return int(written["sym"]) if isinstance(v, torch.SymInt) and re.fullmatch(r"-?\d+", written["sym"]) else written

    def tensor(self, t):
        return plain_numbers(super().tensor(t))


def plain_numbers(described):
    plain = lambda n: int(n) if isinstance(n, str) and re.fullmatch(r"-?\d+", n) else n
    return {k: plain(v) if k in ("offset", "nbytes") else [plain(n) for n in v] if k in ("size", "stride") else v for k, v in described.items()}


def facts(tensor):
    return [*tensor.size(), *tensor.stride(), tensor.storage_offset(), tensor.untyped_storage().nbytes(), tensor.dtype]


def unchanged(before, after):
    """Not asked with ==, which would guard."""
    expression = lambda v: v.node.expr if isinstance(v, torch.SymInt) else v
    return len(before) == len(after) and all(expression(a) == expression(b) for a, b in zip(before, after))


def ask(vector):
    question, writer = Question(vector), SymbolicWriter()
    for n, tensor in sorted(question.tensors.items()):
        writer.name(tensor, n, n)
    before = {n: facts(t) for n, t in question.tensors.items()}
    told = lambda v: writer.tensor(question.tensors[v["t"]]) if isinstance(v, dict) and "t" in v else [told(e) for e in v] if isinstance(v, list) else writer.value(question.value(v))
    answer = {"id": vector["id"], "settings": vector["settings"], "inputs": vector["inputs"], "env": symbols(question.env), "op": vector["op"]}
    answer |= {"args": told(vector["args"]), "kwargs": {k: told(v) for k, v in vector["kwargs"].items()}}
    args, kwargs = question.value(vector["args"]), {k: question.value(v) for k, v in vector["kwargs"].items()}
    start = state(question.env)
    dispatcher = enable_python_dispatcher() if vector["settings"].endswith("+dispatcher") else contextlib.nullcontext()
    try:
        with question.mode, dispatcher:
            result = overload(vector["op"])(*args, **kwargs)
    except Exception as error:
        return answer | {"raises": type(error).__name__, "message": without_advice(str(error)), "added": added(start, state(question.env))}
    end = state(question.env)  # before anything is written, which shortens chains of replacements
    answer["out"] = writer.value(result)
    changed = [writer.tensor(t) for n, t in sorted(question.tensors.items()) if not unchanged(before[n], facts(t))]
    return answer | ({"after": changed} if changed else {}) | {"added": added(start, end)}


def out_of_time(*_):
    raise TimeoutError


def answer_all():
    """Questions on stdin, answers on stdout, null for those that cannot be asked."""
    signal.signal(signal.SIGALRM, out_of_time)
    for line in sys.stdin:
        signal.alarm(SECONDS_PER_CALL)
        try:
            answer = ask(json.loads(line))
            text = json.dumps(answer, separators=(",", ":"))
        except Exception as error:
            text = json.dumps({"impossible": f"{type(error).__name__}: {error}"[:300]})
        signal.alarm(0)
        print(text, flush=True)


# --- new questions from recorded ones ---


class Maker:
    def __init__(self, vectors, seed):
        self.vectors, self.random = vectors, random.Random(seed)
        self.dtypes = collections.Counter(i["dtype"] for v in vectors for i in v["inputs"] if "dtype" in i)

    def question(self):
        base = self.random.choice(self.vectors)
        vector = copy.deepcopy(base)
        donor = self.random.choice(self.vectors)
        vector["settings"] = donor["settings"]
        if self.random.random() < 0.6:
            self.change_sizes(vector)
        if self.random.random() < 0.7:
            self.change_marks(vector, donor)
        if self.random.random() < 0.1:
            self.change_dtypes(vector)
        if self.random.random() < 0.3:
            vector["args"] = self.change_arguments(vector["args"], list(vector["sources"]))
        return vector

    def change_sizes(self, vector):
        """Equal sizes stay equal, mostly; strides keep their order."""
        values = {n for i in vector["inputs"] for n in i.get("size", [i.get("int")]) if n > 1}
        new = {n: self.random.choice(SIZES) for n in values if self.random.random() < 0.5}
        for given in vector["inputs"]:
            if "int" in given:
                given["int"] = max(2, new.get(given["int"], given["int"]))
                continue
            size = [self.random.choice(SIZES) if self.random.random() < 0.03 else new.get(n, n) for n in given["size"]]
            stride = strides_in_order(size, given["size"], given["stride"])
            if stride:
                given |= {"size": size, "stride": stride}

    def change_marks(self, vector, donor):
        marks = [mark for i in donor["inputs"] for mark in i.get("dynamic", [])] or ["DYNAMIC"]
        constrained = any("constraints" in i for i in donor["inputs"])
        for given in vector["inputs"]:
            if "int" in given:
                continue
            given.pop("constraints", None)
            given["dynamic"] = [self.random.choice(marks) for _ in given["size"]]
            if constrained and "UNBACKED" not in given["dynamic"] and given["size"]:
                given["constraints"] = [self.constraint(n, mark) for n, mark in zip(given["size"], given["dynamic"])]

    def constraint(self, hint, mark):
        if mark == "STATIC" or self.random.random() < 0.4:
            return None
        low = self.random.choice((hint, max(1, hint - 1), max(1, hint // 2), 1, 2 if hint > 1 else 1))
        return [low, self.random.choice(("int_oo", hint + self.random.randint(1, 20), max(2, 2 * hint)))]

    def change_dtypes(self, vector):
        names, weights = zip(*self.dtypes.items())
        for given in vector["inputs"]:
            if "dtype" in given and self.random.random() < 0.6:
                given["dtype"] = self.random.choices(names, weights)[0]

    def change_arguments(self, v, names):
        if isinstance(v, list):
            return [self.change_arguments(element, names) for element in v]
        if isinstance(v, dict) and "sym" in v and names and self.random.random() < 0.5:
            name, n = self.random.choice(names), self.random.randint(2, 4)
            forms = (name, f"{name} - 1", f"({name}//{n})", f"{n}*{name}", f"Mod({name}, {n})", f"Max({n}, {name})", f"(({name} + 1)//2)", f"-{name}")
            return {"sym": self.random.choice(forms)}
        if isinstance(v, int) and not isinstance(v, bool) and self.random.random() < 0.3:
            return self.random.choice((v + 1, v - 1, -v, 0, 1, 2, 3, v))
        return v


def strides_in_order(size, old_size, old_stride):
    """Strides without gaps in the order of the old ones; None where those were not without gaps."""

    def packed(sizes, order):
        strides, step = [0] * len(sizes), 1
        for dim in order:
            strides[dim], step = step, step * max(sizes[dim], 1)
        return strides

    order = sorted(reversed(range(len(old_size))), key=lambda dim: (old_stride[dim], old_size[dim] != 1))
    if any(a != b for n, a, b in zip(old_size, packed(old_size, order), old_stride) if n != 1):
        return None
    return packed(size, order)


def questions_of(path):
    """The questions of a file, with the place each symbol's name stands for."""
    for vector in rows(path)[1:]:
        unbacked = [f"{i['source']}.size()[{dim}]" for i in vector["inputs"] for dim, mark in enumerate(i.get("dynamic", [])) if mark == "UNBACKED"]
        sources = {s["name"]: s["source"] if isinstance(s["source"], str) else s["source"][0] for s in vector["env"] if "source" in s}
        sources |= {s["name"]: place for s, place in zip(sorted((s for s in vector["env"] if s.get("input")), key=lambda s: int(s["name"][1:])), unbacked)}
        yield {key: vector[key] for key in ("id", "settings", "inputs", "op", "args", "kwargs")} | {
            "sources": {name: place for name, place in sources.items() if ".item()" not in place}
        }


def answers(questions, seeds=("0", "1")):
    """Per question, PyTorch's answers under each hash seed."""
    text = "".join(json.dumps(q) + "\n" for q in questions).encode()
    here = [sys.executable, str(pathlib.Path(__file__).resolve()), "--answer"]
    running = [subprocess.Popen(here, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONHASHSEED": seed}) for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(len(running)) as pool:
        outputs = list(pool.map(lambda child: child.communicate(text)[0].decode().splitlines(), running))
    return zip(*([json.loads(line) for line in lines] for lines in outputs))


def differing(recorded, again):
    return [key for key in ("env", "args", "out", "raises", "message", "after", "added") if recorded.get(key) != again.get(key)]


def record_again(path, out):
    recorded, same, kept = rows(path)[1:], 0, []
    for vector, (answer, _) in zip(recorded, answers(list(questions_of(path)))):
        keys = ["impossible"] if "impossible" in answer else differing(vector, answer)
        same += not keys
        kept.append(answer)
        for key in keys:
            print(f"{vector['id']} {key}: {json.dumps(vector.get(key))} recorded, now {json.dumps(answer.get(key))}")
    write(out, [{"header": {"torch": torch.__version__, "target": target(), "kind": "symbolic operator vectors", "count": len(kept)}}, *kept])
    print(f"{out}: {same} of {len(recorded)} the same")


def record_new(path, out, count, seed):
    maker = Maker(list(questions_of(path)), f"{seed} {path.name}")
    asked = [{**maker.question(), "id": f"{path.name.split('.')[0]}-{seed}/{i}"} for i in range(count)]
    kept, left_out, errors = [], collections.Counter(), 0
    for first, second in answers(asked):
        reason = "cannot be made" if "impossible" in first else "crashes" if first.get("raises") in CRASHES else "depends on the hash seed" if first != second else None
        if reason is None and "raises" in first:
            errors += 1
            reason = "errors beyond their share" if errors > ERROR_SHARE * (len(kept) + 8) else None
            errors -= reason is not None
        left_out[reason] += 1
        kept += [first] if reason is None else []
    write(out, [{"header": {"torch": torch.__version__, "target": target(), "kind": "symbolic operator vectors", "count": len(kept)}}, *kept])
    print(f"{out}: {len(kept)} vectors; left out: {dict((k, n) for k, n in left_out.items() if k)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--from", dest="files", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--count", type=int, default=200, help="questions per file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--unchanged", action="store_true")
    given = parser.parse_args()
    for path in given.files:
        out = given.out / path.name
        record_again(path, out) if given.unchanged else record_new(path, out, given.count, given.seed)


if __name__ == "__main__":
    answer_all() if sys.argv[1:] == ["--answer"] else main()
