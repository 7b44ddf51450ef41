"""Branches that a document does not establish: an `if` whose condition may be true or false.

Both branches of such a choice stand in its range, so whoever reads the formula is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from capwright.base.interval import Range
from capwright.document.plandoc import Quantity, Tree
from capwright.document.retape import Definition, assemble, evaluated, parts_of, references
from capwright.render.figures import quantity_ends


def undecided(quantity: Quantity, quantities: Mapping[str, Quantity]) -> list[Tree]:
    """The conditions in the formula of a quantity that its operands leave open, in reading order. Those of a branch that
    is never taken stand in nothing."""
    formula = quantity.formula
    conditions = list(_conditions(formula, parts_of)) if formula is not None else []
    if formula is None or not conditions or quantity.truth is not None or quantity_ends(quantity).is_point:
        return []  # what both branches stand in is no one number
    named = {address for condition in conditions for address in references(condition)}
    taped = assemble({address: _held(str(address), quantities) for address in named})
    nodes = [taped.writer(condition) for condition in conditions]
    values = evaluated(taped).values
    value_of = {id(condition): values[node] for condition, node in zip(conditions, nodes, strict=True)}

    def taken(choice: Tree) -> Sequence[Tree]:
        condition, then, otherwise = parts_of(choice)
        value = value_of[id(condition)]
        decided = value is not None and not isinstance(value, Range)
        return (condition, then if value else otherwise) if decided else (condition, then, otherwise)

    return [each for each in _conditions(formula, taken) if isinstance(value_of[id(each)], Range)]


def _conditions(tree: Tree, parts_of_choice: Callable[[Tree], Sequence[Tree]]) -> Iterator[Tree]:
    """Those of choices that stand in a formula, or in the parts of such choices that are gone into. In a search, they
    are decided anew for each number that is tried."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node["op"] == "search":
            continue
        choice = node["op"] == "if"
        if choice:
            yield node["args"][0]
        waiting += reversed(parts_of_choice(node) if choice else parts_of(node))


def _held(address: str, quantities: Mapping[str, Quantity]) -> Definition:
    """What is known of a quantity, as a definition that leans on nothing."""
    quantity = quantities.get(address)
    if quantity is None:
        return Definition(address, {"op": "var", "name": address})
    if quantity.truth is not None:
        return Definition(address, {"op": "const", "value": str(int(quantity.truth))})
    ends = quantity_ends(quantity)
    return Definition(address, {"op": "held", "value": Range(ends.low, ends.nominal, ends.high)})
