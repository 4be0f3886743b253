#!/usr/bin/env python3
"""Makes new transcripts of sessions with an installed PyTorch: generate_sessions.py OUT.jsonl.gz --seed N [OPTION]...

  PYTHONHASHSEED=0 python scripts/generate_sessions.py /tmp/new.jsonl.gz --seed 7 --count 100     # of each kind
  PYTHONHASHSEED=1 python scripts/record_sessions.py /tmp/kept --data /tmp/new.jsonl.gz --kept    # what does not depend on hashes
  build/bin/faketensor answer /tmp/kept/new.jsonl.gz > answers.jsonl

Kinds: `programs` calls the operators that models use most on inputs with symbolic sizes, `wide` many more; `unbacked` reasons about
unbacked symbols, `backed` about sizes of inputs and the guards on them; `converter` turns real tensors, their views and strides into
fakes. Each transcript is made while it runs, so that its later steps fit what the earlier ones answered.
"""
import argparse
import pathlib
import random
import sys

import torch
from record_conformance import target, write
from record_sessions import SECONDS_PER_TRANSCRIPT, Missing, Session, quiet, time_limit

EXPORT = {"export": True, "allow_non_fake_inputs": True}
SETTINGS = [
    *[({}, {})] * 5,
    *[(EXPORT, {"trace_asserts": True})] * 5,
    ({}, {"specialize_zero_one": False}),
    ({}, {"duck_shape": False}),
    (EXPORT, {"trace_asserts": True, "prefer_deferred_runtime_asserts_over_guards": True}),
]
SIZES = [2, 3, 4, 5, 6, 7, 8, 10, 12]
CRASHES = ("RecursionError", "KeyError", "AttributeError", "UnboundLocalError")  # of PyTorch itself: no answers
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]

# Operators and how to choose their arguments: T a tensor, A one of the same rank as the first, D a dimension of the first tensor, N a
# number, n a small one, S sizes to view the first tensor as, E sizes to expand it to, R repeats, P pads, C sizes of a new tensor,
# V list of dimensions, L list of tensors, M a mask of its sizes, I an integer tensor of its sizes, Z a list of two numbers; else itself.
COMMON = [
    ("slice.Tensor", "T D N N n"), ("slice.Tensor", "T D null N 1"), ("cat.default", "L D"), ("reshape.default", "T S"), ("view.default", "T S"), ("nonzero.default", "T"),
    ("transpose.int", "T D D"), ("matmul.default", "T T"), ("sum.dim_IntList", "T V false"), ("repeat.default", "T R"), ("flatten.using_ints", "T 0 D"), ("index.Tensor", "T [M]"),
    ("masked_select.default", "T M"), ("mul.Tensor", "T T"), ("add.Tensor", "T T"), ("sub.Tensor", "T T"), ("maximum.default", "T T"), ("expand.default", "T E"),
    ("unsqueeze.default", "T D"), ("split.Tensor", "T N D"), ("arange.default", "N"), ("softmax.int", "T D"), ("mean.dim", "T V true"), ("zeros.default", "C"),
    ("ones.default", "C"), ("amax.default", "T V false"), ("cumsum.default", "T D"), ("item", ""), ("guard", ""),
]  # fmt: skip
WIDE = [
    ("where.self", "M T T"), ("constant_pad_nd.default", "T P"), ("pad.default", "T P"), ("unflatten.int", "T D Z"), ("split_with_sizes.default", "T Z D"), ("chunk.default", "T 2 D"),
    ("tensor_split.sections", "T 3 D"), ("narrow.default", "T D N N"), ("select.int", "T D N"), ("index_select.default", "T D J"), ("gather.default", "T D I"), ("topk.default", "T N"),
    ("sort.default", "T D"), ("unique_consecutive.default", "T B B"), ("_unique2.default", "T B B"), ("unique_dim.default", "T D B"), ("repeat_interleave.self_int", "T N D"),
    ("repeat_interleave.self_Tensor", "T J D"), ("tile.default", "T R"), ("roll.default", "T [N] [D]"), ("flip.default", "T V"), ("permute.default", "T W"), ("squeeze.default", "T"),
    ("squeeze.dim", "T D"), ("stack.default", "L D"), ("diagonal.default", "T"), ("tril.default", "T"), ("unfold.default", "T D N n"), ("linear.default", "T T"),
    ("addmm.default", "T T T"), ("bmm.default", "T T"), ("mm.default", "T T"), ("layer_norm.default", "T [N]"), ("native_layer_norm.default", "T [N] null null 1e-05"),
    ("avg_pool2d.default", "T [2,2]"), ("max_pool2d.default", "T [2,2]"), ("embedding.default", "T J"), ("scatter.src", "T D I A"), ("index_put.default", "T [M] X"),
    ("index_put.default", "T [J] X"), ("index.Tensor", "T [J]"), ("index.Tensor", "T [null,J]"), ("masked_fill.Scalar", "T M 0.5"), ("masked_scatter.default", "T M T"), ("clamp.default", "T 0 1"),
    ("broadcast_to.default", "T E"), ("expand_as.default", "T T"), ("view_as.default", "T T"), ("reshape_as.default", "T T"), ("new_zeros.default", "T C"), ("new_empty.default", "T C"),
    ("zeros_like.default", "T"), ("full.default", "C 1.5"), ("empty.memory_format", "C"), ("eye.m", "N N"), ("linspace.default", "0.0 1.0 N"), ("var.correction", "T V"),
    ("prod.dim_int", "T D"), ("any.dim", "T D"), ("argmax.default", "T D"), ("max.dim", "T D"), ("logsumexp.default", "T V"), ("count_nonzero.default", "T"), ("outer.default", "T T"),
    ("dot.default", "T T"), ("mv.default", "T T"), ("copy_.default", "T T"), ("add_.Tensor", "T T"), ("mul_.Scalar", "T 2.0"), ("clone.default", "T"), ("contiguous.default", "T"),
    ("argwhere.default", "T"), ("nonzero_numpy.default", "T"), ("nonzero_static.default", "T"), ("triu.default", "T N"), ("as_strided.default", "T [2] [1] 0"), ("movedim.int", "T D D"),
    ("arange.start_step", "0 N 2"), ("arange.start", "n N"), ("unbind.int", "T D"), ("index_add.default", "T D J T"), ("scatter_add.default", "T D I A"), ("select_scatter.default", "T T D N"),
    ("slice_scatter.default", "T T D N N"), ("numel.default", "T"), ("sym_size.int", "T D"), ("aminmax.default", "T"), ("bincount.default", "J"), ("hstack.default", "L"), ("dstack.default", "L"),
    ("einsum.default", '"ij,jk->ik" L'), ("tensordot.default", "T T [D] [D]"), ("kron.default", "T T"), ("unsafe_split.Tensor", "T N D"), ("view.dtype", "T int32"), ("resize_.default", "T C"),
    ("isin.Tensor_Tensor", "T T"), ("meshgrid.default", "L"), ("rot90.default", "T"), ("std.correction", "T V"), ("norm.ScalarOpt_dim", "T 2 V"), ("addbmm.default", "T T T"), ("baddbmm.default", "T T T"),
    ("scaled_dot_product_attention.default", "T A A"), ("glu.default", "T D"), ("pixel_shuffle.default", "T 2"), ("one_hot.default", "J N"), ("diff.default", "T 1 D"), ("take.default", "T J"),
    ("unsafe_chunk.default", "T N D"), ("swapaxes.default", "T D D"), ("ravel.default", "T"), ("broadcast_tensors.default", "L"), ("hsplit.int", "T N"), ("vsplit.int", "T N"), ("trace.default", "T"),
]  # fmt: skip


class Maker:
    """A transcript being made."""

    def __init__(self, rng):
        self.rng, self.session, self.steps = rng, Session(), []
        self.tensors, self.numbers, self.made = [], [], 0

    def step(self, do, **parts):
        """Runs a step and notes it; None where it names what was never made."""
        try:
            answer = self.session.run({"do": do, **parts})
        except Missing:
            return None
        if answer.get("raises") in CRASHES:
            raise KeyboardInterrupt(answer["raises"])
        self.steps.append(answer)
        return answer

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, probability):
        return self.rng.random() < probability

    def live(self, name):
        return self.session.names[name]

    def rank(self, name):
        return self.live(name).dim()

    def next_name(self, prefix="t"):
        self.made += 1
        return f"{prefix}{self.made}"

    # Numbers.

    def size(self):
        ranked = [name for name in self.tensors if self.rank(name)]
        if not ranked:
            return self.rng.randint(1, 6)
        name = self.rng.choice(ranked)
        return {"size": [name, self.rng.randrange(self.rank(name))]}

    def leaf(self):
        kind = self.rng.random()
        if kind < 0.45 and self.numbers:
            return {"ref": self.rng.choice(self.numbers)}
        return self.size() if kind < 0.8 else self.rng.randint(-1, 8)

    def other_leaf(self, than):
        """Unifying a symbol with itself makes PyTorch recurse for ever."""
        leaf = self.leaf()
        return self.rng.randint(1, 8) if leaf == than or "ref" in str(leaf) and "size" in str(than) else leaf

    def tree(self, depth=2):
        if depth == 0 or self.chance(0.4):
            return self.leaf()
        function = self.pick("add", "add", "sub", "mul", "mul", "floordiv", "mod", "max", "min")
        right = self.tree(depth - 1) if self.chance(0.5) else self.rng.randint(1, 8)
        return [function, self.tree(depth - 1), right]

    def condition(self, depth=2):
        if depth == 2 and self.chance(0.12):
            return [self.pick("and", "or"), self.condition(1), self.condition(1)]
        if depth == 2 and self.chance(0.05):
            return ["not", self.condition(1)]
        return [self.rng.choice(COMPARISONS), self.tree(depth), self.tree(1)]

    def number(self):
        """A size for a program: mostly one of a tensor, or computed from one."""
        kind = self.rng.random()
        if kind < 0.3:
            return self.rng.randint(0, 4)
        if kind < 0.6 or (kind >= 0.75 and not self.numbers):
            return self.size()
        if kind < 0.75:
            return {"expr": [self.pick("add", "sub", "floordiv", "mul"), self.size(), self.rng.randint(1, 3)]}
        number = {"ref": self.rng.choice(self.numbers)}
        return number if self.chance(0.6) else {"expr": [self.pick("add", "mul", "floordiv"), number, self.rng.randint(1, 3)]}

    # Inputs.

    def mode(self, settings=SETTINGS):
        options, env = self.rng.choice(settings)
        self.step("mode", **{"as": "m"}, options=options, shape_env=env)

    def dynamic(self, rank):
        return [self.pick(*["DYNAMIC"] * 6, "DUCK", "DUCK", "STATIC", "STATIC", "UNBACKED") for _ in range(rank)]

    def input(self, name, size, dtype="float32", **parts):
        self.step("real", size=size, **{"as": name}, dtype=dtype)
        answer = self.step("from_tensor", mode="m", arg=name, **{"as": "f" + name}, source=name, dynamic=self.dynamic(len(size)), **parts)
        if answer and "result" in answer:
            self.tensors.append("f" + name)

    def sizes(self, ranks=(1, 2, 2, 3, 3)):
        shared = self.rng.sample(SIZES, 3)
        return [self.rng.choice(shared) for _ in range(self.rng.choice(ranks))]

    # Calls.

    def call(self, op, args, name=None, **kwargs):
        name = name or self.next_name()
        parts = {"kwargs": kwargs} if kwargs else {}
        answer = self.step("call", op="aten::" + op, args=args, **parts, **{"as": name})
        if answer is None or "result" not in answer:
            return None
        self.keep(name, answer)
        return name

    def keep(self, name, answer):
        value = self.live(name)
        if isinstance(value, (list, tuple)):
            names = [f"{name}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"[: len(value)]]
            if len(names) == len(value) and names:
                answer["as"] = names
                self.session.bind(names, value)
                self.tensors += [n for n in names if isinstance(self.live(n), torch.Tensor)]
        elif isinstance(value, torch.Tensor):
            self.tensors.append(name)
        elif isinstance(value, torch.SymInt):
            self.numbers.append(name)

    def argument(self, token, first):
        rank = self.rank(first) if first else 0
        dim = self.rng.randrange(-rank, rank) if rank else 0
        if token.startswith("[") and token[1:2] in "MJNDn":
            inner = token[1:-1].split(",")
            return [self.argument(each, first) for each in inner]
        choices = {
            "T": lambda: {"ref": self.tensor()},
            "A": lambda: {"ref": self.rng.choice([t for t in self.tensors if self.rank(t) == rank] or [first])},
            "L": lambda: [{"ref": self.tensor()} for _ in range(self.rng.choice([2, 2, 3]))],
            "D": lambda: dim if self.chance(0.2) else abs(dim),
            "N": self.number,
            "n": lambda: self.pick(1, 1, 2, 3),
            "B": lambda: self.chance(0.5),
            "S": lambda: self.view_sizes(first, rank),
            "E": lambda: [*([self.number()] if self.chance(0.5) else []), *[self.pick(-1, -1, -1, self.number()) for _ in range(rank)]],
            "R": lambda: [self.pick(1, 2, 1, self.number()) for _ in range(rank)],
            "P": lambda: [self.pick(0, 1, 2, self.number()) for _ in range(self.pick(2, 2, 4))],
            "C": lambda: [self.number() for _ in range(self.pick(1, 1, 2, 3))],
            "V": lambda: self.rng.sample(range(rank), self.rng.randint(1, rank)) if rank else [0],
            "W": lambda: self.rng.sample(range(rank), rank),
            "Z": lambda: [self.pick(1, 2, -1, self.number()), self.pick(-1, self.number(), self.number())],
            "M": lambda: {"ref": self.mask(first)},
            "I": lambda: {"ref": self.converted(first, "int64")},
            "J": lambda: {"ref": self.indices()},
            "X": lambda: {"ref": self.tensor()},
            "null": lambda: None,
            "int32": lambda: {"dtype": "int32"},
        }
        if token in choices:
            return choices[token]()
        literals = {"true": True, "false": False}
        return literals[token] if token in literals else eval(token, {"null": None})

    def tensor(self):
        return self.rng.choice(self.tensors[-5:] if self.chance(0.5) else self.tensors)

    def view_sizes(self, first, rank):
        kind = self.rng.random()
        if kind < 0.2 or not rank:
            return [-1]
        if kind < 0.6:
            dim = self.rng.randrange(rank)
            return [{"size": [first, dim]}, -1] if self.chance(0.6) else [-1, {"size": [first, dim]}]
        if kind < 0.8:
            return [self.number(), -1]
        return [self.number() for _ in range(self.pick(1, 2, 2, 3))]

    def mask(self, first):
        name = self.next_name() + "m"
        self.step("call", op="aten::gt.Scalar", args=[{"ref": first or self.tensor()}, 0], **{"as": name})
        return name

    def converted(self, first, dtype):
        name = self.next_name() + "i"
        self.step("call", op="aten::_to_copy.default", args=[{"ref": first}], kwargs={"dtype": {"dtype": dtype}}, **{"as": name})
        return name

    def indices(self):
        vectors = [name for name in self.tensors if self.rank(name) == 1 and self.live(name).dtype == torch.int64]
        if vectors and self.chance(0.7):
            return self.rng.choice(vectors)
        return self.call("arange.default", [self.number()]) or self.converted(self.tensor(), "int64")

    def operate(self, table):
        op, template = self.rng.choice(table)
        if op == "item":
            return self.item()
        if op == "guard":
            return self.program_guard()
        tokens, args, first = template.split(), [], None
        if tokens and tokens[0] == "M":
            first = self.tensor()
        for token in tokens:
            args.append(self.argument(token, first))
            if first is None and token == "T":
                first = args[-1]["ref"]
        return self.call(op, args)

    def item(self):
        name = self.next_name()
        summed = self.step("call", op="aten::sum.default", args=[{"ref": self.tensor()}], **{"as": name + "s"})
        if summed is None or "result" not in summed:
            return
        self.step("call", op="aten::_to_copy.default", args=[{"ref": name + "s"}], kwargs={"dtype": {"dtype": "int64"}}, **{"as": name + "i"})
        answer = self.step("method", arg=name + "i", name="item", **{"as": name})
        if "result" in answer:
            self.numbers.append(name)
        for _ in range(self.rng.randrange(3)):
            right = self.pick(self.rng.randint(0, 4), self.size())
            self.step("guard", how="check", expr=[self.pick("ge", "ge", "le", "gt", "ne", "eq"), {"ref": name}, right])

    def program_guard(self):
        how = self.pick("bool", "check", "guard_or_false", "guard_or_true", "statically_known_true", "python_if", "expect_true")
        self.step("guard", how=how, expr=[self.rng.choice(COMPARISONS), self.size(), self.pick(self.rng.randint(2, 9), self.size(), self.leaf())])

    # Kinds.

    def programs(self, table=COMMON, length=(6, 11)):
        self.mode()
        for name in ("x", "y"):
            self.input(name, self.sizes())
        if self.chance(0.4):
            self.input("z", self.sizes((1,)), "int64")
        if not self.tensors:
            return
        self.step("enter", mode="m")
        for _ in range(self.rng.randint(*length)):
            self.operate(table)
        self.step("describe")

    def wide(self):
        self.programs(COMMON + WIDE + WIDE, (8, 14))
        inputs = [name for name in ("fx", "fy", "fz") if name in self.tensors]
        self.step("exit")
        if self.chance(0.5):
            self.step("guards_expression", args=inputs)
        else:
            self.step("produce_guards", args=inputs, sources=[name[1:] for name in inputs])

    def symbols(self):
        for name in "uvw"[: self.rng.randint(1, 3)]:
            kind = self.pick(*["unbacked_int"] * 8, "unspecified")
            parts = {"source": name, "value": self.rng.randint(-2, 6)} if kind == "unspecified" else {}
            self.step("new_symbol", kind=kind, **{"as": name}, **parts)
            self.numbers.append(name)

    def reason(self, ways):
        how = self.rng.choice(ways)
        parts = {}
        expr = self.condition()
        if how in ("int", "python_int", "python_index", "scalar", "float", "is_concrete_int", "has_guarding_hint", "optimization_hint", "has_static_value", "check_is_size"):
            expr = self.tree()
        if how == "optimization_hint":
            parts = self.pick({}, {"fallback": self.pick(1, 8, 64)})
        if "constrain" in how:
            expr = {"ref": self.rng.choice(self.numbers)} if self.numbers else self.leaf()
            low = self.rng.randint(0, 5)
            parts = {"with": self.other_leaf(expr)} if how == "constrain_unify" else {"min": low, "max": low + self.pick(0, 3, 20, 1000)}
        self.step("guard", how=how, expr=expr, **parts)

    def ask(self):
        kind = self.rng.random()
        if kind < 0.5:
            self.step("query", expr=self.tree() if self.chance(0.6) else self.condition())
        elif kind < 0.8:
            name = self.next_name("q")
            answer = self.step("sym", expr=self.tree(), **{"as": name})
            if answer and isinstance(answer.get("result"), dict) and "kind" not in answer["result"]:
                self.numbers.append(name)
        else:
            self.step("describe")

    def unbacked(self):
        self.mode()
        self.symbols()
        for name in ("x", "y")[: self.rng.randint(1, 2)]:
            self.input(name, self.sizes((1, 2)))
        self.step("enter", mode="m")
        ways = [*["check"] * 6, *["bool"] * 3, *["guard_or_false", "guard_or_true", "statically_known_true", "expect_true"] * 2, "statically_known_false", "guard_size_oblivious", "python_if"]
        ways += ["int", "python_int", "python_index", "has_static_value", "is_concrete_int", "has_guarding_hint", "optimization_hint", "check_is_size"]
        ways += ["constrain_range", "constrain_range", "constrain_unify", "constrain_range_for_size", "sym_constrain_range", "sym_constrain_range_for_size"]
        for _ in range(self.rng.randint(8, 16)):
            kind = self.rng.random()
            if kind < 0.6:
                self.reason(ways)
            elif kind < 0.78:
                self.ask()
            elif kind < 0.96:
                self.data_dependent()
            elif len(self.numbers) > 1:
                old, new = self.rng.sample(self.numbers, 2)
                symbolic = [isinstance(self.session.names[n], torch.SymInt) and self.live(n).node.expr.is_symbol for n in (old, new)]
                if all(symbolic):
                    self.step("rename_unbacked", **{"from": old, "to": new})
        self.step("describe")

    def data_dependent(self):
        if not self.tensors:
            return
        tensor = self.tensor()
        kind = self.pick("nonzero", "nonzero", "memo", "mutate", "epoch", "bindings", "item", "zeros", "view", "add", "cat", "select")
        number = {"ref": self.rng.choice(self.numbers)} if self.numbers else 2
        if kind == "nonzero":
            self.call(self.pick("nonzero.default", "argwhere.default", "unique_consecutive.default", "_unique2.default"), [{"ref": tensor}])
        elif kind == "memo":
            self.step("get", arg=tensor, name=self.pick("nonzero_memo", "item_memo", "unique_memo"))
        elif kind == "mutate":
            self.step("call", op="aten::add_.Tensor", args=[{"ref": tensor}, 1])
        elif kind == "epoch":
            self.step("epoch", mode="m")
        elif kind == "bindings":
            self.step("unbacked_bindings", value={"ref": tensor})
        elif kind == "item":
            self.item()
        elif kind == "zeros":
            self.call("zeros.default", [[number] if self.chance(0.6) else [number, self.size()]])
        elif kind == "select":
            self.call("select.int", [{"ref": tensor}, 0, number])
        elif kind == "view":
            self.call("view.default", [{"ref": tensor}, self.view_sizes(tensor, self.rank(tensor))])
        elif kind == "cat":
            self.call("cat.default", [[{"ref": tensor}, {"ref": self.tensor()}], 0])
        else:
            self.call("add.Tensor", [{"ref": tensor}, {"ref": self.tensor()}])

    def constraints(self, size):
        return [self.pick(None, None, None, [self.rng.randint(0, n), self.pick(n, n + 3, 20, "int_oo", n - 1)]) for n in size]

    def backed(self):
        self.mode()
        names = ["x", "y"][: self.rng.randint(1, 2)]
        for name in names:
            size = self.sizes((1, 2, 2, 3))
            self.input(name, size, **({"constraints": self.constraints(size)} if self.chance(0.3) else {}))
        if self.chance(0.5):
            kind = self.pick("size", "unspecified", "unbacked_int", "float")
            parts = {} if kind == "unbacked_int" else {"source": "n", "value": 2.5 if kind == "float" else self.rng.randint(-1 if kind == "unspecified" else 0, 8)}
            answer = self.step("new_symbol", kind=kind, **{"as": "n"}, **parts)
            if kind != "float" and isinstance(answer.get("result"), dict):
                self.numbers.append("n")
        if not self.tensors:
            return
        ways = [*["bool"] * 5, *["check", "expect_true", "guard_or_false", "guard_or_true", "statically_known_true", "python_if"] * 2, "statically_known_false", "guard_size_oblivious"]
        ways += ["int", "python_int", "scalar", "float", "has_static_value", "is_concrete_int", "optimization_hint", "python_index", "check_is_size"]
        for _ in range(self.rng.randint(5, 12)):
            kind = self.rng.random()
            if kind < 0.62:
                self.reason(ways)
            elif kind < 0.8:
                self.ask()
            elif kind < 0.88:
                self.step("repr", arg=self.tensor())
            elif kind < 0.92:
                self.step("deepcopy", arg=self.tensor(), **{"as": self.next_name("c")})
            elif kind < 0.95:
                self.step("freeze")
            else:
                self.program_guard()
        self.step("describe")
        inputs = [name for name in self.tensors if name[1:] in names]
        self.step("produce_guards", args=inputs, sources=[name[1:] for name in inputs])
        self.step("guards_expression", args=inputs)

    def strides(self, size):
        """Strides of a permuted, gapped or overlapping layout, or none."""
        kind = self.rng.random()
        if kind < 0.5 or not size:
            return {}
        if kind < 0.6:
            return {"stride": [self.rng.choice([0, 1, 2, n]) for n in size]}
        order, stride, next_stride = self.rng.sample(range(len(size)), len(size)), [0] * len(size), self.pick(1, 1, 1, 2)
        for dim in order:
            stride[dim] = next_stride
            next_stride *= size[dim] * self.pick(1, 1, 1, 1, 2) or 1
        return {"stride": stride}

    def real_views(self, name):
        """Views and other descendants of a real tensor, made outside of all modes."""
        made, base = [], name
        for i in range(self.rng.randrange(3)):
            rank = self.rank(base)
            dim = self.rng.randrange(rank) if rank else 0
            ops = ["detach.default", "unsqueeze.default", "alias.default"] + (["select.int", "slice.Tensor", "transpose.int", "diagonal.default"] if rank else [])
            op = self.rng.choice(ops)
            args = {"unsqueeze.default": [0], "select.int": [dim, 0], "slice.Tensor": [dim, self.pick(0, 1), None, self.pick(1, 2)], "transpose.int": [0, dim]}.get(op, [])
            answer = self.step("call", op="aten::" + op, args=[{"ref": base}, *args], **{"as": f"{name}v{i}"})
            if "result" in answer:
                made.append(f"{name}v{i}")
                base = made[-1] if self.chance(0.5) else base
        return made

    def converter(self):
        self.mode([({}, {}), (EXPORT, {"trace_asserts": True}), ({}, {"specialize_zero_one": False}), ({}, {"duck_shape": False}), ({}, {"assume_static_by_default": True})])
        names = []
        for name in ("x", "y", "z")[: self.rng.randint(1, 3)]:
            size = [self.pick(*SIZES, 1, 0) for _ in range(self.rng.randint(0, 3))]
            dtype = self.pick("float32", "float32", "int64", "float64", "bool", "complex64", "float16")
            grad = {"requires_grad": True} if dtype in ("float32", "complex64") and self.chance(0.3) else {}
            grad |= {"parameter": True} if dtype == "float32" and self.chance(0.15) else {}
            offset = {"offset": self.pick(1, 2, 3, 5, 8)} if self.chance(0.25) else {}
            self.step("real", size=size, **{"as": name}, dtype=dtype, **self.strides(size), **offset, **grad)
            names += [name, *self.real_views(name)]
        self.rng.shuffle(names)
        inputs = []
        for name in names:
            rank = self.rank(name)
            parts = {}
            if self.chance(0.85):
                parts = {"source": name, "dynamic": self.dynamic(rank)}
                if self.chance(0.35):
                    parts["dynamic_strides"] = [self.pick("INFER_STRIDE", "INFER_STRIDE", "DYNAMIC", "DUCK") for _ in range(rank)]
                if self.chance(0.2):
                    parts["constraints"] = self.constraints(list(self.live(name).size()))
            answer = self.step("from_tensor", mode="m", arg=name, **{"as": "f" + name}, **parts)
            if "result" in answer:
                inputs.append("f" + name)
                if self.chance(0.15):
                    self.step("from_tensor", mode="m", arg=name, **{"as": "g" + name}, **parts)
                    self.step("is", args=["f" + name, "g" + name])
        for name in inputs:
            for _ in range(self.rng.randint(1, 3)):
                self.step("get", arg=name, name=self.pick("requires_grad", "is_leaf", "grad_fn", "_version", "nbytes", "device"))
                self.step("method", arg=name, name=self.pick("size", "stride", "storage_offset", "numel", "is_contiguous", "is_contiguous"))
            self.step("repr", arg=name)
        if len(inputs) > 1:
            self.step("same_storage", args=self.rng.sample(inputs, 2))
        self.tensors = inputs
        for _ in range(self.rng.randrange(3) if inputs else 0):
            self.reason(["bool", "check", "guard_or_false"])
        self.step("describe")
        sourced = [step["as"] for step in self.steps if step["do"] == "from_tensor" and "source" in step and step["as"] in inputs]
        self.step("produce_guards", args=sourced, sources=[name[1:] for name in sourced])


KINDS = ("programs", "wide", "unbacked", "backed", "converter")


def make(kind, seed, i):
    maker = Maker(random.Random(f"{kind}.{seed}.{i}"))
    try:
        with time_limit(SECONDS_PER_TRANSCRIPT):
            getattr(maker, kind)()
    except (KeyboardInterrupt, RecursionError):  # takes too long, or PyTorch fails
        return None
    finally:
        maker.session.close()
    return {"session": f"{kind}.{seed}.{i}", "group": kind, "steps": maker.steps}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=100, help="transcripts of each kind")
    parser.add_argument("--kinds", default=",".join(KINDS))
    args = parser.parse_args()
    quiet()
    made = [make(kind, args.seed, i) for kind in args.kinds.split(",") for i in range(args.count)]
    made = [transcript for transcript in made if transcript and transcript["steps"]]
    write(args.out, [{"header": {"torch": torch.__version__, "target": target(), "kind": "sessions", "count": len(made)}}, *made])
    print(f"{args.out}: {len(made)} transcripts")


if __name__ == "__main__":
    sys.exit(main())
