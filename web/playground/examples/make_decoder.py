"""Writes decoder.json.gz, the program the playground opens on: two decoder blocks in the proportions of Llama-3-8B.

    python make_decoder.py            # needs PyTorch 2.13; nothing of the build does

The program is exported under FakeTensorMode, so no weight is ever allocated. Sizes come from the tensors themselves
(`flatten`, `unflatten`, slices) and never from Python integers, so that batch and sequence length can be changed afterwards.
"""

import export
import torch
from torch import nn
from torch._subclasses import FakeTensorMode

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, INTERMEDIATE, VOCAB = 4096, 32, 8, 128, 14336, 128256


class RMSNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        variance = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(variance + 1e-5))


class RotaryEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / 500000.0 ** (torch.arange(0, HEAD_DIM, 2) / HEAD_DIM))

    def forward(self, positions):
        angles = positions.unsqueeze(-1) * self.inv_freq
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos().unsqueeze(1), angles.sin().unsqueeze(1)


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj = nn.Linear(HIDDEN, HEADS * HEAD_DIM, bias=False)
        self.k_proj = nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM, bias=False)
        self.v_proj = nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM, bias=False)
        self.o_proj = nn.Linear(HEADS * HEAD_DIM, HIDDEN, bias=False)

    def forward(self, x, cos, sin):
        query = self.q_proj(x).unflatten(-1, (-1, HEAD_DIM)).transpose(1, 2)
        key = self.k_proj(x).unflatten(-1, (-1, HEAD_DIM)).transpose(1, 2)
        value = self.v_proj(x).unflatten(-1, (-1, HEAD_DIM)).transpose(1, 2)
        query = query * cos + rotate_half(query) * sin
        key = key * cos + rotate_half(key) * sin
        key = key.repeat_interleave(HEADS // KV_HEADS, dim=1)
        value = value.repeat_interleave(HEADS // KV_HEADS, dim=1)
        context = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.o_proj(context.transpose(1, 2).flatten(-2))


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj = nn.Linear(HIDDEN, INTERMEDIATE, bias=False)
        self.up_proj = nn.Linear(HIDDEN, INTERMEDIATE, bias=False)
        self.down_proj = nn.Linear(INTERMEDIATE, HIDDEN, bias=False)

    def forward(self, x):
        return self.down_proj(nn.functional.silu(self.gate_proj(x)) * self.up_proj(x))


class DecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.input_norm = RMSNorm(HIDDEN)
        self.self_attn = Attention()
        self.post_norm = RMSNorm(HIDDEN)
        self.mlp = MLP()

    def forward(self, x, cos, sin):
        x = x + self.self_attn(self.input_norm(x), cos, sin)
        return x + self.mlp(self.post_norm(x))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(VOCAB, HIDDEN)
        self.rotary = RotaryEmbedding()
        self.layers = nn.ModuleList(DecoderLayer() for _ in range(2))
        self.norm = RMSNorm(HIDDEN)
        self.lm_head = nn.Linear(HIDDEN, VOCAB, bias=False)

    def forward(self, input_ids, position_ids):
        x = self.embed_tokens(input_ids)
        cos, sin = self.rotary(position_ids)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.lm_head(self.norm(x))


def main():
    with FakeTensorMode():
        model = Decoder().eval()
        input_ids = torch.zeros(2, 2048, dtype=torch.int64)
        position_ids = torch.zeros(2, 2048, dtype=torch.int64)
        program = torch.export.export(model, (input_ids, position_ids))
    export.write("decoder", export.json_of(program), "decoder")


if __name__ == "__main__":
    main()
