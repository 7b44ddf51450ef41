"""Checks of entities: decided once the quantities are known, and told with what they compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from msgspec import Struct

from capwright.base.diagnostic import Note
from capwright.base.dimension import Dimension
from capwright.base.interval import as_range, ends_of
from capwright.base.source import Span
from capwright.check.report import Report
from capwright.document.saying import Saying
from capwright.document.slips import Written, slips
from capwright.document.unmet import Tell, calls, totals, unmet_elements, unmet_parts
from capwright.document.written import path_of, paths_in
from capwright.graph.context import Context
from capwright.graph.evaluation import Evaluation
from capwright.graph.expansion import Condition, Expansion
from capwright.graph.likenesses import likenesses
from capwright.graph.value_of import value_of
from capwright.graph.values import Choice, Inst, Q, Truth, Value, Words
from capwright.graph.verdicts import judge
from capwright.syntax import tree
from capwright.syntax.tree import Comparison

_BY_THE_SECOND: Final = frozenset(("div", "mod", "divides"))
"""What has no value for its second argument's sake."""
_FEW: Final = 8
"""Values that are told of one check."""
_COMPARISONS: Final[dict[str, Comparison]] = {"lt": "<", "le": "<=", "eq": "==", "ne": "!="}
_FAILS: Final = {"holds": None, "violated": False, "not established": True}
_LONG: Final = 120
"""Characters of a condition that are quoted."""
Answer = TypeVar("Answer")
_TellAll = Callable[[Sequence[Value]], list[str]]


class _Unmet(Struct, frozen=True):
    """A check that an instance does not meet, or may not: what it compares, and the elements that do not meet it."""

    condition: Condition
    perhaps: bool
    said: str
    elements: str

    @property
    def told(self) -> str:
        """Whose check it is."""
        return f"{self.condition.inst.entity.root.name} `{self.condition.inst.address}`"

    @property
    def key(self) -> tuple[Span, bool, str, str]:
        """What two instances have in common that do not meet a check for the same reason."""
        return (self.condition.check.span, self.perhaps, self.said, self.elements)


class Consequences(Struct, frozen=True):
    """What comes of numbers that checks do not accept: nobody is told of it beside them."""

    written: Written | None
    slips: frozenset[Span]
    suspects: frozenset[Span]
    """What all the checks go by that are not met."""

    def explain(self, node: int) -> bool:
        """Whether what is wrong at a node comes of such a number: in the library, which nobody can change, of any that
        may be the mistake, elsewhere of one that is."""
        if self.written is None:
            return False
        ctx = self.written.ctx
        tape = ctx.tape
        inside = tape.spans[node].file in ctx.program.library
        faulty = tape.args[node][1] if tape.ops[node] in _BY_THE_SECOND else node
        return not (self.suspects if inside else self.slips).isdisjoint(self.written.of(faulty))


def decide(expansion: Expansion, evaluation: Evaluation) -> Consequences:
    """Report every instance that does not meet a check of its entity, or may not. What a copy only takes over is the
    mistake of the thing that it is a copy of.

    Checks that one number fails are one message, at that number. What comes of it is none of its own.
    """
    ctx = expansion.ctx
    found = list(_unmet(expansion, evaluation))
    by_instance: dict[Inst, set[tuple[Span, bool, str, str]]] = {}
    for one in found:
        by_instance.setdefault(one.condition.inst, set()).add(one.key)
    told = [
        one
        for one in found
        if not any(one.key in by_instance.get(other, ()) for other in likenesses(ctx, one.condition.inst))
    ]
    for one in told:
        if one.perhaps:
            _report_doubt(ctx, one)
    unmet = [one for one in told if not one.perhaps]
    if not unmet:
        return Consequences(None, frozenset(), frozenset())
    written = Written(ctx)
    behind = [_own(expansion, written, one.condition) for one in unmet]
    at = slips(behind)
    together: dict[Span, list[_Unmet]] = {}
    for one, span in zip(unmet, at, strict=True):
        if span is None:
            _report(ctx, _read_at(ctx, written, one.condition) or one.condition.inst.span, [one])
        else:
            together.setdefault(span, []).append(one)
    for span, failed in together.items():
        _report(ctx, span, failed)
    # A formula of the library counts on what its entities check, such as lists that are never empty.
    ctx.report.take_back("CW0408", lambda span: span.file in ctx.program.library)
    # Nor are formulas written of things that a check does not let come together, in a copy either, which is told nothing.
    apart = [
        things
        for one in found
        if not one.perhaps
        for things in _asked(ctx, partial(_refused, ctx, one.condition, evaluation))
    ]
    ctx.report.take_back("CW0234", lambda span: _all_refused(ctx.unwritten.get(span, ()), apart))
    return Consequences(written, frozenset(together), frozenset().union(*behind))


def _all_refused(calls: Sequence[frozenset[Inst]], apart: Sequence[frozenset[Inst]]) -> bool:
    """Whether each of some calls is of things that are not to come together."""
    return bool(calls) and all(any(things <= call for things in apart) for call in calls)


def _refused(ctx: Context, condition: Condition, evaluation: Evaluation) -> list[frozenset[Inst]]:
    """The things of which a formula says that they do not go together, in a check that is not met: of each element that
    does not meet it, where it is asked of a list."""
    tell = partial(_value, evaluation, Saying(ctx.program.units))
    found = (
        frozenset(
            value
            for call in calls(expr)
            for each in call.arguments
            if isinstance(value := value_of(ctx, each.value, env), Inst)
        )
        for expr, env in unmet_parts(ctx, condition, tell)
    )
    return [things for things in found if len(things) > 1]


def _read_at(ctx: Context, written: Written, condition: Condition) -> Span | None:
    """Where the plan says the one number that a condition reads by its name, beside those of elements and of formulas: as
    good a place to change as theirs, and a nearer one than the thing's own."""
    expr = condition.check.condition
    local = set(_variables(expr))
    read: set[Span] = set()
    for path in paths_in(expr):
        value = (
            None
            if path.partition(".")[0] in local
            else _asked(ctx, partial(_looked_up, ctx, path, condition))
        )
        if isinstance(value, Q):
            read |= written.of(value.node)
    return read.pop() if len(read) == 1 else None


def _own(expansion: Expansion, written: Written, condition: Condition) -> frozenset[Span]:
    """What a condition goes by; of a copy that fails where what it copies does not, what it has of its own."""
    ctx, check = expansion.ctx, condition.check.span
    found = written.behind(condition.node, condition.deciders)
    for other in likenesses(ctx, condition.inst):
        same = expansion.settled.get((other, check))
        if same is not None:
            found = (found - written.behind(*same)) or found
    return found


def _unmet(expansion: Expansion, evaluation: Evaluation) -> Iterator[_Unmet]:
    ctx = expansion.ctx
    saying = Saying(ctx.program.units)
    tell = partial(_value, evaluation, saying)
    tell_all = partial(_values, evaluation, saying)
    for condition in expansion.conditions:
        met = _met(ctx, condition, evaluation)
        if met is None:
            continue
        elements = "" if met else _asked(ctx, partial(unmet_elements, ctx, condition, tell))
        yield _Unmet(condition, met, _said(ctx, condition, tell, tell_all), elements or "")


def _report_doubt(ctx: Context, one: _Unmet) -> None:
    ctx.report.say(
        "CW0241",
        one.condition.inst.span,
        f"{one.told} may not meet a check: {one.condition.check.message}",
        "narrow what the check leans on",
        Note(f"the check: {one.said}", one.condition.check.span),
        severity="warning",
    )


def _report(ctx: Context, span: Span, failed: Sequence[_Unmet]) -> None:
    """Report checks that are not met for one reason: the first of them, with the others as notes."""
    first, *others = failed
    inst, check = first.condition.inst, first.condition.check
    notes = [Note(f"the check: {first.said}", check.span)]
    if first.elements:
        notes.append(Note(f"not met by {first.elements}"))
    for other in others:
        by = f" (not met by {other.elements})" if other.elements else ""
        whose = "" if other.condition.inst is inst else f"{other.told}: "
        said = f"{whose}{other.condition.check.message}: {other.said}{by}"
        notes.append(Note(f"another check that goes by it is not met: {said}", other.condition.check.span))
    at_slip = span != inst.span
    ctx.report.say(
        "CW0219",
        span,
        f"{first.told}: {check.message}",
        "change what is written here, or what the check compares it with"
        if at_slip
        else "change the fields that the check compares",
        *notes,
        about=f"{inst.address} {check.message}",
    )


def _met(ctx: Context, condition: Condition, evaluation: Evaluation) -> bool | None:
    """False where a check is not met, True where it may not be; None where it is, or nothing is known of it.

    A comparison that two ranges leave open is judged on their difference, as a requirement is.
    """
    if condition.node is None:
        return False
    value = evaluation.values[condition.node]
    if value is None:
        return None
    held, tape = as_range(value), ctx.tape
    comparison = _COMPARISONS.get(tape.ops[condition.node])
    if held.low != held.high and comparison is not None:
        left, right = tape.args[condition.node]
        found = judge(tape, evaluation, left, right, comparison)
        return None if found is None else _FAILS[found.status]
    return False if held.high == 0 else True if held.low != 1 else None


def _said(ctx: Context, condition: Condition, tell: Tell, tell_all: _TellAll) -> str:
    """The condition as written, and what the names in it stand for."""
    expr = condition.check.condition
    text = " ".join(ctx.text(expr.span).split())
    if len(text) > _LONG:
        text = f"{text[:_LONG]}…"
    local = set(_variables(expr))
    paths = [path for path in dict.fromkeys(paths_in(expr)) if path.partition(".")[0] not in local]
    known = [_asked(ctx, partial(_looked_up, ctx, path, condition)) for path in paths]
    told = dict(zip(paths, tell_all(known), strict=True))
    told |= {
        path: said for path, said in _asked(ctx, partial(_sizes, ctx, condition, tell)) if not told.get(path)
    }
    values = [f"`{path}` is {said}" for path, said in told.items() if said]
    values += _asked(ctx, partial(totals, ctx, condition, tell))
    return f"`{text}`" + (f", where {', '.join(values[:_FEW])}" if values else "")


def _sizes(ctx: Context, condition: Condition, tell: Tell) -> list[tuple[str, str]]:
    """The numbers that a condition asks of names that hold none, such as the shortest of a distribution of lengths."""
    found = (
        (ctx.text(call.span), value_of(ctx, call, condition.env)) for call in calls(condition.check.condition)
    )
    return [(text, tell(value)) for text, value in found if isinstance(value, Q)]


def _variables(expr: tree.Expr) -> Iterator[str]:
    """The names that an expression gives to elements and to numbers that it tries."""
    waiting: list[object] = [expr]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tree.Comprehension | tree.Search):
            yield one.variable
        if isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, Struct) and not isinstance(one, Span):
            waiting.extend(getattr(one, name) for name in one.__struct_fields__)


def _looked_up(ctx: Context, path: str, condition: Condition) -> Value:
    return value_of(ctx, path_of(condition.check.span, path), condition.env)


def _asked(ctx: Context, ask: Callable[[], Answer]) -> Answer:
    """What is asked in order to say it. A branch that was dropped may name what there is not: that is no mistake, and what
    it alone reads has no value and is no quantity of the plan."""
    kept, ctx.report = ctx.report, Report()
    faulted, ctx.faulted = ctx.faulted, []
    before = len(ctx.bound)
    try:
        return ask()
    finally:
        ctx.report, ctx.faulted = kept, faulted
        for address in list(ctx.bound)[before:]:
            del ctx.bound[address]


def _values(evaluation: Evaluation, saying: Saying, values: Sequence[Value]) -> list[str]:
    """What each value comes to. Different numbers that would read alike are told with the digits that tell them apart."""
    texts = [_value(evaluation, saying, value) for value in values]
    alike: dict[tuple[str, Dimension], list[tuple[int, Q]]] = {}
    for at, value in enumerate(values):
        if isinstance(value, Q) and texts[at]:
            alike.setdefault((texts[at], value.type.dim), []).append((at, value))
    for (_, dim), group in alike.items():
        numbers = tuple(evaluation.values[value.node] for _, value in group)
        if any(number != numbers[0] for number in numbers):
            told = saying.together(numbers, group[0][1].type.unit, dim)
            for (at, _), text in zip(group, told, strict=True):
                texts[at] = text
    return texts


def _value(evaluation: Evaluation, saying: Saying, value: Value) -> str:
    match value:
        case Q(node=node, type=typed) if node < len(evaluation.values):
            known = evaluation.values[node]
            return saying.one(known, typed.unit, typed.dim) if known is not None else ""
        case Choice(name=text) | Words(value=text):
            return text
        case bool():
            return "true" if value else "false"
        case Truth(node=node) if node < len(evaluation.values):
            held = evaluation.values[node]
            low, high = (None, None) if held is None else ends_of(held)
            return "" if low is None or low != high else "true" if low else "false"
        case _:
            return ""
