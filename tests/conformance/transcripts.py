"""Recorded transcripts: the steps of a Python session with fake tensors, and the first in which an answer differs.

Results are compared as values, symbols included; what a step added to its ShapeEnv by the symbols it made and which of them it replaced.
"""
import json

from compare import Comparison

KINDS = ("sessions", "symbolic programs")
ANSWERED = {"result", "raises", "message", "added"}


def question(row):
    """The session without what was recorded."""
    return {**row, "steps": [{key: value for key, value in step.items() if key not in ANSWERED} for step in row["steps"]]}


def added_difference(expected, got):
    """New symbols by name, hint and range; replacements by what they are."""
    described = [
        sorted(json.dumps([s.get("name"), s.get("hint"), s.get("range"), bool(s.get("size_like"))]) for s in each.get("new_symbols", []))
        for each in (expected, got)
    ]
    if described[0] != described[1]:
        return f"new symbols {described[0]} expected, got {described[1]}"
    replaced = [sorted(each.get("replacements", {})) for each in (expected, got)]
    return None if replaced[0] == replaced[1] else f"replacements of {replaced[0]} expected, got {replaced[1]}"


def step_difference(step, answer, comparison):
    if "raises" in step or "raises" in answer:
        classes = [each.get("raises") for each in (step, answer)]
        return None if classes[0] == classes[1] else f"{classes[0]} expected, got {classes[1]} ({answer.get('message', '')[:80]})"
    difference = comparison.difference(step.get("result"), answer.get("result"), "result")
    return difference or added_difference(step.get("added") or {}, answer.get("added") or {})


def session_difference(row, answer):
    """None, or the first step that differs, in words."""
    if answer is None or "steps" not in answer:
        return "no answer"
    if len(answer["steps"]) != len(row["steps"]):
        return f"{len(row['steps'])} steps expected, got {len(answer['steps'])}"
    comparison = Comparison()
    for i, (step, got) in enumerate(zip(row["steps"], answer["steps"])):
        difference = step_difference(step, got, comparison)
        if difference:
            return f"step {i} ({step['do']}): {difference}"
    return None
