"""What a measurement or evidence states, against what the plan has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field

from capwright.check.declared import Kind
from capwright.graph.context import Context
from capwright.graph.stated_entry import Entry
from capwright.graph.stated_terms import Terms, few
from capwright.graph.values import Deciders
from capwright.syntax import tree

Told = tree.Measure | tree.Evidence

_PARTS: Final = re.compile("[,;]")


class Judgement(Struct, frozen=True):
    """What came of the comparison of a statement with the plan."""

    reason: str = ""
    """Why it is not of this plan, as the end of a sentence; empty where it is."""
    wanted: str = ""
    """The entries that would count instead of those that disagree, as a plan writes them."""
    idle: tuple[str, ...] = ()
    """What it states that is compared with nothing: what the kind does not ask, and what the plan does not have as one
    number, or as a range with an end."""
    unstated: tuple[str, ...] = ()
    """What it may state and does not, though the plan has it: nobody can tell whether it was measured so."""
    named: tuple[str, ...] = ()
    """The things of the plan, by address, that it states by no more than what the plan calls them: what is in them is not
    compared."""
    within: dict[str, str] = field(default_factory=dict)
    """What it states that lies within a range of the plan, and the range: no number there is right or wrong."""


def judged(
    ctx: Context, kind: Kind, statement: Told, stated: dict[str, str], path: tuple[str, ...] | None = None
) -> Judgement:
    """All that a measurement states otherwise than the plan has it, and all that could not be compared.

    Each entry of which the kind says with what of the plan it must agree is read as a whole, by what the plan has there;
    what the plan does not have is not compared, and of what it knows within a range only a number outside of it disagrees.
    Neither is an optional entry that is left out. `path` is the quantity's, where it is not
    the one that the statement names but an option's.
    """
    reasons: list[str] = []
    wanted: list[str] = []
    asked = {key.name for key in kind.decl.context}
    idle = [name for name in stated if name not in asked]
    unstated: list[str] = []
    within: dict[str, str] = {}
    named: list[str] = []
    for key in kind.decl.context:
        told = stated.get(key.name, "")
        if key.optional and not told.strip():
            if key.terms and _could_be_compared(ctx, key, path or statement.path):
                unstated.append(key.name)
            continue
        entry = Entry(ctx, key, statement, told, path or statement.path) if key.terms else None
        if key.words and not _is_among(told, key.words):
            reasons.append(f"{key.name} is {told}, and this quantity is of {' or '.join(few(key.words))}")
            wanted.append(_entry(key, key.words[0]))
        elif entry is not None:
            named += entry.named()
            if reason := entry.objection():
                reasons.append(f"{key.name} is {told}, {reason}")
                wanted.append(_entry(key, entry.plan.wanted()))
            elif told.strip() and (between := entry.within()):
                within[key.name] = between
            elif told.strip() and not entry.plan.is_compared():
                idle.append(key.name)
    return Judgement(
        "; ".join(reasons),
        "; ".join(wanted),
        tuple(idle),
        tuple(unstated),
        tuple(dict.fromkeys(named)),
        within,
    )


def _could_be_compared(ctx: Context, key: tree.ContextKey, path: tuple[str, ...]) -> bool:
    """Whether the plan has what an entry that is left out could be compared with. It was not, and so decides nothing; whether
    a confidential number is exact may not be told by that."""
    found: Deciders = {}
    ctx.deciding.append(found)
    ctx.reading.append({})
    try:
        plan = Terms(ctx, key, path)
        confidential = not ctx.withheld.isdisjoint(each for each in found if isinstance(each, int))
        return plan.has_something() if confidential else plan.is_compared()
    finally:
        ctx.deciding.pop()
        ctx.reading.pop()


def would_count(ctx: Context, key: tree.ContextKey, statement: Told) -> str:
    """An entry that states what the plan has, as a plan writes it; with `…` where anything counts, or nobody knows what.

    Where words are asked for, a few of them are told.
    """
    if key.words:
        more = " or ".join(f'"{each}"' for each in few(key.words)[1:])
        return _entry(key, key.words[0]) + (f" (or {more})" if more else "")
    return _entry(key, Terms(ctx, key, statement.path).wanted() if key.terms else "")


def _entry(key: tree.ContextKey, text: str) -> str:
    return f'{key.name} = "{text or "…"}"'


def _is_among(told: str, words: Iterable[str]) -> bool:
    """Whether a text says one of `words`: each part between commas is of some of them, and together they say one."""
    stated = _parts(told)
    known = [_parts(each) for each in words]
    return stated <= frozenset().union(*known) and any(each <= stated for each in known)


def _parts(text: str) -> frozenset[str]:
    """What stands between commas: `closed loop, one request`."""
    return frozenset(" ".join(part.split()) for part in _PARTS.split(text.casefold()))
