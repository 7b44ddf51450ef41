"""How one weight matrix is stored when it is quantised: its numbers, and the scales and the rest beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

FP32_BYTES: Final = 4
HALVED: Final = "_2of4"
"""The library's names of number formats of which two in four are stored end so."""
HALVES: Final = frozenset({"bf16", "fp16", "fp8_e4m3", "int8", "int4"})
SHAPE_BYTES: Final = 16
"""The two sides of a matrix, where they are stored beside it in eight bytes each."""
INTEGERS: Final = {2: "int2", 3: "int3", 4: "int4", 5: "int5", 6: "int6", 8: "int8"}
FLOATS: Final = {4: "fp4_e2m1", 8: "fp8_e4m3"}
MAX_GROUP: Final = 1 << 20


class Senseless(Exception):
    """A scheme that no matrix can be stored in; its text says why."""


class Stored(Struct, frozen=True):
    """How a matrix of rows (outputs) and columns (inputs) is stored. Blocks of `rows` × `columns` share a scale (0 for all
    of them), and a zero point where `zero_dtype` is given; `each_bytes` are stored beside a matrix, and
    `column_bytes` for each of its columns. With `nested`, so many scales share a four-byte scale of their own. Vectors are stored as `plain`; `scaled` is false where there are no scales,
    and of `two_of_four` only half the numbers are stored, with a bit for each that says which."""

    dtype: str
    plain: str
    rows: int = 0
    columns: int = 0
    scale_dtype: str = "fp32"
    zero_dtype: str = ""
    each_bytes: int = 0
    column_bytes: int = 0
    nested: int = 0
    scaled: bool = True
    two_of_four: bool = False

    def cut_block(self, *, inputs: bool) -> int:
        """How many weights along a side share a scale, so that no device takes part of them; 0 where engines fill
        up (OCP MX) or one scale is for the whole side."""
        fills_up = self.rows == 1 and self.scale_dtype == "ue8m0"
        block = self.columns if inputs else self.rows
        return block if block > 1 and not fills_up else 0

    def fields(self, shape: Sequence[int], count: int) -> Iterator[str]:
        """Fields of a tensor in a plan: `count` matrices of this shape, outputs before inputs."""
        if len(shape) < 2:
            yield f"dtype = {self.plain}"
            return
        *outer, rows, columns = shape
        matrices = count * prod(outer)
        parts = [str(matrices)] * (matrices > 1) + [
            *_blocks(rows, self.rows),
            *_blocks(columns, self.columns),
        ]
        scales = " * ".join(parts) or "1"
        yield f"dtype = {self.dtype}{HALVED * self.two_of_four}"
        if self.scaled:
            yield f"scales = {scales}"
            yield f"scale_dtype = {self.scale_dtype}"
        if self.zero_dtype:
            yield f"zero_points = {scales}"
            yield f"zero_dtype = {self.zero_dtype}"
        beside = matrices * (self.each_bytes + self.column_bytes * columns)
        if self.nested:
            own = _count(rows, self.rows) * _count(columns, self.columns)
            beside += matrices * FP32_BYTES * _count(own, self.nested)
        if beside:
            yield f"other_bytes = {beside} bytes"


def _blocks(size: int, block: int) -> Iterator[str]:
    """How many blocks a side has, as a factor of a plan; none where all of it is one block."""
    if block == 1:
        yield str(size)
    elif block > 1:
        yield f"{size // block}" if size % block == 0 else f"ceil({size} / {block})"


def _count(size: int, block: int) -> int:
    """How many blocks a side has."""
    return -(-size // block) if block else 1


# ── the schemes that configs name ────────────────────────────────────────────────────────────────
def fp8_blocks(plain: str, block: Any, *, static: bool, scale_dtype: str = "fp32") -> Stored:
    """Eight-bit floats with a scale a block, or one of four bytes for the whole; `static` activations have one too."""
    if block is None:
        return Stored("fp8_e4m3", plain, each_bytes=FP32_BYTES * static)
    if not (isinstance(block, list) and len(block) == 2 and all(_size(each) for each in block)):
        raise Senseless("`weight_block_size` is two whole numbers, rows and columns of a block")
    return Stored("fp8_e4m3", plain, block[0], block[1], scale_dtype, each_bytes=FP32_BYTES * static)


def halved(stored: Stored, each_bytes: int) -> Stored:
    """The same matrix where only two numbers of four are stored, with so many bytes more beside it."""
    if stored.dtype not in HALVES:
        raise Senseless(f"no checkpoint stores two of four numbers in {stored.dtype}")
    return replace(stored, two_of_four=True, each_bytes=stored.each_bytes + each_bytes)


def blocks_of_64(plain: str, *, fp4: bool, double: bool) -> Stored:
    """Four-bit numbers, 64 of them sharing a four-byte scale; or with `double` an eight-bit one, of which 256 share a
    four-byte one: bitsandbytes, `quantize_4bit` with `compress_statistics`. Its tables of values, a kilobyte for a
    matrix, are not counted."""
    dtype = "fp4_e2m1" if fp4 else "int4"
    if double:
        return Stored(dtype, plain, 1, 64, "uint8", nested=256)
    return Stored(dtype, plain, 1, 64)


def unquantised(plain: str) -> Stored:
    """The model's own number format."""
    return Stored(plain, plain, scaled=False)


def fp8_rows(plain: str) -> Stored:
    """Eight-bit floats with a four-byte scale a row."""
    return Stored("fp8_e4m3", plain, rows=1)


def mxfp4(plain: str) -> Stored:
    """Four-bit floats, 32 in a row sharing a power of two (OCP MX)."""
    return Stored("fp4_e2m1", plain, 1, 32, "ue8m0")


def nvfp4(plain: str, group: Any = 16) -> Stored:
    """Four-bit floats, 16 in a row sharing an eight-bit scale; a scale of the weights' and of the inputs' scales."""
    return Stored("fp4_e2m1", plain, 1, _group(group), "fp8_e4m3", each_bytes=2 * FP32_BYTES)


def grouped_integers(plain: str, bits: Any, group: Any, *, zero: bool, ordered: bool) -> Stored:
    """Whole numbers in groups along a row with a two-byte scale (AWQ, GPTQ); `ordered` keeps each column's group."""
    dtype = _integer(bits)
    return Stored(dtype, plain, 1, _group(group), "fp16", dtype if zero else "", column_bytes=4 * ordered)


def compressed(plain: str, weights: Any, form: str) -> Stored:
    """A group of compressed-tensors: number format, and what shares a scale. What is packed has its sides beside it, and
    what was ordered by its inputs (`actorder` of `group`) the group of each column."""
    if not isinstance(weights, dict):
        raise Senseless("a config group has no `weights`")
    bits, floating = weights.get("num_bits"), weights.get("type", "int") == "float"
    if form.startswith("mxfp4"):
        return mxfp4(plain)
    if form.startswith("mxfp8"):
        return Stored("fp8_e4m3", plain, 1, 32, "ue8m0")
    if floating and bits == 4:
        return nvfp4(plain, weights.get("group_size", 16))
    dtype = (FLOATS.get(bits, "") if type(bits) is int else "") if floating else _integer(bits)
    if not dtype:
        raise Senseless(f"floats of {bits} bits are not known here")
    packed = form == "pack-quantized"
    zero = dtype if weights.get("symmetric") is False else ""
    ordered = weights.get("actorder") in ("group", True)
    stored = Stored(
        dtype,
        plain,
        scale_dtype=plain,
        zero_dtype=zero,
        each_bytes=SHAPE_BYTES * packed,
        column_bytes=FP32_BYTES * ordered,
    )
    return _sharing(stored, weights)


def _sharing(stored: Stored, weights: dict[str, Any]) -> Stored:
    strategy = weights.get("strategy") or ("group" if weights.get("group_size") else "tensor")
    if strategy == "tensor":
        return stored
    if strategy in ("channel", "token"):
        return replace(stored, rows=1)
    if strategy in ("group", "tensor_group"):
        return replace(stored, rows=1, columns=_group(weights.get("group_size")))
    if strategy == "block":
        block = weights.get("block_structure")
        if isinstance(block, str):
            block = [int(each) if each.isdecimal() else 0 for each in block.split("x")]
        return replace(fp8_blocks(stored.plain, block or [128, 128], static=False), dtype=stored.dtype)
    raise Senseless(f"the strategy {strategy!r} is not known here")


def _integer(bits: Any) -> str:
    if type(bits) is not int or bits not in INTEGERS:
        raise Senseless(f"weights have {', '.join(map(str, INTEGERS))} bits, not {bits!r}")
    return INTEGERS[bits]


def _group(group: Any) -> int:
    """Columns that share a scale; -1 stands for all of them."""
    if group == -1:
        return 0
    if not _size(group):
        raise Senseless(f"a group has 1 to {MAX_GROUP:_} weights, not {group!r}")
    return int(group)


def _size(value: Any) -> bool:
    return type(value) is int and 1 <= value <= MAX_GROUP
