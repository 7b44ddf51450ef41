"""What stands for any value, while a formula is checked for whoever may call it."""

from __future__ import annotations

from typing import Final

from capwright.base.dimension import PURE, Dimension
from capwright.base.source import NOWHERE, Span
from capwright.check.declared import Slot
from capwright.check.rules import Typed
from capwright.graph.context import Context
from capwright.graph.tape import arguments
from capwright.graph.values import POISON, Choice, Inst, Items, Q, Static, Truth, Value, Words

_MARK: Final = "stand-in "


def stand_in_node(ctx: Context, dim: Dimension, name: str, span: Span = NOWHERE) -> int:
    """A node for any value of a dimension; unlike the variable of a search it never gets one."""
    return ctx.tape.emit("variable", (), dim, span, _MARK + name)


def stand_in(ctx: Context, slot: Slot, address: str) -> Value:
    """What stands for any value of a slot, while a formula that nobody calls is checked."""
    match slot.sort:
        case "quantity":
            node = stand_in_node(ctx, slot.dim, address)
            return Q(node, Typed(slot.dim, slot.kind, False, frozenset(), False, False, slot.unit))
        case "entity":
            entity = slot.entity
            if entity is None or entity.unsure:
                return POISON
            return Inst(address, entity, (), entity.span, None, None, True)
        case "choice":
            return Choice("", slot.choices)
        case "text":
            return Words("")
        case "bool":
            return Truth(stand_in_node(ctx, PURE, address))
        case "value":
            return Static(slot.name, None)
        case "unknown":
            return POISON
        case _:
            assert slot.element is not None
            return Items(((None, stand_in(ctx, slot.element, address)),), True, slot.element)


def leans_on_stand_in(ctx: Context, node: int) -> bool:
    """Whether a node is unknown only because something below it stands for any value."""
    stack, seen = [node], set[int]()
    while stack:
        current = stack.pop()
        if current in seen or current < 0:
            continue
        seen.add(current)
        if ctx.tape.ops[current] == "variable" and str(ctx.tape.data[current]).startswith(_MARK):
            return True
        stack.extend(arguments(ctx.tape, current))
    return False
