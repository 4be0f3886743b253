#!/usr/bin/env python3
"""Runs the commands below "### A custom operator by profile" in README.md: profile_example.py FAKETENSOR

They run in a folder that has the files they name. A comment that begins with a number is what the command prints in its last line.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    section = (ROOT / "README.md").read_text().split("### A custom operator by profile", 1)[1]
    lines = re.search(r"```sh\n(.*?)```", section, re.S)[1].splitlines()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(ROOT / "e2e/files/custom.pt2", folder / "model.pt2")
        (folder / "faketensor").symlink_to(command)
        for yaml in ("one.yaml", "two.yaml"):
            shutil.copy(ROOT / "tests/golden/custom_profiles.yaml", folder / yaml)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        wrong = [line for line in lines if not fits(line, folder, environment)]
    for line in wrong:
        print(f"not as README.md says: {line}")
    return 1 if wrong or not lines else 0


def fits(line, folder, environment):
    shell, _, comment = line.partition("#")
    ran = subprocess.run(["sh", "-c", shell], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    printed = (ran.stdout.strip().splitlines() or [""])[-1]
    expected = comment.strip() if comment.strip()[:1].isdigit() else ""
    return (ran.returncode == 0 or "unknown" in expected) and expected in printed


if __name__ == "__main__":
    sys.exit(main())
