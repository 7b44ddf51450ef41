"""The words of the language that open a statement or a clause, and those of expressions: the form of each, what it says, and where the reference tells
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

EXPRESSIONS: Final[Mapping[str, Form]] = {
    "min": Form(
        "min(a, b, …)",
        "the least of quantities of one dimension; of a list `min(list)`, or `min(e for g in list where c)`",
        8,
    ),
    "max": Form(
        "max(a, b, …)",
        "the greatest of quantities of one dimension; of a list `max(list)`, or `max(e for g in list where c)`",
        8,
    ),
    "sum": Form(
        "sum(e for g in list where c)",
        "adds up what it says of each element that meets the condition; `sum(list)` adds up the elements",
        8,
    ),
    "count": Form("count(g in list where c)", "how many elements meet the condition", 8),
    "all": Form(
        "all(e for g in list where c)",
        "whether the condition `e` is met by all elements, as it is by those of an empty list",
        8,
    ),
    "any": Form("any(e for g in list where c)", "whether the condition `e` is met by some element", 8),
    "list": Form(
        "list(e for g in list where c)",
        "a list of what it says of each element that meets the condition; written by hand `[a, b]`",
        8,
    ),
    "filter": Form("filter(g in list where c)", "the elements that meet the condition, with their names", 8),
    "first": Form("first(list)", "the first element of a list", 8),
    "nth": Form("nth(list, i)", "the element at a place, counted from 0", 8),
    "range": Form("range(n)", "the whole numbers from 0 to `n` - 1", 8),
    "split": Form("split(n, k)", "`k` whole parts of `n`, as even as can be, the larger ones first", 8),
    "ceil": Form(
        "ceil(x, to step)",
        "the least multiple of the step that is not below; without a step it takes pure numbers and counting dimensions alone",
        8,
    ),
    "floor": Form(
        "floor(x, to step)",
        "the greatest multiple of the step that is not above; without a step it takes pure numbers and counting dimensions alone",
        8,
    ),
    "divides": Form("divides(a, b)", "whether a whole number divides another of its dimension", 8),
    "mod": Form("mod(a, b)", "the rest of a whole division, in the dimension of `a`", 8),
    "sqrt": Form("sqrt(x)", "the square root of a pure number", 8),
    "log2": Form("log2(x)", "the logarithm of a pure number to the base 2", 8),
    "exp": Form("exp(x)", "e to the power of a pure number", 8),
    "largest": Form(
        "largest n in lo .. hi where c",
        "searches for the largest whole number of a range that meets a condition which is met up to some number and fails from there on",
        8,
    ),
    "smallest": Form(
        "smallest n in lo .. hi where c",
        "searches for the smallest whole number of a range that meets a condition which fails up to some number and is met from there on",
        8,
    ),
    "if": Form(
        "if c then a else b",
        "one of two values, as the whole value or in parentheses; of a condition that is not decided, both",
        8,
    ),
    "is": Form("is variant, is not variant", "asks of a thing for the entity that it is of: `g is full`", 8),
    "as": Form("as kind", "gives a number a kind, which is said out loud: `x as pool`", 8),
    "in": Form(
        "in unit", "the bare number of so many of a unit, `x in layer`, where a whole number is asked for", 3
    ),
    "and": Form("and", "whether both conditions are met; of masks, what both show", 8),
    "or": Form("or", "whether one of two conditions is met; of masks, what either shows", 8),
    "not": Form("not condition", "whether a condition is not met", 8),
}
"""What a value is written with, beside what masks, lengths and files have functions for."""

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


VERDICTS: Final[Mapping[str, Form]] = {
    "holds": Form("holds", "of a requirement: it is met whatever its sources are within their ranges", 11),
    "violated": Form(
        "violated", "of a requirement: it is not met whatever its sources are within their ranges", 11
    ),
    "not established": Form(
        "not established",
        "of a requirement: neither is shown; the report names the line that leaves it open, and what would close it",
        11,
    ),
    "expected": Form(
        "expected (an estimate)",
        "of an expectation: the best-known values meet it, whatever the ranges around them do; it bounds no purchase",
        11,
    ),
    "not expected": Form(
        "not expected (an estimate)", "of an expectation: the best-known values do not meet it", 11
    ),
    "contradicted": Form(
        "contradicted",
        "what is measured and what is derived of one number cannot both be: nothing that leans on it is judged",
        12,
    ),
}
"""What comes of a requirement and of an expectation: how reports call it, and what that says."""
