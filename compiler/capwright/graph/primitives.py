"""Calls of the kernel: values of its types are built during expansion, primitives become nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from capwright.base.counting import counted, with_article
from capwright.base.diagnostic import Spelling
from capwright.base.exact import Number
from capwright.check.declared import Slot as Taken
from capwright.check.rules import Typed
from capwright.graph.bare import way_to_unit
from capwright.graph.confiding import not_exact
from capwright.graph.context import Context
from capwright.graph.deciding import decided
from capwright.graph.read_files import read_key
from capwright.graph.stand_ins import leans_on_stand_in, stand_in_node
from capwright.graph.tape import KernelCall
from capwright.graph.telling import faulted
from capwright.graph.value_of import value_of
from capwright.graph.values import POISON, Env, Items, Poison, Q, Static, Value, Words, what
from capwright.kernel.refusal import KernelRefusal
from capwright.kernel.registry import CONSTRUCTORS, OBSERVED, PRIMITIVES, TYPES, Slot
from capwright.syntax import tree


def call(ctx: Context, expr: tree.Call, env: Env) -> Value:
    """A constructor of a kernel type, or a primitive that counts something."""
    primitive = PRIMITIVES.get(expr.function)
    slots = primitive.slots if primitive is not None else CONSTRUCTORS[expr.function].slots
    given = _arguments(ctx, expr, slots, env)
    if given is None:
        return POISON
    if primitive is None:
        return _construct(ctx, expr, slots, given)
    static = tuple(v.value for v in given if isinstance(v, Static))
    nodes = tuple(v.node for v in given if isinstance(v, Q))
    unit = ctx.program.slots.unit(primitive.result_unit, expr.span, None)
    if unit is None:
        return POISON
    typed = Typed(unit.dim, static=all(v.type.static for v in given if isinstance(v, Q)), unit=unit.symbol)
    if any(s is None for s in static):
        node = stand_in_node(ctx, unit.dim, expr.function, expr.span)
        return Q(node, typed)
    data = KernelCall(expr.function, static)
    return Q(ctx.tape.emit("kernel", nodes, unit.dim, expr.span, data), typed)


def from_file(ctx: Context, expr: tree.Call) -> Value:
    """What a reader made of a file: one distribution, or several by the names of the call's arguments."""
    key = read_key(expr)
    found = ctx.lengths.get(key)
    if isinstance(found, Mapping) and found:
        held = [(name, Static(OBSERVED, value)) for name, value in found.items()]
        return held[0][1] if len(held) == 1 else Items(tuple(held))
    if key in ctx.imports:
        return ctx.say(
            "CW0229",
            expr.span,
            f"`{expr.function}` describes an instance, and stands after `from`",
            f'write `TYPE NAME from {expr.function}("…") {{ }}`',
        )
    if any(override.value.span.file == expr.span.file for override in ctx.overrides):
        return ctx.say(
            "CW0229",
            expr.span,
            "`--set` reads no file",
            "name what a plan reads there, or write it into the plan, where an option can have it",
        )
    return POISON  # the file could not be read, which has been said


def _arguments(ctx: Context, expr: tree.Call, slots: Sequence[Slot], env: Env) -> list[Value] | None:
    """The arguments in the order of the slots, each of its slot's sort; None with a message."""
    placed = _placed(ctx, expr, slots)
    if placed is None:
        return None
    found: list[Value] = []
    for slot, argument in placed:
        value = value_of(ctx, argument.value, env, _taken(slot))
        if isinstance(value, Poison):
            return None
        if not _fits(ctx, slot, argument, value, expr):
            return None
        found.append(value)
    return found


def _taken(slot: Slot) -> Taken | None:
    return Taken("value", name=slot.sort) if slot.sort in TYPES else None


def _placed(ctx: Context, expr: tree.Call, slots: Sequence[Slot]) -> list[tuple[Slot, tree.Argument]] | None:
    by_name = {slot.name: slot for slot in slots}
    placed: list[tuple[Slot, tree.Argument]] = []
    positions = iter(slots)
    current: Slot | None = None
    for argument in expr.arguments:
        if argument.name is not None:
            slot = by_name.get(argument.name)
            if slot is None:
                ctx.say(
                    "CW0218",
                    argument.span,
                    f"`{expr.function}` has no argument `{argument.name}`",
                    Spelling(argument.name, by_name),
                )
                return None
        else:
            if current is None or not current.variadic:
                current = next(positions, None)
            slot = current
        if slot is None:
            ctx.say(
                "CW0218",
                argument.span,
                f"`{expr.function}` takes {counted(len(slots), 'argument')}, and here are {len(expr.arguments)}",
                "it takes " + ", ".join(s.name for s in slots),
            )
            return None
        placed.append((slot, argument))
    given = {slot.name for slot, _ in placed}
    missing = [s.name for s in slots if s.name not in given and s.default is None and not s.variadic]
    if missing:
        ctx.say(
            "CW0218",
            expr.span,
            f"`{expr.function}` needs its {missing[0]}",
            "it takes " + ", ".join(s.name for s in slots),
        )
        return None
    order = {slot.name: i for i, slot in enumerate(slots)}
    return sorted(placed, key=lambda pair: order[pair[0].name])


def _fits(ctx: Context, slot: Slot, argument: tree.Argument, value: Value, expr: tree.Call) -> bool:
    where = f"`{slot.name}` of `{expr.function}`"
    if slot.sort == "quantity":
        unit = ctx.program.slots.unit(slot.unit, expr.span, None)
        if isinstance(value, Q) and unit is not None and value.type.dim is unit.dim:
            return True
        found = value.type.dim.text() if isinstance(value, Q) else what(value)
        code = "CW0301" if isinstance(value, Q) else "CW0302"
        way = isinstance(value, Q) and way_to_unit(ctx, value, slot.unit)
        ctx.say(
            code,
            argument.span,
            f"{where} is in {slot.unit or 'plain numbers'}, and this is {found}",
            way or (f"give it a quantity in {slot.unit}" if slot.unit else "give it a number"),
        )
        return False
    right = (
        (slot.sort == "text" and isinstance(value, Words))
        or (slot.sort == "list" and isinstance(value, Items))
        or (isinstance(value, Static) and value.sort == slot.sort)
    )
    if not right:
        ctx.say(
            "CW0302",
            argument.span,
            f"{where} takes {with_article(slot.sort)}, and this is {what(value)}",
            "give one",
        )
    return right


def _construct(ctx: Context, expr: tree.Call, slots: Sequence[Slot], given: list[Value]) -> Value:
    constructor = CONSTRUCTORS[expr.function]
    plain: dict[str, list[object]] = {}
    placed = _placed(ctx, expr, slots) or []
    for (slot, argument), value in zip(placed, given, strict=True):
        data = _plain(ctx, value, argument)
        if data is None:
            return Static(constructor.result, None) if _stands_in(ctx, value) else POISON
        plain.setdefault(slot.name, []).append(data)
    arguments = [a for slot in slots for a in plain.get(slot.name, [slot.default] * (not slot.variadic))]
    try:
        built = constructor.build(*arguments)
    except KernelRefusal as refusal:
        return ctx.say(refusal.code, expr.span, refusal.message, refusal.help)
    ctx.built[id(built)] = (built, expr.span)
    return Static(constructor.result, built)


def _stands_in(ctx: Context, value: Value) -> bool:
    """Whether a value is unknown only because it stands for any value."""
    if isinstance(value, Static):
        return value.value is None
    if isinstance(value, Items):
        return value.open or any(_stands_in(ctx, v) for _, v in value.items)
    return isinstance(value, Q) and leans_on_stand_in(ctx, value.node)


def _plain(ctx: Context, value: Value, argument: tree.Argument) -> object | None:
    """A constructor's argument as plain data: an exact number, a text, a value of the kernel, a list."""
    match value:
        case Words(value=text):
            return text
        case Static(value=held):
            return held
        case Items(items=items):
            inner = [_plain(ctx, v, argument) for _, v in items]
            return None if any(v is None for v in inner) else inner
        case Q(node=node, type=typed):
            known: Number | None = decided(ctx, node, typed.taint)
            if known is None and not leans_on_stand_in(ctx, node) and not faulted(ctx, node):
                not_exact(
                    ctx,
                    node,
                    argument.span,
                    "this shapes what is built, so it must be an exact number",
                    "give it a number, or something computed from exact numbers only",
                )
            return known
        case _:
            return None
