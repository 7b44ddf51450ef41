"""Options: those that change nothing, most likely a typing mistake, and what of them a report shows."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from capwright.base.address import option_address
from capwright.document.naming import Names
from capwright.graph.context import Bound, Context
from capwright.graph.evaluation import Evaluation
from capwright.graph.exactly import withheld_nodes
from capwright.graph.expansion import by_top_name
from capwright.graph.fields import top
from capwright.graph.values import POISON, Inst, Items, Poison, Value
from capwright.syntax import tree


def warn_of_idle_options(ctx: Context, evaluation: Evaluation) -> None:
    """Warn of every option all of whose quantities are as those of its base.

    In a run with other values, an option may be what the run tries: then the plan is not at fault.
    """
    if ctx.overrides:
        return
    held, broken, hidden = by_top_name(ctx), _broken(ctx), withheld_nodes(ctx)
    for option in ctx.program.orders.options:
        if not isinstance(option.base, tree.Name) or not option.body:
            continue
        base, name = option.base.name, option_address(option.base.name, option.name)
        if name in broken:
            continue
        mine = held.get(name, ())
        if mine and all(_unchanged(ctx, a, base + a[len(name) :], evaluation, hidden) for a in mine):
            ctx.report.say(
                "CW0240",
                option.name_span,
                f"option `{option.name}` changes no quantity of `{base}`",
                "check the names in it, or remove it",
                severity="warning",
            )


def counterparts(ctx: Context, names: Names, shown: set[str]) -> set[str]:
    """The addresses of what options have in the place of what is shown of their base: a report shows them too."""
    found: set[str] = set()
    for option in ctx.program.orders.options:
        if isinstance(option.base, tree.Name):
            base, own = option.base.name, option_address(option.base.name, option.name)
            theirs = [own + a[len(base) :] for a in shown if a.startswith(f"{base}.")]
            theirs += [option_address(a, own) for a in shown]
            found |= {names(ctx.bound[a].value.node) for a in theirs if a in ctx.bound}
    return found


def _broken(ctx: Context) -> set[str]:
    """The named things of which something could not be computed: what is wrong with them has been said."""
    return {
        holder.top.address
        for (holder, _), value in ctx.demand.known.items()
        if isinstance(value, Poison) and isinstance(holder, Inst)
    }


def _referred(ctx: Context, address: str) -> Bound | None:
    """The quantity at an address, which may lead through references to other things of the plan."""
    if address in ctx.bound:
        return ctx.bound[address]
    first, *steps = address.split(".")
    main = ctx.program.main
    value: Value = top(ctx, main, first) if first in main.values else POISON
    for step in steps[:-1]:
        match value:
            case Inst():
                value = ctx.demand.known.get((value, step), POISON)
            case Items(items=items):
                value = dict(items).get(step, POISON)
            case _:
                return None
    return ctx.bound.get(f"{value.address}.{steps[-1]}") if steps and isinstance(value, Inst) else None


def _unchanged(
    ctx: Context, address: str, of_base: str, evaluation: Evaluation, hidden: AbstractSet[int]
) -> bool:
    """Whether a quantity is that of the base; of one that is given anew nobody is told where either is confidential."""
    other = _referred(ctx, of_base)
    if other is None:
        return False
    one, two = ctx.bound[address].value.node, other.value.node
    return one == two or (hidden.isdisjoint((one, two)) and evaluation.values[one] == evaluation.values[two])
