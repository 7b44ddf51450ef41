"""The walk over expressions: one function a construct, by a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from capwright.base.address import bases_of
from capwright.base.diagnostic import Spelling, nearest, offered
from capwright.base.dimension import ONE, Unit
from capwright.base.exact import TooLarge, mul
from capwright.base.source import Span
from capwright.check.candidates import candidates
from capwright.check.collect import TRUTHS
from capwright.check.declared import UNKNOWN, Scope, Slot
from capwright.check.other_sorts import declaring, misplaced, no_value
from capwright.check.rules import Typed
from capwright.check.slots import TOO_MANY_DIGITS
from capwright.graph import (
    arithmetic,
    branches,
    calls,
    copying,
    fields,
    lists,
    searches,
    toplevel,
    unknown_fields,
)
from capwright.graph.builtins import FUNCTIONS
from capwright.graph.context import Context, Walker
from capwright.graph.deciding import by_things, read
from capwright.graph.fitting import derived, fit
from capwright.graph.tape import Constant
from capwright.graph.truths import unknown_truth
from capwright.graph.value_of import value_of
from capwright.graph.values import (
    POISON,
    Choice,
    Env,
    Inst,
    Items,
    Poison,
    Q,
    Static,
    Value,
    Words,
    what,
)
from capwright.kernel.registry import BARE, CONSTRUCTORS, PRIMITIVES
from capwright.syntax import tree


def _quantity(ctx: Context, expr: tree.Quantity, env: Env, want: Slot | None) -> Value:
    unit = _unit(ctx, expr.unit, expr.span, env, want)
    if unit is None:
        return POISON
    try:
        value = mul(expr.value, unit.factor)
    except TooLarge:
        return ctx.say("CW0402", expr.span, *TOO_MANY_DIGITS)
    node = ctx.tape.emit("const", (), unit.dim, expr.span, Constant(value, expr.text, expr.unit, expr.span))
    return Q(node, Typed(unit.dim, literal=True, static=True, unit=expr.unit))


def _unit(ctx: Context, text: str, span: Span, env: Env, want: Slot | None) -> Unit | None:
    """The unit of a literal; a value in scope may not be hidden behind a slash."""
    if not text:
        return ONE
    for sign in ("/", "*", "·"):
        for part in text.split(sign)[1:]:
            name = part.split("^")[0].split("/")[0].split("*")[0]
            if (env.locals is not None and name in env.locals) or (
                not env.library and name in env.scope.values and name not in env.scope.homes
            ):
                ctx.say(
                    "CW0207",
                    span,
                    f"`{name}` is a value here, and `{text}` is one unit",
                    f"write a blank before `{sign}` to compute with the value, or use another spelling of the unit",
                )
                return None
    return ctx.program.slots.unit(text, span, None, _asked(want))


def _asked(want: Slot | None) -> str:
    """The unit that a slot is in, or that of a plain number where it takes a kernel's value; "" where that is not said."""
    if want is None:
        return ""
    return CONSTRUCTORS[BARE[want.name]].slots[0].unit if want.name in BARE else want.unit


def _text(_ctx: Context, expr: tree.Text, _env: Env, _want: Slot | None) -> Value:
    return Words(expr.value)


def _name(ctx: Context, expr: tree.Name, env: Env, want: Slot | None) -> Value:
    name = expr.name
    if want is not None and want.sort == "choice" and name in want.choices:
        return Choice(name, want.choices)
    if env.locals is not None and name in env.locals:
        return env.locals[name]
    for start in (env.self, env.outer):
        inst = start
        while inst is not None:
            if inst.knows(name):
                return read(ctx, (inst, name))
            if name in inst.entity.absent and (parent := unknown_fields.absent_for(inst, expr)) is not None:
                return unknown_fields.read_by_parent(ctx, inst, expr, parent)
            inst = inst.parent
        if env.captured is not None and name in env.captured:
            return env.captured[name]
    if env.rename is not None and name == env.rename[0]:
        return env.rename[1]
    if name in env.scope.values and not _of_the_kernel(ctx, expr, env):
        if ctx.world is not None and (found := toplevel.in_world(ctx, env.scope, name)) is not None:
            return found
        return fields.top(ctx, env.scope, name)
    if name in TRUTHS:
        return name == "true"
    constructor = CONSTRUCTORS.get(name)
    if constructor is not None and not constructor.slots:
        return Static(constructor.result, constructor.build())
    return _unknown(ctx, expr, env, want)


def _of_the_kernel(ctx: Context, expr: tree.Name, env: Env) -> bool:
    """Whether a file of the library means the kernel's word, such as `causal`, though a plan calls a value so."""
    if expr.name not in CONSTRUCTORS or env.scope.values[expr.name].library:
        return False
    return expr.span.file in ctx.program.library


def _unknown(ctx: Context, expr: tree.Name, env: Env, want: Slot | None) -> Value:
    if want is UNKNOWN or env.scope.unsaid(expr.name):
        return POISON
    if want is not None and want.sort == "choice":
        return ctx.say(
            "CW0208",
            expr.span,
            f"`{expr.name}` is none of the choices of this field",
            Spelling(expr.name, want.choices),
        )
    if expr.name in ctx.program.units.by_name:
        return ctx.say(
            "CW0203",
            expr.span,
            f"`{expr.name}` is a unit, not a value",
            f"write a number before it: `1 {expr.name}`",
        )
    fitting = _fitting(env, want)
    if expr.name in env.scope.spaces:
        meant = nearest(expr.name, fitting())
        return ctx.say(
            "CW0203",
            expr.span,
            f"`{expr.name}` is a file, not a value",
            offered(meant) if meant else f"name something in it: `{expr.name}.NAME`",
        )
    entity = want.entity if want is not None else None
    if (otherwise := no_value(env.scope, expr.name, entity)) is not None:
        return ctx.say("CW0203", expr.span, *otherwise)
    if (otherwise := _with_an_option(env, expr.name)) is not None:
        return ctx.say("CW0203", expr.span, *otherwise)
    if (called := _built_in(expr.name)) is not None:
        wrong = f"`{expr.name}` is a function of the language, not a value"
        return ctx.say("CW0203", expr.span, wrong, f"call it, with its arguments: `{called}`")
    if (inst := _lacking(env, expr.name)) is not None:
        return unknown_fields.unknown_field(ctx, inst, expr.name, expr.span, read=True)
    help = env.scope.behind(expr.name) or Spelling(
        expr.name,
        _others(env),
        missing="value",
        fitting=fitting,
        alike=fitting,
        fresh=_fresh(expr, env, want),
    )
    return ctx.say("CW0203", expr.span, f"there is nothing called `{expr.name}` here", help)


def _with_an_option(env: Env, name: str) -> tuple[str, str] | None:
    """What is said of `cost@prod@two`, which a report shows and no plan declares; None for any other name."""
    own, _, option = name.partition("@")
    if own not in env.scope.values or option not in env.scope.values or not (bases := bases_of(option)):
        return None
    return (
        f"`{name}` is what a report shows of `{own}` with `{option}` for `{bases[-1]}`, and no name of the plan",
        f"write here what `{own}` is, with `{option}` in the place of `{bases[-1]}`",
    )


def _lacking(env: Env, name: str) -> Inst | None:
    """The nearest thing around an expression that has no field of that name on purpose."""
    for start in (env.self, env.outer):
        inst = start
        while inst is not None:
            if name in inst.entity.absent:
                return inst
            inst = inst.parent
    return None


def _built_in(name: str) -> str | None:
    """How a function of the language is called; None where there is none of the name."""
    described = CONSTRUCTORS.get(name) or PRIMITIVES.get(name)
    if described is not None:
        return f"{name}({', '.join(slot.name for slot in described.slots)})"
    return f"{name}(…)" if name in FUNCTIONS else None


def _others(env: Env) -> Iterator[str]:
    """The names that mean something where an expression stands, but for what is being declared there."""
    return (name for name in env.known() if name != env.target)


def _fitting(env: Env, want: Slot | None) -> Callable[[], Sequence[str]]:
    """What there is for a slot that takes a thing, looked for when it is asked for."""
    entity = want.entity if want is not None and want.sort == "entity" else None
    if entity is None:
        return tuple
    return lambda: [name for name in candidates(env.scope, entity) if name != env.target]


def space_of(ctx: Context, expr: tree.Expr, env: Env) -> Scope | None:
    """The scope that `expr` names, if it names a file taken in with `as` and nothing nearer."""
    if type(expr) is tree.Attribute:
        outer = space_of(ctx, expr.base, env)
        return outer.spaces.get(expr.name) if outer is not None else None
    if type(expr) is not tree.Name or expr.name not in env.scope.spaces:
        return None
    if expr.name in (env.locals or ()) or expr.name in (env.captured or ()):
        return None
    inst = env.self
    while inst is not None:
        if inst.knows(expr.name):
            return None
        inst = inst.parent
    return env.scope.spaces[expr.name]


def _fresh(expr: tree.Name, env: Env, want: Slot | None) -> str:
    """How a thing of the sort that is wanted is declared; "" where none is."""
    if want is None or want.entity is None:
        return ""
    return f"declare it: {declaring(env.scope, want.entity, expr.name)}"


def _attribute(ctx: Context, expr: tree.Attribute, env: Env, want: Slot | None) -> Value:
    space = space_of(ctx, expr.base, env) if env.scope.spaces else None
    if space is not None:
        if expr.name in space.values:
            return fields.top(ctx, space, expr.name)
        if expr.name in space.lost:
            return POISON
        entity = want.entity if want is not None else None
        if (otherwise := no_value(env.scope, ctx.text(expr.span), entity)) is not None:
            return ctx.say("CW0203", expr.name_span, *otherwise)
        return ctx.say(
            "CW0203",
            expr.name_span,
            f"there is nothing called `{expr.name}` in that file",
            Spelling(expr.name, space.values, fitting=_fitting(replace(env, scope=space), want)),
        )
    base = value_of(ctx, expr.base, env)
    found = fields.member(ctx, base, expr.name, expr.name_span)
    if found is POISON and isinstance(base, Inst) and not env.library:
        ctx.handed.append((base, expr.base))
    return found


def _list(ctx: Context, expr: tree.ListOf, env: Env, want: Slot | None) -> Value:
    inner = want.element if want is not None else None
    values = [value_of(ctx, item, env, inner) for item in expr.items]
    if any(isinstance(v, Poison) for v in values):
        return POISON
    return Items(tuple((None, v) for v in values), of=inner)


def _is(ctx: Context, expr: tree.Is, env: Env, _want: Slot | None) -> Value:
    value = value_of(ctx, expr.operand, env)
    if isinstance(value, Poison):
        return value
    if not isinstance(value, Inst):
        return ctx.say(
            "CW0225", expr.span, f"{what(value)} has no variant", "`is` asks for the variant of an entity"
        )
    wanted = env.scope.entity(expr.type_name)
    if wanted is None and env.scope.unsaid(expr.type_name):
        return POISON
    if wanted is None:
        known = [n for n, e in env.scope.entities.items() if e.root is value.entity.root]
        return ctx.say(
            "CW0220",
            expr.type_span,
            misplaced(env.scope, expr.type_name, "an entity") or f"there is no entity `{expr.type_name}`",
            Spelling(expr.type_name, known, missing="entity"),
        )
    by_things(ctx, (value,))
    if value.entity.is_a(wanted):
        return not expr.negated
    if value.stand_in and wanted.is_a(value.entity):
        return unknown_truth(ctx, expr.span)
    return expr.negated


def _in_unit(ctx: Context, expr: tree.InUnit, env: Env, _want: Slot | None) -> Value:
    value = value_of(ctx, expr.operand, env)
    unit = ctx.program.slots.unit(expr.unit, expr.span, None)
    if unit is None or isinstance(value, Poison):
        return POISON
    if not isinstance(value, Q):
        return ctx.say(
            "CW0302", expr.span, f"{what(value)} is not in any unit", "`in` strips the unit of a quantity"
        )
    if not (env.library or env.strips):
        return ctx.say(
            "CW0314",
            expr.span,
            "`in` strips a unit, so it stands only where a whole number is asked for: in a `check`, or in an "
            "argument of `divides`, `mod`, `split`, `range`, `nth` or of a formula that takes a whole number",
            "keep the unit, or divide by one of it: `x / 1 unit`",
        )
    return arithmetic.stripped(ctx, value, unit, expr)


def _as_kind(ctx: Context, expr: tree.AsKind, env: Env, want: Slot | None) -> Value:
    value = value_of(ctx, expr.operand, env, want)
    if isinstance(value, Poison):
        return value
    kind = env.scope.kind(expr.kind)
    if kind is None and env.scope.unsaid(expr.kind):
        return POISON
    if kind is None:
        return ctx.say(
            "CW0330",
            expr.kind_span,
            misplaced(env.scope, expr.kind, "a kind") or f"there is no kind `{expr.kind}`",
            Spelling(expr.kind, env.scope.kinds, missing="kind"),
        )
    if not isinstance(value, Q) or value.type.dim is not kind.dim:
        return ctx.say(
            "CW0331",
            expr.span,
            f"kind `{expr.kind}` is of {kind.dim.text()}, this is {what(value)}",
            "name a kind of that dimension, or convert the value",
        )
    if derived(ctx, value, kind.name, expr.span, env, "what is said to be so") is not None:
        return POISON
    # `as` is the one explicit place where a meaning is given, so whatever kind there was gives way.
    value = Q(value.node, replace(value.type, kind=None))
    slot = Slot("quantity", kind.dim, kind=kind.name, unit=value.type.unit)
    return fit(ctx, value, slot, expr.span, env, "`as`", naming=True)


def _derive(ctx: Context, expr: tree.Derive, env: Env, want: Slot | None) -> Value:
    base = value_of(ctx, expr.base, env, want)
    if isinstance(base, Poison):
        return base
    if not isinstance(base, Inst):
        return ctx.say(
            "CW0226",
            expr.base.span,
            f"{what(base)} cannot be copied with other fields",
            "braces copy an instance: `NAME { field = … }`",
        )
    return copying.copy(ctx, base, expr.body, env, expr.span)


WALKERS: Final[dict[type, Walker]] = {
    tree.Quantity: _quantity,
    tree.Text: _text,
    tree.Name: _name,
    tree.Attribute: _attribute,
    tree.Call: calls.call,
    tree.Comprehension: lists.comprehension,
    tree.ListOf: _list,
    tree.Unary: arithmetic.unary,
    tree.Binary: arithmetic.binary,
    tree.If: branches.branch,
    tree.Is: _is,
    tree.InUnit: _in_unit,
    tree.AsKind: _as_kind,
    tree.Search: searches.search,
    tree.Derive: _derive,
}
