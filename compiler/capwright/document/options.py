"""Options that change nothing: most likely a typing mistake."""

from __future__ import annotations

from capwright.graph.context import Bound, Context
from capwright.graph.evaluate import Evaluation
from capwright.syntax import tree


def warn_of_idle_options(ctx: Context, evaluation: Evaluation) -> None:
    """Warn of every option all of whose quantities are as those of its base."""
    held: dict[str, list[Bound]] = {}
    for bound in ctx.bound.values():
        held.setdefault(bound.address.partition(".")[0], []).append(bound)
    for option in ctx.program.orders.options:
        if not isinstance(option.base, tree.Name) or not option.body or _mistaken(ctx, option):
            continue
        base, name = option.base.name, f"{option.base.name}@{option.name}"
        mine = held.get(name, ())
        if mine and all(_unchanged(ctx, b, base + b.address[len(name) :], evaluation) for b in mine):
            ctx.report.say(
                "CW0240",
                option.name_span,
                f"option `{option.name}` changes no quantity of `{base}`",
                "check the names in it, or remove it",
                severity="warning",
            )


def _mistaken(ctx: Context, option: tree.OptionDecl) -> bool:
    """Whether a mistake in the option was reported: its warning would only echo that."""
    span = option.span
    return any(d.span.file == span.file and span.start <= d.span.start < span.end for d in ctx.report.found)


def _unchanged(ctx: Context, mine: Bound, address: str, evaluation: Evaluation) -> bool:
    other = ctx.bound.get(address)
    if other is None:
        return False
    one, two = mine.value.node, other.value.node
    return one == two or evaluation.values[one] == evaluation.values[two]
