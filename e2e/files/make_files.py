"""Writes the .pt2 archives that the specs open: genuine output of torch.export.save, a few kB each.

    python make_files.py          # needs PyTorch 2.13; the files are committed, so tests do not

classifier.pt2  a small convolutional classifier whose `view` has its batch of 4 written into it: with another, the linear after it raises
custom.pt2      a program with an operator of its own, `example::scale_rows`, which no engine can know
"""

import pathlib

import torch
from torch import nn

HERE = pathlib.Path(__file__).parent


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(4))
        self.head = nn.Linear(8 * 4 * 4, 10)

    def forward(self, image):
        features = self.features(image)
        return self.head(features.view(4, -1)).softmax(-1)


@torch.library.custom_op("example::scale_rows", mutates_args=())
def scale_rows(x: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
    return x * factors[:, None]


@scale_rows.register_fake
def _(x, factors):
    return torch.empty_like(x)


class Custom(nn.Module):
    def forward(self, x, factors):
        return torch.relu(scale_rows(x + 1, factors)), x.sum(0)


def own_frames_only(stack_trace):
    """Keeps the frames of this file, with its bare name: the paths of the machine it ran on tell nobody anything."""
    lines = stack_trace.splitlines()
    kept = []
    for index, line in enumerate(lines):
        if f'{pathlib.Path(__file__).name}"' in line:
            kept += [line.replace(str(HERE) + "/", "")] + lines[index + 1 : index + 2]
    return "\n".join(kept)


def save(name, module, *inputs):
    program = torch.export.export(module.eval(), inputs)
    for node in program.graph.nodes:
        if node.stack_trace:
            node.meta["stack_trace"] = own_frames_only(node.stack_trace)
    torch.export.save(program, HERE / name)
    print(name, (HERE / name).stat().st_size, "bytes")


save("classifier.pt2", Classifier(), torch.zeros(4, 3, 16, 16))
save("custom.pt2", Custom(), torch.zeros(3, 5), torch.zeros(3))
