#!/usr/bin/env python3
"""Runs transcripts of sessions in an installed PyTorch and notes what each step answered: record_sessions.py OUT [OPTION]...

  python scripts/record_sessions.py /tmp/new                                # all of tests/conformance/data/sessions again
  python scripts/record_sessions.py /tmp/new --data FILE_OR_FOLDER          # those of another file or folder
  python scripts/record_sessions.py /tmp/new --data FILE --kept             # only those whose answers are the recorded ones

Run it with the Python of the PyTorch to ask and a fixed PYTHONHASHSEED. A transcript is a list of steps (tests/conformance/README.md;
`core/replay/session_runner.h` is the same in C++): modes, tensors, calls of operators, guards, questions to a ShapeEnv. Each step is
written with its result or the error it raised, and with what it added to the ShapeEnv of the newest mode that has one. Steps that name a
value never made, because its step raised, are left out. What needs a CUDA build or a real GPU cannot be asked.

`--kept` is for new transcripts (scripts/generate_sessions.py): PyTorch orders some sets by hash, so only a transcript that answers the
same under a second PYTHONHASHSEED says something about PyTorch.
"""
import argparse
import builtins
import contextlib
import copy
import dataclasses
import io
import json
import logging
import math
import operator
import pathlib
import re
import signal
import sys

import sympy
import torch
import torch.fx.experimental.symbolic_shapes as symbolic_shapes
from record_conformance import Reader, Writer, overload, rows, target, write
from sympy.logic.boolalg import BooleanAtom
from torch._dynamo.source import LocalSource
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
from torch.utils._sympy.numbers import IntInfinity, NegativeIntInfinity
from torch.utils._sympy.value_ranges import ValueRanges

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "conformance" / "data" / "sessions"
ANSWERED = ("result", "raises", "message", "added")
SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)
SECONDS_PER_TRANSCRIPT = 60
# What follows in a message depends on where and how PyTorch was called.
ADVICE = ("\nCaused by", "\n\nCaused by", "\n\nFor more information", "\n\nTo fix the error", "\n\nThe following call", "\nFor more information", " (see full", "\n\nUser Stack", "\n\nWhile executing")
FUNCTIONS = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "floordiv", "mod", "pow", "neg", "abs", "eq", "ne", "lt", "le", "gt", "ge", "truediv", "lshift", "rshift")},
    **{"max": torch.sym_max, "min": torch.sym_min, "and": operator.and_, "or": operator.or_, "not": torch.sym_not, "bitand": operator.and_, "bitor": operator.or_},
    **{"float": torch.sym_float, "int": torch.sym_int, "floor": math.floor, "ceil": math.ceil, "round": round, "trunc": math.trunc, "sqrt": torch._sym_sqrt, "ite": torch.sym_ite},
}


class Missing(Exception):
    """A step that names a value never made."""


class SymbolWriter(Writer):
    """As Writer; a symbolic number that has become one is written as a number, a dictionary with its keys."""

    def value(self, v):
        if isinstance(v, SYMBOLIC):
            known = v.node.expr
            if isinstance(known, sympy.Integer):
                return int(known)
            if known in (sympy.true, sympy.false):
                return bool(known)
            if isinstance(known, sympy.Float):
                return super().value(float(known))
        if isinstance(v, Raw):
            return v.content
        if isinstance(v, BooleanAtom):
            return bool(v)
        if isinstance(v, dict):
            return {str(key): self.value(content) for key, content in v.items()}
        return super().value(v)

    def tensor(self, t):
        constant = t.constant if isinstance(t, FakeTensor) else None
        if constant is None:
            described = super().tensor(t)
        else:
            with torch.utils._python_dispatch._disable_current_modes():
                described = super().tensor(t) | {"const": super().value(constant.tolist())}
        # A sparse tensor of a step is told without its elements.
        return {key: part for key, part in described.items() if key not in ("nnz", "coalesced")}


# --- what a ShapeEnv knows ---


def number(v):
    if isinstance(v, IntInfinity):
        return "int_oo"
    if isinstance(v, NegativeIntInfinity):
        return "-int_oo"
    if v in (sympy.true, sympy.false):
        return bool(v)
    if isinstance(v, (int, sympy.Integer)):
        return int(v)
    real = float(v)
    return real if math.isfinite(real) else {"f": str(real)}


def interval(ranges):
    return [number(ranges.lower), number(ranges.upper)]


def expression(v):
    """An expression as JSON: an integer where it is one."""
    return int(v) if isinstance(v, sympy.Integer) else str(v)


def symbol_order(symbol):
    prefix, digits = re.fullmatch(r"([a-z]+)(\d*)", str(symbol)).groups()
    return prefix, int(digits or 0)


def described_symbol(env, symbol):
    """The symbol as transcripts write it."""
    hint = env.backed_var_to_val.get(symbol)
    described = {"name": str(symbol), "hint": None if hint is None else number(hint), "range": interval(env.var_to_range[symbol])}
    names = [source.name for source in env.var_to_sources.get(symbol, ())]
    if names and symbol not in env.unbacked_inputs:
        described["source"] = names if len(names) > 1 else names[0]
    marks = {
        "size_like": symbol in env.size_like,
        "input": symbol in env.unbacked_inputs,
        "unspecified": hint is not None and symbol.is_integer and not symbol.is_positive,
    }
    if symbol.is_integer is not True:
        described["kind"] = "float"
    return described | {mark: True for mark, holds in marks.items() if holds}


class Snapshot:
    """What a ShapeEnv knows now, to say later what was added."""

    def __init__(self, env):
        self.guards = list(env.guards)
        self.deferred = {symbol: list(asserts) for symbol, asserts in env.deferred_runtime_asserts.items()}
        self.replacements, self.ranges = dict(env.replacements), dict(env.var_to_range)
        self.size_like, self.divisible = set(env.size_like), set(env.divisible)

    def added_since(self, before, env):
        new = sorted((symbol for symbol in self.ranges if symbol not in before.ranges), key=symbol_order)
        added = {
            "guards": [str(guard.expr) for guard in self.guards[len(before.guards) :]],
            "replacements": {str(s): expression(v) for s, v in self.replacements.items() if s not in before.replacements or before.replacements[s] != v},
            "new_symbols": [described_symbol(env, symbol) for symbol in new],
            "ranges": {str(s): interval(r) for s, r in self.ranges.items() if s in before.ranges and before.ranges[s] != r},
            "size_like": sorted(str(s) for s in self.size_like - before.size_like if s in before.ranges),
            "divisible": sorted(str(e) for e in self.divisible - before.divisible),
            "deferred": {
                str(symbol): [str(a.expr) for a in asserts[len(before.deferred.get(symbol, ())) :]]
                for symbol, asserts in self.deferred.items()
                if len(asserts) > len(before.deferred.get(symbol, ()))
            },
            "size_oblivious_guards": [i for i, guard in enumerate(self.guards[len(before.guards) :]) if guard.size_oblivious],
        }
        return {part: content for part, content in added.items() if content}


def described_env(env):
    return {
        "symbols": [described_symbol(env, symbol) for symbol in sorted(env.var_to_range, key=symbol_order)],
        "guards": [str(guard.expr) for guard in env.guards],
        "replacements": {str(s): str(env.replace(v)) for s, v in sorted(env.replacements.items(), key=lambda item: str(item[0]))},
        "divisible": sorted(map(str, env.divisible)),
        "deferred": {str(s): [str(a.expr) for a in asserts] for s, asserts in sorted(env.deferred_runtime_asserts.items(), key=lambda item: str(item[0]))},
        "format_guards": env.format_guards(),
        "frozen": env.frozen,
    }


# --- steps ---


def constraint(given):
    if given is None:
        return None
    if not isinstance(given, list):
        return symbolic_shapes.RelaxedUnspecConstraint(warn_only=False)
    low, high = (sympy.S(end) if isinstance(end, int) else {"int_oo": IntInfinity(), "-int_oo": NegativeIntInfinity()}[end] for end in given)
    return symbolic_shapes.StrictMinMaxConstraint(vr=ValueRanges(low, high), warn_only=False)


def symbolic_context(step):
    if "dynamic" not in step:
        return None
    parts = {"dynamic_sizes": [DimDynamic[name] for name in step["dynamic"]]}
    if "dynamic_strides" in step:
        parts["dynamic_strides"] = [DimDynamic[name] for name in step["dynamic_strides"]]
    if "constraints" in step:
        parts["constraint_sizes"] = [constraint(given) for given in step["constraints"]]
    return StatelessSymbolicContext(**parts)


class Session:
    """One transcript as it runs. `run` answers a step; `names` holds what the steps made."""

    def __init__(self):
        self.names, self.contexts, self.libraries = {}, contextlib.ExitStack(), []
        self.entered, self.writer, self.env = [], SymbolWriter(), None
        FakeTensorMode.cache_clear()

    def close(self):
        while self.entered:
            self.entered.pop().close()
        for library in self.libraries:
            library._destroy()

    def run(self, step):
        """The step with its answer. Raises Missing where it names what was never made."""
        env, before = self.env, None
        if env is not None:
            before = Snapshot(env)
        answer = dict(step)
        try:
            result = getattr(self, "do_" + step["do"])(step)
            if "as" in step:
                self.bind(step["as"], result)
            answer["result"] = None if isinstance(result, FakeTensorMode) or step["do"] == "pickle" else self.writer.value(result)
        except Missing:
            raise
        except Exception as error:
            answer |= {"raises": type(error).__name__, "message": message(error)}
        if env is not None:
            added = Snapshot(env).added_since(before, env)
            answer |= {"added": added} if added else {}
        return answer

    def bind(self, names, value):
        if isinstance(names, str):
            self.names[names] = value
            return
        if len(names) != len(value):
            raise ValueError(f"not {len(names)} values to unpack")
        self.names.update(zip(names, value))

    # Values.

    def named(self, name):
        if name not in self.names:
            raise Missing(name)
        return self.names[name]

    def value(self, v):
        if isinstance(v, list):
            return [self.value(element) for element in v]
        if isinstance(v, dict) and v.keys() & {"ref", "size", "expr"}:
            return self.tree(v)
        return Reader(None).value(v)

    def tree(self, tree):
        if isinstance(tree, list):
            return FUNCTIONS[tree[0]](*[self.tree(argument) for argument in tree[1:]])
        if isinstance(tree, str):
            return self.named(tree)
        if not isinstance(tree, dict):
            return tree
        if "ref" in tree:
            return self.named(tree["ref"])
        if "expr" in tree:
            return self.tree(tree["expr"])
        if "size" in tree:
            tensor, dim = tree["size"]
            return self.named(tensor).size(dim)
        return self.value(tree)

    # Modes and contexts.

    def do_mode(self, step):
        given, env = step.get("shape_env"), None
        if given is not None:
            env = self.named(given["of"]).shape_env if "of" in given else ShapeEnv(**given)
        mode = FakeTensorMode(shape_env=env, **step.get("options", {}))
        self.env = env if env is not None else self.env
        return mode

    def do_enter(self, step):
        stack = contextlib.ExitStack()
        stack.enter_context(self.named(step["mode"]) if "mode" in step else self.context(step))
        self.entered.append(stack)

    def context(self, step):
        name = step["context"]
        if name.startswith("default_dtype_"):
            return default_dtype(getattr(torch, name[14:]))
        if name.startswith("device_"):
            return torch.device(name[7:])
        if name == "in_kernel_invocation":
            return torch._subclasses.fake_tensor.in_kernel_invocation_manager(self.named(step["of"]))
        makers = {
            "inference_mode": torch.inference_mode,
            "no_grad": torch.no_grad,
            "unset_fake_temporarily": unset_fake_temporarily,
            "autocast_cpu_bfloat16": lambda: torch.autocast("cpu", torch.bfloat16),
            "suppress_guards": lambda: symbolic_shapes._suppress_guards(self.env),
            "ignore_fresh_unbacked_symbols": lambda: self.env.ignore_fresh_unbacked_symbols(),
        }
        return makers[name]()

    def do_exit(self, step):
        self.entered.pop().close()

    def do_epoch(self, step):
        self.named(step["mode"]).epoch += 1

    def name_of(self, mode):
        return next((name for name, value in self.names.items() if value is mode), None)

    # Tensors.

    def do_real(self, step):
        dtype = getattr(torch, step["dtype"]) if "dtype" in step else None
        with torch.utils._python_dispatch._disable_current_modes(), torch.device("cpu"):
            if "data" in step:
                made = torch.tensor(self.value(step["data"]), dtype=dtype)
            else:
                made = self.strided(step, dtype)
            if step.get("parameter"):
                return torch.nn.Parameter(made, requires_grad=step.get("requires_grad", True))
            return made.requires_grad_() if step.get("requires_grad") else made

    @staticmethod
    def strided(step, dtype):
        size, offset, device = step["size"], step.get("offset", 0), step.get("device", "cpu")
        stride = step.get("stride", torch.empty(size, device="meta").stride())
        needed = 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, stride))
        storage = torch.zeros(offset + needed, dtype=dtype, device=device)
        return storage.as_strided(size, stride, offset).detach() if offset + needed == 0 else torch.empty(0, dtype=dtype, device=device).set_(storage.untyped_storage(), offset, size, stride)

    def do_tensor(self, step):
        parts = {key: step[key] for key in ("device", "requires_grad") if key in step}
        return torch.tensor(self.value(step["data"]), dtype=getattr(torch, step["dtype"]) if "dtype" in step else None, **parts)

    def do_from_tensor(self, step):
        parts = {"static_shapes": step.get("static_shapes"), "symbolic_context": symbolic_context(step)}
        if "source" in step:
            parts["source"] = LocalSource(step["source"])
        return self.named(step["mode"]).from_tensor(self.named(step["arg"]), **parts)

    def do_from_meta(self, step):
        mode = self.named(step["mode"])
        return mode.fake_tensor_converter.from_meta_and_device(mode, self.named(step["arg"]), torch.device(step["device"]))

    def do_construct(self, step):
        return FakeTensor(self.named(step["mode"]), self.named(step["arg"]), torch.device(step["device"]))

    def do_wrap_constant(self, step):
        mode = self.named(step["mode"])
        with torch.utils._python_dispatch._disable_current_modes():
            real = torch.tensor(self.value(step["data"]), dtype=getattr(torch, step["dtype"]))
        return mode.fake_tensor_converter.from_real_tensor(mode, real, make_constant=True)

    def do_call(self, step):
        args, kwargs = self.value(step.get("args", [])), {key: self.value(v) for key, v in step.get("kwargs", {}).items()}
        return overload(step["op"])(*args, **kwargs)

    def do_method(self, step):
        tensor, name = self.named(step["arg"]), step["name"]
        python = {"bool": bool, "int": int, "float": float, "__index__": operator.index}
        return python[name](tensor) if name in python else getattr(tensor, name)()

    def do_get(self, step):
        value = self.named(step["arg"])
        for name in step["name"].split("."):
            value = getattr(value, name)
        if isinstance(value, FakeTensorMode):
            return self.name_of(value)
        return type(value).__name__ if step["name"] == "grad_fn" and value is not None else value

    def do_set(self, step):
        setattr(self.named(step["arg"]), step["name"], self.value(step["value"]))

    def do_same_storage(self, step):
        a, b = (self.named(name).untyped_storage()._cdata for name in step["args"])
        return a == b

    def of_argument(function):
        return lambda self, step: function(self.named(step["arg"]))

    do_is_fake = of_argument(lambda value: isinstance(value, FakeTensor))
    do_is_parameter = of_argument(lambda value: isinstance(value, torch.nn.Parameter))
    do_class = of_argument(lambda value: type(value).__name__)
    do_value = of_argument(lambda value: value)
    do_repr, do_deepcopy = of_argument(repr), of_argument(copy.deepcopy)
    do_backward = of_argument(torch.Tensor.backward)

    def do_pickle(self, step):
        torch.save(self.named(step["arg"]), file := io.BytesIO())
        return file

    def do_unpickle(self, step):
        file = self.named(step["arg"])
        file.seek(0)
        return torch.load(file)

    def do_delete(self, step):
        self.names.pop(step["arg"])

    # Custom operators.

    def do_define(self, step):
        space = step["name"].split("::")[0]
        library = torch.library.Library(space, "FRAGMENT")
        self.libraries.append(library)
        torch.library.define(step["name"], step["schema"], lib=library)

        def real(*args, **kwargs):
            raise RuntimeError("real kernel")

        torch.library.impl(step["name"], ("CPU", "CUDA"), real, lib=library)
        if step.get("fake"):
            torch.library.register_fake(step["name"], lambda *args, **kwargs: self.run_fake(step["fake"], args, kwargs), lib=library)

    def run_fake(self, fake, args, kwargs):
        outside = dict(self.names)
        self.names.update(zip(fake["params"], args), **kwargs)
        try:
            for step in fake["steps"]:
                if step["do"] == "new_dynamic_size":
                    result = torch.library.get_ctx().new_dynamic_size(min=step.get("min", 0), max=step.get("max"))
                else:
                    result = getattr(self, "do_" + step["do"])(step)
                if "as" in step:
                    self.bind(step["as"], result)
            returned = self.value(fake.get("return"))
            return tuple(returned) if isinstance(returned, list) else returned
        finally:
            self.names = outside

    # Steps of one expression.

    do_sym = lambda self, step: self.tree(step["expr"])
    do_guards_expression = lambda self, step: self.env.produce_guards_expression([self.named(name) for name in step["args"]])
    do_freeze = lambda self, step: self.env.freeze()
    do_is = lambda self, step: operator.is_(*map(self.named, step["args"]))
    do_cache_clear = lambda self, step: FakeTensorMode.cache_clear()
    do_cache_info = lambda self, step: dataclasses.asdict(FakeTensorMode.cache_info())
    do_detect_fake_mode = lambda self, step: self.name_of(torch._guards.detect_fake_mode(self.value(step.get("args", []))))

    # Symbols.

    def do_new_symbol(self, step):
        kind, env = step["kind"], self.env
        if kind.startswith("unbacked_"):
            return getattr(env, "create_unbacked_sym" + kind.removeprefix("unbacked_"))()
        value, source = step["value"], LocalSource(step["source"])
        dynamic = DimDynamic[step.get("dynamic", "DUCK" if kind == "size" else "DYNAMIC")]
        if kind == "unspecified":
            return env.create_unspecified_symint_and_symbol(value, source, dynamic)
        if kind == "float":
            return env.create_symfloatnode(env.create_unspecified_symbol(value, source, dynamic), hint=value, source=source)
        return env.create_symintnode(env.create_symbol(value, source, dynamic), hint=value, source=source)

    def do_guard(self, step):
        how, value = step["how"], self.tree(step["expr"])
        ends = {"min": step.get("min"), "max": step.get("max")}
        ways = {
            "python_if": bool,
            "python_int": int,
            "python_index": lambda v: list(range(10))[v],
            "check": torch._check,
            "check_is_size": torch._check_is_size,
            "constrain_unify": lambda v: symbolic_shapes.constrain_unify(v, self.tree(step["with"])),
            "constrain_range": lambda v: symbolic_shapes.constrain_range(v, **ends),
            "constrain_range_for_size": lambda v: symbolic_shapes._constrain_range_for_size(v, **ends),
            "sym_constrain_range": lambda v: torch.sym_constrain_range(v, **ends),
            "sym_constrain_range_for_size": lambda v: torch.sym_constrain_range_for_size(v, **ends),
            "optimization_hint": lambda v: symbolic_shapes.optimization_hint(v, *([step["fallback"]] if "fallback" in step else [])),
        }
        if how in ways:
            return ways[how](value)
        return getattr(symbolic_shapes, how if hasattr(symbolic_shapes, how) and how not in dir(builtins) else "guard_" + how)(value)

    def do_query(self, step):
        value = self.tree(step["expr"])
        expr = value.node.expr if isinstance(value, SYMBOLIC) else sympy.sympify(value)
        static = self.env._maybe_evaluate_static(expr)
        return {
            "str": str(expr),
            "simplify": str(self.env.simplify(expr)),
            "range": Raw(interval(self.env.bound_sympy(expr))),
            "static": None if static is None else str(static),
        }

    def do_describe(self, step):
        env = self.env if "mode" not in step else self.named(step["mode"]).shape_env
        return None if env is None else Raw(described_env(env))

    def do_produce_guards(self, step):
        sources = [LocalSource(name) for name in step["sources"]]
        contexts = None
        if "dynamic" in step:
            constraints = step.get("constraints", [None] * len(sources))
            contexts = [symbolic_context({"dynamic": d} | ({} if c is None else {"constraints": c})) for d, c in zip(step["dynamic"], constraints)]
        return self.env.produce_guards([self.named(name) for name in step["args"]], sources, input_contexts=contexts)

    def do_unbacked_bindings(self, step):
        bindings = symbolic_shapes.compute_unbacked_bindings(self.env, self.value(step["value"]))
        return {str(s): torch.utils._pytree.keystr(path) for s, path in bindings.items()} if bindings else None

    def do_rename_unbacked(self, step):
        old, new = (self.named(step[end]).node.expr for end in ("from", "to"))
        self.env._rename_unbacked_to(old, new)


class Raw:
    """JSON already."""

    def __init__(self, content):
        self.content = content


@contextlib.contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    yield
    torch.set_default_dtype(before)


def message(error):
    text = str(error)
    for end in ADVICE:
        text = text.split(end)[0]
    return re.sub(r" at 0x[0-9a-f]+", "", text)


# --- transcripts ---


@contextlib.contextmanager
def time_limit(seconds):
    def stop(*_):
        raise KeyboardInterrupt("too slow")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def record(transcript):
    """The transcript with this PyTorch's answers."""
    session, steps = Session(), []
    try:
        for step in transcript["steps"]:
            with contextlib.suppress(Missing):
                steps.append(session.run({key: v for key, v in step.items() if key not in ANSWERED}))
    finally:
        session.close()
    return {**transcript, "steps": steps}


def without_messages(transcript):
    return [{key: v for key, v in step.items() if key != "message"} for step in transcript["steps"]]


def quiet():
    for name in list(logging.root.manager.loggerDict):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def record_file(path, out, kept):
    header, *transcripts = rows(path)
    answers, skipped = [], 0
    for transcript in transcripts:
        try:
            with time_limit(SECONDS_PER_TRANSCRIPT):
                answer = record(transcript)
        except KeyboardInterrupt:
            skipped += 1
            continue
        if not kept or without_messages(answer) == without_messages(transcript):
            answers.append(answer)
    write(out, [{"header": {**header["header"], "torch": torch.__version__, "target": target(), "count": len(answers)}}, *answers])
    print(f"{out}: {len(answers)} of {len(transcripts)} transcripts" + (f", {skipped} that take too long" if skipped else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=DATA, help="what to ask again: a file or a folder")
    parser.add_argument("--only", default="", help="a part of the files' names")
    parser.add_argument("--kept", action="store_true", help="keep the transcripts whose answers are the recorded ones")
    args = parser.parse_args()
    quiet()
    for path in [args.data] if args.data.is_file() else sorted(args.data.rglob("*.jsonl.gz")):
        if args.only in path.name and rows(path)[0]["header"]["kind"] in ("sessions", "symbolic programs"):
            record_file(path, args.out / path.name, args.kept)


if __name__ == "__main__":
    sys.exit(main())
