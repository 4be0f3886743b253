#!/usr/bin/env python3
"""Replays recorded answers of PyTorch: replay.py NAME "COMMAND" [--only TEXT] [--rewrite] [--server] [--data FOLDER]

Runs `COMMAND answer FILE` for each file of tests/conformance/data (or of FOLDER) and, where ../shared/conformance lies beside the checkout, for the
graphs and operators recorded there, and compares (compare.py). The commands see questions only: what was recorded is taken out first.

A difference is a failure unless known_differences.tsv has a row for it; a row whose difference is gone is a failure too, and so is a
reason that is empty. Of ../shared/conformance/ops an operator and the number of its vectors that differ are one row. --rewrite prints rows for what differs, to be given reasons by hand.
What-ifs (whatif/) are asked of `COMMAND propagate`, a setting each; memory/programs of `COMMAND memory` and `COMMAND flops`, memory/training
of `COMMAND memory --train`.
With --server, COMMAND is a process that runs command after command: it reads lines {"args": [...], "answers": path} and replies to each with
{"status": exit code, "error": text} (answer_server.mjs).
The answers are kept in build/conformance/NAME, with what they showed (result.json); where another NAME has left its own there, the two must
be the same bytes, and of what is the same nothing is read or compared again.
"""
import argparse
import concurrent.futures
import csv
import gc
import gzip
import json
import os
import pathlib
import shlex
import subprocess
import sys

import passes
import profiler
import symbolic
import transcripts
from compare import graph_differences, operator_difference, operator_figures
from expressions import KIND as EXPRESSIONS, expression_difference, expression_question
from memory import ANSWERED, cost_differences, memory_difference, memory_question
from profiles import ASKED, profile_difference, question
from training import arguments, training_differences
from whatif import setting_difference

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ANSWERS = ROOT / "build" / "conformance"
SHARED = ROOT.parent / "shared" / "conformance"
VARIANTS, SETS = ("static", "decomp"), ("base", "batch", "one", "bf16", "half_inputs")
WHAT_IFS = "whatif/"
COSTS = "memory/programs"
TRAINING = "memory/training"
COLLECTION = "all_ops/"  # every vector of ../shared; differences are counted by operator
RESULT = "result.json"
RECORDED = {"out", "after", "raises", "message"}


def rows(path):
    with (gzip.open(path, "rt") if path.suffix == ".gz" else open(path)) as file:
        return [json.loads(line) for line in file if line.strip()]


def files(data):
    """(label, path) of every recorded file: the project's own, then the larger collection; or of the folder given."""
    for base, prefix in ((data or HERE / "data", ""), *([] if data else [(SHARED, "shared/")])):
        for path in sorted(base.glob("models/*/*.answers.jsonl.gz")):
            variant, inputs = path.name.split(".")[:2]
            if path.parent.name == "archives" or (variant in VARIANTS and inputs in SETS):
                yield f"{prefix}models/{path.parent.name}/{variant}.{inputs}", path
        for path in sorted(base.glob("whatif/*/*.answers.jsonl.gz")):
            yield f"{prefix}{WHAT_IFS}{path.parent.name}/{path.name.split('.')[0]}", path
        for kind in (COSTS, TRAINING, *ANSWERED):
            if (path := base / f"{kind}.jsonl.gz").exists():
                yield f"{prefix}{kind}", path
    for path in sorted((data or HERE / "data").glob("ops/*.jsonl.gz")):
        yield f"ops/{path.name.split('.')[0]}", path
    for path in sorted((data or HERE / "data").glob("symbolic/*.jsonl.gz")):
        yield f"symbolic/{path.name.split('.')[0]}", path
    for base, prefix in ((data or HERE / "data", ""), *([] if data else [(SHARED, "shared/")])):
        for path in sorted(base.glob("profiles/*.jsonl.gz")):
            if "profiles/" + path.name.split(".")[0] in ASKED:
                yield f"{prefix}profiles/{path.name.split('.')[0]}", path
        for path in sorted(base.glob("profiler/*.jsonl.gz")):
            yield f"{prefix}profiler/{path.name.split('.')[0]}", path
    for path in sorted((data or HERE / "data").glob("passes/*.jsonl.gz")):
        yield f"passes/{path.name.split('.')[0]}", path
    for path in [] if data else sorted(SHARED.glob("passes/*.jsonl.gz")):
        yield f"all_passes/{path.name.split('.')[0]}", path
    for path in sorted((data or HERE / "data").glob("sessions/*.jsonl.gz")):
        yield f"sessions/{path.name.split('.')[0]}", path
    for path in [] if data else sorted(path for kind in ("calls-", "exprs", "ops-") for path in SHARED.glob(f"symbolic/{kind}*.jsonl.gz")):
        yield f"all_symbolic/{path.name.split('.')[0]}", path
    for path in [] if data else sorted(SHARED.glob("sessions/*.jsonl.gz")):
        yield f"all_sessions/{path.name.split('.')[0]}", path
    for path in [] if data else sorted(SHARED.glob("ops/*.jsonl.gz")):
        yield f"{COLLECTION}{path.name.split('.')[0]}", path


def questions(path, recorded, folder):
    """The file without what was recorded; beside a graph's questions stands the program it names."""
    target = folder / path.name.removesuffix(".gz")
    header = recorded[0]["header"]
    if header.get("kind") == "graph":
        lines = recorded[:1]
    elif header.get("kind") == symbolic.KIND:
        lines = recorded[:1] + [symbolic.question(row) for row in recorded[1:]]
    elif header.get("kind") in transcripts.KINDS:
        lines = recorded[:1] + [transcripts.question(row) for row in recorded[1:]]
    elif header.get("kind") in passes.ASKED:
        lines = passes.questions(recorded, path, folder)
    elif header.get("kind") in ANSWERED:
        lines = recorded[:1] + [memory_question(row) for row in recorded[1:]]
    elif header.get("kind") in ASKED:
        lines = recorded[:1] + [question(row, header["kind"]) for row in asked_rows(recorded)]
    elif header.get("kind") == profiler.KIND:
        lines = recorded[:1] + [profiler.question(row) for row in asked_rows(recorded)]
    elif header.get("kind") == EXPRESSIONS:
        lines = recorded[:1] + [expression_question(row) for row in recorded[1:]]
    else:
        lines = [{k: v for k, v in row.items() if k not in RECORDED} for row in recorded]
    encode = json.JSONEncoder(separators=(",", ":")).encode
    target.write_text("".join(encode(line) + "\n" for line in lines))
    if "graph" in header:
        program = folder / header["graph"]
        if not program.exists():
            program.symlink_to(path.parent / header["graph"])
    return target


def name_of(row):
    return row.get("id") or row["session"]


def asked_rows(recorded):
    """The rows of a file that are questions: not those about Python's file objects, nor those of which only texts were recorded."""
    kind = recorded[0]["header"].get("kind")
    if kind == profiler.KIND:
        return list(profiler.asked_twice(recorded))
    return [row for row in recorded[1:] if "file" not in row and passes.is_asked(row, kind)]


class Runs:
    """Answers by a process for each file."""

    def __init__(self, command):
        self.command = command

    def run(self, args, answers):
        """(exit code, diagnostics)"""
        with open(answers, "wb") as out:
            run = subprocess.run([*self.command, *args], stdout=out, stderr=subprocess.PIPE, timeout=600, check=False)
        return run.returncode, run.stderr.decode()


class Servers:
    """Answers by one process, which lives as long as this program."""

    def __init__(self, command):
        self.command, self.server = command, None

    def run(self, args, answers):
        if self.server is None:
            self.server = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.server.stdin.write(json.dumps({"args": args, "answers": str(answers)}) + "\n")
        self.server.stdin.flush()
        reply = self.server.stdout.readline()
        if not reply:
            return self.server.wait(), "the server ended"
        reply = json.loads(reply)
        return reply["status"], reply["error"]


def replay(label, path, engine, folder):
    """{"differences": {item: difference} of one file, "count": the number of items in it, "got": where the answers lie}, and of a family of
    the collection "figures" (compare.operator_figures)."""
    folder = folder / label
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RESULT).unlink(missing_ok=True)
    result = same_as_another(label, path, engine, folder)
    if result is None:
        recorded = rows(path)
        kind = label.removeprefix("shared/")
        by_kind = {WHAT_IFS: replay_what_ifs, COSTS: replay_costs, TRAINING: replay_training}
        ask = by_kind.get(WHAT_IFS if kind.startswith(WHAT_IFS) else kind, replay_questions)
        result = ask(label, recorded, path, engine, folder)
    (folder / RESULT).write_text(json.dumps(result | {"recorded": str(path)}))
    return result


def kept_result(folder, path, *newer_than):
    """What replay() left in a folder, unless the recorded file, these scripts or one of the files changed since."""
    kept = folder / RESULT
    sources = [path, *HERE.glob("*.py"), *newer_than]
    if not kept.exists() or any(source.stat().st_mtime >= kept.stat().st_mtime for source in sources):
        return None
    result = json.loads(kept.read_text())
    return result if result["recorded"] == str(path) else None


def same_as_another(label, path, engine, folder):
    """What another NAME's answers to one file of questions showed, where these are the same bytes; else None."""
    for there in ANSWERS.glob(f"*/{label}"):
        if there == folder or (result := kept_result(there, path)) is None or "asked" not in result:
            continue
        got, known = folder / pathlib.Path(result["got"]).name, pathlib.Path(result["got"])
        engine.run(["answer", result["asked"]], got)
        if got.read_bytes() == known.read_bytes():
            return result | {"got": str(got)}
    return None


def replay_questions(label, recorded, path, engine, folder):
    """Of a file that `answer` reads."""
    asked = questions(path, recorded, folder)
    got_path = folder / (asked.name + ".answers")
    status, diagnostics = engine.run(["answer", str(asked)], got_path)
    result = {"got": str(got_path)}
    if status not in (0, 1):
        return result | {"differences": {"(run)": f"exit {status}: {diagnostics[-300:]}"}, "count": 1}
    result["asked"] = str(asked)
    answers = rows(got_path)
    kind = recorded[0]["header"].get("kind")
    if kind == "graph":
        nodes = [line for line in recorded if "name" in line]
        return result | {"differences": graph_differences(nodes, answers), "count": len(nodes)}
    by_id = {name_of(answer): answer for answer in answers}
    comparisons = {symbolic.KIND: symbolic.symbolic_difference, EXPRESSIONS: expression_difference, profiler.KIND: profiler.profiler_difference}
    comparisons |= dict.fromkeys(passes.ASKED, passes.pass_difference)
    comparisons |= dict.fromkeys(ASKED, profile_difference) | dict.fromkeys(transcripts.KINDS, transcripts.session_difference)
    comparisons |= dict.fromkeys(ANSWERED, memory_difference)
    compare = comparisons.get(kind, operator_difference)
    compared = asked_rows(recorded)
    differing = [(v, d) for v in compared if (d := compare(v, by_id.get(name_of(v))))]
    by_name = {name_of(v): d for v, d in differing}
    if label.startswith(COLLECTION):
        result["figures"] = operator_figures(compared, by_id, by_name)
    differences = by_operator(differing) if label.startswith((COLLECTION, "all_passes/")) else by_name
    return result | {"differences": differences, "count": len(compared)}


def replay_what_ifs(_, recorded, path, engine, folder):
    """The same of a program's settings, an item each."""
    program = str(path.parent / recorded[0]["header"]["program"])
    got_path, one, differences = folder / "settings.answers", folder / "setting", {}
    with open(got_path, "w") as got:
        for row in recorded[1:]:
            status, _ = engine.run(["propagate", program, *row["options"], "--format", "jsonl"], one)
            got.write(one.read_text())
            if difference := setting_difference(row, one.read_text().splitlines(), status):
                differences[row["id"].rsplit("/", 1)[-1]] = difference
    return {"differences": differences, "count": len(recorded) - 1, "got": str(got_path)}


def replay_costs(_, recorded, path, engine, folder):
    """The same of programs, three items each."""
    got_path, one, differences = folder / "costs.answers", folder / "program", {}
    inputs = folder / "inputs.json"
    with open(got_path, "w") as got:
        for row in recorded[1:]:
            inputs.write_text(json.dumps({"inputs": row["overrides"].get("inputs", {})}))
            answers = []
            for question in ("memory", "flops"):
                engine.run([question, str(path.parent.parent / row["program"]), "--inputs", str(inputs), "--format", "jsonl"], one)
                answers.append(one.read_text().splitlines())
                got.write(one.read_text())
            differences |= cost_differences(row, *answers)
    programs = [row["id"] for row in recorded[1:]]
    return {"differences": differences, "count": 3 * len(programs), "got": str(got_path), "programs": programs}


def replay_training(_, recorded, path, engine, folder):
    """The same of training steps, two items each."""
    got_path, one, differences = folder / "training.answers", folder / "step", {}
    with open(got_path, "w") as got:
        for row in recorded[1:]:
            engine.run(arguments(row, path.parent.parent / "models"), one)
            got.write(one.read_text())
            differences |= training_differences(row, one.read_text().splitlines())
    return {"differences": differences, "count": 2 * (len(recorded) - 1), "got": str(got_path)}


def by_operator(differing):
    """{"aten::add.out: 3 vectors": what is different in the first}; by pass for passes."""
    found = {}
    for vector, difference in differing:
        found.setdefault(vector.get("op") or vector.get("pass") or "program", []).append((vector["id"], difference))
    return {f"{op}: {len(items)} vectors": f"{items[0][0]}: {items[0][1]}" for op, items in found.items()}


def replay_all(chosen, name, engine):
    """{label: what replay() says}, a process for each processor; the largest files first, so that none is left alone at the end."""
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), initializer=begin, initargs=(name, engine)) as pool:
        return dict(pool.map(replay_one, sorted(chosen, key=lambda item: item[1].stat().st_size, reverse=True)))


def begin(name, engine):
    """What all files of a process have in common. What is read has no cycles, which Python would look for in millions of values."""
    global of_process
    gc.disable()
    of_process = engine, ANSWERS / name


def replay_one(item):
    label, path = item
    return label, replay(label, path, *of_process)


def known_differences():
    with open(HERE / "known_differences.tsv", newline="") as file:
        return {(row["file"], row["item"]): row["reason"] for row in csv.DictReader(file, delimiter="\t")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("command")
    parser.add_argument("--only", default="")
    parser.add_argument("--rewrite", action="store_true")
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--data", type=pathlib.Path)
    args = parser.parse_args()
    command = [os.path.abspath(word) if "/" in word else word for word in shlex.split(args.command)]
    engine = Servers(command) if args.server else Runs(command)
    known, passed, failed, seen = known_differences(), 0, 0, set()

    def report(text):
        nonlocal failed
        failed += 1
        if failed <= 50:
            print(text)

    chosen = [(label, path) for label, path in files(args.data) if args.only in label]
    results = replay_all(chosen, args.name, engine)
    for label, _ in chosen:
        result = results[label]
        passed += result["count"] - len(result["differences"])
        for item, difference in result["differences"].items():
            # The project's own selection holds the same graphs as the larger collection: one row serves both.
            key = (label.removeprefix("shared/"), item)
            seen.add(key)
            if args.rewrite:
                print(f"{key[0]}\t{item}\t{difference}")
            elif known.get(key):
                passed += 1
            else:
                report(f"{label}: {item}: {difference}")
        got = pathlib.Path(result["got"])
        for other in ANSWERS.glob(f"*/{label}/{got.name}"):
            if other != got and other.read_bytes() != got.read_bytes():
                report(f"{label}: {args.name} and {other.relative_to(ANSWERS).parts[0]} answer with different bytes")
    ran = {label.removeprefix("shared/") for label in results}
    programs = {program for result in results.values() for program in result.get("programs", [])}
    for file, item in known:
        # The project's own selection has fewer programs than the larger collection.
        asked = file in ran and (file != COSTS or item.rsplit(" ", 1)[0] in programs)
        if asked and (file, item) not in seen:
            report(f"{file}: {item}: no difference any more, take its row out of known_differences.tsv")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
