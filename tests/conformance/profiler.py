"""Recorded transcripts of PyTorch's profiler: what is asked of a row, and how an answer differs from it.

A row is asked twice: its steps (events, regions, recompile reasons, ...), and, by the id with `#report`, the averages and tables of its
recorded events. Compared are the events that the steps call: not those below operators, nor those of PyTorch's own compiler, Python frames
and allocations. What reasons of recompilations quote of the source, which is no part of a question (comments, stacks, line numbers), is
left out on both sides.
"""
import re

KIND = "profiler"
COMPILER = re.compile(r"\(dynamo_timed\)$|_data: |^(bytecode_tracing|Pregraph bytecode|dynamo$|entire_frame|compile_attempt|build_guards|gc$|backend_compile|insert_deferred|AOTDispatcher|\[memory\]$)")
PYTHON_FRAME = re.compile(r"\.py\(\d+\): |^<built-in|^nn\.Module: |^<dir>|^torch/|^CompiledFunction")


def asked_twice(recorded):
    """The rows of a file that are questions: one of the steps, one of the report."""
    for row in recorded[1:]:
        if row.get("steps") and row.get("replay") is not False:
            yield row
        if row.get("report", {}).get("ask"):
            yield row | {"id": row["id"] + "#report"}


def is_report(row):
    return row["id"].endswith("#report")


def question(row):
    return {key: row[key] for key in (("id", "report", "events") if is_report(row) else ("id", "steps", "ask"))}


def called(events):
    """[(name, place of the parent, sizes of the inputs)] of the events that the steps call."""
    kept, places, left_out = [], {None: None}, set()
    for i, event in enumerate(events):
        parent = event.get("parent")
        if parent in left_out or COMPILER.search(event["name"]):
            left_out.add(i)
        elif PYTHON_FRAME.search(event["name"]):
            places[i] = places[parent]
        else:
            places[i] = len(kept)
            kept.append((event["name"], places[parent], event.get("shapes")))
            if "::" in event["name"]:
                left_out.add(i)
    return kept


def without_source(texts):
    """Reasons without what they quote of the program's source."""
    stack = r"\n    - User stack trace:(\n    -  .*)*"
    return [re.sub(r" in \S+:\d+|[ \t]+# .*|_at_\d+$", "", re.sub(stack, "", text), flags=re.MULTILINE) for text in texts]


def event_difference(wanted, got):
    wanted, got = called(wanted), called(got)
    for i, (one, other) in enumerate(zip(wanted, got)):
        if one[:2] != other[:2] or (one[2] is not None and one[2] != other[2]):
            return f"event {i}: {one} expected, got {other}"
    return None if len(wanted) == len(got) else f"{len(wanted)} events expected, got {len(got)}"


def profiler_difference(row, answer):
    """None, or how the answer differs."""
    if answer is None or "unsupported" in answer:
        return f"unsupported: {answer and answer['unsupported']}"
    asked = row["report"]["ask"] if is_report(row) else row["ask"]
    for key in asked:
        wanted, got = row.get(key), answer.get(key)
        if key == "events" and got is not None:
            if difference := event_difference(wanted, got):
                return difference
        elif key == "recompiles" and got is not None:
            if without_source(wanted) != without_source(got):
                return f"{key}: {wanted} expected, got {got}"
        elif key in row and wanted != got:
            return f"{key}: {wanted} expected, got {got}"
    return None
