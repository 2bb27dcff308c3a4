"""Writes models with random weights in the GGUF format, with all that a server needs to run one.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

__all__ = ["write_model"]

ALIGNMENT = 32
# The numbers of the format.
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
UNKNOWN, NORMAL, CONTROL, BYTE = 2, 1, 3, 6

# Every byte is a token, so that any text can be encoded; printable characters are tokens too, so
# that a grammar can be followed.
SPECIAL = ("<unk>", "<s>", "</s>")
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
VISIBLE = ("\u2581", *map(chr, range(33, 127)))
TOKENS = (*SPECIAL, *BYTES, *VISIBLE)
KINDS = (UNKNOWN, CONTROL, CONTROL, *(BYTE,) * len(BYTES), *(NORMAL,) * len(VISIBLE))


def write_model(
    path: Path, template: str, *, context: int = 32_768, width: int = 64, layers: int = 2
) -> None:
    """Write a model, of half a megabyte by default.

    Parameters
    ----------
    path : Path
    template : str
        Its chat template.
    context : int
        How many tokens it can read.
    width, layers : int
        How large it is.
    """
    heads, inner = 4, 2 * width
    facts = {
        "general.architecture": "llama",
        "llama.context_length": context,
        "llama.embedding_length": width,
        "llama.block_count": layers,
        "llama.feed_forward_length": inner,
        "llama.attention.head_count": heads,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": width // heads,
        "tokenizer.chat_template": template,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.scores": (0.0,) * len(TOKENS),
        "tokenizer.ggml.token_type": KINDS,
        "tokenizer.ggml.bos_token_id": SPECIAL.index("<s>"),
        "tokenizer.ggml.eos_token_id": SPECIAL.index("</s>"),
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.add_space_prefix": False,
    }
    shapes = {"token_embd": (len(TOKENS), width), "output_norm": (width,)}
    shapes["output"] = len(TOKENS), width
    for layer in range(layers):
        block = dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (width, width))
        block |= {"attn_norm": (width,), "ffn_norm": (width,)}
        block |= {"ffn_gate": (inner, width), "ffn_up": (inner, width), "ffn_down": (width, inner)}
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in block.items()}
    # Large weights repeat themselves; with these, all that a grammar allows is about equally
    # likely.
    noise = np.random.default_rng(0).standard_normal(10_007, dtype=np.float32) / width
    tensors = {f"{name}.weight": np.resize(noise, shape) for name, shape in shapes.items()}
    path.write_bytes(_gguf(facts, tensors))


def _gguf(facts: Mapping[str, object], tensors: Mapping[str, np.ndarray]) -> bytes:
    parts = [struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(facts))]
    parts += [_string(name) + _fact(value) for name, value in facts.items()]
    offset = 0
    for name, tensor in tensors.items():
        sizes, of_floats = reversed(tensor.shape), 0
        layout = f"<I{tensor.ndim}QIQ"
        parts += [_string(name), struct.pack(layout, tensor.ndim, *sizes, of_floats, offset)]
        offset += _aligned(tensor.nbytes)
    head = b"".join(parts)
    bodies = (tensor.astype("<f4").tobytes() for tensor in tensors.values())
    return b"".join(part.ljust(_aligned(len(part)), b"\0") for part in (head, *bodies))


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _fact(value: object) -> bytes:
    match value:
        case bool():
            return struct.pack("<I?", BOOL, value)
        case int():
            return struct.pack("<II", UINT32, value)
        case float():
            return struct.pack("<If", FLOAT32, value)
        case str():
            return struct.pack("<I", STRING) + _string(value)
        case (str(), *_):
            kind, items = STRING, b"".join(map(_string, value))
        case (float(), *_):
            kind, items = FLOAT32, struct.pack(f"<{len(value)}f", *value)
        case (int(), *_):
            kind, items = INT32, struct.pack(f"<{len(value)}i", *value)
        case _:
            raise TypeError(value)
    return struct.pack("<IIQ", ARRAY, kind, len(value)) + items
