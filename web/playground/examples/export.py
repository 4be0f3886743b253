"""What the examples' makers share: a program exported without memory for weights, written as small JSON that tells nothing of the
machine it was made on."""

import gzip
import json
import pathlib
import tempfile
import zipfile

import torch

FOLDER = pathlib.Path(__file__).parent


def json_of(program):
    """The JSON of an ExportedProgram, as torch.export.save writes it into the archive."""
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder, "model.pt2")
        torch.export.save(program, archive)
        with zipfile.ZipFile(archive) as entries:
            (name,) = [n for n in entries.namelist() if "/models/" in n and n.endswith(".json")]
            return json.loads(entries.read(name))


def own_frames_only(stack_trace):
    """Keeps the frames of the examples' files, with their bare names: paths of a machine tell nobody anything."""
    lines = stack_trace.splitlines()
    kept = []
    for index, line in enumerate(lines):
        if f'File "{FOLDER}/' in line:
            kept += [line.replace(f"{FOLDER}/", "")] + lines[index + 1 : index + 2]
    return "\n".join(kept)


def write(name, exported, module):
    """Writes NAME.json.gz. `module` stands for __main__ in the names of classes."""
    for node in exported["graph_module"]["graph"]["nodes"]:
        if "stack_trace" in node["metadata"]:
            node["metadata"]["stack_trace"] = own_frames_only(node["metadata"]["stack_trace"])
        for key in ("nn_module_stack", "torch_fn"):
            if key in node["metadata"]:
                node["metadata"][key] = node["metadata"][key].replace("__main__.", f"{module}.")
    text = json.dumps(exported, separators=(",", ":")).encode()
    target = FOLDER / f"{name}.json.gz"
    target.write_bytes(gzip.compress(text, 9, mtime=0))
    print(f"{target}: {len(text)} bytes, {target.stat().st_size} compressed")
