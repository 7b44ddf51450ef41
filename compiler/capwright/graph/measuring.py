"""Measurements and evidence: their own leaves, their stated context, and whether it is complete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct, field

from capwright.base.address import bases_of, measurement_address, option_address
from capwright.base.exact import div
from capwright.base.source import Span
from capwright.check.declared import Kind
from capwright.graph.asking import at
from capwright.graph.bare import unit_of, way_to_unit
from capwright.graph.context import Context
from capwright.graph.exactly import exact, value_so_far
from capwright.graph.faults import not_whole
from capwright.graph.stated import Judgement, judged, would_count
from capwright.graph.stated_terms import owner_of
from capwright.graph.tape import OPEN, BindInfo, SourceInfo
from capwright.graph.value_of import value_of
from capwright.graph.values import Deciders, Env, Poison, Q, Reads, Truth, Value, what
from capwright.syntax import tree

Options = dict[str, list[str]]
"""The options of each thing, and those of its options, by its name."""


class Measured(Struct, frozen=True):
    """One measurement: its leaf on the tape, what it measures, and what it states."""

    address: str
    name: str
    of: str
    leaf: int
    value: Q
    statement: tree.Measure
    context: dict[str, str]
    judgements: list[Judgement] = field(default_factory=list)
    compared: Deciders = field(default_factory=dict)
    """What of the plan was compared with what it states."""

    @property
    def objection(self) -> str:
        """Why it is not of this plan, and so does not count; empty where it does."""
        return self.judgement.reason

    @property
    def judgement(self) -> Judgement:
        """What came of its comparison with the plan; where nothing says with what, all is compared with nothing."""
        made = self.judgements or [Judgement(idle=tuple(self.context))]
        return next((one for one in made if one.reason), made[0])


class Shown(Struct, frozen=True):
    """One piece of evidence, and whether it counts; `reason` says why not.

    `things` are what it counts for, by address: what it speaks of, and such options of that as are alike in all that it
    states.
    """

    statement: tree.Evidence
    of: str
    context: dict[str, str]
    counts: bool
    reason: str
    things: tuple[str, ...] = ()
    judgement: Judgement = Judgement()
    compared: Deciders = field(default_factory=dict)
    """As of a measurement."""


def prepare(ctx: Context) -> list[Measured]:
    """Make the leaf of every measurement, before what it measures is expanded."""
    ctx.evidenced = frozenset(
        ".".join(owner_of(ctx, each.path)) for each in ctx.program.orders.evidence if each.path
    )
    found: list[Measured] = []
    for number, statement in enumerate(ctx.program.orders.measures, start=1):
        made = _measured(ctx, statement, number)
        if made is not None:
            found.append(made)
            ctx.measured[made.of] = (made.leaf, made.address)
    by_address = {made.of: made for made in found}
    ctx.applies = lambda address, kind, node: _applies(ctx, by_address[address], kind, node)
    return found


def _applies(ctx: Context, measured: Measured, kind: str | None, node: int) -> bool:
    """Whether a measurement is of what the plan has, as far as both say it. The number at `node`, which it is of, may be told
    no more than what it is compared with: what is read there is another where it counts."""
    declared = ctx.program.main.all_kinds.get(kind or "")
    if declared is None:
        return not measured.objection
    with _compared(ctx, measured.compared):
        measured.judgements.append(judged(ctx, declared, measured.statement, measured.context))
    if not ctx.withheld.isdisjoint(each for each in measured.compared if isinstance(each, int)):
        ctx.withheld.add(node)
    return not measured.objection


@contextmanager
def _compared(ctx: Context, found: Deciders) -> Iterator[None]:
    """Keep in `found` what of the plan is compared meanwhile."""
    reads: Reads = {}
    ctx.deciding.append(found)
    ctx.reading.append(reads)
    try:
        yield
    finally:
        ctx.deciding.pop()
        ctx.reading.pop()
    found.update(dict.fromkeys(reads))


def _measured(ctx: Context, statement: tree.Measure, number: int) -> Measured | None:
    env = Env(ctx.program.main)
    value = value_of(ctx, statement.value, env)
    if isinstance(value, Poison) or _unknown(statement.context):
        return None
    context = _context(ctx, statement.context, env)
    if context is None:
        return None
    if not isinstance(value, Q):
        ctx.say("CW0302", statement.value.span, f"a measurement is a quantity, not {what(value)}", "give one")
        return None
    of = ".".join(statement.path)
    name = statement.name or f"m{number}"
    address = measurement_address(of, name)
    if of in ctx.measured:
        ctx.say(
            "CW0503",
            statement.path_span,
            f"`{of}` is measured twice",
            "keep the measurement whose workload this plan states, or measure an option's quantity",
        )
        return None
    low = _end(ctx, statement.low, value, env)
    high = _end(ctx, statement.high, value, env)
    ends = (value.node if low is None else low, value.node if high is None else high)
    secret = statement.clauses.confidential
    info = SourceInfo(
        address, "assume", statement.span, "measured", from_measure=name, confidential=secret, measured=True
    )
    leaf = ctx.tape.emit("source", (value.node, *ends), value.type.dim, statement.span, info)
    return Measured(address, name, of, leaf, value, statement, context)


def _end(ctx: Context, expr: tree.Expr | None, value: Q, env: Env) -> int | None:
    if expr is None:
        return None
    end = value_of(ctx, expr, env)
    if isinstance(end, Q) and end.type.dim is value.type.dim:
        return end.node
    if not isinstance(end, Poison):
        way = isinstance(end, Q) and way_to_unit(ctx, end, unit_of(ctx, value.type))
        ctx.say(
            "CW0301", expr.span, f"the range is in {value.type.dim.text()}", way or "use the value's unit"
        )
    return OPEN


def _unknown(context: tuple[tree.Member, ...]) -> bool:
    """Whether something that is stated could not be read, so that nobody knows what it was measured with."""
    return any(isinstance(member, tree.Broken) for member in context)


def _context(ctx: Context, members: tuple[tree.Member, ...], env: Env) -> dict[str, str] | None:
    """What a measurement states, as text by name; None where it may not state it. A value that is no text is evaluated, and
    shown as written."""
    stated: dict[str, str] = {}
    told = True
    for member in members:
        if isinstance(member, tree.Binding) and len(member.path) == 1:
            name = member.path[0]
            if name in stated:
                ctx.say("CW0201", member.path_span, f"`{name}` is stated twice", "remove one of the two")
            stated[name] = ctx.text(member.value.span)
            match member.value:
                case tree.Text(value=text):
                    stated[name] = text
                case tree.Name(name=word) if word not in env.scope.values:
                    pass
                case expr:
                    told = _may_be_stated(ctx, name, value_of(ctx, expr, env), expr.span) and told
        else:
            ctx.say("CW0504", member.span, "a context states one thing a line", 'write `name = "value"`')
    return stated if told else None


def _may_be_stated(ctx: Context, name: str, value: Value, span: Span) -> bool:
    """Whether a value may stand in a context. A confidential number may not: whether the statement counts is told, and would
    tell whether the number equals one of the plan that others may read."""
    if not isinstance(value, Q | Truth):
        return True
    value_so_far(ctx, value.node)
    if value.node not in ctx.withheld:
        return True
    ctx.say(
        "CW0242",
        span,
        f"`{name}` states a number that leans on a confidential one: whether it agrees with the plan is told, and would "
        "tell what the number is",
        f'state what was measured, as a text: `{name} = "…"`. Others are not told it where the number of the plan that it is '
        "compared with is confidential",
    )
    return False


def complete(ctx: Context, measured: Measured) -> bool:
    """Check, once the quantity is known, that the measurement is of it and states what its kind declares."""
    bound = ctx.bound.get(measured.of)
    statement = measured.statement
    if bound is None:
        target = at(ctx, statement.path, statement.path_span)
        if not isinstance(target, Poison):
            ctx.say("CW0505", statement.path_span, f"`{measured.of}` is {what(target)}", "measure a quantity")
        return False
    if ctx.tape.dims[bound.value.node] is not ctx.tape.dims[measured.leaf]:
        ctx.say(
            "CW0301",
            statement.value.span,
            f"`{measured.of}` is in {ctx.tape.dims[bound.value.node].text()}, and this measurement in "
            f"{ctx.tape.dims[measured.leaf].text()}",
            way_to_unit(ctx, measured.value, unit_of(ctx, bound.value.type))
            or "give the measurement in the unit of the quantity",
        )
        return False
    info = ctx.tape.data[bound.value.node]
    known = exact(ctx, ctx.tape.args[measured.leaf][0])
    if isinstance(info, BindInfo) and info.whole and known is not None:
        count = div(known, info.grain)
        if type(count) is not int:
            refusal = not_whole(f"the measured `{measured.of}`", count, info.unit)
            ctx.say(
                refusal.code, statement.value.span, refusal.message, "a count is measured in whole numbers"
            )
            return False
    kind = ctx.program.main.all_kinds.get(bound.value.type.kind or "")
    if kind is None:
        return True
    missing = _missing(kind, measured.context)
    if missing:
        ctx.say(
            "CW0506",
            statement.path_span,
            f"a measurement of kind `{kind.name}` must state {_listed([key.name for key in missing])}",
            "say in its braces what was measured; what counts for this plan: "
            + "; ".join(would_count(ctx, key, statement) for key in missing),
        )
    elif measured.objection:
        ctx.report.say(
            "CW0511",
            statement.path_span,
            f"this measurement does not count here: {measured.objection}",
            f"what counts for this plan: `{measured.judgement.wanted}`; measure that, or plan what was measured: an option can have a "
            "measurement of its own",
            severity="warning",
        )
    return not missing


def _missing(kind: Kind, stated: dict[str, str]) -> list[tree.ContextKey]:
    """What a measurement or evidence of a kind must state, and does not."""
    return [key for key in kind.decl.context if not key.optional and not stated.get(key.name, "").strip()]


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{n}`" for n in names)


def evidence(ctx: Context) -> list[Shown]:
    """Judge every piece of evidence: does it state what its kind asks, and agree with the plan where it must?"""
    for measured in [m for m in ctx.program.orders.evidence if len(m.path) == 0]:
        ctx.say("CW0505", measured.span, "evidence is of something", "write `evidence NAME of PATH { … }`")
    options: Options = {}
    for option in ctx.program.orders.options:
        if isinstance(option.base, tree.Name):
            name = option_address(option.base.name, option.name)
            for base in bases_of(name):
                options.setdefault(base, []).append(name)
    return [s for e in ctx.program.orders.evidence if (s := _shown(ctx, e, options)) is not None]


def _shown(ctx: Context, statement: tree.Evidence, options: Options) -> Shown | None:
    env = Env(ctx.program.main)
    of = ".".join(statement.path)
    target = at(ctx, statement.path, statement.path_span)
    if isinstance(target, Poison) or _unknown(statement.context):
        return None
    bound = ctx.bound.get(of)
    if bound is None or not isinstance(target, Q):
        ctx.say("CW0505", statement.path_span, f"`{of}` is {what(target)}", "give evidence of a quantity")
        return None
    context = _context(ctx, statement.context, env)
    if context is None:
        return None
    kind = ctx.program.main.all_kinds.get(bound.value.type.kind or "")
    compared: Deciders = {}
    with _compared(ctx, compared):
        told = _judged(ctx, kind, context, statement) if kind else Judgement(idle=tuple(context))
        things = () if told.reason else _things(ctx, kind, context, statement, options)
    reason = told.reason
    if reason:
        ctx.report.say(
            "CW0507",
            statement.path_span,
            f"this evidence does not count: {reason}",
            f"what counts for this plan: `{told.wanted}`; show that, or drop the evidence",
            severity="warning",
        )
    return Shown(statement, of, context, not reason, reason, things, told, compared)


def _things(
    ctx: Context, kind: Kind | None, stated: dict[str, str], statement: tree.Evidence, options: Options
) -> tuple[str, ...]:
    """The thing that evidence counts for, and the options that it counts for as well."""
    owner = owner_of(ctx, statement.path)
    found = [".".join(owner)]
    for name in options.get(owner[-1], ()):
        path = (*owner[:-1], name, *statement.path[len(owner) :])
        alike = ".".join(path) in ctx.bound
        if alike and (kind is None or not judged(ctx, kind, statement, stated, path).reason):
            found.append(".".join((*owner[:-1], name)))
    return tuple(found)


def _judged(ctx: Context, kind: Kind, stated: dict[str, str], statement: tree.Evidence) -> Judgement:
    """All that it does not state, else all that it states otherwise than the plan."""
    missing = _missing(kind, stated)
    if not missing:
        return judged(ctx, kind, statement, stated)
    return Judgement(
        f"it does not state {_listed([key.name for key in missing])}",
        "; ".join(would_count(ctx, key, statement) for key in missing),
    )
