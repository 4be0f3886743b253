#!/usr/bin/env python3
"""Holds what the command prints: check.py FAKETENSOR [--rewrite]

Each case is a file of texts/: its first line is the arguments after a "$ ", what follows is what the command prints, the lines of
standard error after a "! ", and "[exit N]" where it does not end with 0. Paths are relative to tests/. --rewrite writes what is printed
now; the diff is then to be read.
"""
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def shown(command, args):
    ended = subprocess.run([command, *args], cwd=HERE.parent, capture_output=True, check=False, text=True)
    complaints = "".join(f"! {line}\n" for line in ended.stderr.splitlines())
    return ended.stdout + complaints + (f"[exit {ended.returncode}]\n" if ended.returncode else "")


def main():
    command, wrong = pathlib.Path(sys.argv[1]).resolve(), 0
    for path in sorted((HERE / "texts").glob("*.txt")):
        first, _, expected = path.read_text().partition("\n")
        printed = shown(command, shlex.split(first.removeprefix("$ faketensor")))
        if "--rewrite" in sys.argv:
            path.write_text(f"{first}\n{printed}")
        elif printed != expected:
            wrong += 1
            print(f"{path.name}: printed\n{printed}\nwhere this was expected\n{expected}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
