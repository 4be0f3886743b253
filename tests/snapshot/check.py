#!/usr/bin/env python3
"""Reads the snapshot that `faketensor memory --snapshot` writes as torch.cuda._memory_viz does: check.py FAKETENSOR

The pickle has the fields that memory_viz reads, holds nothing but plain data, and its history, replayed, leaves what its segments hold.
"""
import pathlib
import pickle
import subprocess
import sys
import tempfile

MODEL = pathlib.Path(__file__).resolve().parents[2] / "e2e" / "files" / "llama.json.gz"
SEGMENT = {"device", "address", "total_size", "allocated_size", "active_size", "requested_size", "stream", "segment_type", "segment_pool_id", "is_expandable", "frames", "blocks"}
BLOCK = {"address", "size", "requested_size", "state", "frames"}
EVENT = {"action", "addr", "size", "stream", "time_us", "frames"}
FRAME = {"filename", "line", "name"}


class Plain(pickle.Unpickler):
    """Refuses whatever would be looked up by name."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


def snapshot(command, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "snapshot.pickle"
        subprocess.run([command, "memory", MODEL, "--set", "batch=512", "--snapshot", path, *options], check=True, stdout=subprocess.DEVNULL)
        with open(path, "rb") as file:
            return Plain(file).load()


def check(held):
    live, reserved = {}, 0
    (events,) = held["device_traces"]
    for event in events:
        assert EVENT <= set(event) and all(set(frame) == FRAME for frame in event["frames"]), event
        if event["action"] == "alloc":
            live[event["addr"]] = event["size"]
        elif event["action"] == "free_completed":
            assert live.pop(event["addr"]) == event["size"]
        elif event["action"] in ("segment_alloc", "segment_map"):
            reserved += event["size"]
    blocks = {}
    for segment in held["segments"]:
        assert set(segment) == SEGMENT, segment
        address = segment["address"]
        for block in segment["blocks"]:
            assert set(block) == BLOCK and block["address"] == address, block
            address += block["size"]
            if block["state"] == "active_allocated":
                blocks[block["address"]] = block["requested_size"]
        assert address == segment["address"] + segment["total_size"]
    assert blocks == live and blocks
    assert reserved == sum(segment["total_size"] for segment in held["segments"])
    named = {frame["name"] for event in events for frame in event["frames"]}
    assert "mul_11" in named, sorted(named)[:10]


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    for settings in ("default", "expandable_segments:True"):
        held = snapshot(command, "--allocator", settings)
        assert held["allocator_settings"]["PYTORCH_CUDA_ALLOC_CONF"] == settings.replace("default", "")
        check(held)


if __name__ == "__main__":
    main()
