#!/usr/bin/env python3
"""Holds what the command prints: check.py FAKETENSOR [--rewrite]

Each case is a file of texts/: its first line is the arguments after a "$ ", what follows is what the command prints. Paths are relative
to tests/. --rewrite writes what is printed now; the diff is then to be read.
"""
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    command, wrong = pathlib.Path(sys.argv[1]).resolve(), 0
    for path in sorted((HERE / "texts").glob("*.txt")):
        first, _, expected = path.read_text().partition("\n")
        args = shlex.split(first.removeprefix("$ faketensor"))
        printed = subprocess.run([command, *args], cwd=HERE.parent, stdout=subprocess.PIPE, check=False, text=True).stdout
        if "--rewrite" in sys.argv:
            path.write_text(f"{first}\n{printed}")
        elif printed != expected:
            wrong += 1
            print(f"{path.name}: printed\n{printed}\nwhere this was expected\n{expected}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
