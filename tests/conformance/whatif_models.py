"""Small models of our own, each with a point at which a program exported for one size, dtype or device is hard to retarget.

`scripts/record_whatif.py` exports them with every setting. The text of their lines is in the programs' stack traces, as a user's is.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn


class ViewFactors(nn.Module):
    """The batch inside products: folded into another dimension and taken out again."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(12, 24)

    def forward(self, x):
        batch, length, width = x.shape
        y = self.linear(x.reshape(-1, width))
        y = y.view(batch, length, 4, 6).permute(0, 2, 1, 3).reshape(batch * 4, length, 6)
        scores = torch.bmm(y, y.transpose(1, 2)).view(batch, 4, length, length)
        return scores.flatten(), y.reshape(-1, 4, length * 6), scores.reshape(batch, -1).unsqueeze(1).expand(batch, 3, -1)


class ClassToken(nn.Module):
    """A patch embedding, a class token expanded over the batch, a table of positions that is added whole."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 8, 8)
        self.token = nn.Parameter(torch.zeros(1, 1, 16))
        self.positions = nn.Parameter(torch.zeros(1, 17, 16))
        self.norm = nn.LayerNorm(16)
        self.head = nn.Linear(16, 5)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        token = self.token.expand(x.shape[0], -1, -1)
        x = torch.cat([token, x], dim=1) + self.positions
        return self.head(self.norm(x)[:, 0])


class PositionTable(nn.Module):
    """Learned positions sliced by the length, positions looked up by arange, a table of sines kept as a buffer."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.learned = nn.Parameter(torch.zeros(1, 64, 16))
        self.looked_up = nn.Embedding(64, 16)
        self.register_buffer("sines", torch.zeros(1, 64, 16), persistent=False)
        self.register_buffer("ids", torch.arange(64).unsqueeze(0))

    def forward(self, tokens):
        length = tokens.size(1)
        x = self.words(tokens) + self.learned[:, :length]
        x = x + self.looked_up(torch.arange(length, device=tokens.device))
        x = x + self.looked_up(self.ids[:, :length])
        return x + self.sines[:, : x.size(1), :]


class CausalMasks(nn.Module):
    """Masks made in three ways, none with a dtype of the model's."""

    def __init__(self):
        super().__init__()
        self.register_buffer("triangle", torch.tril(torch.ones(32, 32)).view(1, 1, 32, 32))

    def forward(self, x):
        length = x.size(-2)
        scores = x @ x.transpose(-1, -2) / math.sqrt(x.size(-1))
        a = scores.masked_fill(self.triangle[:, :, :length, :length] == 0, float("-inf"))
        b = scores + torch.full((length, length), -1e4, device=x.device).triu(1)
        steps = torch.arange(length, device=x.device)
        c = torch.where(steps[:, None] >= steps[None, :], scores, torch.finfo(scores.dtype).min)
        ones = torch.ones(x.size(0), 1, length, length, dtype=torch.bool, device=x.device).tril()
        d = F.scaled_dot_product_attention(x, x, x, attn_mask=ones)
        return a.softmax(-1) @ x, b.softmax(-1).to(x) @ x, c.softmax(-1) @ x, d


class Rotary(nn.Module):
    """Rotary positions: a float32 island that ends with a cast to the dtype of what it turns."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(32, 32)
        self.register_buffer("frequencies", 1.0 / 10000 ** (torch.arange(0, 8, 2).float() / 8), persistent=False)

    def forward(self, x):
        batch, length, _ = x.shape
        q = self.query(x).view(batch, length, 4, 8).transpose(1, 2)
        ids = torch.arange(length, device=x.device).unsqueeze(0)
        expanded = self.frequencies[None, :, None].float().expand(ids.shape[0], -1, 1)
        angles = (expanded @ ids[:, None, :].float()).transpose(1, 2)
        angles = torch.cat((angles, angles), dim=-1)
        cos = angles.cos().to(dtype=x.dtype).unsqueeze(1)
        sin = angles.sin().to(x.dtype).unsqueeze(1)
        turned = torch.cat((-q[..., 4:], q[..., :4]), dim=-1)
        q = q * cos + turned * sin
        weights = F.softmax(q @ q.transpose(2, 3), dim=-1, dtype=torch.float32).to(q.dtype)
        return (weights @ q).transpose(1, 2).reshape(batch, length, -1)


class FloatNorm(nn.Module):
    """A root-mean-square norm computed in float32, and a layer norm that casts its weights."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(16))
        self.inner = nn.Linear(16, 16, bias=False)
        self.norm = nn.LayerNorm(16)

    def forward(self, x):
        kept = x.dtype
        y = x.to(torch.float32)
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        x = x + self.inner(self.weight * y.to(kept))
        z = F.layer_norm(x.float(), (16,), self.norm.weight.float(), self.norm.bias.float())
        return self.inner(z.type_as(x)), x.double().sum(-1), x.float().mean()


class Windows(nn.Module):
    """Attention inside windows of an image, which are rolled."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.bias = nn.Parameter(torch.zeros(1, 2, 16, 16))

    def forward(self, x):
        batch, channels, height, width = x.shape
        y = torch.roll(x.permute(0, 2, 3, 1), shifts=(-2, -2), dims=(1, 2))
        y = y.view(batch, height // 4, 4, width // 4, 4, channels).permute(0, 1, 3, 2, 4, 5)
        windows = y.reshape(-1, 16, channels)
        q, k, v = self.qkv(windows).reshape(windows.shape[0], 16, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        weights = (q @ k.transpose(-2, -1) + self.bias).softmax(-1)
        y = (weights @ v).transpose(1, 2).reshape(windows.shape[0], 16, channels)
        count = (height // 4) * (width // 4)
        y = y.view(windows.shape[0] // count, height // 4, width // 4, 4, 4, channels).permute(0, 1, 3, 2, 4, 5)
        return torch.roll(y.reshape(batch, height, width, channels), shifts=(2, 2), dims=(1, 2))


class Resizing(nn.Module):
    """Pooling and interpolation: by a factor, to a fixed size, to another tensor's size."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, 2, 1)
        self.merge = nn.Conv2d(11, 4, 1)

    def forward(self, image):
        small = F.relu(self.down(image))
        twice = F.interpolate(small, scale_factor=2.0, mode="nearest")
        like = F.interpolate(small, size=image.shape[-2:], mode="bilinear", align_corners=False)
        fixed = F.interpolate(small, size=(32, 48), mode="bilinear")
        merged = self.merge(torch.cat([image, twice + like], 1))
        means = F.avg_pool2d(merged, merged.size()[2:]).view(image.size(0), -1)
        return merged, fixed, F.adaptive_avg_pool2d(merged, (7, 5)), F.adaptive_avg_pool2d(merged, 1).flatten(1), means


class OwnState(nn.Module):
    """A recurrent cell unrolled over the steps, with states that are made without a device or dtype, and of another tensor."""

    def __init__(self):
        super().__init__()
        self.cell = nn.RNNCell(8, 12)
        self.linear = nn.Linear(12, 6)

    def forward(self, x):
        start = torch.zeros(x.size(0), 12, dtype=x.dtype)
        state = start.to(x.device)
        found = []
        for step in range(x.size(1)):
            state = self.cell(x[:, step], state)
            found.append(self.linear(state))
        return torch.stack(found, 1), state, torch.zeros(x.size(0), 3), x.new_zeros(x.size(0), x.size(1), 2)


class Recurrent(nn.Module):
    """The library's recurrent layers: states given, and made by themselves."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(40, 8)
        self.lstm = nn.LSTM(8, 12, num_layers=2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(24, 10)

    def forward(self, tokens):
        x = self.words(tokens)
        start = torch.zeros(4, tokens.size(0), 12, device=x.device, dtype=x.dtype)
        y, (h, c) = self.lstm(x, (start, start))
        z, last = self.gru(y.transpose(0, 1))
        return z.mean(0), h.permute(1, 0, 2).reshape(tokens.size(0), -1), last[-1]


class Coincidences(nn.Module):
    """Sizes that are equal by chance: batch, heads and classes are 4, length and width of a head are 8."""

    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(32, 32), nn.Linear(32, 32)
        self.classes = nn.Linear(32, 4)
        self.mix = nn.Parameter(torch.zeros(4, 4))
        self.steps = nn.Parameter(torch.zeros(8, 8))

    def forward(self, x):
        batch, length = x.shape[:2]
        q = self.query(x).view(batch, length, 4, 8).transpose(1, 2)
        k = self.key(x).view(batch, length, 4, 8).transpose(1, 2)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k)
        mixed = torch.einsum("bhqk,hg->bgqk", scores, self.mix)
        turned = (q @ self.steps).permute(0, 2, 1, 3).reshape(batch, length, 32)
        return mixed.reshape(batch, 4, -1), self.classes(turned).view(batch, -1, 4), self.classes(x).expand(4, batch, length, 4)


def halved(x):
    """Half of four is the batch of two, by chance, and the line that calls this does not show it."""
    return torch.cat([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], dim=-1)


class Chances(nn.Module):
    """Numbers and casts that only their places tell apart."""

    def __init__(self):
        super().__init__()
        self.register_buffer("slopes", torch.randn(1, 64))
        self.expert = nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        turned = halved(x)
        x = x + turned
        start = self.slopes.shape[1] - x.shape[1]
        bias = self.slopes[:, start:]
        scores = x @ x.transpose(1, 2) + bias
        weights = torch.softmax(scores.float(), dim=-1).to(x.dtype)
        mask = x.new_zeros(x.shape[1])
        mask[:2] = 1.5
        x = weights @ x * mask[None, :, None]
        tokens = x.reshape(-1, 4)
        order = torch.argsort(tokens.sum(-1))
        back = torch.empty_like(order)
        back[order] = torch.arange(order.size(0), device=order.device)
        return (tokens[order] @ self.expert)[back].view(x.shape)


class Repeats(nn.Module):
    """Learned queries repeated over the batch, in the ways that there are."""

    def __init__(self):
        super().__init__()
        self.queries = nn.Parameter(torch.zeros(1, 6, 16))
        self.weights = nn.Embedding(6, 16)
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x, padding_mask):
        batch = x.shape[0]
        a = self.queries.repeat(batch, 1, 1)
        b = self.weights.weight.unsqueeze(0).expand(batch, -1, -1)
        c = torch.tile(self.queries, (batch, 1, 1))
        d = self.queries.repeat_interleave(batch, dim=0)
        y, weights = self.attention(a + b + c + d, x, x, key_padding_mask=padding_mask == 0)
        return y, weights, torch.broadcast_to(self.queries[0], (batch, 6, 16))


class LastToken(nn.Module):
    """Indexing by arange over the batch: the last token of each sequence, and one-hot vectors."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30, 16)
        self.out = nn.Linear(16, 3)

    def forward(self, tokens, lengths):
        x = self.words(tokens)
        rows = torch.arange(tokens.shape[0], device=tokens.device)
        last = x[rows, lengths - 1]
        first = x[torch.arange(x.size(0)), tokens.argmax(-1)]
        chosen = x.gather(1, lengths.view(-1, 1, 1).expand(-1, 1, x.size(-1))).squeeze(1)
        hot = F.one_hot(tokens, num_classes=30).to(x.dtype) @ self.words.weight
        return self.out(last + first + chosen), hot


class ScaledWords(nn.Module):
    """Constants of the model's code: a tensor of a number, one of the model's dtype, one made at the start without a device."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30, 16)
        self.scale = torch.tensor(4.0)
        self.register_buffer("normalizer", torch.tensor(2.0), persistent=False)

    def forward(self, tokens):
        x = self.words(tokens)
        normalizer = torch.tensor(16**0.5, dtype=x.dtype)
        y = x * normalizer * self.normalizer.to(x.dtype)
        z = y * self.scale.to(y.device)
        return z, z + torch.tensor([1.0, 2.0], device=x.device).repeat(8)


class CachedAttention(nn.Module):
    """One step of a decoder: keys and values of the past are inputs, the new ones are appended."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(32, 96)
        self.out = nn.Linear(32, 32)

    def forward(self, x, past_key, past_value, attention_mask):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        q = q.view(batch, length, 4, 8).transpose(1, 2)
        k = torch.cat([past_key, k.view(batch, length, 4, 8).transpose(1, 2)], dim=2)
        v = torch.cat([past_value, v.view(batch, length, 4, 8).transpose(1, 2)], dim=2)
        total = k.size(2)
        places = torch.arange(total - length, total, device=x.device)
        allowed = torch.arange(total, device=x.device)[None, :] <= places[:, None]
        bias = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        bias = bias.masked_fill(~allowed[None, None], torch.finfo(x.dtype).min)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.expand(batch, 1, length, total))
        return self.out(y.transpose(1, 2).contiguous().view(batch, length, 32)), k, v


class Mixed(nn.Module):
    """Regions with and without autocast."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x):
        with torch.autocast(x.device.type, dtype=torch.bfloat16):
            y = self.first(x)
        with torch.autocast(x.device.type, enabled=False):
            z = (y.float() @ y.float().transpose(-1, -2)).softmax(-1)
        return self.second(z.to(x.dtype) @ x), y.to(x)


class Towers(nn.Module):
    """Two inputs with batches of their own, each against each."""

    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(12, 8), nn.Embedding(20, 8)
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, image, text):
        a = F.normalize(self.image(image).mean(1), dim=-1)
        b = F.normalize(self.text(text).sum(1), dim=-1)
        logits = self.scale.exp() * a @ b.t()
        return logits, logits.T, torch.cat([a, b], 0), a[:, None].expand(-1, b.size(0), -1).reshape(-1, 8)


class Relative(nn.Module):
    """Relative positions in buckets, as a bias that depends on the length only."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Embedding(16, 4)
        self.qkv = nn.Linear(16, 48)

    def forward(self, x):
        batch, length, width = x.shape
        context = torch.arange(length, dtype=torch.long, device=x.device)[:, None]
        memory = torch.arange(length, dtype=torch.long)[None, :].to(x.device)
        away = (memory - context).abs()
        large = 8 + (torch.log(away.float() / 8 + 1.0) / math.log(16) * 8).to(torch.long)
        buckets = torch.where(away < 8, away, torch.min(large, torch.full_like(large, 15)))
        bias = self.bias(buckets).permute(2, 0, 1).unsqueeze(0)
        q, k, v = self.qkv(x).view(batch, length, 3, 4, -1).permute(2, 0, 3, 1, 4)
        weights = F.softmax((q @ k.mT + bias).float(), dim=-1).type_as(q)
        return (weights @ v).transpose(1, 2).flatten(2)


class PaddingMask(nn.Module):
    """The common encoder: a mask of zeros and ones turned into a bias of the model's dtype, and means over what is not padding."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30, 16)
        self.qkv = nn.Linear(16, 48)

    def forward(self, tokens, attention_mask):
        x = self.words(tokens)
        bias = (1.0 - attention_mask[:, None, None, :].to(dtype=self.qkv.weight.dtype)) * -10000.0
        q, k, v = (t.unflatten(-1, (4, 4)).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        y = (torch.matmul(q, k.transpose(-1, -2)) / 2.0 + bias).softmax(dim=-1) @ v
        y = y.transpose(1, 2).reshape(*tokens.shape, 16)
        mask = attention_mask.unsqueeze(-1).expand(y.size()).float()
        types = torch.zeros(tokens.size(), dtype=torch.long, device=tokens.device)
        return (y * mask).sum(1) / mask.sum(1).clamp(min=1e-9), self.words(types) + y


class Grid(nn.Module):
    """Coordinates of an image's pixels, and sines of time steps: tables computed from sizes in float32."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(5, 8, 3, padding=1)
        self.time = nn.Linear(16, 8)

    def forward(self, image, time):
        batch, _, height, width = image.shape
        ys = torch.linspace(-1, 1, height, device=image.device)
        xs = torch.linspace(-1, 1, width, device=image.device, dtype=image.dtype)
        grid = torch.stack(torch.meshgrid(ys.to(image.dtype), xs, indexing="ij")).unsqueeze(0).repeat(batch, 1, 1, 1)
        frequencies = torch.exp(-math.log(1e4) * torch.arange(0, 8, dtype=torch.float32, device=time.device) / 8)
        angles = time[:, None].float() * frequencies[None]
        steps = torch.cat([angles.sin(), angles.cos()], -1).to(image.dtype)
        y = self.conv(torch.cat([image, grid], 1)) + self.time(steps)[:, :, None, None]
        tokens = y.view(batch, 8, height * width).permute(0, 2, 1)
        return tokens, F.pad(y, (0, -width % 5, 0, -height % 5)), F.unfold(y, 4, stride=4).view(batch, 8, 16, -1)


class Chunks(nn.Module):
    """A sequence in pieces of a fixed length, with padding to a whole number of them."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        batch, length, width = x.shape
        padded = F.pad(x, (0, 0, 0, -length % 6))
        pieces = padded.view(batch, padded.size(1) // 6, 6, width)
        y = self.linear(pieces) + pieces.mean(2, keepdim=True)
        back = y.reshape(batch, -1, width)[:, :length]
        halves = x.unfold(1, 4, 2)
        return back, halves, torch.stack(x[:, : length - length % 2].split(2, dim=1), 1).sum(2)


class Experts(nn.Module):
    """A mixture of experts without data-dependent sizes: every token through every expert, weighted."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(16, 4, bias=False)
        self.up = nn.Parameter(torch.zeros(4, 16, 32))
        self.down = nn.Parameter(torch.zeros(4, 32, 16))

    def forward(self, x):
        batch, length, width = x.shape
        tokens = x.view(-1, width)
        chances = F.softmax(self.gate(tokens), dim=1, dtype=torch.float)
        best, chosen = torch.topk(chances, 2, dim=-1)
        best = (best / best.sum(-1, keepdim=True)).to(x.dtype)
        weights = torch.zeros(batch * length, 4, dtype=x.dtype, device=x.device).scatter(1, chosen, best)
        y = torch.bmm(tokens.repeat(4, 1).view(4, -1, width), self.up)
        y = torch.bmm(F.silu(y), self.down).view(4, batch, length, width)
        return (y * weights.t().view(4, batch, length, 1)).sum(0), torch.cat((chances, chances), 0)


class GroupedHeads(nn.Module):
    """Fewer keys than queries, repeated by an expansion of a new dimension."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = nn.Linear(32, 32), nn.Linear(32, 8), nn.Linear(32, 8), nn.Linear(32, 32)

    def forward(self, x):
        shape = (*x.shape[:-1], -1, 4)
        q, k, v = (layer(x).view(shape).transpose(1, 2) for layer in (self.q, self.k, self.v))
        k = k[:, :, None].expand(*k.shape[:2], 4, *k.shape[2:]).reshape(x.size(0), 8, x.size(1), 4)
        v = v.repeat_interleave(4, dim=1)
        mask = torch.zeros(x.size(1), x.size(1), dtype=x.dtype, device=x.device).fill_diagonal_(1.0)[None, None].expand(x.size(0), 1, -1, -1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.o(y.transpose(1, 2).contiguous().reshape(*x.shape[:-1], -1))


class Statistics(nn.Module):
    """Statistics over the batch, numbers of the code that hold sizes, and a running count."""

    def __init__(self):
        super().__init__()
        self.norm = nn.GroupNorm(2, 6)
        self.register_buffer("eye", torch.eye(6))

    def forward(self, x):
        batch, channels, length = x.shape
        centred = x - x.mean(0, keepdim=True)
        covariance = torch.einsum("bcl,bdl->cd", centred, centred) / (batch * length)
        share = x.sum((0, 2)) * (1.0 / batch)
        grouped = x.view(1, batch * channels, length)
        normed = F.instance_norm(grouped).view_as(x)
        return covariance + self.eye, share, self.norm(normed), torch.full((batch,), length, device=x.device), torch.eye(length, dtype=x.dtype, device=x.device) @ x.mT


LONG, FLOAT = "int64", "float32"


def model(make, sizes, **inputs):
    return {"make": make, "sizes": sizes, "inputs": inputs}


TEXT, IMAGE = {"batch": 2, "seq": 10}, {"batch": 2, "height": 32, "width": 64}

MODELS = {
    "view_factors": model(ViewFactors, TEXT, x=(FLOAT, "batch", "seq", 12)),
    "class_token": model(ClassToken, {"batch": 3}, image=(FLOAT, "batch", 3, 32, 32)),
    "position_table": model(PositionTable, TEXT, tokens=(LONG, "batch", "seq")),
    "causal_masks": model(CausalMasks, TEXT, x=(FLOAT, "batch", 2, "seq", 8)),
    "rotary": model(Rotary, TEXT, x=(FLOAT, "batch", "seq", 32)),
    "float_norm": model(FloatNorm, TEXT, x=(FLOAT, "batch", "seq", 16)),
    "windows": model(Windows, IMAGE, x=(FLOAT, "batch", 8, "height", "width")),
    "resizing": model(Resizing, IMAGE, image=(FLOAT, "batch", 3, "height", "width")),
    "own_state": model(OwnState, {"batch": 3, "seq": 4}, x=(FLOAT, "batch", "seq", 8)),
    "recurrent": model(Recurrent, TEXT, tokens=(LONG, "batch", "seq")),
    "coincidences": model(Coincidences, {"batch": 4, "seq": 8}, x=(FLOAT, "batch", "seq", 32)),
    "chances": model(Chances, {"batch": 2, "seq": 6}, x=(FLOAT, "batch", "seq", 4)),
    "repeats": model(Repeats, TEXT, x=(FLOAT, "batch", "seq", 16), padding_mask=(LONG, "batch", "seq")),
    "last_token": model(LastToken, TEXT, tokens=(LONG, "batch", "seq"), lengths=(LONG, "batch")),
    "scaled_words": model(ScaledWords, TEXT, tokens=(LONG, "batch", "seq")),
    "cached_attention": model(
        CachedAttention,
        {"batch": 2, "seq": 3, "past": 9},
        x=(FLOAT, "batch", "seq", 32),
        past_key=(FLOAT, "batch", 4, "past", 8),
        past_value=(FLOAT, "batch", 4, "past", 8),
        attention_mask=(LONG, "batch", "past+seq"),
    ),
    "mixed": model(Mixed, TEXT, x=(FLOAT, "batch", "seq", 16)),
    "towers": model(Towers, {"batch": 2, "texts": 6, "seq": 9}, image=(FLOAT, "batch", 4, 12), text=(LONG, "texts", "seq")),
    "relative": model(Relative, TEXT, x=(FLOAT, "batch", "seq", 16)),
    "padding_mask": model(PaddingMask, TEXT, tokens=(LONG, "batch", "seq"), attention_mask=(LONG, "batch", "seq")),
    "grid": model(Grid, IMAGE, image=(FLOAT, "batch", 3, "height", "width"), time=(LONG, "batch")),
    "chunks": model(Chunks, TEXT, x=(FLOAT, "batch", "seq", 8)),
    "experts": model(Experts, TEXT, x=(FLOAT, "batch", "seq", 16)),
    "grouped_heads": model(GroupedHeads, TEXT, x=(FLOAT, "batch", "seq", 32)),
    "statistics": model(Statistics, TEXT, x=(FLOAT, "batch", 6, "seq")),
}
