#!/usr/bin/env python3
"""How many recorded texts of programs (str(graph), GraphModule.code, print_readable()) are ours to the letter.

    tests/conformance/texts.py build/release/bin/faketensor [FOLDER]

FOLDER holds recorded models (../shared/conformance/models): VARIANT.{graph,code,readable}.txt.gz beside VARIANT.json.gz. Prints what differs,
and exits with 1 where something does.
"""

import difflib
import glob
import gzip
import os
import subprocess
import sys

FORMS = {"graph": "text", "code": "code", "readable": "readable"}


def main() -> int:
    command = sys.argv[1]
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "../../../shared/conformance/models")
    equal = dict.fromkeys(FORMS, 0)
    total = dict.fromkeys(FORMS, 0)
    for path in sorted(glob.glob(f"{folder}/*/*.txt.gz")):
        form = path.split(".")[-3]
        program = path.removesuffix(f".{form}.txt.gz") + ".json.gz"
        if form not in FORMS or not os.path.exists(program):
            continue
        with gzip.open(path, "rt") as file:
            recorded = file.read().strip("\n").split("\n")
        printed = subprocess.run([command, "passes", program, "--to", FORMS[form]], capture_output=True, text=True)
        ours = printed.stdout.strip("\n").split("\n")
        total[form] += 1
        equal[form] += recorded == ours
        for line in difflib.unified_diff(recorded, ours, path, "ours", n=0, lineterm=""):
            print(line)
        if printed.returncode != 0:
            print(printed.stderr)
    for form, count in total.items():
        print(f"{form}: {equal[form]} of {count} equal")
    return 0 if equal == total else 1


if __name__ == "__main__":
    sys.exit(main())
