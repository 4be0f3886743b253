#!/usr/bin/env python3
"""Programs that other PyTorch versions exported, and files that are none: versions.py FAKETENSOR [FOLDER...]

A folder holds one folder of .pt2 files per exporting version, and `wrong`, files that people open by mistake. Every program must open, and
`propagate --check` must find each value that the file records, but for what is known to have changed in between; every wrong file must be
refused by its name. Without folders: data/versions, and ../shared/conformance/versions where that is there. What is in both is
read once.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared" / "conformance" / "versions"

# What each wrong file is, in the words of the error.
WRONG = {
    "aoti.pt2": "an AOTInductor package",
    "ckpt.ckpt": "a checkpoint of torch.save",
    "ep_pickled.pt2": "an ExportedProgram that was pickled",
    "jit_lite.ptl": "a mobile model",
    "jit_script.pt": "a TorchScript archive",
    "legacy.pth": "a checkpoint of torch.save",
    "model.onnx": "an ONNX model",
    "model.safetensors": "a safetensors file",
    "package.pt": "a torch.package archive",
    "state_dict.pth": "a checkpoint of torch.save",
}


def run(command, *args):
    return subprocess.run([command, *map(str, args)], capture_output=True, check=False, text=True)


def check_program(command, path):
    checked, info = run(command, "propagate", path, "--check"), run(command, "info", path)
    problems = [] if checked.returncode == 0 else [f"propagate --check ends with {checked.returncode}:\n{checked.stdout}{checked.stderr}"]
    exporting = ".".join(path.parent.name.split(".")[:2])
    if f"exported by {exporting}, answered as " not in info.stdout:
        problems.append(f"info does not say that it was exported by {exporting}:\n{info.stdout[:300]}{info.stderr}")
    return problems


def check_wrong(command, path):
    info = run(command, "info", path)
    if info.returncode == 2 and WRONG.get(path.name, "unknown") in info.stderr:
        return []
    return [f"is not refused as {WRONG.get(path.name)}: {info.returncode} {info.stderr}"]


def distinct(paths):
    """The paths without those whose bytes an earlier one has under the same version and name."""
    seen = {}
    for path in paths:
        seen.setdefault((path.parent.name, path.name, path.read_bytes()), path)
    return list(seen.values())


def main():
    command, *folders = sys.argv[1:]
    command = str(pathlib.Path(command).resolve())
    folders = folders or [HERE / "data" / "versions", *([SHARED] if SHARED.is_dir() else [])]
    files = distinct(path for folder in map(pathlib.Path, folders) for path in sorted(folder.glob("*/*")) if path.is_file())
    wrong = [path for path in files if path.parent.name == "wrong"]
    programs = [path for path in files if path.parent.name != "wrong"]
    failed = 0
    for check, paths in ((check_program, programs), (check_wrong, wrong)):
        for path in paths:
            problems = check(command, path)
            failed += bool(problems)
            for problem in problems:
                print(f"{path}: {problem}")
    print(f"versions: {len(programs)} programs and {len(wrong)} wrong files, {failed} failed")
    return 1 if failed or not programs or not wrong else 0


if __name__ == "__main__":
    sys.exit(main())
