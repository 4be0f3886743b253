#!/usr/bin/env python3
"""Holds Chrome traces against the trace-event format: check_trace.py FAKETENSOR [MODEL...], or check_trace.py --trace FILE...

The format: docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU ("Trace Event Format"). What Perfetto's trace processor
drops with an import error is an error here: spans of one track that overlap without one being inside of the other, arrows with one end,
an `E` without its `B`, counters that are no numbers, times that are none. FAKETENSOR writes the traces of real models, with and without a device.
"""
import collections
import gzip
import json
import math
import pathlib
import subprocess
import sys
import tempfile

FILES = pathlib.Path(__file__).resolve().parents[2] / "e2e" / "files"
MODELS = [FILES / name for name in ("resnet.json.gz", "llama.json.gz", "classifier.pt2")]
METADATA = {
    "process_name": ("name", str),
    "process_labels": ("labels", str),
    "process_sort_index": ("sort_index", int),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}
PHASES = set("BEXiICbnestfPNODMVvRc()")
ARROWS = {"s": "begins", "t": "goes on", "f": "ends"}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def picoseconds(microseconds):
    """Whole, so that times compare exactly: a trace writes three digits after the point."""
    return round(microseconds * 1_000_000)


class Checker:
    def __init__(self, trace):
        self.trace = trace
        self.problems = []
        self.spans = collections.defaultdict(list)  # by track
        self.arrows = collections.defaultdict(list)  # by category, name and id
        self.open = collections.defaultdict(list)  # names of B, by track
        self.named = {"process_name": set(), "thread_name": set()}

    def problem(self, text, event=None):
        self.problems.append(text if event is None else f"{text}: {json.dumps(event)[:200]}")

    def check(self):
        if not isinstance(self.trace, dict) or not isinstance(self.trace.get("traceEvents"), list):
            return ["no object with a list of traceEvents"]
        if self.trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
            self.problem("displayTimeUnit is neither ms nor ns")
        for event in self.trace["traceEvents"]:
            self.check_event(event)
        for track, names in self.open.items():
            for name in names:
                self.problem(f"B of {name!r} on {track} never ends")
        for track, spans in self.spans.items():
            self.check_nesting(track, spans)
        for key, ends in self.arrows.items():
            self.check_arrow(key, ends)
        self.check_names()
        self.check_sum()
        return self.problems

    def check_event(self, event):
        phase = event.get("ph")
        if not isinstance(event, dict) or phase not in PHASES:
            return self.problem("no known ph", event)
        if not isinstance(event.get("name"), str) or not event["name"]:
            self.problem("no name", event)
        if not all(isinstance(event.get(key), (int, str)) for key in ("pid", "tid")):
            return self.problem("no pid and tid", event)
        if "args" in event and not isinstance(event["args"], dict):
            return self.problem("args are no object", event)
        if phase == "M":
            return self.check_metadata(event)
        if not is_number(event.get("ts")) or event["ts"] < 0:
            return self.problem("ts is no time", event)
        track = (event["pid"], event["tid"])
        if phase == "X":
            if not is_number(event.get("dur")) or event["dur"] < 0:
                return self.problem("dur is no duration", event)
            begin = picoseconds(event["ts"])
            self.spans[track].append((begin, begin + picoseconds(event["dur"]), event))
        elif phase == "B":
            self.open[track].append(event["name"])
        elif phase == "E":
            if not self.open[track]:
                self.problem("E without a B", event)
            else:
                self.open[track].pop()
        elif phase in ARROWS:
            if not isinstance(event.get("id"), (int, str)) or not isinstance(event.get("cat"), str):
                return self.problem("an arrow without id and cat", event)
            self.arrows[event["cat"], event["name"], event["id"]].append(event)
        elif phase == "C":
            if not event.get("args") or not all(is_number(value) for value in event["args"].values()):
                self.problem("a counter that is no number", event)

    def check_metadata(self, event):
        if event["name"] not in METADATA:
            return self.problem("no known metadata", event)
        member, kind = METADATA[event["name"]]
        if not isinstance(event.get("args", {}).get(member), kind):
            self.problem(f"metadata without {member}", event)
        if event["name"] in self.named:
            track = event["pid"] if event["name"] == "process_name" else (event["pid"], event["tid"])
            if track in self.named[event["name"]]:
                self.problem("named twice", event)
            self.named[event["name"]].add(track)

    def check_nesting(self, track, spans):
        """Each span is inside of the one that is open, or begins when that has ended."""
        outer = []
        for begin, end, event in sorted(spans, key=lambda span: (span[0], -span[1])):
            while outer and outer[-1] <= begin:
                outer.pop()
            if outer and end > outer[-1]:
                self.problem(f"on {track} a span overlaps the end of another", event)
            outer.append(end)

    def check_arrow(self, key, ends):
        phases = [event["ph"] for event in ends]
        if phases.count("s") != 1 or "f" not in phases:
            return self.problem(f"the arrow {key} has no two ends: {phases}")
        times = {event["ph"]: picoseconds(event["ts"]) for event in ends}
        if times["f"] < times["s"]:
            self.problem(f"the arrow {key} ends before it begins")
        for event in ends:
            at = picoseconds(event["ts"])
            track = (event["pid"], event["tid"])
            if event["ph"] == "f" and event.get("bp") != "e":
                continue  # it binds to the next span
            if track not in self.bounds or at not in self.bounds[track]:
                self.problem(f"the arrow {ARROWS[event['ph']]} at no span", event)

    @property
    def bounds(self):
        """Of each track the times at which a span begins: what arrows bind to here."""
        if not hasattr(self, "begins"):
            self.begins = {track: {begin for begin, _, _ in spans} for track, spans in self.spans.items()}
        return self.begins

    def check_names(self):
        for process, thread in self.spans:
            if process not in self.named["process_name"]:
                self.problem(f"process {process} has no name")
            if (process, thread) not in self.named["thread_name"]:
                self.problem(f"thread {thread} of process {process} has no name")

    def check_sum(self):
        """Where kernels are simulated their sum is stated."""
        kernels = [picoseconds(event["dur"]) for spans in self.spans.values() for _, _, event in spans if event.get("cat") == "kernel"]
        stated = self.trace.get("simulatedDeviceNanoseconds")
        if kernels and stated is None:
            self.problem("the sum of the kernels is not stated")
        if stated is not None and sum(kernels) != stated * 1000:
            self.problem(f"the kernels take {sum(kernels) / 1000} ns, and {stated} are stated")


def check_memory_timeline(folder, command, model, options):
    """[times, sizes]: times go up, what is alive is never below nothing, and the raw events sum up to it."""
    points, raw = folder / "memory.json", folder / "memory.raw.json.gz"
    for path in (points, raw):
        subprocess.run([command, "trace", model, *options, "--memory-timeline", path], check=True)
    times, sizes = json.loads(points.read_text())
    assert len(times) == len(sizes) > 1 and times == sorted(times), model
    assert all(len(row) == 9 and row[0] == 0 and min(row) >= 0 for row in sizes), model
    alive = collections.Counter()
    events = json.loads(gzip.open(raw, "rt").read())
    for time, action, size, category in events:
        assert action in (1, 2, 3, 4) and category in range(8) and (action == 3 or (size >= 0) == (action < 3) or size == 0), (time, action, size)
        alive[category] += size
    assert [alive[category] for category in range(8)] == sizes[-1][1:], model
    assert {action for _, action, _, _ in events} >= {1, 2, 4} and sizes[0][1] > 0, "parameters are there before"
    # The most that is alive is the peak of `memory`, give or take nothing.
    report = json.loads(subprocess.run([command, "memory", model, "--format", "json", *options], check=True, capture_output=True).stdout)
    live = peak = 0
    for _, _, size, _ in events:
        live += size
        peak = max(peak, live)
    assert peak == report["peak"]["bytes"], (model, peak, report["peak"])


def main(arguments):
    if arguments[:1] == ["--trace"]:
        failed = False
        for path in arguments[1:]:
            with open(path) as file:
                problems = Checker(json.load(file)).check()
            failed |= bool(problems)
            print(f"{path}: {len(problems)} problems", *problems[:20], sep="\n  ")
        return int(failed)
    command, models = arguments[0], [pathlib.Path(model) for model in arguments[1:]] or MODELS
    for model in models:
        for options in ([], ["--target", "h100"]):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                path = folder / "trace.json"
                subprocess.run([command, "trace", model, *options, "--out", path], check=True)
                trace = json.loads(path.read_text())
                problems = Checker(trace).check()
                assert not problems, (model, options, len(problems), problems[:10])
                categories = {event.get("cat") for event in trace["traceEvents"]} | {event["ph"] for event in trace["traceEvents"]}
                wanted = {"node", "cpu_op", "C"} | ({"kernel", "ac2g", "s", "f"} if options else set())
                assert wanted <= categories, (model, options, wanted - categories)
                check_memory_timeline(folder, command, model, options)
    check_the_checker()
    return 0


def check_the_checker():
    """Each rule refuses what breaks it."""
    names = [{"ph": "M", "name": name, "pid": 0, "tid": 0, "args": {"name": "x"}} for name in ("process_name", "thread_name")]
    span = {"ph": "X", "name": "a", "pid": 0, "tid": 0, "ts": 0, "dur": 10}
    good = [*names, span, span | {"ts": 2, "dur": 8}, span | {"ts": 10, "dur": 0}]
    assert Checker({"traceEvents": good}).check() == []
    broken = {
        "overlaps": span | {"ts": 5, "dur": 6},
        "duration": span | {"dur": -1},
        "no time": span | {"ts": None},
        "known ph": span | {"ph": "Q"},
        "pid and tid": {"ph": "X", "name": "a", "ts": 0, "dur": 0},
        "never ends": {"ph": "B", "name": "a", "pid": 0, "tid": 0, "ts": 0},
        "without a B": {"ph": "E", "name": "a", "pid": 0, "tid": 0, "ts": 0},
        "two ends": {"ph": "s", "name": "a", "cat": "c", "id": 1, "pid": 0, "tid": 0, "ts": 0},
        "no number": {"ph": "C", "name": "a", "pid": 0, "tid": 0, "ts": 0, "args": {"value": "1"}},
        "known metadata": {"ph": "M", "name": "thread_nam", "pid": 0, "tid": 0, "args": {}},
        "named twice": names[0],
        "has no name": span | {"tid": 1},
        "not stated": span | {"cat": "kernel"},
    }
    for words, event in broken.items():
        problems = Checker({"traceEvents": [*good, event]}).check()
        assert any(words in problem for problem in problems), (words, problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
