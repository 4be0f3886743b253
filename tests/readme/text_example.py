#!/usr/bin/env python3
"""Runs the commands below "### A program as text" in README.md: text_example.py FAKETENSOR

A comment behind a command is the end of what it prints in its last line, or of an error line.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    section = (ROOT / "README.md").read_text().split("### A program as text", 1)[1]
    script = re.search(r"```sh\n(.*?)```", section, re.S)[1]
    files, commands = script.split("\nEND\n", 1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "faketensor").symlink_to(command)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        subprocess.run(["sh", "-c", files + "\nEND\n"], cwd=folder, check=True)
        wrong = [line for line in commands.splitlines() if not fits(line, folder, environment)]
    for line in wrong:
        print(f"not as README.md says: {line}")
    return 1 if wrong else 0


def fits(line, folder, environment):
    shell, _, comment = line.partition(" # ")
    ran = subprocess.run(["sh", "-c", shell], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    expected = comment.strip()
    printed = (ran.stdout.strip().splitlines() or [""])[-1]
    if not printed.endswith(expected):
        print(ran.stdout + ran.stderr)
    return printed.endswith(expected)


if __name__ == "__main__":
    sys.exit(main())
