"""The words of the language that open a statement or a clause: the form of each, what it says, and where the reference tells
of it. Messages and `explain` read them from here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from capwright.base.diagnostic import nearest


class Form(Struct, frozen=True):
    """How something is written, what it says, and the number of its section of `grammar/reference.md`."""

    written: str
    says: str
    section: int


STATEMENTS: Final[Mapping[str, Form]] = {
    "use": Form(
        'use std, or use "file.plan" as name', "reads the library, or another file, for its names", 2
    ),
    "entity": Form(
        "entity name : parent { … }",
        "declares a sort of thing: its fields, with units and defaults, and its checks; with a parent, a variant of that",
        5,
    ),
    "unit": Form(
        "unit name, names symbol s = value",
        "declares a unit: a dimension of its own, or a number of another unit",
        3,
    ),
    "kind": Form(
        'kind name : unit for scope "words"',
        "declares what a number may be a number of: kinds are not mixed, and a kind says what a measurement of it must state",
        10,
    ),
    "formula": Form(
        "formula name(a: type, b: type) : type = value",
        "declares how a quantity is computed; one name may have a body for each variant of an argument",
        7,
    ),
    "view": Form(
        'view chart of name "title" : a, b, c', "declares a picture of quantities, which a report draws", 13
    ),
    "assume": Form(
        'assume name = value in low .. high because "…"',
        "says what nobody has shown, with its range and the reason; what is computed with it leans on it",
        9,
    ),
    "measure": Form(
        "measure path = number as name { … }",
        "says what was measured of a quantity, with the context that its kind asks for; it counts where that agrees with the "
        "plan, and narrows what is established of the quantity",
        12,
    ),
    "evidence": Form(
        "evidence name of path { … } discharges caveat",
        "says what was shown elsewhere; where it agrees with the plan it takes a caveat off",
        12,
    ),
    "require": Form(
        'require a <= b "words"',
        "asks that something holds: it holds, is violated or is not established; `require established` makes the last an "
        "error",
        11,
    ),
    "expect": Form(
        'expect a <= b "words"',
        "asks the same of the nominal values alone: expected, or not expected",
        11,
    ),
    "option": Form(
        "option name of base { … }",
        "copies a thing with some fields set otherwise, at `base@name`; what depends on these is computed anew",
        6,
    ),
    "report": Form('report path, path "title"', "names what the report shows, section by section", 13),
    "moved": Form(
        "moved old.path to new.path", "says that something was renamed, so that `diff` compares it", 13
    ),
    "check": Form(
        'check condition "why it must hold"', "in an entity: says what every instance of it must meet", 5
    ),
    "absent": Form(
        'absent name, name because "why"', "in an entity: names fields that it lacks on purpose", 5
    ),
    "inherits": Form(
        "inherits family from variant", "in an entity: takes over the parent's formulas knowingly", 7
    ),
}
"""What may open a statement, at top level or in an entity."""

CLAUSES: Final[Mapping[str, Form]] = {
    "over": Form("over dimension, dimension", "says which counts the body of a formula has added up", 7),
    "each": Form("each dimension", "says for one of what the body of a formula is", 7),
    "excludes": Form(
        'excludes family, "words"',
        "names what a number leaves out: a sum that has it drops the exclusion",
        12,
    ),
    "includes": Form("includes family", "says that a formula counts a family in another way", 12),
    "caveat": Form(
        'caveat name for scope "text"', "goes with every number downstream whose kind has the scope", 12
    ),
    "discharges": Form("discharges caveat", "takes a caveat that is not permanent off, by its name", 12),
    "because": Form('because "reason"', "gives the reason of an assumption, which must have one", 9),
    "review": Form("review 2027-03", "gives the date when an assumption is looked at again", 9),
    "source": Form('source "where"', "says where a fact comes from", 13),
    "key": Form('key "name"', "says which key of an imported file a fact was read from", 13),
    "flag": Form('flag "--name"', "says which launch flag carries a field", 13),
    "confidential": Form("confidential", "keeps a number out of what is written for others", 13),
}
"""What may follow a declaration."""

_BROUGHT: Final = {
    "assert": "require",
    "ensure": "require",
    "def": "formula",
    "fn": "formula",
    "func": "formula",
    "function": "formula",
    "import": "use",
    "include": "use",
    "print": "report",
    "struct": "entity",
}
"""Words of other languages, with what says the same in a plan."""


def meant(word: str) -> tuple[str, ...]:
    """The word that opens a statement which this one comes near to, as `requires` does, or stands for elsewhere, as
    `assert` does."""
    return (_BROUGHT[word],) if word in _BROUGHT else nearest(word, STATEMENTS)[:1]
