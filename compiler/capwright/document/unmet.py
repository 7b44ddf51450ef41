"""Which elements of a list do not meet a check, or make up what does not, and the numbers that it goes by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.counting import counted
from capwright.base.source import Span
from capwright.check.families import select
from capwright.document.written import path_of, paths_in
from capwright.graph.calls import in_order
from capwright.graph.context import Context
from capwright.graph.expansion import Condition
from capwright.graph.value_of import value_of
from capwright.graph.values import Env, Inst, Items, Value
from capwright.syntax import tree

Tell = Callable[[Value], str]
"""A value in words, "" for one that is not known."""

_FEW: Final = 3
"""Sorts of elements that are told of, names of a sort, and numbers of each."""
_PARTS = 8
"""Elements that are told of one sum."""


def unmet_elements(ctx: Context, condition: Condition, tell: Tell) -> str:
    """The elements, and what names and formulas stand for in the condition that they do not meet; "" where a check
    asks nothing of all elements of a list."""
    alike: dict[str, list[str]] = {}
    for name, expr, env in _elements(ctx, condition, tell):
        if name is not None:
            alike.setdefault(_numbers(ctx, expr, env, tell), []).append(name)
    told = [_listed(names) + (f", where {numbers}" if numbers else "") for numbers, names in alike.items()]
    more = [f"others of {counted(len(told) - _FEW, 'more sort')}"] if len(told) > _FEW else []
    return "; ".join([*told[:_FEW], *more])


def unmet_parts(ctx: Context, condition: Condition, tell: Tell) -> Iterator[tuple[tree.Expr, Env]]:
    """What is not met of a check: the condition, or what it asks of each element of a list that does not meet it."""
    expr = condition.check.condition
    if not isinstance(expr, tree.Comprehension) or expr.function != "all":
        yield expr, condition.env
    for _, asked, env in _elements(ctx, condition, tell):
        yield asked, env


def _elements(ctx: Context, condition: Condition, tell: Tell) -> Iterator[tuple[str | None, tree.Expr, Env]]:
    """The elements of a list that do not meet what a check asks of all, by name, with what it asks."""
    expr = condition.check.condition
    if not isinstance(expr, tree.Comprehension) or expr.function != "all":
        return
    asked = replace(expr, function="filter", body=tree.Name(expr.span, expr.variable))
    elements = value_of(ctx, asked, condition.env)
    for name, element in elements.items if isinstance(elements, Items) else ():
        env = condition.env.binding(expr.variable, element)
        if tell(value_of(ctx, expr.body, env)) == "false":
            yield name, expr.body, env


def totals(ctx: Context, condition: Condition, tell: Tell) -> list[str]:
    """What each sum, least or greatest over a list in the condition comes to, and what its elements give to it."""
    found: list[str] = []
    for one in _over_lists(condition.check.condition):
        if said := tell(value_of(ctx, one, condition.env)):
            parts = list(_parts(ctx, one, condition.env, tell))
            more = f" and {len(parts) - _PARTS} more" if len(parts) > _PARTS else ""
            of = f" ({', '.join(parts[:_PARTS])}{more})" if parts else ""
            found.append(f"`{' '.join(ctx.text(one.span).split())}` is {said}{of}")
    return found


def _over_lists(expr: tree.Expr) -> Iterator[tree.Comprehension]:
    waiting: list[object] = [expr]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, tree.Comprehension):
            if one.function in ("sum", "min", "max"):
                yield one
        elif isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, Struct) and not isinstance(one, Span | tree.Search):
            waiting.extend(getattr(one, name) for name in one.__struct_fields__)


def _parts(ctx: Context, one: tree.Comprehension, env: Env, tell: Tell) -> Iterator[str]:
    """What the expression comes to for each named element, and whether that is what nobody said."""
    asked = replace(one, function="filter", body=tree.Name(one.span, one.variable))
    elements = value_of(ctx, asked, env)
    for name, element in elements.items if isinstance(elements, Items) else ():
        said = tell(value_of(ctx, one.body, env.binding(one.variable, element)))
        if name is not None and said:
            yield f"`{name}` {said}{'' if _is_given(one, element) else ' by default'}"


def _is_given(one: tree.Comprehension, element: Value) -> bool:
    """Whether the one field that the expression reads of an element is given; true of any other expression."""
    match one.body, element:
        case tree.Attribute(base=tree.Name(name=variable), name=name), Inst(layers=layers, entity=entity):
            field = entity.fields.get(name)
            left = variable == one.variable and field is not None and field.role == "default"
            return not left or any(name in layer.body.entries for layer in layers)
        case _:
            return True


def _listed(names: list[str]) -> str:
    more = [f"{len(names) - _FEW} more"] if len(names) > _FEW else []
    *first, last = [*(f"`{name}`" for name in names[:_FEW]), *more]
    return f"{', '.join(first)} and {last}" if first else last


def _numbers(ctx: Context, expr: tree.Expr, env: Env, tell: Tell) -> str:
    """What the condition reads: of a formula's call, what the formula reads of its arguments."""
    if isinstance(expr, tree.Call):
        expr, env = _inside(ctx, expr, env)
    local = set(env.locals or ())
    terms = {
        **{ctx.text(call.span): call for call in calls(expr)},
        **{path: path_of(expr.span, path) for path in paths_in(expr) if path.partition(".")[0] in local},
    }
    values = [
        f"`{text}` is {said}" for text, term in terms.items() if (said := tell(value_of(ctx, term, env)))
    ]
    return ", ".join(values)


def _inside(ctx: Context, call: tree.Call, env: Env) -> tuple[tree.Expr, Env]:
    """The body of the formula that a call takes, and where its parameters stand for the arguments."""
    family = env.scope.families.get(call.function)
    arguments = in_order(ctx, call, family.signature) if family is not None and family.signature else None
    if family is None or arguments is None:
        return call, env
    given = [value_of(ctx, each.value, env) for each in arguments]
    found = select(family, tuple(value.entity if isinstance(value, Inst) else None for value in given))
    if found is None or found.decl.body is None or found.decl.clauses.confidential:
        return call, env
    names = {p.name: value for p, value in zip(found.decl.parameters, given, strict=True)}
    return found.decl.body, Env(found.scope, None, None, names, found.library, strips=True)


def calls(expr: tree.Expr) -> Iterator[tree.Call]:
    """The calls in an expression whose arguments are names."""
    waiting: list[object] = [expr]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, tree.Call) and all(isinstance(each.value, tree.Name) for each in one.arguments):
            yield one
        elif isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, Struct) and not isinstance(one, Span | tree.Comprehension | tree.Search):
            waiting.extend(getattr(one, name) for name in one.__struct_fields__)
