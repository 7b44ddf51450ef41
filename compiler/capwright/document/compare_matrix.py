"""All options of each thing beside each other: what is asked of them, and what changes from their base, and why."""

from __future__ import annotations

from msgspec import Struct

from capwright.document.compare import compare
from capwright.document.compare_options import alternatives, apart_of, bases, projected
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import PlanDoc


class Alternative(Struct, frozen=True):
    """The base, or one option. `doc` is the document as if it stood where the base does; `diff` is from the base."""

    address: str
    label: str
    doc: PlanDoc
    diff: DiffDoc | None


class Matrix(Struct, frozen=True):
    """A thing and its options, the base first."""

    base: str
    columns: tuple[Alternative, ...]


_last: list[tuple[PlanDoc, tuple[Matrix, ...]]] = []
"""The answer for the latest document: every format of one report asks for it."""


def matrices(doc: PlanDoc) -> tuple[Matrix, ...]:
    """The options of a document side by side; empty for a document without options."""
    if not _last or _last[0][0] is not doc:
        _last[:] = [(doc, _matrices(doc))]
    return _last[0][1]


def _matrices(doc: PlanDoc) -> tuple[Matrix, ...]:
    wanted = bases(doc)
    if not wanted:
        return ()
    given = alternatives(doc)
    labels = {option.address: option.label or "" for option in doc.options}
    found: list[Matrix] = []
    for base, options in wanted.items():
        own = projected(given, base, base)
        columns = [Alternative(base, "", own, None)]
        for option in options:
            other = projected(given, base, option)
            diff = compare(own, other, (base, option), apart=apart_of(given, base, base, option))
            columns.append(Alternative(option, labels[option], other, diff))
        found.append(Matrix(base, tuple(columns)))
    return tuple(found)
