"""The check that a JSON value is a formula tree."""

from __future__ import annotations

import re
from typing import Any, Final

from capwright.base.exact import NUMBER
from capwright.document.key_order import in_order, ordered
from capwright.kernel import registry
from capwright.kernel.rebuilding import NoStaticValue, from_json, takes

DEEPEST: Final = 150
"""More than twice as deep as the language nests."""


class Mismatch(ValueError):
    """A value is not of the declared type; the text names the place and what is wrong."""


SIZE: Final = re.compile(r"[1-9][0-9]{0,2499}(/[1-9][0-9]{0,2499})?")
"""Exact text of the size of a unit, which is above zero."""

_CONTEXTUAL: Final = {
    "const": ("value",),
    "ref": ("address",),
    "var": ("name",),
    "pow": ("args", "exponent"),
    "ceil": ("args", "step"),
    "floor": ("args", "step"),
    "kernel": ("args", "function", "static"),
    "assume": ("args", "source", "low", "high"),
    "search": ("which", "variable", "low", "high", "condition", "step"),
}
_PLAIN: Final = frozenset(
    "add sub mul div neg min max mod divides sqrt log2 exp lt le eq ne and or not if effective".split()
)
_ARITY: Final = {
    **dict.fromkeys("pow ceil floor neg not sqrt log2 exp assume".split(), (1, 1)),
    **dict.fromkeys("sub div mod divides lt le eq ne effective".split(), (2, 2)),
    "if": (3, 3),
    "kernel": (0, 1_000),
}
"""How many arguments an operation takes; the others take at least one."""
_MANY: Final = (1, 1_000_000)
_TREES: Final = frozenset({"low", "high", "condition"})
_EXACT: Final = frozenset({"value", "step"})
_OPTIONAL: Final = {"const": ("text", "place")}


def check_tree(raw: Any, depth: int = 0) -> None:
    """Nothing for a formula tree, whose keys are put in the order of a document. Raises `Mismatch` for anything else."""
    if depth > DEEPEST:
        raise Mismatch(f"a formula is nested more than {DEEPEST} deep")
    if not isinstance(raw, dict) or not isinstance(raw.get("op"), str):
        raise Mismatch("a formula should be an object with an `op`")
    op = raw["op"]
    needed = ("args",) if op in _PLAIN else _CONTEXTUAL.get(op)
    if needed is None:
        raise Mismatch(f"a formula has no op `{op[:80]}`")
    known = {"op", *needed, *_OPTIONAL.get(op, ())}
    missing, spare = set(needed) - raw.keys(), raw.keys() - known
    if missing or spare:
        raise Mismatch(f"in a formula, `{op}` should have {', '.join(f'`{key}`' for key in needed)}")
    keys = tuple(raw)
    if keys != ordered(keys):  # a document that somebody else wrote
        found = dict(raw)
        raw.clear()
        raw.update((key, found[key]) for key in ordered(keys))
    for key in known & raw.keys():
        _check_member(op, key, raw[key], depth + 1)
    if op == "kernel":
        _check_call(raw)
        raw["static"] = in_order(raw["static"])


def _check_call(tree: dict[str, Any]) -> None:
    """That a primitive is given what it takes."""
    try:
        static = [from_json(each) for each in tree["static"]]
    except NoStaticValue as wrong:
        raise Mismatch("`static` should be a list of static values") from wrong
    if not takes(registry.PRIMITIVES[tree["function"]], static, len(tree["args"])):
        raise Mismatch(f"`{tree['function']}` is not given what it takes")


def _check_member(op: str, key: str, value: Any, depth: int) -> None:
    if key in _TREES:
        if value is not None or op != "assume":
            check_tree(value, depth)
    elif key == "args":
        least, most = _ARITY.get(op, _MANY)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise Mismatch(f"`args` of `{op}` should be a list of the right length")
        for item in value:
            check_tree(item, depth)
    elif key == "exponent":
        if type(value) is not int:
            raise Mismatch("`exponent` should be a whole number")
    elif key == "static":
        if not isinstance(value, list):
            raise Mismatch("`static` should be a list of static values")
    elif key == "function":
        if not isinstance(value, str) or value not in registry.PRIMITIVES:
            raise Mismatch("`function` is no primitive that this capwright knows")
    elif key == "which":
        if value not in ("largest", "smallest"):
            raise Mismatch("`which` should be largest or smallest")
    elif not isinstance(value, str) or (key in _EXACT and not NUMBER.fullmatch(value)):
        raise Mismatch(f"`{key}` of `{op}` is not as it should be")
