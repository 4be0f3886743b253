#!/usr/bin/env python3
"""Training steps: what `memory --train` answers, held against MemTracker's bytes of real steps (memory/training, SYSTEMS.md).

  training.py COMMAND DATA/memory/training.jsonl.gz MODELS [--only TEXT]
prints each row that is off by more than 1 %, and how many peaks are within 1, 3 and 10 % and how many are equal.
"""

import argparse
import gzip
import json
import pathlib
import shlex
import subprocess

ALLOWED = 0.03  # of a peak, and of what is held after the step


def arguments(row, models):
    """What COMMAND is given for a row; `models` is the folder of the programs."""
    return ["memory", str(pathlib.Path(models) / row["program"].removeprefix("models/")), "--train", row["optimizer"], "--format", "jsonl"]


def off_by(row, lines):
    """{"peak": relative error, "after": ...} of an answer, None where there is none."""
    try:
        answer = json.loads(lines[-1])
        return {item: answer[item]["bytes"] / row[item]["Total"] - 1 for item in ("peak", "after")}
    except (IndexError, KeyError, TypeError, ValueError):
        return None


def training_differences(row, lines):
    """{item: difference} of one row: its peak and what stays, where either is off by more than is allowed."""
    off = off_by(row, lines)
    if off is None:
        return {f"{row['id']} {item}": "no answer" for item in ("peak", "after")}
    return {f"{row['id']} {item}": f"off by {100 * error:+.1f} %" for item, error in off.items() if abs(error) > ALLOWED}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("data")
    parser.add_argument("models")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    with gzip.open(args.data, "rt") as file:
        recorded = [row for row in map(json.loads, file) if args.only in row.get("id", "")]
    errors = []
    for row in (row for row in recorded if "id" in row):
        run = subprocess.run([*shlex.split(args.command), *arguments(row, args.models)], capture_output=True, text=True, check=False)
        off = off_by(row, run.stdout.splitlines())
        errors.append(1.0 if off is None else abs(off["peak"]))
        if errors[-1] > 0.01:
            print(f"{row['id']}: " + ("no answer" if off is None else f"{100 * off['peak']:+.1f} %"))
    within = ", ".join(f"within {limit} % {sum(error <= limit / 100 for error in errors)}" for limit in (1, 3, 10))
    print(f"training peaks {len(errors)}: equal {sum(error == 0 for error in errors)}, {within}")


if __name__ == "__main__":
    main()
