#!/usr/bin/env python3
"""Programs that other PyTorch versions exported, and files that are none: versions.py FAKETENSOR [FOLDER...]

A folder holds one folder of .pt2 files per exporting version, and `wrong`, files that people open by mistake. Every program must open, and
`propagate --check` must find each value that the file records, but for what is known to have changed in between; every wrong file must be
refused by its name. Without folders: data/versions, and ../shared/conformance/versions where that is there.
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


def main():
    command, *folders = sys.argv[1:]
    command = str(pathlib.Path(command).resolve())
    count, failed = 0, 0
    for folder in map(pathlib.Path, folders or [HERE / "data" / "versions", *([SHARED] if SHARED.is_dir() else [])]):
        for path in sorted(path for path in folder.glob("*/*") if path.is_file()):
            problems = (check_wrong if path.parent.name == "wrong" else check_program)(command, path)
            count, failed = count + 1, failed + bool(problems)
            for problem in problems:
                print(f"{path}: {problem}")
    print(f"versions: {count} files, {failed} wrong")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
