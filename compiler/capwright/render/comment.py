"""The one comment of a pull request: what changed in all its plans, the most telling first, within a forge's limits.

It starts with the verdicts that changed and those that are not met as before, what changed them, money, and the room in
memory, and says why the job fails if it does; everything wider stands in a fold, one a plan. What does not fit is left out by
whole folds, and said. The caveats of verdicts are named beside them, and their texts stand once, in a fold of their own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from capwright.base.counting import counted
from capwright.document.caveat_docs import on_verdicts, place_of
from capwright.document.outcome import findings_of
from capwright.render.comment_findings import Failing, why_it_fails
from capwright.render.comment_folds import NAMED, caveats_fold, fold, named
from capwright.render.comment_headline import Told, told_of
from capwright.render.comment_items import Plan
from capwright.render.comment_lead import lead
from capwright.render.diff_headline import headline_markdown
from capwright.render.diff_markdown import BUDGET
from capwright.render.escape import markdown_code, shell_word
from capwright.render.permanent import permanent_lines
from capwright.render.plan_change import PlanChange
from capwright.render.words import STATUS

LISTED: Final = 8
"""Plans whose headline stands outside the folds; the rest are counted."""
_SENTENCE: Final = 400
"""Bytes of the sentence that names what is left out, without the names."""


def comment(
    changes: Sequence[PlanChange], base: str, budget: int | None = BUDGET, lent: Sequence[str] = ()
) -> str:
    """The comment as Markdown of at most `budget` bytes, None for all of it; `base` is what a reader calls the state
    before, and `lent` are the catalogues that are on both sides as they are now."""
    budget = sys.maxsize if budget is None else budget
    told = sorted(map(told_of, changes), key=lambda one: (one.rank, one.change.path))
    head = _head(told)
    foot = _foot(changes, base, lent, budget)
    room = budget - len((head + foot).encode()) - _reserve(told)
    caveats = caveats_fold(told, room // 4)
    room -= len(caveats.encode())
    folds: list[str] = []
    left: list[str] = []
    for at, one in enumerate(told):
        text = fold(one, room, headed=at >= LISTED)
        if text is None:
            left.append(one.change.path)
            continue
        room -= len(text.encode())
        folds.append(text)
    return head + "".join(folds) + _left_out(left, base) + caveats + foot


def _head(told: Sequence[Told]) -> str:
    fails = why_it_fails([_findings(one.change) for one in told]) or _why_it_passes(told)
    if not told:
        return "**No capacity plan is affected.**\n\n"
    if len(told) == 1:
        one = told[0]
        return f"{headline_markdown(one.headline, one.change.path)}\n{fails}"
    lines = [_bullet(one) for one in told[:LISTED]]
    if len(told) > LISTED:
        lines.append(f"- and {counted(len(told) - LISTED, 'more plan')}, folded below\n")
    plans = [
        Plan(
            o.change.path, o.change.how, o.change.errors, o.change.document, o.change.diff, o.view,
            () if o.change.diff is None else o.change.as_before, o.change.unasked,
        )
        for o in told
    ]  # fmt: skip
    return f"{lead(plans)}\n\n{fails}{''.join(lines)}\n"


def _why_it_passes(told: Sequence[Told]) -> str:
    """That a requirement which is no longer shown to be violated lets the job pass, where one does; empty otherwise."""
    open_now = STATUS["not established"][0]
    if not any(
        flip.lapsed and flip.after == open_now and not flip.option
        for one in told
        if one.view
        for flip in one.view.flips
    ):
        return ""
    return "**The job passes:** what is not established makes it fail under `--strict` or `require established` alone.\n\n"


def _bullet(one: Told) -> str:
    """The headline of one of several plans, as an item of a list with its own items."""
    lines = headline_markdown(one.headline, one.change.path).splitlines()
    return "".join(f"{'  ' if at else '- '}{line}\n" for at, line in enumerate(filter(None, lines)))


def _findings(change: PlanChange) -> Failing:
    unread = change.document is None and change.how != "deleted" and not change.errors
    sound = change.document is not None and not change.errors
    measurements = change.document.measurements if sound and change.document is not None else ()
    return Failing(
        change.path,
        change.errors,
        unread,
        change.unmet,
        frozenset(verdict.id for verdict in change.as_before) if change.diff is not None else frozenset(),
        findings_of((), measurements, strict=False).measurements,
    )


def _foot(changes: Sequence[PlanChange], base: str, lent: Sequence[str], budget: int) -> str:
    places: dict[str, tuple[bool, bool]] = {}
    for change in changes:
        standing = on_verdicts(change.document) if change.document else frozenset[str]()
        for caveat in (
            *(change.document.caveats if change.document else ()),
            *(change.diff.caveats if change.diff else ()),
        ):
            if caveat.permanent:
                place = place_of(caveat, standing)
                places[caveat.text] = min(place, places.get(caveat.text, place))
    texts = sorted(places, key=places.__getitem__)
    caveats = "".join(f"> {line}\n" for line in permanent_lines(texts, budget, _whole(base)))
    private = f"; {named(lent)}, which git does not keep, as now on both sides" if lent else ""
    return f"{caveats}\n<sub>capwright: {counted(len(changes), 'plan')} affected since {markdown_code(base)}{private}</sub>\n"


def _reserve(told: Sequence[Told]) -> int:
    """Bytes for the sentence that names what is left out."""
    longest = sorted((len(markdown_code(one.change.path).encode()) for one in told), reverse=True)[:NAMED]
    return sum(longest) + _SENTENCE


def _left_out(paths: Sequence[str], base: str) -> str:
    if not paths:
        return ""
    return f"**Left out for length: {named(paths)}.** {_whole(base)} prints all of it.\n\n"


def _whole(base: str) -> str:
    """What prints all of the comment, as Markdown."""
    return markdown_code(f"capwright ci --base {shell_word(base)} --print")
