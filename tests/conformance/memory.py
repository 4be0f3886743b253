"""Memory, held against what was recorded of PyTorch (SYSTEMS.md, memory/).

`memory/programs`: what `memory` and `flops` answer of programs. `memory/allocator`: transcripts of the caching allocator, step by step with the
calls of the driver and the warnings. `memory/models`: of a recorded trace the storages, the allocator's statistics, FLOPs and MemTracker.
"""

import json

ANSWERED = {"memory/allocator": ("steps", "warnings"), "memory/models": ("storages", "allocator", "flops", "mem_tracker", "modules")}
TRACE = ("id", "device", "trace")


def memory_question(row):
    if "steps" in row:
        return {"id": row["id"], "steps": [{"do": step["do"]} for step in row["steps"]]}
    return {key: row[key] for key in TRACE}


def memory_difference(row, answer):
    """None where every field is as recorded."""
    if answer is None:
        return "no answer"
    for kind, fields in ANSWERED.items():
        for field in fields:
            want = row.get(field)
            if field == "steps" and want:
                want = [{key: value for key, value in step.items() if key != "do"} for step in want]
            if want is None or want == answer.get(field):
                continue
            return f"{kind}: {field}: {where(want, answer.get(field))}"
    return "warnings of nothing" if "warnings" in answer and "warnings" not in row else None


def where(want, got, path=""):
    """The first place at which two values differ."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key in {**want, **got}:
            if want.get(key) != got.get(key):
                return where(want.get(key), got.get(key), f"{path}.{key}")
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for i, (a, b) in enumerate(zip(want, got)):
            if a != b:
                return where(a, b, f"{path}[{i}]")
    return f"{path} is {json.dumps(got)[:200]}, not {json.dumps(want)[:200]}"


def first_difference(want, got):
    """How many nodes differ, with the first of them; None where none does."""
    wrong = [name for name in want if got.get(name) != want[name]]
    if not wrong:
        return None
    return f"{len(wrong)} of {len(want)} nodes, first {wrong[0]}: {got.get(wrong[0])}, not {want[wrong[0]]}"


def nodes_of(lines, member):
    return {line["name"]: line[member] for line in map(json.loads, lines) if member in line and "name" in line}


def cost_differences(recorded, memory, flops):
    """{item: difference} of one program: bytes alive after each node, the most inside of each, and FLOPs."""
    identity, live = recorded["id"], dict(recorded["live"])
    inside = {name: recorded["inner"].get(name, alive) for name, alive in live.items()}
    found = {
        f"{identity} live": first_difference(live, nodes_of(memory, "live")),
        f"{identity} inside": first_difference(inside, nodes_of(memory, "peak")),
        f"{identity} flops": first_difference(recorded["flops"]["nodes"], nodes_of(flops, "flops")),
    }
    return {item: difference for item, difference in found.items() if difference}
