"""Writes the static programs that the what-if specs open: public architectures, exported for one batch and one length.

    python make_models.py    # needs PyTorch 2.13, torchvision and transformers; the files are committed, so tests do not

resnet.json.gz  torchvision's resnet18, of one image of 224 x 224
llama.json.gz   transformers' LlamaForCausalLM, two small layers, of 2 sequences of 16

Nothing of the libraries' sources is kept: of a stack trace only the innermost frame's file, line and function, not the text
of the line. Without it casts of dtypes are guesses.
"""

import gzip
import json
import pathlib
import re
import tempfile
import zipfile

import torch

HERE = pathlib.Path(__file__).parent


def innermost_frame(stack_trace):
    """As `File "modeling_llama.py", line 12, in forward`."""
    frames = re.findall(r'File ".*?([^/"]+)", line (\d+), in (\w+)', stack_trace)
    return 'File "{}", line {}, in {}'.format(*frames[-1]) if frames else ""


def without_sources(data):
    """The same with each stack trace, of graphs inside of nodes too, as one frame."""
    if isinstance(data, list):
        return [without_sources(item) for item in data]
    if not isinstance(data, dict):
        return data
    return {key: innermost_frame(item) if key == "stack_trace" else without_sources(item) for key, item in data.items()}


def save(name, module, inputs):
    program = torch.export.export(module.eval(), (), inputs)
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder, "model.pt2")
        torch.export.save(program, archive)
        with zipfile.ZipFile(archive) as entries:
            (entry,) = [n for n in entries.namelist() if "/models/" in n and n.endswith(".json")]
            exported = json.loads(entries.read(entry))
    exported.pop("guards_code", None)
    exported = without_sources(exported)
    text = json.dumps(exported, separators=(",", ":")).encode()
    target = HERE / f"{name}.json.gz"
    target.write_bytes(gzip.compress(text, 9, mtime=0))
    print(target.name, len(text), "bytes,", target.stat().st_size, "compressed")


def resnet():
    from torchvision.models import resnet18

    return resnet18(), {"x": torch.zeros(1, 3, 224, 224)}


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=256, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=4096, use_cache=False,
    )
    ids = torch.zeros(2, 16, dtype=torch.int64)
    return LlamaForCausalLM(config), {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


save("resnet", *resnet())
save("llama", *llama())
