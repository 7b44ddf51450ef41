"""A formula tree as MathML: fractions are drawn as fractions, powers as powers.

There is no link in it: a screen reader takes a formula as one thing, and a link inside could not be reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from capwright.base.exact import from_text
from capwright.base.rounding import fraction_text
from capwright.document.plandoc import Quantity, Tree
from capwright.document.retape import parts_of
from capwright.render.escape import html_text
from capwright.render.formulas import (
    ATOM,
    BINDING,
    FEW,
    MANY,
    MEASURED,
    SIGNS,
    Leaf,
    constant,
    facing,
    is_point,
    short_name,
    sides,
    static_text,
    value_of,
)
from capwright.render.markup import to_html
from capwright.render.pieces import Literal, Numeral, Piece, Pieces, Quoted, Reference, Words

_SHAPED: Final = frozenset({"div", "pow", "sqrt"})
_ROUNDING: Final = {"ceil": ("⌈", "⌉"), "floor": ("⌊", "⌋")}


def gains(tree: Tree) -> bool:
    """Whether a drawing shows the shape of a formula better than a line of text: a fraction, power or root."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node["op"] in _SHAPED:
            return True
        waiting.extend(parts_of(node))
    return False


def symbols(tree: Tree, owner: Quantity) -> str:
    """The formula of `owner` with names, as a `math` element."""

    def leaf(address: str) -> Pieces:
        return (Reference(short_name(address, owner.address), address),)

    return _Drawer(leaf, owner.provenance.place).math(tree)


def numbers_put_in(tree: Tree, owner: Quantity, quantities: Mapping[str, Quantity]) -> str:
    """The formula of `owner` with the numbers put in, as a `math` element."""
    return _Drawer(value_of(owner, quantities), owner.provenance.place).math(tree)


class _Drawer:
    def __init__(self, leaf: Leaf, place: str) -> None:
        self._leaf = leaf
        self._place = place

    def math(self, tree: Tree) -> str:
        return f'<math displaystyle="true">{self.row(tree, 0)}</math>'

    def row(self, tree: Tree, least: int) -> str:
        """`tree`, in parentheses if it binds less tightly than `least`."""
        bare = self._bare(tree)
        # A drawn fraction needs no parentheses anywhere but under a power.
        binding = BINDING["neg"] if tree["op"] == "div" else BINDING.get(tree["op"], ATOM)
        return f"<mrow>{bare}</mrow>" if binding >= least else f"<mrow>{_bracketed(bare)}</mrow>"

    def _bare(self, tree: Tree) -> str:
        op = tree["op"]
        match op:
            case "ref":
                return _text(self._leaf(tree["address"]))
            case "const":
                return _text(constant(tree))
            case "var":
                return _text((Quoted(tree["name"]),))
            case "div":
                above, below = tree["args"]
                return f"<mfrac>{self.row(above, 0)}{self.row(below, 0)}</mfrac>"
            case "pow":
                power = _text((Literal(str(tree["exponent"]), self._place),))
                return f"<msup>{self.row(tree['args'][0], ATOM)}{power}</msup>"
            case "sqrt":
                return f"<msqrt>{self.row(tree['args'][0], 0)}</msqrt>"
            case "neg":
                return _mo("−") + self.row(tree["args"][0], BINDING["neg"])
            case "not":
                return _mo("not") + self.row(tree["args"][0], BINDING["not"])
            case "if":
                condition, then, otherwise = (self.row(arg, 1) for arg in tree["args"])
                return _mo("if") + condition + _mo("then") + then + _mo("else") + otherwise
            case "ceil" | "floor":
                return self._rounding(tree)
            case "kernel":
                static = [_text((Quoted(static_text(value)),)) for value in tree["static"]]
                return self._function(tree["function"], tree["args"], static)
            case "search":
                return self._search(tree)
            case "effective":
                return self._function(MEASURED, tree["args"], [])
            case "assume" if is_point(tree):
                return self.row(tree["args"][0], 1)
            case "assume":
                low, high = (self.row(end, 1) if end else _mo("open") for end in (tree["low"], tree["high"]))
                return f"{self.row(tree['args'][0], 1)}{_mo('in')}{low}{_mo('..')}{high}"
        if op in SIGNS:
            return self._infix(op, tree["args"])
        return self._function(op, tree["args"], [])

    def _infix(self, op: str, args: list[Tree]) -> str:
        first, later = sides(op)
        sign, args = facing(op, args)
        shown = args if len(args) <= MANY else args[:FEW]
        items = [self.row(arg, later if index else first) for index, arg in enumerate(shown)]
        return _mo(html_text(sign.strip())).join(items if shown is args else [*items, _mo("…")])

    def _function(self, name: str, args: list[Tree], more: list[str]) -> str:
        shown = args if len(args) <= MANY else args[:FEW]
        items = [*more, *(self.row(arg, 0) for arg in shown), *([] if shown is args else [_mo("…")])]
        return f"{_text((Quoted(name),))}{_bracketed(_mo(',').join(items))}"

    def _rounding(self, tree: Tree) -> str:
        left, right = _ROUNDING[tree["op"]]
        step = from_text(tree["step"])
        inner = f"{_mo(left)}{self.row(tree['args'][0], 0)}{_mo(right)}"
        if step == 1:
            return inner
        return f"<msub><mrow>{inner}</mrow>{_text((Literal(fraction_text(step), self._place),))}</msub>"

    def _search(self, tree: Tree) -> str:
        low, high, where = (self.row(tree[key], 1) for key in ("low", "high", "condition"))
        name = _text((Quoted(tree["variable"]),))
        return f"{_mo(tree['which'])}{name}{_mo('in')}{low}{_mo('..')}{high}{_mo('where')}{where}"


def _mo(sign: str) -> str:
    return f"<mo>{sign}</mo>"


def _bracketed(inner: str) -> str:
    # Brackets grow with a fraction; around plain text browsers make them too tall.
    grow = "true" if "<mfrac>" in inner else "false"
    return f'<mo stretchy="{grow}">(</mo>{inner}<mo stretchy="{grow}">)</mo>'


def _text(pieces: Pieces) -> str:
    # One token element a piece: browsers break a line between the children of one. And not all `mtext`:
    # that counts as space, beside which an operator loses its own.
    return "".join(_token(piece) for piece in pieces)


def _token(piece: Piece) -> str:
    inner = to_html([piece], links=False)
    if isinstance(piece, Words):
        return f"<mtext>{inner}</mtext>"
    if isinstance(piece, Numeral | Literal):
        return f"<mn>{inner}</mn>"
    return f'<mi mathvariant="normal">{inner}</mi>'
