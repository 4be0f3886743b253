#!/usr/bin/env python3
"""Measures what one call of a common operator costs and writes the table of README.md: write_table.py build/release/bin/bench_faketensor

The benchmarks are those of operator_bench.cpp. Each is repeated; the smallest time is the operator's own cost, the median says how busy the
machine was. Run it on an idle machine.
"""
import json
import pathlib
import platform
import re
import statistics
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parent / "README.md"
NAMES = ["add", "add_broadcast", "mm", "view", "transpose", "conv2d", "softmax", "cat", "index"]
REPETITIONS = 9


def measure(bench):
    wanted = f"--benchmark_filter=^({'|'.join(NAMES)})$"
    options = [wanted, f"--benchmark_repetitions={REPETITIONS}", "--benchmark_min_time=0.05", "--benchmark_format=json"]
    options += ["--benchmark_enable_random_interleaving=true"]
    report = json.loads(subprocess.run([bench, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout)
    times = {name: [] for name in NAMES}
    for run in report["benchmarks"]:
        if run["run_type"] == "iteration":
            times[run["run_name"]].append(run["cpu_time"])
    return times


def processor():
    info = pathlib.Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", info.read_text()) if info.exists() else None
    return found[1] if found else platform.processor()


def main():
    times = measure(sys.argv[1])
    lines = [f"Measured on {processor()}, nanoseconds of processor time per call.\n", "| call | smallest | median |", "| --- | --: | --: |"]
    lines += [f"| {name} | {min(found):.0f} | {statistics.median(found):.0f} |" for name, found in times.items()]
    text = README.read_text()
    table = "<!-- table -->\n" + "\n".join(lines) + "\n<!-- end -->"
    README.write_text(re.sub(r"<!-- table -->.*?<!-- end -->", lambda _: table, text, flags=re.S))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
