"""Are two values the same? The rules of tests/conformance/FORMAT.md and GRAPHS.md, for values that this project prints itself.

Everything that describes a tensor is compared exactly; numbers of tensors ("t") and storages only up to renaming, so that identity and
aliasing are compared too. Not compared: "const" (known values) and "requires_grad". Symbolic expressions are equal when they agree at
random assignments of their symbols; unbacked symbols (u0, zuf1) up to renaming.

  compare.py RECORDED OTHER [--messages]     two files, or two folders: vectors or graphs, recorded or answered

prints what of RECORDED is otherwise in OTHER (of what OTHER holds), and ends with status 0 where nothing is.
"""
import argparse
import ast
import gzip
import json
import operator
import pathlib
import random
import re
import sys
import zlib

NOT_A_FIELD = ("const", "requires_grad", "t", "storage")  # the last two are compared by what they are the same as
UNBACKED = re.compile(r"\b(?:zuf|u)\d+\b")


class Renaming:
    """A one-to-one pairing of numbers or names, learnt as they are met."""

    def __init__(self):
        self.there, self.back = {}, {}

    def same(self, expected, got):
        if expected in self.there or got in self.back:
            return self.there.get(expected) == got and self.back.get(got) == expected
        self.there[expected], self.back[got] = got, expected
        return True


class Comparison:
    """The values of one call or one graph, in the order in which they were recorded."""

    def __init__(self):
        self.tensors, self.storages, self.symbols = Renaming(), Renaming(), Renaming()

    def learn(self, value):
        """Tensors that both sides were given: their numbers stand for themselves."""
        if isinstance(value, list):
            for element in value:
                self.learn(element)
        elif isinstance(value, dict):
            if "t" in value:
                self.tensors.same(value["t"], value["t"])
                if "storage" in value:
                    self.storages.same(value["storage"], value["storage"])
            else:
                self.learn(list(value.values()))

    def difference(self, expected, got, at=""):
        """None, or the first difference in words."""
        if isinstance(expected, dict) and "t" in expected:
            return self.tensor_difference(expected, got, at)
        if isinstance(expected, list):
            if not isinstance(got, list) or len(expected) != len(got):
                return f"{at}: {len(expected)} elements expected, got {got!r:.80}"
            for i, (e, g) in enumerate(zip(expected, got)):
                if (difference := self.difference(e, g)) is not None:
                    return f"{at}[{i}]{difference}"
            return None
        if isinstance(expected, dict):
            if not isinstance(got, dict) or expected.keys() != got.keys():
                return f"{at}: {expected} expected, got {got!r:.80}"
            for key in expected:
                if (difference := self.difference(expected[key], got[key])) is not None:
                    return f"{at}.{key}{difference}"
            return None
        if self.same_scalar(expected, got):
            return None
        return f"{at}: {expected!r} expected, got {got!r:.80}"

    def tensor_difference(self, expected, got, at):
        if not isinstance(got, dict) or "t" not in got:
            return f"{at}: a tensor expected, got {got!r:.80}"
        for key in expected | got:
            if key in NOT_A_FIELD:
                continue
            difference = self.difference(expected.get(key, DEFAULTS.get(key)), got.get(key, DEFAULTS.get(key)))
            if difference is not None:
                return f"{at}.{key}{difference}"
        if not self.tensors.same(expected["t"], got["t"]):
            return f"{at}: another tensor object expected"
        if not self.storages.same(expected.get("storage"), got.get("storage")):
            return f"{at}: another storage expected"
        return None

    def same_scalar(self, expected, got):
        # Most are equal: sizes, and names that no unbacked symbol, which would be learnt, can stand in.
        if type(expected) is type(got) and expected == got and (type(got) is int or (type(got) is str and "u" not in got)):
            return True
        if isinstance(expected, str) and isinstance(got, str) and UNBACKED.fullmatch(expected) and UNBACKED.fullmatch(got):
            return self.symbols.same(expected, got)
        if isinstance(expected, bool) or isinstance(got, bool) or not isinstance(expected, (int, str)):
            return type(expected) is type(got) and expected == got
        if not isinstance(got, (int, str)):
            return False
        renamed = UNBACKED.sub(lambda name: self.symbols.back.get(name.group(), name.group()), str(got))
        return str(expected) == renamed or same_expression(str(expected), renamed)


OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
FUNCTIONS = {"Min": min, "Max": max, "Mod": operator.mod, "PythonMod": operator.mod, "FloorDiv": operator.floordiv, "CeilToInt": lambda x: -int(-x // 1)}


def evaluate(node, symbols):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return symbols.setdefault(node.id, random.Random(zlib.crc32(node.id.encode()) + symbols[""]).randrange(1, 1000))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -evaluate(node.operand, symbols)
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](evaluate(node.left, symbols), evaluate(node.right, symbols))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return OPERATORS[type(node.ops[0])](evaluate(node.left, symbols), evaluate(node.comparators[0], symbols))
    if isinstance(node, ast.Call):
        return FUNCTIONS[node.func.id](*(evaluate(argument, symbols) for argument in node.args))
    raise KeyError(type(node).__name__)


def same_expression(expected, got):
    """Whether two printed expressions agree at twenty assignments. What cannot be read as one is compared as text, which differed."""
    try:
        trees = [ast.parse(text, mode="eval").body for text in (expected, got)]
        if all(isinstance(tree, (ast.Name, ast.Constant)) for tree in trees):
            return False
        return all(evaluate(trees[0], {"": seed}) == evaluate(trees[1], {"": seed}) for seed in range(20))
    except (SyntaxError, KeyError, AttributeError, ZeroDivisionError):
        return False


DEFAULTS = {"offset": 0, "layout": "strided", "conj": False, "neg": False, "coalesced": False, "index_dtype": "int64"}


def operator_difference(vector, answer, comparison=None):
    """None, or how the answer to an operator vector differs from what was recorded; compared by `comparison` where it is given."""
    if answer is None:
        return "no answer"
    if "unsupported" in answer:
        return f"unsupported: {answer['unsupported']}"
    if "raises" in vector or "raises" in answer:
        expected, got = vector.get("raises", "a value"), answer.get("raises", "a value")
        return None if expected == got else f"{expected} expected, got {got}: {answer.get('message', '')}"
    comparison = comparison or Comparison()
    comparison.learn([vector.get("args"), vector.get("kwargs")])
    difference = comparison.difference(vector.get("out"), answer.get("out"), "out")
    if difference:
        return difference
    after = {tensor["t"]: tensor for tensor in answer.get("after", [])}
    for tensor in vector.get("after", []):
        if tensor["t"] not in after:
            return f"after: tensor {tensor['t']} should have changed"
        difference = comparison.difference(tensor, after[tensor["t"]], f"after {tensor['t']}")
        if difference:
            return difference
    return None


def operator_figures(vectors, answers, differing):
    """How many of the vectors are answered as recorded, those of which the ids are in `differing` are not: {"counts": [results, of how many,
    classes of errors, of how many, texts of errors, of how many], "overloads": {op: [[on the CPU, of how many], [on CUDA, of how many]]}}"""
    counts, overloads = [0] * 6, {}
    for vector in vectors:
        passed = vector["id"] not in differing
        device = overloads.setdefault(vector["op"], [[0, 0], [0, 0]])['"cuda' in json.dumps(vector)]
        device[0] += passed
        device[1] += 1
        kind = 2 if "raises" in vector else 0
        counts[kind] += passed
        counts[kind + 1] += 1
        if "message" in vector:
            counts[4] += passed and answers[vector["id"]].get("message") == vector["message"]
            counts[5] += 1
    return {"counts": counts, "overloads": overloads}


def graph_differences(recorded, answers):
    """{node name: difference} for the node lines of one graph; a missing node differs."""
    got = {line["name"]: line for line in answers}
    comparison, differences = Comparison(), {}
    for line in recorded:
        name, answer = line.get("name"), got.get(line.get("name"))
        if name is None:
            continue
        if answer is None:
            differences[name] = "no answer"
        elif "raises" in line or "raises" in answer:
            expected, raised = line.get("raises", "a value"), answer.get("raises", "a value")
            if expected != raised:
                differences[name] = f"{expected} expected, got {raised}: {answer.get('message', '')}"
        else:
            difference = comparison.difference(line["val"], answer["val"], "val")
            if difference:
                differences[name] = difference
    return differences


def read(path):
    with (gzip.open(path, "rt") if path.suffix == ".gz" else open(path)) as file:
        return [json.loads(line) for line in file if line.strip()]


def file_differences(recorded, other, messages):
    """({item: difference}, items compared) of the lines of two files."""
    if any("name" in line for line in recorded):
        nodes = [line for line in recorded if "name" in line]
        return graph_differences(nodes, [line for line in other if "name" in line]), len(nodes)
    others = {line["id"]: line for line in other if "id" in line}
    vectors = [line for line in recorded if line.get("id") in others]
    found = {}
    for vector in vectors:
        answer = others[vector["id"]]
        found[vector["id"]] = operator_difference(vector, answer)
        if messages and not found[vector["id"]] and vector.get("message", answer.get("message")) != answer.get("message"):
            found[vector["id"]] = f"message {vector['message']!r} expected, got {answer.get('message')!r}"
    return {item: difference for item, difference in found.items() if difference}, len(vectors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", type=pathlib.Path)
    parser.add_argument("other", type=pathlib.Path)
    parser.add_argument("--messages", action="store_true", help="compare the texts of exceptions too")
    args = parser.parse_args()
    pairs = [(args.recorded, args.other)]
    if args.other.is_dir():
        pairs = [(args.recorded / path.relative_to(args.other), path) for path in sorted(args.other.rglob("*.jsonl.gz"))]
    compared = differing = 0
    for recorded, other in pairs:
        found, count = file_differences(read(recorded), read(other), args.messages)
        compared, differing = compared + count, differing + len(found)
        for item, difference in found.items():
            print(f"{other.name}: {item}: {difference}")
    print(f"{compared} compared, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
