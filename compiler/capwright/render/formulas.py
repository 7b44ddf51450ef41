"""A formula tree as infix text: with names, or with the numbers put in.

Parentheses stand only where the reading would differ without them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from capwright.base.address import owner_of
from capwright.base.exact import from_text
from capwright.base.rounding import fraction_text
from capwright.document.plandoc import Quantity, Tree
from capwright.render.figures import headline, interval, quantity_ends
from capwright.render.pieces import Literal, Piece, Pieces, Quoted, Reference, Words

Leaf = Callable[[str], Pieces]
"""What stands for a reference to an address: its name or its value."""

MANY: Final = 24
"""Arguments past this many are printed as their first few and an ellipsis."""
FEW: Final = 4

SIGNS: Final = {
    "add": " + ", "sub": " − ", "mul": " × ", "div": " / ", "lt": " < ", "le": " ≤ ", "eq": " = ",
    "ne": " ≠ ", "and": " and ", "or": " or ",
}  # fmt: skip
_TURNED: Final = {"lt": " > ", "le": " ≥ "}
BINDING: Final = {
    "if": 0, "search": 0, "assume": 0, "or": 1, "and": 2, "not": 3, "lt": 4, "le": 4, "eq": 4, "ne": 4,
    "add": 5, "sub": 5, "mul": 6, "div": 6, "neg": 7, "pow": 8,
}  # fmt: skip
"""How tightly an operator binds; what is not listed is written with its own brackets or is a leaf."""
ATOM: Final = 9
CALL: Final = "›"
"""What stands before a formula call in a name: `p99_blocks›ended_history[chat]` is at `p99_blocks/ended_history[chat]`, whose
slash would read as a division there."""
MEASURED: Final = "measured"
"""What a quantity that is read together with its measurement looks like: a function of both."""


def short_name(address: str, owner: str) -> str:
    """`address` as it reads beside `owner` and among operators: without the leading names that both share, and with `CALL`
    before a formula call."""
    own, other = owner_of(owner).split("."), owner_of(address).split(".")
    shared = 0
    while shared < len(own) - 1 and shared < len(other) - 1 and own[shared] == other[shared]:
        shared += 1
    short = ".".join(other[shared:])
    call = address.partition("/")[2]
    if not call:
        return short
    same = owner_of(address) == owner_of(owner)
    return call if same else f"{short}{CALL}{call}"


def symbols(tree: Tree, owner: Quantity) -> Pieces:
    """The formula of `owner` with names."""

    def leaf(address: str) -> Pieces:
        return (Reference(short_name(address, owner.address), address),)

    return _Printer(leaf, owner.provenance.place).pieces(tree, 0)


def numbers_put_in(tree: Tree, owner: Quantity, quantities: Mapping[str, Quantity]) -> Pieces:
    """The formula of `owner` with every name replaced by its value and unit; nothing where it is a name alone, whose value
    is the result."""
    return (
        ()
        if tree["op"] == "ref"
        else _Printer(value_of(owner, quantities), owner.provenance.place).pieces(tree, 0)
    )


def value_of(owner: Quantity, quantities: Mapping[str, Quantity]) -> Leaf:
    """The leaf that prints a quantity's value: its nominal one, or its range where `owner` is a bound."""

    def leaf(address: str) -> Pieces:
        quantity = quantities.get(address)
        if quantity is None:
            return (Reference(short_name(address, owner.address), address),)
        if quantity.truth is not None:
            return truth_or_value(quantity)
        ends = quantity_ends(quantity)
        if ends.is_point or (quantity.nominal is not None and owner.nominal is not None):
            return headline(ends)
        shown = interval(ends) if ends.low is not None or ends.high is not None else headline(ends)
        return (Words("("), *shown, Words(")"))

    return leaf


def truth_or_value(quantity: Quantity) -> Pieces:
    """The value of a quantity, or `true` and `false`."""
    if quantity.truth is not None:
        return (Words("true" if quantity.truth else "false"),)
    return headline(quantity_ends(quantity))


def constant(tree: Tree) -> Pieces:
    """A literal as the plan spells it."""
    text = tree.get("text") or fraction_text(from_text(tree["value"]))
    return (Literal(text, tree.get("place", "")),)


def sides(op: str) -> tuple[int, int]:
    """How tightly the first and the later operands must bind to stand without parentheses."""
    own = BINDING[op]
    return own + (op in {"lt", "le", "eq", "ne"}), own + (op not in {"add", "mul", "and", "or"})


def facing(op: str, args: list[Tree]) -> tuple[str, list[Tree]]:
    """The sign and the operands of an operation as a plan writes them: `s > 0.5`, which is kept as `0.5 < s`."""
    if op in _TURNED and args[0]["op"] == "const" and args[1]["op"] != "const":
        return _TURNED[op], [args[1], args[0]]
    return SIGNS[op], args


class _Printer:
    """`place` is where literals stand that carry none of their own: exponents and rounding steps."""

    def __init__(self, leaf: Leaf, place: str) -> None:
        self._leaf = leaf
        self._place = place

    def pieces(self, tree: Tree, least: int) -> Pieces:
        """`tree`, in parentheses if it binds less tightly than `least`."""
        bare = self._bare(tree)
        return bare if BINDING.get(tree["op"], ATOM) >= least else (Words("("), *bare, Words(")"))

    def _bare(self, tree: Tree) -> Pieces:
        op = tree["op"]
        if op in SIGNS:
            return self._infix(op, tree["args"])
        match op:
            case "ref":
                return self._leaf(tree["address"])
            case "const":
                return constant(tree)
            case "var":
                return (Quoted(tree["name"]),)
            case "neg":
                return (Words("−"), *self.pieces(tree["args"][0], BINDING["neg"]))
            case "not":
                return (Words("not "), *self.pieces(tree["args"][0], BINDING["not"]))
            case "pow":
                power = Literal(str(tree["exponent"]), self._place)
                return (*self.pieces(tree["args"][0], ATOM), Words("^"), power)
            case "ceil" | "floor":
                return self._rounding(tree)
            case "if":
                return self._choice(tree["args"])
            case "kernel":
                static = [(Quoted(static_text(value)),) for value in tree["static"]]
                return self._function(tree["function"], tree["args"], *static)
            case "search":
                return self._search(tree)
            case "assume":
                return self._assumption(tree)
            case "effective":
                return self._function(MEASURED, tree["args"])
        return self._function(op, tree["args"])

    def _infix(self, op: str, args: list[Tree]) -> Pieces:
        first, later = sides(op)
        sign, args = facing(op, args)
        shown = args if len(args) <= MANY else args[:FEW]
        found: list[Piece] = list(self.pieces(shown[0], first)) if shown else [Words("none")]
        for arg in shown[1:]:
            found += [Words(sign), *self.pieces(arg, later)]
        return tuple(found) if shown is args else (*found, Words(f"{sign}…"))

    def _function(self, name: str, args: list[Tree], *more: Pieces) -> Pieces:
        listed = [*more, *(self.pieces(arg, 0) for arg in (args if len(args) <= MANY else args[:FEW]))]
        found: list[Piece] = [Quoted(name), Words("(")]
        for index, item in enumerate(listed):
            found += [Words(", "), *item] if index else item
        return (*found, Words(")" if len(args) <= MANY else ", …)"))

    def _rounding(self, tree: Tree) -> Pieces:
        step = from_text(tree["step"])
        to: Pieces = () if step == 1 else (Words(", to "), Literal(fraction_text(step), self._place))
        return (Words(f"{tree['op']}("), *self.pieces(tree["args"][0], 0), *to, Words(")"))

    def _choice(self, args: list[Tree]) -> Pieces:
        condition, then, otherwise = (self.pieces(arg, 1) for arg in args)
        return (Words("if "), *condition, Words(" then "), *then, Words(" else "), *otherwise)

    def _assumption(self, tree: Tree) -> Pieces:
        if is_point(tree):
            return self.pieces(tree["args"][0], 1)
        low, high = (self.pieces(end, 1) if end else (Words("open"),) for end in (tree["low"], tree["high"]))
        return (*self.pieces(tree["args"][0], 1), Words(" in "), *low, Words(" .. "), *high)

    def _search(self, tree: Tree) -> Pieces:
        low, high, where = (self.pieces(tree[key], 1) for key in ("low", "high", "condition"))
        name = Quoted(tree["variable"])
        return (Words(f"{tree['which']} "), name, Words(" in "), *low, Words(" .. "), *high,
                Words(" where "), *where)  # fmt: skip


def is_point(assumed: Tree) -> bool:
    """Whether a range is one number, as what was measured without a range is."""
    return bool(assumed["low"] == assumed["args"][0] == assumed["high"])


def static_text(value: Any) -> str:
    """The words for a static argument: its `text` where it has one."""
    return str(value.get("text", value)) if isinstance(value, dict) else str(value)
