"""Asking an imported model what its cache takes: plan lines that ask, and the answer as an object.

The arithmetic is the library's; here stand only the spellings of number formats, layouts and engines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from msgspec import Struct

from capwright.base.diagnostic import nearest, offered
from capwright.base.exact import Number

USUAL: Final = "bf16"
MOST_TOKENS: Final = 10**12

_ELEMENTS: Final = {
    "bf16": "bf16",
    "bfloat16": "bf16",
    "fp16": "fp16",
    "float16": "fp16",
    "half": "fp16",
    "f16": "fp16",
    "fp32": "fp32",
    "float32": "fp32",
    "f32": "fp32",
    "fp64": "fp64",
    "float64": "fp64",
    "fp8": "fp8_e4m3",
    "float8_e4m3fn": "fp8_e4m3",
    "float8_e5m2": "fp8_e5m2",
    "fp8_e4m3": "fp8_e4m3",
    "fp8_e5m2": "fp8_e5m2",
    "int8": "int8",
}
_LAYOUTS: Final = {
    "fp8_ds_mla": "fp8_ds_mla",
    **{name: f"ggml.{name}" for name in ("q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")},
}
# By name, and then by version: what the library calls the profile. A version is taken up to the digits given.
_ENGINES: Final = {
    "transformers": {"5.24.0": "transformers"},
    "vllm": {"0.10.1": "vllm_0_10_1", "0.22.1": "vllm_0_22_1"},
}
_GROUP: Final = re.compile(r"^ *group (\w+) : (\w+) \{", re.MULTILINE)
_MODEL: Final = re.compile(r"^model (\w+)\b", re.MULTILINE)


class Refused(Struct, frozen=True):
    """Why a question cannot be asked, and the way out."""

    message: str
    help: str


class Question(Struct, frozen=True):
    """A plan that asks, and the layer groups that it asks of: name and sort, in order."""

    text: str
    groups: tuple[tuple[str, str], ...]
    tokens: int
    layout: str
    engine: str

    def answer(self, values: Mapping[str, Number | None]) -> dict[str, Any]:
        """The bytes of one sequence from the plan's quantities by address.

        `total` is `attention` plus `state`; what an engine pads is in them. A group has its layers, those that keep a
        cache, the bytes of a token in one of these, and the bytes of them all for this sequence.
        """
        return {
            "tokens": self.tokens,
            "dtype": self.layout,
            "engine": self.engine,
            "total": _whole(values["asked.total"]),
            "attention": _whole(values["asked.attention"]),
            "state": _whole(values["asked.state"]),
            "groups": [self._group(name, sort, values) for name, sort in self.groups],
        }

    def _group(self, name: str, sort: str, values: Mapping[str, Number | None]) -> dict[str, Any]:
        bytes_each = values[f"asked_bytes_of_{name}"]
        kept, for_token = values[f"asked_layers_of_{name}"], values[f"asked_token_of_{name}"]
        return {
            "name": name,
            "kind": sort,
            "layers": _whole(values[f"asked_all_layers_of_{name}"]),
            "stored_layers": _whole(kept),
            "bytes_per_token_per_layer": _whole(for_token),
            "bytes": _whole(bytes_each),
        }


def question(text: str, tokens: int, dtype: str, engine: str | None = None) -> Question | Refused:
    """A plan, `text` with what it is asked; `text` declares one model, as the importer writes it.

    `tokens` is the length of the sequence; `dtype` a number format or a layout of the library; `engine` is
    `NAME` or `NAME@VERSION`, None for what the layers need to the token.
    """
    if not 1 <= tokens <= MOST_TOKENS:
        return Refused(
            f"a sequence of {tokens:_} tokens is not asked for", f"give 1 to {MOST_TOKENS:_} tokens"
        )
    name = _MODEL.findall(text)[-1]
    layout = _layout(dtype, name)
    profile = "ideal" if engine is None else _profile(engine)
    if isinstance(layout, Refused):
        return layout
    if isinstance(profile, Refused):
        return profile
    groups = tuple(_GROUP.findall(text))
    lines = _lines(name, [each for each, _ in groups], tokens, layout, profile)
    return Question("\n".join([text, *lines, ""]), groups, tokens, dtype, engine or "none")


def _lines(model: str, groups: list[str], tokens: int, layout: str, profile: str) -> list[str]:
    length = f"{tokens} token{'s' if tokens > 1 else ''}"
    lines = [
        f"engine asked_engine from {profile} {{ max_model_len = {length} }}",
        layout,
        f"holding asked {{ model = {model}; cache = asked_cache; engine = asked_engine; tokens = {length} }}",
    ]
    for name in groups:
        group = f"{model}.groups.{name}"
        held = f"held_by_group({group}, asked_engine, {model}, asked_cache, whole_on_one, {length})"
        lines += [
            f"asked_bytes_of_{name} : byte/device = {held}",
            f"asked_all_layers_of_{name} : layer = {group}.layers",
            f"asked_layers_of_{name} : layer = {group}.stored_layers",
            f"asked_token_of_{name} : byte/token/layer/device = token_bytes({group}, asked_cache, whole_on_one)",
        ]
    return lines


def _layout(dtype: str, model: str) -> str | Refused:
    if dtype == "auto":
        return f"cache asked_cache : paged {{ element = {model}.dtype }}"
    if dtype in _ELEMENTS:
        return f"cache asked_cache : paged {{ element = {_ELEMENTS[dtype]} }}"
    if dtype in _LAYOUTS:
        return f"cache asked_cache from {_LAYOUTS[dtype]} {{ }}"
    return Refused(
        f"`{dtype}` is no number format or layout of a cache", _offer(dtype, ["auto", *_ELEMENTS, *_LAYOUTS])
    )


def _profile(engine: str) -> str | Refused:
    name, _, version = engine.partition("@")
    versions = _ENGINES.get(name.lower())
    if versions is None:
        return Refused(f"there is no profile of the engine `{name}`", _offer(name, list(_ENGINES)))
    found = [each for each in versions if not version or each == version or each.startswith(version + ".")]
    if len(found) == 1:
        return versions[found[0]]
    known = ", ".join(f"`{name}@{each}`" for each in versions)
    if version and not found:
        return Refused(f"there is no profile of {name} at version {version}", f"there are {known}")
    return Refused(f"what `{engine}` keeps depends on its version", f"say which: {known}")


def _offer(word: str, known: list[str]) -> str:
    close = nearest(word, known)
    return offered(close) if close else "there are " + ", ".join(known)


def _whole(value: Number | None) -> int | str | None:
    """A whole number as itself, another as `a/b`."""
    exact = None if value is None else Fraction(value)
    return None if exact is None else exact.numerator if exact.denominator == 1 else str(exact)
