"""Writes the programs of the page's menu of examples beside this file: vision, llm, diffusion, training and error (.json.gz).

    python make_examples.py [NAME...]    # needs PyTorch 2.13; nothing of the build does

Weights are not written, and but for the small one of `training`, which torch.export exports twice, never allocated. Each shows something else:

    vision      fixed sizes: a ResNet-18; batch, image size, dtype and device follow
    llm         symbols: a decoder exported with a dynamic batch and length, and the guards of it
    diffusion   a U-Net with attention and a time embedding, whose memory peaks far from its weights
    training    forward and backward of a classifier with its loss, as one graph
    error       a classifier that meets images of another size than its last layer was made for
"""

import sys
from contextlib import nullcontext

import export
import torch
from torch import nn
from torch._subclasses import FakeTensorMode
from torch.export import Dim
from torch.export.experimental import _export_forward_backward


# ---- vision


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        x = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(x)) + identity)


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        widths = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
        for index, (inputs, outputs, stride) in enumerate(widths, 1):
            setattr(self, f"layer{index}", nn.Sequential(BasicBlock(inputs, outputs, stride), BasicBlock(outputs, outputs, 1)))
        self.fc = nn.Linear(512, 1000)

    def forward(self, image):
        x = self.maxpool(torch.relu(self.bn1(self.conv1(image))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


def vision():
    model = ResNet18().eval()
    return export.json_of(torch.export.export(model, (torch.zeros(8, 3, 224, 224),)))


# ---- llm


class RMSNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(size, 3 * size, bias=False)
        self.out = nn.Linear(size, size, bias=False)

    def forward(self, x):
        batch, length, size = x.shape
        query, key, value = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        context = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(context.transpose(1, 2).reshape(batch, length, size))


class Block(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.norm1 = RMSNorm(size)
        self.attention = Attention(size, heads)
        self.norm2 = RMSNorm(size)
        self.mlp = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class LanguageModel(nn.Module):
    def __init__(self, vocabulary=50304, size=2048, heads=16, layers=8, longest=4096):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, size)
        self.positions = nn.Embedding(longest, size)
        self.blocks = nn.ModuleList(Block(size, heads) for _ in range(layers))
        self.norm = RMSNorm(size)
        self.head = nn.Linear(size, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def llm():
    model = LanguageModel().eval()
    shapes = {"tokens": {0: Dim("batch", min=1, max=256), 1: Dim("length", min=2, max=4096)}}
    return export.json_of(torch.export.export(model, (torch.zeros(4, 1024, dtype=torch.int64),), dynamic_shapes=shapes))


# ---- diffusion


class ResidualBlock(nn.Module):
    def __init__(self, inputs, outputs, time):
        super().__init__()
        self.norm1 = nn.GroupNorm(32, inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.time = nn.Linear(time, outputs)
        self.norm2 = nn.GroupNorm(32, outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, time):
        h = self.conv1(nn.functional.silu(self.norm1(x)))
        h = h + self.time(nn.functional.silu(time))[:, :, None, None]
        return self.skip(x) + self.conv2(nn.functional.silu(self.norm2(h)))


class SpatialAttention(nn.Module):
    def __init__(self, channels, heads=8):
        super().__init__()
        self.norm = nn.GroupNorm(32, channels)
        self.heads = heads
        self.qkv = nn.Conv1d(channels, 3 * channels, 1)
        self.out = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        h = self.norm(x).flatten(2)
        query, key, value = self.qkv(h).unflatten(1, (3, self.heads, -1)).transpose(-1, -2).unbind(1)
        h = nn.functional.scaled_dot_product_attention(query, key, value)
        h = self.out(h.transpose(-1, -2).flatten(1, 2))
        return x + h.view_as(x)


class Stage(nn.Module):
    def __init__(self, inputs, outputs, time, attention):
        super().__init__()
        self.block = ResidualBlock(inputs, outputs, time)
        self.attention = SpatialAttention(outputs) if attention else nn.Identity()

    def forward(self, x, time):
        return self.attention(self.block(x, time))


class UNet(nn.Module):
    def __init__(self, channels=128, multiples=(1, 2, 4, 4)):
        super().__init__()
        time = 4 * channels
        self.channels = channels
        self.time = nn.Sequential(nn.Linear(channels, time), nn.SiLU(), nn.Linear(time, time))
        self.first = nn.Conv2d(4, channels, 3, padding=1)
        widths = [channels * multiple for multiple in multiples]
        self.down, self.shrink = nn.ModuleList(), nn.ModuleList()
        width = channels
        for level, outputs in enumerate(widths):
            self.down.append(Stage(width, outputs, time, attention=level > 0))
            self.shrink.append(nn.Conv2d(outputs, outputs, 3, 2, 1))
            width = outputs
        self.middle = Stage(width, width, time, attention=True)
        self.up, self.grow = nn.ModuleList(), nn.ModuleList()
        for level, outputs in reversed(list(enumerate(widths))):
            self.grow.append(nn.Conv2d(width, width, 3, padding=1))
            self.up.append(Stage(width + outputs, outputs, time, attention=level > 0))
            width = outputs
        self.norm = nn.GroupNorm(32, channels)
        self.last = nn.Conv2d(channels, 4, 3, padding=1)

    def forward(self, latent, step):
        rates = torch.exp(torch.arange(self.channels // 2, device=step.device) * (-9.2 / (self.channels // 2)))
        angles = step[:, None] * rates
        time = self.time(torch.cat((angles.sin(), angles.cos()), -1))
        x = self.first(latent)
        kept = []
        for stage, shrink in zip(self.down, self.shrink):
            x = stage(x, time)
            kept.append(x)
            x = shrink(x)
        x = self.middle(x, time)
        for grow, stage in zip(self.grow, self.up):
            x = grow(nn.functional.interpolate(x, scale_factor=2.0))
            x = stage(torch.cat((x, kept.pop()), 1), time)
        return self.last(nn.functional.silu(self.norm(x)))


def diffusion():
    model = UNet().eval()
    return export.json_of(torch.export.export(model, (torch.zeros(2, 4, 64, 64), torch.zeros(2))))


# ---- training


class Classifier(nn.Module):
    """A small vision transformer with its loss."""

    def __init__(self, size=384, heads=6, layers=2, classes=100):
        super().__init__()
        self.patches = nn.Conv2d(3, size, 16, 16)
        self.blocks = nn.ModuleList(Block(size, heads) for _ in range(layers))
        self.norm = RMSNorm(size)
        self.head = nn.Linear(size, classes)

    def forward(self, image, label):
        x = self.patches(image).flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        return nn.functional.cross_entropy(self.head(self.norm(x).mean(1)), label)


def training():
    inputs = (torch.zeros(16, 3, 224, 224), torch.zeros(16, dtype=torch.int64))
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        program = torch.export.export(Classifier(), inputs)
        return export.json_of(_export_forward_backward(program))


# ---- error


class Vgg(nn.Module):
    def __init__(self, pixels):
        super().__init__()
        layers, width = [], 3
        for outputs, count in ((64, 1), (128, 1), (256, 2), (512, 2), (512, 2)):
            for _ in range(count):
                layers += [nn.Conv2d(width, outputs, 3, padding=1), nn.ReLU()]
                width = outputs
            layers.append(nn.MaxPool2d(2, 2))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Linear(512 * (pixels // 32) ** 2, 4096), nn.ReLU(), nn.Linear(4096, 1000))

    def forward(self, image):
        return self.classifier(torch.flatten(self.features(image), 1))


def error():
    exported = export.json_of(torch.export.export(Vgg(pixels=192).eval(), (torch.zeros(8, 3, 192, 192),)))
    # The weight of the first linear layer is that of the model for 224 pixels.
    weight = exported["graph_module"]["graph"]["tensor_values"]["p_classifier_0_weight"]
    weight["sizes"][1]["as_int"] = weight["strides"][0]["as_int"] = 512 * 7 * 7
    return exported


def main(names):
    for make in (vision, llm, diffusion, training, error):
        if names and make.__name__ not in names:
            continue
        with nullcontext() if make is training else FakeTensorMode():
            exported = make()
        export.write(make.__name__, exported, make.__name__)


if __name__ == "__main__":
    main(sys.argv[1:])
