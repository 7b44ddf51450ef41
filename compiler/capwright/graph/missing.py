"""Fields that must be given and are not: told where a plan can give them, once for all that is made of the thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from capwright.base.counting import plural, with_article
from capwright.base.diagnostic import Offer, nearest
from capwright.base.source import Span
from capwright.check.candidates import candidates
from capwright.check.declared import FieldDef, Scope, Slot
from capwright.graph.adding import adds
from capwright.graph.context import Context, Key
from capwright.graph.likenesses import likenesses
from capwright.graph.values import Inst
from capwright.syntax import tree

Wanting = dict[Inst, dict[str, FieldDef]]


def tell_missing(ctx: Context) -> None:
    """Tell of every field that was asked for and that nothing gives.

    What the plan declares or copies is told of there. A thing of the library is complete only as others take it: it is
    told of at the places where the plan takes it as it is.
    """
    own: Wanting = {}
    theirs: Wanting = {}
    chains: dict[Inst, set[Inst]] = {}
    unsaid = {(inst, field.name) for inst, field in ctx.missing}
    for inst, field in ctx.missing:
        if _is_misspelt(inst, field) or any((other, field.name) in unsaid for other in _repeated(ctx, inst)):
            continue
        chain = list(_origins(inst))
        first = next((one for one in chain if not _is_of_library(one)), None)
        (theirs if first is None else own).setdefault(first or chain[-1], {}).setdefault(field.name, field)
        if first is None:
            chains.setdefault(chain[-1], set()).update(chain)
    for inst, fields in own.items():
        behind = list(_origins(inst))[1:]
        for field in fields.values():
            if not any(field.name in own.get(one, ()) for one in behind):
                _tell_own(ctx, inst, field)
    takers = _takers(ctx, chains)
    for inst, fields in theirs.items():
        _tell_taken(ctx, inst, list(fields.values()), takers.get(inst) or {inst.span: inst.address})


def _is_misspelt(inst: Inst, field: FieldDef) -> bool:
    """Whether the instance has a field that there is not, of the name that is nearest to this one: which is told."""
    given = {name: entries for layer in inst.layers for name, entries in layer.body.entries.items()}
    unknown = (
        name
        for name, entries in given.items()
        if name not in inst.entity.fields and name not in inst.entity.blocks and not any(map(adds, entries))
    )
    return any(field.name in nearest(name, inst.entity.order) for name in unknown)


def _repeated(ctx: Context, inst: Inst) -> Iterator[Inst]:
    """What it only takes over from: things of the plan, which can say there what is missing."""
    return (one for one in likenesses(ctx, inst) if not _is_of_library(one))


def _origins(inst: Inst) -> Iterator[Inst]:
    """A thing and what it is a copy of, in turn."""
    around: Inst | None = inst
    while around is not None:
        yield around
        around = around.base


def _is_of_library(inst: Inst) -> bool:
    """Whether what stands at its place is the library's: statements of a plan may reach into it all the same."""
    if inst.base is None and inst.parent is not None and inst.element is None:
        return _is_of_library(inst.parent)
    own = len(inst.layers) - (len(inst.base.layers) if inst.base is not None else 0)
    if own > 0:
        return inst.layers[own - 1].body.library
    return inst.base is not None and _is_of_library(inst.base)


def _tell_own(ctx: Context, inst: Inst, field: FieldDef) -> None:
    help = _offer(f"add `{field.name} = …`", inst, field)
    origin = inst.base
    if origin is not None and inst.parent is None and inst.home is None and _is_of_library(origin):
        name = origin.entity.name
        more = (
            f"; a profile that leaves this to whoever takes it is an entity: `entity NAME : {name} {{ … }}`"
        )
        help = Offer(help.before, help.known, help.after + more)
    ctx.report.say("CW0214", inst.span, _unsaid(inst, inst.address, [field]), help, about=field.name)


def _tell_taken(ctx: Context, inst: Inst, fields: Sequence[FieldDef], places: Mapping[Span, str]) -> None:
    for span, name in places.items():
        given = "; ".join(f"{field.name} = …" for field in fields)
        before = f"say it where the thing is taken: `{name} {{ {given} }}`"
        ctx.report.say("CW0214", span, _unsaid(inst, name, fields), _offer(before, inst, fields[0]))


def _unsaid(inst: Inst, name: str, fields: Sequence[FieldDef]) -> str:
    said = " and ".join(f"`{field.name}`" for field in fields)
    return f"{inst.entity.root.name} `{name}` does not say what its {said} {plural(len(fields), 'is', 'are')}"


def _offer(before: str, inst: Inst, field: FieldDef) -> Offer:
    """A way out, and what could stand there."""
    slot, scope = field.slot, inst.layers[0].body.scope if inst.layers else field.scope
    known = partial(candidates, scope, slot.entity) if slot.entity is not None else tuple
    return Offer(f"{before} ({_example(slot)}", known, ")")


def _takers(ctx: Context, chains: Mapping[Inst, set[Inst]]) -> dict[Inst, dict[Span, str]]:
    """Where the plan takes things of the library as they are, and how it writes them there: in fields of its own things,
    else where it asks something of them, else behind names of its own."""
    if not chains:
        return {}
    roots = {one: root for root, chain in chains.items() for one in chain}
    fields: dict[Inst, dict[Span, str]] = {}
    names: dict[Inst, dict[Span, str]] = {}
    asked: dict[Inst, dict[Span, str]] = {}
    for key, value in ctx.demand.known.items():
        root = roots.get(value) if isinstance(value, Inst) else None
        expr = _said(key) if root is not None else None
        if root is not None and expr is not None:
            found = fields if isinstance(key[0], Inst) else names
            found.setdefault(root, {})[expr.span] = _name_of(expr, root)
    for inst, expr in ctx.handed:
        if (root := roots.get(inst)) is not None:
            asked.setdefault(root, {})[expr.span] = _name_of(expr, root)
    return {**names, **asked, **fields}


def _name_of(expr: tree.Expr, inst: Inst) -> str:
    return expr.name if isinstance(expr, tree.Name) else inst.address


def _said(key: Key) -> tree.Expr | None:
    """What the plan itself writes for a name or field; None where it is the library that says what it is."""
    holder, name = key
    if isinstance(holder, Scope):
        named = holder.values.get(name)
        value = getattr(named.statement, "value", None) if named is not None and not named.library else None
        return value if isinstance(value, tree.Expr) else None
    for layer in holder.layers:
        for entry in layer.body.entries.get(name, ()):
            if entry.statement is not None:
                value = None if layer.body.library else entry.statement.value
                return value if isinstance(value, tree.Expr) else None
    return None


def _example(slot: Slot) -> str:
    """An example of what a slot takes, for a message."""
    match slot.sort:
        case "quantity":
            return f"a number in {slot.unit}" if slot.unit else "a number"
        case "choice":
            return slot.text()
        case "entity":
            return with_article(slot.name)
        case "unknown":
            return "a value"
        case _:
            return slot.text()
