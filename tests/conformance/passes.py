"""Recorded answers about programs and passes (SYSTEMS.md): what is asked of a row, and how an answer differs from it.

Kinds: `passes/programs` (an exported program: its graph as text and nodes, its signature), `passes/passes` (a pass on a program: the graph
after it, what else it found, or what it raised), `passes/errors` (calls on small graphs). Questions about passes name their program, which
stands in programs.jsonl beside them; a pass's parameters are in passes.json beside the recorded rows.
"""
import gzip
import json
import re

from compare import UNBACKED, Comparison, Renaming

ASKED = {"passes/programs": ("id", "exported_program", "values"), "passes/passes": ("id", "program", "pass", "program_before", "params"),
         "passes/errors": ("id", "call", "graphs", "params", "values")}
PROGRAM = ("id", "exported_program", "values", "nodes", "signature", "range_constraints", "inputs")
NODE = ("name", "op", "target", "args", "kwargs", "users")
OF_TEXTS = ("replace_set_grad_with_hop", "replace_autocast_with_hop")  # passes inside export, of which texts were recorded
SYMBOL = re.compile(r"\b(?:zuf|u|s)\d+\b")


def is_asked(row, kind):
    return kind not in ASKED or "exported_program" in row or "call" in row or "pass" in row and ("program" in row or row["pass"] in OF_TEXTS)


def beside(path, name):
    """The rows of a data file in the folder of another."""
    for found in (path.parent / name, path.parent / (name + ".gz")):
        if found.exists():
            with (gzip.open(found, "rt") if found.suffix == ".gz" else open(found)) as file:
                return [json.loads(line) for line in file if line.strip()]
    return []


def questions(recorded, path, folder):
    """The questions of a file, after what they need was written into the folder that they are put in."""
    kind = recorded[0]["header"]["kind"]
    asked = [{key: row[key] for key in ASKED[kind] if key in row} for row in recorded[1:] if is_asked(row, kind)]
    if kind == "passes/passes":
        with open(folder / "programs.jsonl", "w") as file:
            for row in beside(path, "programs.jsonl"):
                file.write(json.dumps({key: row[key] for key in PROGRAM if key in row}) + "\n")
        table = json.loads((path.parent / "passes.json").read_text())["passes"]
        asked = [row | {"params": table[row["pass"]]["params"]} if "params" in table.get(row["pass"], {}) else row for row in asked]
    return recorded[:1] + asked


def flat(nodes, path=""):
    """(path, node) of a graph and its submodules."""
    for node in nodes.get("nodes", ()):
        yield path + node["name"], node
    for name, module in sorted(nodes.get("submodules", {}).items()):
        yield from flat(module, f"{path}{name}.")


def text_difference(wanted, got):
    for i, (a, b) in enumerate(zip(wanted.split("\n"), (got or "").split("\n"))):
        if a != b:
            return f"line {i}: {a!r} expected, got {b!r}"
    return None if wanted == got else "another number of lines"


def without_storages(value):
    """Files tell no storages."""
    if isinstance(value, list):
        return [without_storages(each) for each in value]
    return {key: each for key, each in value.items() if key not in ("storage", "nbytes")} if isinstance(value, dict) else value


class PassComparison(Comparison):
    """Of a node; the nodes of a graph share their symbols. A check may name one before the node that it comes from."""

    def __init__(self, symbols):
        super().__init__()
        self.symbols = symbols

    def same_scalar(self, expected, got):
        names = [set(UNBACKED.findall(each)) if isinstance(each, str) else set() for each in (expected, got)]
        if all(len(each) == 1 for each in names):
            self.symbols.same(names[0].pop(), names[1].pop())
        return super().same_scalar(expected, got)


def node_difference(wanted, got, shown=lambda value: value):
    expected, found = list(flat(wanted)), dict(flat(got or {}))
    symbols = Renaming()
    for path, node in expected:
        answer = found.get(path, {})
        fields = [json.dumps([each.get(key) for key in NODE], sort_keys=True) for each in (node, answer)]
        if SYMBOL.sub("$", fields[0]) != SYMBOL.sub("$", fields[1]):
            return f"node {fields[0]} expected, got {fields[1]}"
        if ("val" in node) != ("val" in answer):
            return f"{path}: a value that is {'missing' if 'val' in node else 'not expected'}"
        if "val" in node and (difference := PassComparison(symbols).difference(shown(node["val"]), shown(answer["val"]), path)):
            return difference
    return None if len(expected) == len(found) else f"{len(expected)} nodes expected, got {len(found)}"


def pass_difference(row, answer):
    """None, or how the answer differs."""
    if answer is None or "unsupported" in answer:
        return f"unsupported: {answer and answer['unsupported']}"
    if "raises" in row or "raises" in answer:
        wanted, got = [(each.get("raises"), (each.get("message") or "").split("\n")[0]) for each in (row, answer)]
        return None if wanted == got else f"{wanted} expected, got {got}"
    if "call" in row:
        out = row["out"]
        return text_difference(out["graph"], answer["out"]["graph"]) if isinstance(out, dict) and "graph" in out else None if out == answer.get("out") else f"{out} expected"
    if row.get("same"):
        return None
    if "graph" in row and (difference := text_difference(row["graph"], answer.get("graph"))):
        return difference
    if "nodes" in row and (difference := node_difference(row["nodes"], answer.get("nodes"), *([without_storages] if "signature" in row else []))):
        return difference
    if "signature" in row and row["signature"] != answer.get("signature"):
        return f"{row['signature']} expected, got {answer.get('signature')}"
    wanted, got = [SYMBOL.sub("$", json.dumps(each.get("info", {}), sort_keys=True)) for each in (row, answer)]
    return None if wanted == got else f"info {wanted} expected, got {got}"
