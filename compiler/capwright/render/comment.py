"""The one comment of a pull request: what changed in all its plans, the most telling first, within a forge's limits.

It starts with the verdicts that changed, what changed them, money, and the room in memory; everything wider stands in a fold, one a
plan. What does not fit is left out by whole folds, and said.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from typing import Final, Literal

from msgspec import Struct, field

from capwright.base.counting import counted
from capwright.document.diffdoc import DiffDoc
from capwright.document.plandoc import DiagnosticDoc, PlanDoc
from capwright.document.withholding import is_withheld
from capwright.render.alone import least_room, money, verdict_counts
from capwright.render.comment_lead import Plan, lead
from capwright.render.diff import Comparison, comparison
from capwright.render.diff_headline import LENGTHS, headline_parts, shortened
from capwright.render.diff_markdown import BUDGET, diff_fold
from capwright.render.escape import markdown_code, markdown_text
from capwright.render.pieces import plain
from capwright.render.scaling import readable
from capwright.render.verdicts import margin, otherwise
from capwright.render.words import STATUS

LISTED: Final = 8
"""Plans whose headline stands outside the folds; the rest are counted."""
NAMED: Final = 12
_SENTENCE: Final = 400
"""Bytes of the sentence that names what is left out, without the names."""
_LEAST: Final = 1_500
"""A fold with less room than this would hold nothing of use."""
_MESSAGES: Final = 20


class PlanChange(Struct, frozen=True):
    """A plan that a change affects. `document` is the plan as it is now, for others to see; None where it cannot be
    read or was deleted. `diff` is against what it was, None where there is nothing to compare."""

    path: str
    how: Literal["changed", "new", "deleted", "renamed"]
    before: str | None
    document: PlanDoc | None
    diff: DiffDoc | None
    messages: tuple[DiagnosticDoc, ...] = field(default=())
    why: tuple[str, ...] = ()
    """The files that differ."""

    @property
    def errors(self) -> int:
        """How many errors the plan has now."""
        return sum(one.severity == "error" for one in self.messages)


class _Told(Struct, frozen=True):
    change: PlanChange
    headline: tuple[str, ...]
    rank: int
    view: Comparison | None = None


def comment(changes: Sequence[PlanChange], base: str, budget: int | None = BUDGET) -> str:
    """The comment as Markdown of at most `budget` bytes, None for all of it; `base` is what a reader calls the state
    before."""
    budget = sys.maxsize if budget is None else budget
    told = sorted(map(_told, changes), key=lambda one: (one.rank, one.change.path))
    head = _head(told)
    foot = _foot(changes, base)
    room = budget - len((head + foot).encode()) - _reserve(told)
    folds: list[str] = []
    left: list[str] = []
    for at, one in enumerate(told):
        text = _fold(one, room, headed=at >= LISTED) if room > _LEAST else None
        if text is None or len(text.encode()) > room:
            left.append(one.change.path)
            continue
        room -= len(text.encode())
        folds.append(text)
    return head + "".join(folds) + _left_out(left, base) + foot


def _told(change: PlanChange) -> _Told:
    if change.how == "deleted":
        return _Told(change, ("deleted.",), 3)
    if change.errors:
        count = f"{change.errors} error{'s' if change.errors > 1 else ''}"
        view = comparison(change.diff) if change.diff is not None else None
        return _Told(
            change, (f"does not compile, {count}.", *(headline_parts(view) if view else ())), 0, view
        )
    if change.diff is None:
        return _Told(change, _alone(change), 1 if _is_bad(change.document) else 2)
    view = comparison(change.diff)
    return _Told(change, tuple(headline_parts(view)), _rank(view), view)


def _rank(view: Comparison) -> int:
    if view.flips:
        return 1
    return 4 if view.empty else 2


def _is_bad(document: PlanDoc | None) -> bool:
    return document is None or any(STATUS[verdict.status][1] == "bad" for verdict in document.verdicts)


def _alone(change: PlanChange) -> tuple[str, ...]:
    """The headline of a plan that has nothing to be compared with."""
    if change.document is None:
        return ("cannot be read.",)
    document = readable(change.document)
    parts = [f"new: {verdict_counts(document) or 'no requirement'}."]
    paid, least = money(document), least_room(document.verdicts)
    if paid is not None:
        parts.append(f"{_capital(shortened(paid[0], LENGTHS[0]))}: {plain(paid[1])}.")
    if least is not None:
        label = shortened(least.label or least.written, LENGTHS[0])
        parts.append(f"Room, {label}: {plain(margin(least))}.")
    return tuple(parts)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _head(told: Sequence[_Told]) -> str:
    if not told:
        return "**No capacity plan is affected.**\n\n"
    if len(told) == 1:
        one = told[0]
        return f"**{_words(one)}** {markdown_code(one.change.path)}\n\n"
    lines = [f"- **{_words(one)}** {markdown_code(one.change.path)}\n" for one in told[:LISTED]]
    if len(told) > LISTED:
        lines.append(f"- and {counted(len(told) - LISTED, 'more plan')}, folded below\n")
    plans = [
        Plan(o.change.path, o.change.how, o.change.errors, o.change.document, o.change.diff, o.view)
        for o in told
    ]
    return f"{lead(plans)}\n\n{''.join(lines)}\n"


def _words(one: _Told) -> str:
    return " ".join(map(markdown_text, one.headline))


def _fold(one: _Told, room: int, *, headed: bool) -> str | None:
    """One plan's fold, its sections dropped to fit into `room` bytes; `headed` where its headline stands nowhere else."""
    change = one.change
    renamed = f" (was {_html_code(change.before)})" if change.how == "renamed" and change.before else ""
    lead = f"<details><summary>{_html_code(change.path)}{renamed}: {change.how}</summary>\n\n"
    parts = [lead, *_files(change.why), *_silence(change), *_messages(change)]
    spent = len("".join(parts).encode()) + 64
    if change.diff is not None:
        if room - spent < _LEAST:
            return None
        parts.append(diff_fold(change.diff, room - spent, headed=headed))
    elif change.document is not None:
        parts += [_verdict_lines(change.document)]
    return "".join([*parts, "\n</details>\n\n"])


def _files(paths: Sequence[str]) -> list[str]:
    if not paths:
        return []
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return [f"Files that differ: {', '.join(map(markdown_code, paths[:NAMED]))}{more}\n\n"]


def _silence(change: PlanChange) -> list[str]:
    if change.document is None or not any(map(is_withheld, change.document.quantities)):
        return []
    return [
        "Confidential numbers, and all that derives from them, are withheld; of requirements the status is told.\n\n"
    ]


def _html_code(text: str) -> str:
    return f"<code>{markdown_text(text)}</code>"


def _messages(change: PlanChange) -> list[str]:
    shown = change.messages[:_MESSAGES]
    lines = [
        f"- {one.severity} {one.code} {markdown_code(one.place)}: {markdown_text(one.message)}\n"
        for one in shown
    ]
    if len(change.messages) > len(shown):
        lines.append(f"- and {counted(len(change.messages) - len(shown), 'more message')}\n")
    return [*lines, "\n"] if lines else []


def _verdict_lines(document: PlanDoc) -> str:
    """The verdicts of a new plan, and those that its options have otherwise."""
    rows = [
        f"- {markdown_text(STATUS[verdict.status][0])}: {markdown_text(verdict.label or verdict.written)}\n"
        for verdict in document.verdicts[:_MESSAGES]
    ]
    rows += [
        f"- {markdown_code(option)}, {STATUS[base.status][0]} → {STATUS[own.status][0]}: "
        f"{markdown_text(own.label or own.written)}\n"
        for option, base, own in islice(otherwise(document), _MESSAGES)
    ]
    return "".join(rows)


def _foot(changes: Sequence[PlanChange], base: str) -> str:
    texts: dict[str, None] = {}
    for change in changes:
        for caveat in (
            *(change.document.caveats if change.document else ()),
            *(change.diff.caveats if change.diff else ()),
        ):
            if caveat.permanent:
                texts.setdefault(caveat.text)
    caveats = "".join(f"> {markdown_text(text)}\n" for text in texts)
    count = f"{len(changes)} plan{'' if len(changes) == 1 else 's'}"
    return f"{caveats}\n<sub>capwright: {count} affected since {markdown_code(base)}</sub>\n"


def _reserve(told: Sequence[_Told]) -> int:
    """Bytes for the sentence that names what is left out."""
    longest = sorted((len(markdown_code(one.change.path).encode()) for one in told), reverse=True)[:NAMED]
    return sum(longest) + _SENTENCE


def _left_out(paths: Sequence[str], base: str) -> str:
    if not paths:
        return ""
    named = ", ".join(markdown_code(path) for path in paths[:NAMED])
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    whole = markdown_code(f"capwright ci --base {base} --print")
    return f"**Left out for length: {named}{more}.** {whole} prints all of it.\n\n"
