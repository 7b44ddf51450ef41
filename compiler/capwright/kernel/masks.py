"""Attention masks as values: which key a query may see, composed with `and`, `or` and `not`.

A mask is a set of (query position, key position) cells. Atoms are looked up by name in
`masks_atoms.ATOMS`; this module knows only how they compose, how they are spelled and how they are
written to a document. Equality and hash are by value.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.text import tokens

MAX_ATOMS: Final = 64
"""Of one mask, each counted wherever it is written out: a mask that is joined to itself, line by line, doubles."""

Size = int | tuple[int, ...]


class Argument(Struct, frozen=True):
    """One parameter of an atom: its slot, its size, and whether the size counts tokens."""

    name: str
    size: Size
    in_tokens: bool = True

    def text(self) -> str:
        """The size as a plan writes it."""
        if isinstance(self.size, tuple):
            return "[" + ", ".join(tokens(each) for each in self.size) + "]"
        return tokens(self.size) if self.in_tokens else str(self.size)


class Atom(Struct, frozen=True):
    """A mask that is not composed: `causal`, `window(4_096 tokens)`."""

    name: str
    arguments: tuple[Argument, ...] = ()

    def text(self) -> str:
        """The canonical spelling."""
        if not self.arguments:
            return self.name
        if len(self.arguments) == 1:
            return f"{self.name}({self.arguments[0].text()})"
        return f"{self.name}({', '.join(f'{each.name}: {each.text()}' for each in self.arguments)})"

    def json(self) -> dict[str, Any]:
        """Plain data from which `from_json` rebuilds the mask."""
        sizes = {a.name: list(a.size) if isinstance(a.size, tuple) else a.size for a in self.arguments}
        return {"sort": "mask", "text": self.text(), "is": self.name, "with": sizes}

    def size(self, name: str, default: Size | None = None) -> Size | None:
        """The size of one parameter, or `default` where it is left out."""
        return next((each.size for each in self.arguments if each.name == name), default)


class Both(Struct, frozen=True):
    """The cells that every part permits."""

    parts: tuple[Mask, ...]

    def text(self) -> str:
        """Parts joined by `and`; an `or` inside stands in parentheses."""
        return " and ".join(f"({p.text()})" if isinstance(p, Either) else p.text() for p in self.parts)

    def json(self) -> dict[str, Any]:
        """Plain data from which `from_json` rebuilds the mask."""
        return {"sort": "mask", "text": self.text(), "is": "and", "of": [part.json() for part in self.parts]}


class Either(Struct, frozen=True):
    """The cells that some part permits."""

    parts: tuple[Mask, ...]

    def text(self) -> str:
        """Parts joined by `or`; an `and` inside stands in parentheses."""
        return " or ".join(f"({p.text()})" if isinstance(p, Both) else p.text() for p in self.parts)

    def json(self) -> dict[str, Any]:
        """Plain data from which `from_json` rebuilds the mask."""
        return {"sort": "mask", "text": self.text(), "is": "or", "of": [part.json() for part in self.parts]}


class Outside(Struct, frozen=True):
    """The cells that the inner mask does not permit."""

    inner: Mask

    def text(self) -> str:
        """`not` before an atom, or before a composition in parentheses."""
        inside = self.inner.text()
        return f"not {inside}" if isinstance(self.inner, Atom) else f"not ({inside})"

    def json(self) -> dict[str, Any]:
        """Plain data from which `from_json` rebuilds the mask."""
        return {"sort": "mask", "text": self.text(), "is": "not", "of": [self.inner.json()]}


Mask = Atom | Both | Either | Outside

CHOSEN = "top_k"
_CHOSEN_HELP = "join it to the rest once, with `and`: `causal and top_k(2_048 tokens)`"


def chooses(mask: Mask) -> bool:
    """Whether a learned choice of keys takes part, whose cells are not known by position."""
    match mask:
        case Atom(name):
            return name == CHOSEN
        case Both(parts) | Either(parts):
            return any(chooses(part) for part in parts)
        case Outside(inner):
            return chooses(inner)


_REACHING = frozenset({"causal", "full", "window", "sinks", "prefix"})


def grows(mask: Mask) -> bool:
    """Whether a query that stands one position further, among one more key, certainly sees no fewer keys.

    True of windows, sinks, prefixes and causal order, of `or` over these, and of `causal and` one of them.
    """
    parts = tuple(p for p in mask.parts if not _named(p, CHOSEN)) if isinstance(mask, Both) else (mask,)
    rest = tuple(part for part in parts if not _named(part, "causal"))
    return len(rest) <= 1 and all(_reaches(part) for part in rest)


def convex(mask: Mask) -> bool:
    """Whether the pairs of a whole prompt are certainly convex in its length: every query sees no fewer keys than the one
    before it, and none behind itself, so that a longer prompt adds a row to the rows that there are."""
    return grows(mask) and looks_back(mask)


def looks_back(mask: Mask) -> bool:
    """Whether it is certain that no query sees a key behind itself."""
    match mask:
        case Both(parts):
            return any(looks_back(part) for part in parts)
        case Either(parts):
            return all(looks_back(part) for part in parts)
        case Atom("causal"):
            return True
        case Atom("window"):
            return mask.size("ahead", 0) == 0
        case _:
            return False


def _reaches(mask: Mask) -> bool:
    parts = mask.parts if isinstance(mask, Either) else (mask,)
    return all(isinstance(part, Atom) and part.name in {*_REACHING, CHOSEN} for part in parts)


def _named(mask: Mask, name: str) -> bool:
    return isinstance(mask, Atom) and mask.name == name


def both(left: Mask, right: Mask) -> Mask:
    """`left and right`. At most one learned choice may take part: two would overlap by an unknown amount."""
    parts = _flat(Both, left, right)
    if sum(chooses(part) for part in parts) > 1:
        raise KernelRefusal(
            "CW0604", "two learned choices of keys overlap by an unknown amount", _CHOSEN_HELP
        )
    return parts[0] if len(parts) == 1 else _bounded(Both(parts))


def either(left: Mask, right: Mask) -> Mask:
    """`left or right`; a learned choice cannot stand in it, since its overlap with the rest is unknown."""
    parts = _flat(Either, left, right)
    if any(chooses(part) for part in parts):
        message = "`or` with a learned choice of keys has no exact count: which keys it picks is not known"
        raise KernelRefusal("CW0604", message, _CHOSEN_HELP)
    return parts[0] if len(parts) == 1 else _bounded(Either(parts))


def _bounded(mask: Both | Either) -> Mask:
    """The mask, unless it is composed of too many: it is written out wherever it is shown, and each part is looked at for
    every piece."""
    count = _atoms(mask)
    if count > MAX_ATOMS:
        message = f"this mask is composed of {count} masks, and the limit is {MAX_ATOMS}"
        raise KernelRefusal(
            "CW0603", message, "compose it of fewer: a part that lies within another one adds nothing by `or`"
        )
    return mask


def _atoms(mask: Mask) -> int:
    match mask:
        case Atom():
            return 1
        case Both(parts) | Either(parts):
            return sum(map(_atoms, parts))
        case Outside(inner):
            return _atoms(inner)


def outside(inner: Mask) -> Mask:
    """`not inner`; a learned choice cannot be inverted, since it is bounded in number and not in place."""
    if chooses(inner):
        message = "`not` of a learned choice of keys has no exact count: which keys it picks is not known"
        raise KernelRefusal("CW0604", message, _CHOSEN_HELP)
    return inner.inner if isinstance(inner, Outside) else Outside(inner)


def _flat(form: type[Both | Either], left: Mask, right: Mask) -> tuple[Mask, ...]:
    parts: dict[Mask, None] = {}
    for side in (left, right):
        for part in side.parts if isinstance(side, form) else (side,):
            parts[part] = None
    return tuple(parts)
