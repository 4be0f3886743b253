"""Costs of programs: what `memory` and `flops` answer, held against what was recorded of PyTorch (memory/programs, SYSTEMS.md)."""

import json


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
