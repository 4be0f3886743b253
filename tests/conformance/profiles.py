"""Recorded answers about op profiles: what is asked of a row, and how an answer differs from it.

Kinds: `profiles/yaml` (profiles -> text, and that text read again), `profiles/load` (text -> profiles), `profiles/kernels` (the steps of one
mode: operators defined, scopes of generated fakes entered and left, operators called), `profiles/draft` (a graph of draft_export: its
operators' profiles, the graph with their guards, and traced again under the profiles).
"""
import json

from compare import Comparison

ASKED = {"profiles/yaml": ("id", "profiles"), "profiles/load": ("id", "text"), "profiles/kernels": ("id", "mode", "steps"), "profiles/draft": ("id", "graph", "ops_to_guard")}
NODE = ("name", "op", "target", "args", "kwargs", "users", "unbacked_bindings")
STEP = ("do", "op", "schema", "via", "fake", "kernel", "profiles", "args", "kwargs")


def tensors(value):
    """The numbers of all tensors in a value, in order."""
    if isinstance(value, list):
        return [number for element in value for number in tensors(element)]
    if isinstance(value, dict):
        return [value["t"]] if "t" in value else tensors(list(value.values()))
    return []


def question(row, kind):
    """The row without its answers; a call's results keep their numbers where later steps take them."""
    asked = {key: row[key] for key in ASKED[kind]}
    if "steps" not in asked:
        return asked
    asked["steps"] = []
    for i, step in enumerate(row["steps"]):
        made = tensors(step.get("out"))
        later = {number for other in row["steps"][i + 1 :] for number in tensors([other.get("args"), other.get("kwargs")])}
        binds = {"binds": made} if later & set(made) else {}
        asked["steps"].append({key: step[key] for key in STEP if key in step} | binds)
    return asked


def as_sets(profiles):
    """Profiles of an operator are a set."""
    return [[op, sorted({json.dumps(profile, sort_keys=True) for profile in of_op})] for op, of_op in profiles or []]


def raised_difference(expected, got):
    """Classes and texts; PyTorch's longest text, of missing kernels, goes on with its build."""
    wanted, found = [(each.get("raises"), (each.get("message") or "").split(" This could be because")[0]) for each in (expected, got)]
    return None if wanted == found else f"{wanted} expected, got {found}"


def step_difference(step, answer, comparison):
    comparison.learn([step.get("args"), step.get("kwargs")])
    if "raises" in step or "raises" in answer:
        return raised_difference(step, answer)
    if step.get("warnings", []) != answer.get("warnings", []):
        return f"warnings {step['warnings']} expected, got {answer.get('warnings')}"
    if step["do"] != "call":
        return None
    difference = comparison.difference(step.get("out"), answer.get("out"), "out")
    ranges = [list(each.get("new_symbols", {}).values()) for each in (step, answer)]
    return difference or (None if ranges[0] == ranges[1] else f"ranges {ranges[0]} expected, got {ranges[1]}")


def draft_difference(row, answer):
    for field in ("guarded", "decomposed"):
        lines = [each.get(field, {}).get("graph", "").split("\n") for each in (row, answer)]
        for i, (wanted, got) in enumerate(zip(*lines)):
            if wanted != got:
                return f"{field}, line {i}: {wanted!r} expected, got {got!r}"
        if len(lines[0]) != len(lines[1]):
            return f"{field}: {len(lines[0])} lines expected, got {len(lines[1])}"
    comparison = Comparison()
    nodes = [each["guarded_graph"]["nodes"] for each in (row, answer)]
    for wanted, got in zip(*nodes):
        if [wanted.get(key) for key in NODE] != [got.get(key) for key in NODE]:
            return f"node {wanted} expected, got {got}"
        if difference := comparison.difference(wanted.get("val"), got.get("val"), wanted["name"]):
            return difference
    return None if as_sets(row["profiles"]) == as_sets(answer["profiles"]) else f"{row['profiles']} expected, got {answer['profiles']}"


def profile_difference(row, answer):
    """None, or how the answer differs."""
    if answer is None or "unsupported" in answer:
        return f"unsupported: {answer and answer['unsupported']}"
    if "ops_to_guard" in row:
        return draft_difference(row, answer)
    if "steps" in row:
        comparison = Comparison()
        if len(row["steps"]) != len(answer["steps"]):
            return f"{len(row['steps'])} steps expected, got {len(answer['steps'])}"
        for i, (step, got) in enumerate(zip(row["steps"], answer["steps"])):
            if difference := step_difference(step, got, comparison):
                return f"step {i}: {difference}"
        return None
    if "raises" in row or "raises" in answer:
        return raised_difference(row, answer)
    if row.get("yaml") != answer.get("yaml"):
        return f"{row.get('yaml')!r} expected, got {answer.get('yaml')!r}"
    read = "loads_back" if "yaml" in row else "profiles"
    if "load_raises" in row:
        return raised_difference(row["load_raises"], answer.get("load_raises", {}))
    return None if as_sets(row[read]) == as_sets(answer.get(read)) else f"{read}: {row[read]} expected, got {answer.get(read)}"
