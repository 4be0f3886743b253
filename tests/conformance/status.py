#!/usr/bin/env python3
"""Writes core/ops/STATUS.md, or says whether it is up to date: status.py COMMAND [--check]

Every overload of PyTorch's schema list (data/schemas) stands on the page once: with where its rule comes from (`COMMAND ops`) and how
many of its recorded vectors it answers as PyTorch did, or, without a rule, under the reason that no_rule.tsv gives. An overload with
neither, a reason that serves none, and an operator of the command that PyTorch does not have are errors.

The figures are those of the whole collection in ../shared/conformance, where it lies beside the checkout (replay.py). Elsewhere the page's
own figures are kept, and only the rest of it is made anew.
"""
import argparse
import collections
import csv
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

from replay import ANSWERS, COLLECTION, ROOT, SHARED, Runs, kept_result, replay_all, rows

HERE = pathlib.Path(__file__).resolve().parent
PAGE = ROOT / "core" / "ops" / "STATUS.md"
NAME = "native"  # of what replay.py keeps
FIRST = ["aten", "prims", "torchvision", "quantized_decomposed", "_c10d_functional"]
# Functions of Python and of the transformers library that exported programs call; PyTorch's dispatcher does not list them.
UNLISTED = ("_operator::", "math::", "torch::", "transformers::")
ROW = re.compile(r"\| `(?P<op>[^`]+)` \| .* \| (?P<cpu>[\d/]*) \| (?P<cuda>[\d/]*) \|")
FAMILIES = re.compile(r"<!-- families -->\n(.*?)<!-- end -->\n", re.S)


def full_name(schema):
    name = schema[: schema.index("(")]
    return name if "." in name.split("::")[1] else name + ".default"


def recorded_overloads():
    """{full name: row of data/schemas}, in the list's order."""
    return {full_name(row["schema"]): row for row in rows(HERE / "data" / "schemas" / "ops.jsonl.gz")[1:]}


def rules(command):
    """{full name: line of `COMMAND ops`}."""
    run = subprocess.run([command, "ops", "--format", "jsonl"], stdout=subprocess.PIPE, check=True, text=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return {line["op"]: line for line in lines}


class Figures:
    """How many vectors of each overload and family were asked, and how many answered as recorded."""

    def __init__(self):
        self.overloads = collections.defaultdict(lambda: [[0, 0], [0, 0]])  # CPU, CUDA: passed, number
        self.families = {}  # results passed, number; classes right, number; texts equal, number

    def add(self, family, counts, overloads):
        self.families[family] = counts
        for op, devices in overloads.items():
            for total, part in zip(self.overloads[op], devices):
                total[0] += part[0]
                total[1] += part[1]

    def of(self, op):
        return tuple(f"{passed}/{number}" if number else "" for passed, number in self.overloads[op])

    def family_table(self):
        lines = ["| family | results equal | | raising class | | same text | |", "| --- | --: | --: | --: | --: | --: | --: |"]
        total = [0] * 6
        for family, counts in sorted(self.families.items()):
            total = [a + b for a, b in zip(total, counts)]
            lines.append(family_line(family, counts))
        return "\n".join([*lines, family_line("**all**", total)]) + "\n"


def family_line(family, counts):
    cells = []
    for passed, number in zip(counts[::2], counts[1::2]):
        cells += [f"{passed}/{number}", f"{100 * passed / number:.2f} %"] if number else ["", ""]
    return f"| {family} | " + " | ".join(cells) + " |"


class KeptFigures:
    """The figures of the page as it stands."""

    def __init__(self, page):
        self.overloads = {found["op"]: (found["cpu"], found["cuda"]) for found in ROW.finditer(page)}
        families = FAMILIES.search(page)
        self.families = families[1] if families else ""

    def of(self, op):
        return self.overloads.get(op, ("", ""))

    def family_table(self):
        return self.families


def figures(command):
    """Of the collection: what tests/conformance/run native has found, asked again where the command or the files are newer."""
    families = [(f"{COLLECTION}{path.name.split('.')[0]}", path) for path in sorted((SHARED / "ops").glob("*.jsonl.gz"))]
    if not families:
        return KeptFigures(PAGE.read_text() if PAGE.exists() else "")
    kept = {label: kept_result(ANSWERS / NAME / label, path, command) for label, path in families}
    asked = replay_all([family for family in families if kept[family[0]] is None], NAME, Runs([str(command)]))
    result = Figures()
    for label, _ in families:
        found = kept[label] or asked[label]
        if "figures" not in found:
            sys.exit(f"{label}: {found['differences']}")
        result.add(label.removeprefix(COLLECTION), **found["figures"])
    return result


def reasons(overloads, answered):
    """{full name: reason} for overloads without a rule, and what is wrong with no_rule.tsv."""
    with open(HERE / "no_rule.tsv", newline="") as file:
        table = list(csv.DictReader(file, delimiter="\t"))
    found, used = {}, set()
    for op, row in overloads.items():
        if op in answered:
            continue
        by = row.get("answers", row["registered"])
        for i, line in enumerate(table):
            if fnmatch.fnmatchcase(op, line["overload"]) and fnmatch.fnmatchcase(by, line["answers"]):
                found[op] = line["reason"]
                used.add(i)
                break
    problems = [f"no_rule.tsv: no overload needs the reason for {line['overload']}" for i, line in enumerate(table) if i not in used]
    return found, problems


def rule_text(rule):
    return f"from `{rule['from'].split('::')[1]}`" if rule["rule"] == "derived" else rule["rule"]


def namespace_section(space, overloads, answered, why, counted):
    """A table of what is answered, then what is not by its reason."""
    lines = [f"## {space}\n"]
    table = [(op, row) for op, row in overloads.items() if op in answered]
    if table:
        lines += ["| overload | rule | PyTorch's own | CPU | CUDA |", "| --- | --- | --- | --: | --: |"]
        for op, row in table:
            lines.append("| " + " | ".join([f"`{op}`", rule_text(answered[op]), row.get("answers", row["registered"]), *counted.of(op)]) + " |")
        lines.append("")
    by_reason = collections.defaultdict(list)
    for op in overloads:
        if op not in answered:
            by_reason[why.get(op, "**No rule yet**")].append(op)
    for reason, names in by_reason.items():
        listed = ", ".join(f"`{name.split('::')[1].removesuffix('.default')}`" for name in names)
        lines.append(f"{len(names)} without a rule. {reason}: {listed}.\n")
    return "\n".join(lines)


def page(overloads, answered, why, counted):
    spaces = collections.defaultdict(dict)
    for op, row in overloads.items():
        spaces[op.split("::")[0]][op] = row
    order = FIRST + sorted(set(spaces) - set(FIRST))
    summary = ["| namespace | overloads | row | derived | composite | no rule | not yet |", "| --- | --: | --: | --: | --: | --: | --: |"]
    total = collections.Counter()
    for space in order:
        kinds = collections.Counter(answered[op]["rule"] if op in answered else "reason" if op in why else "missing" for op in spaces[space])
        total += kinds
        summary.append(count_line(space, kinds))
    summary.append(count_line("**all**", total))
    return "\n".join([
        "# Status of the operators\n",
        "Written by `scripts/status`; do not edit. Every overload of PyTorch 2.13's schema list stands here once. *row*: a rule of its own;",
        "*composite*: a row that calls other operators, as PyTorch's does; *from*: derived from that row's overload. *PyTorch's own* says who answers",
        "for it in FakeTensorMode. CPU and CUDA: recorded vectors answered equally in every field (or with the same class of error), and their number.\n",
        *summary,
        "\n## Recorded vectors by family\n",
        "Results equal in every field; where PyTorch raises, the same class, and the same text.\n",
        "<!-- families -->\n" + counted.family_table() + "<!-- end -->\n",
        *(namespace_section(space, spaces[space], answered, why, counted) for space in order),
    ])


def count_line(name, kinds):
    return f"| {name} | " + " | ".join(str(n) for n in [kinds.total(), *(kinds[k] for k in ("row", "derived", "composite", "reason", "missing"))]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    command = pathlib.Path(args.command).resolve()
    overloads, answered = recorded_overloads(), rules(command)
    why, problems = reasons(overloads, answered)
    for op, rule in answered.items():
        if not op.startswith(UNLISTED) and overloads.get(op, {}).get("schema") != rule["schema"]:
            problems.append(f"PyTorch's schema is not {rule['schema']}")
    missing = [op for op in overloads if op not in answered and op not in why]
    if missing:
        problems.append(f"{len(missing)} overloads have neither a rule nor a reason in no_rule.tsv: {', '.join(missing[:5])}, ...")
    text = page(overloads, answered, why, figures(command))
    if not args.check:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        problems.append("core/ops/STATUS.md is out of date: run scripts/status")
    print("\n".join(problems[:50]), end="\n" if problems else "")
    print(f"{len(overloads) - len(missing)} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
