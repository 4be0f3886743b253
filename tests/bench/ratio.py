#!/usr/bin/env python3
"""Compares two builds in one run: ratio.py BEFORE AFTER [--rounds N] [--filter REGEX] [--files A:B]

BEFORE and AFTER are bench_faketensor of two release builds. They run in turn, so that both meet the same machine; of each benchmark the
least processor time of all rounds counts. Prints time and ratio of each (below 1: AFTER is faster) and the geometric mean. --files are
programs to propagate besides the example (FAKETENSOR_BENCH_FILES).
"""
import argparse
import json
import math
import os
import pathlib
import subprocess

FILTER = "^(add|add_broadcast|mm|view|transpose|conv2d|softmax|cat|index)$|^program/(open|propagate)/|^NewGuards/1000|^StackedLayers/1024"


def times(command, pattern, files):
    """{benchmark: nanoseconds of processor time} of one run; programs by their file's name."""
    environment = os.environ | ({"FAKETENSOR_BENCH_FILES": files} if files else {})
    arguments = [command, f"--benchmark_filter={pattern}", "--benchmark_format=json", "--benchmark_min_time=0.2"]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=True, env=environment)
    unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    found = {}
    for row in json.loads(ran.stdout)["benchmarks"]:
        kind, _, path = row["name"].partition("//")
        name = f"{kind} {'/'.join(pathlib.Path(path).parts[-2:])}" if path else row["name"]
        found[name] = row["cpu_time"] * unit[row["time_unit"]]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--filter", default=FILTER)
    parser.add_argument("--files", default="")
    given = parser.parse_args()
    least = ({}, {})
    for _ in range(given.rounds):
        for best, command in zip(least, (given.before, given.after)):
            for name, time in times(command, given.filter, given.files).items():
                best[name] = min(time, best.get(name, math.inf))
    ratios = []
    print(f"{'benchmark':44} {'before':>12} {'after':>12}  ratio")
    for name, before in least[0].items():
        if name not in least[1]:
            continue
        after = least[1][name]
        ratios.append(after / before)
        print(f"{name:44} {before:10.0f}ns {after:10.0f}ns  {after / before:5.2f}")
    print(f"geometric mean of {len(ratios)}: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}")


if __name__ == "__main__":
    main()
