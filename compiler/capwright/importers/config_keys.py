"""Reading single keys of a model's config: each value with its type checked and the clause that traces it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from capwright.base.diagnostic import Diagnostic, Severity
from capwright.base.source import Span
from capwright.importers.json_places import Path, pointer
from capwright.importers.strict_json import NotFinite
from capwright.importers.words import quoted, string

LARGEST: Final = 10**12


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a config and the clause that says where it comes from: its key, or the code's default."""

    value: Any
    clause: str


@dataclass(frozen=True, slots=True)
class Key:
    """One key. `kind` is what it must hold. Where it is left out the model code takes `default`, or another fact's
    value, `like`; where it is `null`, `like` first. A key with neither must be there."""

    name: str
    kind: type[int | bool] = int
    default: int | bool | None = None
    like: str | None = None


@dataclass(slots=True)
class Config:
    """One config under way: its content, where it came from, the code that reads it, and what was found.

    `locate` gives the span of a value by its path.
    """

    data: Mapping[str, Any]
    path: str
    locate: Callable[[Path], Span]
    code: str = ""
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def say(
        self, code: str, where: str | Path, message: str, help: str, severity: Severity = "error"
    ) -> None:
        """Add a message at a key."""
        path = (where,) if isinstance(where, str) else where
        self.diagnostics.append(Diagnostic(code, self.locate(path), message, help, severity=severity))

    def has(self, key: str) -> bool:
        """Whether the key is given and not `null`."""
        return self.data.get(key) is not None

    def keyed(self, key: str) -> str:
        """The clause of a value that stands at `key`."""
        return "key " + string(f"{self.path}#{pointer((key,))}")

    def coded(self, words: str) -> str:
        """The clause of a value that the model code takes where the config is silent."""
        return "source " + string(f"{self.code}: {words}")

    def read(self, key: Key, facts: Mapping[str, Fact]) -> Fact | None:
        """The value of a key, or of what stands in for it; None with a message."""
        if self.has(key.name):
            return self._checked(key)
        null = key.name in self.data
        if key.default is not None and not (null and key.like):
            return Fact(key.default, self.coded(f"{key.name} is {_shown(key.default)} where it is left out"))
        if key.like is not None and key.like in facts:
            return Fact(
                facts[key.like].value, self.coded(f"without {key.name}, one for each of the {key.like}")
            )
        if key.like is None:
            help = f"give `{key.name}`, or declare the model in a plan: `model NAME {{ … }}`"
            self.say("CW0621", (), f"the config has no `{key.name}`", help)
        return None

    def _checked(self, key: Key) -> Fact | None:
        value, where = self.data[key.name], pointer((key.name,))
        if isinstance(value, NotFinite) or value != value:  # noqa: PLR0124 — NaN alone differs from itself
            shown = value.written if isinstance(value, NotFinite) else str(value)
            self.say(
                "CW0615",
                key.name,
                f"`{shown}` at {where} is no JSON number",
                f"give `{key.name}` as a number",
            )
        elif type(value) is not key.kind:
            wanted = "a whole number" if key.kind is int else "true or false"
            message = f"{where} is {_kind(value)} {quoted(_shown(value))}, and must be {wanted}"
            self.say("CW0622", key.name, message, f"give `{key.name}` as {wanted}")
        elif key.kind is int and not 1 <= value <= LARGEST:
            message = f"{where} is {quoted(value)}, and must be between 1 and {LARGEST:_}"
            self.say("CW0623", key.name, message, f"give the size that the model has as `{key.name}`")
        else:
            return Fact(value, self.keyed(key.name))
        return None


def _kind(value: object) -> str:
    words = {bool: "the truth value", str: "the text", list: "the list", dict: "the object"}
    return words.get(type(value), "the number")


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
