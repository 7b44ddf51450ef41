"""Asking an imported model what its cache takes: plan lines that ask, and the answer as an object.

The arithmetic is the library's, and so are the words for number formats, layouts and engines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from capwright.base.diagnostic import nearest, offered
from capwright.base.exact import Number
from capwright.importers.answers import whole
from capwright.importers.library_words import LibraryWords

USUAL: Final = "bf16"
MOST_TOKENS: Final = 10**12

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
            "total": whole(values["asked.total"]),
            "attention": whole(values["asked.attention"]),
            "state": whole(values["asked.state"]),
            "groups": [self._group(name, sort, values) for name, sort in self.groups],
        }

    def _group(self, name: str, sort: str, values: Mapping[str, Number | None]) -> dict[str, Any]:
        bytes_each = values[f"asked_bytes_of_{name}"]
        kept, for_token = values[f"asked_layers_of_{name}"], values[f"asked_token_of_{name}"]
        return {
            "name": name,
            "kind": sort,
            "layers": whole(values[f"asked_all_layers_of_{name}"]),
            "stored_layers": whole(kept),
            "bytes_per_token_per_layer": whole(for_token),
            "bytes": whole(bytes_each),
        }


def question(
    text: str, tokens: int, dtype: str, engine: str | None, words: LibraryWords
) -> Question | Refused:
    """A plan, `text` with what it is asked; `text` declares one model, as the importer writes it.

    `tokens` is the length of the sequence; `dtype` a number format or a layout of the library, or `auto`, what the
    engine takes by itself; `engine` is `NAME` or `NAME@VERSION`, up to the digits given, None for what the layers need to the token; all in `words`.
    """
    if not 1 <= tokens <= MOST_TOKENS:
        return Refused(
            f"a sequence of {tokens:_} tokens is not asked for", f"give 1 to {MOST_TOKENS:_} tokens"
        )
    name = _MODEL.findall(text)[-1]
    layout = _layout(dtype, name, words)
    profile = "ideal" if engine is None else _profile(engine, words)
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


def _layout(dtype: str, model: str, words: LibraryWords) -> str | Refused:
    if dtype == "auto":
        return f"cache asked_cache : paged {{ element = caching_dtype({model}, asked_engine) }}"
    if dtype in words.elements:
        return f"cache asked_cache : paged {{ element = {words.elements[dtype]} }}"
    if dtype in words.layouts:
        return f"cache asked_cache from {words.layouts[dtype]} {{ }}"
    known = ["auto", *words.elements, *words.layouts]
    return Refused(f"`{dtype}` is no number format or layout of a cache", _offer(dtype, known))


def _profile(engine: str, words: LibraryWords) -> str | Refused:
    name, _, version = engine.partition("@")
    versions = words.engines.get(name.lower())
    if versions is None:
        return Refused(f"there is no profile of the engine `{name}`", _offer(name, list(words.engines)))
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
