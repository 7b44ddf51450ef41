"""A model's config under way: its values by key, their places, and the messages found so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from capwright.base.diagnostic import Diagnostic, Severity
from capwright.base.source import Span
from capwright.importers.json_places import Path, pointer
from capwright.importers.words import string

LARGEST: Final = 10**12


class Config(Struct):
    """One config: its content, where it came from, where its decoder stands, the code that reads it, what was found.

    Keys are dotted paths from the decoder's object, or from the whole file where they begin with `/`. `locate`
    gives the span of a value by its path.
    """

    data: Mapping[str, Any]
    path: str
    locate: Callable[[Path], Span]
    code: str = ""
    decoder: tuple[str, ...] = ()
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def say(
        self, code: str, where: str | Path, message: str, help: str, severity: Severity = "error"
    ) -> None:
        """Add a message at a key or path."""
        path = (where,) if isinstance(where, str) else where
        self.say_at(code, self.locate(path), message, help, severity)

    def say_at(self, code: str, span: Span, message: str, help: str, severity: Severity = "error") -> None:
        """Add a message at a place, in this file or another."""
        self.diagnostics.append(Diagnostic(code, span, message, help, severity=severity))

    def failed(self) -> bool:
        return any(each.severity == "error" for each in self.diagnostics)

    def path_of(self, key: str) -> tuple[str, ...]:
        """The path of a key from the whole file."""
        return tuple(key[1:].split(".")) if key.startswith("/") else (*self.decoder, *key.split("."))

    def pointer(self, key: str) -> str:
        return pointer(self.path_of(key))

    def at(self, key: str) -> Any:
        """The value of a key; None where it is left out or `null`."""
        return found(self.data, self.path_of(key))

    def gives(self, key: str) -> bool:
        """Whether the key is given and not `null`."""
        return self.at(key) is not None

    def holds(self, key: str) -> bool:
        """Whether the key stands there, `null` or not."""
        *outer, last = self.path_of(key)
        whole = found(self.data, tuple(outer))
        return isinstance(whole, Mapping) and last in whole

    def reaches(self, key: str) -> bool:
        """Whether the object that would hold the key is there."""
        return isinstance(found(self.data, self.path_of(key)[:-1]), Mapping)

    def in_the_way(self, key: str) -> tuple[str, ...] | None:
        """The path at which something else stands than the object that would hold the key; None where nothing does."""
        inside: Any = self.data
        *outer, _ = self.path_of(key)
        for depth, part in enumerate(outer, 1):
            inside = inside.get(part)
            if inside is None:
                return None
            if not isinstance(inside, Mapping):
                return tuple(outer[:depth])
        return None

    def keyed(self, *keys: str, silent: Sequence[str] = ()) -> str:
        """The clause of a value that stands at these keys, or follows from them and from what is left out: `silent`."""
        more = f"; left out, {self.code} has {', '.join(silent)}" if silent else ""
        return "key " + string(f"{self.path}#{', '.join(self.pointer(key) for key in keys)}{more}")

    def coded(self, words: str, code: str = "") -> str:
        """The clause of a value that the model code takes where the config is silent."""
        return "source " + string(f"{code or self.code}: {words}")

    def built_in(self, words: str, code: str = "") -> str:
        """The clause of a value that no key of any config has: the architecture is made so."""
        kind = (code or self.code).removeprefix("transformers ")
        if kind == (code or self.code):
            return self.coded(words, code)
        return "source " + string(
            f"the architecture of {kind.removesuffix('Config')}, as transformers implements it: {words}"
        )


def found(data: Any, path: tuple[str, ...]) -> Any:
    """What stands at a path of keys, None where nothing does."""
    for part in path:
        if not isinstance(data, Mapping):
            return None
        data = data.get(part)
    return data


def shown_kind(value: object) -> str:
    words = {bool: "the truth value", str: "the text", list: "the list", dict: "the object"}
    return words.get(type(value), "the number")
