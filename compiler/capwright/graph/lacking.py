"""What an option lacks: a field that the plan reads of a thing, and that only other things of its sort have.

It is no mistake of the plan, nor of the option's other numbers, and is told once for an option, a thing and a field,
however many formulas read it. A number that is then asked of the option by name has no value, and that is a mistake.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from capwright.base.diagnostic import Note
from capwright.base.source import Span
from capwright.graph.context import Context
from capwright.graph.known_fields import known_fields
from capwright.graph.values import Body, Inst

_PLACES: Final = 4
"""As many places where it is read a message shows."""


def note(ctx: Context, inst: Inst, name: str, span: Span) -> bool:
    """Whether what is read at `span` is lacking to an option, and no mistake; then it is told by `tell`."""
    option = ctx.option
    if option is None or _is_own_word(ctx, option, span) or not _is_known(ctx, inst, name):
        return False
    ctx.lacks += 1
    ctx.lacked.setdefault((option, inst, name), []).append(span)
    return True


def note_unanswered(ctx: Context, inst: Inst, name: str, span: Span) -> None:
    """A field of an option that has no value for what the option lacks was read: by name, that is a mistake."""
    ctx.lacks += 1
    if ctx.option is None:
        ctx.say(
            "CW0243",
            span,
            f"`{inst.address}.{name}` has no value: the option lacks something that it needs",
            "give the option what it lacks, or ask nothing of it here",
        )


def tell(ctx: Context) -> None:
    """Tell each thing that an option lacks, at the first place that reads it: one of the plan's own, if there is one."""
    for (option, inst, name), places in ctx.lacked.items():
        first, *more = sorted(set(places), key=lambda s: (s.file in ctx.program.library, s.file, s.start))
        sort = inst.entity.root.name
        ctx.report.say(
            "CW0243",
            first,
            f"option `{option.address}` has no value here: {sort} `{inst.address}` has no `{name}`, as others of its sort have",
            f"{_way_out(inst, name)}; the base's is not taken over",
            *[Note("nor here", place) for place in more[: _PLACES - 1]],
            severity="warning",
            about=f"{option.address} {inst.address} {name}",
        )


def _way_out(inst: Inst, name: str) -> str:
    if inst.option:
        return f"give it one: `{inst.address}.{name} : UNIT = …`"
    whole = inst
    while whole.parent is not None:
        whole = whole.parent
    field = f"{inst.address}.{name}".removeprefix(f"{whole.address}.")
    return f"let the option take one that has it: `{whole.entity.root.name} NAME from {whole.address} {{ {field} : UNIT = … }}`"


def _is_own_word(ctx: Context, option: Inst, span: Span) -> bool:
    """Whether something is written for the option itself, in its braces or with a dot: then it is the option's mistake."""
    held = ctx.own_words.get(option)
    if held is None:
        held = ctx.own_words[option] = _by_file(_own_words(option))
    starts, ends = held.get(span.file, ((), ()))
    at = bisect_right(starts, span.start) - 1
    return at >= 0 and span.start < ends[at]


def _by_file(spans: Iterable[Span]) -> dict[str, tuple[list[int], list[int]]]:
    """Where spans begin and end in each file, those that overlap as one: sorted, to be looked up."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    for span in sorted(spans, key=lambda one: (one.file, one.start)):
        starts, ends = found.setdefault(span.file, ([], []))
        if ends and span.start <= ends[-1]:
            ends[-1] = max(ends[-1], span.end)
        else:
            starts.append(span.start)
            ends.append(span.end)
    return found


def _own_words(option: Inst) -> Iterator[Span]:
    yield option.span
    base = len(option.base.layers) if option.base is not None else 0
    for layer in option.layers[: len(option.layers) - base]:
        if layer.outside:
            yield from _statements(layer.body)


def _statements(body: Body) -> Iterator[Span]:
    for entry in (entry for entries in body.entries.values() for entry in entries):
        if entry.statement is not None:
            yield entry.statement.span
        if entry.inner is not None:
            yield from _statements(entry.inner)


def _is_known(ctx: Context, inst: Inst, name: str) -> bool:
    """Whether some thing of the same sort has such a field, in whatever order they are declared: then it is no
    misspelt name."""
    known = ctx.known_fields
    if not known:
        known.update(known_fields(ctx.program))
    return name in known.get(inst.entity.root, ()) or name in known[None]
