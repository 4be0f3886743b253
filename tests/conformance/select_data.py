#!/usr/bin/env python3
"""Selects the project's own recorded answers from a larger collection: select_data.py COLLECTION [--command build/bin/faketensor]

Graphs: the architectures named below, their static and decomposed programs with all answer sets that replay.py asks for, and PyTorch's texts of some.
Operators: of every overload that has a rule, up to six vectors, spread over those that the given command answers as recorded; they hold
what is reached. What is not reached is seen by scoring the whole collection.
Calls with symbolic sizes: of every overload in a file up to two, likewise.
Profiler: every third transcript that is short.
Transcripts: those that the command answers as recorded, of programs every fourth.
Schemas: of every overload of PyTorch its schema, where it is registered, and who answers for it in FakeTensorMode.
"""
import argparse
import collections
import gzip
import json
import pathlib
import shutil
import subprocess
import tempfile

import profiler
import symbolic
import transcripts
from compare import operator_difference
from profiles import ASKED
from replay import SETS, VARIANTS, name_of, rows

HERE = pathlib.Path(__file__).resolve().parent
MODELS = """bert_base clip cond_mlp crf_viterbi detr dlrm fno gcn gpt2 item_sizes kv_cache llama_small_eager losses lstm_text mamba2 map_mlp
mixtral nonzero_select resnet18 rnn_cells sampling_sorts scan_rnn shufflenet_v2_x1_0 swin3d_t t5_small unet_small vae vit_b_16 wavenet whisper_tiny""".split()
PER_OVERLOAD = 6
PER_SYMBOLIC_OVERLOAD = 2


def select_graphs(collection):
    for model in MODELS:
        for path in sorted((collection / "models" / model).glob("*.gz")):
            parts = path.name.split(".")
            is_text = parts[1] == "graph"  # str(gm.graph), which tests/unit/io/graph_text_test.cpp reads
            if parts[0] in VARIANTS and (parts[1] == "json" or is_text or (parts[1] in SETS and parts[2] == "answers")):
                target = HERE / "data" / "models" / model / path.name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
                target.chmod(0o644)


def answers_to(vectors, command):
    """{id: what the command answers}"""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as questions:
        questions.writelines(json.dumps(v) + "\n" for v in vectors)
        questions.flush()
        answers = subprocess.run([command, "answer", questions.name], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {name_of(a): a for a in map(json.loads, answers.splitlines())}


def select_calls(paths, folder, command, difference, of_each):
    """Of each overload in a file some vectors, spread over those that are answered as recorded."""
    for path in sorted(paths):
        vectors = rows(path)
        by_id = answers_to(vectors, command)
        good = collections.defaultdict(list)
        for vector in vectors[1:]:
            if difference(vector, by_id[vector["id"]]) is None:
                good[vector["op"]].append(vector)
        chosen = [v for found in good.values() for v in found[:: max(1, len(found) // of_each)][:of_each]]
        if not chosen:
            continue
        header = {"header": {**vectors[0]["header"], "count": len(chosen)}}
        write_rows(HERE / "data" / folder / path.name, [header, *chosen])


def select_operators(collection, command):
    select_calls((collection / "ops").glob("*.jsonl.gz"), "ops", command, operator_difference, PER_OVERLOAD)


def select_symbolic(collection, command):
    recorded = [*(collection / "symbolic").glob("ops-*.jsonl.gz"), *(collection / "symbolic").glob("calls-*.jsonl.gz")]
    select_calls(recorded, "symbolic", command, symbolic.symbolic_difference, PER_SYMBOLIC_OVERLOAD)


def write_rows(target, rows_to_write):
    """Gzipped JSON lines; the same rows are the same bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as out:
        for row in rows_to_write:
            out.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")


def select_profiles(collection):
    """All rows with a name of their own, and every tenth of the random ones."""
    for kind in ASKED:
        path = collection / f"{kind}.jsonl.gz"
        header, *recorded = rows(path)
        named = [row for row in recorded if "/random/" not in row["id"]]
        chosen = named + [row for row in recorded if "/random/" in row["id"]][::10]
        write_rows(HERE / "data" / "profiles" / path.name, [{"header": {**header["header"], "count": len(chosen)}}, *chosen])


def select_memory(collection):
    """Transcripts of the allocator: those with a name of their own, and every twelfth of the others; the smallest model of each kind."""
    for name, every in (("allocator", 12), ("models", 1)):
        path = collection / "memory" / f"{name}.jsonl.gz"
        header, *recorded = rows(path)
        small = ("model/mlp/", "model/convnet/inference")
        named = [row for row in recorded if row["id"].startswith(("allocator/limit/", "allocator/parse/", "allocator/pattern/", "allocator/gc/", *small))]
        other = [row for row in recorded if row["id"].startswith("allocator/") and row not in named]
        chosen = named + other[::every]
        write_rows(HERE / "data" / "memory" / path.name, [{"header": {**header["header"], "count": len(chosen)}}, *chosen])


def select_profiler(collection):
    header, *recorded = rows(collection / "profiler" / "transcripts.jsonl.gz")
    short = [row for row in recorded if len(json.dumps(row)) < 12000 and next(profiler.asked_twice([header, row]), None)]
    chosen = [{key: value for key, value in row.items() if key not in ("program", "chrome")} for row in short[::3]]
    write_rows(HERE / "data" / "profiler" / "selected.jsonl.gz", [{"header": {**header["header"], "count": len(chosen)}}, *chosen])


def select_expressions(collection):
    """Every tenth environment with its facts and questions."""
    for path in sorted((collection / "symbolic").glob("exprs*.jsonl.gz")):
        header, *recorded = rows(path)
        chosen = recorded[::10]
        write_rows(HERE / "data" / "symbolic" / path.name, [{"header": {**header["header"], "count": len(chosen)}}, *chosen])


def select_transcripts(collection, command):
    for path in [*(collection / "sessions").glob("*.jsonl.gz"), *(collection / "symbolic").glob("programs*.jsonl.gz")]:
        header, *recorded = rows(path)
        by_id = answers_to([header, *map(transcripts.question, recorded)], command)
        good = [row for row in recorded if transcripts.session_difference(row, by_id.get(name_of(row))) is None]
        chosen = good if path.parent.name == "sessions" else good[::4]
        write_rows(HERE / "data" / "sessions" / path.name, [{"header": {**header["header"], "count": len(chosen)}}, *chosen])


def select_schemas(collection):
    header, *operators = rows(collection / "schemas" / "ops.jsonl.gz")
    chosen = [{"header": {key: header["header"][key] for key in ("torch", "target", "kind", "count")}}]
    for operator in operators:
        row = {"schema": operator["schema"], "registered": operator["registered"]}
        if "answers" in operator:
            row["answers"], row["by"] = operator["answers"]["static"], operator["answers"].get("static_fn")
        chosen.append({key: value for key, value in row.items() if value is not None})
    write_rows(HERE / "data" / "schemas" / "ops.jsonl.gz", chosen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", type=pathlib.Path)
    parser.add_argument("--command", default="build/bin/faketensor")
    args = parser.parse_args()
    select_schemas(args.collection)
    select_profiles(args.collection)
    select_memory(args.collection)
    select_profiler(args.collection)
    select_expressions(args.collection)
    select_graphs(args.collection)
    select_operators(args.collection, args.command)
    select_symbolic(args.collection, args.command)
    select_transcripts(args.collection, args.command)


if __name__ == "__main__":
    main()
