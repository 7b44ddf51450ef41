"""The one comment of a pull request: what changed in all its plans, the most telling first, within a forge's limits.

It starts with the verdicts that changed and those that are not met as before, what changed them, money, and the room in
memory, and says why the job fails if it does; everything wider stands in a fold, one a plan. What does not fit is left out by
whole folds, and said. The caveats of verdicts are named beside them, and their texts stand once, in a fold of their own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from capwright.base.counting import counted
from capwright.document.diffdoc import DiffDoc
from capwright.document.outcome import FINDINGS, findings_of, is_unread, lapsed, rank, unfit
from capwright.document.plandoc import DiagnosticDoc, PlanDoc, Status, VerdictDoc
from capwright.document.withholding import is_withheld
from capwright.render.comment_findings import Failing, why_it_fails
from capwright.render.comment_items import Plan
from capwright.render.comment_lead import lead
from capwright.render.compared import Comparison
from capwright.render.diff import comparison
from capwright.render.diff_headline import (
    FLIPS,
    LENGTHS,
    Headline,
    headline_markdown,
    headline_of,
    joined,
    labelled,
    no_longer_asked,
    shortened,
    ticked,
    unmet_as_before,
)
from capwright.render.diff_markdown import BUDGET, diff_fold
from capwright.render.escape import markdown_code, markdown_text, shell_word
from capwright.render.markup import to_comment
from capwright.render.money_and_room import least_room, money, more_money
from capwright.render.pieces import Name, Pieces, Quoted, Words
from capwright.render.scaling import readable
from capwright.render.standing import standing
from capwright.render.verdicts import margin, otherwise
from capwright.render.words import NOT_ASKED, STATUS, status_counts

LISTED: Final = 8
"""Plans whose headline stands outside the folds; the rest are counted."""
NAMED: Final = 12
_SENTENCE: Final = 400
"""Bytes of the sentence that names what is left out, without the names."""
_LEAST: Final = 1_500
"""A fold with less room than this would hold nothing of use."""
_MESSAGES: Final = 20
_UNFIT: Final = 2
"""Quantities below zero that a headline tells; all of them are among the messages of the plan."""
_DOUBTFUL: Final = 2
"""The rank of a plan of which something became worse, and nothing is known to fail for that."""
_MESSAGE: Final = 160
"""Characters of the error that is told of a plan that does not compile; all of them are in its fold."""


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
    strict: bool = False
    """Whether what is required and not established is a finding."""
    lacked: str = ""
    """What the state before lacks, where nothing is compared for that."""
    unasked: tuple[VerdictDoc, ...] = ()
    """Of a deleted plan, the requirements that nobody asks any more, with what they came to."""

    @property
    def errors(self) -> int:
        """How many errors the plan has now that leave nothing to trust."""
        return sum(map(_breaks, self.messages))

    @property
    def unmet(self) -> tuple[VerdictDoc, ...]:
        """What makes its check fail of its requirements; nothing where errors do."""
        if self.document is None or self.errors:
            return ()
        return findings_of(self.document.verdicts, (), strict=self.strict).verdicts

    @property
    def as_before(self) -> tuple[VerdictDoc, ...]:
        """Those of `unmet` whose verdict the comparison does not tell as changed."""
        if self.diff is None:
            return self.unmet
        turned = (one.after for one in self.diff.verdicts if one.what != "margin")
        found = (one.after for one in self.diff.unjudged)
        changed = {after.id for after in (*turned, *found) if after is not None}
        return tuple(verdict for verdict in self.unmet if verdict.id not in changed)


def _breaks(message: DiagnosticDoc) -> bool:
    return message.severity == "error" and message.code not in FINDINGS


class _Told(Struct, frozen=True):
    change: PlanChange
    headline: Headline
    rank: int
    view: Comparison | None = None


def comment(
    changes: Sequence[PlanChange], base: str, budget: int | None = BUDGET, lent: Sequence[str] = ()
) -> str:
    """The comment as Markdown of at most `budget` bytes, None for all of it; `base` is what a reader calls the state
    before, and `lent` are the catalogues that are on both sides as they are now."""
    budget = sys.maxsize if budget is None else budget
    told = sorted(map(_told, changes), key=lambda one: (one.rank, one.change.path))
    head = _head(told)
    foot = _foot(changes, base, lent)
    room = budget - len((head + foot).encode()) - _reserve(told)
    caveats = _caveats(told, room // 4)
    room -= len(caveats.encode())
    folds: list[str] = []
    left: list[str] = []
    for at, one in enumerate(told):
        text = _fold(one, room, headed=at >= LISTED) if room > _LEAST else None
        if text is None or len(text.encode()) > room:
            left.append(one.change.path)
            continue
        room -= len(text.encode())
        folds.append(text)
    return head + "".join(folds) + _left_out(left, base) + caveats + foot


def _told(change: PlanChange) -> _Told:
    """What is told of a plan; of one whose numbers cannot be, that first."""
    told = _compared(change)
    first = [(Words("warning: "), *ticked(one.message)) for one in unfit(change.messages)[:_UNFIT]]
    return (
        replace(told, headline=replace(told.headline, told=(*first, *told.headline.told))) if first else told
    )


def _compared(change: PlanChange) -> _Told:
    if change.how == "deleted":
        said = no_longer_asked(change.unasked, FLIPS, LENGTHS[0])
        return _Told(change, Headline(((Words("deleted"), *said),)), _DOUBTFUL if change.unasked else 3)
    view = comparison(change.diff) if change.diff is not None else None
    if change.errors:
        headline = headline_of(view) if view is not None and not view.empty else Headline(())
        lost = ": nothing was compared" if view is None and change.how != "new" else ""
        count = (Words(f"does not compile, {counted(change.errors, 'error')}{lost}"),)
        first = (*_lacked(change), _first_error(change), *headline.told)
        return _Told(
            change,
            Headline((count, *headline.verdicts), first, headline.marks),
            0,
            view,
        )
    if view is None:
        return _Told(change, _alone(change), 1 if _is_bad(change.document) else 3)
    return _Told(change, headline_of(view, change.as_before, change.path), _rank(view, change), view)


def _said(words: str) -> Headline:
    return Headline(((Words(words),),))


def _lacked(change: PlanChange) -> list[Pieces]:
    return [(Words("before: "), *_message(change.lacked))] if change.lacked else []


def _message(text: str) -> Pieces:
    """A message of ours: what stands between its backticks is code here, too."""
    parts = shortened(text, _MESSAGE).split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return tuple(Name(part) if at % 2 else Quoted(part) for at, part in enumerate(parts) if part)


def _first_error(change: PlanChange) -> Pieces:
    broken = list(filter(_breaks, change.messages))
    first = next((one for one in broken if is_unread(one)), broken[0])
    return (
        Words(f"{first.code} "),
        Name(first.place),
        Words(": "),
        *_message(first.message),
        *((Words("; "), *_message(first.help)) if first.help else ()),
    )


def _rank(view: Comparison, change: PlanChange) -> int:
    """Worst first: what fails now, what became doubtful, any other change, what is not met as before, nothing."""
    worse = [flip.after_tone for flip in view.flips if flip.worse]
    if worse:
        return 1 if "bad" in worse else _DOUBTFUL
    if any(flip.lapsed for flip in view.flips) or any(
        one.edit == "loosened" and one.required for one in view.asked
    ):
        return _DOUBTFUL
    if not view.empty or view.unsound:
        return 3
    return 4 if change.as_before else 5


def _is_bad(document: PlanDoc | None) -> bool:
    return document is None or any(STATUS[verdict.status][1] == "bad" for verdict in document.verdicts)


def _alone(change: PlanChange) -> Headline:
    """The headline of a plan that has nothing to be compared with."""
    if change.document is None:
        return _said("cannot be read")
    document = readable(change.document)
    told = [*_lacked(change), *unmet_as_before(change.unmet, FLIPS, LENGTHS[0], "")]
    paid, least = money(document), least_room(document.verdicts)
    if paid is not None:
        more = more_money(paid.more)
        name: Pieces = (Quoted(shortened(paid.name, LENGTHS[0])), Words(": "))
        told.append((*name, *paid.value, *((Words(more),) if more else ())))
    if least is not None:
        name = labelled(least.label, least.written, "", LENGTHS[0])
        told.append((Words("room, "), *name, Words(": "), *margin(least)))
    counts = status_counts(one.status for one in document.verdicts) or "no requirement"
    what = "new" if change.how == "new" else "nothing was compared"
    return Headline(((Words(f"{what}: {counts}"),),), tuple(told))


def _head(told: Sequence[_Told]) -> str:
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


def _why_it_passes(told: Sequence[_Told]) -> str:
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


def _bullet(one: _Told) -> str:
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
    else:
        parts += [_unasked_lines(change.unasked)]
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
        f"- {one.severity} {one.code} {markdown_code(one.place)}: {markdown_text(one.message)}"
        + (f"; {markdown_text(one.help)}\n" if one.severity == "error" and one.help else "\n")
        for one in shown
    ]
    if len(change.messages) > len(shown):
        lines.append(f"- and {counted(len(change.messages) - len(shown), 'more message')}\n")
    return [*lines, "\n"] if lines else []


def _verdict_lines(document: PlanDoc) -> str:
    """The verdicts of a new plan, and those that its options have otherwise, what needs attention first, with what they
    stand on and carry."""
    permanent = frozenset(caveat.name for caveat in document.caveats if caveat.permanent)
    asked = sorted(document.verdicts, key=lambda verdict: rank(verdict.status))
    rows: list[str] = []
    for verdict in asked[:_MESSAGES]:
        rows.append(f"- {STATUS[verdict.status][0]}: {_called(verdict)}\n")
        rows += _mark_lines(verdict, permanent)
    rows += _rest([verdict.status for verdict in asked[_MESSAGES:]], "")
    options = sorted(otherwise(document), key=lambda one: rank(one[2].status))
    for option, base, own in options[:_MESSAGES]:
        turn = f"{STATUS[base.status][0]} → {STATUS[own.status][0]}"
        lapse = lapsed(base.status, own.status)
        rows.append(f"- {markdown_code(option)}, {turn}{f', {lapse}' if lapse else ''}: {_called(own)}\n")
        rows += _mark_lines(own, permanent)
    rows += _rest([own.status for _, _, own in options[_MESSAGES:]], " of options")
    return "".join(rows)


def _unasked_lines(verdicts: Sequence[VerdictDoc]) -> str:
    """The requirements of a deleted plan, and what they came to."""
    lines = [f"- {STATUS[one.status][0]} → {NOT_ASKED}: {_called(one)}\n" for one in verdicts[:_MESSAGES]]
    return "".join([*lines, *_rest([one.status for one in verdicts[_MESSAGES:]], "")])


def _rest(statuses: Sequence[Status], whose: str) -> list[str]:
    """The verdicts that are not listed, counted."""
    if not statuses:
        return []
    more = counted(len(statuses), f"more verdict{whose}", f"more verdicts{whose}")
    return [f"- and {more}: {markdown_text(status_counts(statuses))}\n"]


def _called(verdict: VerdictDoc) -> str:
    return to_comment(labelled(verdict.label, verdict.written, "", sys.maxsize))


def _mark_lines(verdict: VerdictDoc, permanent: frozenset[str]) -> list[str]:
    marks = standing(verdict, permanent, f"verdict:{verdict.id}")
    return [f"  - {to_comment(joined(marks, ()))}\n"] if marks else []


def _caveats(told: Sequence[_Told], room: int) -> str:
    """What the caveats say that verdicts are told with, each once, as far as they fit into `room` bytes."""
    texts: dict[tuple[str, str], None] = {}
    for one in told:
        document = one.change.document
        if one.view is not None:
            texts.update(dict.fromkeys(one.view.told))
        elif document is not None:
            asked = (*document.verdicts, *(own for _, _, own in otherwise(document)))
            named = {name for verdict in asked for name in verdict.caveats}
            texts.update(
                ((c.name, c.text), None) for c in document.caveats if c.name in named and not c.permanent
            )
    if not texts:
        return ""
    text = "<details><summary>What the caveats of these verdicts say</summary>\n\n"
    end = "\n</details>\n\n"
    for at, (name, words) in enumerate(texts):
        line = f"- {markdown_code(name)}: {markdown_text(words)}\n"
        if len((text + line + end).encode()) + _SENTENCE > room:
            return (
                f"{text}- and {counted(len(texts) - at, 'more caveat')}: `capwright check` tells them\n{end}"
            )
        text += line
    return text + end


def _foot(changes: Sequence[PlanChange], base: str, lent: Sequence[str]) -> str:
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
    names = ", ".join(map(markdown_code, lent[:NAMED])) + (
        f" and {len(lent) - NAMED} more" if len(lent) > NAMED else ""
    )
    private = f"; {names}, which git does not keep, as now on both sides" if lent else ""
    return f"{caveats}\n<sub>capwright: {count} affected since {markdown_code(base)}{private}</sub>\n"


def _reserve(told: Sequence[_Told]) -> int:
    """Bytes for the sentence that names what is left out."""
    longest = sorted((len(markdown_code(one.change.path).encode()) for one in told), reverse=True)[:NAMED]
    return sum(longest) + _SENTENCE


def _left_out(paths: Sequence[str], base: str) -> str:
    if not paths:
        return ""
    named = ", ".join(markdown_code(path) for path in paths[:NAMED])
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    whole = markdown_code(f"capwright ci --base {shell_word(base)} --print")
    return f"**Left out for length: {named}{more}.** {whole} prints all of it.\n\n"
