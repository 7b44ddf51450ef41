"""The header of a safetensors file: which tensors it holds, of which number format and shape, and where.

The format is eight bytes with the header's length, the header (a JSON object), then the tensors' bytes without
gap or overlap (huggingface/safetensors, format section of its README). Tensors themselves are never read.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Final

from msgspec import Struct, field

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Span
from capwright.importers.contract import Diagnostics
from capwright.importers.strict_json import MAX_BYTES, read_json
from capwright.importers.words import quoted

LENGTH_BYTES: Final = 8
MAX_RANK: Final = 16
MAX_SIZE: Final = 1 << 62
MAX_MESSAGES: Final = 20
METADATA: Final = "__metadata__"

BITS: Final = {
    "BOOL": 8, "U8": 8, "I8": 8, "U16": 16, "I16": 16, "U32": 32, "I32": 32, "U64": 64, "I64": 64,
    "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8,
    "F16": 16, "BF16": 16, "F32": 32, "F64": 64, "C64": 64,
}  # fmt: skip
"""Bits of a scalar, by the format's names of number formats."""


class Stored(Struct, frozen=True):
    """One tensor of a file: `size` bytes from `start` of the data on."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    size: int

    @property
    def numbers(self) -> int:
        """How many scalars it holds."""
        return prod(self.shape)


def header_bytes(first: bytes) -> int:
    """How much of a file to read for its header, by its first eight bytes; never more than a header may have."""
    return LENGTH_BYTES + min(int.from_bytes(first[:LENGTH_BYTES], "little"), MAX_BYTES + 1)


def read_header(data: bytes, size: int, shown_path: str) -> tuple[tuple[Stored, ...] | None, Diagnostics]:
    """The tensors of a file in the order of their bytes, or None with what is wrong; never raises.

    `data` is the file's beginning, at least `header_bytes` of it if the file has them; `size` the bytes of the
    whole file.
    """
    text, refusal = _header_text(data, size, shown_path)
    if refusal is not None:
        return None, (refusal,)
    value, found = read_json(text, shown_path)
    if any(each.severity == "error" for each in found):
        return None, found
    if not isinstance(value, dict):
        return None, (_say("CW0672", shown_path, "the header is no object of tensors", _AGAIN),)
    here = _Header(shown_path, size - LENGTH_BYTES - len(text))
    tensors = [each for each in (here.tensor(*item) for item in value.items()) if each is not None]
    here.messages += here.layout(sorted(tensors, key=lambda each: (each.start, each.size)))
    if here.messages:
        return None, tuple(here.messages[:MAX_MESSAGES])
    return tuple(sorted(tensors, key=lambda each: (each.start, each.size, each.name))), found


_AGAIN: Final = "the copy may be broken, or no safetensors file at all: fetch it again, whole"


def _say(code: str, path: str, message: str, help: str) -> Diagnostic:
    return Diagnostic(code, Span(path, 0, 0), message, help)


def _header_text(data: bytes, size: int, path: str) -> tuple[bytes, Diagnostic | None]:
    """The bytes of the header's JSON, or why the file has none."""
    if size < LENGTH_BYTES or len(data) < LENGTH_BYTES:
        message = f"the file has {size} bytes, and a header's length alone takes {LENGTH_BYTES}"
        return b"", _say("CW0670", path, message, _AGAIN)
    length = int.from_bytes(data[:LENGTH_BYTES], "little")
    if length > size - LENGTH_BYTES:
        message = f"the header is said to have {length:_} bytes, and the file has {size - LENGTH_BYTES:_} after its length"
        return b"", _say("CW0670", path, message, _AGAIN)
    if length > MAX_BYTES:
        message = f"the header has {length:_} bytes, and no header over {MAX_BYTES:_} is read"
        return b"", _say(
            "CW0671", path, message, "split the checkpoint into shards, each with a header of its own"
        )
    return data[LENGTH_BYTES : LENGTH_BYTES + length], None


class _Header(Struct):
    """One header under way. `room` is how many bytes of tensors the file has."""

    path: str
    room: int
    messages: list[Diagnostic] = field(default_factory=list)

    def say(self, code: str, message: str, help: str = _AGAIN) -> None:
        if len(self.messages) < MAX_MESSAGES:
            self.messages.append(_say(code, self.path, message, help))

    def tensor(self, name: str, entry: Any) -> Stored | None:
        """One entry, or None with a message (or none, for the metadata)."""
        if name == METADATA:
            if not (isinstance(entry, dict) and all(isinstance(each, str) for each in entry.values())):
                self.say("CW0672", f"{METADATA} holds something other than texts")
            return None
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
            self.say("CW0672", f"the tensor {quoted(name)} does not have just dtype, shape and data_offsets")
            return None
        dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        if not isinstance(dtype, str) or dtype not in BITS:
            known = ", ".join(BITS)
            self.say(
                "CW0673",
                f"the tensor {quoted(name)} has the number format {quoted(dtype)}",
                f"known: {known}",
            )
        elif not _wholes(shape) or len(shape) > MAX_RANK or prod(shape) > MAX_SIZE:
            self.say("CW0674", f"the tensor {quoted(name)} has no shape: {quoted(shape)}")
        elif not _wholes(offsets) or len(offsets) != 2 or not offsets[0] <= offsets[1] <= self.room:
            message = f"the tensor {quoted(name)} lies at {quoted(offsets)}, and the file has {self.room:_} bytes of tensors"
            self.say("CW0675", message)
        else:
            return self._sized(Stored(name, dtype, tuple(shape), offsets[0], offsets[1] - offsets[0]))
        return None

    def _sized(self, tensor: Stored) -> Stored | None:
        bits = tensor.numbers * BITS[tensor.dtype]
        if bits == 8 * tensor.size:
            return tensor
        shape = " × ".join(map(str, tensor.shape)) or "1"
        message = f"the tensor {quoted(tensor.name)}, {shape} of {tensor.dtype}, takes {bits:_} bits, and is given {tensor.size:_} bytes"
        self.say("CW0677", message)
        return None

    def layout(self, tensors: list[Stored]) -> Iterator[Diagnostic]:
        """The first place where tensors overlap or leave a gap, or bytes of the file that belong to none."""
        if self.messages:
            return
        end = 0
        for each in tensors:
            if each.start != end:
                what = "overlaps the one before it" if each.start < end else "leaves a gap before it"
                yield _say("CW0676", self.path, f"the tensor {quoted(each.name)} {what}", _AGAIN)
                return
            end = each.start + each.size
        if end != self.room:
            message = f"{self.room - end:_} bytes after the last tensor belong to none"
            yield _say("CW0676", self.path, message, _AGAIN)


def _wholes(value: Any) -> bool:
    return isinstance(value, list) and all(type(each) is int and 0 <= each <= MAX_SIZE for each in value)
