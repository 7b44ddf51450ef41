"""All options of each thing beside each other: what is asked of them, and what changes from their base, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from capwright.base.latest import Latest
from capwright.comparison.compare import compare
from capwright.comparison.options import Alternatives, apart_of, bases, projected
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import PlanDoc, VerdictDoc


class Alternative(Struct, frozen=True):
    """The base, or one option. `verdicts` are those of the plan as if it stood where the base does; `diff` is from the
    base."""

    address: str
    label: str
    verdicts: tuple[VerdictDoc, ...]
    diff: DiffDoc | None


class Matrix(Struct, frozen=True):
    """A thing and its options, the base first."""

    base: str
    columns: tuple[Alternative, ...]


_LATEST: Final = Latest[PlanDoc, tuple[Matrix, ...]]()

Each = Callable[[Callable[[str], "Alternative"], Sequence[str]], Iterable["Alternative"]]
"""How the options of one thing are gone through: one after another, or each on a core of its own."""


def matrices(doc: PlanDoc, each: Each = map) -> tuple[Matrix, ...]:
    """The options of a document side by side; empty for a document without options."""
    return _LATEST.get(doc, lambda: _matrices(doc, each))


def _matrices(doc: PlanDoc, each: Each) -> tuple[Matrix, ...]:
    wanted = bases(doc)
    if not wanted:
        return ()
    given = Alternatives(doc)
    labels = {option.address: option.label or "" for option in doc.options}
    return tuple(_matrix(given, base, labels, options, each) for base, options in wanted.items())


def _matrix(
    given: Alternatives, base: str, labels: Mapping[str, str], options: Sequence[str], each: Each
) -> Matrix:
    own = projected(given, base, base)

    def alternative(option: str) -> Alternative:
        other = projected(given, base, option)
        diff = compare(own, other, (base, option), apart=apart_of(given, base, base, option))
        return Alternative(option, labels[option], other.verdicts, diff)

    return Matrix(base, (Alternative(base, "", own.verdicts, None), *each(alternative, options)))
