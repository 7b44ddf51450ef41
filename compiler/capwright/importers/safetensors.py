"""Checkpoints in safetensors files: one file, or an index of shards with the shards beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Span
from capwright.importers.contract import Beside, Diagnostics
from capwright.importers.safetensors_header import (
    LENGTH_BYTES,
    MAX_MESSAGES,
    Stored,
    header_bytes,
    read_header,
)
from capwright.importers.safetensors_text import MAX_GROUPS, checkpoint_text
from capwright.importers.strict_json import MAX_BYTES, read_json
from capwright.importers.words import quoted

MAX_SHARDS: Final = 4_096
INDEX: Final = ".index.json"
"""How the names of indexes end, whatever is in them."""
_ALONE: Final = Beside()
_NAMES: Final[Mapping[str, str]] = {}

Head = tuple[bytes, int]
"""The beginning of a file, and how many bytes the whole file has."""


def head_bytes(first: bytes) -> int:
    """How much to read of a file, by its first eight bytes: all of an index, the header alone of a file of tensors."""
    return MAX_BYTES + 1 if _is_text(first) else header_bytes(first)


def read_checkpoint(
    data: bytes, shown_path: str, name: str, beside: Beside = _ALONE
) -> tuple[str | None, Diagnostics]:
    """Plan text of `checkpoint NAME` from an index of shards or from one file of tensors, or None with what is wrong."""
    if not _is_text(data[:LENGTH_BYTES]) and not shown_path.endswith(INDEX):
        return read_file((data, beside.sizes.get("", len(data))), shown_path, name)
    shards = {key: (head, beside.sizes.get(key, len(head))) for key, (_, head) in beside.files.items()}
    shown = {key: path for key, (path, _) in beside.files.items()}
    return read_index(data, shown_path, name, shards, shown)


def _is_text(first: bytes) -> bool:
    """Whether a file begins as JSON does: the length of a header has a zero among its eight bytes."""
    return b"\0" not in first and first.lstrip()[:1] == b"{"


def shards_named(data: bytes) -> tuple[str, ...]:
    """The shards that an index names, each once, in order; none for what is no index."""
    value, _ = read_json(data) if _is_text(data[:LENGTH_BYTES]) else (None, ())
    places = value.get("weight_map") if isinstance(value, dict) else None
    if not isinstance(places, dict):
        return ()
    names = {each for each in places.values() if isinstance(each, str) and _is_plain(each)}
    return tuple(sorted(names))[:MAX_SHARDS]


def read_file(head: Head, shown_path: str, name: str) -> tuple[str | None, Diagnostics]:
    """Plan text of `checkpoint NAME` from one file's header, or None with what is wrong."""
    tensors, found = read_header(*head, shown_path)
    return (None, found) if tensors is None else _written(tensors, shown_path, name, found)


def _written(
    tensors: Iterable[Stored], shown_path: str, name: str, found: Diagnostics
) -> tuple[str | None, Diagnostics]:
    """Plan text of sound tensors, unless they are of too many sorts."""
    text = checkpoint_text(tensors, shown_path, name)
    if text is not None:
        return text, found
    message = f"the files hold over {MAX_GROUPS:_} sorts of tensors, alike but for the numbers in their names"
    help = "no checkpoint is read that has so many: declare its bytes in the plan"
    return None, (*found, Diagnostic("CW0683", Span(shown_path, 0, 0), message, help))


def read_index(
    data: bytes,
    shown_path: str,
    name: str,
    shards: Mapping[str, Head],
    shown: Mapping[str, str] = _NAMES,
) -> tuple[str | None, Diagnostics]:
    """Plan text of `checkpoint NAME` from an index and the headers of its shards, or None with what is wrong. `shown` are
    the shards' paths as a reader sees them, where these are not their names.

    Index and shards must agree: every shard is there, every tensor in the shard that the index says and in no
    other; a `total_size` that differs is a warning.
    """
    value, found = read_json(data, shown_path)
    if any(each.severity == "error" for each in found):
        return None, found
    index = _Index(shown_path, value)
    tensors = index.tensors(shards, shown)
    if index.messages:
        return None, tuple(index.messages[:MAX_MESSAGES])
    more = (*found, *index.total_differs(tensors))
    return _written(tensors.values(), shown_path, name, more)


def _is_plain(name: str) -> bool:
    return bool(name) and name.isprintable() and not {"/", "\\"} & set(name) and name not in (".", "..")


class _Index:
    """One index under way, and what was found wrong with it."""

    def __init__(self, path: str, value: Any) -> None:
        self.path = path
        self.messages: list[Diagnostic] = []
        places = value.get("weight_map") if isinstance(value, dict) else None
        metadata = value.get("metadata") if isinstance(value, dict) else None
        self.total = metadata.get("total_size") if isinstance(metadata, dict) else None
        self.places: dict[str, str] = {}
        if not isinstance(places, dict) or not places:
            self.say(
                "CW0679",
                "the index has no `weight_map` of tensors and their shards",
                "name the model's `model.safetensors.index.json`",
            )
            return
        for tensor, shard in places.items():
            if isinstance(shard, str) and _is_plain(shard):
                self.places[tensor] = shard
            else:
                self.say(
                    "CW0679",
                    f"the tensor {quoted(tensor)} is said to be in {quoted(shard)}",
                    "a shard is a file beside the index",
                )
        if len(set(self.places.values())) > MAX_SHARDS:
            self.say(
                "CW0679",
                f"the index names over {MAX_SHARDS:_} shards",
                "no checkpoint is read that has so many",
            )

    def say(self, code: str, message: str, help: str) -> None:
        if len(self.messages) < MAX_MESSAGES:
            self.messages.append(Diagnostic(code, Span(self.path, 0, 0), message, help))

    def tensors(self, shards: Mapping[str, Head], shown: Mapping[str, str]) -> dict[str, Stored]:
        """Every tensor of every shard by name; messages where index and shards disagree."""
        held: dict[str, Stored] = {}
        for shard in sorted(set(self.places.values())) if not self.messages else ():
            if shard not in shards:
                self.say(
                    "CW0680", f"the shard {quoted(shard)} is not beside the index", "fetch it too, whole"
                )
                continue
            read, problems = read_header(*shards[shard], shown.get(shard, shard))
            self.messages += [each for each in problems if each.severity == "error"]
            for each in read or ():
                self._hold(held, each, shard)
        if not self.messages:
            self._compare(held)
        return held

    def _hold(self, held: dict[str, Stored], tensor: Stored, shard: str) -> None:
        said = self.places.get(tensor.name)
        if said is None:
            self.say(
                "CW0681",
                f"the shard {quoted(shard)} holds {quoted(tensor.name)}, which the index does not name",
                _MATCH,
            )
        elif said != shard or tensor.name in held:
            self.say(
                "CW0681",
                f"the tensor {quoted(tensor.name)} is in {quoted(shard)}, and the index says {quoted(said)}",
                _MATCH,
            )
        else:
            held[tensor.name] = tensor

    def _compare(self, held: dict[str, Stored]) -> None:
        for name in self.places:
            if name not in held:
                self.say(
                    "CW0681",
                    f"the tensor {quoted(name)} is not in the shard {quoted(self.places[name])}",
                    _MATCH,
                )

    def total_differs(self, held: Mapping[str, Stored]) -> Diagnostics:
        """A warning where the index's `total_size` is not what the shards hold: published ones are wrong at times."""
        size = sum(each.size for each in held.values())
        if self.total is None or self.total == size:
            return ()
        message = (
            f"the index says {quoted(self.total)} bytes in all, and the shards hold {size:_}: these count"
        )
        return (
            Diagnostic("CW0682", Span(self.path, 0, 0), message, "correct `total_size`", severity="warning"),
        )


_MATCH: Final = "index and shards are of two checkpoints, or one is out of date: fetch both again"
