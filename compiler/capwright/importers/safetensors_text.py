"""Plan text of a checkpoint: its tensors in groups of equal ones, and their bytes by number format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import prod
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from capwright.importers.layer_patterns import placed
from capwright.importers.safetensors_header import Stored
from capwright.importers.safetensors_names import Named, draft_layer, layer_of, taken_apart
from capwright.importers.words import identifier, string

DTYPES: Final = {
    "BOOL": "uint8", "U8": "uint8", "I8": "int8", "U16": "int16", "I16": "int16", "U32": "int32", "I32": "int32",
    "U64": "int64", "I64": "int64", "F4": "fp4_e2m1", "F6_E2M3": "int6", "F6_E3M2": "int6",
    "F8_E4M3": "fp8_e4m3", "F8_E5M2": "fp8_e5m2", "F8_E8M0": "ue8m0", "F16": "fp16", "BF16": "bf16",
    "F32": "fp32", "F64": "fp64", "C64": "int64",
}  # fmt: skip
"""The library's number format of the same size for each of the file format's."""


PACKS: Final = {"U8": 2, "I8": 2, "I16": 8, "I32": 16, "I64": 32}
"""How many weights at most a whole number of a file may hold, by its number format: of two bits and more, in bytes of four."""


MAX_GROUPS: Final = 2_000
"""Sorts of tensors: alike but for the numbers in their names."""


class Alike(Struct):
    """Tensors of one name but for its numbers, one number format and one shape."""

    named: Named
    dtype: str
    shape: tuple[int, ...]
    count: int = 0
    layers: set[int] = field(default_factory=set)
    experts: set[int] = field(default_factory=set)
    stacked: bool = False

    @property
    def stackable(self) -> bool:
        """Whether the first side of a tensor may be the experts of a layer, one behind another."""
        return self.named.part == "expert" and not self.experts and len(self.shape) > 1 - self.named.beside


def checkpoint_text(tensors: Iterable[Stored], shown_path: str, name: str) -> str | None:
    """The declaration of `checkpoint NAME`, ready to be read and compiled; None where its tensors are of more sorts than
    a plan is to list."""
    found = groups(tensors)
    if len(found) > MAX_GROUPS:
        return None
    names = _names(found)
    proper = (layer for each in found for layer in each.layers if each.named.part != "draft")
    deepest = max(proper, default=0) + 1
    lines = [
        f"# The tensors of {shown_path}, by their headers.",
        "use std",
        "",
        f"checkpoint {identifier(name)} : headers {{",
        *(f"  {_tensor(each, names[id(each)], deepest, shown_path)}" for each in found),
        *_by_dtype(found, names),
        "}",
    ]
    return "\n".join(lines) + "\n"


def groups(tensors: Iterable[Stored]) -> list[Alike]:
    """Equal tensors together, in the order of their first names."""
    found: dict[tuple[str, str, str, tuple[int, ...]], Alike] = {}
    inorder = sorted(tensors, key=lambda one: one.name)
    drafts = {draft_layer(each.name) for each in inorder} - {None}
    for each in inorder:
        named = taken_apart(each.name)
        if drafts and layer_of(each.name) in drafts:
            named = replace(named, part="draft")
        alike = found.setdefault(
            (named.pattern, named.part, each.dtype, each.shape), Alike(named, each.dtype, each.shape)
        )
        alike.count += 1
        alike.layers |= {named.layer} - {None}  # type: ignore[arg-type]  # mypy does not see None go
        alike.experts |= {named.expert} - {None}  # type: ignore[arg-type]  # mypy does not see None go
    _stack(list(found.values()))
    return list(found.values())


def _stack(found: list[Alike]) -> None:
    """Note the tensors that hold all experts of a layer, and what is stored beside them for as many."""
    held = {each.shape[0] for each in found if each.stackable and not each.named.beside}
    for each in found:
        each.stacked = each.stackable and each.shape[0] in held


def _names(found: list[Alike]) -> dict[int, str]:
    """A plan name for each group; groups of one pattern are told apart by a number."""
    used: dict[str, int] = {}
    names: dict[int, str] = {}
    for each in found:
        words = shown = identifier(each.named.pattern.removesuffix(".weight").replace("*", ""))
        while shown in used:
            used[words] += 1
            shown = f"{words}_{used[words]}"
        used[shown] = 1
        names[id(each)] = shown
    return names


def _tensor(alike: Alike, name: str, deepest: int, path: str) -> str:
    numbers, experts = prod(alike.shape), max(1, len(alike.experts))
    if alike.stacked:
        numbers, experts = prod(alike.shape[1:]), alike.shape[0]
    copies = alike.count
    if alike.experts and alike.count % experts == 0:
        copies = alike.count // experts
    elif alike.experts:
        experts = 1
    fields = [
        f"part = {alike.named.part}",
        f"parameters = {numbers:_} parameters",
        f"dtype = {DTYPES[alike.dtype]}",
    ]
    fields += [f"copies = {copies}"] * (copies > 1) + [f"experts = {experts}"] * (experts > 1)
    if alike.named.part == "draft":
        fields.append("stage = last")
    elif alike.layers:
        where = placed(tuple(sorted(alike.layers)), deepest)
        fields += [where] if where else []
    elif alike.named.part in ("embedding", "head", "norm"):
        fields.append(f"stage = {'first' if alike.named.part == 'embedding' else 'last'}")
    if alike.named.parallel != "split":
        fields.append(f"tensor_parallel = {alike.named.parallel}")
    fields += ["matmul = false"] * alike.named.beside + ["skippable = true"] * alike.named.skippable
    fields += ["beside_experts = true"] * alike.named.beside_experts
    fields += ["absorbed = true"] * alike.named.absorbed
    packs = 1 if alike.named.beside else PACKS.get(alike.dtype, 1)
    fields += [f"packs = {packs}"] * (packs > 1)
    return f"tensor {name} {{ {'; '.join(fields)} }}  # {string(alike.named.pattern)[1:-1]} in {path}"


def _by_dtype(found: list[Alike], names: dict[int, str]) -> Iterator[str]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for each in found:
        kinds[DTYPES[each.dtype]].append(f"all_bytes(tensors.{names[id(each)]})")
    if kinds:
        yield from ("", "  by_dtype {")
        for dtype, terms in sorted(kinds.items()):
            yield f'    bytes_{dtype} : byte = {" + ".join(terms)}  "bytes stored as {dtype}"'
        yield "  }"
